"""How far a text is corrected, and what is left in it, as it is said everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from textual.widgets import OptionList

from halubot_tui.correction import CorrectionScreen
from halubot_tui.correction_words import GO, describe_left, describe_standing
from halubot_tui.messages import Selected
from tests.halubot_tui.driving import driven, settled
from tests.halubot_tui.test_review import RIGHT, TEXT, checked, opened, read, shown

if TYPE_CHECKING:
    from textual.pilot import Pilot

    from halubot_tui.app import HalubotApp
    from halubot_tui.turns import Turn

CATS = "She had eleven cats."


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_what_is_left_is_named() -> None:
    assert describe_left({}) == ""
    assert describe_left({"not_checked": 1}) == "1 fact could not be checked: read it yourself."
    assert describe_left({"doubtful": 1, "contradicted": 1}) == "2 facts are still in doubt."
    assert describe_left({"not_checked": 1}, GO).endswith("could not be checked: n goes to it.")
    assert describe_left({"not_checked": 2}, GO).endswith("could not be checked: n goes to them.")
    assert "2 facts could not be checked" in describe_standing(1, 1, 0, {"not_checked": 2})


@pytest.mark.slow
@driven
async def test_facts_that_could_not_be_checked_are_counted_and_gone_to(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        turn = await checked(app, pilot, f"{TEXT} {CATS}")
        await pilot.press("f4")
        await settled(pilot, lambda: turn.revision is not None and app.focused)
        revision, screen = turn.revision, app.screen
        assert revision is not None
        assert isinstance(screen, CorrectionScreen)
        await pilot.press("A")
        await settled(pilot, lambda: "1 fact could not be checked: n" in shown(app, "#state"))
        assert "All is decided" not in shown(app, "#state")
        await pilot.press("n")
        await settled(pilot, lambda: screen._at in revision.unchecked)
        await pilot.press("c")
        await settled(pilot, lambda: revision.outcome)
        await settled(pilot, lambda: "1 fact could not be checked: read" in shown(app, "#state"))
        assert "not checked" in shown(app, "#figures").split("\n")[2]
        assert "Nothing was changed" not in shown(app, "#state")
        await pilot.press("escape")
        told = "3 facts were in doubt, none is now; 1 could not be checked: read it yourself"
        await settled(pilot, lambda: told in read(app))
        assert "~ corrected and checked again" in read(app)
        assert "The corrected text: all 3 changes made, 1 fact could not be checked" in read(app)
        await app.workers.wait_for_complete([one for one in app.workers if one.group == "noting"])
    again = opened(tmp_path)
    async with again.run_test(size=(120, 40)) as pilot:
        await settled(pilot, lambda: again._turns and told in read(again))


@pytest.mark.slow
@driven
async def test_where_nothing_is_in_doubt_what_was_not_checked_is_counted(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        turn = await checked(app, pilot, f"{RIGHT} {CATS}")
        await pilot.press("f4")
        await settled(pilot, lambda: turn.revision is not None and app.focused)
        await settled(pilot, lambda: "1 fact could not be checked" in shown(app, "#state"))


NEVER = TEXT.replace("disliked", "never liked")


async def begun(app: HalubotApp, pilot: Pilot[None], text: str, number: int) -> Turn:
    """The correction from the fact of that number."""
    turn = await checked(app, pilot, text)
    app.post_message(Selected(turn.id, number))
    await settled(pilot, lambda: app._selected == (turn.id, number))
    await pilot.press("f4")
    await settled(pilot, lambda: turn.revision is not None and app.focused)
    return turn


@pytest.mark.slow
@driven
async def test_from_a_fact_that_holds_one_comes_to_the_first_open_change(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        turn = await begun(app, pilot, TEXT, 2)
        assert turn.entries[1].verdict == "supported"
        listed = app.screen.query_one("#edits", OptionList)
        await settled(pilot, lambda: listed.highlighted == 0)
        assert "not in doubt" not in str(listed.get_option_at_index(0).prompt)


@pytest.mark.slow
@driven
async def test_where_nothing_is_open_one_comes_to_the_first_place_in_doubt(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        turn = await begun(app, pilot, "Ada Hill was born in 1815. She never liked tea.", 1)
        screen = app.screen
        assert isinstance(screen, CorrectionScreen)
        assert turn.revision is not None
        await settled(pilot, lambda: turn.revision and screen._at in turn.revision.in_doubt)


@pytest.mark.slow
@driven
async def test_a_key_that_does_nothing_says_why(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        turn = await begun(app, pilot, NEVER, 4)
        screen = app.screen
        assert isinstance(screen, CorrectionScreen)
        await pilot.press("u")
        await settled(pilot, lambda: "There is nothing to take back." in shown(app, "#state"))
        await pilot.press("a")
        await settled(pilot, lambda: "There is no change here to accept." in shown(app, "#state"))
        assert "Not decided: 2 above." in shown(app, "#state")
        await pilot.press("up")
        await settled(pilot, lambda: "no change here" not in shown(app, "#state"))
        await pilot.press("s")  # the sentence between the two changes
        await settled(pilot, lambda: len(screen._rows) == 4)
        listed = app.screen.query_one("#edits", OptionList)
        rows = [str(option.prompt) for option in listed.options]
        assert [row[0] for row in rows] == [" ", " ", "▸", " "]
        assert sum("Ada Hill was born" in row for row in rows) == 1
        await pilot.press("up")
        await settled(pilot, lambda: "Not decided: 1 above, 1 below." in shown(app, "#state"))
        assert not turn.decisions


@pytest.mark.slow
@driven
async def test_a_list_says_how_much_of_it_is_above(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(60, 20)) as pilot:
        turn = await checked(app, pilot)
        last = turn.entries[-1].number
        app.post_message(Selected(turn.id, last))
        await settled(pilot, lambda: app._selected == (turn.id, last))
        await pilot.press("f4")
        await settled(pilot, lambda: turn.revision is not None and app.focused)
        both = app.screen.query_one("#both")
        await settled(pilot, lambda: "2 more above" in str(both.border_title))
        await pilot.press("up", "up")
        await settled(pilot, lambda: "more above" not in str(both.border_title))
        assert "more below" in str(both.border_title)
