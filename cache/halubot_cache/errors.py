"""The errors of the store, and its warnings when it carries on.

Trouble with the disk while completions are kept or looked up is no error: the work goes on
without the store, and a `Problem` says so once.
"""

from __future__ import annotations

from dataclasses import dataclass


class StoreError(Exception):
    """Anything the store refuses or fails to do: a message for people, one line, with its
    remedy."""


class UnstorableError(StoreError):
    """A request or a completion that is no JSON, or a name that is no name."""


class RecordError(StoreError):
    """A file of records that cannot be read or written; ``line`` counts from 1, None is the whole
    file."""

    def __init__(self, path: object, line: int | None, why: str) -> None:
        where = str(path) if line is None else f"{path}, line {line}"
        super().__init__(f"{where}: {why}")


@dataclass(frozen=True)
class Problem:
    """Something the store met and got past: ``what`` it concerns, and ``why`` to know of it."""

    what: str
    why: str
