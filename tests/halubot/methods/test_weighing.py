"""The weighted sum of GCA by hand, and its weights."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.errors import SettingError
from halubot.methods.weighing import NAMED, Terms, Weights, weights_of

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
