"""What a judge's votes weigh: by its answers to facts whose answer is known."""

from __future__ import annotations

import pytest

from halubot.reliability import Agreement, Reliability, Tally


def answers(calls: int, *, alarms: int = 0, missed: int = 0) -> Tally:
    """Those of so many calls, each with one right canary and two wrong ones."""
    return Tally(calls, alarms, 2 * calls, 2 * calls - missed)


def test_weight_is_earned_by_answers() -> None:
    weights = [Reliability(answers(calls)).against for calls in (1, 5, 10, 20)]
    assert weights == sorted(weights)
    assert weights[0] < 0.3
    assert weights[-1] == 1.0
    assert not Reliability(answers(1)).has_earned_trust
    assert Reliability(answers(5)).has_earned_trust


@pytest.mark.parametrize(
    "tally",
    [
        answers(5, missed=10),  # yes to all
        answers(5, alarms=5),  # no to all
        answers(6, alarms=3, missed=6),  # a coin
        answers(1, missed=1),  # one mistake, and nothing else is known
    ],
)
def test_a_judge_whose_answers_hang_on_nothing_is_ignored(tally: Tally) -> None:
    judge = Reliability(tally)
    assert judge.is_ignored
    assert (judge.against, judge.backing) == (0.0, 0.0)
    assert f"{tally.mistakes} of {tally.answered} test facts wrong" in judge.why


@pytest.mark.parametrize(
    ("tally", "unfit"),
    [
        (answers(2), False),  # too few
        (answers(3), False),
        (answers(3, missed=1), False),  # one mistake does not cost a check that has nothing beside
        (answers(3, alarms=2), True),
        (answers(3, missed=6), True),
        (answers(3, alarms=3), True),
        (answers(20, alarms=6, missed=12), True),  # 30 % turned round
    ],
)
def test_a_judge_alone_is_refused_by_what_it_showed(tally: Tally, unfit: bool) -> None:
    assert Reliability(tally).unfit is unfit


def test_recorded_verdicts_that_are_all_alike_are_ignored_if_words_speak_for_something() -> None:
    no = Tally(right=1, alarms=1, wrong=50, caught=50)
    assert Agreement(no, one_sided=True).is_ignored
    assert not Agreement(no).is_ignored
