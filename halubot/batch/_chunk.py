"""Some messages checked in a worker process: what is sent there, and what comes back.

A worker keeps one event loop and one set of opened models for its life: litellm's clients belong to
a loop. What a chunk may spend is leased to it by the driver (`halubot.batch._leases`).
"""

from __future__ import annotations

import asyncio
import pickle
import threading
from collections.abc import Coroutine
from contextlib import ExitStack, aclosing
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeVar

from halubot.batch._line import Checked, Detail, check_message
from halubot.batch._order import in_order
from halubot.batch.message import Message
from halubot.errors import SettingError
from halubot.inputs import Options, open_bases, open_models
from halubot.report import Usage
from halubot.version import __version__

if TYPE_CHECKING:
    from halubot.models.errors import ModelError
    from halubot.models.panel import Panel
    from halubot.rate import Rate

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Lease:
    """What a chunk may spend; None is no limit."""

    calls: int | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """Messages with their places, and all that a worker needs to check them. ``rate`` is the
    worker's own share of it."""

    items: tuple[tuple[int, Message], ...]
    options: Options
    detail: Detail
    at_once: int
    rate: Rate | None
    lease: Lease
    version: str = __version__


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a chunk: the first of its messages, checked; all of them if ``stopped`` is
    None. ``usage`` is what was spent."""

    done: tuple[Checked, ...]
    stopped: ModelError | None
    usage: Usage


def check_chunk(chunk: Chunk) -> Result:
    """Check the messages of a chunk, in a worker. Raises SettingError for another version of
    halubot than the driver's, and HalubotError for options that cannot be used here."""
    if chunk.version != __version__:
        raise SettingError(
            f"a worker has halubot {__version__} and the driver {chunk.version}: install the same"
        )
    key = sha256(pickle.dumps((sorted(chunk.options.items()), chunk.rate))).digest()
    opened = _KEPT.get(key)
    if opened is None:
        for old in _KEPT.values():
            old.close()
        _KEPT.clear()
        opened = _KEPT[key] = _Opened(chunk.options, chunk.rate)
    return _on_loop(_check(chunk, opened))


class _Opened:
    """The models and the knowledge of one batch, opened once in this process."""

    def __init__(self, options: Options, rate: Rate | None) -> None:
        self.options = options.copy()
        with ExitStack() as stack:
            bases = open_bases(options)
            if bases is not None:
                stack.callback(bases.close)
                self.options["knowledge"] = bases.bases
            self.panel: Panel | None = open_models(options)
            if self.panel is not None:
                stack.callback(self.panel.close)
                for endpoint in {self.panel.answer.endpoint, self.panel.judge.endpoint}:
                    if rate is not None:
                        from halubot.models.limits import provider

                        stack.enter_context(provider(endpoint).pace.limited(rate))
            self.close = stack.pop_all().close


_KEPT: dict[bytes, _Opened] = {}


async def _check(chunk: Chunk, opened: _Opened) -> Result:
    panel, budget = opened.panel, None
    if panel is not None:
        from halubot.models.budget import Budget

        budget = Budget(max_calls=chunk.lease.calls, max_cost=chunk.lease.cost)
        panel = replace(panel, budget=budget, earlier_canaries=None)

    async def work(item: tuple[int, Message]) -> Checked:
        return await check_message(
            *item, opened.options, panel=panel, budget=budget, detail=chunk.detail
        )

    done: list[Checked] = []
    stopped: ModelError | None = None
    async with aclosing(in_order(chunk.items, work, at_once=chunk.at_once)) as results:
        async for checked in results:
            stopped = checked.failure
            if stopped is not None:
                break
            done.append(checked)
    return Result(tuple(done), stopped, budget.spent if budget is not None else Usage())


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="halubot worker", daemon=True).start()
    return loop


def _on_loop(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run_coroutine_threadsafe(work, _loop()).result()
