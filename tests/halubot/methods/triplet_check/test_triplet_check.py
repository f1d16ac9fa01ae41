"""`triplet-check`: each variant by hand, windows joined, numbers by rules, and nothing lost."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from halubot import check
from halubot.methods.triplet_check import reference_triples
from halubot.methods.triplet_check.triplet_check import VARIANTS
from halubot.models.model import Request
from halubot.models.panel import Panel
from halubot.report import Report, Source, Stance
from halubot.testing import ScriptedModel
from tests.halubot.methods.calls.scripted import Parts, Scripted
from tests.judge import Asked, Judge

OPENED, DESIGNED, GREET = (
    "The Kellan Bridge was opened in 1931 and links Osby.",
    "Ada Holm designed it.",
    "Good day.",
)
TEXT = f"{OPENED} {DESIGNED} {GREET}"
YEAR, OSBY, HOLM = (
    ("The Kellan Bridge", "was opened in", "1931"),
    ("The Kellan Bridge", "links", "Osby"),
    ("Ada Holm", "designed", "the Kellan Bridge"),
)
FACTS: dict[str, list[Parts]] = {OPENED: [YEAR, OSBY], DESIGNED: [HOLM]}
REFERENCE = "The Kellan Bridge was opened in 1931. Bo Lind designed it. It is a bridge of granite."
TOLD: list[Parts] = [
    ("The Kellan Bridge", "was opened in", "1931"),
    ("Bo Lind", "designed", "the Kellan Bridge"),
    ("The Kellan Bridge", "is a bridge of", "granite"),
]
SAID: Mapping[str, Stance] = {
    "1931": "supports",
    "Osby": "silent",
    "the Kellan Bridge": "contradicts",
}
SCORES = [0.0, 0.75, 1.0]


def stance(fact: str, source: str) -> Stance:
    """By the fact's tail, where the source holds anything that decides it."""
    tail = fact.rpartition(" | ")[2]
    decides = {"1931": "1931", "Osby": "granite", "the Kellan Bridge": "Bo Lind"}[tail]
    return SAID[tail] if decides in source else "silent"


def dictated(**options: Any) -> Scripted:
    options.setdefault("told", lambda text: TOLD)
    return Scripted(Judge(stance=stance), facts=FACTS, **options)


def checked(
    judge: Callable[[Request], str | Exception] | None,
    text: str = TEXT,
    variant: str | None = None,
    **options: Any,
) -> Report:
    if judge is not None:
        model = ScriptedModel(judge)
        options["panel"] = Panel(answer=model, judge=model)
    if variant is not None:
        options["options"] = {"variant": variant, **options.get("options", {})}
    options.setdefault("references", [REFERENCE])
    return check(text, method="triplet-check", **options)


def scores(report: Report) -> list[float | None]:
    return [fact.score for fact in report.facts]


def verdicts(report: Report) -> list[str]:
    return [fact.verdict for fact in report.facts]


REASONED = {name for name, style in VARIANTS.items() if style.reasons}
PROMPTS = {
    "few-shot": "triplet-baseline",
    "detailed-few-shot": "triplet-detailed",
    "all": "triplet-detailed-reasoning",
    "split": "triplet-detailed-reasoning",
}
"""The prompts of the variants that are not named like them."""


