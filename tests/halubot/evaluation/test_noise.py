"""Recorded verdicts as worse judges give them, and the harm these do."""

from __future__ import annotations

import pytest

from halubot.errors import SettingError
from halubot.evaluation.checked import Scored, ScoredSentence
from halubot.evaluation.harm import doubted, remark
from halubot.evaluation.judged import Judged, JudgedSentence
from halubot.evaluation.noise import Noise, parse_noise, with_noise
from halubot.evaluation.rows import Row
from halubot.reliability import KNOWN, Reliability
from halubot.report import Verdict

ROW = Row("r", "One. Two.", verdicts=((0, 1) * 50, (1, None) * 50), samples=("s",) * 100)


@pytest.mark.parametrize("text", ["flip", "flip:2", "coin:1", "maybe", ""])
def test_what_is_no_noise_is_refused(text: str) -> None:
    with pytest.raises(SettingError, match="no noise"):
        parse_noise(text)


def test_without_noise_the_verdicts_stay_and_the_judge_knows_its_canaries() -> None:
    (row,) = with_noise([ROW], None)
    assert row.verdicts == ROW.verdicts
    assert row.canaries.answered == KNOWN
    assert row.canaries.mistakes == 0


@pytest.mark.parametrize(("text", "said"), [("yes", 0), ("no", 1)])
def test_a_judge_that_says_the_same_to_all(text: str, said: int) -> None:
    (row,) = with_noise([ROW], text)
    assert row.verdicts == ((said,) * 100, (said, None) * 50)
    assert Reliability(row.canaries).ignored


@pytest.mark.parametrize("text", ["coin", "flip:0.3"])
def test_turned_verdicts_are_the_same_each_time(text: str) -> None:
    (row,), (again,) = with_noise([ROW], text), with_noise([ROW], text)
    assert row == again
    pairs = [
        (a, b)
        for x, y in zip(row.verdicts or (), ROW.verdicts or (), strict=True)
        for a, b in zip(x, y, strict=True)
        if b is not None
    ]
    turned = sum(a != b for a, b in pairs) / len(pairs)
    assert 0.15 < turned < 0.65
    assert row.canaries.mistakes > 0
    assert parse_noise("flip:0.3") == Noise("flip", 0.3)


def test_harm_is_the_share_of_wrong_and_of_right_units_doubted() -> None:
    def scored(gold: tuple[float, ...], *verdicts: Verdict) -> Scored:
        row = Row("r", "A. B.", gold=gold, sentences=("A.", "B."))
        judged = Judged((), tuple(JudgedSentence((0, 1), one) for one in verdicts))
        return Scored(row, sentences=(ScoredSentence((0, 1), 0.5, 0.5),) * 2, judged=judged)

    rows = [
        scored((1.0, 0.0), "contradicted", "supported"),
        scored((1.0, 0.0), "not_checked", "doubtful"),
    ]
    assert doubted(rows) == {"wrong": 0.5, "right": 0.5}
    assert doubted([]) == {"wrong": None, "right": None}
    assert remark({"cascade": doubted(rows), "consensus": doubted([])}) == (
        "wrong / right units doubted: cascade 0.50 / 0.50, consensus - / -"
    )
