"""First verdicts on the sentences of an answer while it is being written.

Each finished sentence is compared, without a model, with the references, with what knowledge and
the web have for it, and with the samples that are there by then. The verdicts of the whole check
replace these, so a report never holds them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from halubot.claims import extract, read_message
from halubot.concurrency import aside
from halubot.errors import HalubotError
from halubot.events import AnswerToken, Emit, Event, FactJudged, SampleDrawn, SentenceMarked
from halubot.evidence.knowledge.named_bases import Joined, Knowledge
from halubot.methods.consensus.consensus import METHOD as CONSENSUS
from halubot.methods.driver import work_off
from halubot.methods.error_kinds import name_kinds
from halubot.methods.knowledge_passages import gather_passages, look_up_web
from halubot.methods.registry import Case
from halubot.report import DOUBTED, Source, Span
from halubot.text import clean
from halubot.verdicts import SEVERITY

if TYPE_CHECKING:
    from halubot.evidence.web.lookup import Web
    from halubot.models.budget import Budget

LONGEST: Final = 20_000
"""Characters of an answer that are checked while it is written; the rest waits for its end."""

_ENDS: Final = frozenset(".!?…。！？؟\n")


class LiveChecks:
    """Hears the events of an answer under way, passes them on, and marks finished sentences.

    ``case`` has what the answer is compared with, and no message. Half of the queries that the web
    may have for a message are for this; ``queries_left`` are for the check of the whole, and
    ``bases`` are what was found.
    """

    def __init__(
        self,
        case: Case,
        knowledge: Joined | None,
        web: Web | None,
        budget: Budget | None,
        emit: Emit,
    ) -> None:
        self._case = case
        self._bases: list[Knowledge] = list(knowledge.bases) if knowledge is not None else []
        self._web = web
        self._budget = budget
        self._emit = emit
        self._samples: list[Source] = list(case.samples)
        self._text = ""
        self._done = 0
        self._subject = case.subject or ""
        self._news = asyncio.Event()
        self._web_left = web.settings.queries // 2 if web is not None else 0
        self._asked = 0
        self.bases: list[Knowledge] = []
        self._task: asyncio.Task[None] | None = None

    @property
    def queries_left(self) -> int:
        """The queries that are left for the check of the whole answer, at least one."""
        most = self._web.settings.queries if self._web is not None else 1
        return max(1, most - self._asked)

    def hear(self, event: Event) -> None:
        """Pass an event on, and take note of it."""
        self._emit(event)
        match event:
            case AnswerToken(text=piece):
                self._text += piece
                if not _ENDS.isdisjoint(piece):
                    self._wake()
            case SampleDrawn(source=source):
                self._samples.append(source)
                self._wake()

    async def stop(self) -> None:
        """End the work: the answer is whole, and is checked as a whole."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    def _wake(self) -> None:
        self._news.set()
        if self._task is None:
            self._task = asyncio.create_task(self._work())

    async def _work(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            case = self._case
            sources = self._samples or case.references or self._bases or self._web
            while sources and (span := await aside(self._next)) is not None:
                self._done = span[1]
                # What fails here is told by the check of the whole.
                with suppress(HalubotError, OSError):
                    await self._check(clean(self._text)[0][span[0] : span[1]], span)

    def _next(self) -> Span | None:
        text = clean(self._text)[0]
        if self._done >= min(len(text), LONGEST):
            return None
        message = read_message(text[:LONGEST])
        for start, end in message.sentences:
            if start >= self._done:
                # A sentence has ended if another began, or its line did.
                follows = message.text[end:]
                if follows.strip() or "\n" in follows:
                    return start, end
                return None
        return None

    async def _check(self, text: str, span: Span) -> None:
        message = await aside(lambda: read_message(text))
        if not message.sentences:
            return
        facts = await aside(lambda: extract(message, subject=self._subject or None))
        if not self._subject and facts and facts[0].triple.head[:1].isupper():
            self._subject = facts[0].triple.head
        case = replace(
            self._case,
            message=message,
            samples=tuple(self._samples),
            subject=self._subject or None,
            facts=facts,
        )
        bases = [*self._bases, *self.bases]
        if self._web is not None and self._asked < self._web_left and facts:
            self._asked += 1
            found, _ = await look_up_web(case, self._web, _ignore, self._budget, 1)
            if found is not None:
                self.bases.append(found)
                bases.append(found)
        if bases:
            case, _ = await gather_passages(case, Joined(bases), _ignore)
        if not (case.samples or case.references):
            return
        judged: list[Event] = []
        await work_off(CONSENSUS.judge(case), name_kinds(message, judged.append))
        self._mark([event for event in judged if isinstance(event, FactJudged)], case, span)

    def _mark(self, judged: Sequence[FactJudged], case: Case, span: Span) -> None:
        start, end = span
        if not judged:
            self._emit(SentenceMarked(start=start, end=end, verdict="not_checked"))
            return
        worst = min(judged, key=lambda one: SEVERITY.index(one.verdict))
        quote = _quote(worst, case) if worst.verdict in DOUBTED else ""
        self._emit(
            SentenceMarked(
                start=start, end=end, verdict=worst.verdict, error=worst.error, quote=quote
            )
        )


def _quote(judged: FactJudged, case: Case) -> str:
    """Words of a source against a doubted fact, with the name of the source."""
    titles = {one.id: one.title for one in (*case.samples, *case.references)}
    for item in judged.evidence:
        if item.stance == "contradicts" and item.quote:
            return f"{titles.get(item.source, item.source)}: {item.quote}"
    return ""


def _ignore(event: Event) -> None:
    """Ignore an event: what is gathered here is no part of the report."""
