"""The driver of several workers: it cuts the messages into chunks and leases each its budget.

Calls and dollars are leased to a chunk before it starts, so that all workers together stay
within one budget.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from itertools import islice
from math import ceil
from typing import TYPE_CHECKING, Final

from halubot.batch import _engines
from halubot.batch._chunk import Chunk, Engine, Lease
from halubot.batch._pace_server import PaceAddress, serve_pace
from halubot.batch.message import Checked, Detail, Line
from halubot.concurrency import in_order
from halubot.errors import SettingError
from halubot.fold import add_usages
from halubot.inputs import Options
from halubot.rate import Rate
from halubot.report import Usage

if TYPE_CHECKING:
    from halubot.batch.message import Message
    from halubot.models.panel import Panel

    Item = tuple[int, Message]

CHUNK: Final = 20
MODEL_CHUNK: Final = 4
"""Messages that a worker takes at a time, without and with a model."""


@dataclass
class Driver:
    """One batch on an engine. ``spent`` grows with each chunk that came back."""

    workers: _engines.Workers
    options: Options
    detail: Detail
    at_once: int
    size: int
    rate: Rate | None
    limits: str | None
    calls: int | None
    cost: float | None
    paced: bool
    spent: Usage = field(default_factory=Usage)

    async def check(self, items: Iterable[Item]) -> AsyncGenerator[Checked, None]:
        """Yield each message as it was checked, in their order. The last one has a failure if no
        further call to a model would succeed."""
        # A worker always has a chunk waiting, so that it is not idle while a result travels back.
        out = _engines.CHUNKS_A_WORKER * self.workers.count
        shared = self.limits is not None
        # Half of the budget stays here at first: chunks that need more than their share get it from
        # that.
        leases = Leases(self.calls, self.cost, shares=2 * out, elsewhere=shared)
        async with AsyncExitStack() as stack:
            pace = None
            if self.paced and not shared:
                pace = await stack.enter_async_context(serve_pace(self.workers.host, self.rate))

            async def work(chunk: tuple[Item, ...]) -> list[Checked]:
                return await self._check_chunk(chunk, leases, pace)

            chunks = _cut_in_chunks(items, self.size)
            results = await stack.enter_async_context(aclosing(in_order(chunks, work, at_once=out)))
            async for found in results:
                for checked in found:
                    yield checked
                    # What came after the failed line was checked already, but writing it would
                    # leave a gap.
                    if checked.failure is not None:
                        return

    async def _check_chunk(
        self, items: tuple[Item, ...], leases: Leases, pace: PaceAddress | None
    ) -> list[Checked]:
        """Check one chunk, with a larger lease if its share was too small."""
        from halubot.models.model_errors import BudgetSpentError, TooMuchAgainError

        done: list[Checked] = []
        whole = False
        while True:
            async with leases.lease(whole=whole) as spending:
                chunk = Chunk(
                    # A second attempt asks the store for what the first one paid for, and so costs
                    # only the rest.
                    items=items[len(done) :],
                    options=self.options,
                    detail=self.detail,
                    at_once=self.at_once,
                    lease=spending.lease,
                    pace=pace,
                    rate=self.rate,
                    limits=self.limits,
                )
                result = await self.workers.run(chunk)
                spending.usage = result.usage
            self.spent = add_usages(self.spent, result.usage)
            done += result.done
            stopped = result.stopped
            if stopped is None:
                return done
            of_lease = isinstance(stopped, BudgetSpentError)
            # Only a lease that was too small can be mended by a larger one.
            if whole or not of_lease or isinstance(stopped, TooMuchAgainError):
                place, message = items[len(done)]
                return [*done, Checked(message, Line(place, message.id), b"", stopped)]
            whole = True


@contextmanager
def open_driver(
    engine: Engine,
    options: Options,
    panel: Panel | None,
    *,
    detail: Detail,
    at_once: int,
    rate: Rate | None,
    limits: str | None,
) -> Iterator[Driver]:
    """Start the engine for a batch with these options, and end it. Raises SettingError for options
    that other processes cannot have, and as `halubot.batch._engines.start`."""
    sent = _sendable(options)
    workers = _engines.start(engine)
    try:
        yield Driver(
            workers=workers,
            options=sent,
            detail=detail,
            at_once=at_once,
            size=engine.chunk or (CHUNK if panel is None else MODEL_CHUNK),
            rate=rate,
            limits=limits,
            paced=panel is not None,
            calls=options.get("max_calls"),
            cost=options.get("max_cost"),
        )
    finally:
        workers.close()


def _sendable(options: Options) -> Options:
    """The options as another process can have them: models and knowledge by their names."""
    sent = options.copy()
    for name in ("panel", "watch"):
        sent.pop(name, None)  # type: ignore[misc]  # a name of Options, though not written out
    for name in ("model", "judge_model"):
        if not isinstance(options.get(name) or "", str):
            raise SettingError(f"an engine takes the name of a model, not an object ({name})")
    if options.get("record") is not None:
        raise SettingError("--record is for one process: leave it out, or leave out --engine")
    bases = options.get("knowledge")
    if bases:
        sent["knowledge"] = [base if isinstance(base, str) else base.name for base in bases]
    return sent


def _cut_in_chunks(items: Iterable[Item], size: int) -> Iterator[tuple[Item, ...]]:
    """The items in chunks; `itertools.batched` is of Python 3.12."""
    rest = iter(items)
    while chunk := tuple(islice(rest, size)):
        yield chunk


class Leases:
    """The rest of the budget. ``shares`` is among how many chunks at most it is divided. With
    ``elsewhere`` workers take it from a purse; here is only known which chunks hold any."""

    def __init__(
        self, calls: int | None, cost: float | None, *, shares: int, elsewhere: bool = False
    ) -> None:
        self._calls = None if elsewhere else calls
        self._cost = None if elsewhere else cost
        self._elsewhere = elsewhere
        self._shares = shares
        self._out = 0
        self._back = asyncio.Condition()

    @asynccontextmanager
    async def lease(self, *, whole: bool = False) -> AsyncIterator[Spending]:
        """A share of what is left, or with ``whole`` all of it, once no other chunk holds any."""
        async with self._back:
            # Alone, so that no other chunk of this command holds a part of the purse that this one
            # needs.
            if self._elsewhere and whole:
                await self._back.wait_for(lambda: not self._out)
            if self._calls is None and self._cost is None:
                taken = Lease()
            else:
                await self._back.wait_for(lambda: not self._out or not (whole or self._is_spent))
                taken = self._take_shares(1 if whole else self._shares)
            self._out += 1
        spending = Spending(taken)
        try:
            yield spending
        finally:
            async with self._back:
                self._out -= 1
                self._return(taken, spending.usage)
                self._back.notify_all()

    @property
    def _is_spent(self) -> bool:
        return self._calls == 0 or (self._cost is not None and self._cost <= 0)

    def _take_shares(self, shares: int) -> Lease:
        calls, cost = self._calls, self._cost
        if calls is not None:
            # Rounded up, or the last few calls would never be leased.
            calls = ceil(calls / shares)
            self._calls = (self._calls or 0) - calls
        if cost is not None:
            cost = cost / shares
            self._cost = (self._cost or 0.0) - cost
        return Lease(calls, cost)

    def _return(self, lease: Lease, spent: Usage | None) -> None:
        # A worker that was killed may have spent all of its lease; counting it as spent keeps the
        # limit.
        if spent is None:
            return
        if lease.calls is not None:
            self._calls = (self._calls or 0) + max(0, lease.calls - spent.calls)
        if lease.cost is not None:
            # A price that is not known was reserved in full by the worker's own budget.
            known = lease.cost if spent.cost_usd is None and spent.calls else spent.cost_usd or 0.0
            self._cost = (self._cost or 0.0) + max(0.0, lease.cost - known)


class Spending:
    """A lease, and what was spent of it: None until that is known."""

    def __init__(self, lease: Lease) -> None:
        self.lease = lease
        self.usage: Usage | None = None
