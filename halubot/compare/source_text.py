"""A source made ready to be compared with: its sentences, indexed by their words."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, KeysView, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final

from halubot.compare.alignment import Alignment
from halubot.compare.analysis import Analysis, Term, analyse
from halubot.compare.grammar import NAMES_ALONE
from halubot.compare.multilingual import compares_words, read_sentence, vocabulary_of
from halubot.compare.proof import (
    COVERED,
    COVERED_BY_CHOSEN,
    COVERED_BY_SAMPLE,
)
from halubot.compare.tokens import Token, Worded, tokens
from halubot.concurrency import go_on
from halubot.text import Document, Span
from halubot.values.amounts import Amount
from halubot.values.comparison import Key, Value, keys, same

NEAREST: Final = 3
"""Sentences of a source that one sentence of the message is compared with."""

NEAREST_OF_SAMPLE: Final = 2
"""The same of a sample, of which there are several."""

LONGEST: Final = 150
"""Tokens of a sentence of a source; a longer one is compared in pieces."""

CHOSEN: Final = 2
"""Sentences of a reference that was chosen for the very claim: what it says otherwise counts."""

OPENING: Final = 5
"""Terms at the beginning of a text among which the names stand that it is about."""

COMMON: Final = 200
"""Sentences of a source that may hold a word by which others are found."""

MOST_SHARING: Final = 20
"""Sentences of a sample in which rivals of one sentence are looked for."""

TOLD: Final = 300
"""Characters of a text that tell which language it is in, though the message is in another."""

WEIGHTS: Final = {"value": 1.5, "name": 1.5, "word": 1.0}


Reach = Sequence[Sequence[str]]
"""For each term of a sentence those words of a text that may say the same."""


class Text:
    """A source made ready to be compared with: its sentences under their words, or under those
    of their words that are ``asked`` for. Its sentences may have been ``analysed`` before, unless
    one is so long that it is cut. ``aligned`` and ``weighed`` keep what was found of the
    sentences of one message, by their numbers."""

    def __init__(
        self,
        text: Worded,
        title: str = "",
        *,
        sample: bool = False,
        asked: Mapping[str, object] | None = None,
        language: str = "und",
        analysed: Sequence[Analysis] = (),
    ) -> None:
        self.title = title
        own = text.document.language
        # What language a few words are in is a guess: a short text, or one beside English, is read
        # in the language of the message.
        told = own != "und" and len(text.document.plain) >= TOLD
        self._language = own if told and vocabulary_of(language) is not None else language
        self.compared = NEAREST_OF_SAMPLE if sample else NEAREST
        few = len(text.document.sentences) <= CHOSEN
        self.chosen = not sample and few and (own in ("und", language) or language == "und")
        self.covered = (
            COVERED_BY_SAMPLE if sample else COVERED_BY_CHOSEN if self.chosen else COVERED
        )
        self.document = text.document
        self._spans, self._tokens = _cut_text(text)
        whole = len(analysed) == len(self._spans)
        self._sentences: dict[int, Analysis] = dict(enumerate(analysed)) if whole else {}
        self._where: dict[str, list[int]] = {}
        self._values: list[Value] = []
        self._marked: dict[Key | None, list[Value]] = {}
        self._lacking: dict[tuple[str, str], bool] = {}
        self.aligned: dict[tuple[int, int], Alignment] = {}
        self.weighed: dict[int, tuple[float, ...]] = {}
        for number in range(len(self._spans)):
            sentence = self.sentence(number)
            bases = sentence.places.keys()
            for base in bases if asked is None else bases & asked.keys():
                self._where.setdefault(base, []).append(number)
            for index in sentence.values:
                self._add(number, sentence.terms[index])

    def _add(self, number: int, term: Term) -> None:
        """Note a value of a sentence."""
        if term.value is None:
            return
        places = self._where.setdefault(term.norm, [])
        if not places or places[-1] != number:
            places.append(number)
        for value in (term.value, *(term.value.ends or ())):
            self._values.append(value)
            for mark in keys(value, asked=False) or (None,):
                self._marked.setdefault(mark, []).append(value)

    @cached_property
    def topic(self) -> frozenset[str]:
        """The words of the names that open the text: its other sentences may leave them out."""
        opening = self.sentence(0).terms[:OPENING] if self._spans else ()
        return frozenset[str]().union(*[term.bases for term in opening if term.kind == "name"])

    def words(self) -> KeysView[str]:
        """Return the base forms and values of the whole text."""
        return self._where.keys()

    def sentence(self, number: int) -> Analysis:
        """Return the analysis of one sentence."""
        known = self._sentences.get(number)
        if known is None:
            before = self._sentences.get(number - 1)
            span, found = self._spans[number], self._tokens[number]
            known = analyse_worded(self.document, span, found, self._language, before)
            self._sentences[number] = known
        return known

    def lacks(self, term: Term) -> bool:
        """Return True if the text nowhere holds a term."""
        key = (term.kind, term.low)
        known = self._lacking.get(key)
        if known is None:
            known = self._lacking[key] = self._lacks(term)
        return known

    def _lacks(self, term: Term) -> bool:
        if term.value is not None:
            parts = term.value.ends or (term.value,)
            return term.norm not in self._where and not all(map(self._holds, parts))
        return self._where.keys().isdisjoint(term.wide if term.kind == "name" else term.bases)

    def _holds(self, value: Value) -> bool:
        """Return True if the text has a value, looked up by its marks (`values.keys`)."""
        marks = keys(value, asked=True)
        if marks is None:
            found: Iterable[Value] = self._values
        else:
            found = (one for mark in (*marks, None) for one in self._marked.get(mark, ()))
        return any(same(value, other) or _is_bare(value, other) for other in found)

    def weights(self, claim: Analysis, kinds: Sequence[float], reach: Reach) -> tuple[float, ...]:
        """Return the weights of a claim's terms, which add up to 1: the rarer in the text the
        heavier, names and values heavier than words. ``kinds`` are the weights of their kinds."""
        size, where = len(self._spans) + 1, self._where
        unheard = math.log(1 + size)
        raw = [kind * unheard for kind in kinds]
        for index, words in enumerate(reach):
            if not words:
                continue
            term = claim.terms[index]
            own = words if term.value is not None else term.bases.intersection(words)
            held = max([len(where[word]) for word in own], default=0)
            raw[index] = kinds[index] * math.log(1 + size / (1 + held))
        whole = sum(raw) or 1.0
        return tuple([one / whole for one in raw])

    def sharing(self, reach: Reach) -> list[int]:
        """Return the numbers of the sentences that share a word with a claim, the first ones."""
        found = {number for words in reach for word in words for number in self._where[word]}
        return sorted(found)[:MOST_SHARING]

    def nearest(self, reach: Reach, weights: tuple[float, ...], lows: tuple[str, ...]) -> list[int]:
        """Return the numbers of the sentences that hold most of a claim's weight. Words that very
        many sentences hold bring in no new ones, or time would grow with the square. Of a short
        text in a language without a lexicon it returns all: two words may be one there."""
        if self.chosen and vocabulary_of(self._language) is not None:
            return list(range(len(self._spans)))
        held: dict[int, float] = {}
        asked = [(words, weight) for words, weight in zip(reach, weights, strict=True) if words]
        asked.sort(key=lambda one: sum(len(self._where[word]) for word in one[0]))
        for words, weight in asked:
            found: Iterable[int] = self._where[words[0]]
            if len(words) > 1:
                found = set(found).union(*[self._where[word] for word in words[1:]])
            if len(found) > COMMON:  # type: ignore[arg-type]
                among = held or range(COMMON)
                found = [n for n in among if any(self._has(word, n) for word in words)]
            for number in found:
                held[number] = held.get(number, 0.0) + weight
        # Of sentences with the same words the very same one is the nearest: "not born in Lund".
        best = sorted(held, key=lambda n: (-held[n], self.sentence(n).lows != lows, n))
        return best[: self.compared]

    def _has(self, word: str, number: int) -> bool:
        places = self._where[word]
        at = bisect_left(places, number)
        return at < len(places) and places[at] == number


def analyse_worded(
    document: Document,
    span: Span,
    found: tuple[Token, ...],
    language: str,
    before: Analysis | None = None,
) -> Analysis:
    """Return the analysis of a sentence by the tables of its language, else by those of English."""
    go_on()
    known = vocabulary_of(language)
    if known is None:
        read = analyse(document, span, found, before)
        return read if compares_words(language) else replace(read, grammar=NAMES_ALONE)
    return read_sentence(document, span, known, before)


def _cut_text(text: Worded) -> tuple[list[Span], list[tuple[Token, ...]]]:
    """Return the sentences of a text and their tokens, the longest cut into pieces: aligning two
    sentences takes time in the product of their lengths."""
    spans, parts = list[Span](), list[tuple[Token, ...]]()
    for (start, end), found in zip(text.document.sentences, text.tokens, strict=True):
        for first in range(0, max(1, len(found)), LONGEST):
            part, rest = (
                found[first : first + LONGEST],
                found[first + LONGEST : first + LONGEST + 1],
            )
            spans.append((found[first].start if first else start, rest[0].start if rest else end))
            parts.append(part)
    return spans, parts


def start_of(term: Term) -> int:
    return term.start


def end_of(term: Term) -> int:
    return term.end


def bases_of(text: str) -> frozenset[str]:
    found = frozenset[str]()
    for token in tokens(text, 0, len(text)):
        if token.kind != "stop":
            found |= {token.norm, token.text.lower()}
    return found


def _is_bare(value: Value, other: Value) -> bool:
    """Return True for the number of a percentage: "in steps of 5, 25 and 100" has 25 percent."""
    if value.kind != "percent" or other.kind != "number" or value.ends or other.ends:
        return False
    mine, theirs = value.readings[0], other.readings[0]
    return isinstance(mine, Amount) and isinstance(theirs, Amount) and mine.number == theirs.number
