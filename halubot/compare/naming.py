"""Does a text name what a fact is about?

A sample answers the same question as the message and a reference was chosen by somebody, so either
may take up its subject without a name. A passage that was found by its words may speak of anything:
it counts only where it, or its title, names what the fact is about. Of a message that names nothing
itself ("In 1931.") the question tells.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from halubot.compare.claim import Claim
from halubot.compare.mentions import NOBODY, Mention, Name, name_of, openings
from halubot.compare.names import is_name
from halubot.compare.textindex import Asked, TextIndex
from halubot.compare.tokens import Worded, tokens, worded
from halubot.text import Document, read

_NOTHING: Final = Asked({}, frozenset())

_OWNED: Final = re.compile(r"['’]s\b")

_FEW: Final = 3
"""Words of a name at most that its last word alone may stand for."""


class _Topic(NamedTuple):
    """What a fact is about: a name, or the stems of common words where it has none; neither where
    that is not known. What is ``owned`` ("his roles") may stand far from its owner."""

    name: Name
    words: frozenset[str]
    owned: bool = False

    @classmethod
    def of(cls, claim: Claim) -> _Topic:
        first, *rest = _OWNED.split(claim.subject.text, maxsplit=1)
        owner = name_of(first)
        if owner.stems and is_name(owner.text):
            return cls(owner, frozenset())
        return cls(NOBODY, frozenset(claim.head or claim.own), bool(rest))


class Topics:
    """What the facts of a message are about, by their claims."""

    def __init__(self, claims: Sequence[Claim]) -> None:
        self._of_facts = [_Topic.of(claim) for claim in claims]

    @property
    def known(self) -> bool:
        """Whether it is known of any fact what it is about."""
        return any(topic.name.stems or topic.words for topic in self._of_facts)

    def named(self, index: TextIndex) -> list[bool]:
        """Whether a text or its title names what each fact is about, in the order of the facts.
        Common words ("the university", "the mill of Dorn") name it in a text that has them all in
        one sentence, and also a name that the message is about, or where there is no such name.
        Where it is not known of a fact it is False, but True of all where it is known of none."""
        found = _Mentioned(index)
        together = [sentence.stems.keys() | index.heading for sentence in index.sentences]
        anywhere = [index.where.keys() | index.heading]
        names = {topic.name for topic in self._of_facts if topic.name.stems}
        told = {name: _names(name, found) for name in names}
        near = not told or any(told.values())
        return [
            told[topic.name]
            if topic.name in told
            else near
            and any(topic.words <= stems for stems in (anywhere if topic.owned else together))
            and (bool(topic.words) or not self.known)
            for topic in self._of_facts
        ]


def speaks_of(text: Document | Worded, title: str, question: str) -> bool:
    """Whether a text or its title names something that a question names; where it names nothing,
    whether it holds more than half of its words. False for a question without words."""
    asked = TextIndex(worded(read(question)), _NOTHING).sentences
    names = {one.name for sentence in asked for one in sentence.mentions if one.sure}
    index = indexed(text, title)
    if names:
        found = _Mentioned(index)
        return any(_names(name, found) for name in names)
    wanted = {t.norm for t in tokens(question, 0, len(question)) if t.kind != "stop"}
    stems = index.where.keys() | index.heading
    return 2 * len(wanted & stems) > len(wanted)


def indexed(text: Document | Worded, title: str = "") -> TextIndex:
    """A text of which nothing is known but what it calls itself."""
    return TextIndex(worded(text), _NOTHING, title)


class _Mentioned:
    """The names in a text and its title, each once, and under the first letters of their words."""

    def __init__(self, index: TextIndex) -> None:
        headed = Mention.of(index.title)
        found = [one for sentence in index.sentences for one in sentence.mentions]
        self._all = list(
            {one.name: one for one in (*found, *([headed] if headed else []))}.values()
        )
        self._under: dict[str, list[Mention]] = {}
        for one in self._all:
            for letter in {stem[0] for stem in one.name.stems}:
                self._under.setdefault(letter, []).append(one)

    def like(self, name: Name) -> list[Mention]:
        """Those that may be the name in some form."""
        letters = openings(name)
        if not letters:
            return self._all
        near = (one for letter in sorted(letters) for one in self._under.get(letter, ()))
        return list({one.name: one for one in near}.values())


def _names(name: Name, mentioned: _Mentioned) -> bool:
    """Whether one of these is the name in some form. A single word that ends a longer name, as a
    surname, counts where no other name shares a word with it: "Bridge" is not the Kellan Bridge
    where there is the Ostby Bridge, nor "Game" any game."""
    found = mentioned.like(name)
    if max(map(len, name.stems)) == 1:
        return any(one.name.stems == name.stems for one in found)
    alike = [(one.name, one.likeness(name)) for one in found]
    last = name.text.split()[-1].casefold()
    ends = [
        one
        for one, likeness in alike
        if likeness in ("own", "part")
        and (one.stems >= name.stems or one.text.split()[-1].casefold() == last)
    ]
    if any(one.stems >= name.stems or _long(one.stems) > 1 for one in ends):
        return True
    others = any(likeness == "kind" for _, likeness in alike)
    short = len(name.text.split()) <= _FEW and name.text == name.text.title()
    return bool(ends) and short and not others


def _long(stems: frozenset[str]) -> int:
    """How many of these are words, and not initials."""
    return sum(len(stem) > 1 for stem in stems)
