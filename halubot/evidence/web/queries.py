"""Queries for a message, made of its words: the subject, and the rarest words of what is claimed
of it, values first. One query serves several claims of one subject."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from halubot.compare.tokens import STOP_WORDS
from halubot.evidence.web.search import Query
from halubot.report import Fact
from halubot.text import Document
from halubot.values import find

WORDS: Final = 9
"""Words of a query beside the subject."""

LONGEST: Final = 200
"""Characters of a query."""

_AROUND: Final = "\"'`*_#()[]{}<>.,;:!?…“”‘’«»¿¡|"
_UNPARTED: Final = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\u0e00-\u0eff]")


def write_queries(
    message: Document,
    facts: Sequence[Fact],
    most: int,
    *,
    question: str = "",
    subject: str = "",
) -> tuple[Query, ...]:
    """Return at most ``most`` queries for a message, those for the most claims first. ``subject``
    is what the message is about, for sentences that name nothing; else the subject that most
    sentences have. Empty for a message without words."""
    if most < 1:
        return ()
    plain = message.plain
    heads = _heads(message, facts)
    (most_named, _), *_ = Counter(heads.values()).most_common(1) or [("", 0)]
    asked_of = " ".join(word for word in _words([question]) if _is_named(word))
    about = subject or most_named or asked_of or _first_subject(facts)
    groups: dict[str, list[str]] = {}
    names: dict[str, str] = {}
    for index, (start, end) in enumerate(message.sentences):
        text = " ".join(plain[start:end].split())
        if not re.search(r"\w", text):
            continue
        head = heads.get(index) or about
        groups.setdefault(head.casefold(), []).append(text)
        names.setdefault(head.casefold(), head)
    if not groups:
        return ()
    # What most of the message is about helps to find what it says of a part of it.
    context = (
        about if 2 * len(groups.get(about.casefold(), ())) >= sum(map(len, groups.values())) else ""
    )
    whole = Counter(word.casefold() for texts in groups.values() for word in _words(texts))
    asked = [
        _query(names[key], context, texts[at : at + size], whole)
        for key, texts, size in _shares(groups, most)
        for at in range(0, len(texts), size)
    ]
    return tuple(dict.fromkeys(query for query in asked if query.text))[:most]


def _heads(message: Document, facts: Sequence[Fact]) -> dict[int, str]:
    """The subject of each sentence: the first head of its facts that has a name in it."""
    found: dict[int, str] = {}
    for fact in facts:
        head = _owner(fact.triple.head)
        if head and _is_named(head):
            for index in fact.sentences:
                found.setdefault(index, head)
    return found


def _first_subject(facts: Sequence[Fact]) -> str:
    """The first head that says what is spoken of: no pronoun and no quantity."""
    heads = (_owner(fact.triple.head) for fact in facts)
    return next((head for head in heads if _words([_without_values(head)])), "")


def _owner(head: str) -> str:
    """Whose part a head is: encyclopaedias know the Kellan Bridge, and not the Kellan Bridge's
    arch."""
    return " ".join(re.split(r"['’]s\b", head, maxsplit=1)[0].split())


def _without_values(words: str) -> str:
    for value in find(words):
        words = words[: value.start] + " " * (value.end - value.start) + words[value.end :]
    return words


def _is_named(words: str) -> bool:
    return any(word[:1].isupper() for word in _words([_without_values(words)])) or bool(
        _UNPARTED.search(words)
    )


def _shares(groups: dict[str, list[str]], most: int) -> list[tuple[str, list[str], int]]:
    """The groups, those of most sentences first, each with how many of its sentences one query is
    for: as few as the number of queries allows."""
    ordered = sorted(groups.items(), key=lambda one: -len(one[1]))[:most]
    queries = dict.fromkeys((key for key, _ in ordered), 1)
    for _ in range(most - len(ordered)):
        key, texts = max(ordered, key=lambda one: len(one[1]) / queries[one[0]])
        if queries[key] >= len(texts):
            break
        queries[key] += 1
    return [(key, texts, -(-len(texts) // queries[key])) for key, texts in ordered]


def _query(head: str, context: str, texts: Sequence[str], whole: Counter[str]) -> Query:
    if any(map(_UNPARTED.search, texts)):
        # Words are not parted by spaces: a search engine parts them itself.
        return Query(" ".join([head, *texts]).strip()[:LONGEST], head or texts[0][:LONGEST])
    if context.casefold() in head.casefold():
        context = ""
    own = {word.casefold() for word in _words([head, context])}
    words = [word for word in _words(texts) if word.casefold() not in own]
    words = list({word.casefold(): word for word in reversed(words)}.values())[::-1]
    rarest = sorted(words, key=lambda word: _rarity(word, whole))[:WORDS]
    # In the order of the text, in which words that belong together stand together.
    rarest.sort(key=words.index)
    return Query(_cut(" ".join([head, context, *rarest])), _cut(head or " ".join(rarest)))


def _rarity(word: str, whole: Counter[str]) -> tuple[int, int, int]:
    """A key that orders words, the rarest first: values, names, then words that the message
    repeats least and the longest ones."""
    if any(map(str.isdigit, word)):
        return 0, whole[word.casefold()], -len(word)
    kind = 1 if word[:1].isupper() else 2
    return kind, whole[word.casefold()], -len(word)


def _words(texts: Sequence[str]) -> list[str]:
    """The words of texts that carry meaning, as they are written: "GPT-4" is one."""
    found = []
    for text in texts:
        for written in text.split():
            word = re.sub(r"['’]s$", "", written.strip(_AROUND))
            address = "://" in word or word.lower().startswith(("www.", "doi:"))
            if word and word.casefold() not in STOP_WORDS and not address:
                found.append(word)
    return found


def _cut(query: str) -> str:
    query = " ".join(query.split())
    return query if len(query) <= LONGEST else query[:LONGEST].rpartition(" ")[0]
