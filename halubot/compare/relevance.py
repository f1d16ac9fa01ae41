"""Do texts name the topic of a fact, or what a question names?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from halubot.compare.tokens import (
    Token,
    Worded,
    content_norms,
    normal,
    tokens,
    with_tokens,
)
from halubot.report import Fact
from halubot.text import Document, read
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

    def __init__(self, text: Worded, title: str = "") -> None:
        heading = tokens(title, 0, len(title))
        headed = content_norms(heading)
        self.sentences = [headed | content_norms(found) for found in text.tokens]
        self.all = headed.union(*self.sentences)
        names = dict.fromkeys(
            [title, *_names(title, heading)] if is_name(title) else _names(title, heading)
        )
        for found in text.tokens:
            names |= dict.fromkeys(_names(text.document.plain, found))
        self._names = list(names)
        self._holding: dict[str, list[str]] = {}
        for name in self._names:
            for word in {*_words(name), *canonical(name).split()}:
                self._holding.setdefault(word, []).append(name)
        self._acronyms = [name for name in self._names if _is_acronym(name)]
        # Unlike the runs of capitals, this has names that hold a function word: "Be Kind Rewind".
        self._folded = f" {fold(title)} {fold(text.document.plain)} "

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


def speaks_of(text: Worded, title: str, question: str) -> bool:
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
