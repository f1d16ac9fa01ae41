"""Medical answers and their changed copies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from halubot.errors import BrokenLineError
from halubot.evaluation.datasets import DATASETS
from halubot.evaluation.rows import Row, read_rows

MEDQUAD: dict[str, Any] = {
    "id": "m1",
    "question": "How common is it?",
    "answer": "It affects 1 in 40,000 people.",
    "focus": "left alone",
}
PUBMEDQA: dict[str, Any] = {
    "id": "p1",
    "question": "Does it help?",
    "context": ["It was given to 20 patients.", "It helped 15 of them."],
    "answer": "It helps 15 of 20 patients.",
    "decision": "yes",
}


def read(tmp_path: Path, name: str, *records: dict[str, Any]) -> tuple[Row, ...]:
    path = tmp_path / "d.jsonl"
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    return read_rows(DATASETS[name], path)


@pytest.mark.parametrize(
    ("name", "record", "references"),
    [
        ("medquad", MEDQUAD, (MEDQUAD["answer"],)),
        ("pubmedqa", PUBMEDQA, tuple(PUBMEDQA["context"])),
    ],
)
def test_an_answer_stands_beside_its_changed_copy(
    name: str, record: dict[str, Any], references: tuple[str, ...], tmp_path: Path
) -> None:
    right, copy = rows = read(tmp_path, name, record)
    assert (right.text, right.gold, copy.gold) == (record["answer"], (0.0,), (1.0,))
    assert copy.text != right.text
    assert {row.group for row in rows} == {record["id"]}
    assert {row.references for row in rows} == {references}
    assert {row.question for row in rows} == {record["question"]}
    assert len({row.id for row in rows}) == 2
    # The copy depends on the row alone, and not on those before it.
    first = record | {"id": "other", "answer": "It affects 3 in 7 people."}
    assert read(tmp_path, name, first, record)[2:] == rows


def test_where_nothing_can_be_changed_there_is_no_copy(tmp_path: Path) -> None:
    (right,) = read(tmp_path, "medquad", MEDQUAD | {"answer": "Nobody knows."})
    assert right.gold == (0.0,)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [("medquad", {"answer": " "}), ("medquad", {"question": None}), ("pubmedqa", {"context": []})],
)
def test_what_is_no_such_record_is_refused(
    name: str, wrong: dict[str, Any], tmp_path: Path
) -> None:
    record = {"medquad": MEDQUAD, "pubmedqa": PUBMEDQA}[name]
    with pytest.raises(BrokenLineError, match=f"{name} needs a field '{next(iter(wrong))}'"):
        read(tmp_path, name, record | wrong)
