"""What a judge's votes weigh: by its answers to facts whose answer is known."""

from __future__ import annotations

import pytest

from halubot.reliability import Reliability


def answers(calls: int, *, alarms: int = 0, missed: int = 0) -> Reliability:
    """Those of so many calls, each with one right canary and two wrong ones."""
    return Reliability(calls, alarms, 2 * calls, 2 * calls - missed)


def test_few_right_answers_do_not_earn_trust() -> None:
    assert not answers(1).is_ignored
    assert not answers(1).has_earned_trust
    assert answers(5).has_earned_trust


@pytest.mark.parametrize(
    "judge",
    [
        answers(5, missed=10),  # yes to all
        answers(5, alarms=5),  # no to all
        answers(6, alarms=3, missed=6),  # a coin
        answers(1, missed=1),  # one mistake, and nothing else is known
    ],
)
def test_a_judge_whose_answers_hang_on_nothing_is_ignored(judge: Reliability) -> None:
    assert judge.is_ignored
    assert f"{judge.mistakes} of {judge.answered} test facts wrong" in judge.why


@pytest.mark.parametrize(
    ("judge", "unfit"),
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
def test_a_judge_alone_is_refused_by_what_it_showed(judge: Reliability, unfit: bool) -> None:
    assert judge.unfit is unfit
