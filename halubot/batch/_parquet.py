"""Batches in Parquet files (``.parquet``), with the extra ``parquet``.

A row of an input is a message: its columns have the names that an object of a line has, and a null
is what is not given. A Parquet file can only be read once it is whole. So an output is gathered as
JSON lines in ``OUT.parquet.part``, which is what a stopped batch goes on from, and written as
Parquet when the work ends.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO, Final

from halubot.batch._streams import PieceReader
from halubot.errors import InputError, MissingExtraError, UnreadableError, explain
from halubot.work_file import open_work_file

COLUMNS: Final = (
    *("id", "text", "question", "context", "subject"),
    *("samples", "references", "sentences"),
)
"""Columns of an input that are read; others are passed over."""

OUTCOMES: Final = ("report", "brief", "error")

_BATCH: Final = 256
"""Rows that are read at a time."""

_GROUP: Final = 8 << 20
"""Bytes of lines in a row group of an output: what a reader has in memory at least."""


def is_parquet(path: Path) -> bool:
    """Return True if the name says that it is a Parquet file."""
    return path.suffix == ".parquet"


def part_path(target: Path) -> Path:
    """Return the file in which the lines of an output are gathered."""
    return target.with_name(f"{target.name}.part")


def open_rows(path: Path) -> BinaryIO:
    """Open a Parquet file to read its rows as JSON lines. Raises OSError and MissingExtraError
    here, and UnreadableError for a file that is damaged or has no column ``text``."""
    library = _library(path)
    with ExitStack() as stack:
        file = stack.enter_context(path.open("rb"))
        lines = _lines(path, _opened(path, file, library))
        return io.BufferedReader(PieceReader(lines, stack.pop_all().close))


def count_rows(path: Path) -> int:
    """Return the number of rows of a file without reading them. Raises what `open_rows` raises."""
    library = _library(path)
    with path.open("rb") as file:
        rows: int = _opened(path, file, library).metadata.num_rows
        return rows


@contextmanager
def gathered(target: Path) -> Iterator[BinaryIO]:
    """Open the lines of an output, and write them as Parquet at the end.

    If an exception ends it, the lines stay where they were gathered. Raises InputError if a file
    cannot be written, or ``target`` is something else; MissingExtraError.
    """
    library = _library(target)
    part = part_path(target)
    if target.is_dir():
        raise InputError(f"cannot write {target}: it is a folder")
    if target.exists() and not part.exists():
        _ungather(target, part, library)
    with open_work_file(part) as file:
        yield file
        file.seek(0)
        _write(target, file, library)
    part.unlink()


def _lines(path: Path, file: Any) -> Iterator[bytes]:
    """The rows as lines, the same bytes for the same values."""
    names = [name for name in COLUMNS if name in file.schema_arrow.names]
    # Before the first row is read: without it every line would be an error of its own.
    if "text" not in names:
        raise UnreadableError(path, 'it has no column "text"')
    try:
        for batch in file.iter_batches(batch_size=_BATCH, columns=names):
            # The key of a line is a digest of these bytes: a null that a column has for want of a
            # value must not change it. `default`, since Parquet has dates.
            rows = (json.dumps(_without_nulls(row), default=str) for row in batch.to_pylist())
            yield "".join(f"{row}\n" for row in rows).encode()
    except (OSError, ValueError) as error:  # pyarrow's own errors are of these kinds
        raise UnreadableError(path, f"it is damaged: {error}") from error


def _without_nulls(value: Any) -> Any:
    """A row without what is not given, in the lists of sources too."""
    if isinstance(value, dict):
        return {name: _without_nulls(one) for name, one in value.items() if one is not None}
    return [_without_nulls(one) for one in value] if isinstance(value, list) else value


def _write(target: Path, lines: BinaryIO, library: ModuleType) -> None:
    """Write lines as Parquet, as a whole: a reader never sees half of it."""
    # Text and not nested columns: a schema of all reports together would change with each version,
    # and no reader needs more than the label to choose rows.
    text = library.string()
    fields = [("id", text), ("key", text), ("label", text), ("score", library.float64())]
    schema = library.schema([*fields, *((name, text) for name in OUTCOMES)])
    half = target.with_name(f"{target.name}.half")
    parquet = library.parquet
    with half.open("wb") as file:
        with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
            for rows in _groups(lines):
                writer.write_table(library.Table.from_pylist(rows, schema=schema))
        file.flush()
        os.fsync(file.fileno())
    half.replace(target)


def _groups(lines: BinaryIO) -> Iterator[list[dict[str, Any]]]:
    """The rows of an output in groups of some megabytes; none of no lines."""
    rows: list[dict[str, Any]] = []
    size = 0
    for line in lines:
        rows.append(_row(json.loads(line)))
        size += len(line)
        if size >= _GROUP:
            yield rows
            rows, size = [], 0
    if rows:
        yield rows


def _row(line: dict[str, Any]) -> dict[str, Any]:
    told = line.get("report") or line.get("brief") or {}
    row = {name: None if line.get(name) is None else _text(line[name]) for name in OUTCOMES}
    # A column has one type, and ids may be texts or numbers.
    named = line["id"] if isinstance(line["id"], str) else json.dumps(line["id"])
    score = told.get("score")
    return row | {
        "id": named,
        "key": line["key"],
        "label": told.get("label"),
        "score": None if score is None else float(score),
    }


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _ungather(target: Path, part: Path, library: ModuleType) -> None:
    """Make lines of an output again, so that what was added to the input is added to it."""
    half = part.with_name(f"{part.name}.half")
    try:
        with target.open("rb") as file, half.open("wb") as lines:
            found = _opened(target, file, library)
            # Somebody's own table under that name must not be overwritten.
            if not {"id", "key", *OUTCOMES} <= set(found.schema_arrow.names):
                raise InputError(f"{target} is not the output of a batch: name another output")
            for batch in found.iter_batches(batch_size=_BATCH):
                for row in batch.to_pylist():
                    lines.write(_line(row))
    except OSError as error:
        raise InputError(f"cannot write {target}: {explain(error)}") from error
    half.replace(part)


def _line(row: dict[str, Any]) -> bytes:
    """A line of a row. Its id may have been a number: what counts is the key."""
    line = {"id": row["id"], "key": row["key"]}
    for name in OUTCOMES:
        if row[name] is not None:
            line[name] = row[name] if name == "error" else json.loads(row[name])
    return json.dumps(line).encode() + b"\n"


def _opened(path: Path, file: BinaryIO, library: ModuleType) -> Any:
    try:
        return library.parquet.ParquetFile(file)
    except (OSError, ValueError) as error:
        raise UnreadableError(path, f"it is no Parquet file: {error}") from error


def _library(path: Path) -> ModuleType:
    try:
        import_module("pyarrow.parquet")
        return import_module("pyarrow")
    except ImportError as error:
        raise MissingExtraError(f"{os.fspath(path)}, a Parquet file,", "parquet") from error
