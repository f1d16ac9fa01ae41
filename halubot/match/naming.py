"""Does a text name what a fact is about?

A sample answers the same question as the message and a reference was chosen by somebody, so either
may take up its subject without a name. A passage that was found by its words may speak of anything:
it counts only where it, or its title, names what the fact is about.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from halubot.match.claim import Claim
from halubot.match.mentions import Mention, Name
from halubot.match.textindex import Asked, TextIndex
from halubot.match.words import Worded, normal, tokens, worded
from halubot.text import Document

_NOTHING: Final = Asked({}, frozenset())


class _Topic(NamedTuple):
    """What a fact is about: a name, or the stems of common words where it has none; neither where
    that is not known."""

    name: Name
    words: frozenset[str]


class Topics:
    """What the facts of a message are about, by their claims."""

    def __init__(self, claims: Sequence[Claim]) -> None:
        self._of_facts = [
            _Topic(claim.subject, frozenset() if claim.subject.stems else frozenset(claim.head))
            for claim in claims
        ]

    @property
    def known(self) -> bool:
        """Whether it is known of any fact what it is about."""
        return any(topic.name.stems or topic.words for topic in self._of_facts)

    def named(self, text: Document | Worded, title: str = "") -> list[bool]:
        """Whether a text or its title names what each fact is about, in the order of the facts;
        False where that is not known. Common words ("the university") name it in a text that
        also has a name that the message is about, or where there is no such name."""
        index = TextIndex(worded(text), _NOTHING)
        found = [one for sentence in index.sentences for one in sentence.mentions]
        headed = Mention.of(title)
        found += [headed] if headed else []
        stems = index.where.keys() | {token.norm for token in tokens(title, 0, len(title))}
        names = {topic.name for topic in self._of_facts if topic.name.stems}
        told = {name: _names(name, found, stems) for name in names}
        near = not told or any(told.values())
        return [
            told[topic.name]
            if topic.name in told
            else near and bool(topic.words) and topic.words <= stems
            for topic in self._of_facts
        ]


def _names(name: Name, found: Sequence[Mention], stems: Collection[str]) -> bool:
    return all(stem in stems for stem in name.stems) or any(_stands_for(one, name) for one in found)


def _stands_for(mention: Mention, name: Name) -> bool:
    """Whether a name is the other in some form, or its last word: a surname, but not the "England"
    of "Bank of England"."""
    likeness = mention.likeness(name)
    if likeness != "part":
        return likeness == "own"
    words = name.text.split()
    return all(word[:1].isupper() for word in words) and normal(words[-1]) in mention.name.stems
