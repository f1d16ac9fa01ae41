"""The open session: its checks, the one that is shown, and what another app does in it."""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import TYPE_CHECKING, Final

from halubot_tui.corrections import new_words
from halubot_tui.session_store import Draft
from halubot_tui.text_check import LONG, Folded

if TYPE_CHECKING:
    from collections.abc import Callable

    from halubot.feedback import Word
    from halubot_tui.own_verdicts import OwnVerdicts
    from halubot_tui.session_store import SessionStore
    from halubot_tui.text_check import Inputs, TextCheck

SILENCE: Final = 30.0
"""Seconds after which a check of another app of which nothing is heard is shown as stopped."""
VERSIONS: Final = 20
"""Versions of a text, this one among them, whose words of the person count."""


class OpenSession:
    """The checks of one session after another. Its methods are called on the drawing loop.

    ``verdicts`` holds what the person says of facts, None if that is not to be heeded.
    """

    def __init__(
        self,
        store: SessionStore,
        verdicts: OwnVerdicts | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._store = store
        self._verdicts = verdicts
        self._clock = clock
        self._stored = Draft()
        self._stamp: object = None
        self._following = False
        self._heard: dict[str, float] = {}
        self._left: dict[int, TextCheck] = {}
        self._new: tuple[object, tuple[tuple[int, int], ...]] = (None, ())
        self.checks: list[TextCheck] = []
        self.shown: TextCheck | None = None
        self.pinned = False
        """Whether the session was named at the start, so that everything goes into it."""
        self.storing = asyncio.Lock()

    @property
    def title(self) -> str:
        """The name of the session; without one the question or first words; "" if it is empty."""
        session = self._store.session
        if session is not None and session.name:
            return session.name
        return self.checks[0].inputs.title if self.checks else ""

    @property
    def latest(self) -> TextCheck | None:
        """The newest check."""
        return self.checks[-1] if self.checks else None

    @property
    def running(self) -> list[TextCheck]:
        """The checks under way, also those of sessions that were left."""
        here = [one for one in self.checks if one.running]
        return [*here, *(one for one in self._left.values() if one not in here)]

    def takes(self, inputs: Inputs) -> bool:
        """Whether something new belongs into this session: a question goes on with questions, and
        a text begins a session of its own."""
        if not self.checks or self.pinned:
            return True
        return inputs.kind == "ask" and all(one.inputs.kind == "ask" for one in self.checks)

    def add(self, check: TextCheck) -> None:
        """Add a check that was begun here."""
        self.checks.append(check)

    def note_end(self, check: TextCheck) -> None:
        """The work on a check has ended."""
        self._left = {entry: one for entry, one in self._left.items() if one is not check}

    async def go_to(self, session: int | str) -> None:
        """Open another session by its id, 0 for a new one, or by its name; its checks are not
        loaded."""
        for one in self.checks:
            if one.running and one.place is None:
                await one.begun.wait()  # the store puts it into the session that is open
            if one.running and one.place is not None:
                self._left[one.place[1]] = one
        self.checks, self.shown, self.pinned = [], None, False
        self._stored = Draft()
        self._heard.clear()
        await asyncio.to_thread(self._store.open, session)

    async def load(self) -> None:
        """Load the checks of the session that the store has opened."""
        self.shown = None
        self._heard.clear()
        self.checks = await asyncio.to_thread(self._store.checks, dict(self._left))
        self._stored = await asyncio.to_thread(self._store.draft)

    async def read(self, check: TextCheck) -> None:
        """Read the stored report of a check, if it was not read."""
        if check.report is not None or check.run is None or check.running:
            return

        def read() -> tuple[tuple[Word, ...], Folded] | None:
            report = self._store.report(check)
            if report is None:
                return None
            words = self._words(check, report.text)
            return words, Folded.of(report, words)

        if (found := await asyncio.to_thread(read)) is not None:
            check.words = found[0]
            check.recall(found[1])
        for one in self.checks:
            if one is not check and one is not self.shown:
                one.release()

    async def heed(self, check: TextCheck) -> None:
        """Apply what the person said of facts of a text, and of the versions before it."""
        text = check.text
        words = await asyncio.to_thread(self._words, check, text)
        if text and words != check.words:
            folded = await asyncio.to_thread(check.heed_aside(words))
            if folded is not None:
                check.take(folded)

    def _words(self, check: TextCheck, text: str) -> tuple[Word, ...]:
        """What was said of a text, and of the versions before it; waits for the disk."""
        if self._verdicts is None or not text:
            return ()
        texts, before = [text], self.version_before(check)
        while before is not None and len(texts) < VERSIONS:
            texts.append(before.text or before.inputs.text)
            before = self.version_before(before)
        return self._verdicts.words(texts)

    def version_before(self, check: TextCheck | None) -> TextCheck | None:
        """The check of the version that was corrected to this text."""
        entry = 0 if check is None else check.inputs.version_of
        if not entry:
            return None
        return next((one for one in self.checks if one.place and one.place[1] == entry), None)

    def neighbour(self, by: int) -> TextCheck | None:
        """The check after the one that is shown, or before it; at an end that one."""
        if self.shown not in self.checks:
            return self.latest
        at = self.checks.index(self.shown) + by
        return self.checks[max(0, min(at, len(self.checks) - 1))]

    def new_words(self, check: TextCheck, before: TextCheck | None) -> tuple[tuple[int, int], ...]:
        """The places of words that the version before does not have; none of a long text."""
        if before is None or len(check.text) > LONG:
            return ()
        key = check.id, before.id, check.text
        if self._new[0] != key:
            self._new = key, tuple(new_words(before.text, check.text))
        return self._new[1]

    async def store_draft(self, draft: Draft) -> None:
        """Store what is typed, if it has changed."""
        async with self.storing:
            if draft != self._stored:
                self._stored = draft
                await asyncio.to_thread(self._store.store_draft, draft)

    async def follow(self) -> TextCheck | None:
        """Take over what another app did in the session; return a check that has changed, None if
        nothing did."""
        # A change that comes while an earlier one is read must still be new at the next look.
        if self._following:
            return None
        before, self._stamp = self._stamp, self._store.stamp()
        if not (self._heard or before != self._stamp):
            return None
        session = self._store.session
        self._following = True
        try:
            since = await asyncio.to_thread(self._store.since)
        finally:
            self._following = False
        if self._store.session is None or session is None or self._store.session.id != session.id:
            return None
        changed: TextCheck | None = None
        for check in since.added:
            self.checks.append(check)
            changed = check
        known = {one.id: one for one in self.checks}
        for name, (run, events) in since.heard.items():
            if (found := known.get(name)) is not None:
                found.follow(run, events)
                changed = found
                self._heard[name] = self._clock()
        return self._silent(known) or changed

    def _silent(self, known: dict[str, TextCheck]) -> TextCheck | None:
        for name, at in list(self._heard.items()):
            check = known.get(name)
            if check is None or not check.running:
                del self._heard[name]
            elif self._clock() - at > SILENCE:
                check.end(stopped=True, failure=None)
                del self._heard[name]
                return check
        return None
