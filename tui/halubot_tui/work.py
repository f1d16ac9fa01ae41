"""The work that the core is asked to do for a message: answer it, check it, correct it, compare
it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from halubot_tui.orders import Check
from halubot_tui.turns import options_of

if TYPE_CHECKING:
    from halubot.events import Emit
    from halubot.jobs import Work
    from halubot.report import Report
    from halubot_tui.checker import Checker
    from halubot_tui.orders import Order
    from halubot_tui.preferences import Preferences
    from halubot_tui.session_keeper import Keeper
    from halubot_tui.tasks import Task
    from halubot_tui.turns import Turn


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
