"""A file that is watched: when it has changed, its text is checked again."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from halubot.errors import HalubotError
from halubot_tui.problems import in_app_words

if TYPE_CHECKING:
    from pathlib import Path

    from halubot_tui.app import HalubotApp
    from halubot_tui.text_check import TextCheck


class Watcher:
    """Looks at a file once a second; a change becomes a new version of its check.

    The file is compared with the text as it was read last, whatever its last newline is.
    ``note`` says what is wrong with the file, "" if nothing is.
    """

    def __init__(self, app: HalubotApp, path: Path, text: str) -> None:
        self._app = app
        self._path = path
        self._text = text
        self._stamp: object = self._look()
        self._busy = False
        self.note = ""

    def _look(self) -> object:
        """What changes when the file is written to; None if it is not there."""
        try:
            stat = os.stat(self._path)
        except OSError:
            return None
        return stat.st_mtime_ns, stat.st_size, stat.st_ino

    def look(self) -> None:
        """Check the file again if it has changed, unless its check is under way."""
        stamp = self._look()
        gone = stamp is None
        name = self._path.name
        if gone != self._is_gone:
            self._say(f"{name} was deleted; the text as it was is kept." if gone else "")
        check = self._latest
        if gone or self._busy or stamp == self._stamp or (check is not None and check.running):
            return
        self._stamp = stamp
        self._busy = True
        self._app.run_worker(self._check_changed(), group="watching", exit_on_error=False)

    @property
    def _is_gone(self) -> bool:
        return "was deleted" in self.note

    def _say(self, note: str) -> None:
        if note != self.note:
            self.note = note
            if note:
                self._app.notify(note, title="Watching", severity="warning", markup=False)
            self._app.main.status.watched = self._path.name + (
                " (deleted)" if self._is_gone else ""
            )
            self._app.main.redraw()

    @property
    def _latest(self) -> TextCheck | None:
        """The newest check of the file in the open session."""
        checks = self._app.open_checks.checks
        found = [one for one in checks if one.inputs.file == str(self._path)]
        return found[-1] if found else None

    async def _check_changed(self) -> None:
        try:
            try:
                text = await asyncio.to_thread(text_of, self._path)
            except HalubotError as error:
                self._say(f"Not checked again: {in_app_words(str(error))}")
                return
            self._say("")
            if text.strip() == self._text.strip() or not text.strip():
                return
            self._text = text
            check = self._latest
            if check is None:  # another session is open, or the text was not sent yet
                return
            await self._app.open_checks.read(check)
            # What was accepted in the version before stays accepted where its words still are.
            actions = check.corrections.carry_over(check.text, text)
            self._app.notify(f"{self._path.name} has changed.", title="Watching", markup=False)
            self._app.checks.check_version(check, text, actions)
        finally:
            self._busy = False


def text_of(file: Path) -> str:
    """The text of a file, of any kind that references may have. Raises UnreadableError and
    InputError."""
    from halubot.evidence import files

    return files.load(file).text or ""
