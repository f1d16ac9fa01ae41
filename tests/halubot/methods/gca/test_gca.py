"""GCA: the score by hand, asked in both ways, and nothing lost where a step fails."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halubot import check
from halubot.methods.gca.gca import METHOD
from halubot.methods.gca.reverse import names_head
from halubot.methods.registry import Size
from halubot.models.model import Request
from halubot.models.panel import Panel
from halubot.report import Report
from halubot.testing import ScriptedModel
from tests.examinee import Examinee
from tests.halubot.methods.calls.scripted import Parts, heard, nothing_fails, records
from tests.judge import Asked, Judge

BORN, WROTE = "Ada Weir was born in Ulm in 1828.", "She wrote songs."
TEXT = f"{BORN} {WROTE}"
ULM, YEAR, SONGS = (
    ("Ada Weir", "was born in", "Ulm"),
    ("Ada Weir", "was born in", "1828"),
    ("Ada Weir", "wrote", "songs"),
)
SAMPLES = [f"{name} told of a birth." for name in ("One", "Two", "Three", "Four")]
STATED: dict[str, Sequence[Parts]] = {
    BORN: [ULM, YEAR],
    WROTE: [SONGS],
    **{sample: [ULM] for sample in SAMPLES[:3]},
    SAMPLES[3]: [("Ada Weir", "was born in", "Paris")],
}
RECALLED = {
    # how often each part of a fact is found again in three repeats
    "1828": {"head": 2, "relation": 3, "tail": 1},
    "songs": {"head": 0, "relation": 3, "tail": 3},
}
# c of Ulm is (3/4 + 1)/2, of 1828 (0 + 1)/2; of songs no sample says anything.
SCORES = [
    1 - (0.7 + 0.15 + 0.1 + 0.05 * 0.875),
    1 - (0.7 * 2 / 3 + 0.15 + 0.1 / 3 + 0.05 * 0.5),
    1 - (0.15 + 0.1) / 0.95,
]
LISTED = ("extract", "gca-extract")
LEFT_OUT = "left out: consistency (no sample bears on it)"


def recalled(fact: str, part: str, before: int) -> bool:
    return before < RECALLED.get(fact.rpartition(" | ")[2], {}).get(part, 3)


@dataclass
class Dictated:
    """A judge that finds the facts ``stated`` by each sentence, ``revised`` where it looks again.
    ``fails`` gives the failure of a request, or what is answered in place of all else."""

    stated: Mapping[str, Sequence[Parts]] = field(default_factory=lambda: STATED)
    revised: Mapping[str, Sequence[Parts]] = field(default_factory=dict)
    judge: Judge = field(default_factory=lambda: Judge(examinee=Examinee(recalled)))
    fails: Callable[[Asked], Exception | str | None] = nothing_fails
    asked: list[Asked] = field(default_factory=list)

    def __call__(self, request: Request) -> str | Exception:
        asked = heard(request)
        self.asked.append(asked)
        if (other := self.fails(asked)) is not None:
            return other
        if asked.prompt not in (*LISTED, "gca-revise"):
            return self.judge(request)
        told = {key: self._listed(asked, asked.fields["sentences"][key]) for key in asked.numbers}
        return json.dumps(told)

    def _listed(self, asked: Asked, shown: Any) -> dict[str, Any]:
        sentence = shown["text"] if isinstance(shown, dict) else shown
        first = records(self.stated.get(sentence, ()))
        again = records(self.revised[sentence]) if sentence in self.revised else None
        if asked.prompt == "gca-revise":
            return {"facts": first if again is None else again}
        if asked.prompt == "extract":
            return {"facts": first}
        return {
            "facts": first,
            "right": "no" if again is not None else "yes",
            "revised": again or [],
        }

    def prompts(self) -> Counter[str]:
        return Counter(asked.prompt for asked in self.asked)


def checked(
    judge: Callable[[Request], str | Exception] | None = None, text: str = TEXT, **options: Any
) -> Report:
    judge = judge or Dictated()
    model = ScriptedModel(judge)
    options.setdefault("samples", SAMPLES)
    return check(text, method="gca", panel=Panel(answer=model, judge=model), **options)


def test_by_hand() -> None:
    judge = Dictated()
    report = checked(judge)
    assert [fact.triple for fact in report.facts] == [ULM, YEAR, SONGS]
    assert [fact.score for fact in report.facts] == pytest.approx(SCORES)
    assert [fact.rank for fact in report.facts] == pytest.approx(SCORES)
    assert [fact.verdict for fact in report.facts] == ["supported", "supported", "doubtful"]
    assert [fact.reason for fact in report.facts] == [None, None, LEFT_OUT]
    assert [fact.basis for fact in report.facts] == [("samples", "model")] * 2 + [("model",)]
    assert [s.score for s in report.sentences] == pytest.approx([SCORES[1], SCORES[2]])
    assert [s.verdict for s in report.sentences] == ["supported", "doubtful"]
    assert report.score == pytest.approx((SCORES[1] + SCORES[2]) / 2)
    assert report.threshold.fitted_on == "no data (set by hand)"
    assert not report.problems
    year = report.details["facts"][1]
    assert year["terms"] == pytest.approx(
        {"head": 2 / 3, "relation": 1.0, "tail": 1 / 3, "consistency": 0.5}, abs=1e-6
    )
    assert year["truth"] == pytest.approx(1 - SCORES[1], abs=1e-6)
    assert (year["count"], year["counts"]) == (0, [0, 0, 0, 0])
    assert year["said"]["head"] == ["Ada Weir", "Ada Weir", "somebody else"]
    assert year["said"]["tail"][0] == "1828"
    assert report.details["facts"][2]["terms"]["consistency"] is None
    assert report.details["weights"] == {
        "head": 0.7, "relation": 0.15, "tail": 0.1, "consistency": 0.05
    }  # fmt: skip
    assert report.details["convolution"] == "none"
    assert "differs_from_paper" not in report.details
    assert report.details["well_supported"] == ["Ada Weir was born in Ulm"]
    assert [item.stance for item in report.facts[0].evidence] == ["supports"] * 3 + ["silent"]


def test_by_hand_as_published() -> None:
    """Equation 3 with the count: F from 1.15 (all parts found, C = 4) to -0.2 (none, C = -4)."""
    report = checked(as_published=True)
    truths = [0.7 + 0.15 + 0.1 + 0.05 * 3, 0.7 * 2 / 3 + 0.15 + 0.1 / 3, 0.15 + 0.1]
    assert [one["truth"] for one in report.details["facts"]] == pytest.approx(truths, abs=1e-6)
    assert [one["terms"]["consistency"] for one in report.details["facts"]] == [3, 0, 0]
    scores = [(1.15 - truth) / 1.35 for truth in truths]
    assert [fact.score for fact in report.facts] == pytest.approx(scores)
    assert [fact.reason for fact in report.facts] == [None, None, None]
    assert report.score == pytest.approx(sum(scores) / 3)  # of triples, not of sentences
    assert [s.score for s in report.sentences] == pytest.approx([scores[1], scores[2]])
    assert report.details["well_supported"] == []  # 3 of 4 samples are not all of them
    assert report.details["differs_from_paper"] == list(METHOD.differs)


COUNTS = st.integers(0, 3)


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(
    st.fixed_dictionaries(
        {
            name: st.fixed_dictionaries({"head": COUNTS, "relation": COUNTS, "tail": COUNTS})
            for name in ("Ulm", "1828", "songs")
        }
    ),
    st.lists(st.sets(st.sampled_from([ULM, YEAR, SONGS])), min_size=4, max_size=4),
)
def test_as_published_it_is_the_formulas_of_the_paper(
    found: dict[str, dict[str, int]], states: list[set[Parts]]
) -> None:
    # Section 3.4: shares of k = 3 and equation 3, with C_i of equation 2, which
    # `test_consistency` has; a passage has the mean of its triples, a sentence the largest of its
    # own.
    stated = {**STATED, **dict(zip(SAMPLES, map(sorted, states), strict=True))}
    judge = Judge(
        examinee=Examinee(
            lambda fact, part, before: before < found[fact.rpartition(" | ")[2]][part]
        )
    )
    told = checked(Dictated(stated=stated, judge=judge), as_published=True)
    w1, w2, w3, w4 = 0.7, 0.15, 0.1, 0.05
    most, least = w1 + w2 + w3 + w4 * 4, -w4 * 4
    scores = []
    for fact, one in zip((ULM, YEAR, SONGS), told.details["facts"], strict=True):
        parts, c_i = found[fact[2]], sum(one["counts"])
        s_h, s_r, s_t = (parts[part] / 3 for part in ("head", "relation", "tail"))
        truth = w1 * s_h + w2 * s_r + w3 * s_t + w4 * c_i
        scores.append(min(1, max(0, (most - truth) / (most - least))))
    assert [fact.score for fact in told.facts] == pytest.approx(scores)
    assert told.score == pytest.approx(sum(scores) / 3)
    assert [one.score for one in told.sentences] == pytest.approx([max(scores[:2]), scores[2]])


def test_merged_it_takes_2_and_n_and_3k_calls() -> None:
    judge = Dictated()
    report = checked(judge)
    assert judge.prompts() == {
        "gca-extract": 1 + 4,
        "gca-prepare": 1,
        **dict.fromkeys(("gca-heads", "gca-relations", "gca-choices"), 3),
    }
    assert report.usage.calls == 2 + 4 + 3 * 3 == METHOD.calls(Size(2, 3, 4))
    assert set(report.prompts) == set(judge.prompts())
    trials = [asked for asked in judge.asked if asked.prompt == "gca-choices"]
    offered = [asked.fields["facts"]["0"] for asked in trials]
    assert all(sorted(one.values()) == sorted(offered[0].values()) for one in offered)
    assert [len(one) for one in offered] == [1 + 6] * 3
    assert len({json.dumps(one) for one in offered}) > 1  # another order in each repeat
    (prepared,) = (asked for asked in judge.asked if asked.prompt == "gca-prepare")
    assert prepared.fields["known"] == [" | ".join(ULM)]


def test_as_published_it_goes_step_by_step() -> None:
    judge = Dictated(of_samples(ULM))
    report = checked(judge, as_published=True)
    assert judge.prompts() == {
        **dict.fromkeys(("extract", "gca-revise"), 1 + 4),
        **dict.fromkeys(("gca-question", "gca-tails"), 3),
        **dict.fromkeys(("gca-heads", "gca-relations", "gca-choices", "gca-same"), 3 * 3),
        "gca-supports": 3 * 4,
    }
    assert report.usage.calls == 2 + 2 * 4 + 3 * 4 + 3 * (2 + 4 * 3)
    assert report.details["convolution"] == "relational"
    assert all(asked.fields.get("question") is None for asked in judge.asked)
    of_ulm, of_year = (
        next(
            asked
            for asked in judge.asked
            if asked.prompt == "gca-relations" and tail in str(asked.fields["facts"])
        )
        for tail in ("Ulm", "1828")
    )
    assert "known" not in of_ulm.fields  # a fact is not shown beside itself
    assert of_year.fields["known"] == [" | ".join(ULM)]


def test_what_the_judge_corrects_counts() -> None:
    stated = {**STATED, WROTE: [("She", "wrote", "songs")], SAMPLES[3]: [ULM, YEAR]}
    revised = {WROTE: [SONGS], SAMPLES[3]: [ULM]}
    for as_published in (False, True):
        report = checked(Dictated(stated, revised), as_published=as_published)
        assert [fact.triple for fact in report.facts] == [ULM, YEAR, SONGS]
        assert report.facts[2].spans
        assert report.details["facts"][0]["counts"] == [1, 1, 1, 1]


def broken(prompt: str) -> Callable[[Asked], str | None]:
    """One step that brings nothing but prose."""
    return lambda asked: "I would rather not." if asked.prompt == prompt else None


@pytest.mark.parametrize(
    ("prompt", "lost", "what"),
    [
        ("gca-heads", "head", "the head of 3 of 3 facts was not asked for in every repeat"),
        ("gca-relations", "relation", "the relation of 3 of 3 facts was not asked for in"),
        ("gca-choices", "tail", "the tail of 3 of 3 facts was not asked for in every repeat"),
    ],
)
def test_a_task_that_fails_is_left_out(prompt: str, lost: str, what: str) -> None:
    judge = Dictated(fails=broken(prompt))
    report = checked(judge)
    weights = {"head": 0.7, "relation": 0.15, "tail": 0.1, "consistency": 0.05}
    terms = {"head": 1.0, "relation": 1.0, "tail": 1.0, "consistency": 0.875}
    kept = {name: weight for name, weight in weights.items() if name != lost}
    consistency = kept.pop("consistency") * terms["consistency"]
    # The other two count for the part that is lost.
    truth = 0.95 * sum(w * terms[name] for name, w in kept.items()) / sum(kept.values())
    truth += consistency
    assert report.facts[0].score == pytest.approx(1 - truth)
    assert str(report.facts[0].reason).startswith(f"left out: {lost} (")
    assert judge.prompts()[prompt] == 3 * 3  # asked again twice
    assert report.problems[0].what.startswith(what)


@pytest.mark.parametrize(
    ("prompt", "part"),
    [
        ("gca-heads", "head"),
        ("gca-relations", "relation"),
        ("gca-same", "relation"),
        ("gca-choices", "tail"),
    ],
)
def test_as_published_an_unusable_answer_is_no_match(prompt: str, part: str) -> None:
    report = checked(Dictated(fails=broken(prompt)), as_published=True)
    assert [one["terms"][part] for one in report.details["facts"]] == [0, 0, 0]
    assert report.problems[0].what == (
        f"unusable answers for the {part} of 3 of 3 facts count as wrong"
    )


def of_samples(fact: Parts, count: int = 4) -> dict[str, Sequence[Parts]]:
    """The facts of the texts, where so many samples state this one alone."""
    return {**STATED, **{sample: [fact] for sample in SAMPLES[:count]}}


def test_a_question_that_names_the_head_is_not_asked() -> None:
    def fails(asked: Asked) -> str | None:
        if asked.prompt != "gca-prepare":
            return None
        asked_for = {
            "0": {"question": "Was Ada Weir born in Ulm?", "tails": ["ulm", "Bern", "Bern", " "]},
            "1": {"question": " ", "tails": []},
            "2": {"question": "Who wrote songs?", "tails": ["odes"]},
        }
        return json.dumps({k: {**v, "relations": ["", "penned"]} for k, v in asked_for.items()})

    judge = Dictated(fails=fails)
    report = checked(judge)
    first, second, third = report.facts
    assert "head (the question gives the head away)" in str(first.reason)
    assert "head (no question was written)" in str(second.reason)
    assert "tail (no other tail was written)" in str(second.reason)
    assert third.reason == LEFT_OUT
    assert report.details["facts"][0]["other_tails"] == ["Bern"]
    heads = next(asked for asked in judge.asked if asked.prompt == "gca-heads")
    assert heads.fields["questions"] == {"2": "Who wrote songs?"}


@pytest.mark.parametrize(
    ("answer", "head", "same"),
    [
        ("Ada Weir", "Ada Weir", True),
        ("Weir", "Ada Weir", True),
        ("ADA WEIR.", "Ada Weir", True),
        ("Joan Weir", "Ada Weir", False),
        ("Henry VIII", "Henry VII", False),
        ("the notes of the lecture", "notes of the lectures", True),
        ("the sea", "the notes", False),
        ("", "Ada Weir", False),
        (" ", "", False),
    ],
)
def test_an_answer_names_the_head(answer: str, head: str, same: bool) -> None:
    assert names_head(answer, head) is same
