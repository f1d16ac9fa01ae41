"""A batch on a Dask cluster: messages go there in chunks, each with its part of the budget.

Calls and dollars are leased to a chunk before it starts, so that all workers together stay within
one budget, and a `distributed.Semaphore` gives all of them one rate. The first part of this module
runs in the workers, each of which keeps one event loop and one set of opened models for its life.
"""

from __future__ import annotations

import asyncio
import pickle
import threading
import time
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import ExitStack, aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from importlib import import_module
from itertools import islice
from math import ceil
from typing import TYPE_CHECKING, Any, Final

from halubot.batch.message import (
    Checked,
    Detail,
    Line,
    Message,
    WorkersLostError,
    by_name,
    check_message,
)
from halubot.concurrency import aside, in_order
from halubot.errors import InputError, MissingExtraError, SettingError
from halubot.events import add_usages
from halubot.inputs import Options, open_options
from halubot.rate import Rate
from halubot.report import Usage
from halubot.version import __version__

if TYPE_CHECKING:
    from halubot.batch._files import Spending
    from halubot.models.model_errors import ModelError

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
class Lease:
    """The budget of a chunk, which the driver leases to it; None is no limit."""

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
    return asyncio.run_coroutine_threadsafe(_check(chunk, opened), _loop()).result()


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
    # For the life of the process: litellm's clients stop working on another loop.
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="halubot worker", daemon=True).start()
    return loop


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

        return await aside(work)

    def close(self) -> None:
        """Let go of the cluster, which goes on without this command."""
        self._stack.close()


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


class Driver:
    """One batch on a cluster; ``concurrency`` is None without a model. ``spent`` grows with each
    chunk that came back. Raises SettingError for options that other machines cannot have."""

    def __init__(
        self,
        workers: Workers,
        options: Options,
        *,
        detail: Detail,
        concurrency: int | None,
        rate: Rate | None,
        spending: Spending | None,
    ) -> None:
        self.spent = Usage()
        self._workers, self._detail = workers, detail
        self._options = by_name(options)
        for name in ("model", "judge_model"):
            if not isinstance(options.get(name) or "", str):
                raise SettingError(f"a cluster takes the name of a model, not an object ({name})")
        if options.get("record") is not None:
            raise SettingError("--record is for one machine: leave it out, or leave out --address")
        for name in ("panel", "max_calls", "max_cost"):
            self._options.pop(name, None)  # type: ignore[misc]  # a name of Options
        # A worker always has a chunk waiting, so that it is not idle while a result travels back.
        self._chunks = CHUNKS_A_WORKER * workers.threads
        self._leases = Leases(
            options.get("max_calls"),
            options.get("max_cost"),
            # Half of the budget stays here at first: chunks that need more than their share get it
            # from that.
            shares=2 * self._chunks,
            spent=(0, 0.0) if spending is None else spending.before,
            note=None if spending is None else spending.note,
        )
        self._size, self._at_once = CHUNK, 1
        self._beat: Beat | None = None
        if concurrency is None:
            return
        self._options["concurrency"] = max(1, concurrency // workers.processes)
        # As many messages as fill the calls at once: most of the time each waits for one.
        self._size = self._at_once = max(1, ceil(concurrency / workers.threads))
        if rate is not None:
            from halubot.models.pace import distance_of

            distance = distance_of(rate)
            places = max(1, int(BEAT_SECONDS / distance))
            self._beat = Beat(f"halubot-{uuid.uuid4().hex}", places, places * distance)

    async def check(self, items: Iterable[Item]) -> AsyncGenerator[Checked, None]:
        """Yield each message as it was checked, in their order. The last one has a failure if no
        further call to a model would succeed."""
        chunks = _cut_in_chunks(items, self._size)
        async with aclosing(in_order(chunks, self._check_chunk, at_once=self._chunks)) as results:
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
            async with self._leases.lease(whole=whole) as spending:
                chunk = Chunk(
                    # A second attempt asks the store for what the first one paid for, and so costs
                    # only the rest.
                    items=items[len(done) :],
                    options=self._options,
                    detail=self._detail,
                    at_once=self._at_once,
                    lease=spending.lease,
                    beat=self._beat,
                )
                result = await self._workers.run(chunk)
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


def _cut_in_chunks(items: Iterable[Item], size: int) -> Iterator[tuple[Item, ...]]:
    """The items in chunks; `itertools.batched` is of Python 3.12."""
    rest = iter(items)
    while chunk := tuple(islice(rest, size)):
        yield chunk


@dataclass
class LeaseOut:
    """A lease, and what was spent of it: None until that is known."""

    lease: Lease
    usage: Usage | None = None


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
