"""What holds for every method that asks a model."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from typing import Any, cast

import pytest

from halubot import check
from halubot.errors import SettingError
from halubot.events import Event
from halubot.methods import registry
from halubot.methods.driver import by_rules
from halubot.methods.registry import BUILT_IN, Case, Method, Size
from halubot.report import Fact
from halubot.testing import ScriptedModel
from halubot.text import read
from tests.judge import Judge

TEXT = "Ada Lovelace was born in 1815. She wrote notes."
SOURCES: dict[str, Any] = {"samples": [TEXT], "references": [TEXT]}
METHODS = [registry.get(name) for name in BUILT_IN]
WITH_MODEL = [method for method in METHODS if "model" in method.needs]
PUBLISHED = [method for method in WITH_MODEL if method.name not in ("cascade", "ensemble")]


@pytest.mark.parametrize("method", METHODS, ids=lambda one: one.name)
def test_it_is_a_method_that_refuses_unknown_options(method: Method) -> None:
    assert isinstance(method, Method)
    assert registry.get(method.name) is method
    assert method.calls(Size()) >= 0
    with pytest.raises(SettingError, match=f"{method.name} has no option 'depth'"):
        check(TEXT, method=method.name, model=model(), options={"depth": 1}, **SOURCES)


@pytest.mark.parametrize(
    ("method", "options", "why"),
    [
        ("bcv", {"match": "exact"}, "bcv has no option 'match': known are windows, role, repeats"),
        ("bcv", {"role": ""}, "role: the role is empty"),
        ("issc", {"role": "a\nb"}, r"the role is 'a\\nb': write a single line"),
        ("sca", {"role": "x" * 101}, "of 100 characters at most"),
        ("bcv", {"repeats": 0}, "repeats: 0 is not 1 or more"),
        ("gca", {"repeats": True}, "repeats: 'True' is not a valid whole number"),
        ("triplet-check", {"windows": 1.5}, "windows: '1.5' is not a valid whole number"),
        ("triplet-check", {"variant": "ours"}, "variant: 'ours' is not one of baseline"),
        ("gca", {"weights": "ours"}, "weights: 'ours' is not wikibio, phd, or four numbers"),
        ("gca", {"weights": [1, 1, 1, 1]}, "sum to 4"),
        ("gca", {"weights": [2, -1, 0, 0]}, "four numbers"),
        ("knowhalu", {"task": "poem"}, "task: 'poem' is not one of answer, summary"),
        ("knowhalu", {"d1": 2}, "d1: 2 is not between 0 and 1"),
        ("ensemble", {"verdict_samples": -1}, "verdict_samples: -1 is not 1 or more"),
        ("fsc-text", {"aggregate": "min"}, "aggregate: 'min' is not one of max, mean"),
        ("token-probability", {"aggregate": "max"}, "aggregate: 'max' is not one of mean, min"),
    ],
)
def test_a_setting_that_cannot_be_is_refused_before_any_call(
    method: str, options: dict[str, Any], why: str
) -> None:
    asked = model()
    with pytest.raises(SettingError, match=why):
        check(TEXT, method=method, model=asked, options=options, **SOURCES)
    assert not asked.calls


def model() -> ScriptedModel:
    return ScriptedModel(Judge())


@pytest.mark.parametrize("method", PUBLISHED, ids=lambda one: one.name)
def test_without_a_model_nothing_is_checked(method: Method) -> None:
    report = check(TEXT, method=method.name, **SOURCES)
    why = f"{method.name} needs a model: name one with --model"
    verdicts = [fact.verdict for fact in report.facts]
    verdicts += [sentence.verdict for sentence in report.sentences]
    assert set(verdicts) == {"not_checked"}
    assert why in {problem.why for problem in report.problems}


@pytest.mark.parametrize(
    "method", [*PUBLISHED, registry.get("selfcheck-ngram")], ids=lambda one: one.name
)
def test_sources_that_it_does_not_compare_with_are_left_out_with_a_note(method: Method) -> None:
    report = check(TEXT, question="Who was Ada?", method=method.name, model=model(), **SOURCES)
    other = "samples" if "samples" not in method.needs else "references"
    assert f"{other} were left out" in {problem.what for problem in report.problems}
    assert {sentence.verdict for sentence in report.sentences} != {"not_checked"}


class Before:
    """A method, of the same case with facts that were extracted before."""

    def __init__(self, method: str, facts: tuple[Fact, ...]) -> None:
        self._method, self._facts = registry.get(method), facts
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
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = by_rules(Case(read(TEXT))).facts[:2]
    monkeypatch.setitem(registry._registered, "before", cast("Method", Before(method, facts)))
    judge = Judge()
    samples, model = [f"Answer {n}. {TEXT}" for n in range(3)], ScriptedModel(judge)
    report = check(TEXT, method="before", model=model, samples=samples, references=[TEXT])
    texts = [one.fields["text"] for one in judge.asked if one.prompt == "extract"]
    assert TEXT not in texts
    assert [fact.triple for fact in report.facts] == [fact.triple for fact in facts]
    assert report.details["extraction"] == "extracted before"
