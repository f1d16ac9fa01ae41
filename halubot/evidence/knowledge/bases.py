"""Knowledge bases on disk: their places, their names, and what each holds."""

from __future__ import annotations

import os
import re
import shutil
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from halubot.errors import KnowledgeError, SettingError, explain

VARIABLE: Final = "HALUBOT_KNOWLEDGE_FOLDER"

_NAME: Final = re.compile(r"\w[\w.-]{0,63}")

WIKIPEDIA: Final = "wikipedia"
"""The name of the base that is looked up online, and with ":" and a language those of others."""


def is_file(name: str) -> bool:
    """Return True if a name is the path of a file that is a knowledge base by itself: a ZIM."""
    return name.lower().endswith(".zim")


@dataclass(frozen=True, slots=True)
class Home:
    """The place of one base, which need not exist."""

    name: str
    folder: Path

    @property
    def file(self) -> Path:
        """The SQLite file with all that the base holds."""
        return self.folder / "base.db"

    def exists(self) -> bool:
        """Return True if it was ever begun."""
        return self.folder.is_dir()

    def size(self) -> int:
        """Bytes on disk."""
        size = 0
        for file in self.folder.rglob("*"):
            with suppress(OSError):  # it may be gone by now
                size += file.stat().st_size
        return size

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
    reserved = name.lower() == WIKIPEDIA or is_file(name)
    if reserved or not _NAME.fullmatch(name):
        raise SettingError(
            f"a base cannot be called {name!r}: a name is up to 64 letters, digits, points, dashes"
            f" and underscores, neither wikipedia nor ending in .zim"
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


def find_home(name: str, folder: Path | None = None) -> Home:
    """The place of a base that was built. Raises SettingError, with the nearest known name, if
    there is none of that name."""
    built = {one.name: one for one in homes(folder)}
    if name in built:
        return built[name]
    near = get_close_matches(name, [*built, WIKIPEDIA], n=1, cutoff=0.5)
    there = f"there are {', '.join([*built, WIKIPEDIA])}" if built else "none is built yet"
    hint = f"did you mean {near[0]!r}? ({there})" if near else there
    raise SettingError(
        f"there is no knowledge base {name!r}: {hint}; build one by halubot knowledge add NAME"
        " PATH, or give wikipedia, or the path of a ZIM file"
    )
