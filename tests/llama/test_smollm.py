"""The commands with a small real model, SmolLM2-135M-Instruct, on a server of one slot.

It cannot judge, and what it says is not asserted: that the report stays honest is. They run where
LLAMA_SMOLLM is the path of the model, as `make test-llama` sets it. A table of what each method
took goes to LLAMA_REPORT, if that is set. All share one home: a call that an earlier command made
comes from its store.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import halubot
from halubot.events import AnswerToken
from halubot.methods import get
from halubot.methods.registry import method_names
from halubot.report import Report
from tests.llama.serving import llama_server

WEIGHTS = os.environ.get("LLAMA_SMOLLM", "")

pytestmark = pytest.mark.skipif(not WEIGHTS, reason="LLAMA_SMOLLM names no model")

QUESTION = "Who was Ada Lovelace?"
MESSAGE = (
    "Ada Lovelace was born in 1815 in London. She wrote notes on the Analytical Engine in 1850."
)
SAMPLES = (
    "Ada Lovelace was born in London in 1815. Her notes on the Analytical Engine are from 1843.",
    "Born in 1815 in London, Ada Lovelace wrote notes on Babbage's Analytical Engine in 1843.",
)
REFERENCE = (
    "Ada Lovelace (10 December 1815, London) was an English mathematician. She published notes on"
    " the Analytical Engine in 1843."
)
OURS = ("Kellan", "Osby", "Varn", "Ada Holm", "Orrin Light", "Skarra", "Linden tea", "Norland")
"""Names of the examples in halubot's prompts."""

SERVER = (
    *("--parallel", "1", "--ctx-size", "8192", "--predict", "256", "--threads", "1"),
    *("--threads-batch", "1", "--embeddings", "--pooling", "mean", "--cache-ram", "400"),
    *("--repeat-penalty", "1.1", "--repeat-last-n", "256"),
)
OTHERS = ("HALUBOT_", "XDG_")
"""How variables begin that would lead a command away from its empty home."""

BRIEFLY = "Answer in one short sentence."
STATUSES = {0, 1, 3}
SECONDS = 3_000
CALL_SECONDS = "600"


class Row(NamedTuple):
    """What one command took, how much of it was judged, and of how many judgings by a model that
    were put to the test how many were ignored."""

    command: str
    calls: int
    seconds: float
    judged: float
    judges: int
    ignored: int


_rows: list[Row] = []


class Served(NamedTuple):
    """The address of a server, and the home of the commands that call it."""

    address: str
    home: Path


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home that begins empty, for all commands."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def smollm(binary: Path, home: Path) -> Iterator[Served]:
    """The server."""
    with llama_server(binary, Path(WEIGHTS).resolve(), *SERVER) as address:
        yield Served(address, home)


def note(row: Row) -> None:
    """Keep a row, and write the table so far: a run that is broken off leaves it."""
    _rows.append(row)
    if target := os.environ.get("LLAMA_REPORT"):
        Path(target).write_text(table(_rows))


def table(rows: list[Row]) -> str:
    """The rows as a table of Markdown."""
    lines = ["| command | calls | seconds | judged | ignored |", "| --- | --- | --- | --- | --- |"]
    lines += [
        f"| {one.command} | {one.calls} | {one.seconds:.0f} | {one.judged:.0%} |"
        f" {f'{one.ignored / one.judges:.0%}' if one.judges else '-'} |"
        for one in rows
    ]
    return "\n".join(lines) + "\n"


def files(folder: Path, method: str) -> list[str]:
    """The samples and references that a method compares with, as options."""
    options = []
    if "samples" in get(method).needs:
        for number, text in enumerate(SAMPLES):
            sample = folder / f"sample-{number}.txt"
            sample.write_text(text)
            options += ["--sample", str(sample)]
    else:
        reference = folder / "reference.txt"
        reference.write_text(REFERENCE)
        options += ["--reference", str(reference)]
    return options


