"""The fold of a log is total on every prefix, and a stored log replays."""

from __future__ import annotations

import pytest

from halubot.events import (
    EVENT,
    Done,
    Event,
    FactJudged,
    FactsExtracted,
    Labelled,
    Note,
    Progress,
    Ranked,
    SentenceJudged,
    Spent,
    Started,
    fold,
)
from halubot.report import Evidence, Fact, Threshold, Triple, Usage

TEXT = "Ada was born in 1815. She wrote notes."


def whole_log() -> list[Event]:
    """One event of each kind, in the order of a run."""
    facts = (
        Fact(
            index=0, triple=Triple("Ada", "was born in", "1815"), sentences=(0,), spans=((0, 20),)
        ),
        Fact(index=1, triple=Triple("Ada", "wrote", "notes"), sentences=(1,), spans=((22, 37),)),
    )
    return [
        Started(
            text=TEXT,
            sentences=((0, 21), (22, 38)),
            method="m",
            engine="0",
            threshold=Threshold(value=0.5),
        ),
        Note(what="a sample was left out", why="it is empty"),
        FactsExtracted(facts=facts, how="English parser"),
        Progress(what="comparing", done=1, of=2),
        FactJudged(
            index=1,
            score=0.9,
            verdict="doubtful",
            basis=("samples",),
            evidence=(Evidence(source="s1", stance="silent"),),
        ),
        SentenceJudged(index=1, score=0.8, verdict="doubtful"),
        Spent(usage=Usage(calls=1, prompt_tokens=10, cost_usd=0.5)),
        Spent(usage=Usage(calls=2, cached_calls=1)),
        Ranked(score=0.7, facts=(0.1, 0.9), sentences=(0.2, 0.8)),
        Labelled(label="INCORRECT", details={"steps": 3}),
        Done(seconds=1.5),
    ]


def test_every_prefix_of_a_log_is_a_report_whose_unjudged_facts_say_why() -> None:
    log = whole_log()
    for length in range(1, len(log) + 1):
        report = fold(log[:length])
        assert report.text == TEXT
        judged = [(fact.verdict, fact.reason) for fact in report.facts]
        judged += [(sentence.verdict, sentence.reason) for sentence in report.sentences]
        assert all(verdict != "not_checked" or reason for verdict, reason in judged)


def test_the_whole_log_makes_the_whole_report() -> None:
    report = fold(whole_log())
    assert [fact.verdict for fact in report.facts] == ["not_checked", "doubtful"]
    assert report.facts[0].reason == "the method gave no verdict"
    assert report.facts[1].evidence[0].source == "s1"
    assert [fact.rank for fact in report.facts] == [0.1, 0.9]
    assert [sentence.facts for sentence in report.sentences] == [(0,), (1,)]
    assert report.sentences[1].score == 0.8
    assert report.score == 0.7
    assert report.label == "INCORRECT"
    assert report.details == {"extraction": "English parser", "steps": 3}
    assert [problem.what for problem in report.problems] == ["a sample was left out"]
    assert report.usage == Usage(
        calls=3, cached_calls=1, prompt_tokens=10, cost_usd=0.5, seconds=1.5
    )


def test_a_cancelled_log_says_so_in_facts_and_problems() -> None:
    log = [*whole_log()[:4], Done(outcome="cancelled", why="it was stopped")]
    report = fold(log)
    assert {fact.reason for fact in report.facts} == {
        "the check was cancelled before this was judged"
    }
    assert report.problems[-1].why == "it was stopped"


def test_a_stored_log_replays() -> None:
    log = whole_log()
    stored = [event.model_dump_json() for event in log]
    assert [EVENT.validate_json(line) for line in stored] == log
    assert fold(EVENT.validate_json(line) for line in stored) == fold(log)


def test_a_log_without_its_beginning_is_refused() -> None:
    with pytest.raises(ValueError, match="Started"):
        fold(whole_log()[1:])
    with pytest.raises(ValueError, match="Started"):
        fold([])
