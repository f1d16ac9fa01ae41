"""Facts outside of clauses: lines such as "Born: 1828", rows of tables, and parentheses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from halubot.claims import english_words as lex
from halubot.claims.attachment import group
from halubot.claims.clause_reader import Reading
from halubot.claims.english_words import Word
from halubot.claims.mentions import Mentions
from halubot.claims.nouns import Item, Nouns
from halubot.claims.predicates import Draft
from halubot.claims.tagger import DATE, tag
from halubot.text import Document

_VERBAL: Final = frozenset({"BE", "HV", "DO", "MD", "VB", "VZ", "VD"})
_LONGEST_KEY: Final = 7
_COUNTING: Final = lex.words("step stage phase part tip rule option point")


class Intro(NamedTuple):
    """A clause that a list completes: "The main ports are:"."""

    heads: tuple[str, ...]
    relation: str
    negated: bool


class Halves(NamedTuple):
    """A line's key, ``words[:key]``, and its value, ``words[value:]``."""

    key: int
    value: int


def split_key_and_value(words: Sequence[Word], bar: int) -> Halves | None:
    """The key and value of a line; None if it is no such pair. ``bar`` is the place at which the
    rule between two cells of a table stands, -1 for none."""
    if bar >= 0:
        value = next((k for k, word in enumerate(words) if word.start > bar), 0)
        return Halves(value, value) if value else None
    # Before a verb or a comma a colon ends no key: "He said: no" is a sentence.
    for k, word in enumerate(words[: _LONGEST_KEY + 1]):
        if word.low == ":" and 0 < k < len(words) - 1:
            return Halves(k, k + 1)
        if word.tag in _VERBAL or word.low == ",":
            return None
    marks = [k for k, word in enumerate(words[: 3 * _LONGEST_KEY]) if word.low == "–"]
    # A dash also parts clauses: it parts a key from its value only if a number follows soon and the
    # line has neither verb nor comma ("Low Tide - 1993").
    if len(marks) != 1 or not 0 < marks[0] <= _LONGEST_KEY:
        return None
    rest = words[marks[0] + 1 : marks[0] + _LONGEST_KEY]
    dated = any(word.tag in ("CD", "DA") for word in rest)
    plain = not any(word.tag in _VERBAL or word.low == "," for word in words)
    return Halves(marks[0], marks[0] + 1) if dated and plain else None


def pair_line(
    plain: str, words: Sequence[Word], halves: Halves, mentions: Mentions
) -> Iterator[tuple[Reading, Draft]]:
    """ "Born: 1828" is about the topic, "Low Tide - 1993" about its key; a value with a verb
    of its own is read as a sentence."""
    key, value = halves
    rest = words[value:]
    named_source = any(word.low in lex.SOURCES for word in words[:key])
    # "Step 2: ..." numbers a sentence, and "Source: ..." names where it is from.
    counted = key == 2 and words[0].low in _COUNTING and words[1].tag == "CD"
    if named_source or counted or any(word.tag in _VERBAL for word in rest):
        reading = Reading(plain, tag(plain, rest[0].start, rest[-1].end), mentions)
        reading.read()
        yield from ((reading, draft) for draft in reading.drafts)
        return
    last = len(words)
    while last > value and words[last - 1].low in ".;,":
        last -= 1
    if last == value:
        return
    reading = Reading(plain, words, mentions)
    tail = Item(reading.nouns.text(value, last), value, last)
    topic = mentions.topic
    if topic and words[value - 1].low != "–":
        head = Item(topic, 0, 0, name=True, resolved=True)
        yield reading, Draft(head, tuple(range(key)), tail, False)
    else:
        yield reading, Draft(reading.nouns.span_item(0, key), (), tail, False)


def fragment(
    reading: Reading, mentions: Mentions, intro: Intro | None, *, topical: bool
) -> Iterator[Draft]:
    """Words without a verb: items of the list they stand in, or an answer about the topic."""
    words = reading.nouns.words
    # A verb that made no clause was not understood; what is left would be half of what is said.
    if any(word.tag in _VERBAL or word.low in lex.SPEAKERS for word in words):
        return
    if not any(word.tag in ("NN", "NP", "CD", "DA") for word in words) or words[-1].low == ":":
        return
    if words[0].tag == "SB" or words[0].low in lex.SOURCES:
        return
    topic = mentions.topic if topical else None
    for item in _list_items(reading.nouns):
        if intro:
            for head in intro.heads:
                yield Draft(
                    Item(head, 0, 0, "", True, True), (), item, intro.negated, intro.relation
                )
        else:
            yield Draft(Item(topic or "", 0, 0, "", True, True), (), item, False)


def _list_items(nouns: Nouns) -> list[Item]:
    """The words of a sentence without a verb: a list's items, else all as one."""
    first, last = 0, len(nouns.words)
    while last and not nouns.words[last - 1].text[-1].isalnum():
        last -= 1
    while first < last and not nouns.words[first].text[0].isalnum():
        first += 1
    if first == last:
        return []
    start = next(i for i, phrase in enumerate(nouns.phrases) if phrase.last > first)
    if nouns.kind(start) == "noun":
        items, end = group(nouns, start)
        # Only if the list is all there is: what follows it would be lost.
        if len(items) > 1 and (end == len(nouns.phrases) or nouns.phrases[end].first >= last):
            return items
    return [nouns.span_item(first, last)]


Span = tuple[int, int]


