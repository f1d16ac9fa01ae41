"""What the figures of a benchmark rest on, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from halubot.calibration.store import load_shipped
from halubot.evaluation import measures, summaries
from halubot.evaluation.checked import units
from halubot.evaluation.finished_rows import Outcome
from halubot.evaluation.loader import Loaded
from halubot.evaluation.plan import Plan
from halubot.evaluation.rows import Row
from halubot.evaluation.statistics import UNSCORED
from halubot.methods.judges import bias


def remarks(
    plan: Plan,
    loaded: Loaded,
    outcomes: Sequence[Outcome],
    validation: Sequence[Outcome],
    *,
    kept: int,
    judge: str | None,
) -> Iterator[str]:
    """Everything that is to be said below the figures, where the threshold comes from left out.

    ``kept`` rows were done before; ``judge`` is the name of the model that judges, if one does.
    """
    if judge is not None:
        yield f"judged by {judge}"
    if kept:
        yield f"{kept} rows were done before, in {plan.resume}"
    if loaded.left_out:
        yield f"{loaded.left_out} records hold nothing that can be measured and were left out"
    if loaded.dataset.extraction:
        yield "extraction by rules alone: the method takes no part"
        return
    if common := _contents(loaded.rows) & _contents(loaded.validation):
        yield f"{len(common)} rows of the validation data are measured too"
    missing = sum(not fact.found for one in outcomes for fact in one.scored.facts)
    if missing:
        yield f"{missing} labelled facts are none that {plan.method} found, and have no score"
    blank = measures.count_unscored([outcome.scored for outcome in outcomes])
    if blank and loaded.dataset.fitting != "verdicts":
        yield f"{blank} units have no score and count {UNSCORED}"
    if loaded.dataset.fitting == "halves":
        yield from summaries.count_verdicts([outcome.scored for outcome in outcomes])
    if calibrated := calibrated_on(outcomes):
        yield f"probabilities by the calibration fitted on {calibrated}"
    if any(one.data_sha256 in loaded.files for one in load_shipped() if one.method == plan.method):
        yield "a calibration that comes with halubot was fitted on this file: it takes no part"
    every = (*outcomes, *validation)
    problems = Counter(problem for outcome in every for problem in outcome.problems)
    yield from (f"{what} ({n} rows)" for what, n in problems.most_common())
    if doubt := _doubt(every):
        yield f"{bias.SUSPECT}: {doubt}"


def _contents(rows: Sequence[Row]) -> set[tuple[object, ...]]:
    return {(row.text, row.question, row.references, row.samples) for row in rows}


def calibrated_on(outcomes: Sequence[Outcome]) -> str | None:
    """What the probabilities were fitted on; None where there are none."""
    return next(
        (
            outcome.fitted_on
            for outcome in outcomes
            if outcome.fitted_on
            and any(unit.probability is not None for unit in units(outcome.scored))
        ),
        None,
    )


def _doubt(outcomes: Sequence[Outcome]) -> str | None:
    """What is to be said of a judge that says nearly always the same."""
    told = bias.Leaning()
    for outcome in outcomes:
        told += bias.from_details(dict(outcome.details))
    golds = [gold for outcome in outcomes for gold in outcome.scored.row.gold]
    wrong = sum(gold > 0 for gold in golds)
    return bias.doubt_of_benchmark(told, len(golds) - wrong, wrong)
