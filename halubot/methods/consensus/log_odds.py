"""Words and a model's verdicts as one: log-odds that a fact or a sentence is wrong."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from halubot.compare.stances import Finding
from halubot.methods.consensus.word_scores import logistic
from halubot.reliability import TRUSTED, Reliability
from halubot.report import Source, Stance

_CLOSENESS: Final = 3.0
"""The exponent of support by which samples are ordered: one that bears a unit out in full says
more of it than one that shares a few words with many units says of any."""


FEW: Final = 5.0
"""Noes that count in full: a round of them (`halubot.llm_calls.answer.ROUND`)."""

_BEFORE: Final = 2.0
"""Votes of each kind that are taken as cast before those on a unit, for the level of its message.
The number was checked by folds, as were the `CONSTANTS`; but the form of the level was chosen after
some twenty others had been tried on the same folds, so that no figure of it is a clean one."""

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
        """Return whether there are verdicts, and all of them say the same."""
        return (self.yes > 0) != (self.no > 0)

    def weigh(self, yes: float, no: float) -> Votes:
        """Return these votes with weights of a yes and a no, from 0 to 1."""
        return Votes(yes * self.yes, no * self.no)


def votes(
    verdicts: Sequence[Sequence[int | None]], constants: Constants = CONSTANTS
) -> tuple[Votes, ...]:
    """The votes on each unit of a message, from its verdicts: one a sample, the samples in the
    same order for all units. Raises ValueError if units have not equally many."""
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
    """Return what a unit with these fused log-odds adds to the level of its message: nearly the
    same if they are small, within ``bound`` if votes pile up on one unit."""
    return constants.bound * math.tanh(odds / constants.bound)


def raise_score(score: float, threshold: float, doubted: bool) -> float:
    """A sentence's score, just beyond the threshold if only a fact of it is doubted."""
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
    """Return whether the verdict on a unit can still change, if ``remaining`` more samples may be
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


@dataclass(frozen=True)
class Voices:
    """The verdicts of a model: ``stances`` of a source, by its id, on facts, by their index; or
    ``sentences``: of each sentence and each sample it was asked about, in the same order for all,
    0 for supported, 1 for not, None for neither or not asked. ``judge`` says what its votes
    weigh. ``quotes`` are the sentences of a source that it named, as the stances are kept."""

    stances: Mapping[str, Mapping[int, Stance]] = field(default_factory=dict)
    sentences: Sequence[Sequence[int | None]] = ()
    judge: Reliability = TRUSTED
    quotes: Mapping[str, Mapping[int, str]] = field(default_factory=dict)

    def of(self, source: Source, fact: int) -> Stance | None:
        """Return the stance of one source on one fact by the model; None if it gave none."""
        return self.stances.get(source.id, {}).get(fact)

    def on_facts(self, samples: Sequence[Source], facts: int) -> Sequence[Votes]:
        """The votes of samples on so many facts. One that is silent on a fact does not bear it
        out."""
        return self._weigh_votes(
            [[borne_out([self.of(sample, fact)]) for sample in samples] for fact in range(facts)]
        )

    def on_sentences(
        self, samples: Sequence[Source], held: Sequence[Sequence[int]]
    ) -> Sequence[Votes]:
        """The votes of samples on sentences, which hold these facts each; if the model was asked
        of facts, a sample bears a sentence out that bears out every fact of it."""
        if self.sentences:
            return self._weigh_votes(self.sentences)
        return self._weigh_votes(
            [
                [borne_out([self.of(sample, fact) for fact in facts]) for sample in samples]
                for facts in held
            ]
        )

    def _weigh_votes(self, verdicts: Sequence[Sequence[int | None]]) -> Sequence[Votes]:
        """The votes, as far as the judge can be trusted."""
        return [one.weigh(self.judge.backing, self.judge.against) for one in votes(verdicts)]

    def __bool__(self) -> bool:
        """Return whether it said anything."""
        return bool(self.stances or self.sentences)


SILENCE: Final = Voices()


NO_VOTES: Final = Votes()


@dataclass(frozen=True, slots=True)
class Unit:
    """A fact or a sentence as it stands: its log-odds without the model's votes, and these.
    ``settle_stance`` if a reference speaks of it, so that no vote of samples counts."""

    odds: float
    votes: Votes = NO_VOTES
    settled: bool = False

    @property
    def level(self) -> float:
        """Return what it adds to the level of its message: the mean of the log-odds of its words
        and of its votes, as if two votes of each kind had been cast before; its words alone if
        there are no votes. Fused log-odds would count votes that pile up on one unit for all."""
        if self.votes == NO_VOTES:
            return level_of(self.odds)
        cast = math.log((self.votes.no + _BEFORE) / (self.votes.yes + _BEFORE))
        return level_of((self.odds + cast) / 2)

    @property
    def log_odds(self) -> float:
        """The log-odds that it is wrong."""
        return fuse_odds(self.odds, self.votes.yes, self.votes.no)


def borne_out(said: Sequence[Stance | None]) -> int | None:
    """0 if all is supported, 1 if something is known not to be, None if too little is
    known."""
    if any(stance in ("contradicts", "silent") for stance in said):
        return 1
    return 0 if said and None not in said else None


def settle_stance(source: Source, finding: Finding, stance: Stance | None) -> Stance:
    """Return what a source says of a fact: the model's word if there is one. But another value
    stays another value in a reference, and in a sample that the model finds silent."""
    if stance is None:
        return finding.stance
    differs = finding.stance == "contradicts" and finding.value is not None
    heeded = source.kind != "sample" or stance == "silent"
    return "contradicts" if differs and heeded else stance
