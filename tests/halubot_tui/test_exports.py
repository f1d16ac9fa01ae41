"""Messages and sessions as files."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

import halubot
from halubot import HalubotError, InputError
from halubot.feedback import Feedback
from halubot.report import Report
from halubot_tui.exports import (
    ExistsError,
    Format,
    Kept,
    Wanted,
    as_text,
    default_name,
    write_export,
)
from halubot_tui.turns import Inputs, Turn

EVIL = (
    "Ada [b]was[/b] born <script>alert(1)</script> in 1816 \x1b[31m@everyone \ufffe [/x ``` # no."
)
FORMATS: tuple[Format, ...] = ("markdown", "html", "json", "svg")


def kept(text: str = EVIL, **more: object) -> Kept:
    report = halubot.correct(text, references=["Ada was born in 1815."])
    fields = {"kind": "check", "asked": "Who <b>was</b> Ada?", "text": report.text, "state": "done"}
    return Kept(**{**fields, "report": report, **more})  # type: ignore[arg-type]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("session", [None, "About <b>Ada</b>"])
def test_text_of_a_model_is_inert(format: Format, session: str | None) -> None:
    text = as_text(format, [kept(), kept("Tea.")], session)
    assert "<script>" not in text or format == "json"
    assert "\x1b" not in text
    if format in ("html", "svg"):
        assert not re.search(r"(?:src|href|url)\s*[=(]\s*[\"']?https?:", text)
    if format == "svg":
        ElementTree.fromstring(text)  # noqa: S314 - it is our own
    if format == "json":
        data = json.loads(text)
        report = data if session is None else data["messages"][0]["report"]
        assert Report.model_validate(report) == kept().report or report["text"] == kept().text


def test_a_session_tells_of_messages_that_failed() -> None:
    failed = kept(report=None, failure="the server is gone", state="failed")
    for format in FORMATS:
        assert "the server is gone" in as_text(format, [kept(), failed], "s").replace("&#160;", " ")
    with pytest.raises(InputError, match="nothing is known"):
        as_text("json", [failed], None)


def test_a_file_is_replaced_only_when_that_was_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    assert write_export(Wanted("message", "markdown", path), [kept()], "s") == path
    before = path.read_text()
    path.write_text("mine")
    with pytest.raises(ExistsError):
        write_export(Wanted("message", "markdown", path), [kept()], "s")
    assert path.read_text() == "mine"
    write_export(Wanted("message", "markdown", path, replace=True), [kept()], "s")
    took = r"(?:under )?[\d.]+ s\b"
    assert re.sub(took, "", path.read_text()) == re.sub(took, "", before)
    assert [one.name for one in tmp_path.iterdir()] == ["a.md"]


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "gone" / "a.md", tmp_path / "file" / "a.md"):
        with pytest.raises(HalubotError, match="choose another place"):
            write_export(Wanted("message", "markdown", path), [kept()], "s")


def test_what_a_person_said_is_exported_as_labels(tmp_path: Path) -> None:
    wanted = Wanted("feedback", "jsonl", tmp_path / "labels.jsonl")
    with pytest.raises(InputError, match="you said nothing"):
        write_export(wanted, [], "s", tmp_path)
    report = halubot.check("Ada was born in 1816.", references=["Ada was born in 1815."])
    with Feedback.open(tmp_path) as feedback:
        feedback.add(report, 0, "right", note="so it was")
    write_export(wanted, [], "s", tmp_path)
    (row,) = map(json.loads, wanted.path.read_text().splitlines())
    assert row["facts"][0]["label"] == "right"
    assert row["references"] == ["Ada was born in 1815."]


def test_a_corrected_text_is_written_as_it_is(tmp_path: Path) -> None:
    wanted = Wanted("text", "plain", tmp_path / "text.txt")
    write_export(wanted, [kept("Ada was born in 1816.")], "s")
    assert wanted.path.read_text() == "Ada was born in 1815.\n"
    untouched = kept("Ada was born in 1815.", report=halubot.check("Ada.", samples=["Ada."]))
    with pytest.raises(InputError, match="nothing of this text was corrected"):
        write_export(Wanted("text", "plain", tmp_path / "b.txt"), [untouched], "s")


@pytest.mark.parametrize("text", ["../../etc/passwd", "???", "Ünïcode 漢字 and/or \x00", "a" * 500])
def test_names_of_files_are_plain(text: str) -> None:
    names = default_name(Turn("t", Inputs(kind="check", text=text)), text)
    for name in names.values():
        assert re.fullmatch(r"[\w-]+", name)
        assert len(name.encode()) < 80
