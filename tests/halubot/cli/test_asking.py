"""`ask`: an answer that can be read as it is written, and its report."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from halubot import Report
from halubot.cli.output import Live
from tests.halubot.cli.calling import WRONG, Halubot
from tests.judge import Judge

LOCAL = ("--model", "openai/tiny", "--api-base", "http://127.0.0.1:9/v1")
QUESTION = "Who was Ada Lovelace?"


def test_the_answer_is_checked(halubot: Halubot, files: Path, judge: Judge) -> None:
    ended = halubot("ask", QUESTION, *LOCAL, "--format", "json")
    report = Report.model_validate_json(ended.out)
    assert (ended.status, ended.err) == (1, "")
    assert report.text == WRONG
    assert report.question is not None
    assert (report.question.text, report.question.origin) == (QUESTION, "given")
    assert report.models.answer == "openai/tiny"


def test_an_answer_without_a_fact_is_no_pass(halubot: Halubot, files: Path, judge: Judge) -> None:
    judge.answer = "I'm sorry, but I can't help with that."
    judge.samples = [judge.answer] * 20
    ended = halubot("ask", QUESTION, *LOCAL)
    assert ended.status == 3
    assert "No fact was found to check" in ended.out
    assert "doubted\n" not in ended.out
    (files / "sorry.txt").write_text(judge.answer)
    assert halubot("check", "sorry.txt", "--sample", "sorry.txt").status == 3


@pytest.mark.parametrize("words", [QUESTION.split(), [QUESTION], ["-"], []])
def test_the_question_may_be_words_or_piped_in(
    halubot: Halubot, files: Path, judge: Judge, words: list[str]
) -> None:
    ended = halubot("ask", *words, *LOCAL, "--format", "json", stdin=f"{QUESTION}\n".encode())
    assert json.loads(ended.out)["question"]["text"] == QUESTION
    assert {one.words for one in judge.asked if one.prompt == "answer"} == {QUESTION}


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ([QUESTION], "asking needs a model: name one with --model"),
        ([" "], "question is empty"),
        ([*LOCAL], "question is empty"),
        ([QUESTION, "--model", "openai/gpt-4o", "--offline"], "--offline"),
        ([QUESTION, *LOCAL, "--method", "consenus"], "did you mean 'consensus'?"),
        ([QUESTION, *LOCAL, "--output", "no/such/folder"], "cannot write"),
    ],
)
def test_what_it_refuses_ends_with_2_and_one_line(
    halubot: Halubot, files: Path, judge: Judge, args: list[str], said: str
) -> None:
    ended = halubot("ask", *args)
    assert (ended.status, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert said in ended.err
    assert not judge.asked


class TestLive:
    """What a terminal is sent of a text that comes in pieces."""

    @pytest.mark.parametrize(
        ("pieces", "printed"),
        [
            (["One ", "two."], "One two.\n\n"),
            (["a\r", "\nb"], "a\nb\n\n"),
            (["a\r", "b\r"], "a\nb\n\n"),
            (["\x1b[31m[bold]red[/bold]"], "␛[31m[bold]red[/bold]\n\n"),
            (["\ud800", "\u202e"], "\ufffd\ufffd\n\n"),
            ([], ""),
        ],
    )
    def test_it_commands_no_terminal(
        self, capsys: pytest.CaptureFixture[str], pieces: list[str], printed: str
    ) -> None:
        live = Live()
        for piece in pieces:
            live.write(piece)
        live.end()
        live.end()
        assert capsys.readouterr().out == printed


SCRIPTED = """
import os, signal, sys
from collections.abc import AsyncGenerator
import halubot.models.server_model as door
from halubot.cli import main
from halubot.models.model_errors import UnreachableError
from halubot.testing import ScriptedModel
from tests.judge import Judge

signal.signal(signal.SIGINT, signal.default_int_handler)
HOW = sys.argv.pop(1)

class Door(ScriptedModel):
    def __init__(self, name, api_base=None):
        text = "Ada [red]was\\x1b born in 1816. " + "She wrote. " * 3
        samples = ["Ada was born in 1815. She wrote. So it is."]
        super().__init__(Judge(answer=text, samples=samples), name=name, endpoint="127.0.0.1:9")

    async def stream(self, request):
        pieces = [piece async for piece in super().stream(request)]
        if HOW == "refused":
            raise self.failure("nobody answers there")
        for piece in pieces[:3]:
            yield piece
        if HOW == "interrupted":
            os.kill(os.getpid(), signal.SIGINT)
        if HOW == "broken":
            error = self.failure("the connection broke")
            raise error
        for piece in pieces[3:]:
            yield piece

    def failure(self, why):
        return UnreachableError(why, "try again", model=self.name, endpoint=self.endpoint)

door.ServerModel = Door
sys.exit(main([*sys.argv[1:]]))
"""


def scripted(folder: Path, how: str, *args: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-c", SCRIPTED, how, "ask", QUESTION, "--model", "openai/tiny"]
    return subprocess.run(
        [*command, *args],
        capture_output=True,
        check=False,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.getcwd()},
    )


@pytest.mark.slow
def test_a_broken_answer_is_checked_as_far_as_it_came(tmp_path: Path) -> None:
    ended = scripted(tmp_path, "broken", "--format", "json")
    report = Report.model_validate_json(ended.stdout)
    assert report.text.startswith("Ada [red]was")
    assert "the answer broke off" in {problem.what for problem in report.problems}
    assert b"the answer broke off: openai/tiny at 127.0.0.1:9" in ended.stderr
    assert ended.returncode in (0, 1, 3)


@pytest.mark.slow
def test_ctrl_c_keeps_what_was_written(tmp_path: Path) -> None:
    ended = scripted(tmp_path, "interrupted", "--format", "json")
    report = Report.model_validate_json(ended.stdout)
    assert ended.returncode == 130
    assert report.text.startswith("Ada [red]was")
    assert report.question is not None
    assert ended.stderr.decode().splitlines()[-1] == (
        "halubot: interrupted: this is what was known by then"
    )


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="pseudo-terminals are POSIX")
def test_at_a_terminal_the_answer_stands_above_its_report(tmp_path: Path) -> None:
    import pty

    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", SCRIPTED, "whole", "ask", QUESTION, "--model", "openai/tiny"]
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.getcwd(), "TERM": "xterm", "NO_COLOR": "1"},
    ) as process:
        os.close(theirs)
        printed = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # the other end was closed
                break
            if not piece:
                break
            printed += piece
        os.close(ours)
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", printed.decode())
    streamed, _, report = plain.partition("\r\n\r\n")
    assert process.returncode == 1
    assert "Ada [red]was␛ born in 1816. She wrote." in streamed
    assert QUESTION in report
    assert "1816" in report
