"""What the rows of a benchmark are compared with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from halubot.errors import SettingError
from halubot.evaluation.rows import Dataset, Material, Row


def material(
    dataset: Dataset,
    rows: Sequence[Row],
    *,
    with_samples: bool = False,
    with_reference: bool = False,
) -> tuple[Material, ...]:
    """What the rows are compared with: what is asked for, else the usual one (all there is, where
    a data set has it so); empty where no row holds any.

    Raises SettingError where samples or references are asked for and there are none.
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

    Raises SettingError where a row has not that many samples; in rows of anybody's own there may
    be fewer.
    """
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
