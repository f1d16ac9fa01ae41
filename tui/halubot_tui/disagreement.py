"""A person's word on a verdict, and how it is kept."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from halubot.errors import HalubotError
from halubot_tui.meant import MeantApp

if TYPE_CHECKING:
    from halubot.feedback import Word
    from halubot_tui.disagree_form import Said
    from halubot_tui.turns import Turn


class Disagreeing(MeantApp):
    """The part of the app that takes a person's word on facts."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether there is a fact to disagree about."""
        if action == "disagree":
            return self._selected is not None and self._selected[1] is not None
        return super().check_action(action, parameters)

    async def action_disagree(self) -> None:
        from halubot_tui.disagree_form import DisagreeForm

        turn, number = await self._message(), self._selected[1] if self._selected else None
        entry = turn.entry(number) if turn else None
        if turn is None:
            return
        if entry is None or entry.fact is None:
            self.notify("Select a fact: what you say is kept of facts, not of whole sentences.")
            return
        fact, text = entry.fact, turn.answer
        before = next(
            (w for w in self._words if w.text == text and w.fact.triple == fact.triple), None
        )

        def take_answer(answer: Said | None) -> None:
            if answer is not None:
                work = self._say(turn, fact.index, answer, before)
                self.run_worker(work, group="feedback", exit_on_error=False)

        self.push_screen(DisagreeForm(entry, before, self._signs), take_answer)

    async def _say(self, turn: Turn, fact: int, answer: Said, before: Word | None) -> None:
        """Keeps a word on a fact, or takes one back."""
        from halubot.feedback import Feedback

        report = turn.current_report
        if report is None:
            return

        def keep() -> tuple[Word, ...]:
            with Feedback.open(self._folder) as feedback:
                if answer.says is not None:
                    feedback.add(report, fact, answer.says, note=answer.note)
                elif before is not None:
                    feedback.remove(before.id)
                return feedback.words()

        try:
            self._words = await asyncio.to_thread(keep)
        except HalubotError as error:
            self._show_refusal("Not kept", error)
            return
        self.heed(self._turns.values())
        self.redraw(turn)
        said = "It is kept" if answer.says else "It is taken back"
        self.notify(f"{said}. F9 saves what you said.")

    async def read_words(self) -> None:
        """Reads what the person said of facts before."""

        def read() -> tuple[Word, ...]:
            from halubot.feedback import Feedback, place

            if not place(self._folder).exists():
                return ()
            with Feedback.open(self._folder) as feedback:
                return feedback.words()

        if self._preferences.no_feedback:
            return
        try:
            self._words = await asyncio.to_thread(read)
        except HalubotError as error:
            self._show_refusal("What you said of facts is left out", error)
