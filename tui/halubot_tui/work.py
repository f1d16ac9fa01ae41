"""The work that the core is asked to do for a message: answer it, check it, correct it, compare
it; and what is heard of that."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from halubot.events import Event, Progress, SampleDrawn, Spent
from halubot.money import dollars
from halubot.render import captions
from halubot_tui.orders import Check
from halubot_tui.turns import options_of

if TYPE_CHECKING:
    from halubot.events import Emit
    from halubot.jobs import News, Work
    from halubot.report import Report
    from halubot_tui.checker import Checker
    from halubot_tui.orders import Order
    from halubot_tui.preferences import Preferences
    from halubot_tui.session_keeper import Keeper
    from halubot_tui.turns import Turn


@dataclass(slots=True)
class Task:
    """One piece of work beside the checking of messages, a correction or a comparison, and what was
    heard of it. Changed on the drawing loop alone, but for ``result``, which is there
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


def judging(
    turn: Turn,
    preferences: Preferences,
    keeper: Keeper | None,
    checker: Checker,
    *,
    before: Report | None = None,
) -> Work:
    """Answers the question, or checks the text, of a message with these settings and those that it
    came with. It is kept before anything is asked of a model, and each event as it happens; without
    ``keeper`` it is not. With the report of an earlier version of the text, ``before``, only what
    has changed since is checked."""
    settings = turn.inputs.settings
    turn.most_calls = settings.get("max_calls", preferences.max_calls)
    turn.most_cost = settings.get("max_cost", preferences.max_cost)

    async def work(emit: Emit) -> None:
        inputs = turn.inputs
        told = preferences.plain_values(inputs.settings)
        keep = None if keeper is None else await asyncio.to_thread(keeper.begin, turn, told)
        options: dict[str, Any] = {**preferences.options(inputs.settings), **options_of(inputs)}
        options["references"] += preferences.reference
        options["knowledge"] = [*dict.fromkeys((*inputs.knowledge, *preferences.knowledge))]
        if inputs.kind == "ask":
            options.pop("question")
        order: Order = Check(inputs.kind, inputs.text, options)
        if before is not None:
            from halubot_tui.changed import CheckChanged

            again = {**preferences.options({**inputs.settings, "method": before.method})}
            again["knowledge"] = options["knowledge"]
            order = CheckChanged(before, inputs.text, again)
        await checker.carry_out(order, emit, keep)

    return work


def reviewing(task: Task, order: Order, checker: Checker) -> Work:
    """Corrects a message, or checks a text as it was checked."""

    async def work(emit: Emit) -> None:
        task.result = await checker.carry_out(order, emit)

    return work
