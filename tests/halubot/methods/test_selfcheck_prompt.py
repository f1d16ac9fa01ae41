"""`selfcheck-prompt`: the mean over what each sample supports, as published."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from halubot import check
from halubot.errors import SettingError
from halubot.models.panel import Panel
from halubot.reliability import CANNOT_JUDGE
from halubot.report import Report, Stance
from halubot.testing import ScriptedModel
from tests.halubot.methods.calls.scripted import Scripted, refused
from tests.judge import Asked, Judge

TEXT = "Ada sang. Ada wrote. Ada slept."
SENTENCES = ["Ada sang.", "Ada wrote.", "Ada slept."]
SAMPLES = ["First.", "Second.", "Third.", "Fourth."]
SAID = {
    "First.": ["yes", "no", "no"],
    "Second.": ["yes", "no", "unclear"],
    "Third.": ["yes", "yes", "unclear"],
    "Fourth.": ["no", "no", "no"],
}
SCORES = [1 / 4, 3 / 4, (1 + 0.5 + 0.5 + 1) / 4]


def supported(sentence: str, source: str) -> str:
    return SAID[source][SENTENCES.index(sentence)]


def dictated(fails: Callable[[Asked], Exception | str | None] = lambda asked: None) -> Scripted:
    return Scripted(Judge(supported=supported), fails=fails)


def checked(judge: Scripted | None, **options: Any) -> Report:
    if judge is not None:
        model = ScriptedModel(judge)
        options["panel"] = Panel(answer=model, judge=model)
    options.setdefault("samples", SAMPLES)
    return check(TEXT, method="selfcheck-prompt", **options)


@pytest.mark.parametrize(
    ("as_published", "prompts"),
    [(False, ["verify-sentences"] * 4), (True, ["verify-sentence"] * 12)],
)
def test_by_hand(as_published: bool, prompts: list[str]) -> None:
    judge = dictated()
    report = checked(judge, as_published=as_published)
    assert judge.prompts() == prompts
    assert report.usage.calls == len(prompts)
    assert [sentence.score for sentence in report.sentences] == SCORES
    assert [sentence.rank for sentence in report.sentences] == SCORES
    assert [sentence.verdict for sentence in report.sentences] == [
        "supported",
        "doubtful",
        "doubtful",
    ]
    assert report.sentences[2].reason == "0 of 4 other answers support it"
    assert report.score == pytest.approx(sum(SCORES) / 3)
    assert report.facts == ()
    half = "2 of 12 verdicts are neither yes nor no"
    assert [problem.what for problem in report.problems] == [half] * as_published
    assert report.threshold.fitted_on == "no data (set by hand)"


def test_a_sample_that_failed_leaves_the_mean_with_a_note() -> None:
    judge = dictated(lambda asked: refused("slow") if asked.fields["source"] == "Fourth." else None)
    report = checked(judge)
    assert [sentence.score for sentence in report.sentences] == [0, 2 / 3, 2 / 3]
    failed, problem = report.problems
    assert failed.why == "scripted at a script: slow; ask again"
    assert problem.what == "sample 4: 3 of 3 sentences were not judged"
    assert problem.why == "slow"


def test_recorded_verdicts_are_taken_without_a_model() -> None:
    verdicts = [[0, 0, 0, 1], [1, 1, 0, 1], [1, None, None, 1]]
    report = checked(None, verdicts=verdicts)
    assert [sentence.score for sentence in report.sentences] == SCORES
    assert report.usage.calls == 0
    assert report.usage.cached_calls == 4


def test_recorded_verdicts_as_published_are_a_call_each_and_neither_counts_half() -> None:
    report = checked(
        None, verdicts=[[0, 0, 0, 1], [1, 1, 0, 1], [1, None, None, 1]], as_published=True
    )
    assert [sentence.score for sentence in report.sentences] == SCORES
    assert (report.usage.calls, report.usage.cached_calls) == (0, 12)
    (problem,) = report.problems
    assert problem.what == "2 of 12 verdicts are neither yes nor no"
    assert problem.why == "each counts 0.5, as published"
    assert report.details["differs_from_paper"]


@pytest.mark.parametrize(
    ("verdicts", "message"),
    [
        ([[0]], "verdicts on 1 sentences, and the text has 3"),
        ([[0], [2], [1]], "a verdict is 2, not 0, 1 or null"),
    ],
)
def test_verdicts_that_do_not_fit_are_refused(verdicts: Any, message: str) -> None:
    with pytest.raises(SettingError, match=message):
        checked(None, verdicts=verdicts)


@pytest.mark.parametrize("always", ["yes", "no"])
def test_a_judge_that_says_the_same_to_all_checks_nothing(always: str) -> None:
    stance: Stance = "supports" if always == "yes" else "silent"
    judge = Judge(supported=lambda sentence, source: always, canary=lambda right: stance)
    report = checked(Scripted(judge), samples=[f"{one} It rained in 1901." for one in SAMPLES])
    assert {sentence.verdict for sentence in report.sentences} == {"not_checked"}
    assert {sentence.reason for sentence in report.sentences} == {CANNOT_JUDGE}
    assert report.score is None
    assert [problem.what for problem in report.problems] == [CANNOT_JUDGE]
