"""Words and verdicts fused: what one more verdict does, what can still change, whom to ask."""

from __future__ import annotations

import math
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.methods.consensus.log_odds import (
    COMPANY,
    Unit,
    Votes,
    can_still_change,
    fuse_odds,
    logistic,
    nearest_first,
    votes,
)

ODDS = st.floats(-15, 6)
VERDICT = st.sampled_from([0, 1, None])


@st.composite
def tables(draw: st.DrawFn) -> list[list[int | None]]:
    """Verdicts on one to five units by one to six samples."""
    samples = draw(st.integers(1, 6))
    row = st.lists(VERDICT, min_size=samples, max_size=samples)
    return draw(st.lists(row, min_size=1, max_size=5))


def scored(odds: list[float], verdicts: list[list[int | None]]) -> list[float]:
    return [fuse_odds(o, yes, no) for o, (yes, no) in zip(odds, votes(verdicts), strict=True)]


@given(ODDS)
def test_without_a_verdict_words_stand_as_they_are(odds: float) -> None:
    assert fuse_odds(odds) == odds
    assert scored([odds], [[None, None]]) == [odds]


@given(tables(), st.data())
def test_a_no_in_place_of_a_yes_or_of_nothing_lowers_no_unit(
    verdicts: list[list[int | None]], data: st.DataObject
) -> None:
    odds = data.draw(st.lists(ODDS, min_size=len(verdicts), max_size=len(verdicts)))
    unit = data.draw(st.integers(0, len(verdicts) - 1))
    sample = data.draw(st.integers(0, len(verdicts[0]) - 1))
    row = verdicts[unit]

    def with_verdict(said: int | None) -> list[float]:
        changed = [*row[:sample], said, *row[sample + 1 :]]
        return scored(odds, [*verdicts[:unit], changed, *verdicts[unit + 1 :]])

    for lower, higher in ((0, None), (None, 1), (0, 1)):
        pairs = zip(with_verdict(lower), with_verdict(higher), strict=True)
        assert all(low <= high + 1e-9 for low, high in pairs)


@given(ODDS, ODDS, st.floats(0, 200), st.integers(0, 20))
def test_more_doubt_by_words_is_never_less_doubt(a: float, b: float, yes: float, no: int) -> None:
    low, high = sorted((a, b))
    assert fuse_odds(low, yes, no) <= fuse_odds(high, yes, no) + 1e-9


@given(st.lists(VERDICT, min_size=1, max_size=6), st.permutations(range(6)))
def test_an_unparsed_verdict_leaves_the_count(row: list[int | None], order: list[int]) -> None:
    padded = [*row, *[None] * (6 - len(row))]
    shuffled = [padded[at] for at in order]
    assert votes([row]) == votes([padded]) == votes([shuffled])


def test_a_yes_weighs_by_what_else_its_sample_bears_out() -> None:
    # Both samples bear the first unit out; the first of them also the two others.
    first, second, third = votes([[0, 0], [0, 1], [0, 1]])
    assert first.yes == pytest.approx((1 + 2 * COMPANY) / 3 + 1 / 3)
    assert (second.no, third.no) == (1, 1)
    assert votes([[0, 0]]) == [Votes(yes=2, no=0)]
    assert votes([]) == []


def test_units_have_equally_many_verdicts() -> None:
    with pytest.raises(ValueError, match="shorter"):
        votes([[0, 1], [0]])


def test_noes_use_up_what_words_say_for_a_unit_and_turn_it() -> None:
    assert fuse_odds(-2.5, 0, 20) > 0
    assert fuse_odds(-2.5, 1, 19) < fuse_odds(-2.5, 0, 20)
    assert fuse_odds(-1.5, 0, 5) > 0
    assert fuse_odds(-3.0, 5, 0) < -3.0


def test_noes_beyond_a_round_count_less_and_never_nothing() -> None:
    odds = [fuse_odds(-3.0, 0, no) for no in range(21)]
    steps = [after - before for before, after in pairwise(odds)]
    assert all(step > 0 for step in steps)
    assert max(steps[5:]) < min(steps[:5])
    # What they would say if all noes counted alike.
    assert odds[20] < -3.0 * 4 / (4 + 20) + math.log1p(20 / 4)
    assert odds[5] == pytest.approx(-3.0 * 4 / (4 + 5) + math.log1p(5 / 4))


def test_one_unit_sets_the_level_within_its_bound() -> None:
    assert Unit(0.0).level == 0.0
    assert Unit(0.3).level == pytest.approx(0.3, abs=0.01)
    assert Unit(-40.0).level == pytest.approx(-3.0)
    assert Unit(1.0).level < Unit(2.0).level < 3.0


def test_votes_on_one_unit_say_as_much_of_its_message_as_its_words() -> None:
    assert Unit(-1.0, Votes(0, 0)).level == Unit(-1.0).level
    assert Unit(-1.0, Votes(3, 3)).level == Unit(-0.5).level
    levels = [Unit(-1.0, Votes(0, no)).level for no in range(1, 21)]
    assert levels == sorted(levels)


@given(
    ODDS,
    st.lists(st.sampled_from([0, 1]), max_size=4),
    st.integers(1, 4),
    st.floats(0.05, 0.95),
)
def test_what_is_decided_no_verdict_still_to_come_can_turn(
    odds: float, said: list[int], remaining: int, threshold: float
) -> None:
    (before,) = votes([said])
    if can_still_change(odds, before, remaining, threshold):
        return
    doubted = {
        logistic(fuse_odds(odds, *votes([[*said, *more]])[0])) >= threshold
        for more in product((0, 1, None), repeat=remaining)
        if said or any(verdict is not None for verdict in more)
    }
    assert len(doubted) == 1


def test_it_stays_undecided_while_either_verdict_is_possible() -> None:
    assert can_still_change(0.2, Votes(), 5, 0.5)
    assert can_still_change(0.2, Votes(no=3), 2, 0.5)
    assert not can_still_change(0.2, Votes(no=3), 0, 0.5)
    assert not can_still_change(-2.0, Votes(yes=5), 5, 0.5)
    assert not can_still_change(4.0, Votes(no=10), 1, 0.5)


def test_what_looks_safe_is_asked_once_before_it_passes() -> None:
    assert can_still_change(-12.0, Votes(), 3, 0.5)
    assert not can_still_change(-12.0, Votes(), 0, 0.5)
    assert not can_still_change(-12.0, Votes(no=1), 2, 0.5)


def test_samples_that_bear_most_out_are_asked_first() -> None:
    # The second bears one unit out in full, the third both of them by half.
    assert nearest_first([[0.1, 1.0, 0.5], [0.1, 0.0, 0.5]]) == (1, 2, 0)
    assert nearest_first([[0.5, 0.5, 0.9]]) == (2, 0, 1)
    assert nearest_first([]) == ()


def test_the_odds_stay_finite_with_very_many_verdicts() -> None:
    assert math.isfinite(fuse_odds(-15.0, 1e9, 10**9))
