"""Orders of the app to the core."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from halubot.errors import HalubotError

if TYPE_CHECKING:
    from halubot.correction.suggestions import Beside
    from halubot.events import Emit
    from halubot.report import Report
    from halubot_tui.text_check import Kind


class Order(Protocol):
    """A piece of work: it emits events until it is done, and returns what came of it. It must be
    possible to pickle it, and what it returns."""

    async def __call__(self, emit: Emit) -> Any:
        """Carry it out. Raises HalubotError."""


@dataclass(frozen=True, slots=True)
class Check:
    """Answer a question (``ask``), or check a text, with these options of `halubot.start`."""

    kind: Kind
    text: str
    options: Mapping[str, Any]

    async def __call__(self, emit: Emit) -> None:
        from halubot import api
        from halubot.models.panel import require_sense

        options = {**self.options, "watch": emit}
        require_sense(options)
        start = api.start_asking if self.kind == "ask" else api.start
        await start(self.text, **options).wait()


@dataclass(frozen=True, slots=True)
class Propose:
    """Make the correction of a report; it is not checked again."""

    report: Report
    options: Mapping[str, Any]

    async def __call__(self, emit: Emit) -> Report:
        from halubot import correction_api

        return await correction_api.apropose(self.report, **self.options, watch=emit)


@dataclass(frozen=True, slots=True)
class TryModel:
    """Have a model answer once, in at most so many seconds, and nothing be kept of it."""

    model: str
    api_base: str | None
    seconds: float

    async def __call__(self, emit: Emit) -> Tried:
        from halubot.models.model import Message, Request
        from halubot.models.panel import require_sense
        from halubot.models.server_model import ServerModel

        require_sense({"model": self.model, "api_base": self.api_base})
        await LoadLibrary(self.model, self.api_base)(emit)
        model = ServerModel(self.model, self.api_base)
        said = Message("user", "Answer with the one word: ready")
        asked = Request((said,), max_tokens=200)
        began = time.perf_counter()
        try:
            async with asyncio.timeout(self.seconds):
                (answer, *_) = await model.complete(asked)
        except TimeoutError as error:
            raise HalubotError(f"no answer within {self.seconds:g} s") from error
        return Tried(time.perf_counter() - began, answer.text, answer.cost)


@dataclass(frozen=True, slots=True)
class Tried:
    """The result of a test call: after how many seconds which answer; and its cost in dollars, None
    if that is not known."""

    seconds: float
    answer: str
    cost: float | None


@dataclass(frozen=True, slots=True)
class LoadLibrary:
    """Load what calls this model before its first call needs it: litellm, which takes seconds, or
    httpx."""

    model: str
    api_base: str | None

    async def __call__(self, emit: Emit) -> None:
        from halubot.concurrency import begin
        from halubot.models.server_model import ServerModel

        load = ServerModel(self.model, self.api_base).load
        await asyncio.shield(asyncio.wrap_future(begin(load, "halubot loads")))


@dataclass(frozen=True, slots=True)
class FindNear:
    """The order to find what the sources of a report have beside each of its entries that is not
    supported; it comes back by their keys."""

    report: Report

    async def __call__(self, emit: Emit) -> Mapping[str, Beside]:
        """Read the sources and search them, on another thread."""
        from halubot.correction.alternatives import find_beside
        from halubot_tui.corrections import entry_key

        found = await asyncio.to_thread(find_beside, self.report)
        return {entry_key(entry): beside for entry, beside in found}
