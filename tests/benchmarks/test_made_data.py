"""Answers with planted errors, and the figures of the match of triples."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.make_errors import KINDS, make
from benchmarks.triples import DEVELOPMENT, TESTS, Labelled, frequencies, precision_and_recall
from halubot.report import Triple
from halubot.testing import ScriptedModel

TEXT = "The bridge was opened in 1931. It is of granite."
ROW = {"id": "7", "question": "What of the bridge?", "references": [TEXT], "text": TEXT}


def made(answer: dict[str, Any] | str) -> list[dict[str, Any]]:
    model = ScriptedModel(lambda _: answer if isinstance(answer, str) else json.dumps(answer))
    return asyncio.run(make(model, ROW, KINDS, 0.2, 0.5))


def test_the_right_answer_and_its_changed_copy() -> None:
    copy = TEXT.replace("1931", "1932")
    changes = [
        {"kind": "temporal", "before": "1931", "after": "1932"},
        {"kind": "factual", "before": "granite", "after": "marble"},  # not in the copy
    ]
    right, wrong = made({"answer": copy, "changes": changes})
    assert (right["text"], right["label"]) == (TEXT, "right")
    assert (wrong["text"], wrong["label"], wrong["group"]) == (copy, "hallucinated", "7")
    (error,) = wrong["errors"]
    assert copy[error["start"] : error["end"]] == error["wrong"] == "1932"
    assert (error["right"], error["kind"]) == ("1931", "temporal")


@pytest.mark.parametrize("answer", ["no JSON", {"answer": TEXT, "changes": []}])
def test_a_copy_without_changes_is_no_row(answer: Any) -> None:
    assert made(answer) == []


def test_frequencies_rank_what_other_answers_hold() -> None:
    held = Labelled(Triple("The bridge", "was opened in", "1931"), True)
    alone = Labelled(Triple("The bridge", "was designed by", "Bo Lind"), False)
    for way in ("exact", "fuzzy", None):
        units = list(frequencies([[[held, alone], [held], [held]]], way))
        assert [unit.wrong for unit in units] == [False, True, False, False]
        scores = [unit.score or 0.0 for unit in units]
        assert scores[0] < 0.01
        assert scores[1] > 0.3


def test_pairs_are_counted(tmp_path: Path) -> None:
    same, other = ["Ada", "was born in", "Ulm"], ["Ada", "was born in", "Bern"]
    path = tmp_path / "pairs.jsonl"
    pairs = [{"same": True, "a": same, "b": same}, {"same": True, "a": same, "b": other}]
    path.write_text("".join(json.dumps(one) + "\n" for one in pairs))
    assert precision_and_recall(path, "exact") == (1.0, 0.5)
    assert all(path.is_file() for path in (*DEVELOPMENT.values(), *TESTS.values()))
