"""Corrected texts and reports as files."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import halubot
from halubot import HalubotError, InputError
from halubot.report import Report
from halubot_tui.exports import ExistsError, Format, as_text, default_path, write_export
from halubot_tui.text_check import Folded, Inputs, TextCheck

EVIL = (
    "Ada [b]was[/b] born <script>alert(1)</script> in 1816 \x1b[31m@everyone \ufffe [/x ``` # no."
)
FORMATS: tuple[Format, ...] = ("markdown", "html", "json")


def kept(text: str = EVIL) -> TextCheck:
    check = TextCheck("t", Inputs(kind="check", text=text, question="Who <b>was</b> Ada?"))
    check.take(Folded.of(halubot.check(text, references=["Ada was born in 1815."])))
    check.end(stopped=False, failure=None)
    return check


@pytest.mark.parametrize("format", FORMATS)
def test_text_of_a_model_is_inert(format: Format) -> None:
    check = kept()
    text = as_text(check, format)
    assert "<script>" not in text or format == "json"
    assert "\x1b" not in text
    if format == "html":
        assert not re.search(r"(?:src|href|url)\s*[=(]\s*[\"']?https?:", text)
    if format == "json":
        assert Report.model_validate(json.loads(text)).text == check.text


def test_nothing_is_written_of_a_text_of_which_nothing_is_known() -> None:
    with pytest.raises(InputError, match="nothing is known"):
        as_text(TextCheck("t", Inputs(kind="check", text="Ada.")), "json")


def test_a_file_is_replaced_only_when_that_was_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    assert write_export(kept(), "markdown", path) == path
    before = path.read_text()
    path.write_text("mine")
    with pytest.raises(ExistsError):
        write_export(kept(), "markdown", path)
    assert path.read_text() == "mine"
    write_export(kept(), "markdown", path, replace=True)
    took = r"(?:under )?[\d.]+ s\b"
    assert re.sub(took, "", path.read_text()) == re.sub(took, "", before)
    assert [one.name for one in tmp_path.iterdir()] == ["a.md"]


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "gone" / "a.md", tmp_path / "file" / "a.md"):
        with pytest.raises(HalubotError, match="choose another place"):
            write_export(kept(), "markdown", path)


def test_a_corrected_text_is_written_as_it_is(tmp_path: Path) -> None:
    check = kept("Ada was born in 1816.")
    check.corrections.write(0, 21, check.text, "Ada was born in 1815.")
    write_export(check, "text", tmp_path / "text.txt")
    assert (tmp_path / "text.txt").read_text() == "Ada was born in 1815.\n"


@pytest.mark.parametrize(
    ("file", "format", "path"),
    [
        ("", "text", "ada-was-born-in-1816-corrected.txt"),
        ("", "html", "ada-was-born-in-1816-report.html"),
        ("/home/ada/draft.md", "text", "/home/ada/draft-corrected.md"),
        ("/home/ada/draft-corrected.md", "text", "/home/ada/draft-corrected.md"),
        ("/home/ada/draft.pdf", "text", "/home/ada/draft-corrected.txt"),
    ],
)
def test_a_path_is_proposed(file: str, format: Format, path: str) -> None:
    inputs = Inputs(kind="check", text="Ada was born in 1816.", file=file, version_of=1)
    assert default_path(TextCheck("t", inputs), format) == Path(path)
    same = inputs.model_copy(update={"version_of": 0})
    expected = path.replace("-corrected", "-copy")
    assert default_path(TextCheck("t", same), format) == Path(expected)


@pytest.mark.parametrize("text", ["../../etc/passwd", "???", "Ünïcode 漢字 and/or \x00", "a" * 500])
def test_names_of_files_are_plain(text: str) -> None:
    check = TextCheck("t", Inputs(kind="check", text=text))
    name = str(default_path(check, "text"))
    assert re.fullmatch(r"[\w-]+\.txt", name)
    assert len(name.encode()) < 90
