"""From what the verifier read to the stance of a source on a fact.

A regression over few features says how likely a source contradicts a fact, leaves it open, or
supports it. Its weights, and the thresholds, lie in `data/calibration.json` with the data that
they were fitted on (`training.calibrate`). Exact values have the last word on support.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from halubot.compare.stances import Compared, Finding
from halubot.compare.value_reader import find
from halubot.compare.values import Value, is_same_value
from halubot.report import Fact, Span
from halubot.text import Document
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


class Calibration(NamedTuple):
    """Weights and thresholds. ``contradicts`` and ``supports`` are the least probability for the
    stance; ``sample`` has those for samples. ``fitted_on`` names the data."""

    weights: tuple[tuple[float, ...], ...]
    intercepts: tuple[float, ...]
    contradicts: float
    supports: float
    hints: float
    fitted_on: str

    def probabilities(self, features: Sequence[float]) -> tuple[float, float, float]:
        """Return the probabilities that a source contradicts, leaves open, supports."""
        odds = [
            intercept + sum(w * f for w, f in zip(weights, features, strict=True))
            for weights, intercept in zip(self.weights, self.intercepts, strict=True)
        ]
        powers = [math.exp(one - max(odds)) for one in odds]
        total = sum(powers)
        against, open_, for_ = (one / total for one in powers)
        return against, open_, for_


@cache
def load_calibration(kind: str) -> Calibration:
    """Return the calibration for sources of a kind, "reference" or "sample"."""
    kept = json.loads(CALIBRATION.read_text(encoding="utf-8"))[kind]
    return Calibration(
        tuple(tuple(row) for row in kept["weights"]),
        tuple(kept["intercepts"]),
        kept["contradicts"],
        kept["supports"],
        kept["hints"],
        kept["fitted_on"],
    )


class FactReading(NamedTuple):
    """A fact beside one source: the readings of its clause and its sentence, and the features."""

    clause: UnitReading
    sentence: UnitReading
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
    return FactReading(clause, sentence, features, missing)


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
    return tuple(one for one in values if not any(is_same_value(one, other) for other in there))


class VerifiedStances:
    """Decides the stances of sources on the facts of one message."""

    def __init__(self, reader: MessageReader, facts: Sequence[Fact]) -> None:
        self._reader = reader
        self._facts = tuple(facts)

    def decide(
        self,
        compared: Compared,
        readings: Sequence[Sequence[UnitReading]],
        *,
        sample: bool = False,
    ) -> Compared:
        """Return what a source says of each fact, by the verifier and the comparison of words.

        The wording, the place and the other value come from the comparison where both agree.
        """
        calibration = load_calibration("sample" if sample else "reference")
        found = [
            self._decide(fact, rules, named, readings, calibration)
            for fact, rules, named in zip(self._facts, compared.facts, compared.named, strict=True)
        ]
        return compared._replace(facts=found)

    def _decide(
        self,
        fact: Fact,
        rules: Finding,
        named: bool,
        readings: Sequence[Sequence[UnitReading]],
        calibration: Calibration,
    ) -> Finding:
        read = read_fact(self._reader.message, fact, readings, rules) if named else None
        if read is None:
            return rules
        against, _, backing = calibration.probabilities(read.features)
        if against >= calibration.contradicts:
            return self._contradiction(fact, rules, read, against)
        if backing >= calibration.supports and not read.values:
            return self._support(rules, read, backing)
        near = read.clause.entailing.span
        likely = against >= calibration.hints
        place = rules.claim if rules.claim is not None else None
        if likely and place is None:
            place = self._mark(fact, read)
        # What both leave open stays so, with the words that come nearest.
        return Finding(
            "silent",
            rules.strength if rules.stance == "silent" else min(0.5, 1 - against),
            lacking=rules.lacking,
            near=rules.near or near,
            absent=rules.absent,
            claim=place if likely else None,
        )

    def _contradiction(
        self, fact: Fact, rules: Finding, read: FactReading, against: float
    ) -> Finding:
        if rules.stance == "contradicts":
            return rules
        place = rules.claim or self._mark(fact, read)
        if place is None:
            # The mark lies in another fact of the sentence, which bears the contradiction.
            return Finding("silent", 0.5, near=read.clause.opposing.span)
        return Finding(
            "contradicts",
            against,
            *read.clause.opposing.span,
            note=OTHERWISE,
            claim=place,
            near=read.clause.opposing.span,
        )

    def _support(self, rules: Finding, read: FactReading, backing: float) -> Finding:
        if rules.stance == "supports":
            return rules
        return Finding("supports", backing, *read.clause.entailing.span, note=SAYS_SO)

    def _mark(self, fact: Fact, read: FactReading) -> Span | None:
        """Return the words of a fact that a source contradicts; None if they lie outside it."""
        place = (
            (read.values[0].start, read.values[0].end)
            if read.values
            else self._reader.locate(read.clause)
        )
        touches = any(place[0] < end and start < place[1] for start, end in fact.spans)
        return place if touches else None


SAYS_SO: Final = "says so in other words"
OTHERWISE: Final = "says otherwise"
