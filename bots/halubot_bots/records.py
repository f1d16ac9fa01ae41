"""The records that the bot keeps: an answer, a disagreement and its card, a private report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from pydantic import ConfigDict

from halubot.report import Frozen, Report
from halubot_bots.differences import Difference

if TYPE_CHECKING:
    from collections.abc import Collection


class Answer(Frozen):
    """An answer to a question: its message, the bot that wrote it, and its text."""

    message: int
    author: int
    text: str


class Disagreement(Frozen):
    """The answers to one question and the places at which they differ. ``asked`` is the text of
    the question, "" if it was deleted; ``corrected`` says if the card shows corrections."""

    # A card that an older version kept may hold more.
    model_config = ConfigDict(extra="ignore")

    asked: str = ""
    answers: tuple[Answer, ...]
    differences: tuple[Difference, ...] = ()
    corrected: bool = False

    def without(self, messages: Collection[int]) -> Disagreement:
        """Return it without the answers of some messages, and without the places at which the
        remaining ones do not differ."""
        kept = [at for at, one in enumerate(self.answers) if one.message not in messages]
        places: dict[int | None, int | None] = {None: None}  # a reference stays
        places |= {old: new for new, old in enumerate(kept)}
        differences = []
        for one in self.differences:
            moved = (
                tuple(
                    said.model_copy(update={"answer": places[said.answer]})
                    for said in group
                    if said.answer in places
                )
                for group in one.groups
            )
            full = tuple(group for group in moved if group)
            if len(full) > 1 and any(said.answer is not None for group in full for said in group):
                differences.append(Difference(kind=one.kind, groups=full))
        return self.model_copy(
            update={
                "answers": tuple(self.answers[at] for at in kept),
                "differences": tuple(differences),
            }
        )


class Place(NamedTuple):
    """A channel, and its server (None for direct messages)."""

    channel: int
    server: int | None


class KeptCard(NamedTuple):
    """The card of a question. ``message`` is the bot's own message, None while it is not sent."""

    question: int
    asker: int
    place: Place
    message: int | None
    what: Disagreement


class KeptReport(NamedTuple):
    """A report that somebody asked for."""

    asker: int
    place: Place
    report: Report


class Quoted(NamedTuple):
    """A message whose words are kept, and who wrote it."""

    message: int
    person: int


class KeptWord(NamedTuple):
    """A person's word that a verdict is wrong: when it was said, and that the fact is right, or
    wrong."""

    at: float
    says: Literal["right", "wrong"]


class Errand(NamedTuple):
    """A message of the bot's own that is still to be deleted."""

    channel: int
    message: int
    tries: int
