"""What is printed, and where it may be written."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest

from halubot.cli import output as printing
from halubot.errors import SettingError


def printed(monkeypatch: pytest.MonkeyPatch, encoding: str, text: str, format: str) -> str:
    """What standard output holds in that encoding once a text was said."""
    kept = io.BytesIO()
    out = io.TextIOWrapper(kept, encoding=encoding)
    monkeypatch.setattr(sys, "stdout", out)
    printing.say(text, format)
    return kept.getvalue().decode(encoding)


@pytest.mark.parametrize(
    ("format", "text", "said"),
    [
        ("text", "1815✗ é", "1815? \xe9"),
        ("markdown", "1815✗ é", "1815? \xe9"),
        ("html", "<p>1815✗ é</p>", "<p>1815&#10007; \xe9</p>"),
        ("json", '{"a": "✗"}', '{\n  "a": "\\u2717"\n}'),
    ],
)
def test_signs_that_an_encoding_lacks(
    monkeypatch: pytest.MonkeyPatch, format: str, text: str, said: str
) -> None:
    assert printed(monkeypatch, "latin-1", text, format) == said + "\n"


@pytest.mark.parametrize(("format", "kept"), [("text", False), ("json", True)])
def test_text_for_people_commands_no_terminal(
    monkeypatch: pytest.MonkeyPatch, format: str, kept: bool
) -> None:
    said = printed(monkeypatch, "utf-8", "a\x1b]0;title\x07b", format)
    assert ("\x1b]0;" in said) is kept


@pytest.mark.parametrize(("columns", "widest"), [("40", 40), ("300", 100), ("5", 20), ("0", 80)])
def test_lines_are_as_wide_as_the_terminal(
    monkeypatch: pytest.MonkeyPatch, columns: str, widest: int
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    lines = printing.wrap_paragraph("a " * 400, first="- ", then="  ").splitlines()
    assert max(map(len, lines)) in (widest, widest - 1)
    assert [line[:2] for line in lines] == ["- ", *["  "] * (len(lines) - 1)]


def test_a_long_word_stays_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    assert printing.wrap_paragraph("see " + "well-known-" * 9, first="> ") == (
        "> see\n> " + "well-known-" * 9
    )


def test_a_file_ends_with_one_line_feed(tmp_path: Path) -> None:
    for text in ("report", "report\n\n\n"):
        printing.deliver(text, "text", tmp_path / "out.txt")
        assert (tmp_path / "out.txt").read_text() == "report\n"


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=r"cannot write .*gone"):
        printing.deliver("report", "text", tmp_path / "gone" / "out")


class TestWritable:
    def test_what_can_be_written_is_not_changed(self, tmp_path: Path) -> None:
        (tmp_path / "old").write_text("kept")
        printing.require_writable(None, tmp_path / "old")
        printing.require_writable(tmp_path / "old", None, tmp_path / "other", tmp_path / "new")
        assert (tmp_path / "old").read_text() == "kept"

    def test_a_file_that_is_read_too(self, tmp_path: Path) -> None:
        (tmp_path / "one").write_text("kept")
        os.link(tmp_path / "one", tmp_path / "two")
        for output in ("one", "two"):
            with pytest.raises(SettingError, match="is read too: name another file to write"):
                printing.require_writable(tmp_path / output, None, tmp_path / "one")

    def test_a_folder_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(SettingError, match="there is no folder"):
            printing.require_writable(tmp_path / "gone" / "out")
        assert not (tmp_path / "gone").exists()

    def test_a_folder_in_its_place(self, tmp_path: Path) -> None:
        with pytest.raises(SettingError, match="cannot write"):
            printing.require_writable(tmp_path)

    def test_a_device_is_not_opened(self) -> None:
        printing.require_writable(Path(os.devnull))
