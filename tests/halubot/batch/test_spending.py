"""A budget that holds over all runs of a batch, and one batch at a time for one output."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from halubot.batch import Line, Tally, check_file, spending_path
from halubot.batch._files import alone
from halubot.cli import main
from halubot.errors import InputError
from halubot.inputs import Options
from halubot.models.model import Listed
from halubot.testing import ScriptedModel
from tests.halubot.batch.test_pool import asked, with_model, written
from tests.judge import Judge
from tests.loopback import Loopback, loopback


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return asked(tmp_path / "in.jsonl", 6)


@pytest.fixture
def server() -> Iterator[Loopback]:
    with loopback() as server:
        server.answer(Judge().reply)
        yield server


def kept(target: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(spending_path(target).read_text())
    return found


def test_calls_of_all_runs_count_and_a_larger_number_goes_on(source: Path, tmp_path: Path) -> None:
    target, model = tmp_path / "out.jsonl", ScriptedModel(Judge())
    for _ in range(3):
        tally = check_file(
            source, target, options=with_model(model, tmp_path / "store", max_calls=7)
        )
        assert model.calls == 7
        assert tally.stopped is not None
    assert "7 of them in earlier runs" in str(tally.stopped)
    assert kept(target) == {"calls": 7, "cost_usd": 0.0}
    tally = check_file(source, target, options=with_model(model, tmp_path / "store", max_calls=90))
    assert tally.stopped is None
    assert kept(target)["calls"] == model.calls


def test_dollars_of_all_runs_count(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    model = ScriptedModel(Judge(), listed=Listed(1e-5, 1e-5))
    spent = []
    for _ in range(3):
        options = with_model(model, tmp_path / "store", max_cost=0.09, concurrency=1)
        assert check_file(source, target, options=options).stopped is not None
        spent.append(kept(target)["cost_usd"])
    assert 0 < spent[-1] <= 0.09
    assert spent[1] == spent[2]


def test_what_was_spent_and_cannot_be_read_is_refused(source: Path, tmp_path: Path) -> None:
    target, model = tmp_path / "out.jsonl", ScriptedModel(Judge())
    options = with_model(model, tmp_path / "store", max_calls=7)
    check_file(source, target, options=options)
    for spent in (
        "7 calls",
        '{"calls": -7, "cost_usd": 0.0}',
        '{"calls": 7, "cost_usd": -1}',
        '{"calls": 7, "cost_usd": NaN}',
    ):
        spending_path(target).write_text(spent)
        with pytest.raises(InputError, match="cannot read what was spent"):
            check_file(source, target, options=options)


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 2])
def test_a_command_that_is_killed_over_and_over_stays_within_its_calls(
    server: Loopback, source: Path, tmp_path: Path, processes: int
) -> None:
    target, whole = tmp_path / "out.jsonl", tmp_path / "whole.jsonl"
    plain = Options(model="openai/tiny", api_base=server.url, store=tmp_path / "a", n_samples=3)
    needed = check_file(source, whole, options=plain).usage.calls
    server.received.clear()
    words = ["batch", str(source), str(target), "--model", "openai/tiny", "--n-samples", "3"]
    words += ["--api-base", server.url, "--store", str(tmp_path / "b"), "--concurrency", "2"]
    words += ["--processes", str(processes)]
    environment = {**os.environ, "OPENAI_API_KEY": "none"}

    def run(calls: int, kill_after: int | None) -> int:
        command = [sys.executable, "-m", "halubot", *words, "--max-calls", str(calls)]
        with subprocess.Popen(command, env=environment) as process:
            if kill_after is not None:
                server.wait_for(kill_after)
                process.send_signal(signal.SIGKILL)
            return process.wait(600)

    run(9, 3)
    run(9, 6)
    while run(9, None) != 2:
        pass
    assert len(server.received) <= 9
    status = run(3 * needed, None)
    assert status == 0
    assert target.read_bytes() == whole.read_bytes()
    # Only what was under way, or not kept yet, at one of the two kills is asked for again.
    assert len(server.received) <= needed + 2 * 4


def test_a_second_batch_on_one_output_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = written(tmp_path / "in.jsonl", 3), tmp_path / "out.jsonl"
    refused = []

    def watch(line: Line) -> None:
        if line.place == 1:
            with pytest.raises(InputError, match="another batch is writing to"):
                check_file(source, target)
            refused.append(target.read_bytes())

    assert check_file(source, target, watch=watch) == Tally(checked=3)
    assert refused
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "in.jsonl",
        "out.jsonl",
        "out.summary.json",
    ]
    with alone(target):
        assert main(["batch", str(source), str(target)]) == 2
    assert "another batch is writing to" in capsys.readouterr().err
    assert check_file(source, target).kept == 3
