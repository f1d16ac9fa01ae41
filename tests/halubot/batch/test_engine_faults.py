"""What may die or fail in a batch with a model, on every engine: the bytes stay the same, and calls
and rate stay within their limits."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

from halubot.batch import check_file
from halubot.inputs import Options
from tests.halubot.batch.test_engines import PATIENCE, find_workers, wait_for_lines
from tests.judge import ANSWER, Judge
from tests.loopback import Body, Loopback, Reply, loopback

MESSAGES = 12
CALLS = 120
PER_SECOND = 12

ENGINES = [
    pytest.param(None, id="one process"),
    *(
        pytest.param(
            name,
            marks=pytest.mark.skipif(find_spec(module) is None, reason=f"{module} is missing"),
        )
        for name, module in (("dask", "distributed"), ("ray", "ray"))
    ),
]
FAULTS = ["worker", "driver", "storm"]


@pytest.fixture
def server() -> Iterator[Loopback]:
    with loopback() as server:
        server.answer(Judge().reply)
        yield server


@pytest.mark.slow
@pytest.mark.faults
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("engine", ENGINES)
def test_the_bytes_stay_the_same_and_the_limits_hold(
    engine: str | None, fault: str, server: Loopback, tmp_path: Path
) -> None:
    source, whole = tmp_path / "in.jsonl", tmp_path / "whole.jsonl"
    lines = [
        {"text": f"{ANSWER} She was {number}.", "question": f"Who was {number}?"}
        for number in range(MESSAGES)
    ]
    source.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    plain = Options(model="openai/tiny", api_base=server.url, store=tmp_path / "plain", n_samples=3)
    check_file(source, whole, options=plain)
    target = tmp_path / "out.jsonl"
    words = ["batch", str(source), str(target), "--model", "openai/tiny", "--n-samples", "3"]
    words += ["--api-base", server.url, "--store", str(tmp_path / "store")]
    words += ["--max-calls", str(CALLS), "--rate", f"{PER_SECOND}/s", "--at-once", "2"]
    if engine is not None:
        words += ["--engine", engine, "--workers", "2", "--chunk", "2"]

    if True:
        if fault == "storm":
            server.answer(Storm().reply)
        server.received.clear()
        with running(words) as driver:
            wait_for_lines(target, 3, driver)
            if fault == "driver" or (fault == "worker" and engine is None):
                driver.kill()
            elif fault == "worker":
                os.kill(find_workers(driver.pid, str(engine))[0], signal.SIGKILL)
            status = driver.wait(PATIENCE)
        require_limits(server)
        # What was leased to a killed worker counts as spent: it may stop, and goes on.
        for _ in range(3):
            if status == 0:
                break
            server.received.clear()
            with running(words) as driver:
                status = driver.wait(PATIENCE)
            require_limits(server)
    assert status == 0
    assert target.read_bytes() == whole.read_bytes()


class Storm:
    """Answers, but turns every fifth of the first forty requests away for a second."""

    def __init__(self) -> None:
        self._judge = Judge()
        self._count = 0
        self._lock = threading.Lock()

    def reply(self, body: Body) -> Reply:
        """Answer a request, or turn it away."""
        with self._lock:
            self._count += 1
            turned_away = self._count % 5 == 0 and self._count <= 40
        if turned_away:
            return Reply(status=429, error="slow down", headers={"Retry-After": "1"})
        return self._judge.reply(body)


def require_limits(server: Loopback) -> None:
    """Fail if more calls were made than allowed, or in less time than they must take."""
    times = [one.at for one in server.received]
    assert len(times) <= CALLS
    if times:
        assert max(times) - min(times) >= (len(times) - PER_SECOND) / PER_SECOND - 1.0


@contextmanager
def running(words: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """A batch in a process of its own, which ends with the test."""
    environment = {**os.environ, "OPENAI_API_KEY": "none"}
    process = subprocess.Popen([sys.executable, "-m", "halubot", *words], env=environment)
    try:
        yield process
    finally:
        process.kill()
        process.wait(PATIENCE)
