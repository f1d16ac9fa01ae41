"""Samples of one prompt: in one call if the server honours n, else in one call each."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace

from halubot.models.model import Completion, LanguageModel, Request
from halubot.models.model_errors import ModelError


@dataclass(frozen=True, slots=True)
class Drawn:
    """Sample number ``index`` of its prompt: its completion, or why there is none."""

    index: int
    completion: Completion | None
    error: ModelError | None = None


async def draw(model: LanguageModel, request: Request) -> AsyncGenerator[Drawn, None]:
    """Samples ``first`` to ``first + n - 1``, each as soon as it is there, in any order.

    Every index comes once. A sample that fails does not stop the others; closing the generator
    stops all calls at once. A server that ignores n costs one more round trip the first time.
    """
    end = request.first + request.n
    done = request.first
    stored = True
    while stored and end - done > 1 and model.capabilities.n is not False:
        left = end - done
        try:
            together = await model.complete(replace(request, n=left, first=done))
        except ModelError as error:
            for index in range(done, end):
                yield Drawn(index, None, error)
            return
        for completion in together[:left]:
            yield Drawn(done, completion)
            done += 1
        stored = all(one.cached for one in together)  # such come alone: the rest is not tried yet
    tasks = [
        asyncio.create_task(_one(model, replace(request, n=1, first=index)))
        for index in range(done, end)
    ]
    try:
        for drawn in asyncio.as_completed(tasks):
            yield await drawn
    finally:
        for task in tasks:
            task.cancel()


async def _one(model: LanguageModel, request: Request) -> Drawn:
    try:
        return Drawn(request.first, (await model.complete(request))[0])
    except ModelError as error:
        return Drawn(request.first, None, error)
