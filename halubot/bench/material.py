"""What the rows of a benchmark are compared with."""

from __future__ import annotations

from dataclasses import replace

from halubot.bench.rows import Dataset, Material, Row
from halubot.errors import SettingError


def material(dataset: Dataset, *, with_reference: bool) -> Material | None:
    """What the rows are compared with; None where the data set measures extraction alone.

    Raises SettingError where references are asked for and there are none.
    """
    if with_reference and "references" not in dataset.gives:
        raise SettingError(f"{dataset.name} has no references: leave --with-reference out")
    return "references" if with_reference else next(iter(dataset.gives), None)


def with_material(
    dataset: Dataset, rows: tuple[Row, ...], given: Material | None, *, n_samples: int | None
) -> tuple[Row, ...]:
    """The rows with nothing but the given material, of samples the first ``n_samples``.

    Raises SettingError where there are not that many samples, or none are used.
    """
    if given != "samples":
        if n_samples is not None:
            raise SettingError(f"{dataset.name} uses no samples here: leave --n-samples out")
        return tuple(replace(row, samples=()) for row in rows)
    least = min(len(row.samples) for row in rows)
    if n_samples is not None and n_samples > least:
        raise SettingError(
            f"{dataset.name} has a row with {least} samples: --n-samples takes up to {least} here"
        )
    return tuple(
        replace(
            row,
            samples=row.samples[:n_samples],
            references=(),
            verdicts=row.verdicts and tuple(said[:n_samples] for said in row.verdicts),
        )
        for row in rows
    )
