"""Reading files and folders into a knowledge base, file after file."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from halubot.errors import HalubotError, InputError, MissingExtraError, UnreadableError, explain
from halubot.evidence.files import files_below, is_folder, leaves
from halubot.evidence.knowledge.bases import Home
from halubot.evidence.knowledge.documents import pieces_of
from halubot.evidence.knowledge.local import LocalBase, Piece, Record, drop, know, put
from halubot.text.files.encodings import read_bytes


class Filing:
    """Files what is read in a base. ``known`` is what was read before, and grows; ``left_out`` is
    what was not read, and why; ``passages`` counts those that were filed."""

    def __init__(self, base: LocalBase) -> None:
        self._base = base
        self.known = base.records()
        self.left_out: list[HalubotError] = []
        self.new = self.changed = self.unchanged = self.passages = 0

    def file(self, path: Path) -> None:
        """Files what is new in a file. Raises InputError if it cannot be read, holds nothing, or
        changes meanwhile."""
        before = _status(path)
        size, changed = before
        record = self.known.get(str(path))
        # Unchanged by size and time: it is not even opened.
        if record and (record.size, record.changed) == (size, changed):
            self.unchanged += 1
            return
        if path.suffix.lower() == ".jsonl":
            raise UnreadableError(path, "it holds JSON lines: write each document to its own file")
        data = read_bytes(path)
        _require_same(path, before)
        digest = hashlib.sha256(data).hexdigest()
        if record and record.sha256 == digest:
            # Touched, and not changed: its new time is kept, so that it is not read next time.
            self.known[record.path] = touched = replace(record, size=size, changed=changed)
            with self._base.changing() as table:
                know(table, touched)
            self.unchanged += 1
            return
        self._replace(path, before, digest, pieces_of(data, path, changed))
        if record is None:
            self.new += 1
        else:
            self.changed += 1

    def drop(self, path: str) -> None:
        """Drops the passages of a file, if it has any."""
        if self.known.pop(path, None) is not None:
            with self._base.changing() as table:
                drop(table, path)

    def _replace(
        self, path: Path, before: tuple[int, int], digest: str, pieces: Sequence[Piece]
    ) -> None:
        """Files all of a file in place of what it held, or changes nothing."""
        if not pieces:
            raise InputError(f"{path} holds no text")
        record = Record(str(path), *before, digest, len(pieces))
        with self._base.changing() as table:
            drop(table, record.path)
            number = know(table, record)
            for piece in pieces:
                put(table, number, piece)
            _require_same(path, before)
        self.passages += record.passages
        self.known[record.path] = record


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


@dataclass(frozen=True, slots=True)
class Added:
    """The result of adding: how many files are new, changed and unchanged; the paths of those that
    are gone, with their passages; what was left out, and why; and what the base holds now."""

    new: int
    changed: int
    unchanged: int
    gone: tuple[str, ...]
    left_out: tuple[HalubotError, ...]
    files: int
    passages: int


@dataclass(frozen=True, slots=True)
class Step:
    """The progress of adding: ``done`` of ``of`` files, now reading ``path``, ``passages`` so
    far."""

    path: str
    done: int
    of: int
    passages: int


def add(
    home: Home,
    paths: Sequence[str | os.PathLike[str]],
    *,
    watch: Callable[[Step], object] = lambda _: None,
) -> Added:
    """Adds files, and folders with every readable file below them that is not hidden, to a base,
    which is made if there is none and one of the paths exists. Files below a folder that are
    gone are dropped.

    Whatever ends this early, the files that were read by then last, and the same call completes
    it. Raises KnowledgeError if the base is damaged or cannot be written.
    """
    # Without following links: one that a person names is known by the name that they gave.
    roots = [Path(os.path.abspath(Path(path).expanduser())) for path in paths]
    new = not home.exists()
    finished = False
    try:
        with LocalBase(home, write=True) as base:
            with base.changing() as table:
                named = [(str(root),) for root in roots if _is_utf8(root)]
                table.executemany("INSERT OR IGNORE INTO root VALUES (?)", named)
            filing = Filing(base)
            gone = _read(roots, filing, watch)
            finished = True
    finally:
        # A mistyped path leaves no empty base behind.
        if new and not (finished and any(os.path.lexists(root) for root in roots)):
            _remove_empty(home)
    records = filing.known.values()
    return Added(
        filing.new,
        filing.changed,
        filing.unchanged,
        tuple(gone),
        tuple(filing.left_out),
        len(records),
        sum(record.passages for record in records),
    )


def _remove_empty(home: Home) -> None:
    """Removes a base that was just made, if it holds nothing."""
    with suppress(HalubotError):
        with LocalBase(home) as base:
            held = base.records()
        if not held:
            home.remove()


def _read(roots: Sequence[Path], filing: Filing, watch: Callable[[Step], object]) -> list[str]:
    """Files all that is below the roots; returns what is gone."""
    files: dict[Path, None] = {}
    gone: list[str] = []
    for root in roots:
        if str(root) in filing.known and _is_gone(str(root)):
            gone.append(str(root))
        elif not is_folder(root):
            files[root] = None
        else:
            try:
                files.update(dict.fromkeys(files_below(root, filing.left_out)))
            except UnreadableError as error:
                filing.left_out.append(error)
                continue
            below = (path for path in filing.known if Path(path).is_relative_to(root))
            missing = (Path(path) for path in below if Path(path) not in files)
            gone += [str(one) for one in missing if _is_gone(str(one)) or _leads_out(one, root)]
    gone = list(dict.fromkeys(gone))
    for lost in gone:
        filing.drop(lost)
    for done, path in enumerate(files):
        watch(Step(str(path), done, len(files), filing.passages))
        try:
            if not _is_utf8(path):
                raise UnreadableError(ascii(str(path)), "its name is not UTF-8; rename it")
            filing.file(path)
        except (InputError, MissingExtraError) as error:
            filing.left_out.append(error)
            # What the base held of it is no longer what the file says.
            filing.drop(str(path))
    return sorted(gone)


def _is_gone(path: str) -> bool:
    """Return True if a file is surely gone, and not merely out of reach."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def _leads_out(path: Path, root: Path) -> bool:
    """Return True if a file that was read below a folder is a link that leaves it."""
    return path.is_symlink() and leaves(path, root.resolve())


def _is_utf8(path: Path) -> bool:
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True