_WHEN: Final = rf"(?:(?:c\.|ca\.|circa)\s?)?(?:{DATE}|\d{{3,4}}\b)"


_LIFE: Final = re.compile(
    rf"(?:^|[;,]\s*)\s*(?:born\s+)?(?P<born>{_WHEN})\s*[–—‒-]\s*(?P<died>{_WHEN})"
)


_BORN: Final = re.compile(
    rf"\b(?:born|b\.)\s+(?:on\s+|in\s+|[^,;\d]{{1,60}}[,;]\s+(?:on\s+)?)?(?P<born>{_WHEN})", re.I
)


_DIED: Final = re.compile(rf"\b(?:died|d\.)\s+(?:on\s+|in\s+)?(?P<died>{_WHEN})", re.I)


_YEAR: Final = re.compile(r"\s*(?P<year>\d{4})\s*$")


_YEARS: Final = re.compile(r"\s*(?P<year>\d{4}\s?[–—‒-]\s?(?:\d{4}|\d{2}|present))\s*$")


_LONGEST: Final = 60  # words; what is longer is read as if it had no parentheses


class Aside(NamedTuple):
    """Words in parentheses; ``after`` counts the main words before them."""

    after: int
    words: Sequence[Word]
    start: int
    end: int


def part(words: Sequence[Word]) -> tuple[list[Word], list[Aside]]:
    """A sentence's main words and its asides."""
    main: list[Word] = []
    asides: list[Aside] = []
    i = 0
    while i < len(words):
        word = words[i]
        if word.low in "([":
            close = next(
                (k for k in range(i + 1, min(len(words), i + _LONGEST)) if words[k].low in ")]"), -1
            )
            if close > i + 1:
                inner = words[i + 1 : close]
                asides.append(Aside(len(main), inner, inner[0].start, inner[-1].end))
            i = (close if close > 0 else i) + 1
        elif word.low in ")]":
            i += 1
        else:
            main.append(word)
            i += 1
    return main, asides


def dates(plain: str, aside: Aside, *, person: bool) -> list[tuple[str, Span]]:
    """The dates an aside gives, each as relation and place: ("born on", ...), ("year", ...)."""
    text = plain[aside.start : aside.end]
    life = _LIFE.search(text)
    if life and person:
        return [_date_relation("born", life, aside), _date_relation("died", life, aside)]
    # Of a thing both dates stand together: years alone are what `years` below finds.
    if life and " " in life.group("died"):
        return [("dates", (aside.start + life.start("born"), aside.start + life.end("died")))]
    found = [
        _date_relation(name, match, aside)
        for name, match in (("born", _BORN.search(text)), ("died", _DIED.search(text)))
        if match
    ]
    for name, pattern in (("year", _YEAR), ("years", _YEARS)):
        year = pattern.match(text)
        if year and not found:
            return [(name, (aside.start + year.start("year"), aside.start + year.end("year")))]
    return found


def _date_relation(verb: str, match: re.Match[str], aside: Aside) -> tuple[str, Span]:
    """A date with its relation: "born on" a day, "born in" a month or year."""
    day = re.search(r"\b\d{1,2}(?:st|nd|rd|th)?\b", match.group(verb)) is not None
    place = (aside.start + match.start(verb), aside.start + match.end(verb))
    return f"{verb} {'on' if day else 'in'}", place


FEWEST: Final = 3  # cells of a row that needs its header


_RULE: Final = re.compile(r"[^\n]{0,20}\n\s{0,3}\|?[ \t]*:?-{2,}[-:| \t]*(?:\n|$)")


def cells(document: Document, start: int, end: int) -> list[Span]:
    """The places of a row's cells, trimmed; an empty cell keeps its place in the row. One place if
    the sentence is no row."""
    # An escaped bar is still there in ``plain``; one that parts cells is blank.
    bars = [k for k in range(start, end) if document.text[k] == "|" and document.plain[k].isspace()]
    edges = [start, *(k + 1 for k in bars), end + 1]
    found: list[Span] = []
    for first, following in pairwise(edges):
        cell = document.plain[first : following - 1]
        left = first + len(cell) - len(cell.lstrip())
        found.append((left, max(left, left + len(cell.strip()))))
    return found


def is_header(document: Document, end: int) -> bool:
    """Return True if the line that ends near ``end`` stands above a table's rule."""
    return _RULE.match(document.text, end) is not None


def row(
    document: Document, places: Sequence[Span], header: Sequence[Span], mentions: Mentions
) -> Iterator[tuple[Reading, Draft]]:
    """The facts of a row: its first cell with each other cell, told by the column's header."""
    plain = document.plain
    columns = [k for k, (start, end) in enumerate(places) if end > start]
    # Without its first cell nothing says what the others are told of.
    if not columns or columns[0] != 0:
        return
    # A cell is one word, whatever it holds: it is a value, not a clause.
    words = [
        Word(plain[start:end], plain[start:end].lower(), start, end, "NP")
        for start, end in (places[k] for k in columns)
    ]
    reading = Reading(plain, words, mentions)
    nouns = reading.nouns
    head = Item(nouns.text(0, 1), 0, 1, "", True)
    for position, column in enumerate(columns[1:], 1):
        name = " ".join(plain[slice(*header[column])].split()) if column < len(header) else ""
        tail = Item(nouns.text(position, position + 1), position, position + 1)
        yield reading, Draft(head, (), tail, False, name)
