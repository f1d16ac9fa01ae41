"""Batches on several workers: the same bytes, one budget, and what dies on the way."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from halubot.batch import Engine, Tally, _engines, check_file
from halubot.batch._chunk import Chunk, Lease, Result, check_chunk
from halubot.batch._pace_server import DriverPacer, serve_pace
from halubot.batch.ray import CheckMessages
from halubot.cli import main
from halubot.errors import SettingError
from halubot.inputs import Options
from halubot.models.model_errors import UnreachableError
from halubot.models.pace import Window
from halubot.rate import Rate
from halubot.testing import ScriptedModel
from tests.judge import Judge
from tests.loopback import Loopback, loopback

PATIENCE = 600.0
NAMES = [
    pytest.param(
        name,
        marks=[
            pytest.mark.slow,
            pytest.mark.skipif(find_spec(module) is None, reason=f"{module} is not installed"),
        ],
    )
    for name, module in (("dask", "distributed"), ("ray", "ray"))
]


def written(path: Path, count: int) -> Path:
    """So many messages; every seventh is broken."""
    lines: list[dict[str, Any]] = [
        {
            "id": number,
            "text": f"Ada was born in {1800 + number % 30}. The Engine has {number} wheels.",
            "references": ["Ada was born in 1815. The Engine has 12 wheels."],
        }
        if number % 7
        else {"id": number}
        for number in range(1, count + 1)
    ]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


class Here:
    """Workers that are threads of this process; ``before`` is called with each chunk."""

    def __init__(self, count: int = 2) -> None:
        self.count = count
        self.chunks: list[Chunk] = []
        self.before: Callable[[Chunk], None] = lambda chunk: None
        self.closed = False
        self.host = "127.0.0.1"

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
    """An engine of threads, whatever engine is named."""
    workers = Here()
    monkeypatch.setattr(_engines, "start", lambda engine: workers)
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
    return Options(**{**given, **more})  # type: ignore[typeddict-item]


@pytest.mark.parametrize("chunk", [1, 3, 100])
def test_the_bytes_are_those_of_one_process(here: Here, tmp_path: Path, chunk: int) -> None:
    source = written(tmp_path / "in.jsonl", 20)
    one, many = tmp_path / "one.jsonl", tmp_path / "many.jsonl"
    assert check_file(source, one) == Tally(checked=18, errors=2)
    assert check_file(source, many, engine=Engine("dask", chunk=chunk)) == Tally(
        checked=18, errors=2
    )
    assert one.read_bytes() == many.read_bytes()
    assert [len(one.items) for one in here.chunks][:1] == [min(chunk, 20)]
    assert here.closed


def test_what_is_done_is_not_sent_out_again(here: Here, tmp_path: Path) -> None:
    source, target = written(tmp_path / "in.jsonl", 10), tmp_path / "out.jsonl"
    check_file(source, target)
    whole = target.read_bytes()
    target.write_bytes(b"".join(whole.splitlines(keepends=True)[:6]))
    assert check_file(source, target, engine=Engine("dask")).kept == 6
    assert [place for chunk in here.chunks for place, _ in chunk.items] == [7, 8, 9, 10]
    assert target.read_bytes() == whole


def test_lost_workers_end_it_and_the_same_command_goes_on(here: Here, tmp_path: Path) -> None:
    source, target = written(tmp_path / "in.jsonl", 10), tmp_path / "out.jsonl"

    def lose(chunk: Chunk) -> None:
        if chunk.items[0][0] > 4:
            raise _engines.WorkersLostError("workers died over and over")

    here.before = lose
    with pytest.raises(_engines.WorkersLostError):
        check_file(source, target, engine=Engine("dask", chunk=2))
    here.before = lambda chunk: None
    check_file(source, target, engine=Engine("dask", chunk=2))
    assert [json.loads(line)["id"] for line in target.read_text().splitlines()] == [*range(1, 11)]


@pytest.mark.slow
@pytest.mark.parametrize("calls", [0, 5, 15])
def test_all_workers_together_stay_within_the_calls(
    here: Here, server: Loopback, tmp_path: Path, calls: int
) -> None:
    source, target = written(tmp_path / "in.jsonl", 12), tmp_path / "out.jsonl"
    options = asking(server, tmp_path / "store", max_calls=calls)
    tally = check_file(source, target, options=options, engine=Engine("dask", chunk=2))
    assert len(server.received) <= calls
    assert tally.usage.calls == len(server.received)
    assert tally.stopped is not None
    assert "may be spent" in str(tally.stopped) or "--max-calls" in str(tally.stopped)


@pytest.mark.slow
def test_a_budget_that_is_enough_is_not_cut_into_shares_that_are_not(
    here: Here, server: Loopback, tmp_path: Path
) -> None:
    source = written(tmp_path / "in.jsonl", 12)
    one, many = tmp_path / "one.jsonl", tmp_path / "many.jsonl"
    needed = check_file(source, one, options=asking(server, tmp_path / "a")).usage.calls
    assert needed > 4
    options = asking(server, tmp_path / "b", max_calls=needed)
    tally = check_file(source, many, options=options, engine=Engine("dask", chunk=2))
    assert tally.stopped is None
    assert tally.usage.calls == needed
    assert one.read_bytes() == many.read_bytes()


@pytest.mark.slow
def test_the_rate_holds_for_all_workers_together(
    here: Here, server: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    granted: list[float] = []
    begin = Window.begin

    def noted(window: Window) -> float:
        wait = begin(window)
        if window.rate is not None and wait == 0:
            granted.append(window._begun[-1])
        return wait

    monkeypatch.setattr(Window, "begin", noted)
    source = written(tmp_path / "in.jsonl", 6)
    one, many = tmp_path / "one.jsonl", tmp_path / "many.jsonl"
    calls = check_file(source, one, options=asking(server, tmp_path / "a")).usage.calls
    server.received.clear()
    rate = Rate(2, 0.2)
    options = asking(server, tmp_path / "b")
    check_file(source, many, options=options, engine=Engine("dask", chunk=1), rate=rate)
    assert len(server.received) == calls
    assert one.read_bytes() == many.read_bytes()
    # What the driver let begin: the requests themselves take unequal times to arrive.
    assert len(granted) == calls
    pairs = zip(granted, granted[2:], strict=False)
    assert min(later - earlier for earlier, later in pairs) >= 0.2


def test_what_a_provider_asks_one_worker_to_wait_holds_for_all() -> None:
    async def work() -> tuple[float, float, float]:
        async with serve_pace("127.0.0.1", Rate(5, 60.0)) as address:
            one, other = DriverPacer(address, "there"), DriverPacer(address, "there")
            elsewhere = DriverPacer(address, "elsewhere")
            before = await asyncio.to_thread(other.begin)
            await asyncio.to_thread(one.hold, 30.0)
            held = await asyncio.to_thread(other.begin)
            free = await asyncio.to_thread(elsewhere.begin)
            for pacer in (one, other, elsewhere):
                pacer.close()
            return before, held, free

    before, held, free = asyncio.run(work())
    assert before == free == 0
    assert 25 < held <= 30


def test_a_worker_that_took_the_place_of_another_has_no_rate_of_its_own() -> None:
    async def work() -> list[float]:
        async with serve_pace("127.0.0.1", Rate(2, 60.0)) as address:
            killed = DriverPacer(address, "there")
            waits = [await asyncio.to_thread(killed.begin) for _ in range(2)]
            killed.close()
            instead = DriverPacer(address, "there")
            waits.append(await asyncio.to_thread(instead.begin))
            instead.close()
            return waits

    first, second, third = asyncio.run(work())
    assert first == second == 0
    assert third > 30


def test_a_stranger_is_not_answered_and_a_driver_that_is_gone_is_named() -> None:
    async def work() -> None:
        async with serve_pace("127.0.0.1", None) as address:
            stranger = DriverPacer(replace(address, token="guessed"), "there")  # noqa: S106
            with pytest.raises(UnreachableError, match="hung up"):
                await asyncio.to_thread(stranger.begin)
        worker = DriverPacer(address, "there")
        with pytest.raises(UnreachableError, match=str(address.port)):
            await asyncio.to_thread(worker.begin)

    asyncio.run(work())


@pytest.mark.parametrize("lacking", ["name", "record"])
def test_what_other_processes_cannot_have_is_refused(
    here: Here, tmp_path: Path, lacking: str
) -> None:
    options = Options(model=ScriptedModel([]), store=tmp_path / "store")
    if lacking == "record":
        options["model"], options["record"] = "openai/x", tmp_path / "record.jsonl"
    with pytest.raises(SettingError, match="engine"):
        check_file(
            written(tmp_path / "in.jsonl", 2),
            tmp_path / "out.jsonl",
            options=options,
            engine=Engine("dask"),
        )


def test_another_version_of_a_worker_is_refused() -> None:
    chunk = Chunk((), Options(), "full", 1, Lease(), version="0.0.0")
    with pytest.raises(SettingError, match=r"0\.0\.0"):
        check_chunk(chunk)


def test_settings_of_an_engine_need_its_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = written(tmp_path / "in.jsonl", 2)
    assert main(["batch", str(source), str(tmp_path / "out.jsonl"), "--workers", "2"]) == 2
    assert "--engine" in capsys.readouterr().err


def test_rows_of_a_pipeline_get_reports() -> None:
    work = CheckMessages(references=["Ada was born in 1815."], detail="brief")
    row = work({"text": "Ada was born in 1816.", "question": None, "label": 1})
    assert row["label"] == 1
    assert row["report"] is row["error"] is None
    assert json.loads(row["brief"])["doubted"][0]["verdict"] == "contradicted"
    assert "text" in work({"label": 1})["error"]


@pytest.mark.parametrize("name", NAMES)
def test_an_engine_writes_the_same_bytes_though_a_worker_is_killed(
    name: str, tmp_path: Path
) -> None:
    source = written(tmp_path / "in.jsonl", 600)
    one, many = tmp_path / "one.jsonl", tmp_path / "many.jsonl"
    check_file(source, one)
    with _batch(source, many, name) as driver:
        wait_for_lines(many, 5, driver)
        os.kill(find_workers(driver.pid, name)[0], signal.SIGKILL)
        assert driver.wait(PATIENCE) == 0
    assert one.read_bytes() == many.read_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_an_engine_goes_on_after_its_driver_was_killed(name: str, tmp_path: Path) -> None:
    source = written(tmp_path / "in.jsonl", 600)
    one, many = tmp_path / "one.jsonl", tmp_path / "many.jsonl"
    check_file(source, one)
    with _batch(source, many, name) as driver:
        wait_for_lines(many, 5, driver)
        driver.kill()
        driver.wait(PATIENCE)
    assert many.read_bytes() != one.read_bytes()
    with _batch(source, many, name) as driver:
        assert driver.wait(PATIENCE) == 0
    assert one.read_bytes() == many.read_bytes()


def _batch(source: Path, target: Path, name: str) -> subprocess.Popen[bytes]:
    words = ["batch", str(source), str(target), "--engine", name, "--workers", "2", "--chunk", "5"]
    return subprocess.Popen([sys.executable, "-m", "halubot", *words])


def wait_for_lines(path: Path, count: int, driver: subprocess.Popen[bytes]) -> None:
    """Wait until so many lines are written."""
    until = time.monotonic() + PATIENCE
    while not path.exists() or path.read_bytes().count(b"\n") < count:
        assert driver.poll() is None, "it ended before"
        assert time.monotonic() < until, "no lines came"
        time.sleep(0.01)


def find_workers(driver: int, name: str) -> list[int]:
    """The processes of a driver that check chunks: of Dask's, those that its nannies start."""
    listed = subprocess.run(
        ["/bin/ps", "-wweo", "pid=,ppid=,args="], capture_output=True, text=True, check=True
    )
    rows = [line.split(None, 2) for line in listed.stdout.splitlines()]
    below = {driver}
    for _ in range(4):
        below |= {int(row[0]) for row in rows if int(row[1]) in below}
    marks = {"dask": "spawn_main", "ray": "ray::"}
    found = [int(row[0]) for row in rows if int(row[0]) in below and marks[name] in row[2]]
    assert found, listed.stdout
    return found
