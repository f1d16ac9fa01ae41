"""What holds of every correction, whatever the message and the sources."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import get_args
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot import Report, accept, check, correct
from halubot.correction.corrector import TOO_MUCH, OnDoubt, make_correction
from halubot.edits import apply_edits
from halubot.report import DOUBTED

SENTENCES = (
    ("Ada Lovelace was born in London in 1815.", "Ada Lovelace was born in Paris in 1816."),
    ("She married William King in 1835.", "She married Henry Moore in 1840."),
    ("She studied mathematics, logic and music.", "She studied botany, logic and painting."),
    ("In 1843, she published her notes.", "In 1850, she published her notes."),
    ("She knew Charles Babbage (1791-1871).", "She knew Charles Dickens (1801-1861)."),
    ("She was the daughter of Lord Byron.", "She was not the daughter of Lord Byron."),
    (
        "She wrote letters, which were kept in Oxford, and died in 1852.",
        "She wrote operas, which were sung in Vienna, and died in 1890.",
    ),
    ("The engine had 25,000 parts and was never built.", "The engine had 900 parts and was sold."),
)
ON_DOUBT = st.sampled_from(get_args(OnDoubt))
JOINTS = st.sampled_from([" ", "\n", "\n\n", "\n- ", "\n1. ", "  "])
ODD = st.sampled_from(
    ["", "🙂", "| a | b |\n|---|---|\n| 1 | 2 |", "`x = 1816`", "e\u0301té", "\u202e"]
)


@st.composite
def messages(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A message of right and wrong sentences, and samples of the right ones."""
    chosen = draw(st.permutations(range(len(SENTENCES))))[: draw(st.integers(1, 6))]
    text = draw(ODD)
    for index in chosen:
        text += draw(JOINTS) + SENTENCES[index][draw(st.booleans())]
    right = " ".join(right for right, _ in SENTENCES)
    samples = [right] * draw(st.integers(0, 3)) + draw(
        st.lists(st.just("Nobody knows."), max_size=3)
    )
    return text, samples or [right]


@pytest.mark.slow
@given(messages(), ON_DOUBT)
def test_of_mixed_messages(made: tuple[str, list[str]], on_doubt: OnDoubt) -> None:
    text, samples = made
    report = correct(text, samples=samples, on_doubt=on_doubt)
    assert report.correction is not None
    edits = report.correction.edits
    for edit in edits:
        assert report.text[edit.start : edit.end] == edit.before
        assert (edit.before == edit.after) == (edit.action == "kept") == (edit.reason is not None)
        if on_doubt == "mark":
            assert edit.action in ("changed", "kept")
    for one, other in pairwise(edits):
        assert one.end <= other.start
    assert apply_edits(report.text, edits) == report.correction.text
    assert Report.model_validate_json(report.to_json()) == report
    for sentence in report.sentences:
        doubted = [index for index in sentence.facts if report.facts[index].verdict in DOUBTED]
        if not doubted:
            written = report.text[sentence.start : sentence.end]
            assert written in report.correction.text


@pytest.mark.slow
@given(messages(), ON_DOUBT, st.data())
def test_any_subset_of_the_edits_gives_well_formed_text(
    made: tuple[str, list[str]], on_doubt: OnDoubt, data: st.DataObject
) -> None:
    text, samples = made
    report = correct(text, samples=samples, on_doubt=on_doubt)
    assert report.correction is not None
    some = data.draw(st.sets(st.sampled_from(range(len(report.correction.edits) or 1))))
    made_of = accept(report, some if report.correction.edits else [])
    assert_well_formed(report.text, made_of)


@pytest.mark.slow
@given(messages(), ON_DOUBT)
def test_correcting_twice_changes_nothing_more(
    made: tuple[str, list[str]], on_doubt: OnDoubt
) -> None:
    text, samples = made
    once = correct(text, samples=samples, on_doubt=on_doubt).correction
    assert once is not None
    if on_doubt == "remove" and TOO_MUCH in {edit.reason for edit in once.edits}:
        return  # what is gone leaves no sign, so the next share is counted anew
    if not once.text.strip():
        return
    twice = correct(once.text, samples=samples, on_doubt=on_doubt).correction
    assert twice is not None
    assert twice.text == once.text


@pytest.mark.slow
@given(messages())
def test_removals_leave_clean_prose(made: tuple[str, list[str]]) -> None:
    text, samples = made
    report = check(text, samples=samples)
    with patch("halubot.correction.corrector.MOST_CHANGED", 1.0):
        assert_well_formed(report.text, make_correction(report, on_doubt="remove").text)


def assert_well_formed(before: str, after: str) -> None:
    """Check that nothing reads worse: spaces, signs, brackets, list marks, tables, sentences."""
    for bad in (
        r"(?<=\S)  +(?=\S)",
        r" [,.;]",
        r",\s*[.;,]",
        r"\(\s*\)",
        r"(?m)^\s*[-*]\s*$",
        r"\n\n\n",
        r"(?:^|[.!?]\s+)[a-z]",
    ):
        assert len(re.findall(bad, after)) <= len(re.findall(bad, before)), (bad, after)
    assert not re.search(r"\b(?:and|or|but|in|of|the|a|an|was|which)[.]", after)
    assert after.count("(") == after.count(")")
    assert not after.count("`") % 2  # a sentence that was taken out may hold some
    assert _rows(after) == _rows(before)


def _rows(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("|")]


@given(st.text(max_size=120), st.lists(st.text(min_size=1, max_size=60), min_size=1, max_size=3))
def test_of_any_text(text: str, samples: list[str]) -> None:
    if not text.strip() or not all(sample.strip() for sample in samples):
        return
    report = correct(text, samples=samples)
    assert report.correction is not None
    assert apply_edits(report.text, report.correction.edits) == report.correction.text


def test_a_hedge_before_a_cut_is_first() -> None:
    text = "Ada Lovelace knew Moore (1801-1861)."
    report = correct(text, samples=["Ada Lovelace was born in London."] * 3)
    assert report.correction is not None
    places = [(edit.start, edit.end) for edit in report.correction.edits]
    assert places == sorted(places)
