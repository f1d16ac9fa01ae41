"""The reliability of a judge, by its answers on facts whose answer was known beforehand.

Such facts are canaries: some stand in what the judge reads, some do not. From its answers come
two rates: ``caught``, the share of wrong canaries that it did not support, and ``alarms``, the
share of right ones that it did not support either. A judge whose answers hang on what it reads
has a high first and a low second; one that tosses a coin, or says the same to all, has two equal
ones.

    vote against a fact = ln(caught / alarms)
    vote for a fact     = ln((1 - alarms) / (1 - caught))

both as shares of what a judge that is right 19 times of 20 says. Of few canaries either rate is
drawn to one half, so that a judge earns its weight by answers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

FLOOR: Final = 0.5
"""The least difference of the two rates of a judge that is heard at all. With 30 % of its verdicts
flipped a judge has 0.4, and lowers what it joins (``docs/benchmarks.md``)."""

EARNED: Final = 0.7
"""The difference from which on a judge of one mind is not overruled by likeness of words."""

ENOUGH: Final = 9
"""Canaries, those of three calls, from which on a judge is refused that has nothing beside it."""

CANNOT_JUDGE: Final = "this model cannot judge"
"""What is said of a judge whose answers to canaries hang too little on what it reads."""

_FULL: Final = math.log(19)


@dataclass(frozen=True, slots=True)
class Tally:
    """Answers to canaries: ``right`` of them stand in the source, of which ``alarms`` were not
    supported; ``wrong`` do not, of which ``caught`` were not supported."""

    right: int = 0
    alarms: int = 0
    wrong: int = 0
    caught: int = 0

    def __add__(self, other: Tally) -> Tally:
        """Return both together."""
        return Tally(
            self.right + other.right,
            self.alarms + other.alarms,
            self.wrong + other.wrong,
            self.caught + other.caught,
        )

    @property
    def answered(self) -> int:
        """The number of canaries that were answered."""
        return self.right + self.wrong

    @property
    def mistakes(self) -> int:
        """The number of wrong answers."""
        return self.alarms + self.wrong - self.caught

    def count(self, canary_is_right: bool, supported: bool) -> Tally:
        """Return this with one more answer."""
        if canary_is_right:
            return self + Tally(right=1, alarms=int(not supported))
        return self + Tally(wrong=1, caught=int(not supported))


NOTHING: Final = Tally()


@dataclass(frozen=True, slots=True)
class Reliability:
    """The weight of a judge's votes, by its answers in ``here``, this run."""

    here: Tally = NOTHING

    @property
    def catch_rate(self) -> float:
        """The share of wrong canaries that it did not support, drawn to one half by two more."""
        return (self.here.caught + 1) / (self.here.wrong + 2)

    @property
    def alarms(self) -> float:
        """The share of right canaries that it did not support, drawn to one half by two more."""
        return (self.here.alarms + 1) / (self.here.right + 2)

    @property
    def is_ignored(self) -> bool:
        """Return True if it is not heard, since its answers hardly hang on what it reads. A judge
        that made no mistake yet is heard, by few answers with little weight."""
        # One right answer each leaves the rates 1/3 apart: below the floor, although nothing speaks
        # against it.
        return self.here.mistakes > 0 and self.catch_rate - self.alarms < FLOOR

    @property
    def unfit(self) -> bool:
        """Return True if enough answers show that it cannot judge, as they were measured: for
        methods that have no words to fall back on, so that one mistake of a few does not cost the
        check."""
        here = self.here
        if here.answered < ENOUGH:
            return False
        return here.caught / max(1, here.wrong) - here.alarms / max(1, here.right) < FLOOR

    @property
    def has_earned_trust(self) -> bool:
        """Return True if its answers may stand against likeness of words."""
        return not self.is_ignored and self.catch_rate - self.alarms >= EARNED

    @property
    def against(self) -> float:
        """The weight of a vote against a fact, from 0 to 1; 0 before it was shown a right one."""
        return self._weight(math.log(self.catch_rate / self.alarms), "right")

    @property
    def backing(self) -> float:
        """The weight of a vote for a fact, from 0 to 1; 0 before it was shown a wrong one."""
        return self._weight(math.log((1 - self.alarms) / (1 - self.catch_rate)), "wrong")

    @property
    def why(self) -> str:
        """Why it is ignored, in words."""
        here = self.here
        alarms, missed = here.alarms, here.wrong - here.caught
        said = f"it got {here.mistakes} of {here.answered} test facts wrong"
        if here.right and alarms == here.right and not missed:
            said += ", and supported none"
        elif here.wrong and missed == here.wrong and not alarms:
            said += ", and supported all"
        return f"{said}; its answers are ignored"

    def details(self) -> dict[str, Any]:
        """Return it as reports have it."""
        return {
            "canaries": self.here.answered,
            "mistakes": self.here.mistakes,
            "caught": round(self.catch_rate, 4),
            "alarms": round(self.alarms, 4),
            "ignored": self.is_ignored,
        }

    def _weight(self, odds: float, needs: str) -> float:
        # Nobody asked it anything: as published, its word is taken as it is.
        if not self.here.answered:
            return 1.0
        if self.is_ignored or not getattr(self.here, needs):
            return 0.0
        return min(1.0, max(0.0, odds / _FULL))


@dataclass(frozen=True, slots=True)
class Agreement(Reliability):
    """What recorded verdicts weigh of a judge that was shown no canaries: ``here`` is what it said
    if words alone know the answer.

    Words are wrong too, and of a message may know few right answers, so its votes are heard in full
    or not at all. It is taken for a usual judge (`USUAL`, which counts as so many answers as
    `PRIOR`) until it shows otherwise. ``one_sided`` says that all its verdicts are the same though
    words speak for a part of the message.
    """

    one_sided: bool = False

    @property
    def catch_rate(self) -> float:
        """The share of what words find wrong that it does not support, drawn to the usual one."""
        # A message has few cases that words are sure of, so a usual judge is assumed until they
        # tell otherwise.
        usual, _ = USUAL
        return (self.here.caught + usual * PRIOR) / (self.here.wrong + PRIOR)

    @property
    def alarms(self) -> float:
        """The share of what words find right that it does not support, drawn to the usual one."""
        _, usual = USUAL
        return (self.here.alarms + usual * PRIOR) / (self.here.right + PRIOR)

    @property
    def is_ignored(self) -> bool:
        """Return True if it is not heard: it agrees too little, or says of right and wrong the
        same."""
        return self.one_sided or self.catch_rate < AGREES or self.alarms > 0.5

    @property
    def has_earned_trust(self) -> bool:
        """Return True if its answers may stand against likeness of words: by these alone, never."""
        return False

    @property
    def why(self) -> str:
        """Why it is ignored, in words."""
        here = self.here
        said = f"it says otherwise than exact words in {here.mistakes} of {here.answered} cases"
        return f"{said}; its answers are ignored"

    def _weight(self, odds: float, needs: str) -> float:
        return 0.0 if self.is_ignored else 1.0


USUAL: Final = (0.95, 0.15)
"""The shares of what words find wrong, and find right, that a usual judge does not support."""

PRIOR: Final = 8.0
"""As many answers as `USUAL` counts."""

AGREES: Final = 0.82
"""The least share of what words find wrong that a judge must not support. With 30 % of its verdicts
flipped a judge has 0.69, two real ones had 0.97."""

TRUSTED: Final = Reliability()
"""A judge of which nothing is known, such as one whose verdicts were recorded elsewhere."""
