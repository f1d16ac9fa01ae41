"""A batch on a Dask cluster: messages go there in chunks, each with its part of the budget.

Calls and dollars are leased to a chunk before it starts, so that all workers together stay within
one budget, and a `distributed.Semaphore` gives all of them one rate.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from itertools import islice
from math import ceil
from typing import TYPE_CHECKING, Final

from halubot.batch._chunk import Beat, Chunk, Lease, Result, check_chunk
from halubot.batch._pool import WorkersLostError, sendable
from halubot.batch.message import Checked, Detail, Line
from halubot.concurrency import in_order
from halubot.errors import InputError, MissingExtraError, SettingError
from halubot.events import add_usages
from halubot.inputs import Options
from halubot.rate import Rate
from halubot.report import Usage

if TYPE_CHECKING:
    from halubot.batch._spent import Spending
    from halubot.batch.message import Message

    Item = tuple[int, Message]

CHUNK: Final = 20
"""Messages that a worker takes at a time without a model."""

CHUNKS_A_WORKER: Final = 2
"""Chunks that are out for each worker: one under way, one that waits."""

START_SECONDS: Final = 120
"""How long workers may take to appear."""

BEAT_SECONDS: Final = 0.5
"""How long a place of the semaphore is held at most: calls that begin in so long a time are those
of one beat."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A Dask cluster: the ``address`` of its scheduler. One that is not encrypted, where whoever
    reaches it can run code on its workers, is refused unless ``insecure`` is set."""

    address: str
    insecure: bool = False


class Workers:
    """The workers of a cluster. Raises InputError if there are none, SettingError for one without
    TLS, and MissingExtraError."""

    def __init__(self, cluster: Cluster) -> None:
        _require_safe(cluster)
        try:
            distributed = import_module("distributed")
        except ImportError as error:
            raise MissingExtraError("--address", "dask") from error
        self._stack = ExitStack()
        security = distributed.Security(require_encryption=not cluster.insecure)
        try:
            self._client = self._stack.enter_context(
                distributed.Client(cluster.address, timeout=30, security=security)
            )
        except (OSError, ValueError, TypeError) as error:
            raise InputError(f"no Dask scheduler at {cluster.address}: {error}") from error
        with suppress(TimeoutError):
            self._client.wait_for_workers(1, timeout=START_SECONDS)
        found = self._client.scheduler_info(n_workers=-1)["workers"].values()
        self.processes: int = len(found)
        self.threads: int = sum(worker["nthreads"] for worker in found)
        if not self.threads:
            self.close()
            raise InputError(f"the Dask scheduler at {cluster.address} has no workers")
        self._lost = (
            import_module("distributed.scheduler").KilledWorker,
            import_module("distributed.client").FutureCancelledError,
        )
        self._waiting = ThreadPoolExecutor(
            CHUNKS_A_WORKER * self.threads + 1, thread_name_prefix="halubot cluster"
        )

    async def run(self, chunk: Chunk) -> Result:
        """Check a chunk on a worker; on another one if that dies. Raises what `check_chunk` raises,
        and WorkersLostError."""

        def work() -> Result:
            try:
                # Not pure: Dask would take the result of an equal chunk for this one and check
                # nothing.
                future = self._client.submit(check_chunk, chunk, pure=False)
                result: Result = future.result()
            except self._lost as error:
                raise WorkersLostError(f"workers died over and over: {error}") from error
            return result

        return await asyncio.get_running_loop().run_in_executor(self._waiting, work)

    def close(self) -> None:
        """Let go of the cluster, which goes on without this command."""
        self._stack.close()
        if hasattr(self, "_waiting"):
            self._waiting.shutdown(wait=False, cancel_futures=True)


def _require_safe(cluster: Cluster) -> None:
    scheme, separator, _ = cluster.address.partition("://")
    if not separator:
        raise SettingError(
            f"{cluster.address} is no address of a Dask scheduler: write tls://HOST:8786"
        )
    if scheme != "tls" and not cluster.insecure:
        raise SettingError(
            f"{cluster.address} is not encrypted: whoever reaches that scheduler can run code on"
            " its workers, with their keys. Start it with TLS and write tls://HOST:8786, or say"
            " --insecure-cluster if nobody else can reach it (docs/scale.md)"
        )


@dataclass
class Driver:
    """One batch on a cluster. ``spent`` grows with each chunk that came back."""

    workers: Workers
    options: Options
    detail: Detail
    size: int
    at_once: int
    beat: Beat | None
    leases: Leases
    spent: Usage = field(default_factory=Usage)

    @property
    def chunks(self) -> int:
        """How many chunks are out at a time."""
        # A worker always has a chunk waiting, so that it is not idle while a result travels back.
        return CHUNKS_A_WORKER * self.workers.threads

    async def check(self, items: Iterable[Item]) -> AsyncGenerator[Checked, None]:
        """Yield each message as it was checked, in their order. The last one has a failure if no
        further call to a model would succeed."""
        chunks = _cut_in_chunks(items, self.size)
        async with aclosing(in_order(chunks, self._check_chunk, at_once=self.chunks)) as results:
            async for found in results:
                for checked in found:
                    yield checked
                    # What came after the failed line was checked already, but writing it would
                    # leave a gap.
                    if checked.failure is not None:
                        return

    async def _check_chunk(self, items: tuple[Item, ...]) -> list[Checked]:
        """Check one chunk, with a larger lease if its share was too small."""
        from halubot.models.model_errors import BudgetSpentError, TooMuchAgainError

        done: list[Checked] = []
        whole = False
        while True:
            async with self.leases.lease(whole=whole) as spending:
                chunk = Chunk(
                    # A second attempt asks the store for what the first one paid for, and so costs
                    # only the rest.
                    items=items[len(done) :],
                    options=self.options,
                    detail=self.detail,
                    at_once=self.at_once,
                    lease=spending.lease,
                    beat=self.beat,
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


def make_driver(
    workers: Workers,
    options: Options,
    *,
    detail: Detail,
    concurrency: int | None,
    rate: Rate | None,
    spending: Spending | None,
) -> Driver:
    """Return the driver of a batch with these options; ``concurrency`` is None without a model.
    Raises SettingError for options that other machines cannot have."""
    sent = sendable(options, models=True)
    if options.get("record") is not None:
        raise SettingError("--record is for one machine: leave it out, or leave out --address")
    for name in ("max_calls", "max_cost"):
        sent.pop(name, None)  # type: ignore[misc]  # a name of Options, though not written out
    size = CHUNK
    at_once = 1
    if concurrency is not None:
        sent["concurrency"] = max(1, concurrency // workers.processes)
        # As many messages as fill the calls at once: most of the time each waits for one.
        size = at_once = max(1, ceil(concurrency / workers.threads))
    beat = None
    if rate is not None and concurrency is not None:
        from halubot.models.pace import distance_of

        distance = distance_of(rate)
        places = max(1, int(BEAT_SECONDS / distance))
        beat = Beat(f"halubot-{uuid.uuid4().hex}", places, places * distance)
    return Driver(
        workers=workers,
        options=sent,
        detail=detail,
        size=size,
        at_once=at_once,
        beat=beat,
        leases=Leases(
            options.get("max_calls"),
            options.get("max_cost"),
            # Half of the budget stays here at first: chunks that need more than their share get it
            # from that.
            shares=2 * CHUNKS_A_WORKER * workers.threads,
            spent=(0, 0.0) if spending is None else spending.before,
            note=None if spending is None else spending.note,
        ),
    )


def _cut_in_chunks(items: Iterable[Item], size: int) -> Iterator[tuple[Item, ...]]:
    """The items in chunks; `itertools.batched` is of Python 3.12."""
    rest = iter(items)
    while chunk := tuple(islice(rest, size)):
        yield chunk


class Leases:
    """The budget of a batch, divided among at most so many ``shares`` at a time. What is out counts
    as spent until it comes back, so that a command that is killed has not spent more than it
    noted."""

    def __init__(
        self,
        max_calls: int | None,
        max_cost: float | None,
        *,
        shares: int,
        spent: tuple[int, float] = (0, 0.0),
        note: Callable[[int, float], None] | None = None,
    ) -> None:
        self._max_calls = max_calls
        self._max_cost = max_cost
        self._calls, self._cost = spent
        self._shares = shares
        self._note = note
        self._out = 0
        self._back = asyncio.Condition()

    @asynccontextmanager
    async def lease(self, *, whole: bool = False) -> AsyncIterator[LeaseOut]:
        """A share of what is left, or with ``whole`` all of it, once no other chunk holds any."""
        async with self._back:
            await self._back.wait_for(lambda: not self._out or not (whole or self._is_spent))
            lease = self._take(1 if whole else self._shares)
            self._out += 1
            self._tell()
        spending = LeaseOut(lease)
        try:
            yield spending
        finally:
            async with self._back:
                self._out -= 1
                self._give_back(lease, spending.usage)
                self._tell()
                self._back.notify_all()

    @property
    def _is_spent(self) -> bool:
        calls_left = self._max_calls is None or self._calls < self._max_calls
        cost_left = self._max_cost is None or self._cost < self._max_cost
        return not calls_left or not cost_left

    def _take(self, shares: int) -> Lease:
        calls = cost = None
        if self._max_calls is not None:
            # Rounded up, or the last few calls would never be leased.
            calls = ceil(max(0, self._max_calls - self._calls) / shares)
            self._calls += calls
        if self._max_cost is not None:
            cost = max(0.0, self._max_cost - self._cost) / shares
            self._cost += cost
        return Lease(calls, cost)

    def _give_back(self, lease: Lease, used: Usage | None) -> None:
        # A worker that was killed may have spent all of its lease; counting it as spent keeps the
        # limit.
        if used is None:
            return
        self._calls += used.calls - (lease.calls or 0)
        if lease.cost is None:
            self._cost += used.cost_usd or 0.0
            return
        # A price that is not known was reserved in full by the worker's own budget.
        known = lease.cost if used.cost_usd is None and used.calls else used.cost_usd or 0.0
        self._cost += known - lease.cost

    def _tell(self) -> None:
        if self._note is not None:
            self._note(self._calls, self._cost)


class LeaseOut:
    """A lease, and what was spent of it: None until that is known."""

    def __init__(self, lease: Lease) -> None:
        self.lease = lease
        self.usage: Usage | None = None
