"""Everything a benchmark reads, before the first row is checked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from halubot.errors import SettingError, UnreadableError, explain
from halubot.evaluation.answers import with_correct
from halubot.evaluation.dataset_files import read_file, sha256
from halubot.evaluation.datasets import DATASETS
from halubot.evaluation.noise import with_noise
from halubot.evaluation.plan import Plan, require_options
from halubot.evaluation.recorded_verdicts import with_verdicts
from halubot.evaluation.row_material import material, with_material
from halubot.evaluation.rows import Dataset, Material, Row

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
        """How many rows a method is to check."""
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
            path.open("rb").close()
        except OSError as error:
            raise UnreadableError(path, explain(error)) from error
    if plan.validation is not None and plan.validation.samefile(plan.data):
        raise SettingError(_SAME)


def require_other_rows(loaded: Loaded) -> None:
    """Raises SettingError where the validation file is the data itself."""
    if loaded.validation_sha256 == loaded.data_sha256:
        raise SettingError(_SAME)


def _join(plan: Plan, rows: tuple[Row, ...]) -> tuple[Row, ...]:
    return rows if plan.also is None else with_correct(rows, plan.also)


def _hash(path: Path | None) -> str | None:
    return None if path is None else sha256(path)
