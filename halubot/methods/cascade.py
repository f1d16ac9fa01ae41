"""`cascade`, the default with a model, and `ensemble`: the comparison of `consensus` and a model's
votes.

`ensemble` has every sample judged. In `cascade` `consensus` decides what it can, the model the
rest. Samples are drawn in rounds of 5. Of each round the model is asked in one call a sample, all
undecided facts at once, the samples first whose words say most of them. A fact is decided once
the votes still to come cannot turn its verdict, or a whole round was of one mind; when all are,
neither drawn nor asked any more. References are read by the model too, and outweigh samples. A
model that cannot judge (`halubot.reliability`) is asked of one round and then no more.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial
from typing import Final

from halubot.concurrency import aside, both, meanwhile
from halubot.events import Emit, Event, Labelled
from halubot.methods.calls.answer import ROUND
from halubot.methods.consensus.log_odds import THRESHOLD, can_still_change
from halubot.methods.driver import stream_events
from halubot.methods.registry import Case, Size
from halubot.methods.votes import Ballot, open_ballot


@dataclass(frozen=True)
class Voting:
    """A method object. Its option ``verdict_samples`` is the most samples that the model judges,
    those first that bear most of the message out; without it ``most``, None for all."""

    name: str
    summary: str
    most: int | None
    needs: tuple[str, ...] = ("samples", "references", "model")
    needs_all = False
    takes_verdicts = True
    source = "halubot's own"
    default_threshold = THRESHOLD

    def calls(self, size: Size) -> int:
        """One to extract, one a sample that is judged; in `cascade` five are mostly enough."""
        return 1 + min(size.samples, self.most or size.samples)

    def judge(self, case: Case) -> AsyncIterator[Event]:
        """Facts, then, once all votes are cast that count, the verdicts and the ranks."""
        most = case.options.get("verdict_samples", self.most)
        vote = _ask_all if self.most is None else _ask_in_rounds
        return stream_events(partial(vote, case, most, case.threshold))


async def _ask_in_rounds(case: Case, most: int, threshold: float, emit: Emit) -> None:
    ballot, samples = await open_ballot(case, emit)
    await ballot.hear(samples)
    await ballot.ask_references()
    # Off the loop: deciding looks at all facts and votes, and answers of other runs wait on the
    # loop.
    while units := await aside(lambda: _find_undecided(ballot, most, threshold)):
        nearest = await aside(partial(ballot.nearest, units))
        if nearest := nearest[: min(ROUND, most - len(ballot.judged))]:
            await ballot.ask(nearest, units)
        # Samples are drawn only when those at hand are all judged: each one costs a call.
        elif not await ballot.draw(ROUND):
            break
    await ballot.close(threshold)


def _find_undecided(ballot: Ballot, most: int, threshold: float) -> list[int]:
    """The units whose verdict the votes still to come can change, and of which the samples asked
    by now are not of one mind, a round of them at least."""
    left, round_over = ballot.count_left(most), len(ballot.judged) >= ROUND
    # A judge that failed its canaries is not asked again: more of its votes would count for
    # nothing.
    if round_over and ballot.judge.is_ignored:
        return []
    return [
        index
        for index, unit in enumerate(ballot.units())
        if not unit.settled
        and not (round_over and unit.votes.unanimous)
        and can_still_change(unit.odds, unit.votes, left, threshold)
    ]


async def _ask_all(case: Case, most: int | None, threshold: float, emit: Emit) -> None:
    ballot, samples = await open_ballot(case, emit, first=None)
    asked, everything = samples, range(len(ballot.places))
    # Only a choice among the samples, or recorded verdicts, need the comparison before the calls.
    if most is not None or case.verdicts is not None:
        await ballot.hear(samples)
        asked = await aside(lambda: ballot.nearest(everything)[:most])
    asking = both(ballot.ask(asked, everything), ballot.ask_references())
    # The comparison takes the processor, and the calls mostly wait.
    await meanwhile(asking, ballot.hearing(samples))
    await ballot.hear(samples)
    await ballot.close(threshold)
    parts = await aside(lambda: ballot.comparison.parts(ballot.voices))
    emit(Labelled(details={"contributions": parts}))


CASCADE: Final = Voting(
    "cascade",
    "consensus decides what it can, a model the rest, in as few calls as possible",
    # Two rounds. More moved no figure on WikiBio but the bill.
    most=10,
)
ENSEMBLE: Final = Voting(
    "ensemble", "consensus and a model's verdicts on every sample, fused per fact", most=None
)
