"""What is done about a message that was checked, driven by keys, without a model and with one."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from textual.widgets import Input, OptionList, Static

from halubot.feedback import Feedback
from halubot_tui.app import HalubotApp
from halubot_tui.choice import CompareForm
from halubot_tui.compare import CompareScreen
from halubot_tui.correction import CorrectionScreen
from halubot_tui.correction_fields import ByHand
from halubot_tui.disagree_form import DisagreeForm
from halubot_tui.export_screen import ExportForm
from halubot_tui.exports import finish_report
from halubot_tui.keys import Keys
from halubot_tui.main import MainScreen
from halubot_tui.messages import Selected
from halubot_tui.picks import Picks
from halubot_tui.preferences import Preferences
from halubot_tui.settings import SettingsScreen
from halubot_tui.turns import Inputs, Turn
from halubot_tui.work import Task
from tests.halubot_tui import scenes
from tests.halubot_tui.driving import driven, notices, settled
from tests.judge import Judge
from tests.loopback import Loopback, Reply, loopback

if TYPE_CHECKING:
    from textual.pilot import Pilot

TEXT = "Ada Hill was born in 1816. She knew Ben Moore. She died in 1890. She disliked tea."
RIGHT = "Ada Hill was born in 1815. She knew Ben Moore. She died in 1852. She liked tea."


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def opened(folder: Path, **more: Any) -> HalubotApp:
    return HalubotApp(folder=folder / "state", session="tea", preferences=Preferences(**more))


async def checked(app: HalubotApp, pilot: Pilot[None], text: str = TEXT) -> Turn:
    inputs = Inputs(kind="check", text=text, question="Who?", references=(RIGHT,))
    turn = await app.begin(inputs)
    await settled(pilot, lambda: not turn.running)
    return turn


async def corrected(app: HalubotApp, pilot: Pilot[None]) -> Turn:
    turn = await checked(app, pilot)
    await pilot.press("f4")
    await settled(pilot, lambda: turn.revision is not None)
    assert isinstance(app.screen, CorrectionScreen)
    await settled(pilot, lambda: app.focused)
    return turn


def read(app: HalubotApp) -> str:
    """What is read on the main screen, on one line."""
    return " ".join(line.strip(" ▌") for line in app._main.conversation.lines())


def read_files(folder: Path, names: str) -> list[str]:
    return [file.read_text() for file in folder.glob(names)]


def shown(app: HalubotApp, what: str) -> str:
    return str(app.screen.query_one(what, Static).content)


@pytest.mark.slow
@driven
async def test_edits_are_accepted_rejected_and_written_by_hand(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        turn = await corrected(app, pilot)
        assert turn.revision is not None
        assert len(turn.revision.edits) == 3
        assert "3 changes: 3 open" in shown(app, "#state")
        await pilot.press("a", "r", "e")
        await settled(pilot, lambda: isinstance(app.focused, ByHand))
        await pilot.press(*"loved", "enter")
        await settled(pilot, lambda: len(turn.decisions) == 3)
        assert turn.decisions == {0: True, 1: False, 2: "loved"}
        assert shown(app, "#preview") == (
            "Ada Hill was born in 1815. She knew Ben Moore. She died in 1890. She loved tea."
        )
        await pilot.press("f10")
        await settled(pilot, lambda: turn.revision and turn.revision.outcome)
        figures = shown(app, "#figures")
        assert "before" in figures
        assert "after" in figures
        assert "was checked again" in shown(app, "#state")
        await pilot.press("y")  # the text can be taken from here
        taken = turn.revision.decided_text.text
        await settled(pilot, lambda: app.clipboard == taken != TEXT)
        await pilot.press("f9")
        await settled(pilot, lambda: isinstance(app.screen, ExportForm))
        await pilot.press("escape")
        report = finish_report(turn)
        assert report is not None
        assert report.correction is not None
        assert report.correction.report is not None
        assert report.correction.report.text == report.correction.text
        await pilot.press("escape")
        await settled(pilot, lambda: isinstance(app.screen, MainScreen))


@pytest.mark.slow
@driven
async def test_where_nothing_is_changed_it_says_how_to(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        turn = await corrected(app, pilot)
        await pilot.press("r", "r", "r")
        await settled(pilot, lambda: len(turn.decisions) == 3)
        await settled(pilot, lambda: "The text is as it was" in shown(app, "#state"))
        await pilot.press("a")
        await settled(pilot, lambda: "c checks it again" in shown(app, "#state"))


@pytest.mark.slow
@pytest.mark.parametrize("width", [60, 100])
@driven
async def test_edits_are_laid_out_at_the_width_they_have(width: int, tmp_path: Path) -> None:
    """They come while the list is hidden, and has no width yet."""
    app = opened(tmp_path)
    async with app.run_test(size=(width, 40)) as pilot:
        await app.opened.wait()
        turn = scenes.checked()
        revision, turn.revision = turn.revision, None
        name = f"correct {turn.id}"
        app._tasks[name] = Task(name, "Correcting")
        await scenes.show(app, pilot, turn)
        await pilot.press("f4")
        await settled(pilot, lambda: isinstance(app.screen, CorrectionScreen))
        app._tasks[name].ended = True
        turn.revision = revision
        app._show_correction(turn)
        await settled(pilot, lambda: app.focused)
        listed = app.screen.query_one("#edits", OptionList)
        lines = "\n".join(str(option.prompt) for option in listed.options).split("\n")
        room = listed.scrollable_content_region.width
        assert room // 2 < max(map(len, lines)) <= room


@pytest.mark.slow
@driven
async def test_keys_are_offered_only_for_what_can_be_decided(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await corrected(app, pilot)
        assert {"accept", "reject", "edit", "accept_all", "finish"} <= offered(app)
        await pilot.press("A")
        await settled(pilot, lambda: "accept_all" not in offered(app))
        await pilot.press("escape")
        turn = await checked(app, pilot, text=RIGHT)
        await pilot.press("f4")
        await settled(pilot, lambda: turn.revision is not None)
        await settled(pilot, lambda: "nothing to correct" in shown(app, "#state"))
        await settled(pilot, lambda: "edit" in offered(app))
        assert not offered(app) & {"accept", "reject", "accept_all", "finish"}


@pytest.mark.slow
@driven
async def test_of_words_that_stay_the_reason_is_told_and_nothing_is_asked(tmp_path: Path) -> None:
    """They are contradicted, but no source has words that could stand in their place."""
    app = opened(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        turn = await checked(app, pilot, TEXT.replace("disliked", "never liked"))
        await pilot.press("f4")
        await settled(pilot, lambda: turn.revision is not None and app.focused)
        assert turn.revision is not None
        assert turn.revision.edits[2].action == "kept"
        assert "2 changes: 2 open; 1 doubted place stays as written" in shown(app, "#state")
        assert "[= never liked]" in shown(app, "#preview")
        listed = app.screen.query_one("#edits", OptionList)
        assert {"accept", "reject"} <= offered(app)
        await pilot.press("down", "down")
        await settled(pilot, lambda: listed.highlighted == 2)
        row = " ".join(str(listed.get_option_at_index(2).prompt).split())
        assert row == (
            "▸ = not corrected: stays as written She [= never liked] tea. "
            "The sources give nothing that could stand here ✗⁴ The reference says the opposite"
        )
        assert not offered(app) & {"accept", "reject"}
        assert {"edit", "accept_all"} <= offered(app)
        await pilot.press("a", "r", "A")
        await settled(pilot, lambda: turn.decisions == {0: True, 1: True})


@pytest.mark.slow
@driven
async def test_where_all_doubted_words_stay_it_says_so(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        turn = await checked(app, pilot, "Ada Hill was born in 1815. She never liked tea.")
        await pilot.press("f4")
        await settled(pilot, lambda: turn.revision is not None and app.focused)
        assert "1 place in doubt, and no change is offered" in shown(app, "#state")
        assert offered(app) & {"accept", "reject", "edit", "accept_all", "finish"} == {"edit"}
        await pilot.press("e")
        await settled(pilot, lambda: isinstance(app.focused, ByHand))
        await pilot.press(*"liked", "enter")
        await settled(pilot, lambda: "1 edited" in shown(app, "#state"))
        assert "finish" in offered(app)
        assert shown(app, "#preview") == "Ada Hill was born in 1815. She liked tea."


def offered(app: HalubotApp) -> set[str]:
    """The actions that the line of keys may name."""
    return {one.binding.action for one in app.screen.active_bindings.values()}


@pytest.mark.slow
@driven
async def test_the_same_key_again_opens_an_edit(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(60, 20)) as pilot:
        turn = await corrected(app, pilot)
        await pilot.press("a", "up", "a")
        await settled(pilot, lambda: not turn.decisions)
        await pilot.press("f10")
        await pilot.pause()
        assert turn.revision is not None
        assert turn.revision.outcome is None
        await pilot.press("A")
        await settled(pilot, lambda: len(turn.decisions) == 3)
        assert turn.revision.decided_text.text == RIGHT


@pytest.mark.slow
@driven
async def test_a_session_that_is_opened_again_shows_what_was_decided(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        turn = await corrected(app, pilot)
        await pilot.press("A", "f10")
        await settled(pilot, lambda: turn.revision and turn.revision.outcome)
        await pilot.press("r")
        await settled(pilot, lambda: False in turn.decisions.values())
        await app.workers.wait_for_complete([one for one in app.workers if one.group == "noting"])
        before, decisions = turn.revision, dict(turn.decisions)
    again = opened(tmp_path)
    async with again.run_test(size=(120, 40)) as pilot:
        await settled(pilot, lambda: again.query("#conversation") and again._turns)
        await pilot.press("f4")
        await settled(pilot, lambda: isinstance(again.screen, CorrectionScreen))
        (reopened,) = again._turns.values()
        assert reopened.decisions == decisions
        assert reopened.revision is not None
        assert before is not None
        assert reopened.revision.edits == before.edits
        assert reopened.revision.figures() == before.figures()
        assert "changed since" in shown(again, "#state")


@pytest.mark.slow
@driven
async def test_a_corrected_message_says_so_also_when_it_is_opened_again(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        turn = await corrected(app, pilot)
        assert turn.corrected_text is None
        await pilot.press("A")
        await settled(pilot, lambda: turn.corrected_text)
        told = "corrected, not checked again: all 3 changes made; F4 goes on"
        await settled(pilot, lambda: told in "\n".join(app._main.conversation.lines()))
        await pilot.press("c")
        await settled(pilot, lambda: turn.corrected_text and turn.corrected_text.doubted)
        said = turn.corrected_text
        await app.workers.wait_for_complete([one for one in app.workers if one.group == "noting"])
    assert said is not None
    assert said.doubted == ("facts in doubt", "3", "0")
    again = opened(tmp_path)
    async with again.run_test(size=(120, 40)) as pilot:
        told = "corrected and checked again: 3 facts were in doubt, none is now"
        await settled(pilot, lambda: again._turns and told in read(again))
        assert "The corrected text · F9 saves it" in read(again)
        assert RIGHT in read(again)


@driven
async def test_what_is_in_doubt_still_is_named_and_marked(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        turn = await corrected(app, pilot)
        await pilot.press("a", "r", "r", "c")
        await settled(pilot, lambda: turn.corrected_text and turn.corrected_text.doubted)
        made = turn.corrected_text
        assert made is not None
        found = made.find_doubts()
        assert found is not None
        assert len(found[1]) == 2
        for entry in found[1]:
            assert f"✗ still in doubt: {entry.reading}: {entry.said}" in shown(app, "#figures")
        await pilot.press("escape")
        told = [f"✗ still in doubt: {entry.reading}" for entry in found[1]]
        await settled(pilot, lambda: all(line in read(app) for line in told))
        assert "The text corrected in part: 1 of 3 changes made, 2 facts still" in read(app)
        below = read(app).partition("The text corrected")[2]
        assert below.partition("still in doubt")[0].count("✗") == 3  # two marks, and the line
        await app.workers.wait_for_complete([one for one in app.workers if one.group == "noting"])
    again = opened(tmp_path)
    async with again.run_test(size=(120, 40)) as pilot:
        await settled(pilot, lambda: "still in doubt" in read(again))
        assert read(again).partition("The text corrected")[2] == below


@pytest.mark.slow
@driven
async def test_an_error_for_which_no_change_is_offered_is_corrected_by_hand(
    tmp_path: Path,
) -> None:
    """Nothing that was given speaks of it; what becomes of it is shown on the main screen."""
    app = opened(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        turn = await checked(app, pilot, f"{RIGHT} She had eleven cats.")
        await pilot.press("f4")
        await settled(pilot, lambda: turn.revision is not None and app.focused)
        listed = app.screen.query_one("#edits", OptionList)
        await settled(pilot, lambda: listed.option_count == 1)
        row = str(listed.get_option_at_index(0).prompt)
        assert "○ not checked" in row
        assert "She had eleven cats." in row
        await pilot.press("s")
        await settled(pilot, lambda: listed.option_count == 5)
        await pilot.press("s")
        await settled(pilot, lambda: listed.option_count == 1)
        await pilot.press("e")
        await settled(pilot, lambda: isinstance(app.focused, ByHand))
        field = app.screen.query_one(ByHand)
        assert field.text == "She had eleven cats."
        field.text = "She had two cats."
        await pilot.press("enter")
        await settled(pilot, lambda: "1 change: 1 edited" in shown(app, "#state"))
        assert turn.revision is not None
        assert shown(app, "#preview") == f"{RIGHT} She had two cats."
        await pilot.press("c")
        await settled(pilot, lambda: turn.revision and turn.revision.outcome)
        await pilot.press("escape")
        await settled(pilot, lambda: f"{RIGHT} She had two cats." in read(app))


@pytest.mark.slow
@driven
async def test_correcting_begins_with_the_fact_that_is_selected(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        turn = await checked(app, pilot)
        died = next(one for one in turn.entries if "1890" in one.reading)
        app.post_message(Selected(turn.id, died.number))
        await settled(pilot, lambda: app._selected == (turn.id, died.number))
        await pilot.press("f4")
        await settled(pilot, lambda: turn.revision is not None and app.focused)
        listed = app.screen.query_one("#edits", OptionList)
        await settled(pilot, lambda: listed.highlighted == 1)
        assert "1890" in str(listed.get_option_at_index(1).prompt)
        assert listed.option_count == 3


LOW = "Ada Hill was born in 1816 in Kent. She knew Ben Moore. She died in 1890."
OTHER = "Ada Hill was born in 1815 in Kent. She knew Ben Moore. She died in 1890."


@pytest.mark.slow
@driven
async def test_what_is_not_offered_is_written_by_enter_and_taken_by_enter(tmp_path: Path) -> None:
    """Two answers settle nothing, so no change is offered; what both say stands in the field."""
    app = opened(tmp_path)
    async with app.run_test(size=(60, 20)) as pilot:
        turn = await app.begin(Inputs(kind="check", text=LOW, samples=(OTHER, OTHER)))
        await settled(pilot, lambda: not turn.running)
        await pilot.press("f4")
        await settled(pilot, lambda: turn.revision is not None and app.focused)
        assert "Enter writes the sentence" in shown(app, "#state")
        await pilot.press("enter")
        await settled(pilot, lambda: isinstance(app.focused, ByHand))
        assert app.screen.query_one(ByHand).text == "Ada Hill was born in 1815 in Kent."
        assert "other answer 1: “Ada Hill was born in 1815 in Kent.”" in shown(app, "#change")
        await pilot.press("enter")
        await settled(pilot, lambda: "All is decided" in shown(app, "#state"))
        assert shown(app, "#preview") == OTHER


@pytest.mark.slow
@driven
async def test_the_keys_that_take_the_text_are_in_the_footer_of_a_small_screen(
    tmp_path: Path,
) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(60, 20)) as pilot:
        await corrected(app, pilot)
        footer = app.screen.query_one(Keys)
        await settled(pilot, lambda: "reject" in [key.action for key in footer.shown_keys])
        shown_keys = [key.action for key in footer.shown_keys]
        for wanted in ("accept", "reject", "edit", "app.copy", "app.export"):
            assert wanted in shown_keys


@pytest.mark.slow
@driven
async def test_earlier_changes_are_named_and_gone_to_after_the_last(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(60, 20)) as pilot:
        turn = await checked(app, pilot)
        last = turn.entries[-1]
        app.post_message(Selected(turn.id, last.number))
        await settled(pilot, lambda: app._selected == (turn.id, last.number))
        await pilot.press("f4")
        await settled(pilot, lambda: turn.revision is not None and app.focused)
        listed = app.screen.query_one("#edits", OptionList)
        await settled(pilot, lambda: listed.highlighted == 2)
        assert "2 before this one are not decided" in shown(app, "#state")
        await pilot.press("a")
        await settled(pilot, lambda: listed.highlighted == 0)
        await settled(pilot, lambda: "not decided" not in shown(app, "#state"))


@driven
async def test_where_nothing_is_in_doubt_it_says_so(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        turn = await checked(app, pilot, RIGHT)
        await pilot.press("f4")
        await settled(pilot, lambda: turn.revision is not None)
        assert "there is nothing to correct" in shown(app, "#state")


@pytest.mark.slow
@driven
async def test_methods_stand_side_by_side(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        turn = await app.begin(Inputs(kind="check", text=TEXT, samples=(RIGHT,) * 3))
        await settled(pilot, lambda: not turn.running)
        await pilot.press("f6")
        await settled(pilot, lambda: isinstance(app.screen, CompareForm))
        methods = app.screen.query_one("#methods", Picks)
        await settled(pilot, lambda: methods.has_focus and methods.highlighted is not None)
        methods.highlighted = methods.get_option_index("selfcheck-ngram")
        await pilot.press("space")
        await settled(pilot, lambda: "selfcheck-ngram" in methods.marked_names)
        await pilot.press("f6")
        await settled(pilot, lambda: "selfcheck-ngram" in turn.compared)
        assert isinstance(app.screen, CompareScreen)
        heads = shown(app, "#heads")
        assert "consensus" in heads
        assert "selfcheck-ngram" in heads
        assert "0 calls" in heads
        assert "1816" in shown(app, "#detail Static")
        await app.workers.wait_for_complete([one for one in app.workers if one.group == "noting"])
    again = opened(tmp_path)
    async with again.run_test(size=(60, 20)) as pilot:
        await settled(pilot, lambda: again._turns)
        await pilot.press("f6")
        await settled(pilot, lambda: isinstance(again.screen, CompareScreen))
        assert "selfcheck-ngram" in shown(again, "#heads")


@pytest.mark.slow
@driven
async def test_a_word_on_a_fact_wins_is_kept_and_taken_back(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        turn = await checked(app, pilot)
        app.screen.query_one("#conversation").focus()
        await pilot.press("n")
        await settled(pilot, lambda: app._selected and app._selected[1])
        before = turn.report
        await pilot.press("d")
        await settled(pilot, lambda: isinstance(app.screen, DisagreeForm))
        app.screen.query_one("#note", Input).value = "it was so"
        await pilot.press("f4")
        await settled(pilot, lambda: turn.words)
        report = turn.report
        assert before is not None
        assert report is not None
        (fact,) = [one for one in report.facts if "person" in one.basis]
        assert fact.verdict == "supported"
        assert "it was so" in (fact.reason or "")
        assert len(report.doubted()) == len(before.doubted()) - 1
    with Feedback.open(tmp_path / "state") as feedback:
        assert [word.says for word in feedback.words()] == ["right"]
    again = opened(tmp_path)
    async with again.run_test(size=(120, 40)) as pilot:
        await settled(pilot, lambda: again._turns)
        (reopened,) = again._turns.values()
        await settled(pilot, lambda: reopened.report)
        number = next(e.number for e in reopened.entries if e.fact and "person" in e.fact.basis)
        from halubot_tui.messages import Selected

        again.post_message(Selected(reopened.id, number))
        await settled(pilot, lambda: again._selected == (reopened.id, number))
        again.screen.query_one("#conversation").focus()
        await pilot.press("d")
        await settled(pilot, lambda: isinstance(again.screen, DisagreeForm))
        assert again.screen.query_one("#note", Input).value == "it was so"
        await pilot.click("#take-back")
        await settled(pilot, lambda: not reopened.words)
        assert reopened.report is not None
        assert not any("person" in fact.basis for fact in reopened.report.facts)


@pytest.mark.slow
@driven
async def test_a_message_is_saved_and_a_file_replaced_only_on_request(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await checked(app, pilot)
        await pilot.press("f9")
        await settled(pilot, lambda: isinstance(app.screen, ExportForm))
        await pilot.press("tab", "tab", "down", "down")  # past the file
        await pilot.pause()
        name = app.screen.query_one("#path", Input).value
        assert name.endswith(".json")
        (tmp_path / name).write_text("mine")
        await pilot.press("f9")
        await settled(pilot, lambda: "is there already" in shown(app, "#wrong-path"))
        assert (tmp_path / name).read_text() == "mine"
        await pilot.press("f9")
        await settled(pilot, lambda: isinstance(app.screen, MainScreen))
        assert json.loads((tmp_path / name).read_text())["text"] == TEXT


@pytest.mark.slow
@driven
async def test_why_a_form_refuses_is_in_sight_on_a_low_screen(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await checked(app, pilot)
        await pilot.press("f9")
        await settled(pilot, lambda: isinstance(app.screen, ExportForm))
        (tmp_path / app.screen.query_one("#path", Input).value).write_text("mine")
        await pilot.press("f9")
        await settled(pilot, lambda: "is there already" in shown(app, "#wrong-path"))
        told, fields = app.screen.query_one("#wrong-path"), app.screen.query_one("#fields")
        await settled(pilot, lambda: fields.region.contains_region(told.region))


@pytest.mark.slow
@driven
async def test_copying_claims_nothing(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await checked(app, pilot)
        await pilot.press("ctrl+y")  # also from where one writes
        await settled(pilot, lambda: app.clipboard == TEXT)
        (told,) = [one.message for one in notices(app)]
        assert "cannot be known" in told
        assert "F9" in told


@pytest.mark.slow
@driven
async def test_a_half_decided_text_is_saved_as_a_text_and_called_what_it_is(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        turn = await corrected(app, pilot)
        await pilot.press("f9")
        await settled(pilot, lambda: isinstance(app.screen, ExportForm))
        assert app.screen.query_one("#what", Picks).value == "text"
        assert "0 of 3 changes made, 3 not decided" in shown(app, "#fixed")
        await pilot.press("f9")
        await settled(pilot, lambda: isinstance(app.screen, CorrectionScreen))
        assert read_files(tmp_path, "*-unchanged.txt") == [f"{TEXT}\n"]
        assert "the text without any change" in [one.title for one in notices(app)][-1]
        await pilot.press("a")
        await settled(pilot, lambda: turn.decisions)
        await pilot.press("ctrl+y")
        await settled(pilot, lambda: app.clipboard)
        told = [one.message for one in notices(app)][-1]
        assert "The text corrected in part (1 of 3 changes made, 2 not decided)" in told
        await pilot.press("f9")
        await settled(pilot, lambda: isinstance(app.screen, ExportForm))
        await pilot.press("f9")
        await settled(pilot, lambda: isinstance(app.screen, CorrectionScreen))
        assert read_files(tmp_path, "*-corrected.txt") == [TEXT.replace("1816", "1815") + "\n"]
        await pilot.press("escape")
        await settled(pilot, lambda: "The text corrected in part: 1 of 3 changes" in read(app))


@driven
async def test_without_a_message_there_is_nothing_to_do(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("f4", "f6", "f9", "f5")
        await pilot.pause()
        assert isinstance(app.screen, MainScreen)


@pytest.mark.slow
@driven
async def test_a_model_that_fails_leaves_the_message_as_it_was(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        turn = await checked(app, pilot)
        app.prefer(
            app.preferences.with_values(
                model="openai/gone", api_base="http://127.0.0.1:9/v1", timeout=2.0
            )
        )
        await pilot.press("f4")
        await settled(pilot, lambda: any(task.ended for task in app._tasks.values()))
        assert isinstance(app.screen, CorrectionScreen)
        assert turn.report is not None
        assert turn.report.text == TEXT
        said = shown(app, "#state")
        assert "failed" in said or "no change is offered" in said


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    with loopback() as one:
        yield one


@pytest.mark.slow
@driven
async def test_a_model_corrects_and_its_calls_are_told(tmp_path: Path, server: Loopback) -> None:
    judge = Judge(
        rewrite=lambda sentence, _: (
            ("refused", "nobody knows") if "tea" in sentence else ("changed", "She [b]was[/b] [x.")
        ),
        stance=lambda fact, source: (
            "contradicts" if "1816" in fact or "tea" in fact else "supports"
        ),
    )
    server.answer(judge.reply)
    app = opened(
        tmp_path, model="openai/tiny", api_base=server.url, store=tmp_path / "store", threshold=0.5
    )
    async with app.run_test(size=(120, 40)) as pilot:
        turn = await app.begin(
            Inputs(kind="check", text=TEXT, samples=(RIGHT,) * 3, settings={"method": "fsc-text"})
        )
        await settled(pilot, lambda: not turn.running)
        await pilot.press("f4")
        await settled(pilot, lambda: turn.revision is not None)
        assert turn.revision is not None
        await settled(pilot, lambda: app.focused)
        states = [turn.revision.state(index) for index in range(len(turn.revision.edits))]
        assert states == ["open", "kept"]
        assert "1 doubted place stays as written" in shown(app, "#state")
        assert "She [b]was[/b] [x" in shown(app, "#preview")
        await pilot.press("a", "r", "f10")  # of what stays there is nothing to reject
        await settled(pilot, lambda: turn.revision and turn.revision.outcome)
        assert turn.decisions == {0: True}
        assert "before" in shown(app, "#figures")


@pytest.mark.slow
@driven
async def test_methods_that_can_run_come_first_and_the_others_say_what_is_missing(
    tmp_path: Path,
) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        turn = await app.begin(Inputs(kind="check", text=TEXT, samples=(RIGHT, TEXT)))
        await settled(pilot, lambda: not turn.running)
        await pilot.press("f6")
        await settled(pilot, lambda: isinstance(app.screen, CompareForm))
        picks = app.screen.query_one(Picks)
        await settled(pilot, lambda: picks.option_count)
        said = [str(option.prompt) for option in picks.options]
        model = said.index("Missing: a model (F8 chooses one)")
        assert said[0] == "Can run now"
        assert "selfcheck-ngram" in "".join(said[1:model])
        assert picks.highlighted == 1
        assert any("triplet-check" in line for line in said[model:])
        assert isinstance(app.screen, CompareForm)
        app.screen.prefer(Preferences(model="openai/tiny"))
        await settled(pilot, lambda: not picks.get_option("fsc-text").disabled)
        said = [str(option.prompt) for option in picks.options]
        documents = said.index("Missing: a document (give it in F2)")
        assert any("triplet-check" in line for line in said[documents:])


@pytest.mark.slow
@driven
async def test_a_model_that_is_chosen_meanwhile_can_compare(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await checked(app, pilot)
        await pilot.press("f6")
        await settled(pilot, lambda: isinstance(app.screen, CompareForm))
        picks = app.screen.query_one(Picks)
        await settled(pilot, lambda: picks.option_count)
        assert picks.get_option("fsc-text").disabled
        await pilot.press("f8")
        await settled(pilot, lambda: isinstance(app.screen, SettingsScreen))
        app.screen.query_one("#model", Input).value = "openai/tiny"
        app.screen.query_one("#api_base", Input).value = "http://127.0.0.1:9/v1"
        await pilot.press("f8")
        await settled(pilot, lambda: isinstance(app.screen, CompareForm))
        await settled(pilot, lambda: not picks.get_option("fsc-text").disabled)


@pytest.mark.slow
@driven
async def test_x_stops_a_comparison_and_esc_leaves_it(tmp_path: Path, server: Loopback) -> None:
    gate = threading.Event()
    app = opened(tmp_path, model="openai/tiny", api_base=server.url, store=tmp_path / "store")
    async with app.run_test(size=(120, 40)) as pilot:
        inputs = Inputs(
            kind="check", text=TEXT, samples=(RIGHT,) * 3, settings={"method": "consensus"}
        )
        turn = await app.begin(inputs)
        await settled(pilot, lambda: not turn.running)
        assert app.check_action("stop", ()) is False
        server.answer(lambda _: Reply(gate=gate))
        await app._compare(turn, ["fsc-text"])
        await settled(pilot, lambda: server.received and app.focused)
        assert app.check_action("stop", ()) is not False
        assert "stop_comparing" in offered(app)
        await pilot.press("x")
        await settled(pilot, lambda: "stopped" in shown(app, "#heads"))
        gate.set()
        assert isinstance(app.screen, CompareScreen)
        assert not turn.compared
        await pilot.press("escape")
        await settled(pilot, lambda: isinstance(app.screen, MainScreen))
        assert app.check_action("stop", ()) is False


@pytest.mark.slow
@driven
async def test_text_of_a_model_is_no_markup_on_any_screen(tmp_path: Path) -> None:
    evil = "Ada [@click=app.quit]x[/] was born in 1816. [/b] [ \x1b[31m Ada died in 1890."
    app = opened(tmp_path)
    async with app.run_test(size=(60, 20)) as pilot:
        turn = await app.begin(
            Inputs(kind="check", text=evil, references=("Ada was born in 1815 [/b] [.",) * 2)
        )
        await settled(pilot, lambda: not turn.running)
        for keys in (("f4", "A", "f10"), ("f6",), ("f9",)):
            await pilot.press(*keys)
            await settled(pilot, lambda: not isinstance(app.screen, MainScreen))
            await settled(pilot, lambda: all(task.ended for task in app._tasks.values()))
            await pilot.press("escape")
            await settled(pilot, lambda: isinstance(app.screen, MainScreen))
        assert app.is_running


@pytest.mark.slow
@driven
async def test_a_decision_can_be_taken_back_and_esc_leaves_the_field_first(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        turn = await corrected(app, pilot)
        assert "undo" not in offered(app)
        await pilot.press("a", "r")
        await settled(pilot, lambda: turn.decisions == {0: True, 1: False})
        await pilot.press("e")
        await settled(pilot, lambda: isinstance(app.focused, ByHand))
        assert not offered(app) & {"accept", "reject", "finish"}
        await pilot.press("escape")
        await settled(pilot, lambda: app.focused is app.screen.query_one("#edits"))
        assert isinstance(app.screen, CorrectionScreen)
        await pilot.press("A")
        await settled(pilot, lambda: turn.decisions == {0: True, 1: False, 2: True})
        await pilot.press("u")
        await settled(pilot, lambda: turn.decisions == {0: True, 1: False})
        await pilot.press("u", "u")
        await settled(pilot, lambda: turn.decisions == {})
        assert "undo" not in offered(app)


@pytest.mark.slow
@driven
async def test_both_panes_show_the_same_words(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await corrected(app, pilot)
        listed = app.screen.query_one("#edits", OptionList)
        rows = " ".join(str(listed.get_option_at_index(n).prompt) for n in range(3))
        changed = re.findall(r"\[[^\]]* → [^\]]*\]", " ".join(rows.split()))
        assert len(changed) == 3
        whole = " ".join(shown(app, "#preview").split())
        assert all(one in whole for one in changed)
