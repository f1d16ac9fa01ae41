"""The data sets that can be measured, and reading their files.

A file holds one JSON object a line, plain or gzip'd. Every row is read and checked before the
first one is scored, so that a broken line costs no work.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, Final, Literal

from halubot.errors import BrokenLineError, InputError, SettingError, UnreadableError, explain
from halubot.facts import Span, Triple
from halubot.methods.registry import Verdicts

Material = Literal["samples", "references"]
Fitting = Literal["none", "validation", "folds"]

WRONG: Final[Mapping[str, float]] = {
    "accurate": 0.0,
    "minor_inaccurate": 0.5,
    "major_inaccurate": 1.0,
}
"""How wrong a WikiBio sentence is, by its label, as SelfCheckGPT counts it."""


@dataclass(frozen=True, slots=True)
class Row:
    """One message with what it is compared with and what people said of it.

    ``gold`` runs from 0 (right) to 1 (wrong), one value a sentence or one for the whole message;
    it is empty where the label takes no side. ``group`` names rows that were not drawn
    independently of each other (a pair, summaries of one source): intervals draw them together.
    ``verdicts`` are what a model said of each sentence by each sample (`Case.verdicts`).
    """

    id: str
    text: str
    gold: tuple[float, ...] = ()
    group: str = ""
    sentences: tuple[str, ...] | None = None
    samples: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    question: str | None = None
    subject: str | None = None
    wrong_spans: tuple[Span, ...] = ()
    triples: tuple[Triple, ...] = ()
    verdicts: Verdicts | None = None


@dataclass(frozen=True, slots=True)
class Dataset:
    """A data set: how one record becomes a row, what its rows may be compared with (the usual
    first), and where the threshold of its metrics is found: nowhere, on a validation file, or by
    cross-validation."""

    name: str
    row: Callable[[Record], Row]
    gives: tuple[Material, ...] = ()
    fitting: Fitting = "none"


class Record:
    """The fields of one line, read by type. A wrong one raises BrokenLineError, which names the
    data set and the field."""

    def __init__(self, fields: Mapping[str, Any], dataset: str, path: Path, line: int) -> None:
        self._fields = fields
        self._dataset = dataset
        self._path = path
        self._line = line

    def text(self, name: str) -> str:
        """A string that is not blank."""
        value = self._fields.get(name)
        if not isinstance(value, str) or not value.strip():
            raise self.wrong(name, "a text")
        return value

    def label(self, name: str) -> str:
        """What names a row or a group of rows: a text, or a whole number written as one."""
        value = self._fields.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        return self.text(name)

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of strings, none of them blank, at least one."""
        value = self._fields.get(name)
        if not isinstance(value, list) or not value:
            raise self.wrong(name, "a list of texts")
        if not all(isinstance(item, str) and item.strip() for item in value):
            raise self.wrong(name, "a list of texts")
        return tuple(value)

    def one_of(self, name: str, values: Mapping[str, float]) -> float:
        """What ``values`` says of a label."""
        value = self._fields.get(name)
        if not isinstance(value, str) or value not in values:
            raise self.wrong(name, "one of " + ", ".join(values))
        return values[value]

    def objects(self, name: str) -> tuple[Mapping[str, Any], ...]:
        """A list of objects, maybe empty."""
        value = self._fields.get(name)
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self.wrong(name, "a list of objects")
        return tuple(value)

    def wrong(self, name: str, wanted: str) -> BrokenLineError:
        """The error to raise where a field is missing or not what was wanted."""
        return BrokenLineError(
            self._path, self._line, f"{self._dataset} needs a field {name!r}, {wanted}"
        )


def _wikibio(record: Record) -> Row:
    sentences = record.texts("sentences")
    labels = record.texts("labels")
    if len(labels) != len(sentences) or not all(label in WRONG for label in labels):
        raise record.wrong("labels", f"for each sentence one of {', '.join(WRONG)}")
    return Row(
        id=record.label("id"),
        text=record.text("passage"),
        gold=tuple(WRONG[label] for label in labels),
        sentences=sentences,
        samples=record.texts("samples"),
        references=(record.text("reference"),),
        subject=record.text("concept"),
    )


def _halueval_qa(record: Record) -> Row:
    return Row(
        id=record.label("id"),
        text=record.text("answer"),
        gold=(record.one_of("label", {"right": 0.0, "hallucinated": 1.0}),),
        group=record.label("pair"),
        references=(record.text("knowledge"),),
        question=record.text("question"),
    )


