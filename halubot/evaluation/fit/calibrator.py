"""A method calibrated on labelled rows: every row checked, a threshold and a probability fitted."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from halubot.api import check as real_check
from halubot.calibration.store import (
    SHIPPED,
    Calibrated,
    Calibrations,
    Material,
    material_of,
    settings,
)
from halubot.errors import InputError
from halubot.evaluation.checked import Check, check_row
from halubot.evaluation.datasets import DATASETS
from halubot.evaluation.fit import knowhalu_rule, platt
from halubot.evaluation.fit.cross_validation import (
    Objective,
    OutOfFold,
    cross_validate,
    dealt_out,
    finder,
)
from halubot.evaluation.fit.platt import Example, Found
from halubot.evaluation.loader import material, with_material
from halubot.evaluation.rows import Row, read_rows, sha256
from halubot.evaluation.synthesis.makers import BY_RULES
from halubot.events import Event
from halubot.fold import add_usages
from halubot.methods import registry
from halubot.methods.knowhalu.aggregation import Known
from halubot.report import Calibration, Report, Threshold, Usage
from halubot.version import __version__

if TYPE_CHECKING:
    from halubot.models.panel import Panel

_WORD: Final = re.compile(r"\w+")


_FEWEST: Final = 2


_SHARE: Final = 0.1


_MOST: Final = 0.5
"""The share of wrong rows made by rule from which on the figures rest on them."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The count of ``wrong`` rows that a rule made: those that say so, and, of the others, those
    that are copies of a right text with few words changed."""

    wrong: int
    named: int
    copied: int

    @property
    def note(self) -> str | None:
        """A warning, or None if less than half of the wrong rows were made so."""
        made = self.named + self.copied
        if not self.wrong or made < _MOST * self.wrong:
            return None
        how = "were made by rule (halubot make-data changes)"
        if self.copied:
            how = "are right texts with a word or two changed, as a rule makes them"
        return (
            f"{made} of {self.wrong} wrong rows {how}: models err in other ways, so neither the"
            " threshold nor the probability need hold for their texts; calibrate on texts of your"
            " model that people labelled (halubot feedback export)"
        )


def origin_of(rows: Sequence[Row]) -> Origin:
    """Count how many of the wrong rows were made by rule; linear in all texts of a group. A row
    with wrong sentences or facts counts as a wrong row."""
    # Compared within its group and with its own references only: all against all would take time
    # that grows with the square of the rows.
    right: dict[str, list[Counter[str]]] = {}
    for row in rows:
        if row.group and not _is_wrong(row):
            right.setdefault(row.group, []).append(_words(row.text))
    wrong = [row for row in rows if _is_wrong(row)]
    named = sum(row.maker == BY_RULES for row in wrong)
    copied = 0
    for row in wrong:
        if not row.maker:
            sources = [_words(text) for text in row.references]
            copied += _is_copy(_words(row.text), [*right.get(row.group, ()), *sources])
    return Origin(len(wrong), named, copied)


def _is_wrong(row: Row) -> bool:
    return any(gold > 0 for gold in row.gold) or any(fact.wrong for fact in row.labelled)


def _words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text))


def _is_copy(words: Counter[str], others: Sequence[Counter[str]]) -> bool:
    """Return True if one of the others has the same words but for a few."""
    most = max(_FEWEST, _SHARE * words.total())
    return any(max((words - one).total(), (one - words).total()) <= most for one in others)


FEW: Final = 50
"""Rows, or groups of them, below which figures are to be taken with care."""

Advance = Callable[[int, int], None]
"""Told after each row how many are done, of how many."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of a calibration: a file of a data set (own rows, if nothing is said), of
    which all material is used unless one is asked for."""

    data: Path
    method: str
    objective: Objective
    dataset: str = "own"
    with_samples: bool = False
    with_reference: bool = False
    n_samples: int | None = None
    limit: int | None = None
    as_published: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Fitted:
    """A calibration, what the folds left out was measured at, and what that rests on. ``refused``
    says why its threshold is of no use, None if it can be used."""

    calibrated: Calibrated
    out_of_fold: OutOfFold
    groups: int
    notes: tuple[str, ...]
    usage: Usage
    seconds: float
    refused: str | None = None


@dataclass(frozen=True, slots=True)
class Data:
    """Labelled rows with the name and the hash of the file they come from."""

    rows: tuple[Row, ...]
    name: str
    sha256: str


def read(plan: Plan) -> Data:
    """The rows of a plan, with what they are compared with and nothing else.

    Raises UnreadableError, BrokenLineError and InputError for the file, SettingError for material
    that it does not hold.
    """
    dataset, digest = DATASETS[plan.dataset], sha256(plan.data)
    rows = read_rows(dataset, plan.data, limit=plan.limit)
    given = material(
        dataset, rows, with_samples=plan.with_samples, with_reference=plan.with_reference
    )
    rows = with_material(dataset, rows, given, n_samples=plan.n_samples)
    return Data(rows, plan.data.name, digest)


def calibrate(
    plan: Plan,
    data: Data,
    *,
    panel: Panel | None = None,
    calibrations: Calibrations = SHIPPED,
    advance: Advance = lambda done, of: None,
    check: Callable[..., Report] = real_check,
) -> Fitted:
    """Checks all rows with the method and fits a threshold and a probability; ``panel`` holds the
    models that it asks. ``calibrations`` are those of other methods that this one may use; any
    fitted on the same file are passed over. ``check`` stands in for halubot's own.

    Raises InputError if rows cannot be checked, are compared with different things, or are
    (nearly) all right or all wrong; UnknownMethodError and SettingError for options; ModelError
    if no model can be asked any more.
    """
    method = registry.get(plan.method, plan.options)
    began = time.perf_counter()
    # A probability that was fitted on these very rows would look better here than it is.
    others = Calibrations(
        calibrations.folder, calibrations.shipped, calibrations.without | {data.sha256}
    )
    checked_rows: list[Found] = []
    cases: list[Known | None] = []
    materials: Counter[Material] = Counter()
    problems: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    usage = Usage()
    given = any(row.samples or row.references for row in data.rows)
    # Rows that hold samples were cut to that number when they were read.
    drawn = None if given else plan.n_samples
    # A panel may come with a failure of an earlier run.
    before = None if panel is None else panel.budget.failure
    for index, row in enumerate(data.rows):
        events: list[Event] = []
        one: Check = partial(
            check,
            watch=events.append,
            panel=panel,
            as_published=plan.as_published,
            calibrations=others,
            n_samples=drawn,
        )
        report = check_row(
            row,
            one,
            dataset=plan.dataset,
            method=plan.method,
            # The default, and no calibration kept before: the verdicts of this run must not rest on
            # what it is to replace.
            threshold=method.default_threshold.value,
            options=plan.options,
        )
        if panel is not None and panel.budget.failure not in (None, before):
            raise panel.budget.failure
        # "\0" begins no name of a group: a row without one is a group by itself.
        read_row = platt.read(row, report, events, row.group or f"\0{index}")
        checked_rows.append(read_row)
        cases.append(knowhalu_rule.find_judged(row, report.details))
        if read_row.examples:
            materials[_material_of(report)] += 1
        problems.update({problem.what for problem in report.problems})
        reasons.update(one.reason for one in report.facts if one.reason)
        reasons.update(one.reason for one in report.sentences if one.reason)
        usage = add_usages(usage, report.usage)
        advance(index + 1, len(data.rows))
    found: Sequence[Found] = checked_rows
    # The rule of KnowHalu is fitted before the threshold, whose scores it makes. What is measured
    # is scored by the rules of the other folds, or the figures would know their own rows.
    refitted, measured = None, found
    if knowhalu_rule.is_fitted(plan.method, plan.options):
        groups_of = [row.group or f"\0{index}" for index, row in enumerate(data.rows)]
        on = f"{data.name} ({len(data.rows)} rows)"
        refitted = knowhalu_rule.refit(found, cases, groups_of, on)
        if refitted is not None:
            found, measured = refitted.found, refitted.out_of_fold
    every = [example for one_row in found for example in one_row.examples]
    left_out = [example for one_row in measured for example in one_row.examples]
    if not every:
        why = "".join(f": {reason}" for reason, _ in reasons.most_common(1))
        raise InputError(f"{plan.method} can score nothing in {data.name}{why}")
    fold = dealt_out(left_out, data.name)
    # A score of 0.6 from twenty samples and one from a reference are wrong at different rates: one
    # line through both would be right for neither.
    if len(materials) > 1:
        there = ", ".join(f"{count} with {name}" for name, count in materials.most_common())
        raise InputError(
            f"{data.name} has rows of several kinds ({there}), and a score means something else"
            " with each: calibrate on one kind at a time"
        )
    judge = panel.judge.name if panel is not None and registry.asks_model(method) else None
    out_of_fold = cross_validate(left_out, plan.objective, fold)
    calibrated = _calibrate(
        plan,
        data,
        every,
        compared=next(iter(materials)),
        judge=judge,
        figures=out_of_fold.figures,
        fitted={} if refitted is None else refitted.options,
    )
    groups = len({example.group for example in every})
    return Fitted(
        calibrated=calibrated,
        out_of_fold=out_of_fold,
        groups=groups,
        notes=(
            *(() if refitted is None else (refitted.note,)),
            *_notes(data, found, groups, calibrated, problems),
        ),
        usage=usage,
        seconds=time.perf_counter() - began,
        refused=_why_refused(plan, calibrated, every),
    )


def _why_refused(plan: Plan, calibrated: Calibrated, every: Sequence[Example]) -> str | None:
    """Why a threshold is refused: it doubts most of what is labelled right, here or in the folds
    that were left out."""
    if calibrated.threshold is None:
        return None
    value = calibrated.threshold.value
    right = [example for example in every if not example.wrong]
    doubted = sum(example.decisive >= value for example in right)
    # A threshold that doubts more than half of what is right would mark nearly every text.
    if 2 * doubted <= len(right) and not calibrated.doubts_most:
        return None
    if 2 * doubted <= len(right):
        those = "most of what is right in rows it was not fitted on"
    else:
        those = f"{doubted} of {len(right)} labels that say right"
    return (
        f"the threshold by {plan.objective.words} is {value:.3f} and doubts {those}: the scores of"
        f" {plan.method} hardly tell right from wrong here, or --objective weighs misses too much;"
        " use other rows, another method, or an objective such as weighted:0.3"
    )


def _calibrate(
    plan: Plan,
    data: Data,
    every: Sequence[Example],
    *,
    compared: Material,
    judge: str | None,
    figures: dict[str, float | None],
    fitted: dict[str, Any],
) -> Calibrated:
    """Return the calibration that is kept, fitted on all rows."""
    # Fitted on all rows: the folds only measure what such a fit is worth.
    line = platt.fit(every)
    on = f"{data.name} ({len(data.rows)} rows)"
    return Calibrated(
        method=plan.method,
        model=judge,
        material=compared,
        options=settings(plan.options, as_published=plan.as_published),
        threshold=Threshold(
            value=finder(plan.objective)(every), fitted_on=f"{on} by {plan.objective.words}"
        ),
        objective=str(plan.objective),
        calibration=Calibration(intercept=line.intercept, slope=line.slope, fitted_on=on),
        data_sha256=data.sha256,
        rows=len(data.rows),
        units=len(every),
        wrong=sum(example.wrong for example in every),
        figures=figures,
        engine=__version__,
        made=datetime.now(UTC).isoformat(timespec="seconds"),
        fitted=fitted,
    )


def _material_of(report: Report) -> Material:
    kinds = {source.kind for source in report.sources}
    return material_of("sample" in kinds, bool(kinds - {"sample"}))


def _notes(
    data: Data,
    found: Sequence[Found],
    groups: int,
    calibrated: Calibrated,
    problems: Counter[str],
) -> tuple[str, ...]:
    """Return the other facts on which the figures depend."""
    notes = []
    if (made := origin_of(data.rows).note) is not None:
        notes.append(made)
    if groups < FEW:
        notes.append(
            f"only {groups} rows or groups of them: the threshold, the probability and the figures"
            " may be far off; the intervals say how far"
        )
    unscored = sum(one.unscored for one in found)
    unmatched = sum(one.unmatched for one in found)
    if unscored:
        notes.append(f"{unscored} labels are left out, since nothing was scored there")
    if unmatched:
        notes.append(f"{unmatched} of them are of facts that halubot does not find in the text")
    if calibrated.calibration.slope == 0:
        notes.append(
            "higher scores are not wrong more often here: every statement is given the same"
            " probability"
        )
    if any(row.gold and row.sentences is None for row in data.rows):
        notes.append(
            "labels are on whole messages: a message counts as wrong where any sentence of it is"
        )
    return (*notes, *(f"{what} ({count} rows)" for what, count in problems.most_common()))
