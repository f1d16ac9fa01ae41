"""FactSelfCheck: the formulas by hand, asked in both ways, and nothing lost where calls fail."""

from __future__ import annotations

import json
from typing import Any

import pytest

from halubot import check
from halubot.models.panel import Panel
from halubot.reliability import CANNOT_JUDGE
from halubot.report import Report, Stance
from halubot.testing import ScriptedModel
from tests.halubot.methods.calls.scripted import Parts, Scripted, refused
from tests.judge import Asked, Judge

BORN, WROTE, GREET = "Ada Weir was born in Ulm in 1828.", "She wrote songs.", "Good day."
TEXT_ = f"{BORN} {WROTE} {GREET}"
ULM, YEAR, SONGS = (
    ("Ada Weir", "was born in", "Ulm"),
    ("Ada Weir", "was born in", "1828"),
    ("Ada Weir", "wrote", "songs"),
)
FACTS: dict[str, list[Parts]] = {BORN: [ULM, YEAR], WROTE: [SONGS]}
SAMPLES = [f"{n} told of Ada Weir, born in 1829." for n in ("One", "Two", "Three", "Four")]
SAID: dict[str, list[Stance]] = {
    # by the first word of the sample: what it says of Ulm, of 1828 and of songs
    "One": ["supports", "contradicts", "silent"],
    "Two": ["supports", "contradicts", "silent"],
    "Three": ["supports", "supports", "silent"],
    "Four": ["silent", "contradicts", "supports"],
}
SCORES = [1 / 4, 3 / 4, 3 / 4]
METHODS = ["fsc-frequency", "fsc-kg", "fsc-text"]


def told(sample: str) -> list[Parts]:
    """The triples of a sample: those facts that it supports, and what it says otherwise."""
    name = sample.partition(" ")[0]
    said = SAID[name]
    held = [
        fact for fact, stance in zip((ULM, YEAR, SONGS), said, strict=True) if stance == "supports"
    ]
    return [*held, ("Ada Weir", "was born in", "1829"), (name, "is", "a sample")]


def stance(fact: str, source: str) -> Stance:
    """By the sample's first word, which is among its triples too."""
    named = next(name for name in SAID if name in source)
    return SAID[named][["Ulm", "1828", "songs"].index(fact.rpartition(" ")[2])]


def dictated(**options: Any) -> Scripted:
    return Scripted(**{"judge": Judge(stance=stance), "facts": FACTS, "told": told, **options})


def checked(method: str, judge: Scripted | None, text: str = TEXT_, **options: Any) -> Report:
    if judge is not None:
        model = ScriptedModel(judge)
        options["panel"] = Panel(answer=model, judge=model)
    options.setdefault("samples", SAMPLES)
    return check(text, method=method, **options)


@pytest.mark.parametrize(
    ("method", "as_published", "calls"),
    [
        ("fsc-frequency", False, {"extract": 5}),
        ("fsc-kg", False, {"extract": 1, "verify-facts-triples": 4}),
        ("fsc-text", False, {"extract": 1, "verify-facts": 4}),
        # 2 + U and then N, N + F * N, F * N.
        ("fsc-frequency", True, {"extract-sample": 4}),
        ("fsc-kg", True, {"extract-sample": 4, "fsc-kg": 12}),
        ("fsc-text", True, {"fsc-text": 12}),
    ],
)
def test_by_hand(method: str, as_published: bool, calls: dict[str, int]) -> None:
    judge = dictated()
    report = checked(method, judge, as_published=as_published)
    if as_published:
        calls = {"extract-entities": 1, "extract-relations": 1, "extract-sentence": 3, **calls}
    prompts = judge.prompts()
    assert {name: prompts.count(name) for name in prompts} == calls
    assert report.usage.calls == sum(calls.values())
    assert [fact.triple for fact in report.facts] == [ULM, YEAR, SONGS]
    assert [fact.score for fact in report.facts] == SCORES
    # Matched triples rank by how sure each match is.
    near = 0.0 if as_published or method != "fsc-frequency" else 0.1
    assert [fact.rank for fact in report.facts] == pytest.approx(SCORES, abs=near)
    assert [sentence.score for sentence in report.sentences] == [3 / 4, 3 / 4, None]
    ranks = [sentence.rank for sentence in report.sentences]
    assert ranks[:2] == pytest.approx([3 / 4, 3 / 4], abs=near)
    assert ranks[2] is None
    assert report.details["mean_of_facts"] == [0.5, 0.75, None]
    assert report.score == 3 / 4
    assert report.sentences[2].verdict == "not_checked"
    assert report.sentences[2].reason == "no fact was found in it"
    assert all(fact.basis == ("samples", "model") for fact in report.facts)
    assert not report.problems
    assert report.details["extraction"] == "scripted"


@pytest.mark.parametrize("method", ["fsc-kg", "fsc-text"])
def test_verdicts_of_three_stances(method: str) -> None:
    report = checked(method, dictated())
    # 1828: three contradict and one supports; songs: three are silent.
    assert [fact.verdict for fact in report.facts] == ["supported", "contradicted", "doubtful"]
    assert [s.verdict for s in report.sentences] == ["contradicted", "doubtful", "not_checked"]
    year = report.facts[1]
    assert [item.stance for item in year.evidence] == [said[1] for said in SAID.values()]
    assert [item.source for item in year.evidence] == ["s1", "s2", "s3", "s4"]
    against = year.evidence[0]
    assert against.value == "1829"
    assert against.quote == SAMPLES[0][against.start : against.end] == SAMPLES[0]


