"""Facts whose answer is known, asked about among others to learn how far a judge can be trusted.

Three go into each call that judges facts against a text: one that a sentence of the text states,
one with a value of it exchanged, and one about something the text does not speak of. They are made
of the text by rules and placed among the facts by a seed made of all that the call shows: the same
call has the same canaries, so that a store still answers it. Among sentences they are sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from random import Random
from typing import Final

from halubot.claims import extract
from halubot.methods.calls.extraction import state_triple
from halubot.report import Triple
from halubot.text import Document, read

LONGEST: Final = 160
"""Characters of a canary at most: it has to cost little."""

SHORTEST: Final = 3
"""Words of a canary at least."""

READ: Final = 6
"""Sentences that are read for a fact at most."""

EACH: Final = 3
"""Canaries of one set: one is stated, one has another value, one is about something else."""

_VALUE: Final = re.compile(r"\d+")
_NAME: Final = re.compile(r"[A-Z][\w’'-]+(?: [A-Z][\w’'-]+)*")
_PRONOUNS: Final = frozenset(
    ["he", "she", "it", "they", "this", "that", "these", "those", "there", "i", "we", "you", "who"]
)

_PEOPLE: Final = ("Ottilie Marrant", "Jorun Vesk", "Casimir Dole", "Perla Ansty", "Tobin Harl")
_PLACES: Final = ("Quillmouth", "Vantry Sound", "Ilse Moor", "Dunharrow Bay", "Lower Tessel")
INVENTED: Final = (*_PEOPLE, *_PLACES)
"""Names of nobody and of no place; the canary about something else has one."""

_DEEDS: Final = (
    ("designed", "the clock tower of"),
    ("was mayor of", ""),
    ("paid for", "the harbour of"),
)


@dataclass(frozen=True, slots=True)
class Canary:
    """A fact whose answer is known, and whether the text says it. Of a sentence the triple has a
    tail alone."""

    triple: Triple
    right: bool

    @property
    def text(self) -> str:
        """It as prompts show a fact."""
        return state_triple(self.triple)


def plant(
    source: str, items: Sequence[str], *, sentences: bool = False, most: int = EACH
) -> list[int | Canary]:
    """Return the places of the items, in their order, with at most so many canaries of a text
    among them; with ``sentences`` these are sentences. A text of which no sentence can be read has
    the canary about something else alone."""
    # Of all that the call shows: the same check again finds its answers in the store.
    digest = sha256("\0".join((source, *items)).encode()).digest()
    random = Random(digest)  # noqa: S311 - places, no secrets
    placed: list[int | Canary] = [*range(len(items))]
    made = list(_make_canaries(source, frozenset(items), random, sentences=sentences))
    for canary in random.sample(made, min(most, len(made))):
        # Anywhere, or a judge could tell canaries by their places.
        placed.insert(random.randint(0, len(placed)), canary)
    return placed


def _make_canaries(
    source: str, items: frozenset[str], random: Random, *, sentences: bool
) -> Iterator[Canary]:
    document = read(source)
    claims = _sentences(document) if sentences else _facts(document, random)
    fit = (one for one in claims if len(state_triple(one).split()) >= SHORTEST)
    found = [one for one in fit if len(state_triple(one)) <= LONGEST]
    random.shuffle(found)
    # Those first that name what they are about.
    found.sort(key=_is_about_pronoun)
    stated = next((one for one in found if state_triple(one) not in items), None)
    if stated is not None:
        yield Canary(stated, right=True)
    for triple in (*(one for one in found if one != stated), *found):
        exchanged = _exchange_value(triple, source, random)
        if exchanged is not None and state_triple(exchanged) not in items:
            yield Canary(exchanged, right=False)
            break
    person, place = (_invented(names, source, random) for names in (_PEOPLE, _PLACES))
    deed, of = random.choice(_DEEDS)
    absent = Triple(person, deed, f"{of} {place}".strip())
    if sentences:
        absent = Triple("", "", f"{' '.join(absent)}.")
    yield Canary(absent, right=False)


def _sentences(document: Document) -> Iterator[Triple]:
    for start, end in document.sentences:
        # Without markup, as the facts are: a mark would tell which are canaries.
        text = " ".join(document.plain[start:end].split())
        if not text.endswith(("?", ":")):
            yield Triple("", "", text)


def _facts(document: Document, random: Random) -> Iterator[Triple]:
    """The facts of some sentences. In a language without rules a sentence is a fact."""
    spans = document.sentences
    for start, end in random.sample(spans, min(READ, len(spans))):
        yield from _read_triples(document.plain[start:end])


@lru_cache(maxsize=64)
def _read_triples(sentence: str) -> tuple[Triple, ...]:
    """The triples of a sentence. Many calls of a check show one text."""
    return tuple(fact.triple for fact in extract(read(sentence)))


def _is_about_pronoun(triple: Triple) -> bool:
    return state_triple(triple).split()[0].casefold() in _PRONOUNS


def _exchange_value(triple: Triple, source: str, random: Random) -> Triple | None:
    """The same with another number or name in its value; None if it holds neither."""
    value = triple.tail
    # The first word of a sentence has a capital whether it is a name or not.
    names = [one for one in _NAME.finditer(value) if triple.head or one.start()]
    if numbers := list(_VALUE.finditer(value)):
        place = numbers[-1]
        new = _other_number(place[0], source, random)
    elif names:
        place = names[-1]
        new = random.choice(_PEOPLE if " " in place[0] else _PLACES)
    else:
        return None
    return triple._replace(tail=value[: place.start()] + new + value[place.end() :])


def _other_number(written: str, source: str, random: Random) -> str:
    """A number that the source does not hold, as far from this one as is plainly another."""
    # Python refuses to read a number of more than 4,300 digits.
    number = int(written[:12])
    while (other := str(number)) in source or other == written:
        number += random.randint(6, 31)
    return other


def _invented(names: Sequence[str], source: str, random: Random) -> str:
    """One of the names, if possible one that the source does not hold."""
    return random.choice([one for one in names if one not in source] or names)
