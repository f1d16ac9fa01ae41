"""Relevance of texts: do they name the topic of a fact, and which parts speak of the message?"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Final, NamedTuple

from halubot.compare.tokens import (
    STOP_WORDS,
    Token,
    Worded,
    content_norms,
    normal,
    tokens,
    with_tokens,
)
from halubot.report import Fact
from halubot.text import Document, Span, clean, read
from halubot.values import find
from halubot.values.names import SMALL, TITLES, canonical, fold, is_name, same_name

_OWNED: Final = re.compile(r"['’]s\b")
_REST: Final = re.compile(r",\s|\s*\(")
"""What follows a name in its head: a rank, a place, a profession."""
_JOINT: Final = re.compile(r"\s|\.\s|-|\s(?:of|of the|and|de|von|van)\s|\.?\s[\"“‘']|[\"”’']\s")
"""What may stand between two words of one name."""
_PRONOUNS: Final = frozenset(
    {"he", "she", "it", "they", "i", "we", "you", "this", "that", "these", "those", "who", "which"}
)
_SURNAMED: Final = 3
"""Words at most of a name that its last word alone may stand for."""
_ACRONYM: Final = 8
"""Letters of an acronym at most."""


class _Topic(NamedTuple):
    """The topic of a fact: a name, or common words if it has none; neither if that is not known.
    What is ``owned`` ("his wife") may stand far from its owner."""

    name: str = ""
    words: frozenset[str] = frozenset()
    owned: bool = False


_UNKNOWN: Final = _Topic()
_ARTICLES: Final = frozenset({"the", "a", "an"})


class NamedText:
    """A text with its title: the names that it mentions, and the words of its sentences."""

    def __init__(self, text: Document | Worded, title: str = "") -> None:
        read_in = with_tokens(text)
        heading = tokens(title, 0, len(title))
        headed = content_norms(heading)
        self.sentences = [headed | content_norms(found) for found in read_in.tokens]
        self.all = headed.union(*self.sentences)
        names = dict.fromkeys(
            [title, *_names(title, heading)] if is_name(title) else _names(title, heading)
        )
        for found in read_in.tokens:
            names |= dict.fromkeys(_names(read_in.document.plain, found))
        self._names = list(names)
        self._holding: dict[str, list[str]] = {}
        for name in self._names:
            for word in {*_words(name), *canonical(name).split()}:
                self._holding.setdefault(word, []).append(name)
        self._acronyms = [name for name in self._names if _is_acronym(name)]
        # Unlike the runs of capitals, this has names that hold a function word: "Be Kind Rewind".
        self._folded = f" {fold(title)} {fold(read_in.document.plain)} "

    def mentions(self, name: str) -> bool:
        """Return True if a mention in the text is the same name, or a form of it that no other
        name there shares: "Bridge" is not the Kellan Bridge if there is the Ostby Bridge."""
        words = _words(name)
        if len(words) == 1:
            near = self._names if _is_acronym(name) else self._near(name)
            return any(
                _words(one) == words
                or canonical(one) == canonical(name)
                or (_is_acronym(name) and same_name(one, name))
                for one in near
            )
        near = self._near(name)
        if f" {fold(name)} " in self._folded or any(_is_form(one, name) for one in near):
            return True
        last = any(_words(one) == words[-1:] for one in near)
        plain = len(words) <= _SURNAMED and SMALL.isdisjoint(fold(name).split())
        return last and plain and all(len(_words(one)) == 1 for one in near)

    def _near(self, name: str) -> list[str]:
        """The names that share a word with this one, or may be its acronym."""
        keys = {*_words(name), *canonical(name).split()}
        found = [one for key in sorted(keys) for one in self._holding.get(key, ())]
        return list(dict.fromkeys((*found, *self._acronyms)))


class Topics:
    """The topics of the facts of a message: the name in the head of a fact, else the subject of
    the message if its head is a pronoun, a quantity or a part of that subject, else the head's
    words. A fact without a head is about what its sentence is about. The subject of a message is
    the first head that is a name, else the first head."""

    def __init__(self, message: Document, facts: Sequence[Fact], subject: str | None) -> None:
        plain = message.plain
        found = [tokens(plain, *span) for span in message.sentences]
        proper = {token.norm for one in found for token in one if token.kind == "name"}
        heads = [fact.triple.head for fact in facts]
        named = (one for one in heads if _is_proper(one, proper))
        about = subject or next(named, "") or next(filter(_topic_words, heads), "")
        self._subject = frozenset() if is_name(about) else _topic_words(about)
        headed = {
            number: topic
            for fact in reversed(facts)
            if fact.triple.head and (topic := _of_head(fact.triple.head, about, proper)) != _UNKNOWN
            for number in fact.sentences
        }

        def of_sentence(number: int) -> _Topic:
            if number not in headed:
                headed[number] = _of_sentence(plain, found[number], about)
            return headed[number]

        self._of_facts = [
            _of_head(fact.triple.head, about, proper)
            if fact.triple.head or not fact.sentences
            else of_sentence(fact.sentences[0])
            for fact in facts
        ]
        self.known = any(topic != _UNKNOWN for topic in self._of_facts)

    def find_named(self, text: NamedText) -> list[bool]:
        """Return for each fact whether a text names its topic. Common words name it if one
        sentence has them all, and the text names another topic or the subject of the message too,
        or no topic has a name. A fact whose topic is unknown is not named, unless no topic is known
        at all."""
        if not self.known:
            return [True] * len(self._of_facts)
        names = {topic.name for topic in self._of_facts if topic.name}
        told = {name for name in names if text.mentions(name)}
        near = bool(told) or not names
        if self._subject and not near:
            near = any(self._subject <= one for one in text.sentences)
        return [
            topic.name in told
            if topic.name
            else near
            and bool(topic.words)
            and any(topic.words <= one for one in ([text.all] if topic.owned else text.sentences))
            for topic in self._of_facts
        ]


def speaks_of(text: Document | Worded, title: str, question: str) -> bool:
    """Return True if a text or its title names something that a question names; if the question
    names nothing, if it holds more than half of its words. False for a question without words."""
    asked, known = with_tokens(read(question)), NamedText(text, title)
    names = [
        one
        for found in asked.tokens
        for one in _names(asked.document.plain, found)
        if " " in one or not found or not one.startswith(found[0].text)
    ]
    if names:
        return any(known.mentions(name) for name in names)
    wanted = content_norms(token for found in asked.tokens for token in found)
    return 2 * len(wanted & known.all) > len(wanted)


def _of_head(head: str, about: str, proper: set[str]) -> _Topic:
    owner, *owned = _OWNED.split(head, maxsplit=1)
    for part in (*owned, owner):  # "Ghana's Asamoah Gyan", then "the Kellan Bridge's keeper"
        name = _REST.split(part.strip(), maxsplit=1)[0]
        if _is_proper(name, proper):
            return _Topic(name)
    words, of_subject = _topic_words(head), _topic_words(about)
    if words <= of_subject:
        return _Topic(about) if is_name(about) else _Topic("", of_subject, bool(owned))
    return _Topic("", words, bool(owned))


def _topic_words(head: str) -> frozenset[str]:
    """The content words of a head; none of a pronoun, and none of a quantity, which is part of what
    is claimed."""
    if head.lower() in _PRONOUNS:
        return frozenset()
    for value in find(head):
        head = head[: value.start] + " " * (value.end - value.start) + head[value.end :]
    return content_norms(tokens(head, 0, len(head)))


def _of_sentence(plain: str, found: Sequence[Token], about: str) -> _Topic:
    """The name of several words that a sentence opens with, else the subject of the message, else
    the first name of several words."""
    names = [one for one in _names(plain, found) if " " in one]
    opening = next((token.start for token in found if token.text.lower() not in _ARTICLES), 0)
    if names and plain.startswith(names[0], opening):
        return _Topic(names[0])
    if is_name(about):
        return _Topic(about)
    words = _topic_words(about)
    return _Topic("", words) if words else _Topic(next(iter(names), ""))


def _is_proper(text: str, proper: set[str]) -> bool:
    """Return True for a name that does not owe its only capital to opening a sentence."""
    return is_name(text) and (" " in text or normal(text) in proper)


def _names(plain: str, found: Sequence[Token]) -> Iterator[str]:
    """Yield the runs of capitalised words of a sentence, also with the number that follows."""
    start = end = -1
    for token in found:
        joined = start >= 0 and _JOINT.fullmatch(plain, end, token.start)
        if token.kind == "number" and joined and plain[end : token.start] == " ":
            yield plain[start : token.end]
        if token.text[0].isupper() and token.kind != "stop":
            if not joined:
                if start >= 0:
                    yield plain[start:end]
                start = token.start
            end = token.end
    if start >= 0:
        yield plain[start:end]


def _is_form(mention: str, name: str) -> bool:
    """Return True if a mention of several words is a name, holds it, or is its end; also for
    another name of the same thing and for its acronym."""
    if canonical(mention) == canonical(name) or (_is_acronym(mention) and same_name(mention, name)):
        return True
    mine, theirs = _words(mention), _words(name)
    if len(mine) == 1:
        return False
    part = set(mine) <= set(theirs) and mine[-1] == theirs[-1]
    return part or set(mine) >= set(theirs) or same_name(mention, name)


def _is_acronym(name: str) -> bool:
    letters = name.replace(".", "")
    return 1 < len(letters) <= _ACRONYM and letters.isalpha() and letters.isupper()


@lru_cache(maxsize=1 << 14)
def _words(name: str) -> tuple[str, ...]:
    """The folded words of a name without titles and small words; all of them if none is left."""
    folded = fold(name).split()
    return tuple(one for one in folded if one not in SMALL and one not in TITLES) or tuple(folded)


MOST: Final = 300_000
"""Characters of all texts together that are read whole."""

WINDOW: Final = 1_000
"""Characters of a window at most."""

_NEAREST: Final = 3
"""Windows that are looked for beside each sentence of the message."""

_COMMON: Final = 200
"""Windows that hold a word by which others are found: more would take time without end."""

_PREFIX: Final = 6
"""Letters by which words meet, whatever their endings."""

_WORD: Final = re.compile(r"[^\W_]+")
# Scripts that do not part their words are looked up by pairs of characters.
_UNPARTED: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
    "\uf900-\ufaff\U00020000-\U0003ffff]{2}"
)
_END: Final = re.compile(r"[.!?。][\s]")


class _Window(NamedTuple):
    """A part of the text of that number, which ends before a line or a word does."""

    text: int
    start: int
    end: int


class Nearby:
    """Reads texts for one message."""

    def __init__(self, message: Document) -> None:
        self._message = message

    def read(self, texts: Sequence[str], most: int = MOST) -> list[Worded]:
        """Return the texts as they are compared, each at its own places. If they have more than
        ``most`` characters together, all but about as many are blank: those windows are kept that
        hold most of a sentence, or a word of the message that no other holds. Takes time linear in
        the length of the texts."""
        if sum(map(len, texts)) <= most:
            return [with_tokens(read(text)) for text in texts]
        windows = [_Window(n, *span) for n, text in enumerate(texts) for span in cut_windows(text)]
        kept: dict[int, list[Span]] = {}
        for at in sorted(self._choose_windows(texts, windows, most)):
            window = windows[at]
            spans = kept.setdefault(window.text, [])
            if spans and spans[-1][1] == window.start:
                spans[-1] = spans[-1][0], window.end
            else:
                spans.append((window.start, window.end))
        return [_read_parts(text, kept.get(number, ())) for number, text in enumerate(texts)]

    def _choose_windows(
        self, texts: Sequence[str], windows: Sequence[_Window], most: int
    ) -> set[int]:
        """The numbers of the windows that are read."""
        plain = self._message.plain
        asked = [list(dict.fromkeys(_keys(plain[a:b]))) for a, b in self._message.sentences]
        known = set(chain.from_iterable(asked))
        inside = [tuple(known.intersection(_keys(texts[n][a:b]))) for n, a, b in windows]
        holding: dict[str, list[int]] = {}
        for at, keys in enumerate(inside):
            for key in keys:
                holding.setdefault(key, []).append(at)
        rarity = {key: math.log(1 + len(windows) / len(held)) for key, held in holding.items()}
        rows = [_nearest(keys, holding, rarity, inside) for keys in asked]
        # Before the second best of a sentence comes one window for each word that would be missing.
        turns = [[row[turn] for row in rows if len(row) > turn] for turn in range(_NEAREST)]
        rarest = sorted(holding, key=lambda key: (len(holding[key]), key))
        turns.insert(1, [holding[key][0] for key in rarest])
        chosen: set[int] = set()
        room = most
        for at in chain.from_iterable(turns):
            size = windows[at].end - windows[at].start
            if at not in chosen and size <= room:
                chosen.add(at)
                room -= size
        return chosen


def _nearest(
    keys: Sequence[str],
    holding: dict[str, list[int]],
    rarity: dict[str, float],
    inside: Sequence[tuple[str, ...]],
) -> list[int]:
    """Return the windows that hold most of a sentence, the best first; words that very many hold
    bring in the first of them only."""
    found = Counter[int]()
    wanted = {key: rarity[key] for key in keys if key in holding}
    for key in sorted(wanted, key=lambda key: len(holding[key])):
        if len(found) < _COMMON:
            found.update(dict.fromkeys(holding[key][:_COMMON], 0))
    shares = {at: sum(wanted.get(key, 0.0) for key in inside[at]) for at in found}
    return sorted(shares, key=lambda at: (-shares[at], at))[:_NEAREST]


def cut_windows(text: str) -> Iterator[Span]:
    """The windows of a text, which end after a line, a sentence or a word, if there is one."""
    start = 0
    while start < len(text):
        end = min(len(text), start + WINDOW)
        if end < len(text):
            half = start + WINDOW // 2
            sentences = [match.end() for match in _END.finditer(text, half, end)]
            line, word = (text.rfind(sign, half, end) + 1 for sign in "\n ")
            breaks = (line, *sentences[-1:], word)
            end = next((found for found in breaks if found > half), end)
        yield start, end
        start = end


def _keys(text: str) -> Iterator[str]:
    """The words by which texts find each other."""
    for word in _WORD.findall(text.casefold()):
        if word.isascii():
            if word not in STOP_WORDS:
                yield word[:_PREFIX] if word[0].isalpha() else word
        elif _UNPARTED.search(word):
            yield from (word[at : at + 2] for at in range(len(word) - 1))
        else:
            yield word[:_PREFIX]


def _read_parts(text: str, spans: Sequence[Span]) -> Worded:
    """Read some parts of a text, at their places in it; all else is blank."""
    pieces: list[str] = []
    sentences: list[Span] = []
    language, position = "und", 0
    for start, end in spans:
        part = read(text[start:end])
        pieces += (" " * (start - position), part.plain)
        sentences += [(first + start, last + start) for first, last in part.sentences]
        language = part.language if language == "und" else language
        position = end
    pieces.append(" " * (len(text) - position))
    return with_tokens(Document(clean(text)[0], "".join(pieces), tuple(sentences), language))
