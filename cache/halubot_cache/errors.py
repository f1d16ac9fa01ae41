"""The errors of the store in one tree, and its warnings when it carries on.

    StoreError                  anything the store refuses or fails to do
    ├── UnstorableError         a request, a completion or a name that cannot be kept
    ├── FolderError             the folder belongs to others, or holds other things
    ├── NewerStoreError         the store was written by a newer halubot
    ├── UnavailableError        the store is closed, or out of order, and was asked for more
    │                           than a completion
    └── RecordError             a file of records cannot be read or written

Trouble with the disk while completions are kept or looked up is no error: the work goes on
without the store, and a `Problem` says so once.
"""

from __future__ import annotations

from dataclasses import dataclass


class StoreError(Exception):
    """The root: a message for people, one line, with its remedy."""


class UnstorableError(StoreError):
    """A request or a completion that is no JSON, or a name that is no name."""


class FolderError(StoreError):
    """A folder that belongs to somebody else, or that holds other things than a store."""


class NewerStoreError(StoreError):
    """A store of format ``found``, if this version reads up to ``known``."""

    def __init__(self, folder: object, found: int, known: int) -> None:
        self.found = found
        self.known = known
        super().__init__(
            f"the store in {folder} was written by a newer halubot (format {found}, known up to "
            f"{known}): update halubot, or choose another folder"
        )


class UnavailableError(StoreError):
    """The store is closed, or the disk does not let it work."""


class RecordError(StoreError):
    """A file of records that cannot be used; ``line`` counts from 1, None is the whole file."""

    def __init__(self, path: object, line: int | None, why: str) -> None:
        self.path = str(path)
        self.line = line
        self.why = why
        where = self.path if line is None else f"{self.path}, line {line}"
        super().__init__(f"{where}: {why}")


@dataclass(frozen=True)
class Problem:
    """Something the store met and got past: ``what`` it concerns, and ``why`` to know of it."""

    what: str
    why: str
