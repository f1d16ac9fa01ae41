"""Nothing is found on what it decides: thresholds, and the rule of KnowHalu."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from halubot.errors import InputError, SettingError
from halubot.evaluation.checked import Scored
from halubot.evaluation.datasets import DATASETS
from halubot.evaluation.finished_rows import Outcome
from halubot.evaluation.plan import Plan
from halubot.evaluation.rows import Row
from halubot.evaluation.runner import run
from halubot.evaluation.thresholds import rule_of, threshold
from halubot.models.panel import Panel
from halubot.testing import ScriptedModel
from tests.judge import Judge

HERE = Path("validation.jsonl")


def outcome(wrong: bool, score: float | None = None, **forms: tuple[str, float]) -> Outcome:
    judgements = [
        {"segment": 0, "form": form, "verdict": verdict, "confidence": sure, "by": "repeats"}
        for form, (verdict, sure) in forms.items()
    ]
    details = {"segments": [[0, 9]], "judgements": judgements} if forms else {}
    return Outcome(Scored(Row("r", "x", (float(wrong),)), score), details=details)


def plan(method: str = "consensus", **more: Any) -> Plan:
    return Plan("halueval_qa", Path("data.jsonl"), method, **more)


def test_where_a_threshold_comes_from() -> None:
    qa, phd, own, wikibio = (DATASETS[n] for n in ("halueval_qa", "phd", "own", "wikibio"))
    held = [outcome(True, 0.8), outcome(False, 0.3), outcome(True, 0.6)]
    assert threshold(plan(validation=HERE), qa, held) == (
        0.6,
        ("threshold 0.600 found on 3 rows of validation data",),
    )
    assert threshold(plan(validation=HERE), own, held).value == 0.6
    assert threshold(plan(threshold=0.2), own, []).notes == ("threshold 0.2 as given",)
    assert threshold(plan(), phd, []) == (None, ("threshold by 5-fold cross-validation",))
    assert "is the default of consensus" in threshold(plan(), qa, []).notes[0]
    by_folds = ("threshold of passages by 5-fold cross-validation",)
    assert threshold(plan(), wikibio, []) == (None, by_folds)
    assert threshold(plan(threshold=0.2), wikibio, []).value == 0.2
    assert threshold(plan(), DATASETS["faithbench"], []) == (None, ())
    with pytest.raises(InputError, match="one label only"):
        threshold(plan(validation=HERE), qa, held[:1])


def test_the_rule_of_knowhalu_is_found_on_validation_rows() -> None:
    rows = [
        # text is right by itself where it is sure; triplets know better where text is unsure
        outcome(True, text=("INCORRECT", 0.9), triplets=("CORRECT", 0.5)),
        outcome(False, text=("CORRECT", 0.9), triplets=("INCORRECT", 0.5)),
        outcome(True, text=("CORRECT", 0.2), triplets=("INCORRECT", 0.9)),
        outcome(False, text=("CORRECT", 0.8), triplets=("CORRECT", 0.6)),
        outcome(True),  # OFF-TARGET: nothing was judged
    ]
    options, note = rule_of(plan("knowhalu", validation=HERE), rows)
    assert options["base"] == "text"
    assert 0.2 < options["d1"] <= 0.9
    assert options["d2"] < 0.9
    assert "found on 4 rows of validation data" in note
    with pytest.raises(InputError, match="no rule can be found on validation"):
        rule_of(plan("knowhalu", validation=HERE), [outcome(True)])


def written(path: Path, years: Sequence[tuple[int, str]]) -> Path:
    records = [
        {
            "id": f"{path.stem}{number}",
            "pair": str(number),
            "question": f"When was pillar {number} of {path.stem} built?",
            "knowledge": "The pillar was built in 1900.",
            "answer": f"The pillar was built in {year}.",
            "label": label,
        }
        for number, (year, label) in enumerate(years)
    ]
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    return path


def test_knowhalu_is_measured_by_the_rule_of_the_validation_file(tmp_path: Path) -> None:
    data = written(tmp_path / "d.jsonl", [(1900, "right"), (1950, "hallucinated")])
    held = written(tmp_path / "v.jsonl", [(1900, "right"), (1960, "hallucinated")])
    model = ScriptedModel(Judge(), name="the judge")
    result = run(
        Plan("halueval_qa", data, "knowhalu", validation=held),
        panel=Panel(answer=model, judge=model),
    )
    assert set(result.options) == {"base", "d1", "d2"}
    assert any("found on 2 rows of validation data" in note for note in result.notes)
    assert any("the verdict of knowhalu itself" in note for note in result.notes)
    assert result.metrics["threshold"] == 0.5


def test_the_data_are_no_validation_file_for_themselves(tmp_path: Path) -> None:
    data = written(tmp_path / "d.jsonl", [(1900, "right"), (1950, "hallucinated")])
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(data.read_bytes())
    with pytest.raises(SettingError, match="nothing may be found on what is measured"):
        run(Plan("halueval_qa", data, "consensus", validation=copy))


def test_rows_in_both_files_are_told(tmp_path: Path) -> None:
    data = written(tmp_path / "d.jsonl", [(1900, "right"), (1950, "hallucinated")])
    held = tmp_path / "v.jsonl"
    lines = data.read_text(encoding="utf-8").splitlines()
    other = json.loads(lines[1]) | {"answer": "The pillar was built in 1990."}
    held.write_text(f"{lines[0]}\n{json.dumps(other)}", encoding="utf-8")
    result = run(Plan("halueval_qa", data, "consensus", validation=held))
    assert "1 rows of the validation data are measured too" in result.notes
