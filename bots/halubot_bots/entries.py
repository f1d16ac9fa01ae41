"""The records of a bot's store: keys, shown messages, uses, changes, work in hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from halubot.report import Report

if TYPE_CHECKING:
    from collections.abc import Iterable

Kind = Literal["public", "facts", "these"]
"""A report that a server published, one that somebody asked for of a message alone, and one against
answers that they chose. Only the first is shown to others under an annotation."""


class Key(NamedTuple):
    """The name of a report. ``asker`` is 0 for one that is public."""

    message: int
    kind: Kind = "public"
    asker: int = 0


class Quoted(NamedTuple):
    """A message whose words a report holds, and who wrote it."""

    message: int
    person: int


class Shown(NamedTuple):
    """A public message of the bot's own."""

    channel: int
    message: int


class Use(NamedTuple):
    """A message of somebody's that a check of ``of`` quoted, in a channel of a server (None: in
    direct messages)."""

    channel: int
    of: int
    message: int
    server: int | None


class Change(NamedTuple):
    """A change of a server's settings by a person, and its time (seconds since 1970). ``person`` is
    0 for one who was forgotten."""

    person: int
    at: float
    what: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The traces of what was deleted here that lie elsewhere: so many ``reports`` were deleted;
    ``shown`` is to be taken back; answers of models for the people of ``asked_by``, and ``words``
    on verdicts (their ids and owners), are to be deleted."""

    reports: int = 0
    shown: tuple[Shown, ...] = ()
    asked_by: frozenset[int] = frozenset()
    words: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Kept:
    """The report of a message. ``annotation`` is the message that shows it, ``asked_by`` who had it
    made (the author, if a watched message was checked by itself)."""

    message: int
    channel: int
    server: int | None
    author: int
    asked_by: int
    annotation: int | None
    report: Report
    kind: Kind = "public"

    @property
    def key(self) -> Key:
        """The name under which it is kept."""
        return Key(self.message, self.kind, 0 if self.kind == "public" else self.asked_by)


@dataclass(frozen=True, slots=True)
class Work:
    """A message whose check was begun; ``reply`` is what was sent for it by then."""

    message: int
    channel: int
    server: int | None
    author: int
    reply: int | None


class Waiting(NamedTuple):
    """Somebody who waits for an answer, which this token lets the bot give, in their language."""

    interaction: int
    application: int
    token: str
    language: str = ""


def join_forgotten(found: Iterable[Forgotten]) -> Forgotten:
    """Return several as one; of none the empty one."""
    found = list(found)
    return Forgotten(
        sum(one.reports for one in found),
        tuple(shown for one in found for shown in one.shown),
        frozenset().union(*(one.asked_by for one in found)),
        tuple(word for one in found for word in one.words),
    )
