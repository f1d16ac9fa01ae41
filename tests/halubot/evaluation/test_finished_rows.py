"""Rows that are kept: whole lines are found again, anything else is done again or refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from halubot.errors import InputError, SettingError
from halubot.evaluation.checked import (
    Corrected,
    Judged,
    JudgedEdit,
    JudgedFact,
    JudgedSentence,
    Scored,
    ScoredFact,
    ScoredSentence,
)
from halubot.evaluation.finished_rows import HEAD, Outcome, Work, key_of
from halubot.evaluation.rows import Row
from halubot.report import Triple, Usage

ROW = Row("1", "Ada wrote.", (1.0,), samples=("Ada sang.",))
OUTCOME = Outcome(
    Scored(
        ROW,
        score=1 / 3,
        rank=0.25,
        probability=0.1,
        sentences=(ScoredSentence((0, 10), 1 / 3, None, 0.1),),
        facts=(ScoredFact(True, 0.25), ScoredFact(found=False)),
        judged=Judged(
            (JudgedFact(((0, 3), (4, 9)), (0,), "doubtful", 0.5),),
            (JudgedSentence((0, 10), "not_checked", "nothing speaks of it"),),
            Corrected("Ada sang.", (JudgedEdit((4, 9), "wrote", "sang", "changed"),)),
        ),
        triples=(Triple("Ada", "wrote", "ü"),),
        paired=(True,),
    ),
    usage=Usage(calls=2, cost_usd=0.5, seconds=0.25),
    problems=("a sample was short",),
    details={"bias": {"yes_share": 0.5}},
    fitted_on="some data",
)


def kept(path: Path, key: str = "k", row: Row = ROW) -> Outcome | None:
    with Work(path) as work:
        return work.find_outcome(key, row)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "work.jsonl"
    with Work(path) as work:
        work.keep("k", OUTCOME)
    return path


def test_what_was_kept_comes_back_the_same(path: Path) -> None:
    assert kept(path) == OUTCOME
    assert kept(path, "other") is None


def test_a_last_line_that_was_half_written_is_dropped(path: Path) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"key": "l", "sco')
    assert kept(path) == OUTCOME
    assert path.read_bytes() == whole


@pytest.mark.parametrize("cut", range(len(HEAD)))
def test_a_file_cut_in_its_first_line_begins_anew(cut: int, tmp_path: Path) -> None:
    path = tmp_path / "work.jsonl"
    path.write_bytes(HEAD[:cut])
    with Work(path) as work:
        work.keep("k", OUTCOME)
    assert kept(path) == OUTCOME


@pytest.mark.parametrize(
    "line", [b"\xff{", b"[1]", b'{"key": "k"}', b'{"key": 3}', b'{"key": "k", "score": "x"}']
)
def test_a_damaged_line_is_a_row_still_to_do(line: bytes, path: Path) -> None:
    path.write_bytes(HEAD + line + b"\n")
    assert kept(path) is None


def test_another_file_is_never_written_to(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Dear diary", encoding="utf-8")
    with pytest.raises(SettingError, match="holds no rows of a benchmark"):
        Work(path)
    assert path.read_text(encoding="utf-8") == "Dear diary"
    with pytest.raises(InputError, match="it is a folder"):
        Work(tmp_path)


def test_without_a_file_nothing_is_kept() -> None:
    with Work(None) as work:
        work.keep("k", OUTCOME)
        assert work.find_outcome("k", ROW) is None


def test_the_key_hangs_on_the_row_and_on_all_that_decides() -> None:
    key = key_of(ROW, {"method": "a", "options": {"x": 1}})
    assert key == key_of(replace(ROW, gold=()), {"options": {"x": 1}, "method": "a"})
    others = [
        key_of(replace(ROW, text="Ada sang."), {"method": "a", "options": {"x": 1}}),
        key_of(replace(ROW, samples=()), {"method": "a", "options": {"x": 1}}),
        key_of(ROW, {"method": "b", "options": {"x": 1}}),
        key_of(ROW, {"method": "a", "options": {"x": 2}}),
    ]
    assert len({key, *others}) == 5
