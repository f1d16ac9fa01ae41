"""`cascade`, the default with a model: `consensus` decides what it can, the model the rest.

Samples are drawn in rounds of 5. Of each round the model is asked in one call a sample, all
undecided facts at once, the samples first whose words say most of them. A fact is decided once
the votes still to come cannot turn its verdict, or a whole round was of one mind; when all are,
neither drawn nor asked any more. References are read by the model too, and outweigh samples. A
model that cannot judge (`halubot.reliability`) is asked of one round and then no more.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from typing import Final

from halubot.concurrency import aside
from halubot.events import Emit, Event
from halubot.methods import votes
from halubot.methods.calls.answer import ROUND
from halubot.methods.consensus.log_odds import THRESHOLD, can_still_change
from halubot.methods.driver import stream_events
from halubot.methods.registry import Case, Size
from halubot.methods.votes import Ballot

JUDGED: Final = 10
"""How many samples the model judges at most, if nothing else is said: two rounds. More moved no
figure on WikiBio but the bill."""


class Cascade:
    """The method object of `cascade`. Its option ``verdict_samples`` is the most samples that the
    model judges (default 10)."""

    name = "cascade"
    summary = "consensus decides what it can, a model the rest, in as few calls as possible"
    needs: tuple[str, ...] = ("samples", "references", "model")
    takes_verdicts = True
    needs_all = False
    source = "halubot's own"
    default_threshold = THRESHOLD

    def calls(self, size: Size) -> int:
        """One to extract, one a sample that is judged; mostly five of them are enough."""
        return 1 + min(size.samples, JUDGED)

    def judge(self, case: Case) -> AsyncIterator[Event]:
        """Facts, then, once no vote can change a verdict, the verdicts and the ranks."""
        most: int = case.options.get(votes.MOST, JUDGED)
        threshold = case.limit(self.default_threshold)

        async def work(emit: Emit) -> None:
            ballot, samples = await votes.open_ballot(case, emit)
            await ballot.hear(samples)
            await ballot.ask_references()
            # Off the loop: deciding looks at all facts and votes, and answers of other runs wait on
            # the loop.
            while units := await aside(lambda: _find_undecided(ballot, most, threshold)):
                nearest = await aside(partial(ballot.nearest, units))
                if nearest := nearest[: min(ROUND, most - len(ballot.judged))]:
                    await ballot.ask(nearest, units, emit)
                # Samples are drawn only when those at hand are all judged: each one costs a call.
                elif not await ballot.draw(ROUND):
                    break
            await votes.close_ballot(ballot, threshold, emit)

        return stream_events(work)


METHOD: Final = Cascade()


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
