"""Judges that cannot be trusted, over HTTP: they never make a check worse than words alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import halubot
from halubot.methods.ensemble.votes import CANNOT_JUDGE
from halubot.methods.rescue import BY_WORDS
from halubot.report import DOUBTED, Report, Stance
from tests.judge import Judge, received
from tests.loopback import Body, Loopback, Reply, loopback

TEXT = "Ada Lovelace was born in 1816 in London. She wrote notes on the Analytical Engine in 1843."
SAMPLES = tuple(
    "Ada Lovelace was born in 1815 in London. She wrote notes on the Analytical Engine in"
    f" {1843 if number % 2 else 1842}. She had {number + 2} cats."
    for number in range(10)
)
METHODS = ("cascade", "ensemble")


def yes(said: object, source: str = "") -> Stance:
    """All is supported."""
    return "supports"


def no(said: object, source: str = "") -> Stance:
    """All is contradicted."""
    return "contradicts"


@pytest.fixture
def server(litellm: None) -> Iterator[Loopback]:
    with loopback() as server:
        server.answer(Judge().reply)
        yield server


def judged(server: Loopback, folder: Path, text: str = TEXT, **options: Any) -> Report:
    options.setdefault("samples", SAMPLES)
    return halubot.check(
        text, model="openai/tiny", api_base=server.url, store=folder / "store", **options
    )


def verdicts(report: Report) -> dict[str, str]:
    """The verdict on each fact that both a model and rules find."""
    return {fact.triple.tail: fact.verdict for fact in report.facts}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("says", [yes, no])
def test_a_judge_that_says_the_same_to_all_is_ignored(
    server: Loopback, tmp_path: Path, method: str, says: Callable[..., Stance]
) -> None:
    server.answer(Judge(stance=says, canary=says).reply)
    report = judged(server, tmp_path, method=method)
    alone = halubot.check(TEXT, samples=SAMPLES, method="consensus")
    assert [fact.verdict for fact in report.facts] == [fact.verdict for fact in alone.facts]
    assert [one.verdict for one in report.sentences] == [one.verdict for one in alone.sentences]
    assert report.details["judge"]["ignored"]
    (problem,) = (one for one in report.problems if one.what == CANNOT_JUDGE)
    assert "test facts wrong" in problem.why
    assert report.calibration is None


@pytest.mark.parametrize("method", METHODS)
def test_a_judge_that_knows_its_canaries_is_heard(
    server: Loopback, tmp_path: Path, method: str
) -> None:
    report = judged(server, tmp_path, method=method)
    judge = report.details["judge"]
    assert not judge["ignored"]
    assert judge["mistakes"] == 0
    assert judge["canaries"] == 3 * report.details["judged_samples"]
    assert CANNOT_JUDGE not in {one.what for one in report.problems}


def test_two_yeses_do_not_outvote_a_quoted_contradiction(server: Loopback, tmp_path: Path) -> None:
    server.answer(Judge(stance=yes).reply)
    samples = ["The fair was held in Paris in 1889."] * 3
    report = judged(server, tmp_path, "The fair was held in London in 1889.", samples=samples)
    assert "contradicted" in {fact.verdict for fact in report.facts}
    assert report.sentences[0].verdict == "contradicted"


@pytest.mark.parametrize("method", METHODS)
def test_a_judge_of_one_mind_is_not_overruled_by_likeness_of_words(
    server: Loopback, tmp_path: Path, method: str
) -> None:
    text = "Too much insulin causes hyperglycemia in patients."
    samples = [
        f"Too much insulin causes hypoglycemia in patients, says book {n}." for n in range(20)
    ]
    server.answer(Judge(stance=no).reply)
    report = judged(server, tmp_path, text, samples=samples, method=method)
    assert {fact.verdict for fact in report.facts} <= DOUBTED
    assert report.sentences[0].verdict in DOUBTED


def test_the_same_check_again_takes_no_call(server: Loopback, tmp_path: Path) -> None:
    first = judged(server, tmp_path, method="ensemble")
    calls = len(server.received)
    again = judged(server, tmp_path, method="ensemble")
    assert len(server.received) == calls
    assert again.facts == first.facts


def test_what_is_learnt_of_a_judge_holds_for_the_next_check(
    server: Loopback, tmp_path: Path
) -> None:
    judged(server, tmp_path, samples=[f"{one} So said {one[:9]}." for one in SAMPLES * 2])
    judged(server, tmp_path, method="ensemble", samples=[*SAMPLES, *reversed(SAMPLES)])
    later = judged(server, tmp_path, "Bo Ek was born in 1901.", references=["Bo Ek: born in 1901."])
    assert later.details["judge"]["canaries_before"] >= 60


def test_as_published_there_are_no_canaries(server: Loopback, tmp_path: Path) -> None:
    judge = Judge()
    server.answer(judge.reply)
    report = judged(server, tmp_path, samples=SAMPLES[:2], as_published=True)
    assert not any(asked.canaries for asked in judge.asked)
    assert "judge" not in report.details


BROKEN: dict[str, Reply] = {
    "prose": Reply(texts=("All of it is fine, I think.",)),
    "refused": Reply(status=400),
    "fault": Reply(status=500),
    "half": Reply(texts=('{"0": {"sta',), finish="length"),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("fault", BROKEN)
def test_when_the_model_fails_what_words_know_remains(
    server: Loopback, tmp_path: Path, method: str, fault: str
) -> None:
    judge = Judge()

    def reply(body: Body) -> Reply:
        verifies = received(body).prompt.startswith("verify")
        return BROKEN[fault] if verifies else judge.reply(body)

    server.answer(reply)
    assert_by_words(judged(server, tmp_path, method=method))


@pytest.mark.parametrize("method", METHODS)
def test_without_any_call_what_words_know_remains(
    server: Loopback, tmp_path: Path, method: str
) -> None:
    report = judged(server, tmp_path, method=method, max_calls=0)
    assert not server.received
    assert_by_words(report)


@pytest.mark.parametrize("method", METHODS)
def test_at_the_deadline_what_words_know_remains(
    server: Loopback, tmp_path: Path, method: str
) -> None:
    server.replies(Reply(hang=True))
    report = judged(server, tmp_path, method=method, deadline=1.0)
    assert any("deadline" in problem.why for problem in report.problems)
    assert_by_words(report)


def assert_by_words(report: Report) -> None:
    """The verdicts are those of words alone, and say so."""
    alone = halubot.check(TEXT, samples=SAMPLES, method="consensus")
    assert verdicts(report) == verdicts(alone)
    assert [one.verdict for one in report.sentences] == [one.verdict for one in alone.sentences]
    marked = [fact for fact in report.facts if fact.verdict != "not_checked"]
    assert marked
    assert all(BY_WORDS in (fact.reason or "") for fact in marked)
    assert report.calibration is None
    assert report.problems
