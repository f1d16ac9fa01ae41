"""Plain cases from a message to its verdicts (`tests.halubot.methods.plain`)."""

from __future__ import annotations

import pytest

from halubot import check
from halubot.evidence import text_source
from halubot.evidence.knowledge.named_bases import InMemory
from halubot.report import DOUBTED, Fact, Report
from tests.halubot.methods.plain import CASES, Case
from tests.knowledge import article


def checked(case: Case) -> Report:
    if case.kind == "sample":
        return check(case.message, samples=case.against, method="consensus")
    if case.kind == "reference":
        given = [text_source(text, "reference", at) for at, text in enumerate(case.against, 1)]
        return check(case.message, references=given, method="consensus")
    pieces = [text.removeprefix("# ").split("\n\n", 1) for text in case.against]
    base = InMemory("base", [article(title, text) for title, text in pieces])
    return check(case.message, knowledge=[base], method="consensus")


def heard(fact: Fact, wanted: str) -> str:
    """What a fact is found to be, in the words of the table."""
    values = {one.value for one in fact.evidence if one.stance == "contradicts" and one.value}
    if wanted == "=":
        return wanted if fact.verdict != "contradicted" else f"contradicted by {values}"
    if wanted == "+":
        return wanted if fact.verdict == "supported" else f"{fact.verdict} by {values}"
    if wanted == "?":
        return wanted if fact.verdict == "not_checked" and fact.reason else fact.verdict
    if wanted == "!":
        return wanted if fact.verdict == "contradicted" and not values else f"{values}"
    if wanted == "-":
        return wanted if fact.verdict in DOUBTED else fact.verdict
    return ", ".join(sorted(values)) if fact.verdict == "contradicted" else fact.verdict


@pytest.mark.parametrize("case", CASES, ids=[f"{one.kind}: {one.message}" for one in CASES])
def test_a_reader_would_find_so(case: Case) -> None:
    report = checked(case)
    for words, wanted in case.told.items():
        if not words:
            assert {one.verdict in DOUBTED for one in report.sentences} == {wanted == "-"}
            continue
        facts = [fact for fact in report.facts if words in " ".join(fact.triple)]
        assert facts, [fact.triple for fact in report.facts]
        assert [heard(fact, wanted) for fact in facts] == [wanted] * len(facts)
    # What is supported can be shown.
    for fact in report.facts:
        if fact.verdict == "supported" and case.kind != "sample":
            assert any(one.stance == "supports" and one.quote for one in fact.evidence)
