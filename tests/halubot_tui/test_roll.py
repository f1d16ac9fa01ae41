"""What is laid out of a session: only what is near what is in sight."""

from __future__ import annotations

import pytest

import halubot
from halubot.events import Event
from halubot_tui.looks import Signs
from halubot_tui.roll import KEPT, Roll
from halubot_tui.turns import Inputs, Turn

WIDTH, VIEW = 60, 20
TEXT = "Ada Hill was born in 1816 in Rome. She knew Ben Moore."
SAMPLES = ["Ada Hill was born in 1815 in Rome. She knew Ben Moore."] * 3


@pytest.fixture(scope="module")
def log() -> list[Event]:
    heard: list[Event] = []
    halubot.check(TEXT, samples=SAMPLES, watch=heard.append)
    return heard


def turns(log: list[Event], count: int) -> list[Turn]:
    found = [Turn.of(f"t{at}", Inputs(kind="check", text=TEXT), log) for at in range(count)]
    for turn in found:
        turn.state = "done"
    return found


def kept(count: int) -> list[Turn]:
    """Messages of which something is kept that was not read yet."""
    found = [Turn(f"k{at}", Inputs(kind="check", text=TEXT), state="done") for at in range(count)]
    for turn in found:
        turn.run = 1
    return found


def rolled(turns: list[Turn]) -> Roll:
    roll = Roll(Signs())
    roll.widen(WIDTH)
    roll.open(turns)
    roll.rows.stack()
    return roll


def settle(roll: Roll, top: int) -> None:
    while roll.lay(top, VIEW):
        roll.rows.stack()


def test_only_what_is_in_sight_is_laid_out(log: list[Event]) -> None:
    roll = rolled(turns(log, 100))
    assert roll.laid_out == 0
    settle(roll, 0)
    assert 0 < roll.laid_out <= VIEW
    assert roll.line(0).turn == 0
    assert roll.line(roll.rows.tops[90]).turn == -1


def test_what_is_far_is_let_go_of(log: list[Event]) -> None:
    roll = rolled(turns(log, 100))
    for place in range(0, 100, 3):
        settle(roll, roll.rows.tops[place])
    assert roll.laid_out > KEPT
    roll.forget(0)
    assert roll.laid_out == KEPT
    assert all(roll.page(place) is not None for place in range(10))


def test_a_height_that_was_guessed_is_put_right(log: list[Event]) -> None:
    roll = rolled(turns(log, 3))
    settle(roll, 0)
    pages = [roll.page(place) for place in range(3)]
    assert roll.rows.heights == [page.height for page in pages if page is not None]


def test_unread_messages_are_told_once_until_they_are_let_go_of() -> None:
    roll = rolled(kept(40))
    first = roll.unread(0, VIEW)
    assert first
    assert first[0] is roll.turns[0]
    assert not roll.unread(0, VIEW)
    for place in range(40):
        settle(roll, roll.rows.tops[place])
    roll.forget(roll.rows.tops[39])
    assert roll.page(0) is None
    assert roll.unread(0, VIEW)[0] is roll.turns[0]


def test_another_width_lays_out_all_anew(log: list[Event]) -> None:
    roll = rolled(turns(log, 1))
    settle(roll, 0)
    high = roll.rows.heights[0]
    roll.widen(20)
    roll.rows.stack()
    settle(roll, 0)
    assert roll.rows.heights[0] > high


def test_doubted_entries_come_in_the_order_of_the_texts(log: list[Event]) -> None:
    roll = rolled(turns(log, 2))
    doubted = [one.number for one in roll.turns[0].entries if one.verdict != "supported"]
    assert doubted == sorted(doubted)
    found = [step(roll, 1) for _ in range(2 * len(doubted) + 1)]
    names = [turn.id for turn in roll.turns]
    assert found == [*((name, one) for name in names for one in doubted), (names[0], doubted[0])]
    assert step(roll, -1) == (names[1], doubted[-1])


def test_it_goes_on_from_the_selected_message_not_from_the_first(log: list[Event]) -> None:
    roll = rolled(turns(log, 3))
    first, middle, last = (turn.id for turn in roll.turns)
    roll.select(middle, None)
    assert roll.doubted_after(1) == (middle, roll.turns[1].first_doubted)
    before = roll.doubted_after(-1)
    assert before is not None
    assert before[0] == first
    supported = next(one for one in roll.turns[1].entries if one.verdict == "supported")
    roll.select(middle, supported.number)
    after = roll.doubted_after(1)
    assert after is not None
    assert after[0] in (middle, last)


@pytest.mark.parametrize("by", [1, -1])
def test_a_message_on_the_way_that_was_not_read_is_selected_itself(
    log: list[Event], by: int
) -> None:
    roll = rolled([*turns(log, 1), *kept(1)])
    roll.select(roll.turns[0].id, None)
    found = [step(roll, by) for _ in range(9)]
    assert (roll.turns[1].id, None) in found


def step(roll: Roll, by: int) -> tuple[str, int | None]:
    """Goes to the next doubted entry."""
    found = roll.doubted_after(by)
    assert found is not None
    roll.select(*found)
    return found


def test_a_message_of_another_session_is_none_of_these(log: list[Event]) -> None:
    roll = rolled(turns(log, 2))
    assert not roll.change(Turn("elsewhere", Inputs(kind="check", text=TEXT)))
    assert roll.place("elsewhere") is None


def test_time_goes_by_for_what_is_under_way_alone(log: list[Event]) -> None:
    now = [10.0]
    roll = Roll(Signs(), clock=lambda: now[0])
    roll.widen(WIDTH)
    done, working = turns(log, 1)[0], Turn("w", Inputs(kind="ask", text="Who?"), state="working")
    roll.open([done])
    roll.rows.stack()
    settle(roll, 0)
    assert not roll.tick()
    roll.add(working)
    roll.rows.stack()
    settle(roll, 0)
    now[0] += 7
    assert roll.tick()
    settle(roll, 0)
    page = roll.page(1)
    assert page is not None
    assert any("7 s" in page.line(row).plain for row in range(page.height))
