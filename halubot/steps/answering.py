"""The answer to a question, as it is written."""

from __future__ import annotations

from halubot.events import AnswerToken
from halubot.models.errors import ModelError
from halubot.models.model import Completion, Message, Request
from halubot.steps.talk import Talk
from halubot_prompts import Plain


def conversation(talk: Talk, question: str, context: str = "") -> tuple[Message, ...]:
    """The messages to which answers and samples are drawn. ``context`` are earlier messages."""
    return talk.messages("answer", {"question": Plain(question), "conversation": context})


async def answered(talk: Talk, question: str, context: str = "") -> tuple[str, ModelError | None]:
    """The answer, emitted piece by piece as it comes; and, where it broke off, why.

    Raises the ModelError where not a single piece came.
    """
    pieces: list[str] = []
    try:
        async for piece in talk.answer.stream(Request(conversation(talk, question, context))):
            if isinstance(piece, Completion):
                return piece.text, None
            pieces.append(piece)
            talk.emit(AnswerToken(text=piece))
    except ModelError as error:
        if not "".join(pieces).strip():
            raise
        return "".join(pieces), error
    finally:
        talk.account()
    return "".join(pieces), None
