"""Everyday messages: what is read, and every figure on cases small enough to work out by hand."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from halubot.errors import BrokenLineError, SettingError
from halubot.evaluation import everyday
from halubot.evaluation.checked import (
    Corrected,
    Judged,
    JudgedEdit,
    JudgedFact,
    JudgedSentence,
    Scored,
    ScoredSentence,
)
from halubot.evaluation.everyday import EVERYDAY
from halubot.evaluation.plan import Plan
from halubot.evaluation.rows import PlantedError, Row, read_rows
from halubot.evaluation.runner import run
from halubot.report import Action, Span, Verdict

TEXT = "The bridge was opened in 1894 after eight years. It spans the Thames."
FIRST, SECOND = (0, 48), (49, 69)
YEAR, RIVER = (25, 29), (62, 68)
RECORD = {
    "id": "b1",
    "group": "b",
    "style": "ency",
    "text": TEXT,
    "samples": ["It opened in 1895."],
    "references": ["The bridge was opened in 1895 after eight years. It spans the Thames."],
    "errors": [{"start": 25, "end": 29, "wrong": "1894", "right": "1895", "kind": "date"}],
}


def read(tmp_path: Path, *records: dict[str, Any]) -> tuple[Row, ...]:
    path = tmp_path / "everyday.jsonl"
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    return read_rows(EVERYDAY, path)


def error(span: Span = YEAR, right: str = "1895", kind: str = "date") -> PlantedError:
    return PlantedError(span, TEXT[slice(*span)], right, kind)


def fact(
    *spans: Span, verdict: Verdict = "doubtful", sentence: int = 0, probability: float | None = None
) -> JudgedFact:
    return JudgedFact(spans, (sentence,), verdict, probability)


def message(
    *facts: JudgedFact,
    errors: Sequence[PlantedError] = (),
    verdicts: tuple[Verdict | None, Verdict | None] = ("supported", "supported"),
    corrected: Corrected | None = None,
    style: str = "ency",
) -> Scored:
    spans = (FIRST, SECOND)
    reasons = ["silence" if verdict == "not_checked" else None for verdict in verdicts]
    row = Row(
        "1",
        TEXT,
        errors=tuple(errors),
        wrong_spans=tuple(one.span for one in errors),
        strata={"style": style},
    )
    judged = Judged(facts, tuple(map(JudgedSentence, spans, verdicts, reasons)), corrected)
    sentences = tuple(ScoredSentence(span, 0.5, 0.25 * i) for i, span in enumerate(spans))
    return Scored(row, sentences=sentences, judged=judged)


def figures(*rows: Scored) -> dict[str, float | None]:
    return {name: metric.value for name, metric in everyday.measure(rows).items()}


def test_a_row_is_read_with_its_errors_and_its_style(tmp_path: Path) -> None:
    (row,) = read(tmp_path, RECORD)
    assert row.errors == (PlantedError(YEAR, "1894", "1895", "date"),)
    assert row.wrong_spans == (YEAR,)
    assert (row.id, row.group, row.strata) == ("b1", "b", {"style": "ency"})
    assert (row.samples, row.references) == (
        tuple(RECORD["samples"]),
        tuple(RECORD["references"]),
    )


@pytest.mark.parametrize(
    "changed",
    [{"start": 24}, {"wrong": "1893"}, {"right": None}, {"kind": ""}, {"kind": None}, {"end": "9"}],
)
def test_an_error_that_is_not_in_the_text_is_refused(
    changed: dict[str, Any], tmp_path: Path
) -> None:
    errors = [{**RECORD["errors"][0], **changed}]  # type: ignore[dict-item]
    with pytest.raises(BrokenLineError, match="everyday needs a field 'errors'"):
        read(tmp_path, {**RECORD, "errors": errors})


def test_an_error_is_found_by_a_tight_mark_alone() -> None:
    tight = figures(message(fact(YEAR), errors=[error()]))
    assert (tight["found"], tight["found_loose"], tight["precision"]) == (1, 1, 1)
    wide = figures(message(fact(FIRST), errors=[error()]))
    assert (wide["found"], wide["found_loose"], wide["precision"]) == (0, 1, 1)
    beside = figures(message(fact(RIVER, sentence=1), errors=[error()]))
    assert (beside["found"], beside["found_loose"], beside["precision"]) == (0, 0, 0)


def test_a_mark_may_be_twice_as_long_as_the_error() -> None:
    long = error((4, 29), "tunnel was opened in 1895")
    assert figures(message(fact(FIRST), errors=[long]))["found"] == 1


def test_a_doubted_sentence_is_a_mark_unless_a_fact_of_it_is_doubted() -> None:
    alone = figures(message(errors=[error()], verdicts=("contradicted", "supported")))
    assert (alone["found"], alone["found_loose"]) == (0, 1)
    both = message(fact(RIVER), errors=[error()], verdicts=("contradicted", "supported"))
    assert figures(both)["found_loose"] == 0


def test_false_alarms_are_right_sentences_with_a_mark() -> None:
    rows = [message(fact(RIVER, sentence=1), errors=[error()]), message(style="chat")]
    found = figures(*rows)
    assert found["false_alarms"] == pytest.approx(1 / 3)
    assert found["false_alarms: style ency"] == 1
    assert found["false_alarms: style chat"] == 0


def test_verdicts_of_sentences_with_and_without_an_error() -> None:
    rows = [
        message(errors=[error()], verdicts=("supported", "not_checked")),
        message(errors=[error()], verdicts=("not_checked", "supported")),
    ]
    found = figures(*rows)
    assert found["called_supported"] == found["right_supported"] == 0.5
    assert found["not_checked"] == found["not_checked: reason silence"] == 0.5


def test_kinds_of_errors_apart() -> None:
    errors = [error(), error(RIVER, "Seine", "place")]
    found = figures(message(fact(YEAR), errors=errors))
    assert found["found"] == 0.5
    assert (found["found: kind date"], found["found: kind place"]) == (1, 0)


def test_sentences_are_ordered_by_rank() -> None:
    found = figures(message(errors=[error(RIVER, "Seine")]))
    assert (found["sentence_auroc"], found["sentence_auroc_score"]) == (1, 0.5)


def test_probabilities_lie_in_parts_of_equal_width() -> None:
    facts = [
        fact(YEAR, verdict="supported", probability=0.92),
        fact(RIVER, verdict="supported", probability=0.98),
        fact(RIVER, verdict="supported", probability=0.1),
    ]
    found = figures(message(*facts, errors=[error()]))
    assert found["calibration_error"] == pytest.approx((abs(0.92 + 0.98 - 1) + 0.1) / 3)
    assert "calibration_error" not in figures(message(fact(YEAR)))


def edit(span: Span, after: str, action: Action = "changed") -> JudgedEdit:
    return JudgedEdit(span, TEXT[slice(*span)], after, action)


def corrected(*edits: JudgedEdit) -> Corrected:
    text = TEXT
    for one in reversed(edits):
        text = text[: one.span[0]] + one.after + text[one.span[1] :]
    return Corrected(text, edits)


@pytest.mark.parametrize(
    ("edits", "fate"),
    [
        ([], "untouched"),
        ([edit(RIVER, "Seine")], "untouched"),
        ([edit(YEAR, "1895")], "fixed"),
        ([edit(YEAR, "1896")], "wrong_fix"),
        ([edit((22, 29), "", "removed")], "removed"),
        ([edit(YEAR, "perhaps 1894", "hedged")], "hedged"),
        ([edit((0, 29), "It opened in 1895")], "fixed"),
        ([edit(FIRST, "1895.")], "wrong_fix"),
    ],
)
def test_what_became_of_an_error(edits: list[JudgedEdit], fate: str) -> None:
    found = figures(message(errors=[error()], corrected=corrected(*edits)))
    known = {name: found[name] for name in ("fixed", "removed", "hedged", "untouched")}
    assert known == {name: float(name == fate) for name in known}
    if found["replacements"]:
        assert found["wrong_fix"] == (fate == "wrong_fix")


def test_edits_that_touch_no_error_and_right_messages_that_change() -> None:
    rows = [
        message(errors=[error()], corrected=corrected(edit(RIVER, "Seine"))),
        message(corrected=corrected(edit(YEAR, "", "removed"))),
        message(corrected=corrected()),
    ]
    found = figures(*rows)
    assert (found["edits"], found["replacements"], found["off_error"]) == (2, 1, 1)
    assert found["clean_changed"] == 0.5


def test_a_benchmark_from_the_file_to_the_figures(tmp_path: Path) -> None:
    read(
        tmp_path, RECORD, {**RECORD, "id": "b2", "text": TEXT.replace("1894", "1895"), "errors": []}
    )
    plan = Plan(
        "everyday",
        tmp_path / "everyday.jsonl",
        "consensus",
        with_reference=True,
        with_correction=True,
        resume=tmp_path / "work.jsonl",
    )
    first = run(plan)
    assert first.metrics["found"] == first.metrics["fixed"] == 1
    assert first.metrics["false_alarms"] == first.metrics["clean_changed"] == 0
    again = run(plan)
    assert again.metrics == first.metrics
    assert any("2 rows were done before" in note for note in again.notes)


def test_the_threshold_is_that_of_the_check(tmp_path: Path) -> None:
    read(tmp_path, RECORD)
    result = run(Plan("everyday", tmp_path / "everyday.jsonl", "consensus", threshold=0.9))
    assert "threshold 0.9 as given" in result.notes


@pytest.mark.parametrize(
    ("dataset", "options", "why"),
    [
        ("everyday", {"validation": Path("v")}, "leave --validation out"),
        ("own", {"with_correction": True}, "leave --with-correction out"),
    ],
)
def test_options_that_mean_nothing_are_refused(
    dataset: str, options: dict[str, Any], why: str, tmp_path: Path
) -> None:
    with pytest.raises(SettingError, match=why):
        run(Plan(dataset, tmp_path / "none.jsonl", "consensus", **options))
