"""Verdicts of models that were recorded before, laid beside the rows they belong to.

A file holds one JSON object a line, plain or compressed with gzip: ``id`` as in the data set, and
``verdicts``, under the name of each model a list for each sentence of one value a sample: 0
supported, 1 not, null neither.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from halubot.errors import BrokenLineError, SettingError
from halubot.evaluation.dataset_files import records
from halubot.evaluation.rows import Row


def with_verdicts(rows: Sequence[Row], path: Path, model: str) -> tuple[Row, ...]:
    """The rows with what this model said of their sentences.

    Raises UnreadableError for a file that cannot be read, BrokenLineError for a line that is no
    such record or does not fit its row, SettingError for a model that a line does not hold and a
    row that has no line.
    """
    known = {row.id for row in rows}
    found: dict[str, tuple[int, Any]] = {}
    with closing(records(path)) as lines:
        for line, fields in lines:
            name, models = fields.get("id"), fields.get("verdicts")
            if not isinstance(name, str) or not isinstance(models, dict):
                why = "recorded verdicts need 'id', a text, and 'verdicts', an object of models"
                raise BrokenLineError(path, line, why)
            if name in known:
                found[name] = line, _of_model(models, model, path, line)
    return tuple(_join(row, found, path, model) for row in rows)


def _of_model(models: Mapping[str, Any], model: str, path: Path, line: int) -> Any:
    if model not in models:
        there = ", ".join(sorted(models)) or "none"
        raise SettingError(f"{path}, line {line} has no verdicts of {model!r}: there are {there}")
    return models[model]


def _join(row: Row, found: Mapping[str, tuple[int, Any]], path: Path, model: str) -> Row:
    if row.id not in found:
        raise SettingError(f"{path} has no verdicts on row {row.id}: give those of the same data")
    line, said = found[row.id]
    if not _fit(said, len(row.gold), len(row.samples)):
        raise BrokenLineError(
            path,
            line,
            f"the verdicts of {model} on row {row.id} do not fit: a list is needed for each of"
            f" {len(row.gold)} sentences, of {len(row.samples)} values 0, 1 or null, one a sample",
        )
    return replace(row, verdicts=tuple(map(tuple, said)))


def _fit(said: Any, sentences: int, samples: int) -> bool:
    return _is_list(said, sentences) and all(
        _is_list(values, samples) and all(map(_is_verdict, values)) for values in said
    )


def _is_list(value: Any, length: int) -> bool:
    return isinstance(value, list) and len(value) == length


def _is_verdict(value: Any) -> bool:
    return value is None or (type(value) is int and value in (0, 1))
