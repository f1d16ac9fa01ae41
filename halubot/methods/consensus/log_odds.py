"""Words and a model's verdicts as one: log-odds that a fact or a sentence is wrong.

A verdict says whether a sample bears a unit (a fact, a sentence) out: 0 yes, 1 no, None neither
or not asked. With ``yes`` the weights of its yeses and ``no`` the number of its noes, both as far
as the judge can be trusted (`halubot.reliability`),

    fused   = words + ln((silence + noes) / silence) - ln(1 + yes)
    words   = the odds of the comparison; of those below 0 so much is left as
              (silence + yes) / (silence + yes + noes)
    noes    = no, but beyond `FEW` of them few * (no / few) ** crowd: one judge reads them all, and
              is wrong of many samples for the same reason
    weight  = of one yes: (1 + company * others borne out) / (1 + others), the others being what
              else the same sample was asked of

A no says little, since a sample may only leave the matter out; but where nothing says yes, noes
use up what words say for a unit. A yes says the more, the more of the message its sample bears
out. One more no never lowers the odds of any unit, one more yes never raises them, and without
a verdict they are those of the words.

halubot's own; ``benchmarks/fit_fusing.py`` chooses the constants.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from halubot.methods.consensus.word_scores import logistic

_CLOSENESS: Final = 3.0
"""The exponent of support by which samples are ordered: one that bears a unit out in full says
more of it than one that shares a few words with many units says of any."""


FEW: Final = 5.0
"""Noes that count in full: a round of them (`halubot.llm_calls.samples.ROUND`)."""

_EDGE: Final = 0.02
"""How far beyond the threshold a sentence is moved by a doubted fact that its words hide."""


@dataclass(frozen=True, slots=True)
class Constants:
    """``silence``: how many noes it takes to halve what words say for a unit. ``company``: what a
    yes weighs, at least 1, from a sample that bears out everything else it was asked of.
    ``bound``: the most that one unit says about the level of its message. ``crowd``: the power by
    which noes beyond `FEW` count, 1 for all alike, 0 for not at all.
    """

    silence: float = 4.0
    company: float = 20.0
    bound: float = 3.0
    crowd: float = 0.25


CONSTANTS: Final = Constants()


class Votes(NamedTuple):
    """The verdicts on one unit: what its yeses weigh together, and what its noes do."""

    yes: float = 0.0
    no: float = 0.0

    @property
    def unanimous(self) -> bool:
        """Whether there are verdicts, and all of them say the same."""
        return (self.yes > 0) != (self.no > 0)

    def weighed(self, yes: float, no: float) -> Votes:
        """Return these votes with weights of a yes and a no, from 0 to 1."""
        return Votes(yes * self.yes, no * self.no)


def votes(
    verdicts: Sequence[Sequence[int | None]], constants: Constants = CONSTANTS
) -> tuple[Votes, ...]:
    """The votes on each unit of a message, from its verdicts: one a sample, the samples in the
    same order for all units. Raises ValueError where units have not equally many."""
    weights = []
    for of_sample in zip(*verdicts, strict=True):
        yes = of_sample.count(0)
        asked = len(of_sample) - of_sample.count(None)
        # What was borne out is one of those asked of, and not in its own company.
        weights.append((1 + constants.company * (yes - 1)) / asked if yes else 0.0)
    return tuple(
        Votes(
            sum(weight for weight, said in zip(weights, unit, strict=True) if said == 0),
            sum(said == 1 for said in unit),
        )
        for unit in verdicts
    )


def fuse_odds(
    odds: float, yes: float = 0.0, no: float = 0.0, constants: Constants = CONSTANTS
) -> float:
    """The log-odds that a unit is wrong, from those of the comparison and its votes."""
    silence = constants.silence
    if no > FEW:
        no = FEW * (no / FEW) ** constants.crowd
    if odds < 0:
        odds *= (silence + yes) / (silence + yes + no)
    return odds + math.log1p(no / silence) - math.log1p(yes)


def level_of(odds: float, constants: Constants = CONSTANTS) -> float:
    """What a unit with these fused log-odds adds to the level of its message: nearly the same
    where they are small, within ``bound`` where votes pile up on one unit."""
    return constants.bound * math.tanh(odds / constants.bound)


def raise_score(score: float, threshold: float, doubted: bool) -> float:
    """A sentence's score, just beyond the threshold where only a fact of it is doubted."""
    if not doubted or score >= threshold:
        return score
    return min(1.0, threshold + _EDGE * score)


def can_still_change(
    odds: float,
    votes: Votes,
    remaining: int,
    threshold: float,
    constants: Constants = CONSTANTS,
) -> bool:
    """Whether the verdict on a unit can still change, where ``remaining`` more samples may be
    asked: all saying no doubts it, all saying yes does not. A unit that words alone would pass is
    never decided by words alone: it stays undecided until a first verdict is in."""
    highest = fuse_odds(odds, votes.yes, votes.no + remaining, constants)
    lowest = fuse_odds(odds, votes.yes + constants.company * remaining, votes.no, constants)
    unasked = votes == Votes() and remaining > 0
    return logistic(lowest) < threshold and (unasked or logistic(highest) >= threshold)


def nearest_first(support: Sequence[Sequence[float]]) -> tuple[int, ...]:
    """The samples in the order in which to ask them of some units, those first that bear them
    out best. ``support`` holds for each unit the share of its words that each sample bears out,
    in [0, 1]. One call asks a sample of all units, so there is one order for them all."""
    closeness = [
        sum(math.pow(share, _CLOSENESS) for share in of_sample)
        for of_sample in zip(*support, strict=True)
    ]
    return tuple(sorted(range(len(closeness)), key=lambda sample: -closeness[sample]))
