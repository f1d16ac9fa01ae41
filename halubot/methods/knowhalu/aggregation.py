"""One verdict of two: a decision on each form of knowledge, the base and its supplement.

The base holds, unless it is inconclusive, or less sure than d1 while the supplement is surer than
d2. Both are quantiles of confidences, searched for on a validation set.

Source: KnowHalu (anonymous, under review), section 3.2 e, algorithm 1 and appendix E.3.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement
from typing import Any, Final, Literal, NamedTuple

Form = Literal["text", "triplets"]
Conclusion = Literal["CORRECT", "INCORRECT", "INCONCLUSIVE"]
Part = Literal["base", "supplement"]

FORMS: Final[tuple[Form, Form]] = ("text", "triplets")
CONCLUSIONS: Final[tuple[Conclusion, ...]] = ("CORRECT", "INCORRECT", "INCONCLUSIVE")
SILENCE: Final = 0.5
"""How sure it is that a text is wrong of which a complete source says nothing at all."""
QUANTILES: Final = tuple(step / 20 for step in range(1, 20))
"""0.05 to 0.95, among which both quantiles are searched for."""


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


class Known(NamedTuple):
    """One text of a validation set: what was decided of each of its segments, and whether it is
    wrong. An answer is one segment."""

    segments: Sequence[Mapping[Form, Decision]]
    wrong: bool

    def alone(self, form: Form) -> Decision | None:
        """The decision on the whole by one form."""
        return decide_whole([one.get(form) for one in self.segments])

    def by(self, rule: Rule) -> Decision | None:
        """The decision on the whole by a rule."""
        return decide_whole([rule.decide(one) for one in self.segments])


class Fitted(NamedTuple):
    """The rule that a validation set gives, its quantiles, and its average accuracy there."""

    rule: Rule
    q1: float
    q2: float
    accuracy: float


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


def fit_quantiles(cases: Sequence[Known], fitted_on: str) -> Fitted:
    """The rule with the best average accuracy; among equals that of the lowest q1, then q2.

    The base is the form that is more often right by itself (text, if both are as often); d1 is
    the quantile q1 of its confidences, d2 the quantile q2, at least q1, of the other's; decisions
    that abstain have none. Average accuracy is the mean of the shares of wrong texts found
    INCORRECT and of right ones found CORRECT; what is inconclusive or missing is neither. Raises
    ValueError if a form decided nothing.
    """
    segments = [segment for case in cases for segment in case.segments]
    sure = {
        form: [one[form].confidence for one in segments if form in one and not one[form].abstains]
        for form in FORMS
    }
    for form, found in sure.items():
        if not found:
            raise ValueError(f"nothing was decided by {form}: there is nothing to fit")
    by_text, by_triplets = (
        average_accuracy([(case.alone(form), case.wrong) for case in cases]) for form in FORMS
    )
    base: Form = "triplets" if by_triplets > by_text else "text"
    best: Fitted | None = None
    # In order, so that q2 is at least q1 (appendix E.3).
    for q1, q2 in combinations_with_replacement(QUANTILES, 2):
        rule = Rule(base, quantile(sure[base], q1), 0.0, fitted_on)
        rule = replace(rule, d2=quantile(sure[rule.supplement], q2))
        accuracy = average_accuracy([(case.by(rule), case.wrong) for case in cases])
        # Not from equals on: the lowest quantiles stay, as documented.
        if best is None or accuracy > best.accuracy:
            best = Fitted(rule, q1, q2, accuracy)
    assert best is not None  # noqa: S101 - there are quantiles
    return best


def known_from(details: Mapping[str, Any], wrong: bool) -> Known | None:
    """Return the judgements on a text that the details of a report hold; None of one that was
    decided before, as one that is OFF-TARGET is."""
    judgements = details.get("judgements", ())
    if not judgements:
        return None
    segments: list[dict[Form, Decision]] = [{} for _ in details.get("segments", ())]
    for one in judgements:
        decision = Decision(one["verdict"], one["confidence"], one["by"])
        segments[one["segment"]][one["form"]] = decision
    return Known(segments, wrong)


def average_accuracy(decided: Sequence[tuple[Decision | None, bool]]) -> float:
    """The mean of the shares of wrong texts found INCORRECT and of right ones found CORRECT; of
    one kind alone if there is no other, 0 for no texts."""
    shares = []
    for wrong in (True, False):
        expected = "INCORRECT" if wrong else "CORRECT"
        said = [one for one, truth in decided if truth == wrong]
        # A validation set may hold texts of one kind alone.
        if said:
            right = sum(one is not None and one.verdict == expected for one in said)
            shares.append(right / len(said))
    return math.fsum(shares) / len(shares) if shares else 0.0


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which that share of the values lies, at least one of them, interpolated
    between neighbours."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])
