"""One verdict of two: a decision on each form of knowledge, the base and its supplement.

The base holds, unless it is inconclusive, or less sure than d1 while the supplement is surer than
d2.

Source: KnowHalu (anonymous, under review), section 3.2 e, algorithm 1 and appendix E.3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

Form = Literal["text", "triplets"]
Conclusion = Literal["CORRECT", "INCORRECT", "INCONCLUSIVE"]
Part = Literal["base", "supplement"]

FORMS: Final[tuple[Form, Form]] = ("text", "triplets")
SILENCE: Final = 0.5
"""How sure it is that a text is wrong of which a complete source says nothing at all."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision by one form of knowledge, how sure it is in [0, 1], and how that is known.

    ``by`` is "log-probabilities", those of the verdict's own letters; "repeats", the share of
    repeated judgements that say the same; or "no knowledge" if there was nothing to judge by.
    A decision without knowledge abstains: nobody judged, so its confidence says nothing.
    """

    verdict: Conclusion
    confidence: float
    by: Literal["log-probabilities", "repeats", "no knowledge"] = "log-probabilities"
    reason: str = ""

    @property
    def score(self) -> float | None:
        """Return how wrong the text is, in [0, 1]: above 0.5 by half the confidence if it is
        INCORRECT, below by as much if it is CORRECT; None if neither is known."""
        match self.verdict:
            case "INCORRECT":
                return 0.5 + self.confidence / 2
            case "CORRECT":
                return 0.5 - self.confidence / 2
            case "INCONCLUSIVE":
                return None

    @property
    def as_closed(self) -> Decision:
        """The same if the sources hold all there is to know: what they leave open is wrong. One
        that abstains is then half sure: the silence of the sources is the only reason."""
        if self.verdict != "INCONCLUSIVE":
            return self
        confidence = SILENCE if self.abstains else self.confidence
        return replace(self, verdict="INCORRECT", confidence=confidence)

    def details(self, segment: int, form: Form) -> dict[str, Any]:
        """The decision as a report holds it."""
        judged = {"verdict": self.verdict, "confidence": round(self.confidence, 9), "by": self.by}
        return {"segment": segment, "form": form, **judged, "reason": self.reason}

    @property
    def abstains(self) -> bool:
        """Return True if there was nothing to judge by."""
        return self.by == "no knowledge"


@dataclass(frozen=True, slots=True)
class Rule:
    """The rule by which two decisions become one. ``fitted_on`` names what the numbers were found
    on."""

    base: Form
    d1: float
    d2: float
    fitted_on: str

    @property
    def supplement(self) -> Form:
        """The other form."""
        return "triplets" if self.base == "text" else "text"

    def details(self) -> dict[str, Any]:
        """The rule as a report holds it."""
        known = {"base": self.base, "supplement": self.supplement, "d1": self.d1, "d2": self.d2}
        return {**known, "fitted_on": self.fitted_on}

    def choose_part(self, decisions: Mapping[Form, Decision]) -> Part | None:
        """Which decision holds (algorithm 1); the other if one is missing, None if both
        are. A decision that abstains counts as missing, unless there is no other."""
        # Nobody judged by a form without knowledge, so it does not override the other.
        known = {form: one for form, one in decisions.items() if not one.abstains} or decisions
        base, supplement = known.get(self.base), known.get(self.supplement)
        if base is None:
            return None if supplement is None else "supplement"
        if supplement is None:
            return "base"
        unsure = base.confidence < self.d1 and supplement.confidence > self.d2
        return "supplement" if base.verdict == "INCONCLUSIVE" or unsure else "base"

    def decide(self, decisions: Mapping[Form, Decision]) -> Decision | None:
        """The decision that holds; None if there is none."""
        part = self.choose_part(decisions)
        if part is None:
            return None
        return decisions[self.base if part == "base" else self.supplement]


def decide_whole(segments: Sequence[Decision | None]) -> Decision | None:
    """The decision on a whole by those on its segments, at least one. One that is INCORRECT
    condemns it, the surest of several; else one that is not decided leaves it so, and one that is
    INCONCLUSIVE leaves it open. If all are CORRECT, the least sure of them stands for it."""
    known = [one for one in segments if one is not None]
    wrong = [one for one in known if one.verdict == "INCORRECT"]
    left = [one for one in known if one.verdict == "INCONCLUSIVE"]
    if wrong:
        # Section 4.3: one bad segment condemns the summary.
        return max(wrong, key=lambda one: one.confidence)
    if len(known) < len(segments):
        return None
    return left[0] if left else min(known, key=lambda one: one.confidence)
