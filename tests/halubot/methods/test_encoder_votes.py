"""A judge on this machine in `cascade` and `ensemble`: its votes, its quotes, what it doubts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks.runner import Plan, run
from halubot import Report, check, demo
from halubot.errors import LocalModelError, SettingError
from halubot.methods.encoders import SETS
from halubot.reliability import CANNOT_JUDGE
from halubot.report import Fact
from halubot.testing import ScriptedModel
from tests import tiny_encoders
from tests.judge import Judge

tiny_encoders.require()

METHODS = ["cascade", "ensemble"]


def fact(report: Report, words: str) -> Fact:
    (found,) = [one for one in report.facts if words in str(one.triple)]
    return found


def said_of_demo(judge: str, **options: Any) -> Report:
    given = demo.load()
    chosen = options or {"references": given.references}
    return check(given.text, question=given.question, options={"judge": judge}, **chosen)


def test_a_judge_alone_makes_cascade_the_method(tmp_path: Path) -> None:
    report = said_of_demo(tiny_encoders.judge_of_demo(tmp_path / "tiny"))
    assert (report.method, report.models.judge) == ("cascade", "nli:tiny")
    assert report.usage.calls == 0
    assert "model" in fact(report, "completed in March 1889").basis


def test_votes_decide_what_words_leave_open(tmp_path: Path) -> None:
    given = demo.load()
    alone = check(given.text, references=given.references)
    report = said_of_demo(tiny_encoders.judge_of_demo(tmp_path))
    assert fact(alone, "completed in March 1889").verdict == "not_checked"
    completed = fact(report, "completed in March 1889")
    assert completed.verdict == "supported"
    (evidence,) = completed.evidence
    assert "1889" in evidence.quote
    assert (given.references[0].text or "")[evidence.start : evidence.end] == evidence.quote


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", ["samples", "references", "both"])
def test_nothing_is_supported_without_a_quote(tmp_path: Path, method: str, kind: str) -> None:
    given = demo.load()
    judge = tiny_encoders.reading_judge(tmp_path)
    material: dict[str, Any] = {"samples": given.samples, "references": given.references}
    if kind != "both":
        material = {kind: material[kind]}
    report = said_of_demo(judge, method=method, **material)
    assert not report.details["judge"]["ignored"]
    texts = {source.id: source.text or "" for source in report.sources}
    supported = [one for one in report.facts if one.verdict == "supported"]
    assert supported
    for one in supported:
        quotes = [found for found in one.evidence if found.stance == "supports" and found.quote]
        assert quotes, one.triple
        assert all(texts[q.source][q.start : q.end] == q.quote for q in quotes)
    for sentence in report.sentences:
        if sentence.verdict == "supported":
            assert {report.facts[at].verdict for at in sentence.facts} == {"supported"}


def test_what_no_sentence_says_is_not_checked(tmp_path: Path) -> None:
    """A judge that is never sure of anything leaves what words do not support unsupported."""
    folder = tiny_encoders.build(tmp_path, {"": {"neutral": 9.0}})
    samples = ["Ada Lovelace wrote notes on a machine in London."] * 6
    report = check(
        "Ada Lovelace taught music in London.", samples=samples, options={"judge": f"nli:{folder}"}
    )
    assert {one.verdict for one in report.facts} <= {"not_checked", "doubtful"}
    assert {one.verdict for one in report.sentences} <= {"not_checked", "doubtful"}
    assert all(one.reason for one in report.facts if one.verdict == "not_checked")


def test_a_judge_that_is_not_sure_leaves_what_words_found(tmp_path: Path) -> None:
    given = demo.load()
    alone = check(given.text, references=given.references)
    folder = tiny_encoders.build(tmp_path, {"": {"neutral": 9.0}})
    report = said_of_demo(f"nli:{folder}")
    assert [one.verdict for one in report.facts] == [one.verdict for one in alone.facts]
    assert [one.verdict for one in report.sentences] == [one.verdict for one in alone.sentences]


def test_a_value_that_can_be_quoted_is_not_outvoted(tmp_path: Path) -> None:
    fond = {"1885": {"entailment": 2 * tiny_encoders.NEVER}}
    report = said_of_demo(tiny_encoders.reading_judge(tmp_path, fond))
    assert not report.details["judge"]["ignored"]
    assert fact(report, "began in January 1885").verdict == "contradicted"


def test_a_judge_contradicts_with_the_sentence_it_read(tmp_path: Path) -> None:
    denying = {"knew": {"contradiction": 2 * tiny_encoders.NEVER}}
    judge = tiny_encoders.reading_judge(tmp_path, denying)
    text, source = (
        "Ada Lovelace knew London well.",
        "Ada Lovelace never saw London. She died there.",
    )
    report = check(text, references=[source], options={"judge": judge})
    (one,) = report.facts
    assert one.verdict == "contradicted"
    assert one.evidence[0].quote == "Ada Lovelace never saw London."


def test_words_without_ground_are_doubted_and_named(tmp_path: Path) -> None:
    given = demo.load()
    alone = check(given.text, references=given.references)
    report = said_of_demo(tiny_encoders.grounding_of_demo(tmp_path))
    assert fact(alone, "Rothschild").verdict == "not_checked"
    bank = fact(report, "Rothschild")
    assert bank.verdict == "doubtful"
    assert [report.text[slice(*span)] for span in bank.spans] == ["Rothschild bank"]
    assert bank.reason == "the judge finds no ground in the references for “Rothschild bank”"
    assert bank.score is not None
    assert bank.score >= 0.5
    assert bank.rank is not None
    others = [one.rank or 0.0 for one in report.facts if one.verdict == "supported"]
    assert bank.rank > max(others)
    assert report.sentences[1].verdict == "doubtful"


def test_a_judges_votes_join_those_of_samples(tmp_path: Path) -> None:
    given = demo.load()
    judge = tiny_encoders.judge_of_demo(tmp_path)
    report = said_of_demo(judge, samples=given.samples, method="ensemble")
    began, tower = fact(report, "January 1885"), fact(report, "330 metres")
    assert (began.verdict, tower.verdict) == ("contradicted", "supported")
    assert report.details["judged_samples"] == len(given.samples)
    assert "model" in report.details["contributions"][began.index]


def test_a_model_extracts_and_draws_and_the_encoder_judges(tmp_path: Path) -> None:
    answers = Judge(samples=[f"Ada was born in 1815. So says book {n}." for n in range(20)])
    model = ScriptedModel(answers, name="openai/tiny")
    judge = tiny_encoders.reading_judge(tmp_path / "tiny")
    report = check(
        "Ada was born in 1815.",
        question="When was Ada born?",
        model=model,
        store=tmp_path / "store",
        options={"judge": judge},
    )
    assert report.models.sample == "openai/tiny"
    assert report.models.judge == "nli:tiny"
    assert report.facts[0].verdict == "supported"
    assert not [name for name in report.prompts if name.startswith("verify")]


def test_a_judge_that_cannot_be_used_costs_no_call(tmp_path: Path) -> None:
    model = ScriptedModel(Judge(), name="openai/tiny")
    broken = tiny_encoders.build(tmp_path / "tiny", {})
    (broken / "config.json").write_text("{}")
    for judge, said in (("nli:nobody", "models pull nobody"), (f"nli:{broken}", "no id2label")):
        with pytest.raises(LocalModelError, match=said):
            check(
                "Ada was born in 1815.",
                references=["Ada was born in 1815."],
                model=model,
                store=tmp_path / "store",
                options={"judge": judge},
            )
    assert model.calls == 0


def test_what_does_not_go_together(tmp_path: Path) -> None:
    judge = tiny_encoders.judge_of_demo(tmp_path)
    text, samples = "Ada was born in 1815.", ["Ada was born in 1815."]
    with pytest.raises(SettingError, match="leave one of them out"):
        check(text, samples=samples, verdicts=[[0]], options={"judge": judge}, method="cascade")
    with pytest.raises(SettingError, match="consensus has no option 'judge'"):
        check(text, samples=samples, options={"judge": judge}, method="consensus")
    with pytest.raises(LocalModelError, match="halubot models pull nobody"):
        check(text, samples=samples, options={"judge": "nli:nobody"})
    report = check(text, options={"judge": judge})
    assert report.problems[0].why.startswith("nothing to compare with")


def test_a_benchmark_measures_a_judge(tmp_path: Path) -> None:
    judge = tiny_encoders.reading_judge(tmp_path / "tiny")
    data = tmp_path / "rows.jsonl"
    rows = (
        '{"id": "%s", "text": "Ada was born in %s.", "references": ["Ada was born in 1815."],'
        ' "label": "%s"}\n'
    )
    data.write_text(rows % ("a", "1815", "right") + rows % ("b", "1816", "hallucinated"))
    plan = Plan("own", data, "cascade", options={"judge": judge})
    result = run(plan)
    assert result.usage.calls == 0
    right, wrong = result.outcomes
    assert right.score is not None
    assert wrong.score is not None
    assert right.score < wrong.score


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("always", tiny_encoders.NLI)
def test_a_judge_that_says_the_same_to_all_is_ignored(
    tmp_path: Path, method: str, always: str
) -> None:
    given = demo.load()
    folder = tiny_encoders.build(tmp_path, {"": {always: 9.0}})
    material: dict[str, Any] = {"samples": given.samples, "references": given.references}
    report = said_of_demo(f"nli:{folder}", method=method, **material)
    alone = check(given.text, question=given.question, **material)
    assert [one.verdict for one in report.facts] == [one.verdict for one in alone.facts]
    assert [one.verdict for one in report.sentences] == [one.verdict for one in alone.sentences]
    assert report.details["judge"]["ignored"]
    assert CANNOT_JUDGE in {one.what for one in report.problems}


def test_a_judge_of_grounding_that_doubts_all_is_ignored(tmp_path: Path) -> None:
    given = demo.load()
    scores = {"": {"hallucinated": 9.0}}
    labels = tiny_encoders.GROUNDED
    folder = tiny_encoders.build(tmp_path, scores, labels=labels, shape="tokens")
    report = said_of_demo(f"grounding:{folder}")
    alone = check(given.text, references=given.references)
    assert [one.verdict for one in report.facts] == [one.verdict for one in alone.facts]
    assert CANNOT_JUDGE in {one.what for one in report.problems}


@pytest.mark.slow
def test_a_judge_is_shown_canaries_of_each_source(tmp_path: Path) -> None:
    given = demo.load()
    judge = tiny_encoders.judge_of_demo(tmp_path)
    beside = said_of_demo(judge).details["judge"]
    assert (beside["mistakes"], beside["ignored"]) == (0, False)
    assert beside["canaries"] >= 2 * SETS
    samples = said_of_demo(judge, samples=given.samples, method="ensemble").details["judge"]
    assert len(given.samples) < samples["canaries"] <= 3 * len(given.samples)
    again = said_of_demo(judge, samples=given.samples, method="ensemble").details["judge"]
    assert again == samples
