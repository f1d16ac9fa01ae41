"""Some messages checked in a worker process: what is sent there, and what comes back.

A worker keeps one event loop and one set of opened models for its life: litellm's clients belong to
a loop. What a chunk may spend is leased to it by the driver (`halubot.batch._driver`).
"""

from __future__ import annotations

import asyncio
import pickle
import threading
from collections.abc import Coroutine, Iterator
from contextlib import ExitStack, aclosing, contextmanager
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from halubot.batch.message import Checked, Detail, Message, check_message
from halubot.concurrency import in_order
from halubot.errors import SettingError
from halubot.inputs import Options, open_bases, open_models
from halubot.report import Usage
from halubot.version import __version__

if TYPE_CHECKING:
    from halubot.batch._pace_server import PaceAddress
    from halubot.models.budget import Budget, Purse
    from halubot.models.model_errors import ModelError
    from halubot.models.panel import Panel
    from halubot.rate import Rate

T = TypeVar("T")

EngineName = Literal["dask", "ray"]


@dataclass(frozen=True, slots=True)
class Engine:
    """Which engine, and where: ``workers`` processes of this machine (None: one a processor), or
    those of a cluster at ``address``. ``chunk`` messages go to a worker at a time; None is 20, or
    4 with a model."""

    name: EngineName
    workers: int | None = None
    address: str | None = None
    chunk: int | None = None


@dataclass(frozen=True, slots=True)
class Lease:
    """The budget of a chunk; None is no limit."""

    calls: int | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """Messages with their places, and all that a worker needs to check them. ``pace`` is the place
    at which the driver says when a call may begin; with ``limits`` the Redis there says so of
    ``rate``, and leases what may be spent."""

    items: tuple[tuple[int, Message], ...]
    options: Options
    detail: Detail
    at_once: int
    lease: Lease
    pace: PaceAddress | None = None
    rate: Rate | None = None
    limits: str | None = None
    version: str = __version__


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a chunk: the first of its messages, checked; all of them if ``stopped`` is
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
    # A worker outlives a batch; the next batch with other options must not get the models of this
    # one.
    same = sorted(chunk.options.items()), chunk.pace, chunk.rate, chunk.limits
    key = sha256(pickle.dumps(same)).digest()
    with _OPENING:  # a worker may have several threads
        opened = _KEPT.get(key)
        if opened is None:
            # One at a time: a second batch on the same workers means that the first one is over.
            for old in _KEPT.values():
                old.close()
            _KEPT.clear()
            opened = _KEPT[key] = _Opened(chunk)
    return _on_loop(_check(chunk, opened))


class _Opened:
    """The models and the knowledge of one batch, opened once in this process."""

    def __init__(self, chunk: Chunk) -> None:
        self.options = chunk.options.copy()
        self.purse: Purse | None = None
        with ExitStack() as stack:
            bases = open_bases(chunk.options)
            if bases is not None:
                stack.callback(bases.close)
                self.options["knowledge"] = bases.bases
            self.panel: Panel | None = open_models(chunk.options)
            if self.panel is not None:
                stack.callback(self.panel.close)
                if chunk.limits is not None:
                    self.purse = stack.enter_context(
                        shared_limits(chunk.limits, self.panel, chunk.rate)
                    )
                elif chunk.pace is not None:
                    stack.enter_context(_asking_driver(chunk.pace, self.panel))
            self.close = stack.pop_all().close


@contextmanager
def shared_limits(address: str, panel: Panel, rate: Rate | None) -> Iterator[Purse]:
    """Keep the pace that a Redis says for all commands; yield what they may spend together.
    Raises as `halubot.models.redis_limits.RedisLimits`."""
    from halubot.models.limits import provider
    from halubot.models.redis_limits import RedisLimits

    budget = panel.budget
    limits = RedisLimits(address, max_calls=budget.max_calls, max_cost=budget.max_cost)
    with ExitStack() as stack:
        stack.callback(limits.close)
        for endpoint in _endpoints(panel):
            stack.enter_context(provider(endpoint).pace.shared(limits.pacer(endpoint, rate)))
        yield limits


def leased_budget(panel: Panel, purse: Purse) -> Budget:
    """Return a budget that spends only what it takes from a purse; `Budget.return_rest` ends it."""
    from halubot.models.budget import Budget

    limits = panel.budget
    return Budget(
        max_calls=None if limits.max_calls is None else 0,
        max_cost=None if limits.max_cost is None else 0.0,
        purse=purse,
    )


@contextmanager
def _asking_driver(address: PaceAddress, panel: Panel) -> Iterator[None]:
    from halubot.batch._pace_server import DriverPacer
    from halubot.models.limits import provider

    with ExitStack() as stack:
        for endpoint in _endpoints(panel):
            pacer = DriverPacer(address, endpoint)
            stack.callback(pacer.close)
            stack.enter_context(provider(endpoint).pace.shared(pacer))
        yield


def _endpoints(panel: Panel) -> set[str]:
    return {panel.answer.endpoint, panel.judge.endpoint}


_KEPT: dict[bytes, _Opened] = {}
_OPENING = threading.Lock()


async def _check(chunk: Chunk, opened: _Opened) -> Result:
    panel, budget = opened.panel, None
    if panel is not None:
        from halubot.models.budget import Budget

        if opened.purse is not None:
            budget = leased_budget(panel, opened.purse)
        else:
            budget = Budget(max_calls=chunk.lease.calls, max_cost=chunk.lease.cost)
        # Canaries of earlier runs differ from worker to worker, and the output must not.
        panel = replace(panel, budget=budget, earlier_canaries=None)

    async def work(item: tuple[int, Message]) -> Checked:
        return await check_message(
            *item, opened.options, panel=panel, budget=budget, detail=chunk.detail
        )

    done: list[Checked] = []
    stopped: ModelError | None = None
    try:
        async with aclosing(in_order(chunk.items, work, at_once=chunk.at_once)) as results:
            async for checked in results:
                stopped = checked.failure
                if stopped is not None:
                    break
                done.append(checked)
    finally:
        if budget is not None:
            budget.return_rest()
    return Result(tuple(done), stopped, budget.usage if budget is not None else Usage())


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    # A loop for the life of the process: litellm's clients stop working on another loop.
    threading.Thread(target=loop.run_forever, name="halubot worker", daemon=True).start()
    return loop


def _on_loop(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run_coroutine_threadsafe(work, _loop()).result()
