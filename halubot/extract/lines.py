"""Lines that are no sentences: "Born: 1828", "Pablo - 1993", rows of two cells, list items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from halubot.extract import english_words as lex
from halubot.extract.clause_reader import Reading
from halubot.extract.coordination import group
from halubot.extract.drafts import Draft
from halubot.extract.mentions import Mentions
from halubot.extract.nouns import Item, Nouns
from halubot.extract.tagger import tag
from halubot.extract.tokenizer import Word

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
    """The key and value of a line; None where it is no such pair. ``bar`` is where the rule
    between two cells of a table stands, -1 for none."""
    if bar >= 0:
        value = next((k for k, word in enumerate(words) if word.start > bar), 0)
        return Halves(value, value) if value else None
    for k, word in enumerate(words[: _LONGEST_KEY + 1]):
        if word.low == ":" and 0 < k < len(words) - 1:
            return Halves(k, k + 1)
        if word.tag in _VERBAL or word.low == ",":
            return None
    marks = [k for k, word in enumerate(words[: 3 * _LONGEST_KEY]) if word.low == "–"]
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
        if len(items) > 1 and (end == len(nouns.phrases) or nouns.phrases[end].first >= last):
            return items
    return [nouns.span_item(first, last)]
