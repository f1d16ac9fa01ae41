"""Rows of anybody's own: the three kinds of labels, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from halubot.errors import BrokenLineError
from halubot.evaluation.rows import OWN, LabelledFact, Row, read_rows
from halubot.report import Triple

TEXT = "Ada wrote notes. She sang."
FACT = {"triple": ["Ada", "wrote", "notes"], "spans": [[0, 15]], "label": "wrong"}


def read(tmp_path: Path, *records: dict[str, Any]) -> tuple[Row, ...]:
    path = tmp_path / "own.jsonl"
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    return read_rows(OWN, path)


def test_a_text_with_a_label_and_nothing_else(tmp_path: Path) -> None:
    rows = read(tmp_path, {"text": TEXT, "label": "right"}, {"text": TEXT, "label": "hallucinated"})
    assert [(row.id, row.gold, row.sentences) for row in rows] == [
        ("1", (0.0,), None),
        ("2", (1.0,), None),
    ]


def test_every_field(tmp_path: Path) -> None:
    given = {
        "id": 7,
        "group": "g",
        "question": "Who?",
        "subject": "Ada",
        "samples": ["a b"],
        "references": ["c d", "e"],
        "changes": ["left alone"],
    }
    (row,) = read(
        tmp_path,
        {
            **given,
            "text": TEXT,
            "sentences": ["Ada wrote notes.", "She sang."],
            "labels": ["right", "hallucinated"],
        },
    )
    assert (row.id, row.group, row.question, row.subject) == ("7", "g", "Who?", "Ada")
    assert (row.samples, row.references) == (("a b",), ("c d", "e"))
    assert (row.gold, row.sentences) == ((0.0, 1.0), ("Ada wrote notes.", "She sang."))


def test_labelled_facts(tmp_path: Path) -> None:
    (row,) = read(tmp_path, {"text": TEXT, "facts": [FACT]})
    fact = LabelledFact(Triple("Ada", "wrote", "notes"), ((0, 15),), wrong=True)
    assert (row.gold, row.labelled) == ((), (fact,))


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"text": " "}, "'text', a text"),
        ({"label": None}, "one of them only"),
        ({"facts": [FACT]}, "one of them only"),
        ({"label": "wrong"}, "one of right, hallucinated"),
        ({"samples": ["a", ""]}, "'samples', a list of texts"),
        ({"references": "a"}, "'references', a list of texts"),
        ({"question": 3}, "'question', a text"),
        ({"label": None, "labels": ["right"]}, "'sentences', a list of texts"),
        ({"label": None, "labels": ["right"], "sentences": ["a", "b"]}, "for each sentence"),
        ({"label": None, "facts": []}, "at least one fact"),
        ({"label": None, "facts": [{**FACT, "triple": ["a", "b"]}]}, "three texts"),
        ({"label": None, "facts": [{**FACT, "spans": [[0, 999]]}]}, "pairs of offsets"),
        ({"label": None, "facts": [{**FACT, "spans": [[True, 2]]}]}, "pairs of offsets"),
        ({"label": None, "facts": [{**FACT, "label": "hallucinated"}]}, "right or wrong"),
    ],
)
def test_a_wrong_line_is_named(changed: dict[str, Any], why: str, tmp_path: Path) -> None:
    right = {"text": TEXT, "label": "right"}
    with pytest.raises(BrokenLineError, match="line 2") as caught:
        read(tmp_path, right, {**right, **changed})
    assert why in str(caught.value)
