"""Samples: other answers of the same model to the same question, drawn at random."""

from __future__ import annotations

import asyncio

from halubot.events import Note, SampleDrawn
from halubot.evidence import text_source
from halubot.llm_calls.answer import LONGEST, TOO_LONG, conversation
from halubot.llm_calls.talk import Talk
from halubot.models.draws import draw
from halubot.models.finish import find_fault
from halubot.models.model import Request
from halubot.models.thought import without_thought
from halubot.report import Source

TEMPERATURE = 1.0
"""Of a sample, as the papers draw them."""

ROUND = 5
"""How many samples are drawn at a time where drawing may stop early."""


class Draws:
    """The samples that may be drawn for one question, ``most`` at most, each drawn once.

    A sample that fails is left out, with a note that says why.
    """

    def __init__(self, talk: Talk, question: str, context: str = "", *, most: int) -> None:
        self.most = most
        self._talk = talk
        self._messages = conversation(talk, question, context)
        self._asked = 0
        self._drawn: dict[int, Source] = {}
        self._lock = asyncio.Lock()

    @property
    def asked(self) -> int:
        """How many were asked for by now, those that failed too."""
        return self._asked

    async def until(self, count: int) -> tuple[Source, ...]:
        """The samples among the first ``count``, in order; draws those not drawn yet."""
        count = min(count, self.most)
        async with self._lock:
            if count > self._asked:
                await self._draw(self._asked, count)
                self._asked = count
        return tuple(self._drawn[index] for index in sorted(self._drawn) if index < count)

    async def _draw(self, first: int, end: int) -> None:
        request = Request(self._messages, n=end - first, first=first, temperature=TEMPERATURE)
        failed: dict[str, int] = {}
        try:
            async for drawn in draw(self._talk.answer, request):
                text = without_thought(drawn.completion.text).strip() if drawn.completion else ""
                fault = drawn.completion and find_fault(drawn.completion)
                if text and len(text) <= LONGEST and not fault:
                    source = _source(text, drawn.index)
                    self._drawn[drawn.index] = source
                    self._talk.emit(SampleDrawn(source=source, of=self.most))
                else:
                    why = fault or (
                        TOO_LONG if text else str(drawn.error or "the answer was empty")
                    )
                    failed[why] = failed.get(why, 0) + 1
        finally:
            self._talk.account()
        for why, times in failed.items():
            what = "a sample was not drawn" if times == 1 else f"{times} samples were not drawn"
            self._talk.emit(Note(what=what, why=why))


def _source(text: str, index: int) -> Source:
    source = text_source(text, "sample", index + 1)
    return source.model_copy(update={"id": f"s{index + 1}"})
