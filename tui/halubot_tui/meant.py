"""The message that is meant by what a person does, with all that is kept of it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from halubot_tui.drafts import Draft
from halubot_tui.problems import in_app_words
from halubot_tui.session_base import LastingApp

if TYPE_CHECKING:
    from pathlib import Path

    from halubot.errors import HalubotError
    from halubot.report import Report
    from halubot_tui.preferences import Preferences
    from halubot_tui.revision import Revision
    from halubot_tui.session_keeper import Noted
    from halubot_tui.turns import Inputs, Turn


class MeantApp(LastingApp):
    """The part of the app that finds the message an action is about, and notes things about it."""

    def __init__(self, preferences: Preferences, folder: Path | None) -> None:
        super().__init__(preferences, folder)
        self._noting = asyncio.Lock()
        self._latest: Inputs | None = None

    @property
    def _meant_turn(self) -> Turn | None:
        """The selected message; the newest if none is selected, None without messages."""
        turn = self._turns.get(self._selected[0]) if self._selected else None
        return turn or next(reversed(self._turns.values()), None)

    @property
    def _sources_before(self) -> Draft | None:
        """The sources of the selected text, else of the newest that has some; None if there are
        none."""
        meant = self._meant_turn
        turns = [*([meant] if meant else []), *reversed(self._turns.values())]
        inputs = [turn.inputs for turn in turns]
        inputs += [self._latest] if self._latest else []
        drafts = (Draft.with_sources(one) for one in inputs)
        return next((one for one in drafts if one.sources), None)

    async def _message(self, *, judged: bool = True) -> Turn | None:
        """The selected message with its whole report. None, and it is said why, if there is
        nothing to do anything with: without a report if it must be ``judged``."""
        turn = self._meant_turn
        if turn is None:
            self.notify("Nothing is checked yet: F2 checks a text.")
            return None
        if turn.running:
            self.notify("It is still being checked. x stops that where you read, /stop anywhere.")
            return None
        if turn.late:
            await self.catch_up(turn)
        if turn.half_read:
            await self.fill(turn)
        if judged and turn.report is None:
            self.notify("Nothing is known of this text: F5 checks it.", severity="warning")
            return None
        return turn

    async def catch_up(self, turn: Turn) -> None:
        """Folds the log of a message until its report tells all of it."""
        raise NotImplementedError

    async def _read_kept(self, turn: Turn) -> None:
        """Reads what is kept of a message beside its report."""
        from halubot_tui.correction_record import whole
        from halubot_tui.revision import Revision

        report = turn.current_report
        if report is None:
            return
        proposed, turn.proposed = turn.proposed, None
        noted, turn.noted = turn.noted, []

        def read() -> tuple[Revision | None, dict[str, Report]]:
            found: dict[str, Report] = {}
            for data in noted:
                try:
                    found[str(data["compared"])] = whole(data["report"], report.sources)
                except (KeyError, TypeError, ValueError):
                    continue
            if proposed is None:
                return None, found
            try:
                return Revision.read(report, proposed, turn.decisions), found
            except ValueError:
                return None, found

        if proposed or noted:
            revision, compared = await asyncio.to_thread(read)
            turn.revision = turn.revision or revision
            turn.compared = {**compared, **turn.compared}
            self.redraw(turn)

    def _note(self, turn: Turn, kind: Noted, data: dict[str, Any]) -> None:
        """Keeps something about a message, in the order in which it was said."""

        async def note() -> None:
            async with self._noting:
                await asyncio.to_thread(self._keeper.note, turn, kind, data)

        self.run_worker(note(), group="noting", exit_on_error=False)

    def _show_refusal(self, title: str, error: HalubotError) -> None:
        self.notify(
            in_app_words(str(error)), title=title, severity="warning", markup=False, timeout=15
        )
