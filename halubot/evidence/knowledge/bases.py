"""Knowledge bases on disk: their places, their names, and what each holds."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from halubot.errors import KnowledgeError, SettingError, explain
from halubot.evidence.knowledge.index import PassageIndex, damage_hint

VARIABLE: Final = "HALUBOT_KNOWLEDGE_FOLDER"
FORMAT: Final = 1
"""Grows if older programs cannot read a base any more, or this one older bases."""

_NAME: Final = re.compile(r"\w[\w.-]{0,63}")

WIKIPEDIA: Final = "wikipedia"
"""The name of the base that is looked up online, and with ":" and a language those of others."""

FILES: Final[Mapping[str, str]] = {".zim": "halubot.evidence.knowledge.zim:Zim"}
"""The kinds of files that are a knowledge base by themselves: the suffix, and the class that opens
one by its path. Command line, app and bot know such a file by its suffix."""


def is_file(name: str) -> bool:
    """Return True if a name is the path of a file that is a knowledge base by itself."""
    return name.lower().endswith(tuple(FILES))


@dataclass(frozen=True, slots=True)
class About:
    """The description of a base: the format of its files, and the paths it was made from."""

    format: int = FORMAT
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Home:
    """The place of one base, which need not exist."""

    name: str
    folder: Path

    @property
    def index(self) -> Path:
        """The folder of its passages."""
        return self.folder / "index"

    @property
    def _about(self) -> Path:
        return self.folder / "base.json"

    def exists(self) -> bool:
        """Return True if it was ever begun."""
        return self.folder.is_dir()

    def about(self) -> About:
        """Return its description; that of a new base if it does not exist. Raises KnowledgeError if
        that cannot be read."""
        try:
            said = json.loads(self._about.read_text(encoding="utf-8"))
            known = About(said["format"], tuple(said["paths"]))
            # `isinstance` would take true for the number 1.
            if type(known.format) is not int or not all(isinstance(p, str) for p in known.paths):
                raise ValueError
        except FileNotFoundError:
            if self.index.exists():
                raise KnowledgeError(f"the base {self.name!r} {damage_hint(self.name)}") from None
            return About()
        except OSError as error:
            why = explain(error)
            raise KnowledgeError(f"the base {self.name!r} cannot be read: {why}") from error
        except (ValueError, TypeError, KeyError) as error:
            raise KnowledgeError(f"the base {self.name!r} {damage_hint(self.name)}") from error
        if known.format != FORMAT:
            raise KnowledgeError(
                f"the base {self.name!r} was made by another version of halubot; use that, or"
                f" build it again: halubot knowledge remove {self.name}, then add it"
            )
        return known

    def say(self, about: About) -> None:
        """Keeps what it says of itself. Raises KnowledgeError if it cannot be written."""
        try:
            self.folder.mkdir(0o700, parents=True, exist_ok=True)  # it holds what the files say
            draft = self._about.with_suffix(".new")
            draft.write_text(json.dumps(asdict(about), ensure_ascii=False), encoding="utf-8")
            draft.replace(self._about)
        except OSError as error:
            why = explain(error)
            raise KnowledgeError(f"the base {self.name!r} cannot be written: {why}") from error

    def size(self) -> int:
        """Bytes on disk."""
        return sum(_size(file) for file in self.folder.rglob("*"))

    def remove(self) -> None:
        """Deletes it, whole or damaged. Raises KnowledgeError if that cannot be done."""
        try:
            # Out of sight first: a base that is half deleted would look like a damaged one.
            gone = self.folder.with_name(f".{self.name}.removed")
            shutil.rmtree(gone, ignore_errors=True)
            self.folder.rename(gone)
            shutil.rmtree(gone)
        except OSError as error:
            why = explain(error)
            raise KnowledgeError(f"the base {self.name!r} cannot be deleted: {why}") from error

    @contextmanager
    def lock(self, wait: Callable[[], object]) -> Iterator[None]:
        """Holds the base against other processes that write to it. If one does, calls ``wait``
        once, and waits until it is done. Raises KnowledgeError if the folder cannot be made."""
        from filelock import FileLock, Timeout

        try:
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            # Beside the folder, not in it: it outlives a base that is removed.
            lock = FileLock(self.folder.with_name(f".{self.name}.lock"))
            try:
                lock.acquire(timeout=0)
            except Timeout:
                wait()
                lock.acquire()
        except OSError as error:
            why = explain(error)
            raise KnowledgeError(f"the base {self.name!r} cannot be written: {why}") from error
        try:
            yield
        finally:
            lock.release()


def _size(file: Path) -> int:
    with suppress(OSError):  # it may be gone by now
        return file.stat().st_size
    return 0


def bases_folder(folder: Path | None = None) -> Path:
    """Return the folder of bases: in ``folder``, else in the one that HALUBOT_KNOWLEDGE_FOLDER
    names, else in ``knowledge`` in the platform's folder for data. It need not exist."""
    named = folder or os.environ.get(VARIABLE)
    if named:
        return Path(named).expanduser().absolute()
    from platformdirs import user_data_path

    return user_data_path("halubot", appauthor=False) / "knowledge"


def home(name: str, folder: Path | None = None) -> Home:
    """The place of the base of that name. Raises SettingError for a name that no base can have."""
    reserved = name.lower() == WIKIPEDIA or is_file(name) or name.lower().endswith(".lock")
    if reserved or not _NAME.fullmatch(name):
        raise SettingError(
            f"a base cannot be called {name!r}: a name is up to 64 letters, digits, points, dashes"
            f" and underscores, neither wikipedia nor ending in {', '.join(FILES)}"
        )
    return Home(name, bases_folder(folder) / name)


def homes(folder: Path | None = None) -> list[Home]:
    """The bases there are, sorted by name. Raises KnowledgeError if the folder cannot be
    read."""
    there = bases_folder(folder)
    try:
        found = [entry for entry in there.iterdir() if entry.is_dir()]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise KnowledgeError(f"cannot read {there}: {explain(error)}") from error
    return [Home(one.name, one) for one in sorted(found) if _NAME.fullmatch(one.name)]


@dataclass(frozen=True, slots=True)
class Holding:
    """The contents of a base: passages, files they came from, bytes on disk, and the paths it was
    made from. ``problem`` says why the first two are not known of a damaged one."""

    name: str
    folder: str
    passages: int | None
    files: int | None
    bytes: int
    paths: tuple[str, ...] = ()
    problem: str | None = None


def holdings(folder: Path | None = None) -> list[Holding]:
    """Return the contents of each base, sorted by name; ``folder`` is the place at which they lie.
    Raises KnowledgeError if that cannot be read."""
    return [_holding(there) for there in homes(folder)]


def _holding(there: Home) -> Holding:
    place, size = str(there.folder), there.size()
    paths: tuple[str, ...] = ()
    try:
        paths = there.about().paths
        begun = PassageIndex.exists(there.index)
        records = PassageIndex.open(there.index, there.name).records() if begun else {}
    except KnowledgeError as error:
        return Holding(there.name, place, None, None, size, paths, str(error))
    passages = sum(record.passages for record in records.values())
    return Holding(there.name, place, passages, len(records), size, paths)
