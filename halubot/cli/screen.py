"""The display for a person who waits at a terminal: progress, and an answer as it is written."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Self

from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

from halubot.cli import output
from halubot.events import (
    LOADING,
    Answered,
    AnswerToken,
    Event,
    FactJudged,
    FactsExtracted,
    SampleDrawn,
    SentenceMarked,
    Started,
)
from halubot.events import Progress as Step
from halubot.report import DOUBTED

if TYPE_CHECKING:
    from halubot.cli.output import Live

JUDGING = "judging facts"


def bar() -> Progress:
    """A progress bar on standard error, unseen if that is not a terminal."""
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        console=output.console(stderr=True),
        # The bar leaves no line behind: what stays in a log is the result.
        transient=True,
        disable=not sys.stderr.isatty(),
    )


class Screen:
    """Shows the events of checks, from `show` on. While ``live`` prints an answer there is no
    progress bar, since both would write on the same line."""

    def __init__(self, live: Live | None = None) -> None:
        self._bar = bar()
        self._task = self._bar.add_task("reading", total=None)
        self._live = live
        self._streaming = False
        self._drawn = 0
        self._before = "reading"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()
        if self._live is not None:
            self._live.end()

    def show(self) -> None:
        """Shows progress, from now on or once the answer is written."""
        if not self._streaming:
            self._bar.start()

    def hear(self, event: Event) -> None:
        """Shows an event."""
        match event:
            case Started():
                self._drawn = 0
                self._say("extracting facts" if event.text else "answering")
            case AnswerToken():
                self._say("answering")
                self._stream(event.text)
            case SentenceMarked() if self._live is not None and event.verdict in DOUBTED:
                self._live.mark(event)
            case Answered():
                self._say("extracting facts")
                self._stream_answer()
            case SampleDrawn():
                self._drawn += 1
                self._say("drawing samples", self._drawn, event.of)
            case FactsExtracted():
                self._say(JUDGING, 0, len(event.facts))
            # Facts are judged in other steps too, which count something else.
            case FactJudged() if self._bar.tasks[0].description == JUDGING:
                self._bar.advance(self._task)
            # Loading a model's library may begin amid any step, which goes on where it was.
            case Step(what=what, done=1) if what == LOADING:
                self._say(self._before)
            case Step():
                if event.what == LOADING:
                    self._before = self._bar.tasks[0].description
                self._say(event.what, event.done, event.of)
            case _:
                pass

    def _say(self, what: str, done: int = 0, of: int | None = None) -> None:
        if self._bar.tasks[0].description != what:  # a total cannot be taken back
            self._bar.remove_task(self._task)
            self._task = self._bar.add_task(what, total=of)
        self._bar.update(self._task, completed=done, total=of)

    def _stream(self, piece: str) -> None:
        if self._live is None:
            return
        if self._bar.live.is_started:
            self._bar.stop()
        self._streaming = True
        self._live.write(piece)

    def _stream_answer(self) -> None:
        if self._live is None:
            return
        self._live.end()
        self._streaming = False
        self.show()
