"""A file that is looked after: when it has changed, its text is checked again."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from halubot.errors import HalubotError
from halubot_tui.problems import in_app_words

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from halubot_tui.app import HalubotApp
    from halubot_tui.turns import Turn

SECONDS: Final = 1.0
"""How often the file is looked at."""


@dataclass(slots=True)
class Watched:
    """A file, its text as it was read last, and the message in which that was checked last."""

    path: Path
    text: str = ""
    turn: str = ""
    why: str = ""
    """Why the file could not be read the last time; "" if it was."""
    _stamp: object = field(default=None)

    def has_changed(self) -> bool:
        """Return whether the file may have been written to since this was asked last, or since its
        text was read first. It takes some microseconds."""
        try:
            stat = os.stat(self.path)
        except OSError:
            return False  # while an editor replaces it; what is there then is read then
        before, self._stamp = self._stamp, (stat.st_mtime_ns, stat.st_size, stat.st_ino)
        return before != self._stamp

    def read(self) -> str:
        """Return its text. Raises UnreadableError and InputError."""
        return text_of(self.path)


class Watcher:
    """Has the text of a file checked again in the app when the file has changed; ``find`` finds a
    message of the open session by its id."""

    def __init__(
        self, app: HalubotApp, watched: Watched, find: Callable[[str], Turn | None]
    ) -> None:
        self._app = app
        self._watched = watched
        self._find = find

    def note(self, turn: Turn) -> None:
        """Remembers the message in which the text of the file is checked."""
        # By its words: the form drops a line break at the end, and writes every one as \n.
        if turn.inputs.text.split() == self._watched.text.split():
            self._watched.turn = turn.id

    def look(self) -> None:
        """Once a second: checks the file again that is watched, if it has changed since it was
        checked in this session."""
        watched = self._watched
        turn = self._find(watched.turn)
        if turn is not None and not turn.running and watched.has_changed():
            self._app.run_worker(
                self._check_changed(watched), group="watching", exit_on_error=False
            )

    async def _check_changed(self, watched: Watched) -> None:
        """Checks what has changed in the file, with what it was compared with before."""
        try:
            text = await asyncio.to_thread(watched.read)
        except HalubotError as error:
            if watched.why != str(error):
                watched.why = str(error)
                why = in_app_words(watched.why)
                self._app.notify(why, title="Not checked again", severity="warning", markup=False)
            return
        watched.why = ""
        if text == watched.text or not text.strip():
            return
        watched.text = text
        turn = self._find(watched.turn)
        if turn is None:  # another session was opened meanwhile
            return
        report = turn.current_report if turn.state == "done" else None
        again = turn.inputs.model_copy(update={"text": text})
        name = watched.path.name
        said = f"{name} has changed: it is checked again."
        self._app.notify(said, title="Watching", markup=False)
        await self._app.begin(again, before=report if report and report.sentences else None)


def text_of(file: Path) -> str:
    """The text of a file, of any kind that references may have. Raises UnreadableError and
    InputError."""
    from halubot import evidence

    return evidence.load(file).text or ""
