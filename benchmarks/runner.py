"""Run a benchmark: read the rows, check each of them, and measure."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import metrics
from benchmarks.baselines import BLIND, HALF, baselines
from benchmarks.datasets import DATASETS, with_correct
from benchmarks.outcomes import Outcome, of_report, of_triples
from benchmarks.rewrites import rewrite
from benchmarks.rows import Loaded, Row, choose_material, load, with_verdicts
from benchmarks.statistics import counted, intervals, values
from halubot import api
from halubot.claims import extract
from halubot.correction_api import correct
from halubot.errors import InputError, SettingError
from halubot.events import add_usages
from halubot.methods import registry
from halubot.report import Usage
from halubot.text import read
from halubot.version import __version__

if TYPE_CHECKING:
    from halubot.models.panel import Panel

Interval = tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Plan:
    """What to measure.

    ``verdicts`` is a file of recorded verdicts of ``verdict_model``, of which at most
    ``verdict_samples`` samples of each message are used. ``also`` is the file of truthfulqa that
    answers the questions of truthfulqa_judged. ``validation`` is a file on which the threshold is
    found. ``n_samples`` is the number of samples of each row that are used, or that a model draws.
    ``correct`` corrects each message as well. ``options`` are the method's own.
    """

    dataset: str
    data: Path
    method: str
    with_samples: bool = False
    with_reference: bool = False
    verdicts: Path | None = None
    verdict_model: str | None = None
    verdict_samples: int | None = None
    also: Path | None = None
    validation: Path | None = None
    knowledge: tuple[str, ...] = ()
    n_samples: int | None = None
    limit: int | None = None
    threshold: float | None = None
    as_published: bool = False
    correct: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Result:
    """The figures of a method on a data set. ``notes`` say what they rest on."""

    dataset: str
    method: str
    rows: int
    data_sha256: str
    engine: str
    metrics: Mapping[str, float | None]
    intervals: Mapping[str, Interval]
    baselines: Mapping[str, Mapping[str, float | None]]
    usage: Usage
    seconds: float
    notes: tuple[str, ...]
    outcomes: tuple[Outcome, ...]

    def to_dict(self) -> dict[str, Any]:
        fields = asdict(replace(self, outcomes=()))  # the outcomes are written by `score_line`
        del fields["outcomes"]
        return fields | {"usage": self.usage.model_dump(), "seconds": round(self.seconds, 3)}


def run(
    plan: Plan, *, panel: Panel | None = None, advance: Callable[[int, int], None] | None = None
) -> Result:
    """Measure a method on a data set; ``panel`` holds the models that it asks, and ``advance`` is
    called with the number of finished rows and of all rows.

    Raises UnreadableError and BrokenLineError for files that cannot be used, UnknownMethodError,
    SettingError for options that mean nothing here, InputError for a row that cannot be checked,
    and ModelError if no further call can succeed: figures of some rows would look like those of
    all.
    """
    dataset = DATASETS[plan.dataset]
    method = registry.get(plan.method)
    _require_sense(plan)
    loaded = load(dataset, plan.data, limit=plan.limit)
    held = load(dataset, plan.validation) if plan.validation is not None else None
    if held is not None and held.sha256 == loaded.sha256:
        raise SettingError("the validation file is the data: no threshold may be found there")
    rows, held_rows = _prepare(plan, loaded), () if held is None else _prepare(plan, held)
    began, total = time.perf_counter(), len(rows) + len(held_rows)
    outcomes: list[Outcome] = []
    for number, row in enumerate((*held_rows, *rows), start=1):
        outcomes.append(_check(plan, panel, row))
        if advance is not None:
            advance(number, total)
    seconds = time.perf_counter() - began
    validation, outcomes = outcomes[: len(held_rows)], outcomes[len(held_rows) :]
    _require_scores(plan, outcomes)
    threshold, origin = _threshold(plan, method, validation)
    measured = metrics.measure(dataset, outcomes, threshold)
    return Result(
        dataset=plan.dataset,
        method=plan.method,
        rows=len(rows),
        data_sha256=loaded.sha256,
        engine=__version__,
        metrics=values(measured, len(rows)),
        intervals=intervals(measured, [row.group for row in rows]),
        baselines=_baselines(plan, outcomes),
        usage=reduce(add_usages, (one.usage for one in (*outcomes, *validation)), Usage()),
        seconds=seconds,
        notes=(*origin, *_notes(plan, loaded, outcomes)),
        outcomes=tuple(outcomes),
    )


def _require_sense(plan: Plan) -> None:
    dataset, recorded = DATASETS[plan.dataset], plan.verdicts is not None
    takes = registry.takes_verdicts(registry.get(plan.method))
    for is_wrong, why in (
        (recorded and plan.dataset != "wikibio", "recorded verdicts are on the samples of wikibio"),
        (
            recorded and plan.verdict_model is None,
            "the file may hold verdicts of several models: name --verdict-model",
        ),
        (
            not recorded and (plan.verdict_model or plan.verdict_samples),
            "--verdict-model and --verdict-samples need --verdicts",
        ),
        (recorded and not takes, f"{plan.method} does not take recorded verdicts"),
        (
            plan.also is not None and plan.dataset != "truthfulqa_judged",
            "--also is for truthfulqa_judged",
        ),
        (
            plan.correct and dataset.kind not in ("marks", "wikibio"),
            f"{plan.dataset} measures no corrections",
        ),
        (
            plan.validation is not None and dataset.decided not in ("default", "folds", "halves"),
            f"{plan.dataset} decides by no threshold: leave --validation out",
        ),
    ):
        if is_wrong:
            raise SettingError(why)


def _prepare(plan: Plan, loaded: Loaded) -> tuple[Row, ...]:
    """Return the rows with what they are compared with, and nothing else."""
    rows = loaded.rows if plan.also is None else with_correct(loaded.rows, plan.also)
    if plan.verdicts is not None and plan.verdict_model is not None:
        rows = with_verdicts(rows, plan.verdicts, plan.verdict_model)
    return choose_material(
        DATASETS[plan.dataset],
        rows,
        samples=plan.with_samples,
        references=plan.with_reference,
        n_samples=plan.n_samples,
    )


def _check(plan: Plan, panel: Panel | None, row: Row) -> Outcome:
    """Check a row, and correct it if that is wanted. Raises as `run`."""
    kind, options = DATASETS[plan.dataset].kind, dict(plan.options)
    if kind == "extraction":
        # A clause that no rule takes apart has no head, and is no triple.
        return of_triples(row, [f.triple for f in extract(read(row.text)) if f.triple.head])
    if plan.verdict_samples is not None:
        options["verdict_samples"] = plan.verdict_samples
    before = None if panel is None else panel.budget.failure
    try:
        report = api.check(
            row.text,
            question=row.question,
            samples=row.samples,
            references=row.references,
            sentences=row.sentences,
            subject=row.subject,
            knowledge=plan.knowledge,
            method=plan.method,
            threshold=plan.threshold,
            verdicts=row.verdicts,
            options=options,
            as_published=plan.as_published,
            panel=panel,
            n_samples=None if panel is None or row.samples or row.references else plan.n_samples,
        )
    except InputError as error:
        raise InputError(f"{plan.dataset}, row {row.id}: {error}") from error
    # Labels are joined to sentences by their place: one more would shift all that follow.
    if row.sentences is not None and len(report.sentences) != len(row.gold):
        raise InputError(f"{plan.dataset}, row {row.id}: {plan.method} moved its sentences")
    fates: Mapping[str, Sequence[str]] = {}
    spent: list[Usage] = []
    published = plan.as_published
    if plan.correct and kind == "marks":
        report = correct(
            report, panel=panel, subject=row.subject, as_published=published, options=options
        )
    elif plan.correct:
        if panel is None:
            raise SettingError("a model corrects and judges: name a --model")
        fates, spent = rewrite(
            report,
            panel,
            subject=row.subject or "",
            reference=row.truth or "",
            as_published=published,
        )
    failure = None if panel is None else panel.budget.failure
    # One failed call is a problem of its row; a failure that all calls share ends all.
    if failure is not None and failure is not before:
        raise failure
    outcome = of_report(row, report)
    return replace(outcome, fates=fates, usage=reduce(add_usages, spent, outcome.usage))


def _require_scores(plan: Plan, outcomes: Sequence[Outcome]) -> None:
    """Raise SettingError if no row has any score: figures would be those of 0.5 everywhere."""
    if DATASETS[plan.dataset].kind == "extraction":
        return
    if any(unit.score is not None for one in outcomes for unit in (*one.sentences, *one.said)):
        return
    problems = Counter(problem for one in outcomes for problem in one.problems)
    why = "".join(f": {what}" for what, _ in problems.most_common(1))
    raise SettingError(f"{plan.method} judged nothing in {plan.dataset}{why}")


def _threshold(
    plan: Plan, method: registry.Method, validation: Sequence[Outcome]
) -> tuple[float | None, tuple[str, ...]]:
    """Return the threshold, None if the folds find theirs or none is needed, and its origin. It is
    never found on the rows that it decides."""
    dataset = DATASETS[plan.dataset]
    if not dataset.decided:
        return None, ()
    if plan.threshold is not None:
        return plan.threshold, (f"threshold {plan.threshold:g} as given",)
    if validation:
        found = metrics.find_threshold(validation, dataset)
        if found is None:
            raise InputError(f"{plan.validation} has rows of one label only")
        return found, (f"threshold {found:.3f} found on {len(validation)} rows of validation data",)
    if dataset.decided == "default":
        value = method.default_threshold.value
        return value, (f"threshold {value:g} is the default of {plan.method}",)
    return None, (
        f"thresholds found in {dataset.decided}, each on the rows that it does not decide",
    )


def _baselines(plan: Plan, outcomes: Sequence[Outcome]) -> dict[str, dict[str, float | None]]:
    """Return the figures of plain baselines, those that are defined."""
    dataset = DATASETS[plan.dataset]
    if dataset.kind == "extraction":
        return {}
    found: dict[str, dict[str, float | None]] = {}
    for name, made in baselines(outcomes).items():
        measured = metrics.measure(dataset, made, HALF if name in BLIND else None)
        figures = values(measured, len(outcomes))
        found[name] = {
            metric: value
            for metric, value in figures.items()
            # A baseline never abstains.
            if value is not None and not metric.startswith(("abstained", "arp", "arn"))
        }
    return found


def _notes(plan: Plan, loaded: Loaded, outcomes: Sequence[Outcome]) -> Iterator[str]:
    if plan.verdict_model is not None:
        yield f"verdicts of {plan.verdict_model}, recorded"
    if loaded.left_out:
        yield f"{loaded.left_out} records hold nothing that can be measured"
    units = [unit for one in outcomes for unit in one.units()]
    blank = sum(unit.score is None for unit in units)
    if blank:
        yield f"{blank} of {len(units)} units have no score, and count as 0.5 in the order"
    problems = Counter(problem for one in outcomes for problem in one.problems)
    yield from (f"{what} ({n} rows)" for what, n in problems.most_common())


def score_line(one: Outcome) -> dict[str, Any]:
    """Return the scores and ranks of a row as the metrics count them: of its labelled sentences,
    else of the message; of an extraction 1 for each triple that pairs and 0 for each other."""
    if one.paired is not None:
        pairs = [float(pair) for pair in one.paired]
        return {"id": one.row.id, "scores": pairs, "ranks": pairs}
    return {
        "id": one.row.id,
        "scores": [counted(unit.score) for unit in one.said],
        "ranks": [counted(unit.rank) for unit in one.said],
    }
