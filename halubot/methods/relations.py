"""Relations of triples in one form: their words, their direction, and usual words for the same.

"wrote", "is the author of", "author" and "was written by" are one relation, of which the last two
run from the work to its writer. A relation that the table does not hold keeps its own words.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache, lru_cache
from typing import Final, NamedTuple

from rapidfuzz import fuzz

from halubot.compare.tokens import is_negative, normal

# Deeds and mutual relations: phrases, and after the bar nouns that, alone, run the other way.
_DEEDS: Final = """
write, wrote, written, pen, author | author, writer
direct | director
produce | producer
compose | composer
record, perform, sing, sang, sung | performer, singer
found, establish, create, set up, form, start, launch, co-found | founder, co-founder, creator
invent, devise | inventor
discover, make the discovery of, made the discovery of | discoverer
design | designer, architect
develop, formulate | developer
acquire, buy, bought, purchase, take over, took over, taken over | owner, buyer
own, possess | owner
sell, sold | seller
publish, release, issue, bring out, come out, came out | publisher
translate | translator
inspire | inspiration
win, won, receive, get, got, earn, award, recipient of, winner of | winner, recipient
lose, lost
nominate, shortlist
kill, murder, assassinate | killer, murderer
defeat, beat, beaten | victor
lead, led, head, chair, run, in charge of | leader, head, chairman, chairperson, chief
teach, taught, instruct | teacher, tutor
employ, hire | employer
accept, approve, adopt
reject, refuse, turn down, decline
build, built, construct, erect | builder
destroy, demolish, tear down, tore down
open, inaugurate, open to traffic
close, shut
begin, began, begun, start, commence
end, finish, complete, conclude, bring to an end, brought to an end
cause, bring about, brought about, lead to, led to, result in | cause
arrive, reach
depart, leave, left, withdraw, withdrew, withdrawn, quit, pull out
join, enter
resign, step down, stand down, stood down
postpone, put off, delay
increase, rise, rose, risen, grow, grew, grown
decrease, fall, fell, fallen, drop
convict, find guilty, found guilty
acquit, clear
attack, invade
contain, include, comprise, consist, made up of
need, require, call for
use, utilise, utilize
study, research, conduct research, carry out research, do research
""".strip()
_MUTUAL: Final = """
marry, married, wed, wife, husband, spouse
border, share a border, neighbour, neighbor, adjoin
sibling
collaborate, cooperate, work with
differ
""".strip()
# What is said of one thing alone, so that there is no other way to run.
_ATTRIBUTES: Final = """
born, birthplace, place of birth, birth place, date of birth, birth date, year of birth, birth year
die, died, death, dead, place of death, death place, date of death, death date, year of death
buried, burial, place of burial, burial place
locate, situate, lie, lay, location, stand, stood, country
headquarters, headquarter, headquarters location, head office, based
occur, happen, take place, took place, taken place, hold, held, venue, set
attend, study at, studied at, educate, alma mater, student
graduate
member, belong, part, membership
live, reside, residence
height, tall, high, elevation
length, long
depth, deep
width, wide
area, cover
weigh, weight
population, inhabitants
capacity, seat, hold, held, accommodate, seating capacity
cost, price
last, duration
age, old, aged
speak, spoke, language
nationality, citizenship, citizen
genre, style
gross, earn, box office, revenue
call, name, nickname, alias, know as, known as, also known as
occupation, profession, job, career, work, serve, position, role, title, known, type, kind
capital, capital city
""".strip()

_ROLE: Final = "occupation"
_FUNCTION_WORDS: Final = """
is be was were are been being am has have had did does do a an the its his her their
"""
_PREPOSITIONS: Final = "in on at of to for from as with into upon since during between"
_EMPTY: Final = frozenset(_FUNCTION_WORDS.split())
_LINKS: Final = frozenset(_PREPOSITIONS.split())
ALIKE: Final = 80.0
"""From which rapidfuzz `token_sort_ratio` on two relations that no table holds are the same."""

_WORD: Final = re.compile(r"[^\W_]+(?:-[^\W_]+)*")


class Relation(NamedTuple):
    """A relation ready to compare: the stems of its ``words``; ``deeds`` and ``attributes`` are the
    lines of the tables that it may be of. ``inverse`` tells whether it runs from the thing to the
    agent; None if that cannot be told. ``mutual`` relations run both ways."""

    words: tuple[str, ...]
    deeds: frozenset[int]
    attributes: frozenset[int]
    inverse: bool | None
    mutual: bool

    @property
    def kinds(self) -> frozenset[int]:
        """All lines of the tables that it may be of."""
        return self.deeds | self.attributes


@lru_cache(maxsize=1 << 14)
def read_relation(text: str) -> Relation:
    """Return a relation in the form in which relations are compared."""
    raw = _WORD.findall(text.casefold())
    # "was bought by Google for": who did it is no part of the relation, nor is a year.
    passive = "by" in raw[1:]
    if passive:
        raw = raw[: raw.index("by", 1)]
    kept = [word for word in raw if word not in _EMPTY and not word.isdigit()]
    stems = tuple(map(normal, kept))
    bare = stems
    while len(bare) > 1 and bare[-1] in _LINKS:
        bare = bare[:-1]
    table, nouns = _tables()
    kinds = table.get(" ".join(stems)) or table.get(" ".join(bare), frozenset())
    back = nouns.get(" ".join(bare), frozenset())
    mutual = bool(kinds & _lines(_MUTUAL))
    deeds = (kinds | back) & (_lines(_DEEDS) | _lines(_MUTUAL))
    attributes = kinds - deeds
    if not stems:
        attributes |= table[_ROLE_STEM]
    inverse: bool | None = passive
    if back and not passive:
        # "author" alone runs from the work, "is the author of" from the writer.
        inverse = raw[-1] != "of"
    elif attributes and not deeds and not passive:
        inverse = None
    return Relation(stems, deeds, attributes, inverse, mutual)


def same_relation(a: str, b: str) -> bool:
    """Return True if two relations mean the same, by their words; neither or both deny."""
    if is_negative(a) != is_negative(b):
        return False
    one, other = read_relation(a), read_relation(b)
    if one.kinds & other.kinds:
        return one.inverse == other.inverse
    return fuzz.token_sort_ratio(" ".join(one.words), " ".join(other.words)) >= ALIKE


_ROLE_STEM: Final = normal(_ROLE)


def _split(table: str) -> list[list[list[str]]]:
    return [
        [[phrase.strip() for phrase in side.split(",")] for side in line.split("|")]
        for line in table.splitlines()
    ]


@cache
def _lines(table: str) -> frozenset[int]:
    """The numbers of the lines of a table, among those of all tables."""
    before = {_DEEDS: 0, _MUTUAL: 100, _ATTRIBUTES: 200}[table]
    return frozenset(range(before, before + len(table.splitlines())))


@cache
def _tables() -> tuple[dict[str, frozenset[int]], dict[str, frozenset[int]]]:
    """The lines by the stems of their phrases, and by those of their nouns."""
    phrases: dict[str, set[int]] = defaultdict(set)
    nouns: dict[str, set[int]] = defaultdict(set)
    for table in (_DEEDS, _MUTUAL, _ATTRIBUTES):
        for number, sides in zip(sorted(_lines(table)), _split(table), strict=True):
            for found, side in zip((phrases, nouns), sides, strict=False):
                for phrase in side:
                    words = [word for word in _WORD.findall(phrase) if word not in _EMPTY]
                    found[" ".join(map(normal, words))].add(number)
    return (
        {phrase: frozenset(lines) for phrase, lines in phrases.items()},
        {noun: frozenset(lines) for noun, lines in nouns.items()},
    )
