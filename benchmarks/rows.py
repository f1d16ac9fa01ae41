"""Rows of data sets, and the files they are read from."""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from halubot.errors import BrokenLineError, InputError, SettingError, UnreadableError, explain
from halubot.methods.registry import Verdicts
from halubot.report import Span, Triple

Fields = Mapping[str, Any]
Material = Literal["samples", "references"]


@dataclass(frozen=True, slots=True)
class PlantedError:
    """An error that somebody wrote into a message: its place, the wrong words, the right words
    (empty if the detail was invented), and the kind of error."""

    span: Span
    wrong: str
    right: str
    kind: str


@dataclass(frozen=True, slots=True)
class Row:
    """One message, the texts it is compared with, and its labels.

    ``gold`` runs from 0 (right) to 1 (wrong), one value for each of ``sentences`` or one for the
    message; it is empty if the label takes no side. ``group`` names rows that were not drawn
    independently: intervals draw them together, and folds never part them. ``parts`` names the
    parts of the data set that are also measured apart, such as "domain news". ``verdicts`` are
    recorded answers of a model on each sentence and sample. ``truth`` is a text by which
    corrections are judged; no method sees it.
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
    errors: tuple[PlantedError, ...] = ()
    parts: tuple[str, ...] = ()
    verdicts: Verdicts | None = None
    truth: str | None = None


@dataclass(frozen=True, slots=True)
class Dataset:
    """A data set: how a record becomes rows, and what its rows may be compared with.

    ``decided`` says which scores are doubted when metrics need a decision: those from the method's
    default threshold ("default"), from the threshold that is best on the other folds ("folds" or
    "halves"), or none, because the verdicts are measured or nothing is decided ("").
    ``kind`` names the metrics (`benchmarks.metrics`). With ``together`` all samples and references
    of a row are used unless an option names one of them.
    """

    name: str
    rows: Callable[[Fields], Sequence[Row]]
    gives: tuple[Material, ...] = ()
    kind: str = "units"
    decided: Literal["", "default", "folds", "halves"] = "folds"
    together: bool = False


@dataclass(frozen=True, slots=True)
class Loaded:
    """The rows of a file, the hash of the file, and the number of records without a row."""

    rows: tuple[Row, ...]
    sha256: str
    left_out: int


def load(dataset: Dataset, path: Path, *, limit: int | None = None) -> Loaded:
    """Read the rows of a file, at most ``limit`` of them.

    Raises UnreadableError for a file that cannot be read, BrokenLineError for a line that is not a
    record of this data set, InputError if there is no row.
    """
    rows: list[Row] = []
    left_out = 0
    for number, fields in read_records(path):
        try:
            found = dataset.rows({"line": number, **fields})
        except KeyError as error:
            why = f"{dataset.name} needs another field or value: {error}"
            raise BrokenLineError(path, number, why) from error
        except (TypeError, ValueError, AttributeError) as error:
            raise BrokenLineError(path, number, f"no record of {dataset.name}: {error}") from error
        left_out += not found
        rows.extend(found)
        if limit is not None and len(rows) >= limit:
            break
    if not rows:
        raise InputError(f"{path} holds no rows of {dataset.name}")
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return Loaded(tuple(rows[:limit]), digest, left_out)


def read_records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a JSON-lines file, plain or compressed, with their line numbers."""
    try:
        with path.open("rb") as raw:
            # By its first bytes (RFC 1952, section 2.3.1): downloads lose their endings.
            zipped = raw.read(2) == b"\x1f\x8b"
        with gzip.open(path) if zipped else path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, _parse(path, number, line)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise UnreadableError(path, f"its compression is broken ({error})") from error
    except OSError as error:
        raise UnreadableError(path, explain(error)) from error


def _parse(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BrokenLineError(path, number, f"not JSON ({error})") from error
    if not isinstance(value, dict):
        raise BrokenLineError(path, number, f"a {type(value).__name__}, not an object")
    return value


def with_verdicts(rows: Sequence[Row], path: Path, model: str) -> tuple[Row, ...]:
    """Return the rows with the recorded verdicts of this model on their sentences and samples.

    Raises SettingError for a model or a row that the file does not hold, BrokenLineError for
    verdicts that do not fit their row.
    """
    found = {
        fields.get("id"): (line, fields.get("verdicts")) for line, fields in read_records(path)
    }
    joined = []
    for row in rows:
        line, models = found.get(row.id, (0, None))
        if not isinstance(models, dict):
            raise SettingError(f"{path} has no verdicts on row {row.id}")
        if model not in models:
            raise SettingError(
                f"{path} has no verdicts of {model!r}: there are {', '.join(models)}"
            )
        said = models[model]
        shape = [len(row.samples)] * len(row.gold)
        if [len(one) for one in said] != shape or {v for one in said for v in one} - {0, 1, None}:
            raise BrokenLineError(path, line, f"the verdicts on row {row.id} do not fit it")
        joined.append(replace(row, verdicts=tuple(map(tuple, said))))
    return tuple(joined)


def choose_material(
    dataset: Dataset,
    rows: Sequence[Row],
    *,
    samples: bool,
    references: bool,
    n_samples: int | None,
) -> tuple[Row, ...]:
    """Return the rows with nothing but what they are to be compared with: what was asked for, else
    the usual material of the data set.

    Raises SettingError if the rows lack what is asked for.
    """
    there = [kind for kind in dataset.gives if any(getattr(row, kind) for row in rows)]
    wanted: dict[Material, bool] = {"samples": samples, "references": references}
    asked = [kind for kind, is_wanted in wanted.items() if is_wanted]
    for kind in asked:
        if kind not in there:
            raise SettingError(f"{dataset.name} has no {kind}")
    given = tuple(asked or (there if dataset.together else there[:1]))
    least = min(len(row.samples) for row in rows)
    if n_samples is not None and "samples" in given and n_samples > least:
        raise SettingError(f"{dataset.name} has a row with {least} samples: ask for no more")
    return tuple(
        replace(
            row,
            samples=row.samples[:n_samples] if "samples" in given else (),
            references=row.references if "references" in given else (),
            verdicts=row.verdicts and tuple(said[:n_samples] for said in row.verdicts),
        )
        for row in rows
    )
