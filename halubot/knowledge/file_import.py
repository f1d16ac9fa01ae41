"""One file after another read into the index of a base."""

from __future__ import annotations

import hashlib
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple

from halubot.errors import BrokenLineError, HalubotError, InputError, UnreadableError, explain
from halubot.formats.encodings import read_bytes
from halubot.knowledge.documents import is_lines, lines_of, pieces_of
from halubot.knowledge.index import Piece, Record, Writer
from halubot.knowledge.vectors import Embed

if TYPE_CHECKING:
    from hashlib import _Hash

COMMIT_SECONDS: Final = 15.0
"""How much work is lost at most where the machine stops."""

TOGETHER: Final = 2_000
"""Passages of a JSON-lines file that are filed in one go."""

BROKEN: Final = 100
"""Broken lines with which a file is taken for something else, and left out."""


class Filing:
    """Files passages by a ``writer``. ``known`` is what was read before, and grows; ``half`` is
    whether a file is half written, so that nothing may be committed; ``left_out`` is what was not
    read, and why; ``passages`` counts those that were filed."""

    def __init__(self, writer: Writer, known: dict[str, Record], embed: Embed | None) -> None:
        self.writer = writer
        self.known = known
        self.half = False
        self.left_out: list[HalubotError] = []
        self.new = self.changed = self.unchanged = self.passages = 0
        self._embed = embed
        self._going_on: Callable[[], object] = lambda: None
        self._committed = time.monotonic()

    def file(self, path: Path, going_on: Callable[[], object] = lambda: None) -> None:
        """Files what is new in a file; ``going_on`` is called now and then in a long one. Raises
        InputError where it cannot be read, holds nothing, or changes meanwhile; ModelError where
        there are no vectors."""
        before = _status(path)
        size, changed = before
        record = self.known.get(str(path))
        if record and (record.done, record.size, record.changed) == (size, size, changed):
            self.unchanged += 1
            return
        self._going_on = going_on
        made = (self._lines if is_lines(path) else self._whole)(path, before, record)
        if made and record is None:
            self.new += 1
        elif made:
            self.changed += 1
        else:
            self.unchanged += 1
        if time.monotonic() - self._committed >= COMMIT_SECONDS:
            self._commit()

    def drop(self, path: str) -> None:
        """Drops the passages of a file, if it has any."""
        if path in self.known:
            with self._whole_or_not_at_all():
                self.writer.drop(path)
                del self.known[path]

    def _whole(self, path: Path, before: tuple[int, int], record: Record | None) -> bool:
        """Files a file in one go; whether it was anything new."""
        data = read_bytes(path)
        _require_same(path, before)
        digest = hashlib.sha256(data).hexdigest()
        if record and record.sha256 == digest and record.done == len(data):
            self._add([], replace(record, size=before[0], changed=before[1]))
            return False
        pieces = self._with_vectors(pieces_of(data, path, before[1]))
        if not pieces:
            raise InputError(f"{path} holds no text")
        self._add(pieces, Record(str(path), *before, digest, len(data), len(pieces)), afresh=True)
        self.passages += len(pieces)
        return True

    def _lines(self, path: Path, before: tuple[int, int], record: Record | None) -> bool:
        """Files the lines of a file that were not filed before; whether there were any."""
        try:
            with path.open("rb") as file:
                start = _caught_up(file, record)
                if record and not start.passages:
                    self.drop(str(path))
                filed = self._append(path, file, before, start)
                _require_same(path, before)
        except OSError as error:
            raise UnreadableError(path, explain(error)) from error
        if not self.known[str(path)].passages:
            raise InputError(f'{path} holds no text: a line is {{"text": ...}}')
        return filed

    def _append(self, path: Path, file: BinaryIO, before: tuple[int, int], start: _Start) -> bool:
        digest, count = start.digest, start.passages
        begun = done = file.tell()
        batch: list[Piece] = []
        broken: list[BrokenLineError] = []

        def flush() -> None:
            nonlocal batch, count
            pieces = self._with_vectors(batch)
            count += len(pieces)
            self._add(pieces, Record(str(path), *before, digest.hexdigest(), done, count))
            self.passages += len(pieces)
            batch = []
            self._going_on()

        for line in lines_of(file, path, start.number):
            if line.broken:
                broken.append(line.broken)
                if not line.data.endswith(b"\n"):
                    break  # it may still be written on
            digest.update(line.data)
            done += len(line.data)
            batch += line.pieces
            if len(broken) >= BROKEN:
                raise InputError(f"{path} has {BROKEN} broken lines, the first: {broken[0]}")
            if len(batch) >= TOGETHER:
                flush()
                if time.monotonic() - self._committed >= COMMIT_SECONDS:
                    self._commit()
        flush()
        self.left_out += broken
        return done > begun

    def _with_vectors(self, pieces: Sequence[Piece]) -> list[Piece]:
        if self._embed is None:
            return list(pieces)
        vectors = self._embed([piece.text for piece in pieces])
        return [
            replace(piece, vector=vector) for piece, vector in zip(pieces, vectors, strict=True)
        ]

    def _add(self, pieces: Sequence[Piece], record: Record, *, afresh: bool = False) -> None:
        with self._whole_or_not_at_all():
            if afresh:
                self.writer.drop(record.path)
            self.writer.add(pieces, record)
            self.known[record.path] = record

    @contextmanager
    def _whole_or_not_at_all(self) -> Iterator[None]:
        self.half = True
        yield
        self.half = False

    def _commit(self) -> None:
        self.writer.commit()
        self._committed = time.monotonic()


def _status(path: Path) -> tuple[int, int]:
    """The size of a regular file, and when it was changed, in nanoseconds."""
    try:
        status = path.stat()
    except (OSError, ValueError) as error:
        raise UnreadableError(path, explain(error)) from error
    if not stat.S_ISREG(status.st_mode):
        raise UnreadableError(path, "it is not a regular file")
    return status.st_size, status.st_mtime_ns


def _require_same(path: Path, before: tuple[int, int]) -> None:
    if _status(path) != before:
        raise InputError(f"{path} changed while it was read: add it again")


class _Start(NamedTuple):
    """Where a file of lines is read on: the number of the line there, the hash of all before it,
    and how many passages were filed of that."""

    number: int
    digest: _Hash
    passages: int


def _caught_up(file: BinaryIO, record: Record | None) -> _Start:
    """Moves behind what was read before, if the file still begins with that, else to its start."""
    if record is not None:
        digest = hashlib.sha256()
        number = 1
        left = record.done
        last = b"\n"
        while left and (data := file.read(min(left, 1 << 20))):
            digest.update(data)
            number += data.count(b"\n")
            left -= len(data)
            last = data
        # What was the last line may have been written on.
        ended = last.endswith(b"\n") or file.read(1) in (b"", b"\n", b"\r")
        if not left and ended and digest.hexdigest() == record.sha256:
            file.seek(record.done)
            return _Start(number, digest, record.passages)
        file.seek(0)
    return _Start(1, hashlib.sha256(), 0)
