"""The weighted sum of GCA by hand, and its weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.errors import SettingError
from halubot.methods.gca.examined_fact import NAMED, Published, Terms, Weights, weights_of

WIKIBIO, PHD = NAMED["wikibio"], NAMED["phd"]


@pytest.mark.parametrize(
    ("terms", "weights", "truth"),
    [
        (Terms(1, 1, 1, 1), WIKIBIO, 1.0),
        (Terms(0, 0, 0, 0), WIKIBIO, 0.0),
        (Terms(2 / 3, 1, 1 / 3, 0.5), WIKIBIO, 0.7 * 2 / 3 + 0.15 + 0.1 / 3 + 0.025),
        (Terms(2 / 3, 1, 1 / 3, 0.5), PHD, 0.7 * 2 / 3 + 0.1 + 0.1 / 3 + 0.05),
        # Nothing aligned: the others share what it counted.
        (Terms(0, 1, 1, None), WIKIBIO, 0.25 / 0.95),
        (Terms(None, 1, 0, 0.8), WIKIBIO, (0.15 + 0.05 * 0.8) / 0.3),
        (Terms(None, None, 0.5, None), PHD, 0.5),
        # The samples alone are too little, unless nothing else was to count.
        (Terms(None, None, None, 0.8), WIKIBIO, None),
        (Terms(None, None, None, 0.8), Weights(0, 0, 0, 1), 0.8),
        (Terms(0.5, 0.5, 0.5, None), Weights(0, 0, 0, 1), None),
        (Terms(None, 1, 1, 1), Weights(1, 0, 0, 0), None),
        (Terms(None, None, None, None), WIKIBIO, None),
    ],
)
def test_by_hand(terms: Terms, weights: Weights, truth: float | None) -> None:
    told = terms.truth(weights)
    assert told == (None if truth is None else pytest.approx(truth))


SHARE = st.none() | st.floats(0, 1)


@given(st.builds(Terms, SHARE, SHARE, SHARE, SHARE), st.sampled_from([WIKIBIO, PHD]))
def test_it_lies_between_the_terms(terms: Terms, weights: Weights) -> None:
    told, known = terms.truth(weights), [term for term in terms if term is not None]
    if told is not None:
        assert min(known) - 1e-9 <= told <= max(known) + 1e-9


@pytest.mark.parametrize(
    ("value", "weights"),
    [
        ("wikibio", (0.7, 0.15, 0.1, 0.05)),
        ("phd", (0.7, 0.1, 0.1, 0.1)),
        ([1, 0, 0, 0], (1.0, 0.0, 0.0, 0.0)),
        ((0.25, 0.25, 0.25, 0.25), (0.25, 0.25, 0.25, 0.25)),
    ],
)
def test_weights(value: Any, weights: tuple[float, ...]) -> None:
    assert weights_of(value) == weights


@pytest.mark.parametrize(
    "value",
    [
        *("fava", "", None, 1, [], [1, 0, 0], [0.5, 0.5, 0.5, 0.5], [1.5, -0.5, 0, 0]),
        *([float("nan"), 1, 0, 0], [float("inf"), 0, 0, 0], ["1", 0, 0, 0], [True, 0, 0, 0]),
    ],
)
def test_no_weights(value: Any) -> None:
    with pytest.raises(SettingError, match=r"^the weights .*(sum to|four numbers)"):
        weights_of(value)


FULL = st.floats(0, 1)
FOUR = st.lists(st.integers(0, 9), min_size=4, max_size=4).filter(any)


def equation_3(terms: Sequence[float], weights: Sequence[float]) -> float:
    """F = w1 S_h + w2 S_r + w3 S_t + w4 C_i."""
    s_h, s_r, s_t, c = terms
    w1, w2, w3, w4 = weights
    return w1 * s_h + w2 * s_r + w3 * s_t + w4 * c


@given(st.tuples(FULL, FULL, FULL), st.integers(-30, 30), FOUR, st.integers(1, 10))
def test_as_published_it_is_equation_3(
    shares: tuple[float, float, float], count: int, four: list[int], samples: int
) -> None:
    weights = Weights(*(one / sum(four) for one in four))
    published = Published(weights, samples)
    truth = published.truth(Terms(*shares, count), count)
    assert truth == pytest.approx(equation_3([*shares, count], weights), abs=1e-12)
    assert truth is not None
    assert 0 <= published.doubt(truth) <= 1
    assert published.doubt(sum(weights[:3]) + weights[3] * samples) == pytest.approx(0)
    assert published.doubt(-weights[3] * samples) == pytest.approx(1)


@given(st.tuples(FULL, FULL, FULL, FULL), FOUR)
def test_ours_is_equation_3_with_a_share(
    terms: tuple[float, float, float, float], four: list[int]
) -> None:
    weights = Weights(*(one / sum(four) for one in four))
    truth = Terms(*terms).truth(weights)
    assert truth == pytest.approx(min(1, max(0, equation_3(terms, weights))), abs=1e-9)


def test_as_published_a_larger_f_is_never_doubted_more() -> None:
    published = Published(WIKIBIO, 10)
    doubts = [published.doubt(truth / 10) for truth in range(-10, 20)]
    assert doubts == sorted(doubts, reverse=True)
    assert published.truth(Terms(None, None, None, 3), 3) is None
    # A share that is missing is left out, and the others of the three count for it.
    assert published.truth(Terms(None, 1, 1, 0), 0) == pytest.approx(0.95)