def run(server: Served, name: str, *words: str) -> dict[str, Any]:
    """The report of a command, which is honest."""
    options = ("--model", "openai/smollm2", "--api-base", server.address, "--timeout", CALL_SECONDS)
    env = {one: value for one, value in os.environ.items() if not one.startswith(OTHERS)}
    begun = time.monotonic()
    ended = subprocess.run(
        [sys.executable, "-m", "halubot", *words, *options, "--format", "json"],
        env={**env, "HOME": str(server.home), "OPENAI_API_KEY": ""},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert "Traceback" not in ended.stderr
    assert ended.returncode in STATUSES, ended.stderr
    report: dict[str, Any] = json.loads(ended.stdout)
    note(row(name, report, time.monotonic() - begun))
    assert_honest(report)
    assert_status(report, ended.returncode)
    return report


def row(name: str, report: dict[str, Any], seconds: float) -> Row:
    """What a report says of its run."""
    units = report["facts"] or report["sentences"]
    judged = sum(unit["verdict"] != "not_checked" for unit in units) / max(1, len(units))
    judges = [*judges_in(report.get("details"))]
    ignored = sum(judge["ignored"] for judge in judges)
    return Row(name, report["usage"]["calls"], seconds, judged, len(judges), ignored)


def judges_in(details: Any) -> Iterator[dict[str, Any]]:
    """What details say of judges, those of an ensemble's members too."""
    if isinstance(details, dict):
        if isinstance(judge := details.get("judge"), dict) and "ignored" in judge:
            yield judge
        for name, inner in details.items():
            if name != "judge":
                yield from judges_in(inner)


def assert_honest(report: dict[str, Any]) -> None:
    """Every verdict has what it needs, every place is one of its text, and no example of a prompt
    has become a fact."""
    text = report["text"]
    sources = {source["id"]: source for source in report["sources"]}
    assert report["schema"] == 1
    for unit in (*report["facts"], *report["sentences"]):
        if unit["verdict"] == "not_checked":
            assert unit["reason"]
        else:
            assert unit["score"] is not None
    for fact in report["facts"]:
        assert not any(name in " ".join(fact["triple"]) for name in OURS)
        assert all(0 <= start <= end <= len(text) for start, end in fact["spans"])
        for one in fact["evidence"]:
            if one["quote"]:
                shown = sources[one["source"]]["text"]
                assert shown is None or one["quote"] == shown[one["start"] : one["end"]]
    correction = report["correction"]
    if correction is not None:
        assert not any(name in correction["text"] for name in OURS)


def assert_status(report: dict[str, Any], status: int) -> None:
    """Nothing that was not checked looks like a pass."""
    if status == 0:
        units = (*report["facts"], *report["sentences"])
        assert {unit["verdict"] for unit in units} <= {"supported"}


@pytest.fixture
def message(tmp_path: Path) -> str:
    """A file with the text to check."""
    path = tmp_path / "message.txt"
    path.write_text(MESSAGE)
    return str(path)


@pytest.mark.parametrize("method", method_names())
def test_a_message_is_checked(smollm: Served, message: str, tmp_path: Path, method: str) -> None:
    compared = files(tmp_path, method)
    question = ("--question", QUESTION)
    report = run(
        smollm, f"check, `{method}`", "check", message, "--method", method, *question, *compared
    )
    assert report["text"] == MESSAGE
    assert report["method"] == method


def test_an_answer_is_streamed_and_checked(smollm: Served, nobody: Path) -> None:
    """What came piece by piece is the text of the report. Of an answer that came to repeat itself
    without end, as this model's often do, the text is what came before, and the report says so."""

    async def answered() -> tuple[list[str], Report]:
        run = halubot.start_asking(
            QUESTION,
            model="openai/smollm2",
            api_base=smollm.address,
            method="consensus",
            samples=list(SAMPLES),
            timeout=float(CALL_SECONDS),
        )
        pieces = [one.text async for one in run.events() if isinstance(one, AnswerToken)]
        return pieces, run.report

    begun = time.monotonic()
    pieces, report = asyncio.run(answered())
    shown = report.model_dump(mode="json")
    note(row("ask, `consensus`, streamed", shown, time.monotonic() - begun))
    assert len(pieces) > 1, report.problems
    whole, text = "".join(pieces).strip(), report.text.strip()
    stopped = any("repeated itself" in problem.why for problem in report.problems)
    assert text
    assert whole.startswith(text) if stopped else whole == text


def test_a_question_is_answered_and_checked(smollm: Served) -> None:
    """Ten samples wait for the one slot, and none is lost."""
    name = "ask, `consensus`, 10 samples"
    options = ("--method", "consensus", "--n-samples", "10", "--system", BRIEFLY)
    report = run(smollm, name, "ask", QUESTION, *options)
    assert report["text"]
    drawn = [source for source in report["sources"] if source["kind"] == "sample"]
    assert len(drawn) == 10, report["problems"]


def test_a_message_is_corrected(smollm: Served, message: str, tmp_path: Path) -> None:
    name = "correct, `cascade`"
    report = run(
        smollm, name, "correct", message, "--question", QUESTION, *files(tmp_path, "cascade")
    )
    assert report["correction"]


def test_a_small_context_is_enough(binary: Path, home: Path, tmp_path: Path) -> None:
    message = tmp_path / "long.txt"
    message.write_text(" ".join([MESSAGE, *SAMPLES, REFERENCE, MESSAGE.replace("Ada", "Eve")]))
    small = (*SERVER[:2], "--ctx-size", "2048", *SERVER[4:])
    compared = ("--question", QUESTION, *files(tmp_path, "cascade"))
    with llama_server(binary, Path(WEIGHTS).resolve(), *small) as address:
        name = "check, `cascade`, a context of 2,048 tokens"
        report = run(Served(address, home), name, "check", str(message), *compared)
    assert report["usage"]["calls"] <= 12
    assert not any("longer than the model" in one["why"] for one in report["problems"])
