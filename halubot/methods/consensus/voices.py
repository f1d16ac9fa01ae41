"""What a model said of facts and sentences, beside the comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from halubot.compare.findings import Finding
from halubot.methods.consensus.log_odds import Votes, fuse_odds, votes
from halubot.reliability import TRUSTED, Reliability
from halubot.report import Source, Stance


@dataclass(frozen=True)
class Voices:
    """What a model said: ``stances`` of a source, by its id, on facts, by their index; or
    ``sentences``: of each sentence and each sample it was asked about, in the same order for all,
    0 for supported, 1 for not, None for neither or not asked. ``judge`` says what its votes
    weigh."""

    stances: Mapping[str, Mapping[int, Stance]] = field(default_factory=dict)
    sentences: Sequence[Sequence[int | None]] = ()
    judge: Reliability = TRUSTED

    def of(self, source: Source, fact: int) -> Stance | None:
        """What the model said of one source's stance on one fact; None where it did not."""
        return self.stances.get(source.id, {}).get(fact)

    def on_facts(self, samples: Sequence[Source], facts: int) -> Sequence[Votes]:
        """The votes of samples on so many facts. One that is silent on a fact does not bear it
        out."""
        return self._weighed(
            [[borne_out([self.of(sample, fact)]) for sample in samples] for fact in range(facts)]
        )

    def on_sentences(
        self, samples: Sequence[Source], held: Sequence[Sequence[int]]
    ) -> Sequence[Votes]:
        """The votes of samples on sentences, which hold these facts each; where the model was asked
        of facts, a sample bears a sentence out that bears out every fact of it."""
        if self.sentences:
            return self._weighed(self.sentences)
        return self._weighed(
            [
                [borne_out([self.of(sample, fact) for fact in facts]) for sample in samples]
                for facts in held
            ]
        )

    def _weighed(self, verdicts: Sequence[Sequence[int | None]]) -> Sequence[Votes]:
        """The votes, as far as the judge can be trusted."""
        return [one.weighed(self.judge.backing, self.judge.against) for one in votes(verdicts)]

    def __bool__(self) -> bool:
        """Whether it said anything."""
        return bool(self.stances or self.sentences)


SILENCE: Final = Voices()
NO_VOTES: Final = Votes()


@dataclass(frozen=True, slots=True)
class Unit:
    """A fact or a sentence as it stands: its log-odds without the model's votes, and these.
    ``settle_stance`` where a reference speaks of it, so that no vote of samples counts."""

    odds: float
    votes: Votes = NO_VOTES
    settled: bool = False

    @property
    def fused(self) -> float:
        """The log-odds that it is wrong."""
        return fuse_odds(self.odds, self.votes.yes, self.votes.no)


def borne_out(said: Sequence[Stance | None]) -> int | None:
    """0 where all is supported, 1 where something is known not to be, None where too little is
    known."""
    if any(stance in ("contradicts", "silent") for stance in said):
        return 1
    return 0 if said and None not in said else None


def settle_stance(source: Source, finding: Finding, stance: Stance | None) -> Stance:
    """What a source says of a fact: the model's word where there is one. But another value stays
    another value in a reference, and in a sample that the model finds silent."""
    if stance is None:
        return finding.stance
    differs = finding.stance == "contradicts" and finding.value is not None
    heeded = source.kind != "sample" or stance == "silent"
    return "contradicts" if differs and heeded else stance
