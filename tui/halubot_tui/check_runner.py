"""Checks under way: begun, drawn as they are heard of, stopped, made again; and corrections looked
for."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from halubot.errors import HalubotError, StateError
from halubot.render.captions import VERDICTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from halubot.feedback import Says
    from halubot.render.items import Entry
    from halubot.report import Report
    from halubot.state.recorder import Recording
    from halubot_tui.app import HalubotApp
    from halubot_tui.orders import Order
    from halubot_tui.own_verdicts import OwnVerdicts
    from halubot_tui.preferences import Preferences
    from halubot_tui.sources import Given
    from halubot_tui.text_check import Inputs, TextCheck

REDRAW_SECONDS: Final = 0.1
"""The least time between two drawings of what changes by itself; more while somebody types."""
FOLD_REST: Final = 3
"""How much longer than it took to fold a log nothing is folded again."""


class CheckRunner:
    """Carries out checks of the open session. Its methods are called on the drawing loop."""

    def __init__(self, app: HalubotApp) -> None:
        self._app = app
        self._dirty = False
        self._drawn_at = 0.0
        self._folding: set[str] = set()
        self._correcting: set[str] = set()

    async def begin(
        self,
        inputs: Inputs,
        *,
        order: Order | None = None,
        actions: Sequence[Any] = (),
        preferences: Preferences | None = None,
        read: Iterable[str] = (),
        stay: bool = False,
        sent_from: int | None = None,
    ) -> TextCheck:
        """Start a check of the open session, or of a new one; to ``stay`` is to add it to the open
        one in any case. ``actions`` are corrections that hold for it, ``read`` what was read.
        ``sent_from`` is the session whose draft it was."""
        from halubot_tui.text_check import TextCheck

        session = self._app.open_checks
        if not stay and not session.takes(inputs):
            await session.go_to(0)
        check = TextCheck(f"n{time.monotonic_ns():x}", inputs)
        check.corrections.inherited.extend(actions)
        check.corrections.read.update(read)
        session.add(check)
        await self._app.show_check(check)
        self._app.run_worker(
            self._work(check, order, preferences or self._app.preferences, sent_from),
            group=f"check {check.id}",
            exit_on_error=False,
        )
        return check

    async def _work(
        self,
        check: TextCheck,
        order: Order | None,
        preferences: Preferences,
        sent_from: int | None,
    ) -> None:
        """Carry out the work on a check, from storing what was typed to looking for corrections."""
        from halubot_tui.orders import Check

        app = self._app
        stopped, failure = False, None
        recording: Recording | None = None
        try:
            recording = await self._store(check, preferences, sent_from)
            app.name_session()
            if order is None:
                options = await asyncio.to_thread(preferences.check_options, check.inputs)
                order = Check(check.inputs.kind, check.inputs.text, options)
            await app.checker.carry_out(order, partial(self._hear, check), recording)
        except asyncio.CancelledError:
            stopped = True
        except HalubotError as error:
            failure = str(error)
        except Exception as error:  # noqa: BLE001 - nothing that a check does may end the app
            failure = f"a fault of halubot's own: {type(error).__name__}: {error}"
        if failure is not None:
            check.note_failure(failure, recording)
            if recording is not None:  # what is shown can be read again
                with suppress(StateError):
                    await asyncio.to_thread(recording.flush)
        await app.open_checks.heed(check)
        check.end(stopped, failure)
        check.take_over(app.open_checks.version_before(check))
        app.open_checks.note_end(check)
        if not app.is_running:
            return
        while check.late:
            check.take(await asyncio.to_thread(check.fold_aside()))
        composer = app.main.composer
        if failure and check.inputs.kind == "ask" and not check.text and composer.is_empty:
            composer.prompt.write(check.inputs.text)
        self.propose(check)
        made = check.corrections
        if made.inherited or made.read or check.words or check.taken:
            self.store_corrections(check)  # with what is left of it
        self._redraw(check)
        app.describe()
        app.main.reload_side_bar()
        app.note_work(ended=True)

    async def _store(
        self, check: TextCheck, preferences: Preferences, sent_from: int | None
    ) -> Recording | None:
        """Store what was typed, and return where the events of its check are to be recorded."""
        store = self._app.store
        try:
            # Reading the options loads the methods: not on the drawing loop.
            told = await asyncio.to_thread(preferences.plain_values, check.inputs.settings)
            recording = await asyncio.to_thread(store.begin, check, told)
        finally:
            check.begun.set()
        if sent_from is not None and check.place is not None and check.place[0] != sent_from:
            # Only now: until it is stored as a check, what was typed is stored as a draft.
            await asyncio.to_thread(store.clear_draft, sent_from)
        if check.corrections.inherited or check.corrections.read:
            self.store_corrections(check)
        return recording

    def _hear(self, check: TextCheck, event: Any) -> None:
        """Take in an event of a check, and draw it soon."""
        check.hear((event,))
        self._app.note_work()
        if check.late and check.id not in self._folding:
            self._folding.add(check.id)
            self._app.run_worker(self._fold(check), group="folding", exit_on_error=False)
        if not self._dirty:
            self._dirty = True
            wait = REDRAW_SECONDS * (10 if time.monotonic() - self._app.pressed < 1 else 1)
            self._app.set_timer(
                max(0.01, self._drawn_at + wait - time.monotonic()), self._redraw_soon
            )

    def _redraw_soon(self) -> None:
        app = self._app
        self._dirty = False
        self._drawn_at = time.monotonic()
        shown = app.open_checks.shown
        if shown is not None and app.main.is_attached:
            app.main.status.work = self.work_words()
            if not shown.late:
                app.main.redraw()

    def _redraw(self, check: TextCheck, *, bring: bool = False) -> None:
        """Draw a check anew if it is the one that is shown."""
        if self._app.open_checks.shown is check and self._app.is_running:
            self._app.main.redraw(bring=bring)

    async def _fold(self, check: TextCheck) -> None:
        """Fold the log of a long check aside while more is heard."""
        try:
            while check.late and check.running:
                began = time.monotonic()
                check.take(await asyncio.to_thread(check.fold_aside()))
                self._redraw(check)
                await asyncio.sleep(max(1.0, FOLD_REST * (time.monotonic() - began)))
        finally:
            self._folding.discard(check.id)

    def work_words(self) -> str:
        """What is being done, "" for nothing."""
        shown = self._app.open_checks.shown
        if shown is not None and shown.running:
            return shown.progress.words()
        if shown is not None and shown.id in self._correcting:
            return "asking for corrections"
        busy = len(self._app.open_checks.running)
        return f"{busy} more being checked" if busy else ""

    @property
    def is_busy(self) -> bool:
        """Whether something is being done about the check that is shown."""
        shown = self._app.open_checks.shown
        return shown is not None and (shown.running or shown.id in self._correcting)

    def stop(self) -> bool:
        """Stop the work on the check that is shown; False if there is none."""
        shown = self._app.open_checks.shown
        if shown is None or not self.is_busy:
            return False
        self._app.workers.cancel_group(self._app, f"check {shown.id}")
        self._app.workers.cancel_group(self._app, f"corrections {shown.id}")
        return True

    # Checks made again.

    def check_again(self, check: TextCheck) -> None:
        """Check the corrected text; without changes, the same text again."""
        if check.running:
            return
        if check.corrections.changes:
            self.check_version(check, check.corrected, ())
        else:
            self._begin_later(self._again(check, check.inputs))

    def change_sources(self, check: TextCheck, given: Sequence[Given]) -> None:
        """Check the same text with other sources."""
        from halubot_tui.sources import as_inputs, of_inputs

        if tuple(given) == of_inputs(check.inputs) or check.running:
            return
        inputs = check.inputs.model_copy(update=as_inputs(given))
        self._begin_later(self._again(check, inputs))

    async def _again(self, check: TextCheck, inputs: Inputs) -> TextCheck:
        kept = check.corrections.keeps
        return await self.begin(inputs, actions=kept, read=check.corrections.read, stay=True)

    def check_version(self, check: TextCheck, text: str, actions: Sequence[Any]) -> None:
        """Check a changed text as an earlier version was checked; only paragraphs that changed are
        checked."""
        from halubot.changed_text import CheckChanged

        found = check.found
        update = {
            "text": text,
            "kind": "check",
            "question": check.question,
            "version_of": check.place[1] if check.place else 0,
        }
        inputs = check.inputs.model_copy(update=update)
        order: Order | None = None
        if found is not None and found.sentences and check.state == "done":
            options = self._app.preferences.again_options(check.inputs, found)
            order = CheckChanged(found, text, options)
        held = [*actions, *check.corrections.keeps]
        read = check.corrections.read
        self._begin_later(self.begin(inputs, order=order, actions=held, read=read, stay=True))

    def _begin_later(self, work: Any) -> None:
        self._app.run_worker(work, group="again", exit_on_error=False)

    # Corrections.

    def propose(self, check: TextCheck) -> None:
        """Look for corrections that the sources give, without a model."""
        report = check.report
        if report is None or check.running:
            return
        if check.near is None and report.sources:
            self._app.run_worker(
                self._find_near(check, report), group=f"proposals {check.id}", exit_on_error=False
            )
        if check.corrections.proposed:
            return
        check.corrections.proposed = True
        check.corrections.propose_values(report)  # at once; what is proved takes seconds
        if report.doubted():
            check.corrections.looking = True
            from halubot_tui.orders import Propose

            order = Propose(report, {"on_doubt": self._app.preferences.on_doubt})
            self._app.run_worker(
                self._take_proposals(check, order),
                group=f"proposals {check.id}",
                exit_on_error=False,
            )

    async def _find_near(self, check: TextCheck, report: Report) -> None:
        """Find the words of the sources beside each sentence."""
        from halubot_tui.orders import FindNear

        with suppress(HalubotError):
            check.near = await self._app.checker.carry_out(FindNear(report), lambda _: None)
            check.corrections.propose_beside(report, check.near or {})
        self._redraw(check)

    def ask_for_corrections(self, check: TextCheck) -> None:
        """Have the model rewrite what is doubted."""
        report = check.report
        if report is None or check.id in self._correcting:
            return
        from halubot_tui.orders import Propose

        preferences = self._app.preferences
        options = preferences.again_options(check.inputs, report)
        options["hints"] = preferences.hints
        self._app.run_worker(
            self._take_proposals(check, Propose(report, options), asked=True),
            group=f"corrections {check.id}",
            exit_on_error=False,
        )

    async def _take_proposals(self, check: TextCheck, order: Order, *, asked: bool = False) -> None:
        app = self._app
        if asked:
            self._correcting.add(check.id)
            app.describe()
        before = dict(check.corrections.proposals)
        try:
            report: Report = await app.checker.carry_out(order, lambda _: None)
        except HalubotError as error:
            if asked:
                app.refuse("No correction", error)
            return
        finally:
            self._correcting.discard(check.id)
            if not asked:
                check.corrections.looking = False
                self._redraw(check)
            app.describe()
        edits = report.correction.edits if report.correction is not None else ()
        check.corrections.propose(edits)
        if asked and check.corrections.proposals == before:
            app.notify("The model offers no correction.", markup=False)
        self._redraw(check)

    def store_corrections(self, check: TextCheck) -> None:
        """Store what was changed in a text, in the order in which it was changed."""
        record, text = check.corrections.record(), check.corrected
        if not check.running:
            record["open"] = {verdict: check.counts[verdict] for verdict in VERDICTS}
        self._app.run_worker(self._store_record(check, record, text), group="storing")

    async def _store_record(self, check: TextCheck, record: dict[str, Any], text: str) -> None:
        async with self._app.open_checks.storing:
            await asyncio.to_thread(self._app.store.store_corrections, check, record, text)

    # What the person says of verdicts.

    async def say(
        self, check: TextCheck, entry: Entry, says: Says | None, verdicts: OwnVerdicts
    ) -> None:
        """Keep what the person says of a fact, or with None take it back, and show the fact so."""
        report, fact = check.found, entry.fact
        if report is None or fact is None:
            return
        try:
            await asyncio.to_thread(verdicts.say, report, fact, says)
        except StateError as error:
            self._app.refuse("Not stored", error)
            return
        await self._app.open_checks.heed(check)
        self._redraw(check, bring=True)
        self.store_corrections(check)
        self._app.notify(
            "Your word is taken back."
            if says is None
            else f"Noted: you say that it is {says}. u takes it back.",
            timeout=4,
        )
