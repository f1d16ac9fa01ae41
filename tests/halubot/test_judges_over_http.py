"""Judges that cannot be trusted, over HTTP: they never make a check worse than words alone."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest

import halubot
from halubot.methods.calls.citation import UNFOUNDED
from halubot.methods.fallback import BY_WORDS
from halubot.reliability import CANNOT_JUDGE
from halubot.report import DOUBTED, Report, Stance
from tests.judge import Asked, Judge, received
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
def server() -> Iterator[Loopback]:
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


BROKEN: dict[str, Reply] = {
    "prose": Reply(texts=("All of it is fine, I think.",)),
    "refused": Reply(status=400),
    "fault": Reply(status=500),
    "half": Reply(texts=('{"0": {"sta',), finish="length"),
}


@pytest.mark.slow
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


def assert_by_words(report: Report) -> None:
    """The verdicts are those of words alone, and say so."""
    alone = halubot.check(TEXT, samples=SAMPLES, method="consensus")
    assert verdicts(report) == verdicts(alone)
    assert [one.verdict for one in report.sentences] == [one.verdict for one in alone.sentences]
    marked = [fact for fact in report.facts if fact.verdict != "not_checked"]
    assert marked
    assert all(BY_WORDS in (fact.reason or "") for fact in marked)
    assert report.problems


def replies(server: Loopback, said: Callable[[Asked], object | None], judge: Judge) -> None:
    """Has the server answer with what is said of a request, else with the judge's word."""

    def reply(body: Body) -> Reply:
        value = said(received(body))
        return judge.reply(body) if value is None else Reply(texts=(json.dumps(value),))

    server.answer(reply)


def test_a_correction_never_writes_the_prompts_example_into_a_text(
    server: Loopback, tmp_path: Path
) -> None:
    example = "The Kellan Bridge, an arch bridge, was opened on 4 June 1931."
    server.answer(Judge(rewrite=lambda sentence, hints: ("changed", example)).reply)
    corrected = halubot.correct(
        TEXT,
        samples=SAMPLES,
        model="openai/tiny",
        api_base=server.url,
        store=tmp_path / "store",
    ).correction
    assert corrected is not None
    assert "Kellan" not in corrected.text
    assert "4 June" not in corrected.text
    assert "refused" in {edit.action for edit in corrected.edits}


def first_alone(asked: Asked) -> object | None:
    """Yes to the first of all, and no to the rest, as an example in a prompt has it."""
    if asked.prompt == "verify-sentences":
        return {key: {"supported": "1 yes" if key == "0" else "no"} for key in asked.numbers}
    if asked.prompt == "verify-facts":
        words = {key: "1 supports" if key == "0" else "silent" for key in asked.numbers}
        return {key: {"stance": stance} for key, stance in words.items()}
    return None


@pytest.mark.slow
def test_a_verdict_is_not_heard_if_its_sentence_speaks_of_something_else(
    server: Loopback, tmp_path: Path
) -> None:
    """The cats are the last sentence of each sample, and the judge rests everything on them."""
    judge = Judge()

    def cats(body: Body) -> Reply:
        asked = received(body)
        if asked.prompt != "verify-facts":
            return judge.reply(body)
        said = json.loads(judge.said(asked))
        return Reply(
            texts=(json.dumps({key: re.sub(r"^\d+", "3", word) for key, word in said.items()}),)
        )

    server.answer(cats)
    report = judged(server, tmp_path, method="fsc-text")
    assert "supported" not in {fact.verdict for fact in report.facts}
    assert UNFOUNDED in {fact.reason for fact in report.facts}
    assert not any("cats" in one.quote for fact in report.facts for one in fact.evidence)
    assert any(UNFOUNDED in problem.why for problem in report.problems)
    server.answer(judge.reply)
    heard = judged(server, tmp_path / "other", method="fsc-text")
    quotes = {one.quote for fact in heard.facts for one in fact.evidence if one.quote}
    assert "Ada Lovelace was born in 1815 in London." in quotes


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_a_coin_never_makes_a_check_worse_than_words_alone(
    server: Loopback, tmp_path: Path, method: str
) -> None:
    coin = Random(4)  # noqa: S311 - a judge of no worth

    def toss(said: object, source: str = "") -> Stance:
        return coin.choice(("supports", "contradicts"))

    server.answer(Judge(stance=toss, canary=toss).reply)
    report = judged(server, tmp_path, method=method)
    alone = halubot.check(TEXT, samples=SAMPLES, method="consensus")
    doubted = [one.verdict in DOUBTED for one in alone.sentences]
    assert report.details["judge"]["ignored"]
    assert [one.verdict in DOUBTED for one in report.sentences] == doubted


@pytest.mark.parametrize(
    "rewritten",
    [
        "Cats sleep through most of the day.",
        "Ada Lovelace was born in 1815 in London. She had cats. She wrote notes.",
        "Ada Lovelace was born in 1815 in London.\n---\nShe had two cats.",
        "Ada Lovelace was born in 1815 in Quillmouth.",
    ],
    ids=["another subject", "several sentences", "separators", "a name of nobody's"],
)
def test_a_rewrite_that_is_no_correction_is_refused(
    server: Loopback, tmp_path: Path, rewritten: str
) -> None:
    server.answer(Judge(rewrite=lambda sentence, hints: ("changed", rewritten)).reply)
    corrected = halubot.correct(
        TEXT,
        samples=SAMPLES,
        model="openai/tiny",
        api_base=server.url,
        store=tmp_path / "store",
    ).correction
    assert corrected is not None
    assert "cats" not in corrected.text.lower()
    assert "Quillmouth" not in corrected.text
    assert "refused" in {edit.action for edit in corrected.edits}


@pytest.mark.parametrize("method", METHODS)
def test_yes_to_the_first_alone_decides_nothing(
    server: Loopback, tmp_path: Path, method: str
) -> None:
    replies(server, first_alone, Judge())
    report = judged(server, tmp_path, method=method)
    alone = halubot.check(TEXT, samples=SAMPLES, method="consensus")
    assert [fact.verdict for fact in report.facts] == [fact.verdict for fact in alone.facts]
    assert [one.verdict for one in report.sentences] == [one.verdict for one in alone.sentences]
    assert CANNOT_JUDGE in {problem.what for problem in report.problems}


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("answered", [1, 4])
def test_a_model_that_fails_late_leaves_no_less_than_words_know(
    server: Loopback, tmp_path: Path, method: str, answered: int
) -> None:
    judge, calls = Judge(), count()

    def reply(body: Body) -> Reply:
        late = received(body).prompt.startswith("verify") and next(calls) >= answered
        return Reply(status=500) if late else judge.reply(body)

    server.answer(reply)
    report = judged(server, tmp_path, method=method)
    alone = halubot.check(TEXT, samples=SAMPLES, method="consensus")
    checked = {tail for tail, verdict in verdicts(alone).items() if verdict != "not_checked"}
    assert checked
    assert checked <= {tail for tail, one in verdicts(report).items() if one != "not_checked"}
    assert verdicts(report)["1816"] == verdicts(alone)["1816"] == "contradicted"
    assert report.problems
