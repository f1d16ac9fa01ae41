"""What `--as-published` switches on: the calls, the structure of the prompts, the aggregation and
what becomes of answers that cannot be used. docs/methods.md has the steps in tables."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from halubot import check
from halubot.methods.triplet_check.triplet_check import VARIANTS
from halubot.models.model import Request
from halubot.models.panel import Panel
from halubot.report import Report
from halubot.testing import ScriptedModel
from tests.halubot.methods.calls.scripted import Parts, Scripted
from tests.judge import Asked, Judge

SENTENCES = ["Ada was born in Ulm in 1828.", "She wrote songs."]
TEXT = " ".join(SENTENCES)
FACTS: dict[str, list[Parts]] = {
    SENTENCES[0]: [("Ada", "was born in", "Ulm"), ("Ada", "was born in", "1828")],
    SENTENCES[1]: [("Ada", "wrote", "songs")],
}
SAMPLES = ["Ada was born in Ulm.", "Ada wrote songs.", "Nobody knows."]
REFERENCE = "Ada was born in Ulm in 1829."
U, F, N, K = len(SENTENCES), 3, len(SAMPLES), 5

CALLS: dict[str, dict[str, int]] = {
    "fsc-frequency": {"extract-entities": 1, "extract-relations": 1, "extract-sentence": U}
    | {"extract-sample": N},
    "fsc-kg": {"extract-entities": 1, "extract-relations": 1, "extract-sentence": U}
    | {"extract-sample": N, "fsc-kg": F * N},
    "fsc-text": {"extract-entities": 1, "extract-relations": 1, "extract-sentence": U}
    | {"fsc-text": F * N},
    "selfcheck-prompt": {"verify-sentence": U * N},
    "issc": {"issc": U * N},
    "issc-cot": {"issc-cot": U * N},
    "triplet-check": {"extract": 1, "triplet-reference": 1, "triplet-detailed-reasoning": 1},
    "bcv": {"bcv": K},
    "bcv-cot": {"bcv-cot": K},
    "sca": {"sca": K},
}
"""The prompts of each method and how often each is asked."""

FSC = ("fsc-frequency", "fsc-kg", "fsc-text")
REPEATED = ("bcv", "bcv-cot", "sca")
SAMPLED = ("selfcheck-prompt", "issc", "issc-cot")


def published(method: str, judge: Callable[[Request], str | Exception], **options: Any) -> Report:
    model = ScriptedModel(judge)
    material: dict[str, Any] = (
        {"references": [REFERENCE]}
        if method in (*REPEATED, "triplet-check")
        else {"samples": SAMPLES}
    )
    panel = Panel(answer=model, judge=model)
    return check(TEXT, method=method, panel=panel, as_published=True, **material, **options)


def requests(method: str, **options: Any) -> list[Request]:
    """All requests of a check as published."""
    seen: list[Request] = []
    judge = Scripted(facts=FACTS, told=lambda text: [("Ada", "is in", text[:40])])

    def answer(request: Request) -> str | Exception:
        seen.append(request)
        return judge(request)

    published(method, answer, **options)
    return seen


def answering(prompt: str, answer: str) -> Scripted:
    """A judge that answers one prompt so, whatever is asked."""
    return Scripted(
        facts=FACTS,
        told=lambda text: [("Ada", "is in", text)],
        fails=lambda asked: answer if asked.prompt == prompt else None,
    )


@pytest.mark.parametrize("method", CALLS)
def test_the_calls(method: str) -> None:
    judge = Scripted(facts=FACTS)
    report = published(method, judge)
    assert Counter(judge.prompts()) == CALLS[method]
    assert report.usage.calls == sum(CALLS[method].values())


@pytest.mark.parametrize(
    ("method", "prompt", "fields"),
    [
        ("fsc-frequency", "extract-entities", {"text"}),
        ("fsc-frequency", "extract-relations", {"text", "entities"}),
        ("fsc-frequency", "extract-sentence", {"text", "entities", "relations", "sentence"}),
        ("fsc-frequency", "extract-sample", {"entities", "relations", "sample"}),
        ("fsc-kg", "fsc-kg", {"fact", "triples"}),
        ("fsc-text", "fsc-text", {"fact", "source"}),
        ("selfcheck-prompt", "verify-sentence", {"sentence", "source"}),
        ("issc", "issc", {"sentences", "source"}),
        ("issc-cot", "issc-cot", {"sentences", "source"}),
        ("triplet-check", "triplet-detailed-reasoning", {"facts", "triples"}),
        ("bcv", "bcv", {"context", "answer"}),
        ("bcv-cot", "bcv-cot", {"context", "answer"}),
        ("sca", "sca", {"context", "answer", "sentences"}),
    ],
)
def test_what_a_prompt_shows(method: str, prompt: str, fields: set[str]) -> None:
    judge = Scripted(facts=FACTS, told=lambda text: [("Ada", "is in", text[:40])])
    published(method, judge)
    asked = [one for one in judge.asked if one.prompt == prompt]
    assert {frozenset(one.fields) for one in asked} == {frozenset(fields)}
    if "sentences" in fields and method != "sca":
        assert {len(one.fields["sentences"]) for one in asked} == {1}


@pytest.mark.parametrize(
    ("method", "keys"),
    [
        ("fsc-kg", ["supported"]),
        ("fsc-text", ["supported"]),
        ("selfcheck-prompt", ["supported"]),
        ("bcv", ["hallucination"]),
        ("bcv-cot", ["reasons", "hallucination"]),
    ],
)
def test_what_is_answered(method: str, keys: list[str]) -> None:
    judge = Scripted(facts=FACTS, told=lambda text: [("Ada", "is in", text[:40])])
    published(method, judge)
    assert list(judge.asked[-1].keys) == keys


@pytest.mark.parametrize("method", ["fsc-kg", "fsc-text"])
def test_fsc_a_sentence_is_aggregated_over_the_facts_that_were_answered(method: str) -> None:
    def fails(asked: Asked) -> str | None:
        if asked.prompt != method:
            return None
        return "perhaps" if "1828" in asked.fields["fact"] else '{"supported": "yes"}'

    report = published(method, Scripted(facts=FACTS, fails=fails))
    first, second = report.sentences
    assert [fact.score for fact in report.facts] == [0, None, 0]
    assert (first.score, first.verdict) == (0, "not_checked")  # and never a pass
    assert (second.score, second.verdict) == (0, "supported")


@pytest.mark.parametrize("method", SAMPLED)
def test_sentences_an_answer_that_cannot_be_used_counts_half(method: str) -> None:
    prompt = "verify-sentence" if method == "selfcheck-prompt" else method
    judge = answering(prompt, "I cannot say.")
    report = published(method, judge)
    assert [one.score for one in report.sentences] == [0.5] * U
    assert len(judge.asked) == U * N  # nothing is asked again
    (problem,) = [one for one in report.problems if "neither yes nor no" in one.what]
    assert (problem.what, problem.why) == (
        f"{U * N} of {U * N} verdicts are neither yes nor no",
        "each counts 0.5, as published",
    )


def test_sca_the_last_word_alone_counts() -> None:
    def said(words: str, question: str, last: str) -> str:
        each = {str(at): {"passage": "", "hallucinated": words, "why": ""} for at in range(2)}
        return json.dumps({**each, "answers_question": question, "hallucination": last})

    report = published("sca", Scripted(fails=lambda asked: said("yes", "no", "no")))
    assert (report.score, report.label) == (0, "NO HALLUCINATION FOUND")
    assert published("sca", Scripted(fails=lambda asked: said("no", "yes", "yes"))).score == 1


@pytest.mark.parametrize("method", ["fsc-frequency", "fsc-kg"])
def test_fsc_a_sample_without_usable_triples_leaves_the_mean(method: str) -> None:
    def fails(asked: Asked) -> str | None:
        lost = asked.prompt == "extract-sample" and asked.fields["sample"] == SAMPLES[1]
        return "Nothing." if lost else None

    held = [one for own in FACTS.values() for one in own]
    judge = Scripted(
        Judge(stance=lambda fact, source: "supports"),
        facts=FACTS,
        told=lambda text: [*held, ("It", "says", text)],
        fails=fails,
    )
    report = published(method, judge)
    assert judge.prompts().count("extract-sample") == N  # nothing is asked again
    assert [fact.score for fact in report.facts] == [0] * F
    assert [len(fact.evidence) for fact in report.facts] == [N - 1] * F
    assert [one.what for one in report.problems] == ["sample 2: 3 of 3 facts were not judged"]


@pytest.mark.parametrize("method", FSC)
def test_fsc_the_calls_are_those_of_table_9_whatever_is_answered(method: str) -> None:
    sentences = ["Ada was born in Ulm.", "ADA was born in Ulm.", "She wrote songs.", "Hm."]
    born, wrote = ("Ada", "was born in", "Ulm"), ("Ada", "wrote", "songs")
    facts: dict[str, list[Parts]] = {
        sentences[0]: [born],
        sentences[1]: [("ADA", "was born in", "Ulm")],  # the same in the union KG_p
        sentences[2]: [wrote, born],
    }
    u, n, distinct = len(sentences), len(SAMPLES), 2
    judged = {"fsc-frequency": n, "fsc-kg": n + distinct * n, "fsc-text": distinct * n}

    def fails(asked: Asked) -> str | None:
        broken = asked.prompt == "extract-sentence" and asked.fields["sentence"] == "Hm."
        broken |= "Nobody" in asked.fields.get("source", "")
        return "Perhaps." if broken or asked.prompt == "extract-relations" else None

    judge = Scripted(facts=facts, told=lambda text: [born, ("It", "says", text)], fails=fails)
    model = ScriptedModel(judge)
    panel = Panel(answer=model, judge=model)
    report = check(
        " ".join(sentences), method=method, panel=panel, as_published=True, samples=SAMPLES
    )
    assert report.usage.calls == len(judge.asked) == 2 + u + judged[method]
    assert len(report.facts) == 4
    first, second, third, fourth = (fact.score for fact in report.facts)
    assert first == second == fourth
    assert None not in (first, third)


@pytest.mark.parametrize("method", ["fsc-kg", "fsc-text"])
def test_fsc_the_question_allows_conclusions_and_shows_five_examples(method: str) -> None:
    request = requests(method)[-1]
    rules = request.messages[0].content
    assert request.schema is not None
    assert request.schema.value["properties"]["supported"]["enum"] == ["yes", "no"]
    assert "it can be concluded from" in rules
    assert "You may reason: new facts that follow" in rules
    examples, _, _ = rules.partition("Answer with JSON alone")
    assert examples.count('{"supported": "') == 5
    assert "Do not use what you know" not in rules


@pytest.mark.parametrize("variant", sorted(set(VARIANTS) - {"pairwise"}))
def test_triplets_each_variant_has_its_prompt_and_examples(variant: str) -> None:
    detailed = variant.startswith("detailed") or variant in ("all", "split")
    reasoned = variant.endswith("reasoning") or variant in ("all", "split")
    shown = variant.endswith("few-shot") or variant == "all"
    name = "-".join(["detailed"] * detailed + ["reasoning"] * reasoned) or "baseline"
    judge = Scripted(facts=FACTS)
    seen: list[Request] = []

    def answer(request: Request) -> str | Exception:
        seen.append(request)
        return judge(request)

    published("triplet-check", answer, options={"variant": variant})
    assert judge.prompts()[-1] == f"triplet-{name}"
    words = seen[-1].messages[-1].content
    assert [f"Example {n}." in words for n in (1, 2, 3)] == [shown, shown, False]
    schema = seen[-1].schema
    assert schema is not None
    shape = schema.value["$defs"]["Reasoned" if reasoned else "Bare"]
    reasons = ["supporting", "contradicting", "reasons", "stance"] if reasoned else []
    assert list(shape.get("properties", ())) == reasons
    stances = (shape["properties"]["stance"] if reasoned else shape)["enum"]
    assert set(stances) == {"supports", "contradicts", "silent"}


@pytest.mark.parametrize("method", CALLS)
def test_what_still_differs_is_in_the_report(method: str) -> None:
    report = published(method, Scripted(facts=FACTS))
    told = report.details["differs_from_paper"]
    assert any("in our words" in one for one in told)
    assert any("copies" in one for one in told) == (method == "sca")
    model = ScriptedModel(Scripted(facts=FACTS))
    merged = check(
        TEXT,
        method=method,
        samples=SAMPLES,
        references=[REFERENCE],
        panel=Panel(answer=model, judge=model),
    )
    assert "differs_from_paper" not in merged.details
