"""Running a benchmark: every row checked, then measured."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from halubot import __version__
from halubot.bench import measures
from halubot.bench.checked import Check, Scored, checked, scored_row
from halubot.bench.datasets import DATASETS
from halubot.bench.intervals import intervals
from halubot.bench.material import material, with_material
from halubot.bench.measures import Metrics, counted
from halubot.bench.pairing import paired
from halubot.bench.plan import Plan, require_sense
from halubot.bench.reading import read_rows, sha256
from halubot.bench.rows import Dataset, Material, Row
from halubot.bench.verdicts import with_verdicts
from halubot.checking import check as real_check
from halubot.errors import InputError
from halubot.extract import extract
from halubot.facts import Triple, Usage
from halubot.methods import bias, registry
from halubot.text import read

if TYPE_CHECKING:
    from halubot.panel import Panel


@dataclass(frozen=True, slots=True)
class Result:
    """The figures of one benchmark. ``seconds`` is the time the rows took, figures left out;
    ``notes`` say what the figures rest on besides."""

    dataset: str
    method: str
    rows: int
    data_sha256: str
    engine: str
    metrics: dict[str, float | None]
    intervals: dict[str, tuple[float, float] | None]
    usage: Usage
    seconds: float
    notes: tuple[str, ...]
    scored: tuple[Scored, ...]

    def to_dict(self) -> dict[str, Any]:
        """The JSON of the contract."""
        return {
            "dataset": self.dataset,
            "method": self.method,
            "rows": self.rows,
            "data_sha256": self.data_sha256,
            "engine": self.engine,
            "metrics": self.metrics,
            "intervals": self.intervals,
            "usage": self.usage.model_dump(),
            "seconds": round(self.seconds, 3),
            "notes": list(self.notes),
        }


Advance = Callable[[int, int], None]
"""Told after each row how many are done, of how many."""


def run(
    plan: Plan,
    *,
    panel: Panel | None = None,
    check: Check | None = None,
    triples: Callable[[str], tuple[Triple, ...]] | None = None,
    advance: Advance = lambda done, of: None,
) -> Result:
    """Measures a method on a data set; ``panel`` holds the models that it asks. ``check`` and
    ``triples`` stand in for halubot's own.

    Raises UnreadableError and BrokenLineError for files that cannot be used, UnknownMethodError,
    SettingError for options that mean nothing here or a method that needs what the data set does
    not give, and InputError, naming the row, where a row cannot be checked.
    """
    dataset = DATASETS[plan.dataset]
    default_threshold = registry.get(plan.method).default_threshold.value
    given = material(dataset, with_reference=plan.with_reference)
    require_sense(plan, dataset, given, asking=panel is not None)
    if check is None:
        check = partial(real_check, panel=panel, as_published=plan.as_published)
    digest = sha256(plan.data)
    rows = read_rows(dataset, plan.data, limit=plan.limit)
    if plan.verdicts is not None and plan.verdict_model is not None:
        rows = with_verdicts(rows, plan.verdicts, plan.verdict_model)
    rows = with_material(dataset, rows, given, n_samples=plan.n_samples)
    held: tuple[Row, ...] = ()
    if plan.validation is not None:
        held = with_material(dataset, read_rows(dataset, plan.validation), given, n_samples=None)
    voting = {} if plan.verdict_samples is None else {"verdict_samples": plan.verdict_samples}
    began = time.perf_counter()
    problems: Counter[str] = Counter()
    usages: list[Usage] = []
    told = bias.Leaning()
    scored: list[Scored] = []
    for row in rows + held:
        if given is None:
            found = (triples or _triples)(row.text)
            scored.append(Scored(row, triples=found, paired=paired(found, row.triples)))
        else:
            report = checked(
                row,
                check,
                dataset=plan.dataset,
                method=plan.method,
                threshold=plan.threshold,
                options={**plan.options, **voting},
            )
            problems.update({problem.what for problem in report.problems})
            usages.append(report.usage)
            told += bias.from_details(report.details)
            scored.append(scored_row(row, report))
        advance(len(scored), len(rows) + len(held))
    seconds = time.perf_counter() - began
    own, validation = tuple(scored[: len(rows)]), scored[len(rows) :]
    threshold, notes = _threshold(plan, dataset, validation, default_threshold)
    metrics = _metrics(dataset.name, own, threshold)
    notes += (f"judged by {panel.judge.name}",) if panel is not None else ()
    return Result(
        dataset=dataset.name,
        method=plan.method,
        rows=len(rows),
        data_sha256=digest,
        engine=__version__,
        metrics={name: metric.value for name, metric in metrics.items()},
        intervals=intervals(metrics, [row.group for row in rows]),
        usage=_sum(usages),
        seconds=seconds,
        notes=(*notes, *_remarks(own, given, problems), *_doubts(told, scored)),
        scored=own,
    )


def score_line(scored: Scored) -> dict[str, Any]:
    """A row's scores as they were counted. Units are the data set's own sentences where it has
    them, else the message, with the sentences it was cut into; where extraction is measured, the
    triples found (1 pairs with a given one, 0 does not)."""
    row = scored.row
    if scored.triples is not None:
        pairs = [float(pair) for pair in scored.paired]
        return {"id": row.id, "scores": pairs, "ranks": pairs, "triplets": list(scored.triples)}
    if row.sentences is not None:
        scores = [counted(sentence.score) for sentence in scored.sentences]
        ranks = [counted(sentence.rank) for sentence in scored.sentences]
        return {"id": row.id, "scores": scores, "ranks": ranks}
    score = [counted(scored.score)]
    sentences = [
        {"start": s.span[0], "end": s.span[1], "score": s.score, "rank": s.rank}
        for s in scored.sentences
    ]
    return {"id": row.id, "scores": score, "ranks": score, "sentences": sentences}


def _triples(text: str) -> tuple[Triple, ...]:
    return tuple(fact.triple for fact in extract(read(text)))


def _threshold(
    plan: Plan, dataset: Dataset, validation: Sequence[Scored], default: float
) -> tuple[float | None, tuple[str, ...]]:
    """The threshold of the data set's figures, and where it comes from; None where each fold
    finds its own or none is needed."""
    if dataset.fitting == "none":
        return None, ()
    if plan.threshold is not None:
        return plan.threshold, (f"threshold {plan.threshold:g} as given",)
    if dataset.fitting == "folds":
        return None, (f"threshold by {measures.FOLDS}-fold cross-validation",)
    if plan.validation is None:
        return default, (
            f"threshold {default:g} is the default of {plan.method}, not found on validation data",
        )
    found = measures.best_threshold(validation)
    if found is None:
        raise InputError(f"{plan.validation} has rows of one label only: no threshold can be found")
    return found, (f"threshold {found:.3f} found on {len(validation)} rows of validation data",)


def _metrics(dataset: str, scored: Sequence[Scored], threshold: float | None) -> Metrics:
    match dataset:
        case "wikibio":
            return measures.wikibio(scored)
        case "faithbench":
            return measures.faithbench(scored)
        case "phd":
            return measures.phd(scored, threshold)
        case "refchecker":
            return measures.refchecker(scored)
        case _:
            return measures.halueval(scored, measures.UNSCORED if threshold is None else threshold)


def _remarks(
    scored: Sequence[Scored], given: Material | None, problems: Counter[str]
) -> tuple[str, ...]:
    if given is None:
        return ("extraction by rules alone: the method takes no part",)
    blank = measures.unscored(scored)
    counted_half = (f"{blank} units have no score and count {measures.UNSCORED}",) if blank else ()
    return (*counted_half, *(f"{what} ({n} rows)" for what, n in problems.most_common()))


def _doubts(told: bias.Leaning, scored: Sequence[Scored]) -> tuple[str, ...]:
    """What is to be said of a judge that says nearly always the same."""
    golds = [gold for one in scored for gold in one.row.gold]
    wrong = sum(gold > 0 for gold in golds)
    doubt = bias.doubt_of_benchmark(told, len(golds) - wrong, wrong)
    return () if doubt is None else (f"{bias.SUSPECT}: {doubt}",)


def _sum(usages: Sequence[Usage]) -> Usage:
    costs = [usage.cost_usd for usage in usages if usage.cost_usd is not None]
    return Usage(
        calls=sum(usage.calls for usage in usages),
        cached_calls=sum(usage.cached_calls for usage in usages),
        prompt_tokens=sum(usage.prompt_tokens for usage in usages),
        completion_tokens=sum(usage.completion_tokens for usage in usages),
        cost_usd=sum(costs) if costs else None,
        seconds=round(sum(usage.seconds for usage in usages), 3),
    )
