"""The findings of `gca` on one fact: the terms of its score, their weighted sum, and the
verdict."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from halubot.errors import SettingError
from halubot.events import Note
from halubot.llm_calls.portions import main_reason
from halubot.methods.driver import NOTHING_DRAWN
from halubot.methods.gca.consistency import Aligned
from halubot.methods.gca.reverse import PARTS, Part, Posed, Trials
from halubot.report import Verdict


class Weights(NamedTuple):
    """The weight of each term: none below 0, and 1 together."""

    head: float
    relation: float
    tail: float
    consistency: float


NAMED: Final[Mapping[str, Weights]] = {
    "wikibio": Weights(0.7, 0.15, 0.1, 0.05),
    "phd": Weights(0.7, 0.1, 0.1, 0.1),
}
"""The published weights, by the data they were taken for."""


class Terms(NamedTuple):
    """The terms of one fact; None is one that there is not."""

    head: float | None
    relation: float | None
    tail: float | None
    consistency: float | None

    def truth(self, weights: Weights) -> float | None:
        """F, in [0, 1]. None if no term is left that counts, and if of the three that ask for
        the fact none is left though one should count: the samples alone would not be enough."""
        kept = [(w, term) for w, term in zip(weights, self, strict=True) if term is not None]
        total = math.fsum(w for w, _ in kept)
        asked = math.fsum(weights[:3])
        left = math.fsum(
            w for w, term in zip(weights[:3], self[:3], strict=True) if term is not None
        )
        if not total or (asked and not left):
            return None
        # Rounding may lead a hair beyond both ends.
        return min(1.0, max(0.0, math.fsum(w * term for w, term in kept) / total))


@dataclass(frozen=True, slots=True)
class Published:
    """Equation 3 as it stands: C_i is a count of ``samples`` samples, or more if one of them
    counts twice."""

    weights: Weights
    samples: int

    def truth(self, terms: Terms, count: int) -> float | None:
        """F. Shares that there are not are left out, and the others of the three count for them.
        None if none of the three that should count is left."""
        kept = [
            (w, term)
            for w, term in zip(self.weights[:3], terms[:3], strict=True)
            if term is not None
        ]
        asked, left = math.fsum(self.weights[:3]), math.fsum(w for w, _ in kept)
        if asked and not left:
            return None
        found = math.fsum(w * term for w, term in kept)
        # Weights of the shares that are left are raised to those of all three, since C_i keeps its
        # own.
        return (found * asked / left if asked else 0.0) + self.weights.consistency * count

    def doubt(self, truth: float) -> float:
        """H, in [0, 1]: 0 for the largest F, 1 for the smallest."""
        edge = self.weights.consistency * self.samples
        most = math.fsum(self.weights[:3]) + edge
        # A sample that counts twice leads beyond the ends of the scale.
        return min(1.0, max(0.0, (most - truth) / (most + edge)))


def weights_of(value: Any) -> Weights:
    """The weights that an option names or gives as four numbers. Raises SettingError for others."""
    if isinstance(value, str) and value in NAMED:
        return NAMED[value]
    names = " or ".join(repr(name) for name in NAMED)
    wanted = f"{names}, or four numbers from 0 that sum to 1"
    if not isinstance(value, (list, tuple)) or len(value) != 4:
        raise SettingError(f"the weights are {value!r:.60}, not {wanted}")
    if not all(isinstance(w, (int, float)) and not isinstance(w, bool) and w >= 0 for w in value):
        raise SettingError(f"the weights are {value!r:.60}, not {wanted}")
    # Decimals as people write them do not always add up to 1 exactly.
    if abs(math.fsum(value) - 1) > 1e-6:
        raise SettingError(f"the weights {value!r:.60} sum to {math.fsum(value):g}, not to 1")
    return Weights(*map(float, value))


NO_HEAD: Final = "no sample has a fact about its head"
NONE_ALIKE: Final = "no sample has a relation like this, or this tail, in its facts about the head"
ONLY_ELSEWHERE: Final = "samples have its tail with its head in other relations only"
"""Why there is no consistency if no sample bears on a fact."""

OPPOSED: Final = "say the opposite"
ELSEWHERE: Final = "have its tail with its head, but in another relation"
"""What speaks against a fact whose count is below 0: ours, and as published."""


@dataclass(frozen=True)
class Judged:
    """One fact with all that was found of it, by ``samples`` samples."""

    aligned: Aligned
    posed: Posed
    trials: Mapping[Part, Trials]
    weights: Weights
    samples: int
    as_published: bool = False

    @property
    def terms(self) -> Terms:
        """The terms of the weighted sum; as published the last is C_i, a count."""
        head, relation, tail = (self.trials[part].share for part in PARTS)
        if self.as_published:
            return Terms(head, relation, tail, self.aligned.count if self.samples else None)
        return Terms(head, relation, tail, self.aligned.share)

    @property
    def truth(self) -> float | None:
        """F; None if too little is known."""
        if self.as_published:
            return self._published_terms.truth(self.terms, self.aligned.count)
        return self.terms.truth(self.weights)

    @property
    def score(self) -> float | None:
        """H; None if too little is known."""
        truth = self.truth
        if truth is None:
            return None
        return self._published_terms.doubt(truth) if self.as_published else 1.0 - truth

    @property
    def _published_terms(self) -> Published:
        return Published(self.weights, self.samples)

    @property
    def left_out(self) -> dict[str, str]:
        """The terms that could not be had, and why."""
        lost: dict[str, str] = {
            part: self.trials[part].reason or "it was not asked for" for part in PARTS
        }
        lost["consistency"] = self._silence
        return {name: lost[name] for name, term in self.terms._asdict().items() if term is None}

    @property
    def _silence(self) -> str:
        """Why no sample bears on it, if none does."""
        if not self.samples:
            return NOTHING_DRAWN
        if self.aligned.elsewhere:
            return ONLY_ELSEWHERE
        return NONE_ALIKE if self.aligned.spoken else NO_HEAD

    @property
    def reason(self) -> str | None:
        """Why it could not be checked; None if it was."""
        if self.score is not None:
            return None
        left = self.left_out
        return main_reason([left[part] for part in PARTS if part in left] or [*left.values()])

    @property
    def remark(self) -> str | None:
        """The remark that a reader needs beside the verdict; None without one."""
        if self.score is None:
            return self.reason
        left, told = self.left_out, []
        if left:
            told.append(f"left out: {'; '.join(f'{name} ({why})' for name, why in left.items())}")
        against = sum(count < 0 for count in self.aligned.counts)
        if self.aligned.count < 0:
            what = ELSEWHERE if self.as_published else OPPOSED
            told.append(f"{against} of {self.samples} samples {what}")
        return "; ".join(told) or None

    def verdict(self, threshold: float) -> Verdict:
        """Doubtful from the threshold on."""
        if self.score is None:
            return "not_checked"
        return "supported" if self.score < threshold else "doubtful"

    def details(self) -> dict[str, Any]:
        """All of it, for the report."""
        truth = self.truth
        rounded = {
            name: None if term is None else round(term, 6)
            for name, term in self.terms._asdict().items()
        }
        return {
            "truth": None if truth is None else round(truth, 6),
            "terms": rounded,
            "count": self.aligned.count,
            "counts": [*self.aligned.counts],
            "question": self.posed.question,
            "other_tails": [*self.posed.tails],
            "said": {part: self.trials[part].answers for part in PARTS},
        }


def note_unasked(judged: Sequence[Judged]) -> Iterator[Note]:
    """A note on each part that was not asked for as often as it should have been. Of a fact that
    cannot be asked for, its own reason says enough."""
    for part in PARTS:
        trials = [one.trials[part] for one in judged if not one.posed.unfit]
        lost = [why for one in trials for why in one.failures]
        if lost:
            count = sum(1 for one in trials if one.failures)
            what = f"the {part} of {count} of {len(trials)} facts was not asked for in every repeat"
            yield Note(what=what, why=main_reason(lost))
        unusable = [why for one in trials for why in one.unusable]
        if unusable:
            count = sum(1 for one in trials if one.unusable)
            what = (
                f"unusable answers for the {part} of {count} of {len(trials)} facts count as wrong"
            )
            yield Note(what=what, why=main_reason(unusable))
