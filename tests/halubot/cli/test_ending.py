"""How commands end in a process of their own: a reader that goes away, and ctrl+C."""

from __future__ import annotations

import json
import os
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from halubot.interrupt import LAST_SECONDS
from tests.halubot.cli.calling import RIGHT, WRONG
from tests.loopback import PATIENCE

COMMAND = [sys.executable, "-m", "halubot"]

INTERRUPTED = """
import asyncio, os, signal, sys
from halubot import register
from halubot.cli import main
from halubot.events import FactJudged, FactsExtracted
from halubot.claims import extract
from halubot.report import Threshold

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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.fixture
def silent() -> Iterator[tuple[socket.socket, str]]:
    """A server that takes every connection and never says a word, and its address."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as server:
        server.settimeout(PATIENCE)
        yield server, f"http://127.0.0.1:{server.getsockname()[1]}/v1"


ROW = {"text": WRONG, "references": [RIGHT], "label": "hallucinated", "question": "Who was Ada?"}
MODEL = ["--model", "openai/tiny", "--timeout", "600", "--api-base"]


WAITING = (
    ["ask", "Who was Ada?", *MODEL],
    ["check", "message.txt", "--question", "Who was Ada?", *MODEL],
    ["correct", "message.txt", "--question", "Who was Ada?", *MODEL],
    ["batch", "rows.jsonl", "out.jsonl", "--concurrency", "3", *MODEL],
    ["models", "--api-base"],
    ["check", "message.txt", "--reference"],
)
MORE_WAITING = (["batch", "rows.jsonl", "out.jsonl", *MODEL],)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal")
@pytest.mark.parametrize(
    "args",
    [*WAITING, *(pytest.param(args, marks=pytest.mark.faults) for args in MORE_WAITING)],
    ids=lambda args: " ".join(args[:2]),
)
def test_ctrl_c_ends_whoever_waits_for_a_server(
    tmp_path: Path, silent: tuple[socket.socket, str], args: list[str]
) -> None:
    server, address = silent
    (tmp_path / "message.txt").write_text(WRONG)
    rows = [json.dumps({**ROW, "id": str(n), "text": f"{n} ships. {WRONG}"}) for n in range(30)]
    (tmp_path / "rows.jsonl").write_text("\n".join(rows) + "\n")
    with subprocess.Popen(
        [sys.executable, "-c", HEARING, *args, address],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env={**os.environ, "OPENAI_API_KEY": "x", "HOME": str(tmp_path)},
    ) as process:
        # The first connections only look whether anybody is there; then comes a request.
        held: list[socket.socket] = []
        while not held or not _asks(held[-1]):
            held.append(server.accept()[0])
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=600)
    for connection in held:
        connection.close()
    assert process.returncode == 130, said
    assert said.splitlines()[-1].startswith((b"halubot: interrupted", b"halubot: stopped after 0"))
    assert b"Traceback" not in said


# A shell has what it runs in the background ignore the signal, and all below it.
HEARING = """
import runpy, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
runpy.run_module("halubot", run_name="__main__", alter_sys=True)
"""


def _asks(connection: socket.socket) -> bool:
    connection.settimeout(PATIENCE)
    return bool(connection.recv(1))


AT_WORK = """
import atexit, sys, threading, halubot.cli

class Last:
    def __del__(self):
        print("torn down", flush=True)

def main():
    threading.Thread(target=threading.Event().wait, name="halubot judging", daemon=True).start()
    sys.last = Last()
    atexit.register(print, "tidied up")
    print("the report", end=", ")
    return 3

halubot.cli.main = main
halubot.cli.script()
"""


def test_a_thread_that_still_works_does_not_change_the_status() -> None:
    """Python would take itself apart under it, and may crash."""
    ended = subprocess.run([sys.executable, "-c", AT_WORK], capture_output=True, check=False)
    assert (ended.returncode, ended.stdout.split()) == (3, b"the report, tidied up".split())
