"""KnowHalu's rule calibrated for a judge: the base, d1 and d2 by which two judgements become one.

The rule is fitted on the judgements of all rows, as the paper does on its validation set, and the
scores of the rows are computed again by it. Figures are measured on rows that took no part: each
fold is scored by the rule of the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from halubot.evaluation.fit.platt import Example, Found
from halubot.evaluation.rows import Row
from halubot.evaluation.statistics import FOLDS, dealt
from halubot.methods.knowhalu.aggregation import Fitted, Known, Rule, fit_quantiles, known_from

OF_RULE: Final = frozenset({"base", "d1", "d2"})


@dataclass(frozen=True, slots=True)
class Refitted:
    """The result of a rule on rows: the rule that was fitted on all, the examples by it, and those
    by the rules of the other folds."""

    rule: Fitted
    rows: int
    found: tuple[Found, ...]
    out_of_fold: tuple[Found, ...]

    @property
    def options(self) -> dict[str, Any]:
        """The rule as options of the method."""
        rule = self.rule.rule
        return {"base": rule.base, "d1": rule.d1, "d2": rule.d2}

    @property
    def note(self) -> str:
        """The rule in words."""
        rule, _, q2, _ = self.rule
        quantiles = f"quantiles {self.rule.q1:g} and {q2:g}"
        return (
            f"base {rule.base}, d1 {rule.d1:.6f} and d2 {rule.d2:.6f} ({quantiles}) are fitted on"
            f" {self.rows} rows"
        )


def is_fitted(method: str, options: Mapping[str, Any]) -> bool:
    """Return True if a rule is to be fitted: `knowhalu` by both forms, and no part of the rule
    given."""
    alone = options.get("forms", "both") != "both"
    return method == "knowhalu" and not alone and not OF_RULE & options.keys()


def find_judged(row: Row, details: Mapping[str, Any]) -> Known | None:
    """Return the judgements of a row with one label; None for other rows, and if there are none."""
    return known_from(details, row.gold[0] > 0) if len(row.gold) == 1 else None


def refit(
    found: Sequence[Found], cases: Sequence[Known | None], groups: Sequence[str], on: str
) -> Refitted | None:
    """The rule of these rows; None if one form decided nothing. ``found`` are the examples of
    each row as it was checked, ``cases`` what was judged of it, if anything was."""
    whole = _fit(cases, on)
    if whole is None:
        return None
    wrong = [case is not None and case.wrong for case in cases]
    # The same folds for all rules, by groups: two summaries of one source must not stand on both
    # sides.
    fold = dealt(groups, wrong, FOLDS)
    rules: list[Rule] = []
    for held in range(FOLDS):
        others = _fit([case for case, of in zip(cases, fold, strict=True) if of != held], on)
        # Others of which one form decided nothing fit no rule; that of all rows stands in for them.
        rules.append((others or whole).rule)
    rows = list(zip(found, cases, groups, fold, strict=True))
    return Refitted(
        whole,
        sum(case is not None for case in cases),
        tuple(_rescore(one, case, group, whole.rule) for one, case, group, _ in rows),
        tuple(_rescore(one, case, group, rules[of]) for one, case, group, of in rows),
    )


def _fit(cases: Sequence[Known | None], on: str) -> Fitted | None:
    try:
        return fit_quantiles([case for case in cases if case is not None], on)
    except ValueError:
        return None


def _rescore(found: Found, case: Known | None, group: str, rule: Rule) -> Found:
    """The example of a row by a rule; as it was if nothing was judged, as of what is
    OFF-TARGET."""
    if case is None:
        return found
    whole = case.by(rule)
    if whole is None or whole.score is None:
        # The rule abstains: an abstention is no example, and is counted.
        return Found((), unscored=1)
    parts = [one.score for one in map(rule.decide, case.segments) if one is not None]
    scores = tuple(score for score in parts if score is not None)
    return Found((Example(group, case.wrong, scores, whole.score),))