@pytest.mark.parametrize("variant", VARIANTS)
def test_by_hand(variant: str) -> None:
    judge = dictated()
    report = checked(judge, variant=variant)
    pairs = {"extract": 1, "triplet-pairwise": 3}
    comparing = PROMPTS.get(variant, f"triplet-{variant}")
    # One call for all facts, or one a fact.
    asked = 3 if variant == "split" else 1
    sets = {"extract": 1, "triplet-reference": 1, comparing: asked}
    expected = pairs if variant == "pairwise" else sets
    assert Counter(judge.prompts()) == expected
    assert report.usage.calls == sum(expected.values())
    assert [fact.triple for fact in report.facts] == [YEAR, OSBY, HOLM]
    assert scores(report) == SCORES
    assert verdicts(report) == ["supported", "doubtful", "contradicted"]
    assert [fact.rank for fact in report.facts] == SCORES
    assert [(s.score, s.verdict) for s in report.sentences] == [
        (0.75, "doubtful"),
        (1.0, "contradicted"),
        (None, "not_checked"),
    ]
    assert report.sentences[0].reason == "the references do not bear it out"
    assert report.sentences[2].reason == "no fact was found in it"
    assert report.score == pytest.approx(1.75 / 2.75)
    assert {fact.basis for fact in report.facts} == {("references", "model")}
    assert not report.problems
    assert report.details["variant"] == variant
    year, osby, holm = report.facts
    assert (year.reason, osby.reason, holm.reason) == (
        None,
        "the references do not bear it out",
        None,
    )
    assert [item.stance for item in (*year.evidence, *osby.evidence, *holm.evidence)] == [
        "supports",
        "silent",
        "contradicts",
    ]
    for item in (year.evidence[0], holm.evidence[0]):
        assert item.quote == REFERENCE[item.start : item.end]
    assert year.evidence[0].quote == "The Kellan Bridge was opened in 1931."
    if variant in REASONED:  # else the judge names no triple, and the likest sentence is quoted
        assert holm.evidence[0].quote == "Bo Lind designed it."


@pytest.mark.parametrize("as_published", [False, True])
@pytest.mark.parametrize("variant", sorted(REASONED))
def test_as_published_there_is_no_rule_for_both(variant: str, as_published: bool) -> None:
    seen: list[str] = []

    def answer(request: Request) -> str | Exception:
        seen.append(" ".join(message.content for message in request.messages))
        return judge(request)

    judge = dictated()
    checked(answer, variant=variant, as_published=as_published)
    assert ("both lists of a fact have numbers" in seen[-1]) != as_published


@pytest.mark.parametrize("variant", sorted(set(VARIANTS) - {"pairwise", "split"}))
def test_a_fact_is_supported_if_any_window_supports_it(
    monkeypatch: pytest.MonkeyPatch, variant: str
) -> None:
    monkeypatch.setattr(reference_triples, "TRIPLES", 1)
    judge = dictated()
    report = checked(judge, variant=variant)
    assert judge.prompts().count(PROMPTS.get(variant, f"triplet-{variant}")) == 3
    assert report.usage.calls == 2 + 3
    # 1931 is in the first window alone, Bo Lind in the second, Osby in none.
    assert scores(report) == SCORES
    shown = [one.fields["triples"] for one in judge.asked if "triples" in one.fields]
    assert sorted(number for triples in shown for number in triples) == ["0", "1", "2"]


class TestNumbersAndDates:
    """Decided by rules, whatever the judge says."""

    def gullible(self, **options: Any) -> Scripted:
        return Scripted(
            Judge(stance=lambda fact, source: "supports"),
            facts={"The Kellan Bridge was opened in 1931.": [YEAR], "It spans 212 metres.": [SPAN]},
            **options,
        )

    @pytest.mark.parametrize("variant", [one for one in VARIANTS if one != "pairwise"])
    def test_another_value_in_the_reference_contradicts(self, variant: str) -> None:
        text = "The Kellan Bridge was opened in 1931."
        report = checked(
            self.gullible(), text, variant, references=["The Kellan Bridge was opened in 1932."]
        )
        (fact,) = report.facts
        assert (fact.score, fact.verdict) == (1.0, "contradicted")
        (evidence,) = fact.evidence
        assert (evidence.stance, evidence.value, evidence.note) == (
            "contradicts",
            "1932",
            "says 1932",
        )

    @pytest.mark.parametrize("variant", VARIANTS)
    def test_a_value_that_is_nowhere_is_doubtful(self, variant: str) -> None:
        text = "It spans 212 metres."
        report = checked(
            self.gullible(), text, variant, references=["The Kellan Bridge is of granite."]
        )
        (fact,) = report.facts
        assert (fact.score, fact.verdict) == (0.75, "doubtful")
        assert fact.reason == "212 metres is nowhere in the references"

    def test_references_that_disagree_are_both_shown(self) -> None:
        text = "The Kellan Bridge was opened in 1931."
        report = checked(
            self.gullible(),
            text,
            references=["The Kellan Bridge was opened in 1932.", text],
        )
        (fact,) = report.facts
        assert (fact.score, fact.verdict) == (0.5, "doubtful")
        assert fact.reason == "the references disagree with each other"
        assert [item.stance for item in fact.evidence] == ["contradicts", "supports"]


