"""What stands above the text of a message."""

from __future__ import annotations

from typing import Literal

import pytest

from halubot_tui.checker import Here
from halubot_tui.heads import head
from halubot_tui.looks import Signs
from halubot_tui.preferences import Preferences
from halubot_tui.turns import Inputs, Turn
from halubot_tui.work import judging as work_on
from tests.halubot_tui.states import judging

SO_FAR = "● judging facts, 2 of 6 · 12 s"


@pytest.mark.parametrize(
    ("calls", "cost", "told"),
    [
        (None, None, "5 model calls · 2,550 tokens · $0.0021"),
        (40, None, "5 of 40 model calls · 2,550 tokens · $0.0021"),
        (None, 0.5, "5 model calls · 2,550 tokens · $0.0021 of $0.5000"),
    ],
)
def test_progress_tells_what_was_spent_of_the_budget(
    calls: int | None, cost: float | None, told: str
) -> None:
    turn = judging()
    turn.most_calls, turn.most_cost = calls, cost
    assert head(turn, Signs(), 100, 12.3).plain == f"{SO_FAR} · {told}"


@pytest.mark.parametrize(
    ("kind", "told"),
    [("ask", "! stopped: F5 asks again"), ("check", "! stopped: F5 checks it again")],
)
def test_what_was_stopped_says_how_to_begin_it_again(
    kind: Literal["ask", "check"], told: str
) -> None:
    turn = Turn("t", Inputs(kind=kind, text="Who was Ada?"), state="stopped")
    assert head(turn, Signs(), 100).plain == told


def test_lines_end_between_phrases() -> None:
    assert head(judging(), Signs(), 40).plain.split("\n") == [
        "● judging facts, 2 of 6",
        "  5 of 40 model calls · 2,550 tokens",
        "  $0.0021 of $0.5000",
    ]


def test_the_budget_is_that_of_the_message_or_else_the_usual_one() -> None:
    turn = Turn("t", Inputs(kind="check", text="x", settings={"max_calls": 7}))
    work_on(turn, Preferences(max_calls=40, max_cost=0.5), None, Here())
    assert (turn.most_calls, turn.most_cost) == (7, 0.5)
