"""Reading the files of data sets.

A file holds one JSON object a line, plain or gzip'd. Every row is read and checked before the
first one is scored, so that a broken line costs no work.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from halubot.errors import BrokenLineError, InputError, UnreadableError, explain
from halubot.evaluation.rows import Dataset, Record, Row


class Reading(NamedTuple):
    """The rows of a file, and how many of its records hold nothing that can be measured."""

    rows: tuple[Row, ...]
    left_out: int


def read_file(dataset: Dataset, path: Path, *, limit: int | None = None) -> Reading:
    """The rows of a file, at most ``limit`` of them, in order.

    Raises UnreadableError for a file that cannot be read, BrokenLineError for a line that is not
    a record of this data set, InputError where there is no row at all.
    """
    rows: list[Row] = []
    left_out = 0
    with closing(records(path)) as lines:
        for line, fields in lines:
            found = dataset.rows(Record(fields, dataset.name, path, line))
            left_out += not found
            rows.extend(found)
            if limit is not None and len(rows) >= limit:
                break
    if not rows:
        raise InputError(f"{path} holds no rows: give a file of {dataset.name} as JSON lines")
    return Reading(tuple(rows[:limit]), left_out)


def read_rows(dataset: Dataset, path: Path, *, limit: int | None = None) -> tuple[Row, ...]:
    """The rows of `read_file` alone. Raises as that does."""
    return read_file(dataset, path, limit=limit).rows


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
                    yield number, _parse(path, number, line)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise UnreadableError(path, f"its compression is broken ({error})") from error
    except OSError as error:
        raise UnreadableError(path, explain(error)) from error


def _parse(path: Path, number: int, line: bytes) -> dict[str, Any]:
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
