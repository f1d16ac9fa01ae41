"""A stream whose writer waits for each line's report before it writes the next."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path

import pytest

from halubot.batch import Line, Tally, check_file
from halubot.batch._files import Arrivals, arrivals
from halubot.inputs import Options
from halubot.testing import ScriptedModel
from tests.judge import ANSWER, Judge

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such pipes")


def raw(number: int) -> bytes:
    return json.dumps({"text": ANSWER, "question": f"Who was {number}?"}).encode() + b"\n"


@pytest.mark.parametrize("at_once", [1, 4])
def test_a_line_is_written_before_the_next_one_comes(tmp_path: Path, at_once: int) -> None:
    reading, writing = os.pipe()
    out = io.BytesIO()

    def watch(line: Line) -> None:
        if line.place == 3:
            os.close(writing)
        else:  # half a line first
            os.write(writing, raw(line.place)[:9])
            os.write(writing, raw(line.place)[9:])

    os.write(writing, raw(0))
    model = ScriptedModel(Judge())
    with os.fdopen(reading, "rb") as source:
        tally = check_file(
            source,
            out,
            options=Options(model=model, store=tmp_path / "store", n_samples=2),
            at_once=at_once,
            watch=watch,
        )
    assert tally == Tally(checked=3)
    assert len(out.getvalue().splitlines()) == 3


def test_what_a_pipe_holds_is_known_without_a_wait() -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as source:
        lines = arrivals(source)
        assert isinstance(lines, Arrivals)
        assert not lines.is_ready()
        os.write(writing, b"one\ntwo\nthr")
        assert lines.is_ready()
        assert [next(lines), next(lines)] == [b"one\n", b"two\n"]
        assert not lines.is_ready()
        os.write(writing, b"ee")
        os.close(writing)
        assert lines.is_ready()
        assert list(lines) == [b"three"]
        assert lines.is_ready()


def test_files_need_no_wait(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_bytes(b"one\n")
    with path.open("rb") as file:
        assert arrivals(file) is None
    assert arrivals(io.BytesIO(b"one\n")) is None
