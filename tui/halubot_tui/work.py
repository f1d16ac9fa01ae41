"""What the core is asked to do for a message: answer it, or check it."""

from __future__ import annotations

import asyncio
from typing import Any

from halubot.events import Emit, Event
from halubot.jobs import Work
from halubot_tui.keeping import Keeper
from halubot_tui.preferences import Preferences
from halubot_tui.turns import Turn, options_of


def judging(turn: Turn, preferences: Preferences, keeper: Keeper | None) -> Work:
    """Answers the question, or checks the text, of a message with these settings and those that it
    came with. It is kept before anything is asked of a model, and each event as it happens; without
    ``keeper`` it is not."""
    settings = turn.inputs.settings
    turn.most_calls = settings.get("max_calls", preferences.max_calls)
    turn.most_cost = settings.get("max_cost", preferences.max_cost)

    async def work(emit: Emit) -> None:
        from halubot.checking import start, start_asking
        from halubot.models.named import require_sense

        inputs = turn.inputs
        told = preferences.told(inputs.settings)
        keep = None if keeper is None else await asyncio.to_thread(keeper.begin, turn, told)

        def hear(event: Event) -> None:
            if keep is not None:
                keep(event)
            emit(event)

        options: dict[str, Any] = {**preferences.options(inputs.settings), "watch": hear}
        options.update(options_of(inputs))
        require_sense(options)
        options["references"] += preferences.reference
        options["knowledge"] = [*dict.fromkeys((*inputs.knowledge, *preferences.knowledge))]
        if inputs.kind == "ask":
            options.pop("question")
            run = start_asking(inputs.text, **options)
        else:
            run = start(inputs.text, **options)
        await run.wait()

    return work
