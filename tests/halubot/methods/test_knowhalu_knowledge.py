"""`knowhalu` looks what it asks up in the knowledge given, and cites what it retrieved."""

from __future__ import annotations

from typing import Any

import pytest

from halubot import check, correct
from halubot.evidence.knowledge.named_bases import Knowledge
from halubot.report import Report
from halubot.testing import ScriptedModel
from tests.halubot.methods.knowhalu.test_knowhalu import (
    QUESTION,
    RIGHT,
    TEXT,
    by_asking,
    denying,
    surely,
)
from tests.judge import Judge
from tests.knowledge import OSTBY, Asked, article


def looked_up(*bases: Knowledge, judge: Judge | None = None, **options: Any) -> Report:
    model = surely(judge or by_asking(finding=denying()))
    options = {"question": QUESTION, "method": "knowhalu", "model": model, **options}
    return check(TEXT, knowledge=list(bases), **options)


def bridges(**how: Any) -> Asked:
    return Asked("bridges", [article("Kellan Bridge", RIGHT), article("Ostby", OSTBY)], **how)


def test_what_was_retrieved_is_cited_and_nothing_else_is_gathered() -> None:
    report = looked_up(bridges())
    steps = report.details["steps"]
    cited = {passage["source"] for step in steps for passage in step["passages"]}
    assert cited == {source.id for source in report.sources}
    assert {source.kind for source in report.sources} == {"knowledge"}
    for step in steps:
        for passage in step["passages"]:
            text = report.source(passage["source"]).text
            assert text is not None
            assert text[passage["start"] : passage["end"]] == passage["quote"]
    first = report.facts[0].evidence[0]
    assert report.source(first.source).title == "Kellan Bridge"
    assert first.quote == "The Kellan Bridge was opened in 1931, says the town."


def test_as_published_two_passages_are_looked_up_for_each_form_of_each_query() -> None:
    base = bridges()
    report = looked_up(base, as_published=True)
    steps = report.details["steps"]
    assert all(step["sentence"] and step["triplets"] for step in steps)
    asked = [form for step in steps for form in (step["specific"], step["general"])]
    assert set(base.queries) == set(asked)  # table 21 has both forms of queries here
    assert max(len(step["passages"]) for step in steps) <= 2 * 2


@pytest.mark.parametrize("as_published", [False, True])
def test_where_it_is_down_nothing_is_judged(as_published: bool) -> None:
    report = looked_up(bridges(fails_at=1), as_published=as_published)
    assert report.label == "INCONCLUSIVE"
    assert {fact.verdict for fact in report.facts} == {"not_checked"}
    assert "bridges is down" in (report.facts[0].reason or "")


def test_the_corrected_text_is_looked_up_again() -> None:
    base = bridges()
    judge = by_asking(finding=denying(), verdict=lambda text, known, form: "INCORRECT")
    judge.rewrite = lambda sentence, hints: ("changed", sentence.replace("1932", "1931"))
    report = correct(
        TEXT.replace("1931", "1932"),
        question=QUESTION,
        knowledge=[base],
        method="knowhalu",
        model=ScriptedModel(judge),
    )
    assert report.correction is not None
    assert report.correction.report is not None
    again = report.correction.report.details["steps"]
    assert base.queries[-1] == again[-1]["general"]
    assert len(base.queries) == 2 * (len(report.details["steps"]) + len(again))
