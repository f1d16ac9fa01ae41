"""Everything a benchmark reads before the first row is checked, with remarks on what it rests
on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from halubot.calibration.store import load_shipped
from halubot.errors import SettingError, UnreadableError, explain
from halubot.evaluation import measures, summaries
from halubot.evaluation.checked import units
from halubot.evaluation.datasets import DATASETS, with_correct
from halubot.evaluation.finished_rows import Outcome
from halubot.evaluation.plan import Plan, require_options
from halubot.evaluation.recorded_verdicts import with_noise, with_verdicts
from halubot.evaluation.rows import Dataset, Material, Row, read_file, sha256
from halubot.evaluation.statistics import UNSCORED
from halubot.methods.judges import jury


def material(
    dataset: Dataset,
    rows: Sequence[Row],
    *,
    with_samples: bool = False,
    with_reference: bool = False,
) -> tuple[Material, ...]:
    """Choose what the rows are compared with: what is asked for, else the usual one (all there is,
    if a data set has it so); empty if no row holds any.

    Raises SettingError if samples or references are asked for and there are none.
    """
    there = [kind for kind in dataset.gives if any(_of(row, kind) for row in rows)]
    asked: list[Material] = []
    if with_samples:
        asked.append("samples")
    if with_reference:
        asked.append("references")
    for kind in asked:
        if kind not in there:
            option = "--with-samples" if kind == "samples" else "--with-reference"
            raise SettingError(f"{dataset.name} has no {kind}: leave {option} out")
    return tuple(asked or (there if dataset.together else there[:1]))


def with_material(
    dataset: Dataset,
    rows: Sequence[Row],
    given: tuple[Material, ...],
    *,
    n_samples: int | None,
) -> tuple[Row, ...]:
    """The rows with nothing but the given material, of samples the first ``n_samples``.

    Raises SettingError if a row has not that many samples; in rows of anybody's own there may
    be fewer.
    """
    # A figure of N samples has to rest on N samples in every row.
    if "samples" in given and n_samples is not None and not dataset.together:
        least = min(len(row.samples) for row in rows)
        if n_samples > least:
            raise SettingError(
                f"{dataset.name} has a row with {least} samples: --n-samples takes up to {least}"
                " here"
            )
    return tuple(
        replace(
            row,
            samples=row.samples[:n_samples] if "samples" in given else (),
            references=row.references if "references" in given else (),
            verdicts=row.verdicts and tuple(said[:n_samples] for said in row.verdicts),
        )
        for row in rows
    )


def _of(row: Row, kind: Material) -> tuple[str, ...]:
    return row.samples if kind == "samples" else row.references


_SAME = "the validation file is the data itself: nothing may be found on what is measured"


@dataclass(frozen=True, slots=True)
class Loaded:
    """The rows to measure and those of the validation file, with what they are compared with and
    nothing else; the hashes of the files they came from, and how many records of the data hold
    nothing that can be measured."""

    dataset: Dataset
    rows: tuple[Row, ...]
    validation: tuple[Row, ...]
    given: tuple[Material, ...]
    data_sha256: str
    validation_sha256: str | None
    left_out: int

    @property
    def count(self) -> int:
        """Return the number of rows that a method is to check."""
        return len(self.rows) + len(self.validation)

    @property
    def files(self) -> frozenset[str]:
        """The hashes of the files on which nothing that is used may have been fitted."""
        return frozenset(filter(None, [self.data_sha256, self.validation_sha256]))


def load(plan: Plan) -> Loaded:
    """Reads the files of a plan.

    Raises UnreadableError and BrokenLineError for files that cannot be used, SettingError for
    options that mean nothing on this data set.
    """
    dataset = DATASETS[plan.dataset]
    require_options(plan, dataset)
    # Of the file as it is and not of its rows: calibrations name the file that they were fitted on.
    digest = sha256(plan.data)
    reading = read_file(dataset, plan.data, limit=plan.limit)
    rows = _join(plan, reading.rows)
    if plan.verdicts is not None and plan.verdict_model is not None:
        rows = with_verdicts(rows, plan.verdicts, plan.verdict_model)
        rows = with_noise(rows, plan.judge_noise)
    given = material(
        dataset, rows, with_samples=plan.with_samples, with_reference=plan.with_reference
    )
    held: tuple[Row, ...] = ()
    if plan.validation is not None:
        held = _join(plan, read_file(dataset, plan.validation).rows)
        held = with_material(dataset, held, given, n_samples=plan.n_samples)
    return Loaded(
        dataset=dataset,
        rows=with_material(dataset, rows, given, n_samples=plan.n_samples),
        validation=held,
        given=given,
        data_sha256=digest,
        validation_sha256=_hash(plan.validation),
        left_out=reading.left_out,
    )


def require_readable(plan: Plan) -> None:
    """Raise UnreadableError for a file that is not there, before any is read: reading the data may
    take a minute."""
    for path in (plan.data, plan.also, plan.verdicts, plan.validation):
        if path is None:
            continue
        try:
            # Opened and not just looked at: permissions are known only then.
            path.open("rb").close()
        except OSError as error:
            raise UnreadableError(path, explain(error)) from error
    if plan.validation is not None and plan.validation.samefile(plan.data):
        raise SettingError(_SAME)


def require_other_rows(loaded: Loaded) -> None:
    """Raises SettingError if the validation file is the data itself."""
    if loaded.validation_sha256 == loaded.data_sha256:
        raise SettingError(_SAME)


def _join(plan: Plan, rows: tuple[Row, ...]) -> tuple[Row, ...]:
    return rows if plan.also is None else with_correct(rows, plan.also)


def _hash(path: Path | None) -> str | None:
    return None if path is None else sha256(path)


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
    # Said, since the same command on other data prints probabilities.
    if any(one.data_sha256 in loaded.files for one in load_shipped() if one.method == plan.method):
        yield "a calibration that comes with halubot was fitted on this file: it takes no part"
    every = (*outcomes, *validation)
    problems = Counter(problem for outcome in every for problem in outcome.problems)
    yield from (f"{what} ({n} rows)" for what, n in problems.most_common())
    if doubt := _doubt(every):
        yield f"{jury.SUSPECT}: {doubt}"


def _contents(rows: Sequence[Row]) -> set[tuple[object, ...]]:
    return {(row.text, row.question, row.references, row.samples) for row in rows}


def calibrated_on(outcomes: Sequence[Outcome]) -> str | None:
    """Return the name of the data that the probabilities were fitted on; None without any."""
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
    """Return a warning of a judge that says nearly always the same; None for any other."""
    told = jury.Leaning()
    for outcome in outcomes:
        told += jury.from_details(dict(outcome.details))
    golds = [gold for outcome in outcomes for gold in outcome.scored.row.gold]
    wrong = sum(gold > 0 for gold in golds)
    return jury.doubt_of_benchmark(told, len(golds) - wrong, wrong)
