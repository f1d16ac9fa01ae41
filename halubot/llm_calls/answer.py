"""The answer to a question, as it is written."""

from __future__ import annotations

from contextlib import aclosing

from halubot.events import AnswerToken
from halubot.llm_calls.talk import Talk
from halubot.models.errors import (
    CutAnswerError,
    MalformedAnswerError,
    ModelError,
    RefusedRequestError,
)
from halubot.models.finish import LOOP, find_cut, find_fault
from halubot.models.model import Completion, Message, Request
from halubot.models.thought import ThoughtFilter, without_thought
from halubot_prompts import Plain

LONGEST = 200_000
"""Characters of an answer or a sample: a model that repeats itself would never end."""

TOO_LONG = f"it is longer than {LONGEST:,} characters"


def conversation(talk: Talk, question: str, context: str = "") -> tuple[Message, ...]:
    """The messages to which answers and samples are drawn. ``context`` are earlier messages. A
    system prompt of the user's own takes the place of ours."""
    messages = talk.messages("answer", {"question": Plain(question), "conversation": context})
    if not talk.panel.system:
        return messages
    return Message("system", talk.panel.system), *(one for one in messages if one.role == "user")


async def stream_answer(
    talk: Talk, question: str, context: str = ""
) -> tuple[str, ModelError | None]:
    """The answer, emitted piece by piece as it comes, thoughts left out; and, where it broke off or
    was cut, why.

    Raises the ModelError where no text came. Of an answer that is too long the beginning is kept.
    """
    model, pieces, length = talk.answer, list[str](), 0
    shown = ThoughtFilter()
    at = {"model": model.name, "endpoint": model.endpoint}
    failure: ModelError | None = None
    stopped: str | None = None
    request = Request(conversation(talk, question, context))
    try:
        async with aclosing(model.stream(request)) as stream:
            async for piece in stream:
                if isinstance(piece, Completion):
                    failure = _ended(piece, at)
                    stopped = piece.text if piece.finish_reason == LOOP else None
                    continue
                kept = piece[: LONGEST - length]
                length += len(piece)
                pieces.append(kept)
                if visible := shown.hear(kept):
                    talk.emit(AnswerToken(text=visible))
                if length > LONGEST:
                    failure = MalformedAnswerError(TOO_LONG, "ask for less", **at)
                    break
    except ModelError as error:
        failure = error
    finally:
        talk.account()
    text = without_thought("".join(pieces) if stopped is None else stopped)
    if not text.strip():
        remedy = "ask again, and check that the address is that of an OpenAI-compatible server"
        raise failure or MalformedAnswerError("the answer is empty", remedy, **at)
    return text, failure


def _ended(whole: Completion, at: dict[str, str]) -> ModelError | None:
    """Why an answer is none, or not whole; None if it is."""
    fault = find_fault(whole)
    if fault is not None:
        return RefusedRequestError(fault, "ask otherwise, or another model", **at)
    cut = find_cut(whole)
    return CutAnswerError(cut, "ask for less", **at) if cut is not None else None
