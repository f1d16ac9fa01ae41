"""Ensemble with members: any methods on the same facts, added up, each heard and shown."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from halubot import calibration, check
from halubot.calibration import Calibrated, Calibrations, load_shipped
from halubot.errors import HalubotError, SettingError
from halubot.events import Event, FactJudged, Labelled, SentenceJudged
from halubot.methods import Case, Method, Size, get, register, registry
from halubot.methods.consensus.word_scores import logistic
from halubot.methods.driver import by_rules
from halubot.report import Calibration, Fact, Report, Stance, Threshold
from halubot.testing import ScriptedModel
from halubot.text import read
from tests.judge import Judge

MESSAGE = "Ada Lovelace was born in 1816 in London. She wrote notes on the Analytical Engine."
RIGHT = "Ada Lovelace was born in 1815 in London. She wrote notes on the Analytical Engine."
OTHERS = [f"Answer {n}. {RIGHT}" for n in range(3)]


class Scripted:
    """A method that says what it is told: of all facts, of all sentences, or of nothing."""

    needs_all = False
    source = "a test"

    def __init__(
        self,
        name: str,
        *,
        facts: float | None = None,
        sentences: float | None = None,
        needs: tuple[str, ...] = ("samples",),
        threshold: float = 0.5,
        failure: Exception | None = None,
    ) -> None:
        self.name = self.summary = name
        self.needs = needs
        self.default_threshold = Threshold(value=threshold, fitted_on="nothing")
        self.said, self.of_sentences, self.failure = facts, sentences, failure
        self.cases: list[Case] = []

    def calls(self, size: Size) -> int:
        return 0

    def judge(self, case: Case) -> Iterator[Event]:
        self.cases.append(case)
        if self.failure is not None:
            raise self.failure
        taken = by_rules(case)
        yield taken
        for fact in taken.facts if self.said is not None else ():
            yield FactJudged(index=fact.index, score=self.said, verdict="doubtful")
        sentences = len(case.message.sentences)
        for index in range(sentences):
            score = self.of_sentences
            verdict = "not_checked" if score is None else "doubtful"
            yield SentenceJudged(index=index, score=score, verdict=verdict, reason="told so")
        yield Labelled(label=f"{self.name} has spoken")


@pytest.fixture
def member(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(registry, "_registered", {})

    def added(name: str, **options: Any) -> Scripted:
        method = Scripted(name, **options)
        register(method)
        return method

    return added


UNFITTED = Calibrations(frozenset(one.data_sha256 for one in load_shipped()))


def fused(members: str, **options: Any) -> Report:
    own = {"samples": OTHERS, "calibrations": UNFITTED, **options}
    return check(MESSAGE, method="ensemble", options={"members": members}, **own)


def parts(report: Report, fact: int = 0) -> dict[str, dict[str, float]]:
    contributions: list[dict[str, dict[str, float]]] = report.details["contributions"]
    return contributions[fact]


def odds(report: Report, fact: int = 0) -> float:
    return sum(part["odds"] * part["weight"] for part in parts(report, fact).values())


def year(report: Report) -> Fact:
    (fact,) = (fact for fact in report.facts if "1816" in fact.triple.tail)
    return fact


class TestWhatMembersSay:
    def test_all_judge_the_same_facts_and_are_added_up(self, member: Any) -> None:
        one, two = member("one", facts=0.9), member("two", facts=0.3)
        report = fused("one,two")
        assert one.cases[0].facts == two.cases[0].facts
        assert [f.triple for f in one.cases[0].facts] == [f.triple for f in report.facts]
        assert parts(report) == {
            "one": {"score": 0.9, "odds": 2.1972, "weight": 1.0},
            "two": {"score": 0.3, "odds": -0.8473, "weight": 1.0},
        }
        assert report.facts[0].score == pytest.approx(0.7941, abs=1e-3)
        assert {fact.verdict for fact in report.facts} == {"doubtful"}
        assert report.details["members"]["two"]["label"] == "two has spoken"

    def test_one_of_sentences_counts_half_for_their_facts(self, member: Any) -> None:
        member("one", facts=0.5)
        member("lines", sentences=0.9)
        report = fused("one,lines")
        assert parts(report)["lines"] == {"score": 0.9, "odds": 2.1972, "weight": 0.5}
        assert report.sentences[0].score == pytest.approx(0.75)

    def test_its_own_threshold_is_where_one_that_is_not_calibrated_divides(
        self, member: Any
    ) -> None:
        member("strict", facts=0.8, threshold=0.8)
        report = fused("strict")
        assert parts(report)["strict"]["odds"] == 0.0
        assert report.facts[0].score == 0.5
        assert report.details["members"]["strict"]["calibrated_on"] is None

    def test_a_calibration_says_what_a_score_stands_for(
        self, member: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        member("one", facts=0.6)
        fitted = Calibrated(
            method="one",
            model=None,
            material="samples",
            calibration=Calibration(intercept=1.25, slope=2.0, fitted_on="a few rows"),
            data_sha256="0" * 64,
            rows=20,
            units=40,
            wrong=20,
            engine="0",
            made="2026-01-01",
        )
        monkeypatch.setattr(calibration, "load_shipped", lambda: (fitted,))
        report = fused("one")
        assert parts(report)["one"]["odds"] == pytest.approx(2 * math.log(1.5), abs=1e-3)
        assert report.details["members"]["one"]["calibrated_on"] == "a few rows"

    def test_ranks_come_half_from_the_message_and_scores_do_not(self, member: Any) -> None:
        class Uneven(Scripted):
            def judge(self, case: Case) -> Iterator[Event]:
                taken = by_rules(case)
                for fact in taken.facts:
                    score = 0.9 if fact.sentences == (0,) else 0.2
                    yield FactJudged(index=fact.index, score=score, verdict="supported")
                for index in range(2):
                    yield SentenceJudged(index=index, score=0.9 - 0.7 * index, verdict="supported")

        register(Uneven("uneven"))
        report = fused("uneven")
        right = report.sentences[1]
        assert right.score == pytest.approx(0.2)
        assert right.rank is not None
        assert right.rank > 0.2
        assert report.sentences[0].rank > right.rank  # type: ignore[operator]


class TestReferences:
    def test_a_reference_overrules_those_that_heard_samples_alone(self, member: Any) -> None:
        wrong = [MESSAGE] * 20
        for name in ("one", "two", "three"):
            member(name, facts=0.0)
        members = "consensus,one,two,three"
        without = fused(members, samples=wrong)
        assert year(without).verdict == "supported"
        report = fused(members, samples=wrong, references=[RIGHT])
        fact = year(report)
        assert fact.verdict == "contradicted"
        own = parts(report, fact.index)
        assert [own[name]["weight"] for name in ("consensus", "one", "two")] == [1.0, 0.0, 0.0]
        assert own["one"]["odds"] == -4.0
        assert fact.count("supports") == 20
        assert "references" in fact.basis

    def test_a_member_gets_what_it_compares_with(self, member: Any) -> None:
        samples = member("one", facts=0.4)
        references = member("two", facts=0.4, needs=("references",))
        report = fused("one,two", references=[RIGHT])
        assert (len(samples.cases[0].samples), samples.cases[0].references) == (3, ())
        assert (references.cases[0].samples, len(references.cases[0].references)) == ((), 1)
        assert report.problems == ()


class TestWhoCannot:
    def test_one_that_fails_is_a_note_and_the_others_go_on(self, member: Any) -> None:
        member("one", facts=0.9)
        member("broken", failure=HalubotError("the wire broke"))
        report = fused("broken,one")
        assert [(p.what, p.why) for p in report.problems] == [
            ("broken took no part", "the wire broke")
        ]
        assert set(parts(report)) == {"one"}
        assert report.facts[0].verdict == "doubtful"

    def test_one_that_scores_nothing_took_no_part(self, member: Any) -> None:
        member("one", facts=0.9)
        member("mute")
        report = fused("one,mute")
        assert ("mute took no part", "told so") in [(p.what, p.why) for p in report.problems]
        assert set(report.details["members"]) == {"one"}

    def test_without_a_model_those_that_need_none_judge(self) -> None:
        report = fused("consensus,selfcheck-ngram,fsc-text")
        assert set(parts(report)) == {"consensus", "selfcheck-ngram"}
        assert [p.what for p in report.problems] == ["fsc-text took no part"]
        assert year(report).verdict == "contradicted"
        assert report.models.judge is None

    @pytest.mark.parametrize(
        ("members", "told"),
        [
            ("ensemble", "member of itself"),
            ("consensus,consensus", "named twice"),
            ("consensus,", "empty name"),
            (3, "not names of methods"),
            (["consensus", 4], "not names of methods"),
        ],
    )
    def test_members_that_cannot_be_are_refused(self, members: Any, told: str) -> None:
        with pytest.raises(SettingError, match=told):
            fused(members)


class TestWithAModel:
    def run(self, model: ScriptedModel, folder: Path, members: str, **options: Any) -> Report:
        return fused(members, model=model, store=folder / "store", **options)

    def test_facts_are_extracted_once_and_each_member_asks_its_own(self, tmp_path: Path) -> None:
        judge = Judge()
        report = self.run(
            ScriptedModel(judge),
            tmp_path,
            "consensus,triplet-check,fsc-text,selfcheck-prompt,bcv",
            references=[RIGHT],
        )
        asked = Counter(one.prompt for one in judge.asked)
        assert asked["extract"] == 1
        assert asked["verify-facts"] == asked["verify-sentences"] == 3
        fact = year(report)
        assert fact.verdict == "contradicted"
        weights = {name: part["weight"] for name, part in parts(report, fact.index).items()}
        assert weights == {
            "consensus": 1.0,
            "triplet-check": 1.0,
            "fsc-text": 0.0,
            "selfcheck-prompt": 0.0,
            "bcv": 0.25,
        }
        assert fact.basis == ("samples", "references", "model")
        assert len(fact.evidence) == len(report.sources)
        assert report.problems == ()
        assert report.usage.calls == len(judge.asked)

    def test_samples_are_drawn_once_for_all(self, tmp_path: Path) -> None:
        judge = Judge(samples=(RIGHT,))
        report = self.run(
            ScriptedModel(judge),
            tmp_path,
            "consensus,fsc-text",
            samples=[],
            question="Who was Ada?",
            n_samples=7,
        )
        assert len(report.sources) == 7
        assert Counter(one.prompt for one in judge.asked)["answer"] == 7
        again = ScriptedModel(Judge(samples=(RIGHT,)))
        same = self.run(
            again,
            tmp_path,
            "consensus,fsc-text",
            samples=[],
            question="Who was Ada?",
            n_samples=7,
        )
        assert again.calls == 0
        assert same.facts == report.facts


class TestByItself:
    @pytest.mark.slow
    def test_contributions_add_up_to_the_score(self, tmp_path: Path) -> None:
        def stance(fact: str, source: str) -> Stance:
            return "contradicts" if "1816" in fact else "supports"

        for references in ([], [RIGHT]):
            report = check(
                MESSAGE,
                method="ensemble",
                model=ScriptedModel(Judge(stance=stance)),
                store=tmp_path / f"store{len(references)}",
                samples=[RIGHT] * 5,
                references=references,
            )
            for fact in report.facts:
                named = ["samples", *["references"] * len(references), "model"]
                assert list(parts(report, fact.index)) == named
                assert fact.score == pytest.approx(logistic(odds(report, fact.index)), abs=1e-3)


class Before:
    """A method, of the same case with facts that were extracted before."""

    def __init__(self, method: str, facts: tuple[Fact, ...]) -> None:
        self._method, self._facts = get(method), facts
        self.name, self.needs_all = "before", False
        self.needs, self.default_threshold = self._method.needs, self._method.default_threshold

    def judge(self, case: Case) -> Iterator[Event] | AsyncIterator[Event]:
        return self._method.judge(replace(case, facts=self._facts))


@pytest.mark.parametrize(
    "method",
    [
        *("consensus", "cascade", "ensemble", "fsc-frequency", "fsc-kg", "fsc-text"),
        *("gca", "knowhalu", "triplet-check"),
    ],
)
def test_facts_that_come_with_a_case_are_not_extracted_again(
    method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = by_rules(Case(read(MESSAGE))).facts[:2]
    monkeypatch.setitem(registry._registered, "before", cast("Method", Before(method, facts)))
    judge = Judge()
    report = check(
        MESSAGE,
        method="before",
        model=ScriptedModel(judge),
        store=tmp_path / "store",
        samples=OTHERS,
        references=[RIGHT],
    )
    texts = [one.fields["text"] for one in judge.asked if one.prompt == "extract"]
    assert MESSAGE not in texts
    assert [fact.triple for fact in report.facts] == [fact.triple for fact in facts]
    assert report.details["extraction"] == "extracted before"
