"""More work on a message that was checked: it is corrected, judged by others, copied, saved."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

from halubot_tui.disagreement import Disagreeing

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from halubot.jobs import Jobs, News
    from halubot.report import Report
    from halubot_tui.checker import Checker
    from halubot_tui.compare import Chose, Halted
    from halubot_tui.exports import Wanted, What
    from halubot_tui.messages import Decided, Finished, Stopped
    from halubot_tui.orders import Order
    from halubot_tui.preferences import Preferences
    from halubot_tui.sessions import Deleted
    from halubot_tui.turns import Inputs, Turn
    from halubot_tui.work import Task

LONGEST_COPY: Final = 100_000
"""Characters that terminals may take; many take fewer."""
OF_A_MESSAGE: Final = ("again", "correct", "compare", "copy", "export")
"""Actions that need a message."""


class Reviewing(Disagreeing):
    """The part of the app that works on the selected message once more."""

    _jobs: Jobs

    def __init__(self, preferences: Preferences, folder: Path | None) -> None:
        super().__init__(preferences, folder)
        self._tasks: dict[str, Task] = {}

    @property
    def checker(self) -> Checker:
        """Return the checker, which does the work of the core."""
        raise NotImplementedError

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether there is something to do an action with: what needs a message is not
        offered without."""
        if action == "stop":
            turn = self._meant_turn
            return turn is not None and self.is_busy(turn)
        if action == "resume":
            return bool(self.resumable)
        if action in OF_A_MESSAGE:
            return bool(self._turns)
        return super().check_action(action, parameters)

    async def begin(
        self,
        inputs: Inputs,
        preferences: Preferences | None = None,
        *,
        before: Report | None = None,
    ) -> Turn:
        """Starts work on one more message."""
        raise NotImplementedError

    def is_busy(self, turn: Turn) -> bool:
        return turn.running or any(not task.ended for task in self._works(turn))

    def action_stop(self) -> None:
        """Stops the work on the selected message, and says how to go on with it."""
        turn = self._meant_turn
        if turn is None or not self.is_busy(turn):
            self.notify("Nothing is under way on the selected text.")
            return
        again = turn.begin_again if turn.running else "F4 and F6 begin it again"
        self._halt(turn)
        self.notify(f"{turn.title}: {again}.", title="Stopped", markup=False)

    def on_deleted(self, message: Deleted) -> None:
        """Stops the work of a session that is gone: nobody could see or keep what comes of it."""
        for turn in (*self._turns.values(), *self._left.values()):
            if turn.place is not None and turn.place[0] == message.session:
                self._halt(turn)

    def _halt(self, turn: Turn) -> None:
        """Stops all work on a message."""
        for job in (turn.id, *(task.name for task in self._works(turn))):
            self._jobs.cancel(job)

    def _works(self, turn: Turn) -> list[Task]:
        """The work on a message beside its check."""
        return [task for task in self._tasks.values() if _turn_of(task) == turn.id]

    async def action_again(self) -> None:
        """Checks the selected message again as one more message."""
        turn = await self._message(judged=False)
        if turn is None:
            return
        report = turn.report
        asked = turn.inputs.text if turn.inputs.kind == "ask" else turn.inputs.question
        if report is None or (turn.inputs.kind == "ask" and not report.sentences):
            await self.begin(turn.inputs)
            return
        given = turn.inputs.model_copy(
            update={"kind": "check", "text": report.text, "question": asked, "settings": {}}
        )
        await self.begin(given)

    # Correcting.

    async def action_correct(self) -> None:
        from halubot_tui.correction import CorrectionScreen
        from halubot_tui.orders import Propose
        from halubot_tui.work import Task

        turn = await self._message()
        if turn is None:
            return
        await self._read_kept(turn)
        if not isinstance(self.screen, CorrectionScreen):
            number = self._selected[1] if self._selected else None
            entry, keys = turn.entry(number), self._preferences.keys
            await self.push_screen(CorrectionScreen(turn, self._signs, entry, keys))
        task = self._tasks.get(_correcting(turn))
        if turn.revision is None and (task is None or task.ended) and turn.report is not None:
            task = Task(_correcting(turn), "Correcting")
            options = self._options(turn, turn.report.method)
            options |= {"on_doubt": self._preferences.on_doubt, "hints": self._preferences.hints}
            self._begin(task, Propose(turn.report, options))
        self._show_correction(turn)

    def on_decided(self, message: Decided) -> None:
        turn = self._turns.get(message.turn)
        if turn is None or turn.revision is None:
            return
        told = {str(index): decision for index, decision in message.decisions.items()}
        turn.decide(told)
        self._note(turn, "edit", told)
        self._show_correction(turn)
        self._show_corrected(turn)

    async def on_finished(self, message: Finished) -> None:
        from halubot_tui.orders import Recheck
        from halubot_tui.work import Task

        turn = self._turns.get(message.turn)
        revision = turn.revision if turn else None
        running = turn is not None and self._tasks.get(_correcting(turn))
        if turn is None or (running and not running.ended):
            return
        if revision is None:
            await self.action_correct()
            return
        decided = revision.decided_text
        if not revision.changes:
            self.notify("No change is made yet: accept one, or write one by hand.")
        elif not decided.text.strip():
            self.notify("Nothing of the text is left to check.", severity="warning")
        else:
            task = Task(_correcting(turn), "Checking the corrected text")
            options = self._options(turn, revision.report.method)
            self._begin(task, Recheck(revision.report, decided.text, options))
            self._show_correction(turn)

    def on_stopped(self, message: Stopped) -> None:
        self._jobs.cancel(f"correct {message.turn}")

    def _take_correction(self, turn: Turn, task: Task) -> None:
        """Takes over what became of work on a correction."""
        from halubot_tui.revision import Revision

        found, revision = task.result, turn.revision
        if found is not None and revision is None:
            turn.revision = Revision(found, turn.decisions)
        elif found is not None and revision is not None:
            decided = revision.decided_text
            if decided.text == found.text:
                again = decided.model_copy(update={"report": found})
                revision.outcome = revision.report.model_copy(update={"correction": again})
        if found is not None and turn.revision is not None:
            self._note(turn, "correction", turn.revision.to_record())
        self._show_corrected(turn)

    def _show_corrected(self, turn: Turn) -> None:
        """Draws a message with another text below it; its result stays in sight."""
        self.redraw(turn)
        if self._looked_at(turn):
            self._main.conversation.bring_head(turn.id)

    def _show_correction(self, turn: Turn) -> None:
        from halubot_tui.correction import CorrectionScreen

        for screen in self.screen_stack:
            if isinstance(screen, CorrectionScreen) and screen.turn is turn:
                screen.show(self._tasks.get(_correcting(turn)))

    # Copying and saving.

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
            f"{_describe_copy(turn)} was offered to the terminal{more}."
            " Whether it took it cannot be known here: F9 saves a file.",
            title=turn.title,
            markup=False,
        )

    async def action_export(self) -> None:
        from halubot_tui.correction import CorrectionScreen
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

        revision = turn.revision
        text = ("the corrected text", "")
        if revision is not None:
            text = revision.text_name, revision.standing
        here = isinstance(self.screen, CorrectionScreen)
        first: What = "text" if here or revision is None or revision.changes else "message"
        form = ExportForm(default_name(turn, name), len(self._turns), save, text, first)
        await self.push_screen(form)

    # Comparing.

    async def action_compare(self) -> None:
        from halubot_tui.compare import CompareScreen

        turn = await self._message()
        if turn is None:
            return
        await self._read_kept(turn)
        if turn.compared or self._comparing(turn):
            await self.push_screen(CompareScreen(turn, self._signs))
            self._show_comparison(turn)
        else:
            self.choose_methods(turn)

    def choose_methods(self, turn: Turn) -> None:
        """Asks which methods are to judge a message too."""
        from halubot_tui.choice import CompareForm

        def take_choice(methods: tuple[str, ...] | None) -> None:
            if methods:
                self.run_worker(self._compare(turn, methods), exit_on_error=False)

        form = CompareForm(turn, with_model=bool(self._preferences.options().get("model")))
        self.push_screen(form, take_choice)

    def on_halted(self, message: Halted) -> None:
        if (turn := self._turns.get(message.turn)) is not None:
            for task in self._comparing(turn).values():
                self._jobs.cancel(task.name)

    def on_chose(self, message: Chose) -> None:
        if (turn := self._turns.get(message.turn)) is not None:
            self.choose_methods(turn)

    async def _compare(self, turn: Turn, methods: Iterable[str]) -> None:
        from halubot_tui.compare import CompareScreen
        from halubot_tui.orders import Recheck
        from halubot_tui.work import Task

        report = turn.current_report
        if report is None:
            return
        if not any(isinstance(screen, CompareScreen) for screen in self.screen_stack):
            await self.push_screen(CompareScreen(turn, self._signs))
        for method in methods:
            task = Task(f"compare {turn.id} {method}", method)
            options = self._options(turn, method)
            self._begin(task, Recheck(report, report.text, options, by=method))
        self._show_comparison(turn)

    def _take_comparison(self, turn: Turn, task: Task) -> None:
        """Takes over the report of one more method."""
        from halubot_tui.correction_record import bare

        if task.result is not None and turn.current_report is not None:
            turn.compared[task.what] = task.result
            data = {"compared": task.what, "report": bare(task.result, turn.current_report.sources)}
            self._note(turn, "note", data)

    def _comparing(self, turn: Turn) -> dict[str, Task]:
        """The work on the comparison of a message, by method."""
        lead = f"compare {turn.id} "
        return {task.what: task for name, task in self._tasks.items() if name.startswith(lead)}

    def _show_comparison(self, turn: Turn) -> None:
        from halubot_tui.compare import CompareScreen

        for screen in self.screen_stack:
            if isinstance(screen, CompareScreen) and screen.turn is turn:
                screen.show(self._comparing(turn))

    # Work beside the checking of messages.

    def _begin(self, task: Task, order: Order) -> None:
        from halubot_tui.work import reviewing

        self._tasks[task.name] = task
        self._jobs.start(task.name, reviewing(task, order, self.checker))
        self.refresh_bindings()

    def heard_of(self, news: News) -> bool:
        """Takes over what was heard of such work; whether it was of such."""
        task = self._tasks.get(news.job)
        if task is None:
            return False
        task.hear(news)
        turn = self.turn(_turn_of(task))
        if turn is not None and task.name == _correcting(turn):
            if task.ended:
                self._take_correction(turn, task)
            self._show_correction(turn)
        elif turn is not None:
            if task.ended:
                self._take_comparison(turn, task)
            self._show_comparison(turn)
        if turn is not None and task.ended:
            self.note_rest(turn)
        return True

    def _options(self, turn: Turn, method: str) -> dict[str, Any]:
        """The settings that hold for checking a message once more, by a method."""
        settings = {**turn.inputs.settings, "method": method}
        options = self._preferences.options(settings)
        options["knowledge"] = [
            *dict.fromkeys((*turn.inputs.knowledge, *self._preferences.knowledge))
        ]
        return options


def _correcting(turn: Turn) -> str:
    return f"correct {turn.id}"


def _turn_of(task: Task) -> str:
    return task.name.split()[1]


def _describe_copy(turn: Turn) -> str:
    """Return what was copied, and how far it is corrected."""
    revision = turn.revision
    if revision is None:
        return "The text as it was checked"
    name = revision.text_name
    said = f"{name[:1].upper()}{name[1:]}"
    return f"{said} ({revision.standing})" if revision.standing else said
