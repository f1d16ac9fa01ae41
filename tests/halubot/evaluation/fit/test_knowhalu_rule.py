"""KnowHalu's rule calibrated for a judge: fitted on all rows, measured on those left out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from halubot import check
from halubot.calibration import store
from halubot.calibration.store import Calibrations
from halubot.evaluation.fit import calibrator, knowhalu_rule
from halubot.evaluation.fit.cross_validation import parse
from halubot.evaluation.fit.platt import Example, Found
from halubot.methods.knowhalu.aggregation import Conclusion, Decision, Form, Known
from halubot.models.model import Completion, Request, TokenLogprob
from halubot.models.panel import Panel
from halubot.testing import ScriptedModel
from tests.halubot.llm_calls.scripted import heard
from tests.judge import Judge
from tests.knowing import Knowing

RIGHT: Conclusion = "CORRECT"
WRONG: Conclusion = "INCORRECT"


def case(text: tuple[Conclusion, float], triplets: tuple[Conclusion, float], wrong: bool) -> Known:
    found: dict[Form, Decision] = {"text": Decision(*text), "triplets": Decision(*triplets)}
    return Known([found], wrong)


CASES = [
    case((RIGHT, 0.6), (WRONG, 0.9), wrong=True),
    case((RIGHT, 0.7), (RIGHT, 0.8), wrong=False),
] * 10
GROUPS = [str(number // 2) for number in range(20)]
FOUND = [Found((Example(group, False, (0.3,), 0.3),)) for group in GROUPS]


def test_the_rule_is_fitted_and_the_rows_are_scored_by_it() -> None:
    refitted = knowhalu_rule.refit(FOUND, CASES, GROUPS, "mine")
    assert refitted is not None
    assert refitted.rule.rule.base == "triplets"
    assert refitted.options.keys() == {"base", "d1", "d2"}
    scores = [[one.decisive for one in row.examples] for row in refitted.found]
    assert scores == [[pytest.approx(0.95)], [pytest.approx(0.1)]] * 10
    assert refitted.out_of_fold == refitted.found
    assert "base triplets" in refitted.note
    assert refitted.note.endswith("are fitted on 20 rows")


def test_a_fold_is_scored_by_the_rule_of_the_others() -> None:
    """Of one group alone triplets are right; all others say that text is. Its own fold would have
    to be fitted on for it to be scored by triplets."""
    odd = [
        case((RIGHT, 0.6), (WRONG, 0.9), wrong=True),
        case((WRONG, 0.6), (RIGHT, 0.9), wrong=False),
    ]
    usual = [
        case((WRONG, 0.6), (RIGHT, 0.9), wrong=True),
        case((RIGHT, 0.6), (WRONG, 0.9), wrong=False),
    ]
    cases = [*odd, *usual * 9]
    refitted = knowhalu_rule.refit(FOUND, cases, GROUPS, "mine")
    assert refitted is not None
    left_out = [row.examples[0].decisive for row in refitted.out_of_fold]
    others = knowhalu_rule.refit(FOUND[2:], cases[2:], GROUPS[2:], "mine")
    assert others is not None
    assert others.rule.rule.base == "text"
    assert left_out[0] < 0.5 < left_out[1]


def test_what_was_decided_before_stays_as_it_was() -> None:
    refitted = knowhalu_rule.refit([*FOUND, FOUND[0]], [*CASES, None], [*GROUPS, "last"], "mine")
    assert refitted is not None
    assert refitted.found[-1] == FOUND[0]
    assert refitted.rows == 20
    open_case = case(("INCONCLUSIVE", 0.9), ("INCONCLUSIVE", 0.9), wrong=True)
    refitted = knowhalu_rule.refit(
        [*FOUND, FOUND[0]], [*CASES, open_case], [*GROUPS, "last"], "mine"
    )
    assert refitted is not None
    assert refitted.found[-1] == Found((), unscored=1)


def test_without_judgements_there_is_no_rule() -> None:
    assert knowhalu_rule.refit(FOUND, [None] * 20, GROUPS, "mine") is None


@pytest.mark.parametrize(
    ("method", "options", "fits"),
    [
        ("knowhalu", {}, True),
        ("knowhalu", {"task": "answer", "forms": "both"}, True),
        ("knowhalu", {"d1": 0.5}, False),
        ("knowhalu", {"forms": "text"}, False),
        ("bcv", {}, False),
    ],
)
def test_when_it_is_fitted(method: str, options: dict[str, Any], fits: bool) -> None:
    assert knowhalu_rule.is_fitted(method, options) is fits


def written(path: Path, count: int) -> Path:
    with path.open("w", encoding="utf-8") as file:
        for index in range(count):
            year = 1700 + index
            row = {
                "text": f"Ada Hale was born in {year + index % 2} in Vienna.",
                "question": "When was Ada Hale born?",
                "references": [f"Ada Hale was born in {year} in Vienna."],
                "label": "hallucinated" if index % 2 else "right",
            }
            file.write(json.dumps(row) + "\n")
    return path


def judging() -> ScriptedModel:
    """A judge that by text finds everything right, unsurely, and by triplets what is so."""

    def verdict(text: str, knowledge: str, form: str) -> str:
        year = next(word for word in text.split() if word.isdecimal())
        return "CORRECT" if form == "text" or f"{year} in Vienna" in knowledge else "INCORRECT"

    knowing = Knowing(
        queries=lambda text: [("", "Ada Hale born?", "Ada Hale?")],
        finding=lambda *_: "agrees",
        verdict=verdict,
    )
    judge = Judge(knowing=knowing)

    def answer(request: Request) -> Completion | str:
        said = judge(request)
        if heard(request).prompt != "knowhalu-judge":
            return said
        sure = -0.05 if '"triplets"' in request.messages[-1].content else -0.5
        words = [TokenLogprob(one, sure if one.isupper() else -0.1) for one in said.split('"')]
        tokens = [part for word in words for part in (word, TokenLogprob('"', -0.1))]
        return Completion(said, logprobs=tuple(tokens[:-1]))

    return ScriptedModel(answer)


@pytest.mark.slow
def test_a_check_takes_the_rule_that_was_calibrated_for_its_judge(tmp_path: Path) -> None:
    model = judging()
    panel = Panel(answer=model, judge=model)
    data = written(tmp_path / "mine.jsonl", 30)
    plan = calibrator.Plan(data, "knowhalu", parse("youden"))
    fitted = calibrator.calibrate(plan, calibrator.read(plan), panel=panel)
    found = fitted.calibrated
    assert found.fitted["base"] == "triplets"
    assert fitted.out_of_fold.figures["auroc"] == 1.0
    assert any("base triplets" in note for note in fitted.notes)
    store.keep(tmp_path / "kept", found)
    given: dict[str, Any] = {
        "question": "When was Ada Hale born?",
        "references": ["Ada Hale was born in 1900 in Vienna."],
        "method": "knowhalu",
        "panel": panel,
        "calibrations": Calibrations(tmp_path / "kept"),
    }
    text = "Ada Hale was born in 1901 in Vienna."
    report = check(text, **given)
    assert report.label == "INCORRECT"
    aggregation = report.details["aggregation"]
    assert (aggregation["base"], aggregation["d1"]) == ("triplets", found.fitted["d1"])
    assert aggregation["fitted_on"] == "mine.jsonl (30 rows)"
    by_hand = check(text, options={"base": "text", "d1": 0, "d2": 1}, **given)
    assert by_hand.label == "CORRECT"
