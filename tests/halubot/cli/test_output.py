"""What is printed, and where it may be written."""

from __future__ import annotations

import io
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


@pytest.mark.parametrize(("format", "kept"), [("text", False), ("json", True)])
def test_text_for_people_commands_no_terminal(
    monkeypatch: pytest.MonkeyPatch, format: str, kept: bool
) -> None:
    said = printed(monkeypatch, "utf-8", "a\x1b]0;title\x07b", format)
    assert ("\x1b]0;" in said) is kept


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=r"cannot write .*gone"):
        printing.deliver("report", "text", tmp_path / "gone" / "out")
