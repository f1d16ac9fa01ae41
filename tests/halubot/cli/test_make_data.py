"""`halubot make-data`: what it takes, says and ends with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.halubot.cli.calling import RIGHT, Halubot


@pytest.fixture
def source(files: Path) -> Path:
    path = files / "in.jsonl"
    path.write_text(json.dumps({"text": RIGHT}) + "\n" + json.dumps({"text": "Oh"}) + "\n")
    return path


def test_it_makes_rows_without_a_model_and_says_what_gave_none(
    halubot: Halubot, source: Path
) -> None:
    ended = halubot("make-data", "changes", source, "out.jsonl", "--changes", "2")
    assert ended.status == 0
    assert ended.out == (
        "2 rows in out.jsonl: of 1 record made now, 0 there before; 1 gave nothing\n"
    )
    assert "2: it holds no number, date, name or negation" in ended.err


def test_a_second_time_the_same_is_there(halubot: Halubot, source: Path, files: Path) -> None:
    halubot("make-data", "changes", source, "out.jsonl", "--format", "json")
    before = (files / "out.jsonl").read_bytes()
    ended = halubot("make-data", "changes", source, "out.jsonl", "--format", "json")
    assert json.loads(ended.out)["rows"] == 2
    assert (files / "out.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["negated", "in.jsonl", "out.jsonl"], "negated needs a model"),
        (["negated", "in.jsonl", "out.jsonl", "--dry-run"], "negated needs a model"),
        (["changes", "none.jsonl", "out.jsonl"], "there is no such file"),
        (["changes", "in.jsonl", "in.jsonl"], "name another file"),
        (["wishes", "in.jsonl", "out.jsonl"], "wishes"),
        (["changes", "in.jsonl", "out.jsonl", "--changes", "0"], "0"),
    ],
)
def test_wrong_usage_ends_in_one_line(
    halubot: Halubot, source: Path, words: list[str], why: str
) -> None:
    ended = halubot("make-data", *words)
    assert (ended.status, ended.out) == (2, "")
    assert why in ended.err
    assert ended.err.count("\n") == 1


def test_a_dry_run_calls_and_writes_nothing(halubot: Halubot, source: Path, files: Path) -> None:
    asked = ("make-data", "negated", source, "out.jsonl", "--model", "openai/gpt-4o", "--dry-run")
    ended = halubot(*asked, "--format", "json")
    assert (ended.status, json.loads(ended.out)["calls"]) == (0, 2)
    assert "nothing was called" in halubot(*asked).out
    assert not (files / "out.jsonl").exists()
