"""The form in which a text is checked."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from textual.events import Key, Paste
from textual.widgets import Input, OptionList, Select, Static

from halubot_tui.app import HalubotApp
from halubot_tui.drafts import Draft
from halubot_tui.form import Fields
from halubot_tui.forms import NOTHING, CheckForm
from halubot_tui.materials import Materials
from halubot_tui.picks import Picks
from halubot_tui.preferences import Preferences
from halubot_tui.text_area import Editor
from halubot_tui.turns import Inputs, options_of
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


def is_said(said: Callable[[], str], words: str) -> bool:
    return words in said()


def is_silent(said: Callable[[], str]) -> bool:
    return not said()


@pytest.mark.slow
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
        host.form.query_one("#knowledge", Picks).focus()
        await pilot.press("space")
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
            knowledge=("wikipedia",),
            settings={"method": "selfcheck-ngram"},
        )
    ]


@driven
async def test_each_paste_into_the_empty_field_is_an_entry_of_its_own() -> None:
    host = Host()
    async with host.run_test(size=(100, 40)) as pilot:
        samples = host.materials("samples")
        field = samples.query_one(Editor)
        field.focus()
        long = "Chopin settled in Paris.\n" * 20
        for text in ("Chopin was born in 1810.", long):  # the second before the first is drawn
            field.post_message(Paste(text))
        await settled(pilot, lambda: len(samples.given) == 2)
        assert samples.given == ["Chopin was born in 1810.", long.strip()]
        await pilot.press("a")  # what is typed waits for Enter, and so does a paste into it
        field.post_message(Paste(" word"))
        await settled(pilot, lambda: field.text == "a word")
        assert len(samples.given) == 2
        await pilot.press("enter")
        await settled(pilot, lambda: len(samples.given) == 3)
        assert samples.given[-1] == "a word"


@driven
async def test_a_path_that_is_not_there_gives_way_to_the_next_paste(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "c1.txt").write_text("Chopin was born in 1810.")
    monkeypatch.chdir(tmp_path)
    host = Host()
    async with host.run_test(size=(100, 40)) as pilot:
        samples = host.materials("samples")
        field = samples.query_one(Editor)
        field.focus()
        field.post_message(Paste("nothere.txt"))
        await settled(pilot, lambda: host.wrong("samples"))
        assert field.text == "nothere.txt"
        field.post_message(Paste("c1.txt"))  # a path is taken at once, wherever it begins
        await settled(pilot, lambda: samples.given)
        assert samples.given == [tmp_path / "c1.txt"]
        assert not field.text
        assert not host.wrong("samples")
        field.post_message(Paste("nothere.txt"))
        await settled(pilot, lambda: host.wrong("samples"))
        await pilot.press(*["backspace"] * 11)
        await settled(pilot, lambda: not host.wrong("samples"))


@driven
async def test_a_path_is_called_a_file_or_none_as_soon_as_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "c1.txt").write_text("Chopin was born in 1810.")
    monkeypatch.chdir(tmp_path)
    host = Host()
    async with host.run_test(size=(100, 40)) as pilot:
        for field in ("text", "references"):
            written = host.form.query_one(f"#{field}")
            editor = written if isinstance(written, Editor) else written.query_one(Editor)
            editor.focus()
            await pilot.press(*"c1.tx")
            editor.insert("t")
            said = partial(host.wrong, field)
            await settled(pilot, partial(is_said, said, "This is the file c1.txt"))
            editor.text = "c2.txt"
            await settled(pilot, partial(is_said, said, "There is no file c2.txt."))
            editor.text = "A text."
            await settled(pilot, partial(is_silent, said))
        editor = host.form.query_one("#text", Editor)
        editor.text = ""
        editor.post_message(Paste(str(tmp_path / "c1.txt")))
        await settled(pilot, lambda: host.wrong("text") == "Read from the file c1.txt.")
        assert editor.text == "Chopin was born in 1810."
        await pilot.press("space")
        await settled(pilot, lambda: not host.wrong("text"))


@driven
async def test_answers_from_files_are_called_by_the_names_of_the_files(tmp_path: Path) -> None:
    (tmp_path / "other1.txt").write_text("Ada Lovelace was born in 1815.")
    (tmp_path / "more.jsonl").write_text('"She was born in 1815."')
    draft = Draft(TEXT, samples=["In 1815.", tmp_path / "other1.txt", tmp_path / "more.jsonl"])
    host = Host(draft)
    async with host.run_test() as pilot:
        await pilot.press("f2")
        await settled(pilot, lambda: host.came)
    (given,) = host.came
    assert given is not None
    assert given.names == ("", "other1.txt", "")
    called = [one if isinstance(one, str) else one.title for one in options_of(given)["samples"]]
    assert called == ["In 1815.", "other1.txt", "She was born in 1815."]
    again = Host(Draft(TEXT))
    again.form = CheckForm(again.draft, Preferences(), before=Draft.with_sources(given))
    async with again.run_test() as pilot:
        await pilot.press("f6", "f2")
        await settled(pilot, lambda: again.came)
    assert again.came == [given]


@driven
async def test_without_a_text_it_says_so() -> None:
    host = Host()
    async with host.run_test() as pilot:
        await pilot.press("f2")
        await settled(pilot, lambda: host.wrong("text"))
        assert host.focused is host.form.query_one("#text")
        assert not host.came


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
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
        answer = host.materials("samples").query_one(Editor)
        await settled(pilot, lambda: answer.text)
        assert answer.text == "b"
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


@pytest.mark.slow
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


@pytest.mark.slow
@driven
async def test_it_is_usable_on_a_small_screen_by_tab_alone() -> None:
    host = Host(Draft(text=TEXT))
    async with host.run_test(size=(60, 20)) as pilot:
        await pilot.press("tab", "o", "n", "e", "tab", "t", "w", "o")
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
    assert host.came == [Inputs(kind="check", text=TEXT, samples=("one",), references=("two",))]


@pytest.mark.slow
@driven
async def test_a_path_of_no_file_is_refused_and_can_be_mended(tmp_path: Path) -> None:
    there = tmp_path / "there.md"
    there.write_text("Ada Lovelace was born in 1815.")
    host = Host(Draft(text=TEXT))
    async with host.run_test(size=(100, 40)) as pilot:
        for group in ("samples", "references"):
            materials = host.materials(group)
            editor = materials.query_one(Editor)
            editor.focus()
            editor.text = str(tmp_path / "nowhere.md")
            await pilot.press("enter")
            await settled(pilot, lambda group=group: "nowhere.md" in host.wrong(group))  # type: ignore[misc]
            assert not materials.given
            assert editor.text.endswith("nowhere.md")
            await pilot.press("f2")
            await settled(pilot, lambda editor=editor: host.focused is editor)  # type: ignore[misc]
            assert not host.came
            editor.text = str(there)
            await pilot.press("enter")
            await settled(pilot, lambda materials=materials: materials.given == [there])  # type: ignore[misc]
            assert not host.wrong(group)
        host.form.query_one("#text", Editor).text = "nowhere.txt"
        await pilot.press("f2")
        await settled(pilot, lambda: "nowhere.txt" in host.wrong("text"))
        assert not host.came


@pytest.mark.slow
@driven
async def test_what_the_text_before_was_compared_with_is_offered_again(tmp_path: Path) -> None:
    notes = tmp_path / "notes.md"
    notes.write_text("Ada was born in 1815.", encoding="utf-8")
    app = HalubotApp(folder=tmp_path / "state")
    async with app.run_test(size=(100, 30)) as pilot:
        inputs = Inputs(kind="check", text="Ada was born in 1816.", samples=("Born in 1815.",))
        turn = await app.begin(inputs.model_copy(update={"files": (str(notes),)}))
        await settled(pilot, lambda: not turn.running)
        await pilot.press("f2")
        await settled(pilot, lambda: isinstance(app.screen, CheckForm))
        shown = app.screen.query_one("#before", Static)
        assert str(shown.content) == "F6 compares with the same as before: 1 other answer, notes.md"
        await pilot.press("f6")
        await settled(pilot, lambda: not shown.display)
        assert app.screen.query_one("#samples", Materials).given == ["Born in 1815."]
        assert app.screen.query_one("#references", Materials).given == [notes]
        app.screen.query_one("#text", Editor).text = "Ada died in 1853."
        await pilot.press("f2")
        await settled(pilot, lambda: len(app._turns) == 2)
        second = list(app._turns.values())[1].inputs
        assert (second.samples, second.files) == (turn.inputs.samples, turn.inputs.files)


@pytest.mark.slow
@driven
async def test_a_form_that_is_longer_than_the_screen_says_so() -> None:
    app = HalubotApp()
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("f2")
        await settled(pilot, lambda: isinstance(app.screen, CheckForm))
        fields = app.screen.query_one(Fields)
        await settled(pilot, lambda: "more below" in str(fields.border_subtitle))
        assert fields.has_class("-more")
        fields.scroll_end(animate=False)
        await settled(pilot, lambda: "more above" in str(fields.border_subtitle))
        await pilot.resize_terminal(100, 60)
        await settled(pilot, lambda: not fields.has_class("-more"))


@pytest.mark.slow
@driven
async def test_an_answer_that_is_given_twice_counts_once_and_it_is_said(tmp_path: Path) -> None:
    one, same = tmp_path / "one.md", tmp_path / "same.md"
    one.write_text("It was 1815.")
    same.write_text("It  was 1815.\n")
    drawn = tmp_path / "drawn.jsonl"
    drawn.write_text('"1815"\n"1815"\n')
    host = Host(Draft(text=TEXT))
    async with host.run_test(size=(100, 40)) as pilot:
        samples = host.materials("samples")
        editor = samples.query_one(Editor)
        editor.focus()
        for _ in range(5):
            editor.text = str(one)
            await pilot.press("enter")
            await settled(pilot, lambda: not editor.text)
        assert samples.given == [one]
        assert "counts once" in host.wrong("samples")
        for path in (same, drawn):
            editor.text = str(path)
            await pilot.press("enter")
            await settled(pilot, lambda: not editor.text)
        await pilot.press("f2")
        await settled(pilot, lambda: host.came)
        assert host.came[0] is not None
        # of one file of answers, which were drawn one by one, all count
        assert host.came[0].samples == ("It was 1815.", "1815", "1815")
        assert host.told == ["1 answer has the same text as another: it counts once."]


@pytest.mark.slow
@driven
async def test_the_frame_of_a_list_says_which_key_adds_and_which_takes_out() -> None:
    host = Host()
    async with host.run_test(size=(80, 24)) as pilot:
        samples = host.materials("samples")
        assert not samples.border_subtitle
        samples.query_one(Editor).focus()
        await settled(pilot, lambda: samples.border_subtitle == "Enter adds it")
        await pilot.press("A", "enter")
        await settled(pilot, lambda: samples.given)
        await settled(pilot, lambda: samples.border_subtitle == "Enter adds another, F2 checks")
        samples.query_one(OptionList).focus()
        await settled(pilot, lambda: samples.border_subtitle == "Del takes it out")
        host.form.query_one("#text").focus()
        await settled(pilot, lambda: not samples.border_subtitle)


@pytest.mark.slow
@driven
async def test_enter_right_behind_what_is_typed_adds_all_of_it() -> None:
    host = Host(Draft(text=TEXT))
    async with host.run_test(size=(100, 40)) as pilot:
        samples = host.materials("samples")
        samples.query_one(Editor).focus()
        await pilot.pause()
        for key in (*"ab", "enter", *"cd", "enter"):  # as fast as a terminal that pastes keys
            host.post_message(Key(key, key if len(key) == 1 else None))
        await settled(pilot, lambda: len(samples.given) == 2)
        assert samples.given == ["ab", "cd"]


@pytest.mark.slow
@driven
async def test_a_path_that_was_not_found_is_still_a_path_when_the_form_is_opened_again() -> None:
    host = Host(Draft(text=TEXT, samples=["an answer", "/no/such/file.md"]))
    async with host.run_test(size=(100, 40)) as pilot:
        samples = host.materials("samples")
        assert samples.given == ["an answer"]
        assert samples.query_one(Editor).text == "/no/such/file.md"
        await pilot.press("escape")
        await settled(pilot, lambda: host.came)
        assert host.draft.samples == ["an answer", "/no/such/file.md"]
