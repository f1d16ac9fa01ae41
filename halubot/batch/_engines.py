"""Several processes and machines: the engine of a batch, as a value and at work.

A chunk goes in, its result comes out.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from importlib import import_module
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

from halubot.batch._chunk import Chunk, Engine, Result, check_chunk
from halubot.errors import HalubotError, InputError, MissingExtraError

CHUNKS_A_WORKER: Final = 2
"""Chunks that are out for each worker: one under way, one that waits."""

START_SECONDS: Final = 120
"""How long workers may take to appear."""

_QUIET: Final = {
    # Dask's own clocks took 4.8 % of a processor while a worker did nothing; with these, 0.8 %.
    # Nobody looks at the profile, and work is never stolen: each worker has two chunks at most.
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.limit": "1h",
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.tick.cycle": "10s",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.worker.memory.monitor-interval": "1s",
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.scheduler.work-stealing": False,
}


class Workers(Protocol):
    """What an engine is to the driver: ``count`` workers, which reach it as ``host``."""

    count: int
    host: str

    async def run(self, chunk: Chunk) -> Result:
        """Check a chunk somewhere. Raises what `check_chunk` raises, and WorkersLostError."""
        ...

    def close(self) -> None:
        """End what was started here."""
        ...


class WorkersLostError(HalubotError):
    """The workers are gone, or died over and over; the same command goes on there."""


def start(engine: Engine) -> Workers:
    """Start an engine, or reach a cluster. Raises MissingExtraError, and InputError for an address
    at which none is."""
    return _Dask(engine) if engine.name == "dask" else _Ray(engine)


class _Threaded:
    """An engine that is asked from threads, which wait for its results."""

    count: int
    host: str = "127.0.0.1"

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._threads: ThreadPoolExecutor | None = None

    def _begin(self) -> None:
        threads = CHUNKS_A_WORKER * self.count + 1
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="halubot engine")

    async def _wait_for(self, work: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def close(self) -> None:
        """End what was started here."""
        self._stack.close()
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)


class _Dask(_Threaded):
    """Dask distributed: a cluster of this machine's processes, or one at an address."""

    def __init__(self, engine: Engine) -> None:
        super().__init__()
        distributed = _import_engine("distributed", "dask")
        dask = import_module("dask")
        dask.config.set(_QUIET)
        if engine.address is None:
            self.count = engine.workers or os.cpu_count() or 1
            cluster = distributed.LocalCluster(
                n_workers=self.count,
                # One: a worker runs a loop of its own and checks several messages on it.
                threads_per_worker=1,
                processes=True,
                dashboard_address="127.0.0.1:0",
                silence_logs=50,
            )
            self._stack.callback(cluster.close, timeout=10)
            self._client = self._stack.enter_context(distributed.Client(cluster))
        else:
            try:
                self._client = self._stack.enter_context(
                    distributed.Client(engine.address, timeout=30)
                )
            except (OSError, ValueError) as error:
                raise InputError(f"no Dask scheduler at {engine.address}: {error}") from error
            self.host = _own_address(self._client.scheduler.address)
            with suppress(TimeoutError):
                self._client.wait_for_workers(engine.workers or 1, timeout=START_SECONDS)
            self.count = len(self._client.scheduler_info()["workers"])
            if not self.count:
                self.close()
                raise InputError(f"the Dask scheduler at {engine.address} has no workers")
        self._lost = (
            import_module("distributed.scheduler").KilledWorker,
            import_module("distributed.client").FutureCancelledError,
        )
        self._begin()

    async def run(self, chunk: Chunk) -> Result:
        """Check a chunk on a worker; on another one if that dies."""

        def work() -> Result:
            try:
                # Not pure: Dask would take the result of an equal chunk for this one and check
                # nothing.
                future = self._client.submit(check_chunk, chunk, pure=False)
                result: Result = future.result()
            except self._lost as error:
                raise WorkersLostError(f"workers died over and over: {error}") from error
            return result

        return await self._wait_for(work)


class _Ray(_Threaded):
    """Ray: its workers of this machine, or a cluster at an address ("auto" finds it)."""

    def __init__(self, engine: Engine) -> None:
        super().__init__()
        os.environ.setdefault("RAY_raylet_start_wait_time_s", "200")  # slow machines
        ray = _import_engine("ray", "ray")
        self._ray: Any = ray
        where: dict[str, Any] = (
            {"num_cpus": engine.workers, "include_dashboard": False}
            if engine.address is None
            else {"address": engine.address}
        )
        try:
            ray.init(log_to_driver=False, logging_level="error", **where)
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise InputError(f"no Ray cluster at {engine.address}: {error}") from error
        self._stack.callback(ray.shutdown)
        if engine.address is not None:
            self.host = ray.util.get_node_ip_address()
        self.count = max(1, int(ray.cluster_resources().get("CPU", 1)))
        # Retried for ever: a worker that was killed is no fault of its chunk.
        self._task = ray.remote(max_retries=-1, num_cpus=1)(check_chunk)
        self._begin()

    async def run(self, chunk: Chunk) -> Result:
        """Check a chunk on a worker; on another one if that dies."""

        def work() -> Result:
            try:
                result: Result = self._ray.get(self._task.remote(chunk))
            except self._ray.exceptions.RayTaskError as error:
                # Ray wraps what was raised on a worker, and callers expect halubot's own errors.
                raise error.cause from error
            except self._ray.exceptions.RayError as error:
                raise WorkersLostError(f"workers were lost: {error}") from error
            return result

        return await self._wait_for(work)


def _own_address(scheduler: str) -> str:
    """The address of this machine on the way to a scheduler such as tcp://10.0.0.1:8786. Nothing is
    sent."""
    parts = urlsplit(scheduler)
    family = socket.AF_INET6 if ":" in (parts.hostname or "") else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as way:
        # A datagram socket that is connected only chooses the way: the address of a machine with
        # several is the one that the scheduler can reach.
        way.connect((parts.hostname, parts.port or 1))
        host: str = way.getsockname()[0]
        return host


def _import_engine(name: str, extra: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingExtraError(f"--engine {extra}", extra) from error
