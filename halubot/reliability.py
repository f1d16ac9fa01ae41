"""The reliability of a judge, by its answers on facts whose answer was known beforehand.

Such facts are canaries: some stand in what the judge reads, some do not. From its answers come
two rates: the share of wrong canaries that it did not support, and the share of right ones that it
did not support either. A judge whose answers hang on what it reads has a high first and a low
second; one that tosses a coin, or says the same to all, has two equal ones. A judge is heard in
full or not at all.
"""

from __future__ import annotations

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


@dataclass(frozen=True, slots=True)
class Reliability:
    """Answers to canaries: ``right`` of them stand in the source, of which ``alarms`` were not
    supported; ``wrong`` do not, of which ``caught`` were not supported."""

    right: int = 0
    alarms: int = 0
    wrong: int = 0
    caught: int = 0

    def count(self, canary_is_right: bool, supported: bool) -> Reliability:
        """Return this with one more answer."""
        refused = int(not supported)
        if canary_is_right:
            return Reliability(self.right + 1, self.alarms + refused, self.wrong, self.caught)
        return Reliability(self.right, self.alarms, self.wrong + 1, self.caught + refused)

    @property
    def answered(self) -> int:
        """The number of canaries that were answered."""
        return self.right + self.wrong

    @property
    def mistakes(self) -> int:
        """The number of wrong answers."""
        return self.alarms + self.wrong - self.caught

    @property
    def is_ignored(self) -> bool:
        """Return True if it is not heard, since its answers hardly hang on what it reads. A judge
        that made no mistake yet is heard."""
        # One right answer each leaves the rates 1/3 apart: below the floor, although nothing speaks
        # against it.
        return self.mistakes > 0 and self._apart < FLOOR

    @property
    def unfit(self) -> bool:
        """Return True if enough answers show that it cannot judge, as they were measured: for
        methods that have no words to fall back on, so that one mistake of a few does not cost the
        check."""
        if self.answered < ENOUGH:
            return False
        return self.caught / max(1, self.wrong) - self.alarms / max(1, self.right) < FLOOR

    @property
    def has_earned_trust(self) -> bool:
        """Return True if its answers may stand against likeness of words."""
        return not self.is_ignored and self._apart >= EARNED

    @property
    def _apart(self) -> float:
        """The difference of the rates."""
        caught, alarms = self._rates
        return caught - alarms

    @property
    def _rates(self) -> tuple[float, float]:
        """Both rates, each drawn to one half by two more answers."""
        return (self.caught + 1) / (self.wrong + 2), (self.alarms + 1) / (self.right + 2)

    @property
    def why(self) -> str:
        """Why it is ignored, in words."""
        missed = self.wrong - self.caught
        said = f"it got {self.mistakes} of {self.answered} test facts wrong"
        if self.right and self.alarms == self.right and not missed:
            said += ", and supported none"
        elif self.wrong and missed == self.wrong and not self.alarms:
            said += ", and supported all"
        return f"{said}; its answers are ignored"

    def details(self) -> dict[str, Any]:
        """Return it as reports have it."""
        caught, alarms = self._rates
        return {
            "canaries": self.answered,
            "mistakes": self.mistakes,
            "caught": round(caught, 4),
            "alarms": round(alarms, 4),
            "ignored": self.is_ignored,
        }


TRUSTED: Final = Reliability()
"""A judge of which nothing is known, such as one whose verdicts were recorded elsewhere."""