def test_frequency_matches_other_words_unless_exact_is_asked_for() -> None:
    def loosely(sample: str) -> list[Parts]:
        return [("Ulm", "is the birthplace of", "Weir"), ("ADA WEIR", "Was Born In", "1828")]

    facts = {BORN: [("Ada Weir", "was born in", "Ulm"), YEAR]}
    scores = {}
    for match in ("verified", "fuzzy", "exact"):
        judge = Scripted(facts=facts, told=loosely)
        report = checked("fsc-frequency", judge, BORN, options={"match": match})
        scores[match] = [fact.score for fact in report.facts]
    assert scores == {"verified": [0, 0], "fuzzy": [0, 0], "exact": [1, 0]}


def test_a_frequency_says_which_answers_hold_the_fact_in_which_words() -> None:
    report = checked("fsc-frequency", dictated())
    ulm = report.facts[0]
    assert [(one.source, one.stance) for one in ulm.evidence] == [
        ("s1", "supports"),
        ("s2", "supports"),
        ("s3", "supports"),
        ("s4", "silent"),
    ]
    assert [one.quote for one in ulm.evidence] == [*SAMPLES[:3], ""]
    assert ulm.evidence[0].note == "its fact: Ada Weir | was born in | Ulm"
    assert report.details["sample_origins"] == {"given": 4}


@pytest.mark.parametrize("method", ["fsc-frequency", "gca"])
def test_the_sentence_that_a_triple_was_taken_from_is_its_quote(method: str) -> None:
    sample = "The city with the highest of all church towers is where that girl came from."
    judge = dictated(told=lambda _: [ULM])
    report = checked(method, judge, samples=[sample])
    assert [one.quote for one in report.facts[0].evidence] == [sample]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("as_published", [False, True])
def test_a_sample_that_failed_leaves_the_mean_with_a_note(method: str, as_published: bool) -> None:
    def fails(asked: Asked) -> Exception | None:
        names = ("source", "sample", "triples", "text")
        shown = [str(asked.fields[name]) for name in names if name in asked.fields]
        return refused("slow") if any("Four" in one for one in shown) else None

    report = checked(method, dictated(fails=fails), as_published=as_published)
    assert [fact.score for fact in report.facts] == [0, 2 / 3, 1]
    assert [len(fact.evidence) for fact in report.facts] == [3, 3, 3]
    assert [(p.what, p.why) for p in report.problems] == [
        ("a call to the judge failed", "scripted at a script: slow; ask again"),
        ("sample 4: 3 of 3 facts were not judged", "slow"),
    ]


@pytest.mark.parametrize("method", METHODS)
def test_no_valid_answer_is_not_checked_with_the_reason(method: str) -> None:
    def fails(asked: Asked) -> Exception | None:
        return None if asked.fields.get("text") == TEXT_ else refused("no key")

    report = checked(method, dictated(fails=fails))
    assert {fact.verdict for fact in report.facts} == {"not_checked"}
    assert {fact.reason for fact in report.facts} == {"no key"}
    assert {fact.basis for fact in report.facts} == {()}
    assert [sentence.reason for sentence in report.sentences] == [
        "no key",
        "no key",
        "no fact was found in it",
    ]
    assert report.score is None


def test_a_sentence_with_an_unchecked_fact_is_not_supported() -> None:
    def fails(asked: Asked) -> str | None:
        if asked.prompt != "verify-facts":
            return None
        facts = asked.fields["facts"]
        said = {
            key: "perhaps" if facts[key].endswith("1828") else "1 supports" for key in asked.own
        }
        said |= {key: "1 supports" if right else "silent" for key, right in asked.canaries.items()}
        return json.dumps({key: {"stance": stance} for key, stance in said.items()})

    report = checked("fsc-text", dictated(fails=fails))
    assert [fact.verdict for fact in report.facts] == ["supported", "not_checked", "supported"]
    first, second, _ = report.sentences
    assert (first.verdict, first.score, first.reason) == (
        "not_checked",
        0,  # of the fact that was judged
        report.facts[1].reason,
    )
    assert (second.verdict, second.score) == ("supported", 0)


@pytest.mark.parametrize("method", ["fsc-kg", "fsc-text"])
@pytest.mark.parametrize("always", ["supports", "contradicts"])
def test_a_judge_that_says_the_same_to_all_checks_nothing(method: str, always: Stance) -> None:
    judge = Judge(stance=lambda fact, source: always, canary=lambda right: always)
    report = checked(method, Scripted(judge, facts=FACTS, told=told))
    assert {fact.verdict for fact in report.facts} == {"not_checked"}
    assert {fact.reason for fact in report.facts} == {CANNOT_JUDGE}
    assert not any(fact.evidence for fact in report.facts)
    assert report.score is None
    (problem,) = report.problems
    assert problem.what == CANNOT_JUDGE
    assert "test facts wrong" in problem.why
    assert report.details["judge"]["canaries"] == 12
