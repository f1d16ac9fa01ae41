"""Cascade and ensemble: what the model is asked, what its votes do, and when nobody is asked."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from halubot import check
from halubot.events import Done, SampleDrawn
from halubot.methods.consensus.log_odds import logistic
from halubot.methods.fallback import BY_WORDS
from halubot.models.model_errors import ModelError
from halubot.report import Report, Stance
from halubot.testing import ScriptedModel
from tests.judge import Judge

MESSAGE = "Ada Lovelace was born in 1816 in London. She wrote notes on the Analytical Engine."
RIGHT = "Ada Lovelace was born in 1815 in London. She wrote notes on the Analytical Engine."
OTHERS = tuple(f"Answer {n}. {RIGHT}" for n in range(20))


def checked(model: ScriptedModel, folder: Path, **options: Any) -> Report:
    return check(MESSAGE, **{"model": model, "store": folder / "store", **options})


def asked(judge: Judge) -> Counter[str]:
    return Counter(one.prompt for one in judge.asked)


@pytest.mark.parametrize("method", ["cascade", "ensemble"])
def test_the_models_votes_decide(method: str, tmp_path: Path) -> None:
    def stance(fact: str, source: str) -> Stance:
        return "contradicts" if "1816" in fact else "supports"

    judge = Judge(stance=stance)
    report = checked(ScriptedModel(judge), tmp_path, method=method, samples=OTHERS[:6])
    verdicts = {fact.triple.tail: fact.verdict for fact in report.facts}
    assert verdicts["1816"] == "contradicted"
    assert verdicts["London"] == verdicts["notes on the Analytical Engine"] == "supported"
    assert [sentence.verdict for sentence in report.sentences] == ["contradicted", "supported"]
    assert report.models.judge == "scripted"
    assert "model" in report.facts[0].basis


def test_a_round_of_one_mind_ends_it(tmp_path: Path) -> None:
    judge = Judge()
    report = checked(ScriptedModel(judge), tmp_path, samples=OTHERS)
    assert asked(judge) == {"extract": 1, "verify-facts": 5}
    assert report.details["judged_samples"] == 5
    assert report.usage.calls == 6


@pytest.mark.parametrize(("most", "judged"), [({}, 10), ({"verdict_samples": 20}, 20)])
def test_samples_of_two_minds_are_asked_in_another_round(
    most: dict[str, int], judged: int, tmp_path: Path
) -> None:
    def stance(fact: str, source: str) -> Stance:
        return "supports" if int(source.split()[1].rstrip(".")) % 2 else "silent"

    judge = Judge(stance=stance)
    # One fact, which words leave open, so that the votes decide.
    text, store = "It opened in 1702.", tmp_path / "store"
    model = ScriptedModel(judge)
    report = check(text, model=model, store=store, samples=OTHERS, options=most)
    assert asked(judge)["verify-facts"] == report.details["judged_samples"] == judged


def test_samples_are_drawn_in_rounds_and_drawing_stops(tmp_path: Path) -> None:
    judge = Judge(samples=OTHERS)
    events: list[Any] = []
    report = checked(ScriptedModel(judge), tmp_path, watch=events.append)
    drawn = [event for event in events if isinstance(event, SampleDrawn)]
    assert len(drawn) == len(report.sources) == 5
    assert {event.of for event in drawn} == {20}
    assert report.question is not None
    assert report.question.origin == "written"
    assert isinstance(events[-1], Done)


def test_ensemble_asks_every_sample_once(tmp_path: Path) -> None:
    judge = Judge()
    report = checked(ScriptedModel(judge), tmp_path, method="ensemble", samples=OTHERS)
    assert asked(judge) == {"extract": 1, "verify-facts": 20}
    assert report.details["judged_samples"] == 20


def test_a_judge_that_fails_leaves_what_words_know(tmp_path: Path) -> None:
    def failing(request: Any) -> str | Exception:
        told: str = Judge()(request)
        if request.schema and "Judged" in request.schema.name:
            return ModelError("it broke", "try again", model="m", endpoint="e")
        return told

    report = checked(ScriptedModel(failing), tmp_path, samples=OTHERS[:5])
    assert [fact.verdict for fact in report.facts] == ["contradicted", "supported", "supported"]
    assert all(BY_WORDS in (fact.reason or "") for fact in report.facts)
    assert any(problem.why == "it broke" for problem in report.problems)


def test_references_are_read_by_the_model_and_outweigh(tmp_path: Path) -> None:
    judge = Judge(stance=lambda fact, source: "contradicts" if "notes" in fact else "supports")
    reference = "Ada Lovelace was born in 1816 in London. She commented on an engine in her notes."
    report = checked(ScriptedModel(judge), tmp_path, references=[reference])
    assert [source.kind for source in report.sources] == ["reference"]
    assert asked(judge) == {"extract": 1, "verify-facts": 1}
    verdicts = [fact.verdict for fact in report.facts]
    assert verdicts == ["supported", "supported", "contradicted"]


@pytest.mark.parametrize("method", ["cascade", "ensemble"])
def test_no_judge_outvotes_what_can_be_quoted(method: str, tmp_path: Path) -> None:
    def denies(fact: str, source: str) -> Stance:
        return "supports" if "born" in fact else "contradicts"

    model = ScriptedModel(Judge(stance=denies))
    report = checked(model, tmp_path, references=[RIGHT], method=method)
    year, town, notes = report.facts
    assert (year.verdict, notes.verdict) == ("contradicted", "supported")
    assert town.verdict == "supported"
    assert [sentence.verdict for sentence in report.sentences] == ["contradicted", "supported"]
    limit = report.threshold.value
    assert year.score is not None
    assert year.score >= limit
    assert notes.score is not None
    assert notes.score < limit


@pytest.mark.parametrize("method", ["cascade", "ensemble"])
def test_recorded_verdicts_take_the_place_of_a_model(method: str) -> None:
    report = check(MESSAGE, method=method, samples=OTHERS[:5], verdicts=[[1] * 5, [0] * 5])
    assert [sentence.verdict for sentence in report.sentences] == ["contradicted", "supported"]
    assert report.usage.calls == 0
    assert report.usage.cached_calls == 5


def test_without_a_model_nothing_passes() -> None:
    report = check(MESSAGE, method="cascade", samples=OTHERS[:2])
    assert {fact.verdict for fact in report.facts} == {"not_checked"}
    assert "needs a model" in str(report.problems[0].why)


@pytest.mark.slow
def test_contributions_add_up_to_the_score(tmp_path: Path) -> None:
    def stance(fact: str, source: str) -> Stance:
        return "contradicts" if "1816" in fact else "supports"

    for references in ([], [RIGHT]):
        report = checked(
            ScriptedModel(Judge(stance=stance)),
            tmp_path / str(len(references)),
            method="ensemble",
            samples=[RIGHT] * 5,
            references=references,
        )
        for fact in report.facts:
            parts = report.details["contributions"][fact.index]
            assert list(parts) == ["samples", *["references"] * len(references), "model"]
            odds = math.fsum(one["odds"] * one["weight"] for one in parts.values())
            assert fact.score == pytest.approx(logistic(odds), abs=1e-3)
