"""The answer to a question, as it is written."""

from __future__ import annotations

from halubot.events import AnswerToken
from halubot.models.errors import ModelError
from halubot.models.model import Message, Request
from halubot.models.vendor_errors import malformed
from halubot.steps.talk import Talk
from halubot_prompts import Plain


def conversation(talk: Talk, question: str, context: str = "") -> tuple[Message, ...]:
    """The messages to which answers and samples are drawn. ``context`` are earlier messages."""
    return talk.messages("answer", {"question": Plain(question), "conversation": context})


async def answered(talk: Talk, question: str, context: str = "") -> tuple[str, ModelError | None]:
    """The answer, emitted piece by piece as it comes; and, where it broke off, why.

    Raises the ModelError where no text came.
    """
    model, pieces = talk.answer, list[str]()
    failure: ModelError | None = None
    try:
        async for piece in model.stream(Request(conversation(talk, question, context))):
            if isinstance(piece, str):
                pieces.append(piece)
                talk.emit(AnswerToken(text=piece))
    except ModelError as error:
        failure = error
    finally:
        talk.account()
    text = "".join(pieces)
    if not text.strip():
        raise failure or malformed("the answer is empty", model=model.name, endpoint=model.endpoint)
    return text, failure
