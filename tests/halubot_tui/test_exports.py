"""Texts, reports and sessions as files."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import halubot
from halubot import HalubotError, InputError
from halubot.report import Report
from halubot_tui.exports import (
    ExistsError,
    Format,
    Saved,
    Wanted,
    What,
    as_text,
    default_path,
    write_export,
)
from halubot_tui.text_check import Inputs, TextCheck

EVIL = (
    "Ada [b]was[/b] born <script>alert(1)</script> in 1816 \x1b[31m@everyone \ufffe [/x ``` # no."
)
FORMATS: tuple[Format, ...] = ("markdown", "html", "json")


def kept(text: str = EVIL, **more: object) -> Saved:
    report = halubot.correct(text, references=["Ada was born in 1815."])
    fields = {
        "asked": "Who <b>was</b> Ada?",
        "text": report.text,
        "corrected": report.text,
    }
    return Saved(**{**fields, "report": report, **more})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("format", "session"), [*((one, None) for one in FORMATS), ("markdown", "About <b>Ada</b>")]
)
def test_text_of_a_model_is_inert(format: Format, session: str | None) -> None:
    text = as_text(format, [kept(), kept("Tea.")], session)
    assert "<script>" not in text or format == "json"
    assert "\x1b" not in text
    if format == "html":
        assert not re.search(r"(?:src|href|url)\s*[=(]\s*[\"']?https?:", text)
    if format == "json":
        assert Report.model_validate(json.loads(text)).text == kept().text


def test_a_session_tells_of_messages_that_failed() -> None:
    failed = kept(report=None, failure="the server is gone")
    assert "the server is gone" in as_text("markdown", [kept(), failed], "s")
    with pytest.raises(InputError, match="nothing is known"):
        as_text("json", [failed], None)


def test_a_file_is_replaced_only_when_that_was_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    assert write_export(Wanted("report", "markdown", path), [kept()], "s") == path
    before = path.read_text()
    path.write_text("mine")
    with pytest.raises(ExistsError):
        write_export(Wanted("report", "markdown", path), [kept()], "s")
    assert path.read_text() == "mine"
    write_export(Wanted("report", "markdown", path, replace=True), [kept()], "s")
    took = r"(?:under )?[\d.]+ s\b"
    assert re.sub(took, "", path.read_text()) == re.sub(took, "", before)
    assert [one.name for one in tmp_path.iterdir()] == ["a.md"]


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "gone" / "a.md", tmp_path / "file" / "a.md"):
        with pytest.raises(HalubotError, match="choose another place"):
            write_export(Wanted("report", "markdown", path), [kept()], "s")


def test_a_corrected_text_is_written_as_it_is(tmp_path: Path) -> None:
    wanted = Wanted("text", "plain", tmp_path / "text.txt")
    write_export(wanted, [kept(corrected="Ada was born in 1815.")], "s")
    assert wanted.path.read_text() == "Ada was born in 1815.\n"


@pytest.mark.parametrize(
    ("file", "what", "format", "path"),
    [
        ("", "text", "plain", "ada-was-born-in-1816-corrected.txt"),
        ("", "report", "html", "ada-was-born-in-1816-report.html"),
        ("", "session", "markdown", "my-thesis.md"),
        ("/home/ada/draft.md", "text", "plain", "/home/ada/draft-corrected.md"),
        ("/home/ada/draft-corrected.md", "text", "plain", "/home/ada/draft-corrected.md"),
        ("/home/ada/draft.pdf", "text", "plain", "/home/ada/draft-corrected.txt"),
    ],
)
def test_a_path_is_proposed(file: str, what: What, format: Format, path: str) -> None:
    check = TextCheck("t", Inputs(kind="check", text="Ada was born in 1816.", file=file))
    assert default_path(check, what, format, "My thesis") == Path(path)


@pytest.mark.parametrize("text", ["../../etc/passwd", "???", "Ünïcode 漢字 and/or \x00", "a" * 500])
def test_names_of_files_are_plain(text: str) -> None:
    check = TextCheck("t", Inputs(kind="check", text=text))
    name = str(default_path(check, "text", "plain", text))
    assert re.fullmatch(r"[\w-]+\.txt", name)
    assert len(name.encode()) < 90
