"""Some messages checked in a worker of a Dask cluster: what is sent there, and what comes back.

A worker keeps one event loop and one set of opened models for its life: litellm's clients belong to
a loop. What a chunk may spend is leased to it by the driver (`halubot.batch._cluster`).
"""

from __future__ import annotations

import asyncio
import pickle
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import ExitStack, aclosing
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from halubot.batch.message import Checked, Detail, Message, check_message
from halubot.concurrency import in_order
from halubot.errors import SettingError
from halubot.inputs import Options, open_options
from halubot.report import Usage
from halubot.version import __version__

if TYPE_CHECKING:
    from halubot.models.model_errors import ModelError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Lease:
    """The budget of a chunk; None is no limit."""

    calls: int | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Beat:
    """When calls of a cluster may begin: who begins one holds one of so many ``places`` of a
    `distributed.Semaphore` of that name for so many ``seconds``."""

    name: str
    places: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Chunk:
    """Messages with their places, and all that a worker needs to check them, ``at_once`` at the
    same time. With a ``beat`` the whole cluster keeps one rate."""

    items: tuple[tuple[int, Message], ...]
    options: Options
    detail: Detail
    at_once: int
    lease: Lease
    beat: Beat | None = None
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
    key = sha256(pickle.dumps((sorted(chunk.options.items()), chunk.beat))).digest()
    with _OPENING:  # a worker may have several threads
        opened = _KEPT.get(key)
        if opened is None:
            # One at a time: a second batch on the same workers means that the first one is over.
            for old in _KEPT.values():
                old.close()
            _KEPT.clear()
            opened = _KEPT[key] = _Opened(chunk.options, chunk.beat)
    return _on_loop(_check(chunk, opened))


class _Opened:
    """The models and the knowledge of one batch, opened once in this process."""

    def __init__(self, options: Options, beat: Beat | None) -> None:
        with ExitStack() as stack:
            self.options = open_options(options, stack)
            self.panel = self.options.get("panel")
            if self.panel is not None and beat is not None:
                from halubot.models.limits import provider

                for endpoint in {self.panel.answer.endpoint, self.panel.judge.endpoint}:
                    # A place for each provider, since the rate is one for each.
                    stack.enter_context(provider(endpoint).pace.gated(_gate(beat, endpoint)))
            self.close = stack.pop_all().close


_KEPT: dict[bytes, _Opened] = {}
_OPENING = threading.Lock()


async def _check(chunk: Chunk, opened: _Opened) -> Result:
    panel, budget = opened.panel, None
    if panel is not None:
        from halubot.models.budget import Budget

        budget = Budget(max_calls=chunk.lease.calls, max_cost=chunk.lease.cost)
        panel = replace(panel, budget=budget)

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
    return Result(tuple(done), stopped, budget.usage if budget is not None else Usage())


def _gate(beat: Beat, endpoint: str) -> Callable[[], Awaitable[None]]:
    """Return what waits until a call to a provider may begin, by the beat of a cluster."""
    semaphore: Any = import_module("distributed").Semaphore(beat.places, f"{beat.name} {endpoint}")

    def give_back() -> None:
        time.sleep(beat.seconds)
        semaphore.release()

    async def gate() -> None:
        await asyncio.to_thread(semaphore.acquire)
        # On a thread of its own: a place has to be given back also if the call was cancelled. Dask
        # takes back those of a worker that was killed.
        threading.Thread(target=give_back, daemon=True).start()

    return gate


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    # A loop for the life of the process: litellm's clients stop working on another loop.
    threading.Thread(target=loop.run_forever, name="halubot worker", daemon=True).start()
    return loop


def _on_loop(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run_coroutine_threadsafe(work, _loop()).result()
