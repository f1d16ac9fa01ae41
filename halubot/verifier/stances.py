"""From what the verifier read to the stance of a source on a fact.

A regression over few features says how likely one source contradicts a fact, leaves it open, or
supports it; a second one says from all sources of a kind how likely the fact is wrong. Their
weights, and the thresholds, lie in `data/calibration.json` with the data that they were fitted on
(`training.calibrate`). Support is not decided here: a quote may only be found to contradict the
fact that words say it supports.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from halubot.compare.stances import Finding
from halubot.compare.tokens import Worded
from halubot.report import Fact, Span
from halubot.text import Document
from halubot.values.comparison import Value, same
from halubot.values.reader import find
from halubot.verifier.reading import MessageReader, UnitReading

CALIBRATION: Final = Path(__file__).parent / "data" / "calibration.json"

FEATURES: Final = (
    "entailment of the clause",
    "contradiction of the clause",
    "entailment of the sentence",
    "contradiction of the sentence",
    "nearest sentence contradicts the clause",
    "nearest sentences together entail the clause",
    "least entailed clause of the sentence",
    "values that the window lacks",
    "the comparison of words supports",
    "the comparison of words contradicts",
    "the comparison of words finds something else",
    "a value or name is nowhere in the source",
    "words in common",
)
"""What the regression reads, in this order; probabilities as log-odds."""

_BOUND: Final = 6.0


class Thresholds(NamedTuple):
    """For sources of one kind: the weights of the probability that a fact is wrong; at ``wrong`` or
    more it is doubted."""

    weights: tuple[float, ...]
    intercept: float
    wrong: float


class Calibration(NamedTuple):
    """What turns readings into stances. ``weights`` and ``intercepts`` of the regression that says
    whether one source contradicts a fact, leaves it open, or supports it; the thresholds for
    samples and references."""

    weights: tuple[tuple[float, ...], ...]
    intercepts: tuple[float, ...]
    sample: Thresholds
    reference: Thresholds

    def stances(self, features: Sequence[float]) -> Shares:
        """Return the probabilities of the three stances of a source with these `FEATURES`."""
        odds = [
            intercept + sum(w * f for w, f in zip(weights, features, strict=True))
            for weights, intercept in zip(self.weights, self.intercepts, strict=True)
        ]
        powers = [math.exp(one - max(odds)) for one in odds]
        return Shares(*(one / sum(powers) for one in powers))


class Shares(NamedTuple):
    """The probabilities that a source contradicts a fact, leaves it open, or supports it."""

    contradicts: float
    silent: float
    supports: float


def settling(shares: Sequence[Shares]) -> tuple[float, ...]:
    """Return what `doubt` reads of the sources of one kind, as `SETTLES` names it."""
    against = [_odds(one.contradicts) for one in shares]
    backing = [_odds(one.supports) for one in shares]
    return max(against), sum(against) / len(against), max(backing), sum(backing) / len(backing)


def doubt(shares: Sequence[Shares], thresholds: Thresholds) -> float:
    """Return the probability that a fact is wrong, from what the sources of one kind say of it."""
    weighed = zip(thresholds.weights, settling(shares), strict=True)
    odds = thresholds.intercept + sum(weight * one for weight, one in weighed)
    return 1 / (1 + math.exp(-odds))


SETTLES: Final = (
    "the most contradicting source",
    "contradiction by the mean source",
    "the most supporting source",
    "support by the mean source",
)
"""What `doubt` reads, in this order; probabilities as log-odds."""


@cache
def load_calibration(language: str | None) -> Calibration:
    """Return the calibration that ships, for messages in a language: words are compared best in
    English, and there the verifier has less to add."""
    kept = json.loads(CALIBRATION.read_text(encoding="utf-8"))

    def thresholds(kind: str) -> Thresholds:
        of_kind = kept[kind]
        return Thresholds(
            tuple(of_kind["weights"]),
            of_kind["intercept"],
            of_kind["wrong" if language == "en" else "wrong_elsewhere"],
        )

    return Calibration(
        tuple(tuple(row) for row in kept["source"]["weights"]),
        tuple(kept["source"]["intercepts"]),
        thresholds("sample"),
        thresholds("reference"),
    )


class FactReading(NamedTuple):
    """A fact beside one source: the reading of its clause, and the features."""

    clause: UnitReading
    features: tuple[float, ...]
    values: tuple[Value, ...]
    """The values of the clause that the window lacks."""


def read_fact(
    message: Document, fact: Fact, readings: Sequence[Sequence[UnitReading]], rules: Finding
) -> FactReading | None:
    """Return what one source says of a fact; None if its sentence has no words."""
    units = readings[fact.sentences[0]] if fact.sentences else ()
    if not units:
        return None
    sentence, clause = units[0], _clause_of(fact, units)
    missing = _missing_values(message, clause)
    features = (
        _odds(clause.entailment),
        _odds(clause.contradiction),
        _odds(sentence.entailment),
        _odds(sentence.contradiction),
        _odds(clause.nearest.contradiction),
        _odds(clause.together.entailment),
        min(_odds(one.entailment) for one in units[1:] or units),
        float(min(2, len(missing))),
        rules.strength if rules.stance == "supports" else 0.0,
        float(rules.stance == "contradicts"),
        float(rules.stance == "silent" and rules.claim is not None),
        float(rules.lacking),
        rules.strength if rules.stance == "silent" else 0.5,
    )
    return FactReading(clause, features, missing)


def _odds(probability: float) -> float:
    if probability <= 0:
        return -_BOUND
    if probability >= 1:
        return _BOUND
    return max(-_BOUND, min(_BOUND, math.log(probability / (1 - probability))))


def _clause_of(fact: Fact, units: Sequence[UnitReading]) -> UnitReading:
    """Return the clause that holds most of a fact; its sentence if it spreads over several."""
    shares = []
    total = max(1, sum(end - start for start, end in fact.spans))
    for one in units[1:]:
        start, end = one.unit.span
        shares.append(sum(max(0, min(end, b) - max(start, a)) for a, b in fact.spans) / total)
    best = max(range(len(shares)), key=shares.__getitem__, default=-1)
    return units[1 + best] if best >= 0 and shares[best] >= _WITHIN else units[0]


_WITHIN: Final = 0.6
"""Share of a fact that lies in a clause which is judged for it: the head often stands before."""


def _missing_values(message: Document, clause: UnitReading) -> tuple[Value, ...]:
    """Return the values of a clause that no window which was read has, in any form."""
    start, end = clause.unit.span
    values = find(message.plain, start, end)
    if not values:
        return ()
    text = f"{clause.entailing.text} {clause.opposing.text}"
    there = find(text)
    return tuple(one for one in values if not any(same(one, other) for other in there))


def statement_of(fact: Fact) -> str:
    """Return a fact as a statement of its own: its triple, without a pronoun for its subject."""
    head, relation, tail = fact.triple
    words = (head, "not" if fact.negated else "", relation, tail)
    return " ".join(word for word in words if word)


class SourceReading(NamedTuple):
    """A fact beside one source, as the verifier and the comparison of words read it together."""

    fact: FactReading
    shares: Shares


class VerifiedStances:
    """Decides the stances of sources on the facts of one message, and its verdicts."""

    def __init__(self, reader: MessageReader, facts: Sequence[Fact]) -> None:
        self._reader = reader
        self._facts = tuple(facts)
        self._calibration = load_calibration(reader.message.language)

    def read(
        self, source: Worded, findings: Sequence[Finding], facts: Iterable[int]
    ) -> dict[int, SourceReading]:
        """Return what one source says of some of the facts. ``findings`` are those of the
        comparison of words on all facts. A fact whose sentence was not read is left out."""
        wanted = list(facts)
        if not wanted:
            return {}
        sentences = {one for fact in wanted for one in self._facts[fact].sentences}
        readings = self._reader.read(source, sentences)
        found = {}
        for fact in wanted:
            message = self._reader.message
            one = read_fact(message, self._facts[fact], readings, findings[fact])
            if one is not None:
                found[fact] = SourceReading(one, self._calibration.stances(one.features))
        return found

    def is_wrong(self, readings: Sequence[SourceReading], *, samples: bool) -> bool:
        """Return True if a fact is wrong by what all sources of one kind say of it, at least
        one."""
        thresholds = self._calibration.sample if samples else self._calibration.reference
        return doubt([one.shares for one in readings], thresholds) >= thresholds.wrong

    def opposes(self, quotes: Sequence[str], fact: int) -> bool:
        """Return True if every quote that is said to support a fact, taken by itself, contradicts
        it clearly."""
        claim = statement_of(self._facts[fact])
        answers = self._reader.verifier.judge([(quote, claim) for quote in quotes])
        return all(one.contradiction >= _CLEARLY for one in answers)

    def contradictions(
        self, fact: int, readings: Mapping[int, SourceReading]
    ) -> dict[int, Finding]:
        """Return the findings of those of the sources that contradict a fact, by the same keys: the
        leading one, and all that do so more likely than not. A source is left out if the words that
        it contradicts lie in another fact of the sentence."""
        found = {}
        leading = max(readings, key=lambda at: readings[at].shares.contradicts)
        for at, one in readings.items():
            against = one.shares.contradicts
            if at != leading and against < _MORE_LIKELY_THAN_NOT:
                continue
            place = self._mark(self._facts[fact], one.fact)
            if place is not None:
                span = one.fact.clause.opposing.span
                found[at] = Finding(
                    "contradicts", against, *span, note=OTHERWISE, claim=place, near=span
                )
        return found

    def _mark(self, fact: Fact, read: FactReading) -> Span | None:
        """Return the words of a fact that a source contradicts; None if they lie outside it."""
        place = (
            (read.values[0].start, read.values[0].end)
            if read.values
            else self._reader.locate(read.clause)
        )
        touches = any(place[0] < end and start < place[1] for start, end in fact.spans)
        return place if touches else None


_MORE_LIKELY_THAN_NOT: Final = 0.5
_CLEARLY: Final = 0.8
"""At .8 four of a hundred right facts lose the support of words, at .5 fourteen (1,470 facts of
freely worded messages, `training/README.md`); near copies that say the opposite lie above .9."""
OTHERWISE: Final = "says otherwise"
