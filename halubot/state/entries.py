"""What a session and its entries are, and how they lie in their base."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Any, Literal

from pydantic import BaseModel

from halubot.state.database import Upgrade

Kind = Literal["message", "run", "correction", "edit", "note"]
"""What an entry is: what somebody typed, with its inputs; a check of it; a correction that was
proposed; what was decided of it; anything else."""

UPGRADES: tuple[Upgrade, ...] = (
    (
        """CREATE TABLE session (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            owner TEXT NOT NULL,
            name TEXT NOT NULL,
            created REAL NOT NULL,
            changed REAL NOT NULL,
            draft TEXT NOT NULL DEFAULT '')""",
        "CREATE UNIQUE INDEX session_name ON session (owner, name) WHERE name != ''",
        """CREATE TABLE entry (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE,
            kind TEXT NOT NULL,
            at REAL NOT NULL,
            about INTEGER REFERENCES entry ON DELETE CASCADE,
            data TEXT NOT NULL,
            words TEXT NOT NULL)""",
        "CREATE INDEX entry_session ON entry (session, id)",
        "CREATE INDEX entry_about ON entry (about) WHERE about IS NOT NULL",
        """CREATE TABLE event (
            run INTEGER NOT NULL REFERENCES entry ON DELETE CASCADE,
            place INTEGER NOT NULL,
            data TEXT NOT NULL,
            PRIMARY KEY (run, place))""",
        """CREATE TABLE report (
            run INTEGER PRIMARY KEY REFERENCES entry ON DELETE CASCADE,
            outline TEXT NOT NULL,
            data TEXT NOT NULL)""",
    ),
)
"""All versions of the base; a released one is never changed."""


@dataclass(frozen=True, slots=True)
class Session:
    """One session; ``name`` is "" until it is given one, ``messages`` counts what was typed, and
    ``opening`` is how the first of them begins."""

    id: int
    owner: str
    name: str
    created: datetime
    changed: datetime
    messages: int
    opening: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry; ids grow with time. ``about`` is the entry it belongs to. ``words`` is its text
    for reading and searching: of a run that is ``done``, the text that was checked."""

    id: int
    session: int
    kind: Kind
    at: datetime
    about: int | None
    data: Mapping[str, Any]
    words: str
    done: bool


@dataclass(frozen=True, slots=True)
class Hit:
    """A message that was searched for: its session, its entry, and the text in which the words
    were found."""

    session: int
    message: int
    words: str


def sound(text: str) -> str:
    """Text as UTF-8 has it; half a surrogate pair becomes "?"."""
    return text.encode("utf-8", "replace").decode()


def line(name: str) -> str:
    """A name on one line."""
    return " ".join(sound(name).split())


def moment(seconds: float) -> datetime:
    """A time of the base, in UTC."""
    return datetime.fromtimestamp(seconds, UTC)


def plain(value: object) -> object:
    """What JSON says of a value of ours. Raises TypeError for anything else."""
    if isinstance(value, BaseModel):
        return value.model_dump(by_alias=True)
    if isinstance(value, PurePath):
        return str(value)
    raise TypeError(f"{type(value).__name__} is nothing that an entry can hold")
