"""What a message says is looked up in knowledge, and compared with what is found."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from halubot import acheck, check, correct
from halubot.claims import extract
from halubot.cli.check_run import status
from halubot.errors import SettingError
from halubot.evidence.knowledge.named_bases import InMemory
from halubot.methods.knowledge_passages import IN_ALL, NEAREST, queries
from halubot.methods.registry import Case
from halubot.offline import network_refused
from halubot.testing import ScriptedModel
from halubot.text import read
from tests.judge import Judge
from tests.knowledge import KELLAN, OSTBY, Asked, article

WRONG = KELLAN.replace("1931", "1932")
SAID = "The Kellan Bridge was opened in 1932."


def both() -> Asked:
    return Asked("bridges", [article("Kellan Bridge", KELLAN), article("Ostby Bridge", OSTBY)])


def asked(message: str, most: int = 200, **given: Any) -> list[str]:
    case = Case(read(message), **given)
    return queries(case, extract(case.message, subject=case.subject), most)


class TestQueries:
    def test_a_sentence_is_asked_with_the_name_its_pronoun_stands_for(self) -> None:
        message = "Ada Lovelace was a writer. She was born in 1815."
        assert asked(message) == [
            "Ada Lovelace was a writer.",
            "She was born in 1815. Ada Lovelace",
        ]

    def test_with_the_subject_where_it_does_not_name_it(self) -> None:
        message = "Born in London. Ada wrote."
        assert asked(message, subject="Ada") == ["Born in London. Ada", "Ada wrote."]

    def test_with_the_question_where_it_names_nothing(self) -> None:
        question = "When was the Kellan Bridge opened?"
        assert asked("In 1931.", question=question) == [question, f"In 1931. {question}"]
        assert asked("The Ostby Bridge is old.", question=question)[1] == "The Ostby Bridge is old."


class TestChecking:
    def test_a_passage_is_taken_at_its_word_and_cited(self) -> None:
        where = {"place": "section History", "location": "https://x.org/k", "date": "2026-03-01"}
        base = InMemory("bridges", [article("Kellan Bridge", KELLAN, **where)])
        report = check(WRONG, knowledge=[base])
        fact = report.facts[0]
        assert (fact.verdict, fact.basis) == ("contradicted", ("references",))
        assert fact.evidence[0].quote == "The Kellan Bridge was opened in 1931."
        source = report.source(fact.evidence[0].source)
        assert (source.id, source.kind, source.title) == ("k1", "knowledge", "Kellan Bridge")
        assert (source.place, source.location, source.date) == (*where.values(),)
        assert source.text is not None
        assert source.text[fact.evidence[0].start : fact.evidence[0].end] == fact.evidence[0].quote
        assert len(source.hash) == 16
        assert {one.verdict for one in report.facts[1:]} == {"supported"}

    def test_another_subject_contradicts_nothing(self) -> None:
        text = "Work began in May. The bridge was opened in 1900. The keeper kept a log."
        report = check(SAID, knowledge=[InMemory("b", [article("Harbour handbook", text)])])
        assert report.sources == ()
        assert report.facts[0].verdict == "not_checked"
        assert report.facts[0].reason == "no passage of b names what the text is about"
        assert status(report) == 3

    def test_a_question_is_called_for_only_where_the_text_names_nothing(self) -> None:
        base = InMemory("b", [article("Harbour handbook", "It was opened in 1900 by sailors.")])
        report = check("It was opened in 1931.", knowledge=[base])
        why = "no passage of b names what the text is about: a question or subject helps"
        assert report.facts[0].reason == why

    def test_nothing_like_it_is_no_pass(self) -> None:
        report = check("Zygotes hum.", knowledge=[both()])
        assert [one.verdict for one in report.sentences] == ["not_checked"]
        (problem,) = report.problems
        assert problem.why == "no passage of bridges shares a word with the text"
        assert status(report) == 3

    @pytest.mark.parametrize(
        ("answer", "question", "verdict"),
        [
            ("In 1931.", "When was the Kellan Bridge opened?", "not_checked"),
            ("It was opened in 1931.", "When was the Kellan Bridge opened?", "not_checked"),
            ("It was opened in 1900.", "When was the Kellan Bridge opened?", "contradicted"),
            ("It was opened in 1900.", "When was the Varn Tunnel opened?", "not_checked"),
            ("It was opened in 1900.", None, "not_checked"),
            ("Bile.", "What does the liver make?", "not_checked"),
        ],
    )
    def test_of_an_answer_without_names_the_question_tells(
        self, answer: str, question: str | None, verdict: str
    ) -> None:
        texts = [
            article("Kellan Bridge", KELLAN),
            article("Ostby Bridge", OSTBY),
            article("Liver", "The liver makes bile, some 800 ml a day."),
        ]
        report = check(answer, question=question, knowledge=[InMemory("b", texts)])
        assert [fact.verdict for fact in report.facts] == [verdict]

    def test_a_base_that_is_down_is_a_note_and_the_others_go_on(self) -> None:
        down = Asked("wiki", [OSTBY], online=True, fails_at=1)
        report = check(WRONG, knowledge=[down, both()])
        assert report.facts[0].verdict == "contradicted"
        (problem,) = report.problems
        assert problem.what == "wiki could not be searched"
        assert len(down.queries) == 1

    def test_no_more_passages_than_are_said(self) -> None:
        texts = [f"The Kellan Bridge was opened in 1931, says paper {n}." for n in range(200)]
        text = " ".join(["The Kellan Bridge was opened in 1931."] + ["It is long and old."] * 11)
        base = Asked("papers", texts)
        report = check(text, knowledge=[base])
        assert 0 < len(report.sources) <= IN_ALL
        few = check("The Kellan Bridge was opened in 1931.", knowledge=[base])
        assert len(few.sources) == NEAREST

    def test_an_unknown_base_is_refused_before_anything(self, tmp_path: Path) -> None:
        with pytest.raises(SettingError, match="no knowledge base 'brigdes'"):
            check(WRONG, knowledge=["brigdes"])

    def test_offline_nothing_is_looked_up_online(self) -> None:
        with network_refused(), pytest.raises(SettingError, match="--offline"):
            check(WRONG, knowledge=["wikipedia"])


class TestCorrecting:
    def test_the_corrected_text_is_checked_by_the_same_passages(self) -> None:
        base = both()
        report = correct(WRONG, knowledge=[base])
        before = len(base.queries)
        assert report.correction is not None
        assert report.correction.text == KELLAN
        again = report.correction.report
        assert again is not None
        assert [(one.id, one.kind, one.text) for one in again.sources] == [
            (one.id, one.kind, one.text) for one in report.sources
        ]
        assert {fact.verdict for fact in again.facts} == {"supported"}
        assert len(base.queries) == before == 2


class TestModels:
    @pytest.mark.parametrize("method", ["cascade", "ensemble", "triplet-check"])
    def test_what_is_found_is_read_by_the_judge(self, method: str) -> None:
        judge = Judge()
        report = check(
            WRONG,
            question="When was it opened?",
            knowledge=[both()],
            model=ScriptedModel(judge),
            method=method,
        )
        assert not any(one.kind == "sample" for one in report.sources)
        assert report.facts[0].verdict == "contradicted"
        assert any("opened in 1931" in str(one.fields) for one in judge.asked)

    def test_many_passages_take_one_call(self) -> None:
        texts = [f"The Kellan Bridge was opened in 1931, says paper {n}." for n in range(9)]
        texts += [f"The Kellan Bridge links Osby and Varn, says paper {n}." for n in range(9)]
        report = check(KELLAN, knowledge=[InMemory("papers", texts)], model=ScriptedModel(Judge()))
        assert len(report.sources) > NEAREST
        assert report.usage.calls == 2
        assert report.facts[0].verdict == "supported"


def test_a_deadline_ends_a_slow_search() -> None:
    class Slow(InMemory):
        async def search(self, query: str, k: int) -> Any:
            await asyncio.Event().wait()

    report = asyncio.run(acheck(WRONG, knowledge=[Slow("slow", [KELLAN])], deadline=0.05))
    assert "the deadline of 0.05 s passed" in report.problems[-1].why
