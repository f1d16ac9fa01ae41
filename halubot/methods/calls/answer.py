"""What a model writes: an answer to a question, the question of an answer, samples, and queries for
the web."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import Final

from pydantic import BaseModel, Field

from halubot.events import AnswerToken, Note, QuestionWritten, SampleDrawn, Spent
from halubot.evidence import text_source
from halubot.evidence.web.search import Query
from halubot.methods.calls.session import ModelSession
from halubot.models.answer_text import CUT, ThoughtFilter, find_fault, without_thought
from halubot.models.model import Completion, Message, Request, draw
from halubot.models.model_errors import (
    CutAnswerError,
    MalformedAnswerError,
    ModelError,
    RefusedRequestError,
)
from halubot.report import Source, Usage
from halubot_prompts import Plain, break_up

LONGEST = 200_000
"""Characters of an answer or a sample: a model that repeats itself would never end."""

TOO_LONG = f"it is longer than {LONGEST:,} characters"


def conversation(session: ModelSession, question: str, context: str = "") -> tuple[Message, ...]:
    """The messages to which answers and samples are drawn. ``context`` are earlier messages. A
    system prompt of the user's own takes the place of ours."""
    # In the bot the question is a stranger's, and so may hold what ends a message for its server.
    asked = Plain(break_up(question))
    messages = session.messages("answer", {"question": asked, "conversation": context})
    if not session.panel.system:
        return messages
    return Message("system", session.panel.system), *(one for one in messages if one.role == "user")


async def stream_answer(
    session: ModelSession, question: str, context: str = "", *, logprobs: bool = False
) -> tuple[str, ModelError | None]:
    """The answer, emitted piece by piece as it comes, thoughts left out; and, if it broke off or
    was cut, why.

    Raises the ModelError if no text came. Of an answer that is too long the beginning is kept.
    With ``logprobs`` those of its tokens are asked for too (`ModelSession.answer_logprobs`).
    """
    model, pieces, length = session.answer, list[str](), 0
    shown = ThoughtFilter()
    at = {"model": model.name, "endpoint": model.endpoint}
    failure: ModelError | None = None
    request = Request(conversation(session, question, context), logprobs=logprobs)
    try:
        # Closed as soon as it is left: a generator that is dropped holds its connection until it is
        # collected.
        async with aclosing(model.stream(request)) as stream:
            async for piece in stream:
                if isinstance(piece, Completion):
                    failure = _find_failure(piece, at)
                    session.answer_logprobs = piece.logprobs
                    continue
                kept = piece[: LONGEST - length]
                length += len(piece)
                pieces.append(kept)
                if visible := shown.hear(kept):
                    session.emit(AnswerToken(text=visible))
                if length > LONGEST:
                    failure = MalformedAnswerError(TOO_LONG, "ask for less", **at)
                    break
    except ModelError as error:
        failure = error
    finally:
        session.account()
    text = without_thought("".join(pieces))
    if not text.strip():
        remedy = "ask again, and check that the address is that of an OpenAI-compatible server"
        raise failure or MalformedAnswerError("the answer is empty", remedy, **at)
    return text, failure


def _find_failure(whole: Completion, at: dict[str, str]) -> ModelError | None:
    """Why an answer is none, or not whole; None if it is."""
    fault = find_fault(whole)
    if fault is not None:
        return RefusedRequestError(fault, "ask otherwise, or another model", **at)
    if whole.finish_reason == "length":
        return CutAnswerError(CUT, "ask for less", **at)
    return None


TEMPERATURE = 1.0
"""Of a sample, as the papers draw them."""


ROUND = 5
"""How many samples are drawn at a time if drawing may stop early."""


class Draws:
    """The samples that may be drawn for one question, ``most`` at most, each drawn once.

    A sample that fails is left out, with a note that says why.
    """

    def __init__(
        self, session: ModelSession, question: str, context: str = "", *, most: int
    ) -> None:
        self.most = most
        self._session = session
        self._messages = conversation(session, question, context)
        self._asked = 0
        self._drawn: dict[int, Source] = {}
        self._lock = asyncio.Lock()

    @property
    def asked_count(self) -> int:
        """The number of samples asked for so far, with those that failed."""
        return self._asked

    @property
    def drawn_count(self) -> int:
        """The number of samples so far, those that failed left out."""
        return len(self._drawn)

    async def until(self, count: int) -> tuple[Source, ...]:
        """The samples among the first ``count``, in order; draws those not drawn yet."""
        count = min(count, self.most)
        # The answer streams while samples are drawn: two that ask at once would draw the same ones.
        async with self._lock:
            if count > self._asked:
                await self._draw(self._asked, count)
                self._asked = count
        return tuple(self._drawn[index] for index in sorted(self._drawn) if index < count)

    async def _draw(self, first: int, end: int) -> None:
        request = Request(self._messages, n=end - first, first=first, temperature=TEMPERATURE)
        failed: dict[str, int] = {}
        stored = 0
        try:
            async for drawn in draw(self._session.answer, request):
                text = without_thought(drawn.completion.text).strip() if drawn.completion else ""
                fault = drawn.completion and find_fault(drawn.completion)
                if text and len(text) <= LONGEST and not fault:
                    source = text_source(text, "sample", drawn.index + 1)
                    self._drawn[drawn.index] = source
                    stored += bool(drawn.completion and drawn.completion.cached)
                    self._session.emit(SampleDrawn(source=source, of=self.most))
                else:
                    why = fault or (
                        TOO_LONG if text else str(drawn.error or "the answer was empty")
                    )
                    failed[why] = failed.get(why, 0) + 1
        finally:
            self._session.account()
            if stored:
                self._session.emit(Spent(usage=Usage(stored_samples=stored)))
        # One note a reason: a model that is out of reach fails for all samples alike.
        for why, times in failed.items():
            what = "a sample was not drawn" if times == 1 else f"{times} samples were not drawn"
            self._session.emit(Note(what=what, why=why))


LONGEST_TEXT = 12_000
"""Characters of the message that are shown: its beginning tells what it answers."""


class Question(BaseModel):
    """The question a text answers."""

    question: str = Field(max_length=500)


async def write_question(session: ModelSession, text: str) -> str | None:
    """The question that the text answers, by one call; None, with a note, if none came."""
    answer = await session.ask("question", Question, {"text": text[:LONGEST_TEXT]})
    question = answer.value.question.strip() if answer.value is not None else ""
    if question and answer.reason is None:
        session.emit(QuestionWritten(text=question))
        return question
    why = str(answer.error or answer.reason or "the model wrote none")
    session.emit(Note(what="no question was written for the text", why=why))
    return None


SHOWN: Final = 20_000
"""Characters of a text that the model is shown to write queries for the web."""


class _Queries(BaseModel):
    queries: list[str] = Field(description="search queries, the most important first")


async def write_with_model(session: ModelSession, text: str, most: int) -> tuple[Query, ...]:
    """Return at most ``most`` queries that the judge writes for a text; empty if it fails, which
    is noted."""
    answer = await session.ask("web-queries", _Queries, {"text": text[:SHOWN]})
    if answer.value is None:
        return ()
    written = (" ".join(one.split())[:200] for one in answer.value.queries)
    return tuple(Query(one, one) for one in dict.fromkeys(written) if one)[:most]