def _halueval_sum(record: Record) -> Row:
    return Row(
        id=record.label("id"),
        text=record.text("summary"),
        gold=(record.one_of("label", {"right": 0.0, "hallucinated": 1.0}),),
        group=record.label("pair"),
        references=(record.text("document"),),
    )


def _faithbench(record: Record) -> Row:
    labels = {"Consistent": 0.0, "Benign": 0.25, "Questionable": 0.5, "Unwanted": 1.0}
    worst = record.one_of("label", labels)
    spans: list[Span] = []
    for note in record.objects("annotations"):
        start, end, kinds = note.get("start"), note.get("end"), note.get("labels")
        if not isinstance(start, int) or not isinstance(end, int) or not isinstance(kinds, list):
            raise record.wrong("annotations", "a list of objects with labels, start and end")
        if "Unwanted" in kinds:
            spans.append((start, end))
    context = record.text("context")
    return Row(
        id=record.label("id"),
        text=record.text("answer"),
        gold=(worst,) if worst in (0.0, 1.0) else (),
        group=context,
        references=(context,),
        wrong_spans=tuple(spans),
    )


def _phd(record: Record) -> Row:
    return Row(
        id=record.label("id"),
        text=record.text("passage"),
        gold=(record.one_of("label", {"factual": 0.0, "non-factual": 1.0}),),
        samples=record.texts("samples"),
        subject=record.text("entity"),
    )


def _refchecker(record: Record) -> Row:
    triples: list[Triple] = []
    for claim in record.objects("claims"):
        parts = claim.get("triplet")
        if not isinstance(parts, list) or len(parts) != 3:
            raise record.wrong("claims", "a list of objects with a triplet of three texts")
        triples.append(Triple(*(str(part) for part in parts)))
    return Row(
        id=record.label("id"),
        text=record.text("answer"),
        group=record.label("item"),
        triples=tuple(triples),
    )


DATASETS: Final[Mapping[str, Dataset]] = {
    dataset.name: dataset
    for dataset in (
        Dataset("wikibio", _wikibio, ("samples", "references")),
        Dataset("halueval_qa", _halueval_qa, ("references",), fitting="validation"),
        Dataset("halueval_sum", _halueval_sum, ("references",), fitting="validation"),
        Dataset("faithbench", _faithbench, ("references",)),
        Dataset("phd", _phd, ("samples",), fitting="folds"),
        Dataset("refchecker", _refchecker),
    )
}


def read_rows(dataset: Dataset, path: Path, *, limit: int | None = None) -> tuple[Row, ...]:
    """The rows of a file, at most ``limit`` of them, in order.

    Raises UnreadableError for a file that cannot be read, BrokenLineError for a line that is not
    a record of this data set, InputError where there is no row at all.
    """
    with closing(records(path)) as lines:
        rows = tuple(
            dataset.row(Record(fields, dataset.name, path, line))
            for line, fields in islice(lines, limit)
        )
    if not rows:
        raise InputError(f"{path} holds no rows: give a file of {dataset.name} as JSON lines")
    return rows


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


def sha256(path: Path) -> str:
    """The SHA-256 of the file as it lies on the disk, in hexadecimal. Raises UnreadableError."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise UnreadableError(path, explain(error)) from error


def records(path: Path) -> Generator[tuple[int, dict[str, Any]], None, None]:
    """The objects of a JSON-lines file with their line numbers; blank lines are skipped."""
    try:
        with path.open("rb") as raw:
            zipped = raw.read(2) == b"\x1f\x8b"
        with gzip.open(path) if zipped else path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, _parsed(path, number, line)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise UnreadableError(path, f"its compression is broken ({error})") from error
    except OSError as error:
        raise UnreadableError(path, explain(error)) from error


def _parsed(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except UnicodeDecodeError:
        raise BrokenLineError(path, number, "not UTF-8") from None
    except (ValueError, RecursionError) as error:
        why = error.msg if isinstance(error, json.JSONDecodeError) else "too deep or too large"
        raise BrokenLineError(path, number, f"not JSON ({why})") from None
    if not isinstance(value, dict):
        raise BrokenLineError(path, number, f"a {type(value).__name__}, not an object")
    return value
