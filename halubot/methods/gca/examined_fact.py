"""What `gca` found of one fact: the terms of its score, those it lacks, and the verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from halubot.events import Note
from halubot.llm_calls.portions import main_reason
from halubot.methods.driver import NOTHING_DRAWN
from halubot.methods.gca.consistency import Aligned
from halubot.methods.gca.exam_questions import Part, Posed
from halubot.methods.gca.reverse import PARTS, Trials
from halubot.methods.gca.weights import Published, Terms, Weights
from halubot.report import Verdict

NO_HEAD: Final = "no sample has a fact about its head"
NONE_ALIKE: Final = "no sample has a relation like this, or this tail, in its facts about the head"
ONLY_ELSEWHERE: Final = "samples have its tail with its head in other relations only"
"""Why there is no consistency where no sample bears on a fact."""

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
        """F; None where too little is known."""
        if self.as_published:
            return self._published.truth(self.terms, self.aligned.count)
        return self.terms.truth(self.weights)

    @property
    def score(self) -> float | None:
        """H; None where too little is known."""
        truth = self.truth
        if truth is None:
            return None
        return self._published.doubt(truth) if self.as_published else 1.0 - truth

    @property
    def _published(self) -> Published:
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
        """Why no sample bears on it, where none does."""
        if not self.samples:
            return NOTHING_DRAWN
        if self.aligned.elsewhere:
            return ONLY_ELSEWHERE
        return NONE_ALIKE if self.aligned.spoken else NO_HEAD

    @property
    def reason(self) -> str | None:
        """Why it could not be checked; None where it was."""
        if self.score is not None:
            return None
        left = self.left_out
        return main_reason([left[part] for part in PARTS if part in left] or [*left.values()])

    @property
    def remark(self) -> str | None:
        """What a reader has to know of the verdict."""
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
            "said": {part: self.trials[part].said for part in PARTS},
        }


def note_unasked(judged: Sequence[Judged]) -> Iterator[Note]:
    """A note on each part that was not asked for as often as it should have been. Of a fact that
    cannot be asked for, its own reason says enough."""
    for part in PARTS:
        trials = [one.trials[part] for one in judged if not one.posed.unfit]
        lost = [why for one in trials for why in one.lost]
        if lost:
            count = sum(1 for one in trials if one.lost)
            what = f"the {part} of {count} of {len(trials)} facts was not asked for in every repeat"
            yield Note(what=what, why=main_reason(lost))
        unusable = [why for one in trials for why in one.unusable]
        if unusable:
            count = sum(1 for one in trials if one.unusable)
            what = (
                f"unusable answers for the {part} of {count} of {len(trials)} facts count as wrong"
            )
            yield Note(what=what, why=main_reason(unusable))
