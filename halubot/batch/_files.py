"""The files of a batch: its lines, and beside an output its totals and what was spent on it."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import BinaryIO

from filelock import FileLock, Timeout
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from halubot.errors import InputError, UnreadableError, explain
from halubot.report import Usage
from halubot.text.files.encodings import is_open_pipe
from halubot.work_file import write_whole


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


def open_target(target: Path | BinaryIO) -> AbstractContextManager[BinaryIO]:
    """Open the lines of an output, at its beginning; a stream is left open. Raises InputError if it
    cannot be written, and for a pipe or a device, which holds nothing."""
    if not isinstance(target, Path):
        return nullcontext(target)
    try:
        if target.exists() and not target.is_file():
            why = "it is a folder" if target.is_dir() else "it is no file that can be read again"
            raise InputError(f"cannot write {target}: {why}")
        return os.fdopen(os.open(target, os.O_RDWR | os.O_CREAT, 0o666), "r+b")
    except OSError as error:
        raise InputError(f"cannot write {target}: {explain(error)}") from error


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


_WIDTH = 96
"""Bytes of the file, always the same: each writing replaces the whole."""


def spending_path(target: Path) -> Path:
    """Return where it is kept what was spent on an output, so that a budget holds over all runs:
    ``out.jsonl.spent.json`` for ``out.jsonl``. Links are followed: all names of an output have one
    budget."""
    target = target.resolve()
    return target.with_name(f"{target.name}.spent.json")


class Spending:
    """The calls and dollars of all runs that wrote to an output.

    They are written before a call begins, so that a command that is killed has spent no more than
    that. An output that is ``new`` begins anew. Raises InputError if the file cannot be used.
    """

    def __init__(self, target: Path, *, new: bool) -> None:
        self._path = spending_path(target)
        self._file = -1
        try:
            self.before = (0, 0.0) if new else _read_spending(self._path)
            self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT, 0o666)
            self.note(*self.before)
        except OSError as error:
            self.close()
            raise InputError(f"cannot write {self._path}: {explain(error)}") from error

    def note(self, calls: int, cost: float) -> None:
        """Keep what is spent by now. Raises OSError."""
        text = json.dumps({"calls": calls, "cost_usd": round(cost, 9)})
        # One write in place: it is there for the next run if this one is killed, and it waits for
        # no disk.
        os.lseek(self._file, 0, os.SEEK_SET)
        os.write(self._file, f"{text:<{_WIDTH - 1}}\n".encode())

    def close(self) -> None:
        """Let go of the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


class _Spent(BaseModel):
    """The content of the file. Less than nothing would be credit, and so would NaN, which no limit
    is less than."""

    calls: int = Field(ge=0)
    cost_usd: float = Field(ge=0, allow_inf_nan=False)


def _read_spending(path: Path) -> tuple[int, float]:
    try:
        found = _Spent.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return 0, 0.0
    except ValidationError as error:
        raise InputError(
            f"cannot read what was spent in {path}: it is damaged, or something else; to begin with"
            " a new budget, remove it"
        ) from error
    return found.calls, found.cost_usd
