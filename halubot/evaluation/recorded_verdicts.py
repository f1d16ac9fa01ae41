"""Recorded verdicts of models, as they were or as a worse judge would have given them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any, Final, Literal

from halubot.errors import BrokenLineError, SettingError
from halubot.evaluation.rows import Row, records
from halubot.reliability import KNOWN, NOTHING, Tally


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
            # Files hold the verdicts on a whole data set, and a run with --limit reads a part of
            # it.
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


Kind = Literal["flip", "coin", "yes", "no"]


_PLAIN: Final[tuple[Kind, ...]] = ("coin", "yes", "no")


NONE: Final = "flip:0"


@dataclass(frozen=True, slots=True)
class Noise:
    """A worse judge: its ``kind``, and for "flip" the ``share`` of verdicts turned round."""

    kind: Kind
    share: float = 0.0

    def turn(self, verdict: int, random: Random) -> int:
        """Return this judge's word in place of a verdict: 0 for supported, 1 for not."""
        match self.kind:
            case "flip":
                return 1 - verdict if random.random() < self.share else verdict
            case "coin":
                return random.randint(0, 1)
            case "yes":
                return 0
            case "no":
                return 1

    def row(self, row: Row) -> Row:
        """Return the row with the verdicts of this judge, the same ones each time, and its answers
        to canaries."""
        # By the row and not by its place, so that the same row has the same noise whatever is
        # measured beside it. Not `hash`, which differs in each process.
        random = Random(sha256(row.id.encode()).digest())  # noqa: S311 - no secrets
        said = tuple(
            tuple(None if one is None else self.turn(one, random) for one in of_sentence)
            for of_sentence in row.verdicts or ()
        )
        # Without canaries such a judge would be trusted by other rules than one that is asked: they
        # are answered with the same noise.
        tally: Tally = NOTHING
        for number in range(KNOWN):
            right = number % 3 == 0  # of three in a call, one stands in the source
            tally = tally.count(right, self.turn(int(not right), random) == 0)
        return replace(row, verdicts=said, canaries=tally)


def parse_noise(text: str) -> Noise:
    """Parse ``flip:0.3``, ``coin``, ``yes`` or ``no``. Raises SettingError for anything else."""
    kind, _, share = text.partition(":")
    for plain in _PLAIN:
        if text == plain:
            return Noise(plain)
    try:
        part = float(share)
    except ValueError:
        part = -1.0
    if kind != "flip" or not 0 <= part <= 1:
        raise SettingError(f"{text!r:.40} is no noise: write flip:0.3, coin, yes or no")
    return Noise("flip", part)


def with_noise(rows: Sequence[Row], text: str | None) -> tuple[Row, ...]:
    """Return the rows with their verdicts as a worse judge gives them, as they are for None; with
    its answers to canaries. Raises SettingError."""
    noise = parse_noise(NONE if text is None else text)
    return tuple(noise.row(row) for row in rows)
