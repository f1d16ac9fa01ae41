"""Sentences of an answer are marked while it is written."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from halubot.api import start_asking
from halubot.events import Answered, AnswerToken, Event, SentenceMarked, fold
from halubot.inputs import Options
from halubot.models.model import Completion, Request
from halubot.testing import ScriptedModel

ANSWER = (
    "The Kellan Bridge was opened in 1932. The Kellan Bridge crosses the Ard. It is pleasant to"
    " walk there."
)
REFERENCE = "The Kellan Bridge was opened in 1931. The Kellan Bridge crosses the Ard."


class Slow(ScriptedModel):
    """A model that writes on once what it wrote was marked: ``go_on`` is set by the test."""

    def __init__(self, pieces: list[str]) -> None:
        super().__init__(lambda _: "{}")
        self.pieces = pieces
        self.go_on = asyncio.Event()

    async def stream(self, request: Request) -> AsyncGenerator[str | Completion, None]:
        for piece in self.pieces:
            yield piece
        await self.go_on.wait()
        yield self._answer(request, 0)


def ask(model: Slow, marks: int, **options: object) -> list[Event]:
    async def work() -> list[Event]:
        model.go_on = asyncio.Event()
        run = start_asking(
            "What of the bridge?",
            **Options(model=model, method="consensus", **options),  # type: ignore[typeddict-item]
        )
        heard: list[Event] = []
        async for event in run.events():
            heard.append(event)
            count = sum(isinstance(one, SentenceMarked) for one in heard)
            if count >= marks and isinstance(event, SentenceMarked | AnswerToken):
                model.go_on.set()
        return heard

    return asyncio.run(work())


def test_sentences_are_marked_before_the_answer_ends() -> None:
    model = Slow([ANSWER[:37], ANSWER[37:73], ANSWER[73:]])
    heard = ask(model, 2, references=[REFERENCE])
    ended = next(at for at, event in enumerate(heard) if isinstance(event, Answered))
    marks = [event for event in heard[:ended] if isinstance(event, SentenceMarked)]
    found = [(ANSWER[one.start : one.end], one.verdict, one.error) for one in marks]
    assert found == [
        ("The Kellan Bridge was opened in 1932.", "contradicted", "date"),
        ("The Kellan Bridge crosses the Ard.", "supported", None),
    ]
    assert "opened in 1931" in marks[0].quote
    # Whoever looks at the report meanwhile sees the marks in the text.
    meanwhile = fold(heard[:ended])
    assert [one.verdict for one in meanwhile.sentences] == ["contradicted", "supported"]
    assert fold(heard).sentences[0].verdict == "contradicted"
    # What follows the whole answer is a whole check.
    assert not any(isinstance(event, SentenceMarked) for event in heard[ended:])


def test_with_nothing_to_compare_with_nothing_is_marked() -> None:
    model = Slow([ANSWER[:40]])
    heard = ask(model, 0, samples=[], references=[])
    assert not any(isinstance(event, SentenceMarked) for event in heard)
