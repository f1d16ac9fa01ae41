"""The files of a batch; lines of a stream, which come when they come; and the totals beside an
output, which must not depend on time or luck."""

from __future__ import annotations

import errno
import io
import json
import os
import select
import stat
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import BinaryIO

from filelock import FileLock, Timeout
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from halubot.errors import InputError, UnreadableError, explain
from halubot.report import Usage
from halubot.text.files.encodings import is_open_pipe
from halubot.work_file import open_work_file, write_whole

_CHUNK = 1 << 16


def open_lines(source: Path | BinaryIO) -> AbstractContextManager[BinaryIO]:
    """Open the lines of an input; a stream is left open. Raises UnreadableError."""
    if not isinstance(source, Path):
        return nullcontext(source)
    try:
        if source.exists() and not source.is_file() and not is_open_pipe(source):
            raise UnreadableError(source, "it is not a regular file")
        return source.open("rb")
    except OSError as error:
        raise UnreadableError(source, explain(error)) from error


def count(source: Path) -> int:
    """Return the number of messages in a file without parsing them. Raises UnreadableError."""
    with open_lines(source) as lines:
        return sum(1 for line in lines if not line.isspace())


@contextmanager
def alone(target: Path) -> Iterator[None]:
    """Be the only batch that writes to an output, for the length of the ``with``. Raises
    InputError if another one does."""
    place = target.resolve()
    if not place.parent.is_dir():  # `open_target` says so; a lock would make the folder
        yield
        return
    lock = FileLock(place.with_name(f".{place.name}.lock"))
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise InputError(
            f"another batch is writing to {target}: wait until it has ended, or name another output"
        ) from error
    except OSError as error:
        raise InputError(f"cannot write {target}: {explain(error)}") from error
    try:
        yield
    finally:
        # While it is held, so that it is not another batch's.
        with suppress(OSError):
            os.unlink(lock.lock_file)
        lock.release()


@contextmanager
def open_target(target: Path | BinaryIO) -> Iterator[BinaryIO]:
    """Open the lines of an output, at its beginning. Raises InputError."""
    if not isinstance(target, Path):
        yield target
    else:
        with open_work_file(target) as file:
            yield file


def count_written(target: Path) -> int:
    """Return the number of whole lines of an output; 0 without one, or if it is another file."""
    try:
        with target.open("rb") as file:
            return sum(line.endswith(b"\n") for line in file)
    except (OSError, UnreadableError):
        return 0


def is_same(source: Path, target: Path) -> bool:
    """Return True if both are one file."""
    try:
        return source.samefile(target)
    except OSError:  # there is no such output yet
        return False


class Arrivals(Iterator[bytes]):
    """The lines of a pipe or a terminal, which can say whether the next one is there.

    Whoever writes to the pipe may wait for what becomes of a line before it writes another one. So
    nobody may wait for a line while others are under way.
    """

    def __init__(self, stream: io.BufferedReader) -> None:
        self._stream = stream
        self._lines: deque[bytes] = deque()
        self._begun = b""
        self._ended = False

    def __next__(self) -> bytes:
        while not self._lines and not self._ended:
            self._read()
        if not self._lines:
            raise StopIteration
        return self._lines.popleft()

    def is_ready(self) -> bool:
        """Return True if the next line, or the end, can be read without a wait."""
        while not self._lines and not self._ended:
            if not select.select([self._stream], [], [], 0)[0]:
                return False
            self._read()
        return True

    def _read(self) -> None:
        data = self._stream.read1(_CHUNK)  # all that the stream holds already, or one read
        if not data:
            self._ended = True
        *lines, self._begun = (self._begun + data).split(b"\n")
        self._lines += [line + b"\n" for line in lines]
        if self._ended and self._begun:
            self._lines.append(self._begun)


def arrivals(stream: BinaryIO) -> Arrivals | None:
    """Return the lines of a stream that may have to be waited for; None for a file, and on Windows,
    which cannot say whether a pipe holds anything."""
    if sys.platform == "win32" or not isinstance(stream, io.BufferedReader):
        return None
    try:
        regular = stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except OSError:  # no file of the system
        return None
    return None if regular else Arrivals(stream)


class Summary(BaseModel):
    """The content of a summary file: the lines of the output, and the usage of all runs that wrote
    to it. ``left`` lines of the input are not written yet."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    lines: int = Field(default=0, ge=0)
    errors: int = Field(default=0, ge=0)
    left: int = Field(default=0, ge=0)
    usage: Usage = Usage()


def summary_path(target: Path) -> Path:
    """Return the summary of an output: ``out.summary.json`` for ``out.jsonl``."""
    name = target.name.removesuffix(".jsonl")
    return target.with_name(f"{name or target.name}.summary.json")


def read_summary(path: Path) -> Summary:
    """Read a summary; an empty one if there is no file. Raises InputError for a file that is
    something else, which must not be overwritten."""
    try:
        return Summary.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return Summary()
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:  # that is said of the output itself
            return Summary()
        raise InputError(f"cannot read {path}: {explain(error)}") from error
    except ValidationError as error:
        why = "it is not the summary of a batch: move it, or name another output"
        raise InputError(f"cannot write {path}: {why}") from error


def write_summary(path: Path, summary: Summary) -> None:
    """Write a summary as a whole: a reader never sees half of it. Raises OSError."""
    usage = summary.usage.model_copy(update={"seconds": round(summary.usage.seconds, 6)})
    rounded = summary.model_copy(update={"usage": usage})
    write_whole(path, json.dumps(rounded.model_dump(mode="json"), indent=2) + "\n")
