"""`ensemble`: the comparison of `consensus` and a model's verdicts on every sample, fused.

A model is asked of each sample whether it bears the facts out, all facts in one call; its votes
join the words and stances of the comparison as log-odds (`halubot.methods.fusing`). References
are read by the model too, and outweigh samples.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final

from halubot.events import Emit, Event
from halubot.facts import Threshold
from halubot.methods import voting
from halubot.methods.driving import aside, meanwhile, streamed
from halubot.methods.registry import Case, Size
from halubot.methods.scoring import FITTED_ON
from halubot.steps.together import both


class Ensemble:
    """The method object of `ensemble`. Its option ``verdict_samples`` is the most samples that
    the model judges, those first that bear most of the message out; all where it is not given."""

    name = "ensemble"
    summary = "consensus and a model's verdicts on every sample, fused fact by fact"
    needs: tuple[str, ...] = ("samples", "references", "model")
    needs_all = False
    source = "halubot's own"
    default_threshold = Threshold(value=0.5, fitted_on=FITTED_ON)

    def calls(self, size: Size) -> int:
        """One to extract, one a sample."""
        return 1 + size.samples

    def judge(self, case: Case) -> AsyncIterator[Event]:
        """Facts, then, once the model has read every sample, the verdicts and the ranks."""
        case.refuse_options(self.name, voting.MOST)

        most, threshold = voting.most(case), case.limit(self.default_threshold)

        async def work(emit: Emit) -> None:
            ballot, samples = await voting.opened(case, emit, first=None)
            asked, everything = samples, range(ballot.size)
            if most is not None or case.verdicts is not None:
                await ballot.hear(samples)
                asked = await aside(lambda: ballot.nearest(everything)[:most])
            asking = both(ballot.ask(asked, everything, emit), ballot.ask_references())
            await meanwhile(asking, ballot.hearing(samples))
            await ballot.hear(samples)
            await voting.closed(ballot, threshold, emit)

        return streamed(work)


METHOD: Final = Ensemble()
