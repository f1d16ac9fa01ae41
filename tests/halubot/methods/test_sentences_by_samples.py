"""`selfcheck-prompt`, `issc` and `issc-cot`: the mean over what each sample supports."""

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

ISSC = ["issc", "issc-cot"]
METHODS = ["selfcheck-prompt", *ISSC]
TEXT = "Ada sang. Ada wrote. Ada slept."
SENTENCES = ["Ada sang.", "Ada wrote.", "Ada slept."]
SAMPLES = ["First.", "Second.", "Third.", "Fourth."]
SAID = {
    "First.": ["yes", "no", "no"],
    "Second.": ["yes", "no", "no"],
    "Third.": ["yes", "yes", "no"],
    "Fourth.": ["no", "no", "no"],
}
SCORES = [1 / 4, 3 / 4, 1.0]


def dictated(
    fails: Callable[[Asked], Exception | str | None] = lambda asked: None, unclear: bool = False
) -> Scripted:
    """A judge that says so; of the last sentence "unclear" of two samples, if ``unclear``."""

    def supported(sentence: str, source: str) -> str:
        if unclear and sentence == SENTENCES[2] and source in ("Second.", "Third."):
            return "unclear"
        return SAID[source][SENTENCES.index(sentence)]

    return Scripted(Judge(supported=supported), fails=fails)


def checked(judge: Scripted | None, method: str = "selfcheck-prompt", **options: Any) -> Report:
    if judge is not None:
        model = ScriptedModel(judge)
        options["panel"] = Panel(answer=model, judge=model)
    options.setdefault("samples", SAMPLES)
    return check(TEXT, method=method, **options)


@pytest.mark.parametrize("as_published", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_by_hand(method: str, as_published: bool) -> None:
    judge = dictated()
    role = {"options": {"role": "medical expert"}} if method in ISSC else {}
    report = checked(judge, method, as_published=as_published, **role)
    merged, single = (method, method) if role else ("verify-sentences", "verify-sentence")
    assert judge.prompts() == ([single] * 12 if as_published else [merged] * 4)
    assert report.usage.calls == len(judge.asked)
    assert [sentence.score for sentence in report.sentences] == SCORES
    assert [sentence.rank for sentence in report.sentences] == SCORES
    verdicts = [sentence.verdict for sentence in report.sentences]
    assert verdicts == ["supported", "doubtful", "doubtful"]
    assert report.sentences[1].reason == "1 of 4 other answers support it"
    assert report.score == pytest.approx(sum(SCORES) / 3)
    assert report.facts == ()
    assert not report.problems
    assert report.threshold.fitted_on == "no data (set by hand)"
    assert {len(asked.canaries) for asked in judge.asked} == {0 if as_published else 1}
    if role:
        votes = {f"s{number}": SAID[sample] for number, sample in enumerate(SAMPLES, 1)}
        assert report.details["votes"] == votes
        told = [["it says so"] * 3] * 4 if method == "issc-cot" else []
        assert [*report.details.get("reasons", {}).values()] == told


@pytest.mark.parametrize("as_published", [False, True])
def test_unclear_counts_half(as_published: bool) -> None:
    report = checked(dictated(unclear=True), as_published=as_published)
    assert [sentence.score for sentence in report.sentences] == [*SCORES[:2], 3 / 4]
    half = "2 of 12 verdicts are neither yes nor no"
    assert [problem.what for problem in report.problems] == [half] * as_published


@pytest.mark.parametrize("as_published", [False, True])
@pytest.mark.parametrize("method", ISSC)
def test_an_answer_of_no_use_leaves_the_mean_or_counts_half_as_published(
    method: str, as_published: bool
) -> None:
    def fails(asked: Asked) -> str | None:
        wanted = asked.fields["sentences"]
        if asked.fields["source"] != "First." or SENTENCES[1] not in wanted.values():
            return None
        more = '"reasons": "Hm.", ' if method == "issc-cot" else ""
        words = dict(zip(SENTENCES, ("yes", "perhaps", "no"), strict=True))
        said = {key: words[wanted[key]] if key in asked.own else "no" for key in asked.numbers}
        each = (f'"{key}": {{{more}"supported": "{word}"}}' for key, word in said.items())
        return f"{{{', '.join(each)}}}"

    judge = dictated(fails)
    report = checked(judge, method, as_published=as_published)
    second = (0.5 + 2) / 4 if as_published else 2 / 3
    assert [sentence.score for sentence in report.sentences] == [1 / 4, second, 1.0]
    assert report.details["votes"]["s1"] == ["yes", None, "no"]
    lost = "sample 1: 1 of 3 sentences were not judged"
    half = "1 of 12 verdicts are neither yes nor no"
    assert [p.what for p in report.problems] == [half if as_published else lost]
    # As published nothing is asked again.
    assert len(judge.asked) == (12 if as_published else 4 + 2)


def test_a_sample_that_failed_leaves_the_mean_with_a_note() -> None:
    judge = dictated(lambda asked: refused("slow") if asked.fields["source"] == "Fourth." else None)
    report = checked(judge)
    assert [sentence.score for sentence in report.sentences] == [0, 2 / 3, 1]
    failed, problem = report.problems
    assert failed.why == "scripted at a script: slow; ask again"
    assert problem.what == "sample 4: 3 of 3 sentences were not judged"
    assert problem.why == "slow"


@pytest.mark.parametrize(("as_published", "calls"), [(False, 4), (True, 12)])
def test_recorded_verdicts_are_taken_without_a_model(as_published: bool, calls: int) -> None:
    verdicts = [[0, 0, 0, 1], [1, 1, 0, 1], [1, None, None, 1]]
    report = checked(None, verdicts=verdicts, as_published=as_published)
    assert [sentence.score for sentence in report.sentences] == [*SCORES[:2], 3 / 4]
    assert (report.usage.calls, report.usage.cached_calls) == (0, calls)
    half = ("2 of 12 verdicts are neither yes nor no", "each counts 0.5, as published")
    assert [(p.what, p.why) for p in report.problems] == [half] * as_published
    assert ("differs_from_paper" in report.details) == as_published


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
