"""Messages are taken along: copied, and exported to files."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from halubot.render import captions
from halubot_tui.disagreement import Disagreeing

if TYPE_CHECKING:
    from pathlib import Path

    from halubot_tui.exports import Wanted
    from halubot_tui.turns import Turn

LONGEST_COPY: Final = 100_000
"""Characters that terminals may take; many take fewer."""


class Carrying(Disagreeing):
    """The part of the app that gives messages away."""

    async def action_copy(self) -> None:
        from halubot_tui.exports import finish_report

        turn = await self._message()
        report = finish_report(turn) if turn else None
        if turn is None or report is None:
            return
        await self._read_kept(turn)
        report = finish_report(turn) or report
        correction = report.correction
        text = correction.text if correction else report.text
        self.copy_to_clipboard(text)
        more = "; it is long, and many terminals take less" if len(text) > LONGEST_COPY else ""
        self.notify(
            f"{_copy(turn, changed=text != report.text)} was offered to the terminal{more}."
            " Whether it took it cannot be known here: F9 saves a file.",
            title=turn.title,
            markup=False,
        )

    async def action_export(self) -> None:
        from halubot_tui.export_screen import ExportForm
        from halubot_tui.exports import Kept, default_name, write_export

        turn = await self._message()
        if turn is None:
            return
        await self._read_kept(turn)
        session = self._keeper.session
        name = session.name if session is not None else ""

        async def save(wanted: Wanted) -> Path:
            turns = [turn] if wanted.what in ("text", "message") else list(self._turns.values())
            for one in turns:
                if not one.running and one.half_read:
                    one.recall(await asyncio.to_thread(self._keeper.report, one))
                await self._read_kept(one)
            kept = [Kept.of(one) for one in turns]
            return await asyncio.to_thread(write_export, wanted, kept, name, self._folder)

        await self.push_screen(ExportForm(default_name(turn, name), len(self._turns), save))


def _copy(turn: Turn, *, changed: bool) -> str:
    """Return what was copied, and which changes of it are not decided yet."""
    revision = turn.revision
    left = len(revision.open) if revision is not None else 0
    if not left:
        return "The corrected text" if changed else "The text as it was checked"
    of = captions.number(left, "change")
    verb = "is" if left == 1 else "are"
    begun = "The text corrected in part" if changed else "The text without any correction"
    return f"{begun}, in which {of} {verb} not decided yet (F4 decides),"
