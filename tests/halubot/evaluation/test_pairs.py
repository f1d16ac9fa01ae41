"""Sentence pairs: what is flagged and what is left alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from halubot.errors import BrokenLineError
from halubot.evaluation import pairs
from halubot.evaluation.checked import Scored
from halubot.evaluation.dataset_files import read_rows
from halubot.evaluation.judged import Judged, JudgedFact, JudgedSentence
from halubot.evaluation.pairs import PAIRS
from halubot.evaluation.rows import Row
from halubot.report import Verdict

FOLDER = Path(__file__).parents[3] / "benchmarks"


def pair(gold: float, verdict: Verdict, kind: str = "number") -> Scored:
    facts = (JudgedFact(((0, 1),), (0,), verdict),)
    judged = Judged(facts, (JudgedSentence((0, 1), verdict),))
    return Scored(Row("1", "x", (gold,), strata={"kind": kind, "language": "de"}), judged=judged)


def test_errors_flagged_and_right_pairs_left_alone() -> None:
    rows = [
        pair(1, "contradicted"),
        pair(1, "doubtful"),
        pair(1, "supported", "name"),
        pair(1, "not_checked", "name"),
        pair(0, "supported"),
        pair(0, "not_checked"),
        pair(0, "doubtful"),
    ]
    found = {name: metric.value for name, metric in pairs.measure(rows).items()}
    assert (found["flagged"], found["contradicted"], found["called_supported"]) == (0.5, 0.25, 0.25)
    assert found["left_alone"] == pytest.approx(2 / 3)
    assert found["right_supported"] == pytest.approx(1 / 3)
    assert (found["flagged: kind number"], found["flagged: kind name"]) == (1, 0)
    assert found["flagged: language de"] == 0.5
    assert "contradicted: kind number" not in found


@pytest.mark.parametrize(
    ("name", "rows", "errors"),
    [
        ("pairs", 150, 100),
        ("pairs_languages", 100, 50),
        ("pairs_languages_2", 100, 50),
        ("pairs_languages_3", 60, 30),
    ],
)
def test_the_committed_pairs_can_be_read(name: str, rows: int, errors: int) -> None:
    found = read_rows(PAIRS, FOLDER / f"{name}.jsonl")
    assert len(found) == len({row.id for row in found}) == rows
    assert sum(row.gold == (1.0,) for row in found) == errors
    assert all(row.strata["kind"] and len(row.references) == 1 for row in found)


def test_a_pair_without_a_label_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    fact = {"triple": ["a", "b", "c"], "spans": [[0, 1]], "label": "right"}
    path.write_text(json.dumps({"text": "x", "facts": [fact]}), encoding="utf-8")
    with pytest.raises(BrokenLineError, match="'label', one of right, hallucinated"):
        read_rows(PAIRS, path)
