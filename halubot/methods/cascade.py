"""`cascade`, the default with a model: `consensus` decides what it can, the model the rest.

Samples are drawn in rounds of 5. Of each round the model is asked in one call a sample, all
undecided facts at once, the samples first whose words say most of them. A fact is decided once
the votes still to come cannot turn its verdict; when all are, neither drawn nor asked any more.
References are read by the model too, and outweigh samples.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Final

from halubot.events import Emit, Event
from halubot.facts import Source, Threshold
from halubot.methods import voting
from halubot.methods.driving import aside, streamed
from halubot.methods.fusing import nearest_first, undecided
from halubot.methods.registry import Case, Size
from halubot.methods.scoring import FITTED_ON
from halubot.methods.voting import Ballot
from halubot.steps.sampling import ROUND


class Cascade:
    """The method object of `cascade`. Its option ``verdict_samples`` is the most samples that the
    model judges; all where it is not given."""

    name = "cascade"
    summary = "consensus decides what it can, a model the rest, in as few calls as possible"
    needs: tuple[str, ...] = ("samples", "references", "model")
    needs_all = False
    source = "halubot's own"
    default_threshold = Threshold(value=0.5, fitted_on=FITTED_ON)

    def calls(self, size: Size) -> int:
        """One to extract, one a sample."""
        return 1 + size.samples

    def judge(self, case: Case) -> AsyncIterator[Event]:
        """Facts, then, once no vote can change a verdict, the verdicts and the ranks."""
        case.refuse_options(self.name, voting.MOST)
        most, threshold = voting.most(case), case.limit(self.default_threshold)

        async def work(emit: Emit) -> None:
            ballot = await voting.opened(case, emit)
            await ballot.ask_references()
            while units := await aside(lambda: _undecided(ballot, most, threshold)):
                samples = await aside(lambda: _next(ballot, units, most))
                if samples:
                    await ballot.ask(samples, units, emit)
                elif not await ballot.draw(ROUND):
                    break
            await voting.closed(ballot, threshold, emit)

        return streamed(work)


METHOD: Final = Cascade()


def _undecided(ballot: Ballot, most: int | None, threshold: float) -> list[int]:
    """The units whose verdict the votes still to come can change."""
    left = ballot.left(most)
    return [
        index
        for index, unit in enumerate(ballot.units())
        if not unit.settled and undecided(unit.odds, unit.votes, left, threshold)
    ]


def _next(ballot: Ballot, units: Sequence[int], most: int | None) -> list[Source]:
    """The samples to ask next: of those not asked yet, those that bear most of the units out."""
    comparison = ballot.comparison
    order = nearest_first([comparison.support(ballot.spans(unit)) for unit in units])
    samples = [comparison.samples[at] for at in order]
    untried = [sample for sample in samples if sample.id not in ballot.judged]
    room = len(untried) if most is None else most - len(ballot.judged)
    return untried[: min(ROUND, room)]
