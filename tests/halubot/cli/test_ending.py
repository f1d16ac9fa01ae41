"""How commands end in a process of their own: a reader that goes away, and ctrl+C."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from halubot.cli import LAST_SECONDS
from tests.halubot.cli.calling import RIGHT, WRONG

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


NARROW = {"PYTHONIOENCODING": "cp1252", "COLUMNS": "80"}


@pytest.mark.parametrize("format", ["text", "json", "markdown", "html"])
def test_an_encoding_with_few_signs_loses_no_report(tmp_path: Path, format: str) -> None:
    (tmp_path / "reference.txt").write_text("Ada — Łódź — 🙂 was born in 1815.", encoding="utf-8")
    ended = subprocess.run(
        [*COMMAND, "check", "--reference", "reference.txt", "--format", format],
        input="Ada 🙂 was born in Łódź in 1816.".encode(),
        capture_output=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, **NARROW},
    )
    assert (ended.returncode, ended.stderr) == (1, b"")
    assert b"1816" in ended.stdout
    if format == "json":
        assert json.loads(ended.stdout)["text"] == "Ada 🙂 was born in Łódź in 1816."


@pytest.mark.skipif(os.name != "posix", reason="a shell closes and fills the streams")
@pytest.mark.parametrize(
    ("redirection", "status"),
    [(">&-", 1), ("2>&-", 1), ("<&- >&- 2>&-", 1), (">/dev/full", 2), ("2>/dev/full", 1)],
)
def test_streams_that_take_nothing_are_no_fault(
    tmp_path: Path, redirection: str, status: int
) -> None:
    if "full" in redirection and not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    (tmp_path / "message.txt").write_text(WRONG)
    (tmp_path / "reference.txt").write_text(RIGHT)
    command = shlex.join([*COMMAND, "check", "message.txt", "--reference", "reference.txt"])
    ended = subprocess.run(
        ["/bin/sh", "-c", f"{command} {redirection}"],
        capture_output=True,
        check=False,
        cwd=tmp_path,
    )
    assert ended.returncode == status
    assert b"Traceback" not in ended.stderr
    assert ended.stderr.count(b"\n") == (status == 2)


DEAF = """
import halubot.cli, signal, sys, time

# A shell has what it runs in the background ignore the signal, and all below it.
signal.signal(signal.SIGINT, signal.default_int_handler)

def deaf():
    while True:
        try:
            print("on", flush=True)
            time.sleep(60)
        except KeyboardInterrupt:
            pass

halubot.cli.main = deaf
halubot.cli.script()
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such channel")
def test_ctrl_c_ends_what_does_not_listen() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", DEAF], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"on\n"
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=600)  # by itself it would not end at all
    assert (process.returncode, said) == (130, b"halubot: interrupted\n")
    assert LAST_SECONDS < 1


@pytest.mark.parametrize("command", ["cache", "knowledge", "feedback"])
def test_a_command_of_commands_alone_shows_its_help(command: str) -> None:
    done = subprocess.run([*COMMAND, command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"Usage: halubot {command} ")
