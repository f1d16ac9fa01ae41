"""What the core is asked to do for a message: answer, check, correct, compare."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from halubot.events import Emit
from halubot.facts import Report
from halubot.jobs import Work
from halubot_tui.turns import Inputs, options_of


def judging(inputs: Inputs, settings: Mapping[str, Any]) -> Work:
    """Answers the question, or checks the text, of these inputs with these settings."""

    async def work(emit: Emit) -> None:
        from halubot.checking import start, start_asking

        options: dict[str, Any] = {**options_of(inputs), **settings, "watch": emit}
        if inputs.kind == "ask":
            options.pop("question")
            run = start_asking(inputs.text, **options)
        else:
            run = start(inputs.text, **options)
        await run.wait()

    return work


def correcting(report: Report, settings: Mapping[str, Any], done: Callable[[Report], None]) -> Work:
    """Corrects a report, and gives ``done`` the report with its correction."""

    async def work(emit: Emit) -> None:
        from halubot.checking import acorrect

        done(await acorrect(report, **settings, watch=emit))

    return work
