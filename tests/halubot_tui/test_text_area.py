"""The field for many lines: what is long or a file stands as a sign, and nothing of it is lost."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App, ComposeResult
from textual.events import Paste

from halubot_tui.text_area import LONG, Editor, Written, path_in
from tests.halubot_tui.driving import driven


class Host(App[None]):
    def compose(self) -> ComposeResult:
        yield Editor()

    @property
    def editor(self) -> Editor:
        return self.query_one(Editor)


@driven
async def test_a_long_paste_is_a_sign_and_is_written_in_full() -> None:
    long = "Ada [wrote] a note.\n" * LONG
    host = Host()
    async with host.run_test() as pilot:
        await pilot.press("S", "e", "e", "space")
        host.editor.post_message(Paste(long))
        await pilot.pause()
        assert host.editor.text == f"See [text 1: {len(long):,} characters]"
        assert host.editor.content_written == Written(f"See {long}".strip())
        assert host.editor.whole == f"See {long}"
        await pilot.press("backspace")
        assert host.editor.text == "See "
        assert host.editor.content_written == Written("See")


@driven
async def test_a_short_paste_and_brackets_of_ones_own_stay_as_they_are() -> None:
    host = Host()
    async with host.run_test() as pilot:
        host.editor.post_message(Paste("two\nlines [text 1: 5 characters] [/b]"))
        await pilot.pause()
        assert host.editor.content_written == Written("two\nlines [text 1: 5 characters] [/b]")
        await pilot.press("backspace")
        assert host.editor.text.endswith("[/b")


@driven
async def test_the_path_of_a_file_becomes_a_sign(tmp_path: Path) -> None:
    file = tmp_path / "my [notes].md"
    file.write_text("Ada")
    host = Host()
    async with host.run_test() as pilot:
        await pilot.press("a", "space")
        host.editor.post_message(Paste(f"'{file}'\n"))
        await pilot.pause()
        assert host.editor.text == "a [file 1: my [notes).md]"
        assert host.editor.content_written == Written("a", (file,))
        await pilot.press("backspace")
        assert host.editor.content_written == Written("a")


@driven
async def test_what_is_put_back_is_short_where_it_is_long(tmp_path: Path) -> None:
    long = "x" * LONG
    host = Host()
    async with host.run_test():
        host.editor.write(long, (tmp_path,))
        assert len(host.editor.text) < 100
        assert host.editor.content_written == Written(long, (tmp_path,))


@pytest.mark.parametrize("dress", ["{}", " {}\n", "'{}'", '"{}"', "file://{}"])
def test_a_path_is_known_however_it_is_dropped(tmp_path: Path, dress: str) -> None:
    file = tmp_path / "a b.txt"
    file.write_text("x")
    name = quote(str(file)) if dress.startswith("file") else str(file)
    assert path_in(dress.format(name)) == file
    assert path_in(str(file).replace(" ", "\\ ")) == file


def test_words_are_no_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("Ada").write_text("x")
    assert path_in("Ada") is None
    assert path_in("Ada", relative=True) == tmp_path / "Ada"
    assert path_in("./Ada") == tmp_path / "Ada"
    assert path_in("/help") is None
    assert path_in("/" + "x" * 5000) is None
    assert path_in("~nobody-of-that-name/x") is None


@given(st.text())
def test_no_text_is_a_fault(text: str) -> None:
    path_in("/" + text)
    path_in(text, relative=True)
