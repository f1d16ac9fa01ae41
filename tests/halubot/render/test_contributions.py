"""What each witness contributed, in words, in every rendering, from whatever a report holds."""

from __future__ import annotations

import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from halubot.render.captions import describe_contributions
from halubot.render.html import page
from halubot.render.markdown_report import to_markdown
from halubot.render.terminal import render as terminal
from halubot.report import Fact, Report, Sentence, Threshold, Triple

TEXT = "Ada was born in 1816."
FACT = Fact(
    index=0,
    triple=Triple("Ada", "born in", "1816"),
    sentences=(0,),
    spans=((0, 20),),
    score=0.9,
    verdict="doubtful",
)
PARTS = {"samples": {"odds": -2.06, "weight": 1.0}, "references": {"odds": 6, "weight": 1}}
SAID = "For doubt and against, in log-odds: samples −2.1, references +6.0"


def report(**details: Any) -> Report:
    return Report(
        text=TEXT,
        method="ensemble",
        engine="0",
        threshold=Threshold(value=0.5),
        sentences=(Sentence(index=0, start=0, end=21, facts=(0,), score=0.9, verdict="doubtful"),),
        facts=(FACT,),
        details=details,
    )


def fused() -> Report:
    return report(contributions=[PARTS])


def test_it_is_in_every_rendering() -> None:
    assert describe_contributions(fused(), FACT) == SAID
    out = io.StringIO()
    Console(file=out, width=400).print(terminal(fused(), width=400, verbose=True))
    assert SAID in out.getvalue()
    assert "references +6.0" in to_markdown(fused(), verbose=True)
    assert SAID in page(fused())


@pytest.mark.parametrize(
    "details",
    [
        {},
        {"contributions": "none"},
        {"contributions": []},
        {"contributions": [None]},
        {"contributions": [{"a": 3, "b": {"odds": "x", "weight": 1}}]},
    ],
)
def test_a_report_that_does_not_say_tells_nothing(details: dict[str, Any]) -> None:
    assert describe_contributions(report(**details), FACT) is None
    assert describe_contributions(fused(), None) is None


@given(st.text(max_size=40))
def test_a_name_is_never_markup_and_never_breaks_a_line(name: str) -> None:
    told = report(contributions=[{name: {"odds": 1.0, "weight": 1.0}}])
    said = describe_contributions(told, FACT)
    assert said is not None
    assert "\n" not in said
    Console(file=io.StringIO(), width=80).print(terminal(told, verbose=True))
    assert "<script>" not in page(report(contributions=[{"<script>": {"odds": 1, "weight": 1}}]))
