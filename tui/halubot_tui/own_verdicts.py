"""What the person says of verdicts: kept with that of the command line, and applied to the reports
that the person sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halubot.errors import StateError
from halubot.feedback import Feedback, place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from halubot.feedback import Says, Word
    from halubot.report import Fact, Report


class OwnVerdicts:
    """The words of the person on facts of texts. Its methods wait for the disk. ``warn`` is called
    with the reason if they cannot be read."""

    def __init__(self, warn: Callable[[StateError], None], folder: Path | None = None) -> None:
        self._warn = warn
        self._folder = folder
        self._told: set[str] = set()

    def words(self, texts: Iterable[str]) -> tuple[Word, ...]:
        """What was said of facts of the first of these texts, and of the versions before it."""
        now, *earlier = texts
        # Opening makes the file, which nobody needs who never said anything.
        if not place(self._folder).exists():
            return ()
        try:
            with Feedback.open(self._folder) as feedback:
                found = [one for text in earlier for one in feedback.words(text=text)]
                known = feedback.words(text=now)
        except StateError as error:
            if str(error) not in self._told:
                self._told.add(str(error))
                self._warn(error)
            return ()
        # A fact of an earlier version is the same fact in this one.
        return (*(one.model_copy(update={"text": now, "id": 0}) for one in found), *known)

    def say(self, report: Report, fact: Fact, says: Says | None) -> None:
        """Keep what was said of a fact of a report; None takes it back. Raises StateError."""
        with Feedback.open(self._folder) as feedback:
            if says is not None:
                feedback.add(report, fact.index, says)
                return
            for one in feedback.words(text=report.text):
                if one.fact.triple == fact.triple:
                    feedback.remove(one.id)