SPAN = ("The Kellan Bridge", "spans", "212 metres")


def test_references_that_the_judge_finds_to_disagree() -> None:
    def said(fact: str, source: str) -> Stance:
        if "Ada Holm" in source and "Bo Lind" in source:
            return "contradicts"
        return "supports" if "Ada Holm" in source else "contradicts"

    def told(text: str) -> Sequence[Parts]:
        return [(text.partition(" was")[0], "was", "the engineer")]

    judge = Scripted(Judge(stance=said), facts={DESIGNED: [HOLM]}, told=told)
    references = ["Ada Holm was the engineer.", "Bo Lind was the engineer."]
    report = checked(judge, DESIGNED, references=references)
    (fact,) = report.facts
    assert (fact.score, fact.verdict) == (0.5, "doubtful")
    assert fact.reason == "the references disagree with each other"
    assert [(item.stance, item.quote) for item in fact.evidence] == [
        ("supports", references[0]),
        ("contradicts", references[1]),
    ]
    published = checked(judge, DESIGNED, references=references, as_published=True)
    assert verdicts(published) == ["contradicted"]


class TestReferences:
    """Empty, without facts, huge."""

    @pytest.mark.parametrize("text", ["", " \n", None])
    def test_without_text_nothing_is_checked_and_nothing_asked(self, text: str | None) -> None:
        judge = dictated()
        report = checked(judge, references=[Source(id="r1", kind="reference", text=text)])
        assert set(verdicts(report)) == {"not_checked"}
        assert {fact.reason for fact in report.facts} == {"the references hold no text"}
        assert report.usage.calls == 0

    @pytest.mark.parametrize("variant", ["detailed-reasoning", "pairwise"])
    def test_of_long_ones_what_is_nearest_to_the_message_is_read(self, variant: str) -> None:
        filler = "Wool and salt were sold on the market of Norland, and wine. " * 1000
        judge = dictated(told=lambda text: TOLD if "Bo Lind" in text else [])
        long: dict[str, Any] = {"references": [filler + REFERENCE + filler]}
        report = checked(judge, variant=variant, options={"windows": 1}, **long)
        assert scores(report) == SCORES
        (problem,) = report.problems
        assert problem.what == "the references were read in part"
        assert problem.why.startswith(f"of {2 * len(filler) + len(REFERENCE):,} characters ")
        assert report.usage.calls <= 5
        for fact in (report.facts[0], report.facts[2]):
            (item,) = fact.evidence
            assert item.start >= len(filler)
            assert item.quote == str(report.sources[0].text)[item.start : item.end]


class TestFaults:
    """Asked again up to the limit; what remains is not checked, and the rest is kept."""

    @pytest.mark.parametrize("variant", ["baseline", "all"])
    def test_a_fact_that_is_not_judged(self, variant: str) -> None:
        prompt = PROMPTS.get(variant, f"triplet-{variant}")

        def fails(asked: Asked) -> str | None:
            if asked.prompt != prompt:
                return None
            whole = json.loads(dictated().judge.said(asked))
            whole.pop("1", None)
            return json.dumps(whole)

        judge = dictated(fails=fails)
        report = checked(judge, variant=variant)
        assert judge.prompts().count(prompt) == 3
        assert verdicts(report) == ["supported", "not_checked", "contradicted"]
        assert "left it out" in str(report.facts[1].reason)
        first, second, _ = report.sentences
        assert (first.verdict, first.score) == ("not_checked", 0.0)
        assert second.verdict == "contradicted"
        assert "1 of 3 facts were not judged" in {p.what for p in report.problems}

    def test_triples_that_are_not_there_are_not_named(self) -> None:
        def fails(asked: Asked) -> str | None:
            if not asked.prompt.startswith("triplet-detailed"):
                return None
            told = {"supporting": [0, 7, -1, 0], "contradicting": [99], "reasons": "a\n b"}
            return json.dumps({key: {**told, "stance": "supports"} for key in asked.numbers})

        report = checked(dictated(fails=fails))
        (comparison,) = report.details["comparisons"]
        assert comparison["facts"]["1"]["supporting"] == [0]
        assert comparison["facts"]["1"]["contradicting"] == []
        assert report.facts[1].evidence[0].note == "a b"
