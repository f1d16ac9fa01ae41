"""The files of a batch, in the form that their names say: plain, compressed or Parquet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import BinaryIO

from halubot.batch._parquet import count_rows, gathered, is_parquet, open_rows, part_path
from halubot.batch._zstd import Frames, is_zstd, open_compressed
from halubot.errors import UnreadableError, explain
from halubot.formats.encodings import is_open_pipe
from halubot.work_file import open_work_file


def open_lines(source: Path | BinaryIO) -> AbstractContextManager[BinaryIO]:
    """Open the lines of an input; a stream is left open. Raises UnreadableError and
    MissingExtraError."""
    if not isinstance(source, Path):
        return nullcontext(source)
    try:
        if source.exists() and not source.is_file() and not is_open_pipe(source):
            raise UnreadableError(source, "it is not a regular file")
        if is_parquet(source):
            return open_rows(source)
        return open_compressed(source) if is_zstd(source) else source.open("rb")
    except OSError as error:
        raise UnreadableError(source, explain(error)) from error


def count(source: Path) -> int:
    """How many messages a file holds; they are not parsed. Raises UnreadableError."""
    if is_parquet(source):
        try:
            return count_rows(source)
        except OSError as error:
            raise UnreadableError(source, explain(error)) from error
    with open_lines(source) as lines:
        return sum(1 for line in lines if not line.isspace())


@contextmanager
def open_target(target: Path | BinaryIO) -> Iterator[BinaryIO | Frames]:
    """Open the lines of an output, at its beginning. Raises InputError and MissingExtraError."""
    if not isinstance(target, Path):
        yield target
    elif is_parquet(target):
        with gathered(target) as lines:
            yield lines
    else:
        with open_work_file(target) as file:
            yield Frames(target, file) if is_zstd(target) else file


def count_written(target: Path) -> int:
    """Return how many lines of an output are whole; 0 if there is none, or it is another file."""
    try:
        if is_parquet(target):
            target, whole = part_path(target), target
            if not target.exists():
                return count_rows(whole)
        with target.open("rb") as file:
            out = Frames(target, file) if is_zstd(target) else file
            return sum(line.endswith(b"\n") for line in iter(out.readline, b""))
    except (OSError, UnreadableError):
        return 0


def is_same(source: Path, target: Path) -> bool:
    """Return whether both are one file."""
    try:
        return source.samefile(target)
    except OSError:  # there is no such output yet
        return False
