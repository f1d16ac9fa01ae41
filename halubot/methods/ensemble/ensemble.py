"""`ensemble`: several witnesses of each fact, fused as log-odds that it is wrong.

By itself it fuses the comparison of `consensus` with a model's verdicts on every sample: a model is
asked of each sample whether it bears the facts out, all facts in one call; its votes join the words
and stances of the comparison (`halubot.methods.consensus.log_odds`). References are read by the
model too, and
outweigh samples.

With members it fuses what any other methods say: all judge the same facts, side by side, and their
scores are added up as log-odds (`halubot.methods.ensemble.pool`). A member that fails costs its
part.

``details["contributions"]`` holds, for each fact, what each witness said: by itself "samples"
alone, what the "references" change of that and what the "model" does; else each member.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

from halubot.concurrency import aside, both, meanwhile
from halubot.events import Emit, Event, Labelled
from halubot.methods.consensus.word_scores import FITTED_ON
from halubot.methods.driver import stream_events
from halubot.methods.encoders import JUDGE
from halubot.methods.ensemble import votes
from halubot.methods.ensemble.member_ensemble import Fused
from halubot.methods.ensemble.members import MEMBERS, members_of
from halubot.methods.registry import Case, Method, Size
from halubot.report import Threshold


class Ensemble:
    """The method object of `ensemble`. Its option ``verdict_samples`` is the most samples that
    the model judges, those first that bear most of the message out; all where it is not given. Its
    option ``judge`` is that of `cascade`.
    With its option ``members`` it is another method
    (`halubot.methods.ensemble.member_ensemble.Fused`)."""

    name = "ensemble"
    summary = "consensus and a model's verdicts on every sample, or any methods, fused per fact"
    needs: tuple[str, ...] = ("samples", "references", "model")
    takes_verdicts = True
    needs_all = False
    source = "halubot's own"
    default_threshold = Threshold(value=0.5, fitted_on=FITTED_ON)

    def suited(self, options: Mapping[str, Any]) -> Method:
        """The method that these options make of it. Raises SettingError and UnknownMethodError for
        members that cannot be."""
        members = members_of(options, self.name)
        return Fused(self.name, members) if members else self

    def calls(self, size: Size) -> int:
        """One to extract, one a sample."""
        return 1 + size.samples

    def judge(self, case: Case) -> AsyncIterator[Event]:
        """Facts, then, once the model has read every sample, the verdicts and the ranks."""
        if MEMBERS in case.options:
            return Fused(self.name, members_of(case.options, self.name)).judge(case)
        case.refuse_options(self.name, votes.MOST, JUDGE)
        most, threshold = votes.most(case), case.limit(self.default_threshold)

        async def work(emit: Emit) -> None:
            ballot, samples = await votes.open_ballot(case, emit, first=None)
            asked, everything = samples, range(ballot.size)
            if most is not None or case.verdicts is not None:
                await ballot.hear(samples)
                asked = await aside(lambda: ballot.nearest(everything)[:most])
            asking = both(ballot.ask(asked, everything, emit), ballot.ask_references())
            await meanwhile(asking, ballot.hearing(samples))
            await ballot.hear(samples)
            await votes.close_ballot(ballot, threshold, emit)
            parts = await aside(lambda: ballot.comparison.parts(ballot.voices))
            emit(Labelled(details={"contributions": parts}))

        return stream_events(work)


METHOD: Final = Ensemble()
