"""The threshold of a benchmark's figures: its origin is never from the rows it decides.

It is given, or found on a validation file, or by cross-validation, or it is the method's default.
KnowHalu has two more numbers, the quantiles by which two judgements become one; with a validation
file they are found there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from halubot.errors import InputError
from halubot.evaluation import measures
from halubot.evaluation.finished_rows import Outcome
from halubot.evaluation.plan import Plan
from halubot.evaluation.rows import Dataset
from halubot.evaluation.statistics import FOLDS
from halubot.methods import registry
from halubot.methods.knowhalu.aggregation import fit_quantiles, known_from

OF_KNOWHALU: Final = ("base", "d1", "d2")
"""The options of `knowhalu` that a validation file finds."""


class Found(NamedTuple):
    """The threshold, None if each fold finds its own or none is needed, and its
    origin."""

    value: float | None
    notes: tuple[str, ...] = ()


def threshold(plan: Plan, dataset: Dataset, validation: Sequence[Outcome]) -> Found:
    """The threshold of the data set's figures.

    Raises InputError if the validation rows have one label only.
    """
    if dataset.fitting == "none":
        return Found(None)
    if dataset.fitting == "verdicts":
        given = plan.threshold is not None
        return Found(None, (f"threshold {plan.threshold:g} as given",) if given else ())
    if plan.threshold is not None:
        return Found(plan.threshold, (f"threshold {plan.threshold:g} as given",))
    if dataset.fitting == "passages":
        return Found(None, (f"threshold of passages by {FOLDS}-fold cross-validation",))
    default = registry.get(plan.method, plan.options).default_threshold.value
    # The rule decides by itself: another threshold on its scores would undo it.
    if fits_a_rule(plan):
        return Found(default, (f"threshold {default:g}, the verdict of {plan.method} itself",))
    if plan.validation is None and dataset.fitting == "halves":
        return Found(None, ("threshold of each half of the groups found on the other half",))
    if plan.validation is None and dataset.fitting == "folds":
        return Found(None, (f"threshold by {FOLDS}-fold cross-validation",))
    if plan.validation is None:
        note = (
            f"threshold {default:g} is the default of {plan.method}, not found on validation data"
        )
        return Found(default, (note,))
    best = measures.best_threshold(
        [outcome.scored for outcome in validation],
        # By the reading of the figures that it is for.
        abstaining=plan.dataset in measures.ABSTAINING,
    )
    if best is None:
        raise InputError(f"{plan.validation} has rows of one label only: no threshold can be found")
    note = f"threshold {best:.3f} found on {len(validation)} rows of validation data"
    return Found(best, (note,))


def fits_a_rule(plan: Plan) -> bool:
    """Return True if the validation file is to find the rule of KnowHalu."""
    named = any(name in plan.options for name in OF_KNOWHALU)
    return plan.method == "knowhalu" and plan.validation is not None and not named


def rule_of(plan: Plan, validation: Sequence[Outcome]) -> tuple[dict[str, Any], str]:
    """The options of KnowHalu's rule that is best on the validation rows, and what is to be said
    of it. Raises InputError if nothing was judged there."""
    rows = [(one.details, one.scored.row.gold) for one in validation]
    found_in = [known_from(details, gold[0] > 0) for details, gold in rows if gold]
    known = [case for case in found_in if case is not None]
    try:
        found = fit_quantiles(known, str(plan.validation))
    except ValueError as error:
        raise InputError(
            f"no rule can be found on {plan.validation}: {error}; give other validation rows, or"
            " leave --validation out"
        ) from error
    rule = found.rule
    note = (
        f"base {rule.base}, d1 {rule.d1:.6f} and d2 {rule.d2:.6f} (quantiles {found.q1:g} and"
        f" {found.q2:g}) found on {len(known)} rows of validation data"
    )
    return {"base": rule.base, "d1": rule.d1, "d2": rule.d2}, note
