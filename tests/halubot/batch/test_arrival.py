"""A stream whose writer waits for each line's report before it writes the next."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path

import pytest

from halubot.batch import Line, Tally, check_file
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
