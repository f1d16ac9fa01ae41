"""Batches on a Dask cluster: encrypted, with the bytes, the budget and the rate of one process."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from halubot.batch import _cluster, check_file
from halubot.batch._cluster import Chunk, Cluster, Lease, Leases, Result, check_chunk
from halubot.errors import SettingError
from halubot.inputs import Options
from halubot.report import Usage
from halubot.testing import ScriptedModel
from tests.halubot.batch.test_pool import asked, written
from tests.judge import Judge
from tests.loopback import Loopback, loopback

PATIENCE = 600.0
CLUSTER = Cluster("tls://there:8786")


class Here:
    """Workers that are threads of this process; ``before`` is called with each chunk."""

    def __init__(self) -> None:
        self.processes = self.threads = 2
        self.chunks: list[Chunk] = []
        self.before: Callable[[Chunk], None] = lambda chunk: None
        self.closed = False

    async def run(self, chunk: Chunk) -> Result:
        """Check a chunk on a thread."""
        self.chunks.append(chunk)
        self.before(chunk)
        return await asyncio.to_thread(check_chunk, chunk)

    def close(self) -> None:
        """Note that it was closed."""
        self.closed = True


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> Here:
    """A cluster of threads, whatever cluster is named."""
    workers = Here()
    monkeypatch.setattr(_cluster, "Workers", lambda cluster: workers)
    return workers


@pytest.fixture
def server() -> Iterator[Loopback]:
    """A model that judges, over HTTP."""
    with loopback() as server:
        server.answer(Judge().reply)
        yield server


def asking(server: Loopback, store: Path, **more: Any) -> Options:
    """Options with the model of a server."""
    given: dict[str, Any] = {"model": "openai/tiny", "api_base": server.url, "store": store}
    return Options(**{**given, "n_samples": 3, **more})  # type: ignore[typeddict-item]


def test_the_bytes_are_those_of_one_process(here: Here, tmp_path: Path) -> None:
    source = written(tmp_path / "in.jsonl", 50)
    one, many = tmp_path / "one.jsonl", tmp_path / "many.jsonl"
    assert check_file(source, one) == check_file(source, many, cluster=CLUSTER)
    assert one.read_bytes() == many.read_bytes()
    assert [len(one.items) for one in here.chunks] == [20, 20, 10]
    assert here.closed


def test_what_is_done_is_not_sent_out_again(here: Here, tmp_path: Path) -> None:
    source, target = written(tmp_path / "in.jsonl", 10), tmp_path / "out.jsonl"
    check_file(source, target)
    whole = target.read_bytes()
    target.write_bytes(b"".join(whole.splitlines(keepends=True)[:6]))
    assert check_file(source, target, cluster=CLUSTER).kept == 6
    assert [place for chunk in here.chunks for place, _ in chunk.items] == [7, 8, 9, 10]
    assert target.read_bytes() == whole


@pytest.mark.slow
@pytest.mark.parametrize("calls", [0, 5, 15])
def test_all_workers_together_stay_within_the_calls_over_all_runs(
    here: Here, server: Loopback, tmp_path: Path, calls: int
) -> None:
    source, target = asked(tmp_path / "in.jsonl", 12), tmp_path / "out.jsonl"
    options = asking(server, tmp_path / "store", max_calls=calls, concurrency=4)
    for _ in range(2):
        tally = check_file(source, target, options=options, cluster=CLUSTER)
        assert tally.stopped is not None
    assert len(server.received) <= calls


def test_a_lease_counts_as_spent_until_it_comes_back() -> None:
    noted: list[int] = []

    async def work() -> None:
        leases = Leases(
            40, None, shares=4, spent=(4, 0.0), note=lambda calls, _: noted.append(calls)
        )
        async with leases.lease() as one:
            assert one.lease == Lease(9, None)
            one.usage = Usage(calls=2)
        async with leases.lease():
            """Its worker is killed: nobody knows what it spent."""

    asyncio.run(work())
    assert noted == [13, 6, 15, 15]


@pytest.mark.parametrize("lacking", ["name", "record"])
def test_what_other_machines_cannot_have_is_refused(
    here: Here, tmp_path: Path, lacking: str
) -> None:
    options = Options(model=ScriptedModel([]), store=tmp_path / "store")
    if lacking == "record":
        options["model"], options["record"] = "openai/x", tmp_path / "record.jsonl"
    source = written(tmp_path / "in.jsonl", 2)
    with pytest.raises(SettingError, match=r"cluster|one machine"):
        check_file(source, tmp_path / "out.jsonl", options=options, cluster=CLUSTER)


def test_another_version_of_a_worker_is_refused() -> None:
    chunk = Chunk((), Options(), "full", 1, Lease(), version="0.0.0")
    with pytest.raises(SettingError, match=r"0\.0\.0"):
        check_chunk(chunk)


@pytest.mark.parametrize(
    "address", ["tcp://127.0.0.1:1", "ws://127.0.0.1:1", "127.0.0.1:1", "auto"]
)
def test_a_cluster_without_tls_is_refused(address: str, tmp_path: Path) -> None:
    source = written(tmp_path / "in.jsonl", 1)
    with pytest.raises(SettingError, match=r"not encrypted|tls://"):
        check_file(source, tmp_path / "out.jsonl", cluster=Cluster(address))


@contextmanager
def dask(folder: Path, workers: int) -> Iterator[tuple[str, dict[str, str], list[int]]]:
    """A scheduler with TLS and so many workers: its address, the environment that has the
    certificates, and the processes of the workers."""
    trustme: Any = pytest.importorskip("trustme")
    authority = trustme.CA()
    one = authority.issue_cert("127.0.0.1")
    authority.cert_pem.write_to_path(folder / "ca.pem")
    one.private_key_and_cert_chain_pem.write_to_path(folder / "one.pem")
    tls = {"CA_FILE": "ca.pem"}
    for role in ("CLIENT", "SCHEDULER", "WORKER"):
        tls |= {f"{role}__CERT": "one.pem", f"{role}__KEY": "one.pem"}
    environment = {**os.environ, "OPENAI_API_KEY": "none"}
    for name, file in tls.items():
        environment[f"DASK_DISTRIBUTED__COMM__TLS__{name}"] = str(folder / file)
    environment["DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION"] = "true"
    told = folder / "scheduler.json"
    dask = [sys.executable, "-m", "dask"]
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with ExitStack() as stack:

        def start(*words: str) -> subprocess.Popen[bytes]:
            process = stack.enter_context(
                subprocess.Popen([*dask, *words], env=environment, cwd=Path.cwd(), **quiet)
            )
            stack.callback(process.kill)
            return process

        ends = ["--protocol", "tls", "--host", "127.0.0.1", "--no-dashboard"]
        start("scheduler", *ends, "--port", "0", "--scheduler-file", str(told))
        until = time.monotonic() + PATIENCE
        while not told.exists():
            assert time.monotonic() < until, "the scheduler does not start"
            time.sleep(0.05)
        address = json.loads(told.read_text())["address"]
        assert address.startswith("tls://")
        more = ["--nthreads", "1", "--no-nanny", *ends, "--local-directory", str(folder / "dask")]
        found = [start("worker", address, *more).pid for _ in range(workers)]
        yield address, environment, found


@pytest.mark.slow
@pytest.mark.faults
@pytest.mark.skipif(find_spec("distributed") is None, reason="Dask is not installed")
@pytest.mark.parametrize("fault", ["none", "worker", "command"])
def test_an_encrypted_cluster_loses_nothing_and_pays_nothing_twice(
    fault: str, server: Loopback, tmp_path: Path
) -> None:
    source = asked(tmp_path / "in.jsonl", 12)
    whole, target = tmp_path / "whole.jsonl", tmp_path / "out.jsonl"
    needed = check_file(source, whole, options=asking(server, tmp_path / "a")).usage.calls
    server.received.clear()
    with dask(tmp_path, 2) as (address, environment, workers):
        words = ["batch", str(source), str(target), "--model", "openai/tiny", "--n-samples", "3"]
        words += ["--api-base", server.url, "--store", str(tmp_path / "b"), "--address", address]
        words += ["--concurrency", "4", "--rate", "600/min", "--max-calls", str(4 * needed)]
        command = [sys.executable, "-m", "halubot", *words]
        with subprocess.Popen(command, env=environment) as process:
            if fault != "none":
                server.wait_for(needed // 3)
            if fault == "worker":
                os.kill(workers[0], signal.SIGKILL)
            elif fault == "command":
                process.kill()
            status = process.wait(PATIENCE)
        if fault == "command":
            status = subprocess.run(command, env=environment, check=False).returncode
    assert status == 0
    assert target.read_bytes() == whole.read_bytes()
    # Only what was under way, or not kept yet, at the kill is asked for again.
    assert needed <= len(server.received) <= needed + (0 if fault == "none" else 8)
    times = sorted(one.at for one in server.received)
    assert all(later - sooner >= 1.0 for sooner, later in zip(times, times[20:], strict=False))
