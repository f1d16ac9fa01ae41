"""What `gca` found of one fact: the terms of its score, those it lacks, and the verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from halubot.events import Note
from halubot.facts import Verdict
from halubot.methods.driving import NOTHING_DRAWN
from halubot.methods.graphs import Aligned
from halubot.methods.weighing import Terms, Weights
from halubot.steps.portions import main_reason
from halubot.steps.posing import Part, Posed
from halubot.steps.reverse import PARTS, Trials

NO_SAMPLE: Final = "no sample says anything of the kind"
"""Why there is no consistency where no triple of any sample was aligned with a fact."""


@dataclass(frozen=True)
class Judged:
    """One fact with all that was found of it."""

    aligned: Aligned
    posed: Posed
    trials: Mapping[Part, Trials]
    weights: Weights
    samples: int

    @property
    def terms(self) -> Terms:
        """The terms of the weighted sum."""
        head, relation, tail = (self.trials[part].share for part in PARTS)
        return Terms(head, relation, tail, self.aligned.share)

    @property
    def score(self) -> float | None:
        """H; None where too little is known."""
        truth = self.terms.truth(self.weights)
        return None if truth is None else 1.0 - truth

    @property
    def left_out(self) -> dict[str, str]:
        """The terms that could not be had, and why."""
        lost: dict[str, str] = {
            part: self.trials[part].reason or "it was not asked for" for part in PARTS
        }
        lost["consistency"] = NO_SAMPLE if self.samples else NOTHING_DRAWN
        return {name: lost[name] for name, term in self.terms._asdict().items() if term is None}

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
        left = self.left_out
        if self.score is None or not left:
            return self.reason
        return f"left out: {'; '.join(f'{name} ({why})' for name, why in left.items())}"

    def verdict(self, threshold: float) -> Verdict:
        """Doubtful from the threshold on."""
        if self.score is None:
            return "not_checked"
        return "supported" if self.score < threshold else "doubtful"

    def details(self) -> dict[str, Any]:
        """All of it, for the report."""
        truth = self.terms.truth(self.weights)
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


def unasked(judged: Sequence[Judged]) -> Iterator[Note]:
    """A note on each part that was not asked for as often as it should have been. Of a fact that
    cannot be asked for, its own reason says enough."""
    for part in PARTS:
        trials = [one.trials[part] for one in judged if not one.posed.unfit]
        lost = [why for one in trials for why in one.lost]
        if lost:
            count = sum(1 for one in trials if one.lost)
            what = f"the {part} of {count} of {len(trials)} facts was not asked for in every repeat"
            yield Note(what=what, why=main_reason(lost))
