"""What several methods say of one fact as one: a weighted sum of log-odds that it is wrong.

    pooled = sum of weight * odds

A member's odds are those of its score less those of its threshold, so that 0 is where the member
itself divides and no member brings in how often messages are wrong elsewhere. Where it is
calibrated the odds are those of its probability, and the threshold is the one that was fitted. They
are kept within `BOUND`, for a share of all samples or of none is no certainty.

    weight   1      the member speaks of facts
             1/2    it speaks of sentences only: of a fact's, the most doubtful counts
             1/4    it judges the message as a whole, in which any fact may be the wrong one
             0      it heard samples alone, and a reference speaks of the fact

The weights are set by hand. A sum of members that heard the same is surer than it ought to be:
the order of facts is not touched by that, and a calibration of the ensemble puts it right.
halubot's own.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from halubot.events import FactJudged, SentenceJudged
from halubot.fold import probability_of
from halubot.report import DOUBTED, Basis, Calibration, Evidence, Fact, Verdict

BOUND: Final = 4.0
"""The most that one member says of one fact, in log-odds."""

OF_FACT: Final = 1.0
OF_SENTENCE: Final = 0.5
OF_MESSAGE: Final = 0.25
OVERRULED: Final = 0.0

UNKNOWN: Final = "no member of the ensemble judged it"

_BASES: Final[tuple[Basis, ...]] = ("samples", "references", "model")
_NEARLY: Final = 1e-6
_SAMPLE: Final = "s"
"""How the ids of samples begin, and no others."""


class Contribution(NamedTuple):
    """What one member says of one fact or sentence: its score, in [0, 1], the log-odds that it
    stands for, and what these weigh."""

    score: float
    odds: float
    weight: float

    def details(self) -> dict[str, float]:
        """For the report."""
        return {
            "score": round(self.score, 4),
            "odds": round(self.odds, 4),
            "weight": self.weight,
        }


@dataclass(frozen=True)
class Opinion:
    """What one member said of a message: of facts and sentences by their index, and of all of it.

    ``of_facts`` tells that it judges facts, ``whole`` that it judges the message as a whole,
    ``samples_only`` that no reference was shown to it. ``calibration`` is None where it is not
    calibrated; ``threshold`` is its own.
    """

    name: str
    facts: Mapping[int, FactJudged] = field(default_factory=dict)
    sentences: Mapping[int, SentenceJudged] = field(default_factory=dict)
    score: float | None = None
    label: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    threshold: float = 0.5
    calibration: Calibration | None = None
    of_facts: bool = False
    whole: bool = False
    samples_only: bool = False

    @property
    def silent(self) -> bool:
        """Whether it scored nothing."""
        return all(one.score is None for one in self._judged)

    @property
    def why(self) -> str:
        """Why it scored nothing, by its own words."""
        return next((one.reason for one in self._judged if one.reason), "it gave no score")

    @property
    def _judged(self) -> list[FactJudged | SentenceJudged]:
        return [*self.facts.values(), *self.sentences.values()]

    def details_of(self) -> dict[str, Any]:
        """What it said of the message, and what its scores become log-odds by: the data of its
        calibration, None where it is not calibrated."""
        fitted_on = self.calibration.fitted_on if self.calibration else None
        said = {"label": self.label, "score": self.score, "calibrated_on": fitted_on}
        return {**said, "threshold": self.threshold, "details": dict(self.details)}

    def odds(self, score: float) -> float:
        """The log-odds of being wrong that a score of it stands for; 0 at its threshold."""
        odds = self._log_odds(score) - self._log_odds(self.threshold)
        return max(-BOUND, min(BOUND, odds))

    def _log_odds(self, score: float) -> float:
        if self.calibration is not None:
            score = probability_of(score, self.calibration)
        return _logit(score)

    def of_fact(self, fact: Fact, *, overruled: bool) -> Contribution | None:
        """What it says of a fact; None where nothing. ``overruled`` where a reference speaks."""
        own = self.facts.get(fact.index)
        if own is not None and own.score is not None:
            return self._said(own.score, OF_FACT, overruled)
        sentences = (self.sentences.get(index) for index in fact.sentences)
        scores = [one.score for one in sentences if one is not None and one.score is not None]
        return self._said(max(scores), OF_SENTENCE, overruled) if scores else None

    def of_sentence(self, index: int, *, overruled: bool) -> Contribution | None:
        """What it says of a sentence; None where nothing."""
        own = self.sentences.get(index)
        if own is None or own.score is None:
            return None
        weight = OF_FACT if self.of_facts else OF_SENTENCE
        return self._said(own.score if own.own is None else own.own, weight, overruled)

    def _said(self, score: float, weight: float, overruled: bool) -> Contribution:
        if overruled and self.samples_only:
            weight = OVERRULED
        elif self.whole:
            weight = OF_MESSAGE
        return Contribution(score, self.odds(score), weight)


def pool_odds(contributions: Iterable[Contribution]) -> float:
    """The log-odds of all contributions together; 0 where there is none."""
    return math.fsum(one.weight * one.odds for one in contributions)


def spoken_of(fact: int, opinions: Sequence[Opinion]) -> bool:
    """Whether a reference, or a passage of knowledge, speaks of a fact: by what any member found,
    it supports or contradicts it."""
    return any(
        item.stance != "silent" and not item.source.startswith(_SAMPLE)
        for opinion in opinions
        if fact in opinion.facts
        for item in opinion.facts[fact].evidence
    )


def evidence_on(fact: int, opinions: Sequence[Opinion]) -> tuple[Evidence, ...]:
    """What each source says of a fact, in the order of the sources' first mention: by the first
    member that does not find it silent."""
    found: dict[str, Evidence] = {}
    for opinion in opinions:
        judged = opinion.facts.get(fact)
        for item in judged.evidence if judged is not None else ():
            if item.source not in found or found[item.source].stance == "silent":
                found[item.source] = item
    return tuple(found.values())


def basis_of(fact: Fact, opinions: Sequence[Opinion]) -> tuple[Basis, ...]:
    """What the members rest on that scored a fact itself."""
    named = {
        basis
        for opinion in opinions
        if (judged := opinion.facts.get(fact.index)) is not None and judged.score is not None
        for basis in judged.basis
    }
    return tuple(basis for basis in _BASES if basis in named)


def verdict_on(
    fact: int, score: float, threshold: float, opinions: Sequence[Opinion]
) -> tuple[Verdict, str | None]:
    """The verdict on a fact with this pooled score, contradicted where a member that doubts it says
    so; and why it is doubted, in a member's words, where one gives any."""
    if score < threshold:
        return "supported", None
    own = [opinion.facts[fact] for opinion in opinions if fact in opinion.facts]
    denied = any(judged.verdict == "contradicted" for judged in own)
    reasons = (judged.reason for judged in own if judged.verdict in DOUBTED)
    return "contradicted" if denied else "doubtful", next(filter(None, reasons), None)


def _logit(score: float) -> float:
    nearly = min(max(score, _NEARLY), 1 - _NEARLY)
    return math.log(nearly / (1 - nearly))
