"""Answers without the texts they rest on: which become rows, and what they are compared with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from halubot.errors import BrokenLineError, SettingError
from halubot.evaluation.datasets import DATASETS, with_correct
from halubot.evaluation.rows import Reading, read_file

TRUE = {
    "id": "t1",
    "question": "What happens if you eat seeds?",
    "best_answer": "They pass through you",
    "best_incorrect": "You grow melons",
    "correct": ["they pass through you.", "Nothing happens", "You eat seeds"],
}
JUDGED = {
    "id": "j1",
    "question": "what happens if you eat seeds?",
    "answer": "Nothing happens.",
    "label": "right",
}


def written(path: Path, *records: dict[str, Any]) -> Path:
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    return path


def read(name: str, tmp_path: Path, *records: dict[str, Any]) -> Reading:
    return read_file(DATASETS[name], written(tmp_path / f"{name}.jsonl", *records))


def test_no_answer_of_truthfulqa_is_compared_with_itself(tmp_path: Path) -> None:
    rows, left_out = read("truthfulqa", tmp_path, TRUE)
    assert [(row.id, row.text, row.gold) for row in rows] == [
        ("t1-right", "They pass through you", (0.0,)),
        ("t1-wrong", "You grow melons", (1.0,)),
    ]
    assert {row.references for row in rows} == {("Nothing happens", "You eat seeds")}
    assert {row.group for row in rows} == {"t1"}
    assert left_out == 0


def test_questions_with_one_correct_answer_are_left_out_and_counted(tmp_path: Path) -> None:
    alone = {**TRUE, "correct": [TRUE["best_answer"]]}
    rows, left_out = read("truthfulqa", tmp_path, {**TRUE, "best_incorrect": None}, alone)
    assert [row.id for row in rows] == ["t1-right"]
    assert left_out == 1


def test_judged_answers_get_the_correct_ones_of_their_question(tmp_path: Path) -> None:
    other = {**JUDGED, "id": "j2", "question": "Who?"}
    rows = read("truthfulqa_judged", tmp_path, JUDGED, other, {**JUDGED, "answer": " "}).rows
    joined = with_correct(rows, written(tmp_path / "t.jsonl", TRUE))
    assert [(row.id, row.references) for row in joined] == [
        ("j1", ("they pass through you.", "You eat seeds")),
        ("j2", ()),
    ]
    with pytest.raises(SettingError, match="answers none of the questions"):
        with_correct(rows[1:], written(tmp_path / "t.jsonl", TRUE))


def test_a_broken_line_of_the_other_file_is_named(tmp_path: Path) -> None:
    rows = read("truthfulqa_judged", tmp_path, JUDGED).rows
    with pytest.raises(BrokenLineError, match="truthfulqa needs a field 'correct'"):
        with_correct(rows, written(tmp_path / "t.jsonl", {**TRUE, "correct": "yes"}))


@pytest.mark.parametrize("label", [1, "true", None, ["S"], "s"])
def test_labels_of_claims_are_those_of_the_data_set(label: object, tmp_path: Path) -> None:
    claim = {"text": "Ada wrote.", "label": label}
    with pytest.raises(BrokenLineError, match="one of true, false, unknown"):
        read("factbench", tmp_path, {"id": "b", "question": "Who?", "claims": [claim]})
    record = {"id": "c", "question": "Who?", "topic": "Ada", "sentences": [{"facts": [claim]}]}
    with pytest.raises(BrokenLineError, match="one of s, ns, ir"):
        read("factscore", tmp_path, record)


def test_answers_without_a_claim_that_takes_a_side_are_left_out(tmp_path: Path) -> None:
    some = {"id": "b", "question": "Who?", "claims": [{"text": "Ada.", "label": True}]}
    none = {**some, "claims": [{"text": "Ada.", "label": "unknown"}]}
    assert read("factbench", tmp_path, some, none).left_out == 1
