"""Sentence pairs: what is flagged and what is left alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from halubot.errors import BrokenLineError, InputError
from halubot.evaluation import measures, pairs
from halubot.evaluation.checked import Judged, JudgedFact, JudgedSentence, Scored, ScoredFact
from halubot.evaluation.pairs import MADE, PAIRS
from halubot.evaluation.plan import Plan
from halubot.evaluation.rows import Row, read_file, read_rows
from halubot.evaluation.runner import run
from halubot.evaluation.synthesis.data_files import Recipe, make_file
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


TEXT = "Ada was born in 1816. She wrote notes. She sang."


ROW: dict[str, Any] = {
    "id": "1-hallucinated",
    "text": TEXT,
    "label": "hallucinated",
    "references": ["Ada was born in 1815."],
    "triples": [["Ada", "was born in", "1816"], ["Ada", "wrote", "notes"], ["Ada", "sang", ""]],
    "triple_spans": [[[0, 20]], [[22, 37]], [[39, 47]]],
    "changed_triples": [0, 2],
    "changed_kinds": ["date", "fabrication"],
}


RIGHT = {"text": "Ada sang.", "label": "right", "references": ["Ada sang."]}


def written(path: Path, *records: dict[str, Any]) -> Path:
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    return path


def test_the_triples_of_a_changed_text_are_the_units(tmp_path: Path) -> None:
    found = read_file(MADE, written(tmp_path / "d.jsonl", RIGHT, ROW))
    (row,) = found.rows
    assert found.left_out == 1
    assert row.gold == ()
    assert row.references == ("Ada was born in 1815.",)
    assert [(f.triple[2], f.wrong, f.kind, f.spans) for f in row.labelled] == [
        ("1816", True, "date", ((0, 20),)),
        ("notes", False, "", ((22, 37),)),
        ("", True, "fabrication", ((39, 47),)),
    ]


def test_without_places_and_kinds_the_whole_text_is_the_place(tmp_path: Path) -> None:
    bare = {name: ROW[name] for name in ROW if name not in ("triple_spans", "changed_kinds")}
    (row,) = read_file(MADE, written(tmp_path / "d.jsonl", bare)).rows
    assert {fact.spans for fact in row.labelled} == {((0, len(TEXT)),)}
    assert [(fact.wrong, fact.kind) for fact in row.labelled] == [
        (True, ""),
        (False, ""),
        (True, ""),
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        {"triples": [["a", "b"]] * 3},
        {"triples": ["abc"] * 3},
        {"triples": {}},
        {"changed_triples": ["0", "2"]},
        {"changed_triples": None},
        {"changed_triples": [0, 3]},
        {"changed_kinds": ["date"]},
        {"changed_kinds": ["date", 2]},
        {"triple_spans": [[[0, 99]], [], []]},
        {"triple_spans": [7, [], []]},
    ],
)
def test_what_is_no_such_row_is_refused(wrong: dict[str, Any], tmp_path: Path) -> None:
    path = written(tmp_path / "d.jsonl", ROW | wrong)
    with pytest.raises(BrokenLineError, match=f"line 1: made needs a field '{next(iter(wrong))}'"):
        read_file(MADE, path)


def test_a_file_without_triples_holds_nothing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no rows"):
        read_file(MADE, written(tmp_path / "d.jsonl", RIGHT))


def test_sensitivity_by_kind_is_worked_out_by_hand(tmp_path: Path) -> None:
    rows = read_file(MADE, written(tmp_path / "d.jsonl", ROW, ROW | {"id": "2"})).rows
    said: list[list[float | None]] = [[0.9, 0.1, 0.2], [0.4, 0.7, None]]
    scored = [
        Scored(row, facts=tuple(ScoredFact(score is not None, score) for score in scores))
        for row, scores in zip(rows, said, strict=True)
    ]
    found = {name: one.value for name, one in measures.of_dataset("made", scored, 0.5).items()}
    # A triple that was not found has no score, and counts 0.5.
    assert found["sensitivity"] == 2 / 4
    assert found["specificity"] == 1 / 2
    assert found["balanced_accuracy"] == 1 / 2
    assert found["sensitivity: date"] == 1 / 2
    assert found["sensitivity: fabrication"] == 1 / 2


def test_what_is_made_by_rule_can_be_measured(tmp_path: Path) -> None:
    source = {
        "text": "Ada Weir was born on 3 May 1828. She wrote 40 songs. Her mother taught music."
    }
    lines = written(tmp_path / "in.jsonl", {**source, "references": [source["text"]]})
    made = tmp_path / "made.jsonl"
    make_file(lines, made, Recipe("changes", most=4))
    found = run(Plan("made", made, "consensus"))
    kinds = [name for name in found.metrics if name.startswith("sensitivity: ")]
    assert "sensitivity: number" in kinds
    assert len(kinds) == 2
    assert found.metrics["sensitivity"] == 1
    assert found.baselines["all_positive"].metrics["specificity"] == 0
    assert found.baselines["all_negative"].metrics["sensitivity"] == 0
