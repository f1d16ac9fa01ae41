"""Batches on several processes of this machine: the same bytes, one budget, and what dies on the
way."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import pytest

from halubot import batch, child_process
from halubot.batch import Line, Tally, check_file
from halubot.batch.message import WorkersLostError
from halubot.inputs import Options
from halubot.testing import ScriptedModel
from halubot.workers import pool
from tests.judge import ANSWER, Judge

Processes = list[asyncio.subprocess.Process]


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


def asked(path: Path, count: int) -> Path:
    """So many messages, each the answer to a question of its own."""
    lines = [{"text": f"{ANSWER} She was {n}.", "question": f"Who was {n}?"} for n in range(count)]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[Processes]:
    """The processes that were started, in their order; all have ended afterwards."""
    found: Processes = []
    start = pool._start

    async def noted() -> Any:
        worker = await start()
        found.append(worker.process)
        return worker

    monkeypatch.setattr(pool, "_start", noted)
    yield found
    assert all(process.returncode is not None for process in found)


def with_model(model: ScriptedModel, store: Path, **more: Any) -> Options:
    given: dict[str, Any] = {"model": model, "store": store, "n_samples": 3, **more}
    return cast("Options", given)


@pytest.mark.slow
@pytest.mark.parametrize("processes", [2, 3])
def test_the_bytes_are_those_of_one_process(
    started: Processes, tmp_path: Path, processes: int
) -> None:
    source = written(tmp_path / "in.jsonl", 20)
    one, many = tmp_path / "one.jsonl", tmp_path / "many.jsonl"
    assert check_file(source, one) == Tally(checked=18, errors=2)
    assert check_file(source, many, processes=processes) == Tally(checked=18, errors=2)
    assert one.read_bytes() == many.read_bytes()
    assert len(started) == processes


@pytest.mark.slow
def test_a_killed_process_costs_no_line_and_others_take_its_place(
    started: Processes, tmp_path: Path
) -> None:
    source = written(tmp_path / "in.jsonl", 30)
    one, many = tmp_path / "one.jsonl", tmp_path / "many.jsonl"
    check_file(source, one)

    def watch(line: Line) -> None:
        # The one that was killed first may not have been replaced yet.
        alive = [process for process in started if process.returncode is None]
        if line.place in (2, 12) and alive:
            alive[-1].kill()

    check_file(source, many, processes=2, watch=watch)
    assert one.read_bytes() == many.read_bytes()
    assert len(started) > 2


@pytest.mark.slow
def test_a_message_that_hangs_is_ended_at_its_deadline(started: Processes, tmp_path: Path) -> None:
    """A process that is stopped stands for one that a library in C holds up."""

    def watch(line: Line) -> None:
        if line.place == 1:
            for process in started:
                os.kill(process.pid, signal.SIGSTOP)

    # More than may be done before the first line is written.
    source, target = written(tmp_path / "in.jsonl", 12), tmp_path / "out.jsonl"
    options = Options(deadline=2.0)
    tally = check_file(source, target, options=options, processes=2, watch=watch)
    assert tally == Tally(checked=11, errors=1)
    assert "the process that checked was ended" in target.read_text()


@pytest.mark.slow
@pytest.mark.parametrize(
    "program",
    ["raise SystemExit(1)", "import os, sys; os.close(1); sys.stdin.buffer.read()"],
    ids=["at once", "output first"],
)
def test_a_message_that_ends_every_process_ends_the_batch_and_loses_nothing(
    started: Processes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    monkeypatch.setattr(child_process, "_START", program)
    monkeypatch.setattr(batch, "TRIES", 2)
    with pytest.raises(WorkersLostError, match="died 2 times"):
        check_file(written(tmp_path / "in.jsonl", 2), tmp_path / "out.jsonl", processes=2)
    monkeypatch.undo()
    assert check_file(tmp_path / "in.jsonl", tmp_path / "out.jsonl").checked == 2


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="this system has no /proc/net")
def test_no_process_of_a_batch_listens_anywhere(started: Processes, tmp_path: Path) -> None:
    psutil: Any = pytest.importorskip("psutil")
    listening: list[Any] = []

    def watch(line: Line) -> None:
        for pid in (os.getpid(), *(process.pid for process in started)):
            connections = psutil.Process(pid).net_connections(kind="inet")
            listening.extend(one for one in connections if one.status == psutil.CONN_LISTEN)

    check_file(written(tmp_path / "in.jsonl", 4), tmp_path / "out.jsonl", processes=2, watch=watch)
    assert started
    assert not listening


@pytest.mark.slow
def test_models_are_asked_by_the_command_alone(started: Processes, tmp_path: Path) -> None:
    """An object of this process can be the model, and all messages share its store and budget."""
    source = asked(tmp_path / "in.jsonl", 4)
    one, many = tmp_path / "one.jsonl", tmp_path / "many.jsonl"
    models = ScriptedModel(Judge()), ScriptedModel(Judge())
    alone = check_file(source, one, options=with_model(models[0], tmp_path / "a"))
    told: list[int] = []
    tally = check_file(
        source,
        many,
        options=with_model(models[1], tmp_path / "b"),
        processes=2,
        watch=lambda line: told.append(line.report.usage.calls if line.report else 0),
    )
    assert one.read_bytes() == many.read_bytes()
    assert models[0].calls == models[1].calls == tally.usage.calls == alone.usage.calls
    assert all(told)
    again = check_file(
        source, tmp_path / "3.jsonl", options=with_model(models[1], tmp_path / "b"), processes=2
    )
    assert again.usage.calls == 0
    assert again.usage.cached_calls >= alone.usage.calls


@pytest.mark.slow
def test_a_process_that_dies_amid_its_calls_has_none_of_them_paid_twice(
    started: Processes, tmp_path: Path
) -> None:
    source = asked(tmp_path / "in.jsonl", 6)
    one, many = tmp_path / "one.jsonl", tmp_path / "many.jsonl"
    plain, killing = ScriptedModel(Judge()), Killing(started)
    check_file(source, one, options=with_model(plain, tmp_path / "a"))
    check_file(source, many, options=with_model(killing, tmp_path / "b"), processes=2)
    assert one.read_bytes() == many.read_bytes()
    assert len(started) > 2
    assert killing.calls == plain.calls


class Killing(ScriptedModel):
    """A judge in whose fifth and ninth call the process dies that asked for them."""

    def __init__(self, started: Processes) -> None:
        super().__init__(Judge())
        self._started = started

    async def complete(self, request: Any) -> Any:
        found = await super().complete(request)
        if self.calls in (5, 9):
            for process in self._started:
                # One that was killed may be gone before this process has noticed.
                if process.returncode is None:
                    with suppress(ProcessLookupError):
                        os.kill(process.pid, signal.SIGKILL)
            await asyncio.sleep(0)
        return found
