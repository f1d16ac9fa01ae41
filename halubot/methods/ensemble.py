"""`ensemble`: the comparison of `consensus` and a model's votes on every sample, as one score."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final

from halubot.concurrency import aside, both, meanwhile
from halubot.events import Emit, Event, Labelled
from halubot.methods import votes
from halubot.methods.consensus.log_odds import THRESHOLD
from halubot.methods.driver import stream_events
from halubot.methods.registry import Case, Size


class Ensemble:
    """The method object of `ensemble`. Its option ``verdict_samples`` is the most samples that the
    model judges, those first that bear most of the message out; all if it is not given."""

    name = "ensemble"
    summary = "consensus and a model's verdicts on every sample, fused per fact"
    needs: tuple[str, ...] = ("samples", "references", "model")
    takes_verdicts = True
    needs_all = False
    source = "halubot's own"
    default_threshold = THRESHOLD

    def calls(self, size: Size) -> int:
        """One to extract, one a sample."""
        return 1 + size.samples

    def judge(self, case: Case) -> AsyncIterator[Event]:
        """Facts, then, once the model has read every sample, the verdicts and the ranks."""
        most, threshold = case.options.get(votes.MOST), case.limit(self.default_threshold)

        async def work(emit: Emit) -> None:
            ballot, samples = await votes.open_ballot(case, emit, first=None)
            asked, everything = samples, range(len(ballot.places))
            # Only a choice among the samples, or recorded verdicts, need the comparison before the
            # calls.
            if most is not None or case.verdicts is not None:
                await ballot.hear(samples)
                asked = await aside(lambda: ballot.nearest(everything)[:most])
            asking = both(ballot.ask(asked, everything, emit), ballot.ask_references())
            # The comparison takes the processor, and the calls mostly wait.
            await meanwhile(asking, ballot.hearing(samples))
            await ballot.hear(samples)
            await votes.close_ballot(ballot, threshold, emit)
            parts = await aside(lambda: ballot.comparison.parts(ballot.voices))
            emit(Labelled(details={"contributions": parts}))

        return stream_events(work)


METHOD: Final = Ensemble()
