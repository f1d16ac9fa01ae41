"""Reading files and folders into a knowledge base, file after file, and taking them out again."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from halubot.errors import (
    BrokenLineError,
    HalubotError,
    InputError,
    MissingExtraError,
    UnreadableError,
    explain,
)
from halubot.evidence.files import files_below, is_folder, leaves
from halubot.evidence.knowledge.bases import Home
from halubot.evidence.knowledge.documents import is_lines, lines_of, pieces_of
from halubot.evidence.knowledge.index import PassageIndex, Piece, Record, Writer
from halubot.text.files.encodings import read_bytes

COMMIT_SECONDS: Final = 15.0
"""How much work is lost at most if the machine stops."""


TOGETHER: Final = 2_000
"""Passages of a JSON-lines file that are filed in one go."""


BROKEN: Final = 100
"""Broken lines with which a file is taken for something else, and left out."""


class Filing:
    """Files passages by a ``writer``. ``known`` is what was read before, and grows; ``half`` is
    whether a file is half written, so that nothing may be committed; ``left_out`` is what was not
    read, and why; ``passages`` counts those that were filed."""

    def __init__(self, writer: Writer, known: dict[str, Record]) -> None:
        self.writer = writer
        self.known = known
        self.half = False
        self.left_out: list[HalubotError] = []
        self.new = self.changed = self.unchanged = self.passages = 0
        self._going_on: Callable[[], object] = lambda: None
        self._committed = time.monotonic()

    def file(self, path: Path, going_on: Callable[[], object] = lambda: None) -> None:
        """Files what is new in a file; ``going_on`` is called now and then in a long one. Raises
        InputError if it cannot be read, holds nothing, or changes meanwhile."""
        before = _status(path)
        size, changed = before
        record = self.known.get(str(path))
        # Unchanged by size and time: it is not even opened.
        if record and (record.size, record.changed) == (size, changed):
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
        if not (self.half or path in self.known):
            return
        # A commit in between would keep a file of which half is gone.
        with self._whole_or_not_at_all():
            self.writer.drop(path)
            self.known.pop(path, None)

    def _whole(self, path: Path, before: tuple[int, int], record: Record | None) -> bool:
        """Files a file in one go; whether it was anything new."""
        data = read_bytes(path)
        _require_same(path, before)
        digest = hashlib.sha256(data).hexdigest()
        # Touched, and not changed: its new time is kept, so that it is not read the next time.
        if record and record.sha256 == digest:
            self._know(replace(record, size=before[0], changed=before[1]))
            return False
        pieces = pieces_of(data, path, before[1])
        if not pieces:
            raise InputError(f"{path} holds no text")
        with self._whole_or_not_at_all():
            self.writer.drop(str(path))
            self._add_some(path, pieces)
            self._know(Record(str(path), *before, digest, len(pieces)))
        return True

    def _lines(self, path: Path, before: tuple[int, int], record: Record | None) -> bool:
        """Files a JSON-lines file of any size, some passages at a time."""
        broken: list[BrokenLineError] = []
        batch: list[Piece] = []
        begun = self.passages
        self._commit()  # what was read before this file lasts, however long it takes
        with self._whole_or_not_at_all():
            self.writer.drop(str(path))
            try:
                with path.open("rb") as file:
                    for found in lines_of(file, path):
                        if isinstance(found, BrokenLineError):
                            broken.append(found)
                        else:
                            batch += found
                        if len(broken) >= BROKEN:
                            raise InputError(
                                f"{path} has {BROKEN} broken lines, the first: {broken[0]}"
                            )
                        if len(batch) >= TOGETHER:
                            self._add_some(path, batch)
                            batch = []
            except OSError as error:
                raise UnreadableError(path, explain(error)) from error
            _require_same(path, before)
            self._add_some(path, batch)
            count = self.passages - begun
            if not count:
                raise InputError(f'{path} holds no text: a line is {{"text": ...}}')
            self._know(Record(str(path), *before, "", count))
        self.left_out += broken
        return True

    def _add_some(self, path: Path, pieces: Sequence[Piece]) -> None:
        self.writer.add(str(path), pieces)
        self.passages += len(pieces)
        self._going_on()

    def _know(self, record: Record) -> None:
        self.writer.know(record)
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
    wait: Callable[[], object] = lambda: None,
    watch: Callable[[Step], object] = lambda _: None,
) -> Added:
    """Adds files, and folders with every readable file below them that is not hidden, to a base,
    which is made if there is none and one of the paths exists. Files below a folder that are
    gone are dropped.

    ``wait`` is called once if another process writes to the base, before waiting for it. Whatever
    ends this early, what was read by then lasts, and the same call completes it. Raises
    KnowledgeError if the base is damaged or cannot be written.
    """
    # Without following links: one that a person names is known by the name that they gave.
    roots = [Path(os.path.abspath(Path(path).expanduser())) for path in paths]
    with home.lock(wait):
        new = not home.exists()
        about = home.about()
        named = dict.fromkeys([*about.paths, *(str(root) for root in roots if _is_utf8(root))])
        # Before the first passage: a base that is killed while it is made knows its paths.
        home.say(replace(about, paths=tuple(named)))
        with _begin(home) if new else nullcontext():
            index = PassageIndex.create(home.index, home.name)
            known = index.records()
            filing = Filing(index.writer(), known)
            with _lasting(filing.writer, filing):
                gone = _read(roots, filing, watch)
        held = filing.known.values()
        # A mistyped path leaves no empty base behind.
        if new and not held and not any(os.path.lexists(root) for root in roots):
            home.remove()
    return Added(
        filing.new,
        filing.changed,
        filing.unchanged,
        tuple(gone),
        tuple(filing.left_out),
        len(held),
        sum(record.passages for record in held),
    )


def take_out(
    home: Home,
    paths: Sequence[str | os.PathLike[str]],
    *,
    wait: Callable[[], object] = lambda: None,
) -> list[str]:
    """Drops the passages of these files, and of all that were read below these folders; returns
    the files. Raises InputError for a path that nothing was read from, KnowledgeError."""
    roots = [Path(os.path.abspath(Path(path).expanduser())) for path in paths]
    with home.lock(wait):
        about = home.about()
        index = PassageIndex.open(home.index, home.name)
        known = index.records()
        dropped: list[str] = []
        for root in roots:
            below = [path for path in known if Path(path).is_relative_to(root)]
            if not below:
                raise InputError(f"the base {home.name!r} holds nothing of {root}")
            dropped += below
        filing = Filing(index.writer(), known)
        with _lasting(filing.writer, filing):
            for path in dropped:
                filing.drop(path)
        home.say(replace(about, paths=tuple(p for p in about.paths if Path(p) not in roots)))
    return sorted(set(dropped))


@contextmanager
def _begin(home: Home) -> Iterator[None]:
    """Removes a new base again if this ends early and nothing was read."""
    try:
        yield
    except BaseException:
        with suppress(HalubotError):
            if not PassageIndex.open(home.index, home.name).records():
                home.remove()
        raise


class _lasting:  # noqa: N801 - read as a word: with _lasting(...)
    """Commits what was done, even if it ends early; a file that is half done is forgotten."""

    def __init__(self, writer: Writer, filing: Filing) -> None:
        self._writer = writer
        self._filing = filing

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._writer.commit()
            self._writer.close()
            return
        # What ended it is told, not what then fails besides.
        with suppress(HalubotError):
            if self._filing.half:
                self._writer.rollback()
            else:
                self._writer.commit()
        self._writer.close(wait=False)


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
            filing.file(path, lambda: watch(Step(str(path), done, len(files), filing.passages)))  # noqa: B023
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
