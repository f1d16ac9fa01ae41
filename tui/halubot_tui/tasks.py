"""Work beside the checking of messages: a correction, a comparison; what is heard of it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from halubot.events import Event, Progress, SampleDrawn, Spent
from halubot.money import dollars
from halubot.render import captions

if TYPE_CHECKING:
    from halubot.jobs import News
    from halubot.report import Report


@dataclass(slots=True)
class Task:
    """One piece of work. Changed on the drawing loop alone, but for ``result``, which is there
    when it has ended well."""

    name: str
    what: str
    began: float = field(default_factory=time.monotonic)
    doing: str = ""
    calls: int = 0
    cost: float = 0.0
    ended: bool = False
    stopped: bool = False
    failure: str | None = None
    result: Report | None = None

    def hear(self, news: News) -> None:
        """Take in the events since then."""
        for event in news.events:
            self._hear(event)
        if news.ended:
            self.ended, self.stopped, self.failure = True, news.cancelled, news.failure

    def _hear(self, event: Event) -> None:
        match event:
            case Progress():
                self.doing = f"{event.what}, {event.done} of {event.of}"
            case SampleDrawn():
                self.doing = f"drawing other answers, of {event.of}"
            case Spent():
                self.calls += event.usage.calls
                self.cost += event.usage.cost_usd or 0.0
            case _:
                pass

    @property
    def progress_text(self) -> str:
        """Return what is being done, for how long, and what it took so far."""
        parts = [f"{self.what}: {self.doing}" if self.doing else self.what]
        parts.append(f"{time.monotonic() - self.began:.0f} s")
        if self.calls:
            parts.append(captions.number(self.calls, "call"))
        if self.cost:
            parts.append(dollars(self.cost))
        return ", ".join(parts)
