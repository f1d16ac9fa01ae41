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
_YEAR: Final = range(1000, 2100)
_STEPS: Final = (6, 9, 13, 17, 24, 31)
_PRONOUNS: Final = frozenset(
    ["he", "she", "it", "they", "this", "that", "these", "those", "there", "i", "we", "you", "who"]
)

_PEOPLE: Final = ("Ottilie Marrant", "Jorun Vesk", "Casimir Dole", "Perla Ansty", "Tobin Harl")
_PLACES: Final = ("Quillmouth", "Vantry Sound", "Ilse Moor", "Dunharrow Bay", "Lower Tessel")
INVENTED: Final = (*_PEOPLE, *_PLACES)
"""Names of nobody and of no place; the canary about something else has one."""

_THINGS: Final = (
    ("the {place} tramway", "was closed in", "{year}"),
    ("{person}", "designed", "the clock tower of {place}"),
    ("the {place} ferry", "carried", "{count} passengers in its first year"),
    ("{person}", "was mayor of", "{place}"),
    ("the harbour of {place}", "was dredged by", "{person}"),
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
    if most < len(made):
        made = random.sample(made, most)
    for canary in made:
        # Anywhere, or a judge could tell canaries by their places.
        placed.insert(random.randint(0, len(placed)), canary)
    return placed


def _make_canaries(
    source: str, items: frozenset[str], random: Random, *, sentences: bool
) -> Iterator[Canary]:
    document = read(source)
    read_in = _sentences(document, random) if sentences else _facts(document, random)
    found = [one for one in read_in if len(state_triple(one)) <= LONGEST]
    stated = next((one for one in found if state_triple(one) not in items), None)
    if stated is not None:
        yield Canary(stated, right=True)
    for triple in (*(one for one in found if one != stated), *found):
        exchanged = _exchange_value(triple, source, random)
        if exchanged is not None and state_triple(exchanged) not in items:
            yield Canary(exchanged, right=False)
            break
    absent = _absent(source, random)
    if sentences:
        text = " ".join(absent)
        absent = Triple("", "", f"{text[:1].upper()}{text[1:]}.")
    yield Canary(absent, right=False)


def _sentences(document: Document, random: Random) -> list[Triple]:
    """Some sentences that claim something, those first that name what they are about."""
    spans = list(document.sentences)
    random.shuffle(spans)
    # Without markup, as the facts are: a mark would tell which are canaries.
    texts = [" ".join(document.plain[start:end].split()) for start, end in spans]
    claims = [one for one in texts if len(one.split()) >= SHORTEST and not one.endswith(("?", ":"))]
    claims.sort(key=lambda one: one.split()[0].casefold() in _PRONOUNS)
    return [Triple("", "", one) for one in claims]


def _facts(document: Document, random: Random) -> list[Triple]:
    """Facts of some sentences, those first that name what they are about. In a language without
    rules a sentence is a fact."""
    spans = list(document.sentences)
    random.shuffle(spans)
    named: list[Triple] = []
    others: list[Triple] = []
    for start, end in spans[:READ]:
        for fact in extract(read(document.plain[start:end])):
            triple = fact.triple
            if len(state_triple(triple).split()) >= SHORTEST:
                pronoun = triple.head.casefold() in _PRONOUNS or not triple.head
                (others if pronoun else named).append(triple)
    return [*named, *others]


def _exchange_value(triple: Triple, source: str, random: Random) -> Triple | None:
    """The same with another number or name in its value; None if it holds neither."""
    value = triple.tail
    numbers = list(_VALUE.finditer(value))
    if numbers:
        place = numbers[-1]
        # Python refuses to read a number of more than 4,300 digits.
        new = _other_number(int(place[0][:12]), source, random)
    else:
        # The first word of a sentence has a capital whether it is a name or not.
        names = [one for one in _NAME.finditer(value) if triple.head or one.start()]
        if not names:
            return None
        place = names[-1]
        new = random.choice(_PEOPLE if " " in place[0] else _PLACES)
    return triple._replace(tail=value[: place.start()] + new + value[place.end() :])


def _other_number(number: int, source: str, random: Random) -> str:
    """A number that the source does not hold, as far from this one as is plainly another."""
    while True:
        step = random.choice(_STEPS)
        year = number in _YEAR
        number = number - step if year and number - step in _YEAR else number + step * (number + 1)
        if str(number) not in source:
            return str(number)


def _absent(source: str, random: Random) -> Triple:
    """A fact about something invented that the source does not name."""
    places = [one for one in _PLACES if one not in source] or _PLACES
    people = [one for one in _PEOPLE if one not in source] or _PEOPLE
    words = {
        "place": random.choice(places),
        "person": random.choice(people),
        "year": random.randrange(1870, 1990),
        "count": random.randrange(2, 90) * 1000,
    }
    return Triple(*(part.format(**words) for part in random.choice(_THINGS)))
