"""How commands end in a process of their own: a reader that goes away, and ctrl+C."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.halubot.cli.calling import WRONG

COMMAND = [sys.executable, "-m", "halubot"]

INTERRUPTED = """
import asyncio, os, signal, sys
from halubot import register
from halubot.cli import main
from halubot.events import FactJudged, FactsExtracted
from halubot.extract import extract
from halubot.facts import Threshold

signal.signal(signal.SIGINT, signal.default_int_handler)

class Stopped:
    name, summary, source = "stopped", "Judges one fact, then presses ctrl+C.", "these tests"
    needs, needs_all = (), False
    default_threshold = Threshold(value=0.5)

    def calls(self, size):
        return 0

    async def judge(self, case):
        yield FactsExtracted(facts=extract(case.message))
        yield FactJudged(index=0, score=0.9, verdict="doubtful")
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.Event().wait()

register(Stopped())
sys.exit(main([*sys.argv[1:], "--method", "stopped", "--format", "json"]))
"""


@pytest.mark.parametrize(
    "args", [["demo"], ["demo", "--format", "json"], ["methods"], ["doctor"], ["config"]]
)
def test_a_reader_that_goes_away_is_no_fault(args: list[str]) -> None:
    with subprocess.Popen(
        [*COMMAND, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert process.returncode == 0


@pytest.mark.parametrize("command", ["check", "correct"])
def test_after_ctrl_c_what_is_known_is_printed(tmp_path: Path, command: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, command],
        input=WRONG.encode(),
        capture_output=True,
        check=False,
        cwd=tmp_path,
    )
    report = json.loads(ended.stdout)
    assert ended.returncode == 130
    assert report["facts"][0]["verdict"] == "doubtful"
    assert {fact["verdict"] for fact in report["facts"][1:]} == {"not_checked"}
    assert ended.stderr.decode().splitlines()[-1] == (
        "halubot: interrupted: this is what was known by then"
    )
