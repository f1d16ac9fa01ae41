"""The kind of error of a doubted fact."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot import check
from halubot.events import EVENT, FactJudged
from halubot.methods.error_kinds import kind_of
from halubot.render import captions
from halubot.report import ErrorKind, Evidence, Report


@pytest.mark.parametrize(
    ("claim", "quote", "value", "words", "kind"),
    [
        ("She was born in 1816.", "She was born in 1815.", "1815", "1816", "date"),
        ("It was signed on 3 July.", "It was signed on 3 June.", "3 June", "3 July", "date"),
        ("It is 34 metres long.", "It is 43 metres long.", "43 metres", "34 metres", "number"),
        ("It is seven feet long.", "It is four feet long.", "four feet", "seven feet", "number"),
        ("It costs $20.", "It costs $30.", "$30", "$20", "number"),
        ("It has 220 kW.", "It has 220 MW.", "220 MW", "220 kW", "unit"),
        ("Anton Beck drew it.", "Tomas Beck drew it.", "Tomas", "Anton", "name"),
        ("It flew from Baikonur.", "It flew from Kourou.", "Kourou", "Baikonur", "place"),
        ("It comes to light.", "It does not come to light.", None, "", None),
        ("The western shore is steep.", "The eastern shore is steep.", None, "western", None),
        ("Duke Ulm beat Count Orn.", "Count Orn beat Duke Ulm.", None, "", None),
        ("All birds can fly.", "Some birds can fly.", "Some", "All", None),
        ("It may harm cats.", "It must harm cats.", None, "may", None),
        ("It fell because of rust.", "It fell because of wind.", "wind", "rust", None),
        ("It is the larger house.", "It is the smaller house.", None, "larger", None),
        ("It eats leaves.", "It eats worms.", None, "leaves", None),
    ],
)
def test_a_kind(claim: str, quote: str, value: str | None, words: str, kind: str | None) -> None:
    against = Evidence(source="r1", stance="contradicts", quote=quote, value=value)
    assert kind_of(claim, [against], words) == kind


def test_what_no_source_has_is_invented() -> None:
    assert kind_of("It has 12 rooms.", [], "12 rooms") == "invented detail"
    assert kind_of("It is said to be pleasant.", []) is None


@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=20))
def test_any_text_has_a_kind_or_none(claim: str, quote: str, words: str) -> None:
    against = Evidence(source="r1", stance="contradicts", quote=quote)
    assert kind_of(claim, [against], words) in (None, *get_args(ErrorKind))


def test_it_stands_in_the_report() -> None:
    report = check(
        "Ada was born in London in 1816. Her father was a poet.",
        references=["Ada was born in London in 1815."],
    )
    kinds = {fact.kind for fact in report.facts}
    assert kinds == {"date", None}
    assert captions.kinds(report) == "1 date"
    (wrong,) = report.doubted()
    said = captions.VERDICTS["contradicted"]
    assert captions.verdict(wrong.verdict, wrong.kind) == f"{said} (date)"
    assert Report.model_validate_json(report.to_json()) == report


def test_a_log_from_before_is_read() -> None:
    event = {"kind": "fact_judged", "index": 0, "score": 1.0, "verdict": "contradicted"}
    assert EVENT.validate_python(event).kind == "fact_judged"
    told = EVENT.validate_python(event | {"error": "negation"})
    assert isinstance(told, FactJudged)
    assert told.error is None
