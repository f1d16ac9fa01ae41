"""The question of a message that came without one."""

from __future__ import annotations

from pydantic import BaseModel, Field

from halubot.events import Note, QuestionWritten
from halubot.llm_calls.talk import Talk

LONGEST = 12_000
"""Characters of the message that are shown: its beginning tells what it answers."""


class Question(BaseModel):
    """The question a text answers."""

    question: str = Field(max_length=500)


async def write_question(talk: Talk, text: str) -> str | None:
    """The question that the text answers, by one call; None, with a note, where none came."""
    answer = await talk.ask("question", Question, {"text": text[:LONGEST]})
    question = answer.value.question.strip() if answer.value is not None else ""
    if question and answer.reason is None:
        talk.emit(QuestionWritten(text=question))
        return question
    why = str(answer.error or answer.reason or "the model wrote none")
    talk.emit(Note(what="no question was written for the text", why=why))
    return None
