"""Long texts: what is heard of them is folded aside, and only what is in sight is laid out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual.app import App

from halubot import check
from halubot.fold import fold
from halubot_tui import layout, marked
from halubot_tui.app import HalubotApp
from halubot_tui.inspecting.facts import FactList
from halubot_tui.layout import Mark, Marks
from halubot_tui.looks import DARK, Signs
from halubot_tui.turns import LONG, Inputs, Turn
from tests.halubot_tui.driving import driven, settled

if TYPE_CHECKING:
    from pathlib import Path

    from textual.app import ComposeResult

    from halubot.events import Event

SENTENCES = 900
FACTS = 2 * SENTENCES
TEXT = "\n\n".join(f"Ada wrote letter {n} in {1800 + n % 99}." for n in range(SENTENCES))
REFERENCE = "Ada wrote letter 7 in 1806. Ada wrote letter 8 in 1808."


def heard() -> list[Event]:
    log: list[Event] = []
    check(TEXT, references=[REFERENCE], watch=log.append)
    return log


@pytest.mark.slow
def test_a_long_text_keeps_its_report_until_its_log_is_folded_elsewhere() -> None:
    assert len(TEXT) > LONG
    log = heard()
    turn = Turn("t", Inputs(kind="check", text=TEXT), state="working")
    half = len(log) // 2
    turn.hear(log[:half])
    assert turn.late
    assert turn.report is None
    assert turn.answer == TEXT
    work = turn.fold_aside()
    turn.hear(log[half:])
    turn.take(work())
    assert turn.late  # more was heard meanwhile
    before = turn.report
    assert before is not None
    turn.take(turn.fold_aside()())
    assert not turn.late
    assert turn.report == fold(log)
    assert len(turn.entries) == len(turn.report.facts)


def test_of_a_short_text_the_report_is_there_at_once() -> None:
    log: list[Event] = []
    check("Ada was born in 1816.", references=["Ada was born in 1815."], watch=log.append)
    turn = Turn("t", Inputs(kind="check", text="Ada was born in 1816."), state="working")
    turn.hear(log)
    assert not turn.late
    assert turn.report == fold(log)


def test_marks_near_a_block_are_those_that_it_shows() -> None:
    text = "\n\n".join(f"Paragraph {n} has **bold** words and ends." for n in range(30))
    places = range(0, len(text) - 12, 5)
    marks = sorted(Mark(at, at + 3 + at % 50, "bold", at) for at in places)
    found = Marks(marks)
    for block in marked.blocks(text):
        assert isinstance(block, marked.Block)
        assert layout.marks_of(block, found.near(block)) == layout.marks_of(block, marks)


class Listed(App[None]):
    """The list of facts alone."""

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(DARK.variables)

    def compose(self) -> ComposeResult:
        yield FactList(Signs())


@pytest.mark.slow
@driven
async def test_only_the_facts_in_sight_are_laid_out_and_all_can_be_gone_to() -> None:
    turn = Turn("t", Inputs(kind="check", text=TEXT), state="done")
    turn.recall(fold(heard()))
    app = Listed()
    async with app.run_test(size=(60, 20)) as pilot:
        facts = app.query_one(FactList)
        facts.show(turn, None, 58, by_doubt=False)
        facts.focus()
        await pilot.pause()
        assert len(facts.numbers) == FACTS
        assert facts.rows == 2 * FACTS
        assert len(facts._laid) <= 20
        await pilot.press("end")
        await settled(pilot, lambda: facts.chosen_number == FACTS)
        lines = [facts.render_line(y).text for y in range(20)]
        assert any(f"letter {SENTENCES - 1}" in line for line in lines)
        await pilot.press("up", "pageup")
        assert facts.chosen_number is not None
        assert facts.chosen_number < FACTS - 5
        await pilot.press("home")
        await pilot.click(FactList, offset=(5, 4))
        await settled(pilot, lambda: facts.chosen_number == 3)


@pytest.mark.slow
@driven
async def test_a_long_text_is_checked_marked_and_its_first_doubt_selected(tmp_path: Path) -> None:
    app = HalubotApp(folder=tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await app.opened.wait()
        turn = await app.begin(Inputs(kind="check", text=TEXT, references=(REFERENCE,)))
        await settled(pilot, lambda: not turn.running and not turn.late)
        assert turn.report is not None
        assert len(turn.entries) == FACTS
        doubted = next(one for one in turn.entries if one.is_doubted)
        await settled(pilot, lambda: app._selected == (turn.id, doubted.number))
