"""Two judgements become one: algorithm 1 of KnowHalu, and its quantiles, computed by hand."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.methods.knowhalu.judgement import Conclusion, Decision, Rule, decide_whole
from halubot.methods.knowhalu.lookup import FORMS, Form

RIGHT: Conclusion = "CORRECT"
WRONG: Conclusion = "INCORRECT"
OPEN: Conclusion = "INCONCLUSIVE"


def pair(
    text: tuple[Conclusion, float] | None, triplets: tuple[Conclusion, float] | None
) -> dict[Form, Decision]:
    found: dict[Form, Decision] = {}
    if text is not None:
        found["text"] = Decision(*text)
    if triplets is not None:
        found["triplets"] = Decision(*triplets)
    return found


@pytest.mark.parametrize(
    ("segments", "whole"),
    [
        ([(RIGHT, 0.9), (RIGHT, 0.7)], (RIGHT, 0.7)),
        ([(RIGHT, 0.9), (WRONG, 0.6), (WRONG, 0.8)], (WRONG, 0.8)),
        ([(OPEN, 0.9), None, (WRONG, 0.6)], (WRONG, 0.6)),
        ([(RIGHT, 0.9), (OPEN, 0.6)], (OPEN, 0.6)),
        ([(OPEN, 0.9), None], None),
    ],
)
def test_one_bad_segment_condemns_the_whole(
    segments: list[tuple[Conclusion, float] | None], whole: tuple[Conclusion, float] | None
) -> None:
    decided = decide_whole([Decision(*one) if one else None for one in segments])
    assert decided == (Decision(*whole) if whole else None)


CONFIDENCES = st.sampled_from([0.0, 0.2, 0.5, 0.6, 0.9, 0.95, 0.99, 1.0])
VERDICTS: st.SearchStrategy[Conclusion] = st.sampled_from(get_args(Conclusion))
JUDGEMENTS = st.tuples(VERDICTS, CONFIDENCES)


def algorithm_1(
    base: tuple[Conclusion, float], supplement: tuple[Conclusion, float], d1: float, d2: float
) -> tuple[Conclusion, float]:
    """Algorithm 1, line by line."""
    if base[0] == "INCONCLUSIVE":
        return supplement
    if base[1] < d1 and supplement[1] > d2:
        return supplement
    return base


@given(JUDGEMENTS, JUDGEMENTS, CONFIDENCES, CONFIDENCES, st.sampled_from(FORMS))
def test_it_is_algorithm_1(
    text: tuple[Conclusion, float],
    triplets: tuple[Conclusion, float],
    d1: float,
    d2: float,
    base: Form,
) -> None:
    decided = Rule(base, d1, d2, "").decide(pair(text, triplets))
    first, second = (text, triplets) if base == "text" else (triplets, text)
    assert decided is not None
    assert (decided.verdict, decided.confidence) == algorithm_1(first, second, d1, d2)


@given(st.lists(JUDGEMENTS, min_size=1, max_size=6))
def test_a_summary_is_wrong_if_any_segment_is(segments: list[tuple[Conclusion, float]]) -> None:
    decided = decide_whole([Decision(*one).as_closed for one in segments])
    verdicts = {verdict for verdict, _ in segments}
    assert decided is not None
    assert (decided.verdict == "INCORRECT") == bool(verdicts & {"INCORRECT", "INCONCLUSIVE"})
