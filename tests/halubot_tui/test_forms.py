"""The form in which a text is checked."""

from __future__ import annotations

import json
from pathlib import Path

from textual.events import Key, Paste
from textual.widgets import Input, OptionList, Select, Static

from halubot_tui.drafts import Draft
from halubot_tui.forms import NOTHING, CheckForm
from halubot_tui.materials import Materials
from halubot_tui.preferences import Preferences
from halubot_tui.turns import Inputs
from halubot_tui.writing import Editor
from tests.halubot_tui.driving import Bare, driven, settled

TEXT = "Ada Lovelace was born in 1816."


class Host(Bare):
    """Opens the form, and keeps what comes of it."""

    def __init__(self, draft: Draft | None = None, preferences: Preferences | None = None) -> None:
        super().__init__()
        self.draft = draft or Draft()
        self.came: list[Inputs | None] = []
        self.form = CheckForm(self.draft, preferences or Preferences())

    def on_mount(self) -> None:
        self.push_screen(self.form, self.came.append)

    def wrong(self, field: str) -> str:
        return str(self.form.query_one(f"#wrong-{field}", Static).render())

    def materials(self, name: str) -> Materials:
        return self.form.query_one(f"#{name}", Materials)


@driven
async def test_everything_that_is_given_is_handed_over(tmp_path: Path) -> None:
    notes = tmp_path / "notes.md"
    notes.write_text("Ada Lovelace was born in 1815.")
    lines = tmp_path / "samples.jsonl"
    lines.write_text('"one"\n{"text": "two"}\n')
    host = Host()
    async with host.run_test(size=(100, 40)) as pilot:
        await settled(pilot, lambda: len(host.form.query_one("#method", Select)._options) > 2)
        host.form.query_one("#text", Editor).text = TEXT
        host.form.query_one("#question", Input).value = " Who? "
        host.form.query_one("#knowledge", Input).value = "wikipedia notes"
        host.form.query_one("#method", Select).value = "selfcheck-ngram"
        samples, references = host.materials("samples"), host.materials("references")
        samples.query_one(Editor).focus()
        await pilot.press("A", "b", "enter")
        await settled(pilot, lambda: samples.given)
        samples.query_one(Editor).post_message(Paste(str(lines)))
        await settled(pilot, lambda: len(samples.given) == 2)
        references.query_one(Editor).focus()
        references.query_one(Editor).post_message(Paste(str(notes)))
        await settled(pilot, lambda: references.given)
        await pilot.press("r", "f2")
        await settled(pilot, lambda: host.came)
    assert host.came == [
        Inputs(
            kind="check",
            text=TEXT,
            question="Who?",
            samples=("Ab", "one", "two"),
            references=("r",),
            files=(str(notes),),
            knowledge=("wikipedia", "notes"),
            settings={"method": "selfcheck-ngram"},
        )
    ]


@driven
async def test_without_a_text_it_says_so() -> None:
    host = Host()
    async with host.run_test() as pilot:
        await pilot.press("f2")
        await settled(pilot, lambda: host.wrong("text"))
        assert host.focused is host.form.query_one("#text")
        assert not host.came


@driven
async def test_with_nothing_to_compare_it_says_what_to_give() -> None:
    host = Host(Draft(text=TEXT))
    async with host.run_test() as pilot:
        await pilot.press("f2")
        await settled(pilot, lambda: host.wrong("samples"))
        assert host.wrong("samples") == NOTHING
    host = Host(Draft(text=TEXT), Preferences(model="ollama_chat/x"))
    async with host.run_test() as pilot:
        await pilot.press("f2")
        await settled(pilot, lambda: host.came)
        assert host.came == [Inputs(kind="check", text=TEXT)]


@driven
async def test_a_broken_file_is_named_and_nothing_is_lost(tmp_path: Path) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_text(f"{json.dumps('one')}\nnot json\n")
    host = Host(Draft(text=TEXT, samples=[broken]))
    async with host.run_test() as pilot:
        await pilot.press("f2")
        await settled(pilot, lambda: "broken.jsonl" in host.wrong("samples"))
        assert not host.came
        assert host.materials("samples").given == [broken]


@driven
async def test_a_file_dropped_on_the_text_becomes_the_text(tmp_path: Path) -> None:
    file = tmp_path / "text.md"
    file.write_text(TEXT)
    host = Host()
    async with host.run_test() as pilot:
        text = host.form.query_one("#text", Editor)
        text.post_message(Paste(str(file)))
        await settled(pilot, lambda: text.text == TEXT)
        text.text = ""
        text.post_message(Paste(str(tmp_path)))
        await settled(pilot, lambda: host.wrong("text"))


@driven
async def test_a_path_that_is_typed_for_the_text_becomes_its_text(tmp_path: Path) -> None:
    file = tmp_path / "text.md"
    file.write_text(TEXT)
    host = Host()
    async with host.run_test(size=(100, 40)) as pilot:
        host.form.query_one("#text", Editor).text = str(file)
        host.materials("samples").query_one(Editor).text = "another"
        await pilot.press("f2")
        await settled(pilot, lambda: host.came)
    (inputs,) = host.came
    assert inputs is not None
    assert inputs.text == TEXT


@driven
async def test_keys_after_tab_are_those_of_the_next_field_however_fast_they_come() -> None:
    host = Host()
    async with host.run_test(size=(100, 40)) as pilot:
        await settled(pilot, lambda: host.form.query_one("#text", Editor).has_focus)
        for key in ("a", "tab", "b", "shift+tab", "c"):
            host.post_message(Key(key, key if len(key) == 1 else None))
        question = host.form.query_one("#question", Input)
        await settled(pilot, lambda: question.value)
        assert question.value == "b"
        assert host.form.query_one("#text", Editor).text == "ac"


@driven
async def test_what_was_typed_is_there_when_it_is_opened_again(tmp_path: Path) -> None:
    long = "Ada wrote a note. " * 100
    host = Host(Draft(text=long, samples=["a", tmp_path], knowledge=("wikipedia",)))
    async with host.run_test() as pilot:
        host.form.query_one("#question", Input).value = "Who?"
        host.materials("references").query_one(Editor).text = "half written"
        await pilot.press("escape")
        await settled(pilot, lambda: host.came)
    assert host.came == [None]
    assert host.draft == Draft(
        text=long,
        question="Who?",
        samples=["a", tmp_path],
        references=["half written"],
        knowledge=("wikipedia",),
    )


@driven
async def test_an_entry_is_taken_out_by_keys() -> None:
    host = Host(Draft(text=TEXT, samples=["one [b]", "two"]))
    async with host.run_test() as pilot:
        samples = host.materials("samples")
        samples.query_one(OptionList).focus()
        await pilot.press("delete")
        assert samples.given == ["two"]
        await pilot.press("delete")
        assert samples.given == []
        assert host.focused is samples.query_one(Editor)


@driven
async def test_it_is_usable_on_a_small_screen_by_tab_alone() -> None:
    host = Host(Draft(text=TEXT))
    async with host.run_test(size=(60, 20)) as pilot:
        await pilot.press("tab", "W", "h", "o", "tab", "o", "n", "e", "enter")
        await pilot.pause()
        seen = {host.focused}
        for _ in range(8):
            await pilot.press("tab")
            focused = host.focused
            assert focused is not None
            await pilot.pause()
            assert host.screen.region.contains_region(focused.region.intersection(focused.region))
            seen.add(focused)
        assert host.form.query_one("#check") in seen
        await pilot.press("f2")
        await settled(pilot, lambda: host.came)
    assert host.came == [Inputs(kind="check", text=TEXT, question="Who", samples=("one",))]
