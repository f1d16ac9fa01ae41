"""`--knowledge` on the command line: from a built base to a verdict with its citation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from halubot.evidence.knowledge.additions import add
from halubot.evidence.knowledge.bases import home
from halubot.report import Report
from tests.halubot.cli.calling import RIGHT, Halubot
from tests.knowledge import Asked

MODEL = ("--model", "openai/gpt-4o", "--method", "cascade")


@pytest.fixture(autouse=True)
def ada(files: Path) -> str:
    """A built base of one file."""
    folder = files / "notes"
    folder.mkdir()
    (folder / "ada.md").write_text(f"# Ada Lovelace\n\n{RIGHT}\n")
    add(home("ada"), [folder])
    return "ada"


def read(out: str) -> Report:
    return Report.model_validate_json(out)


def test_check_cites_it(halubot: Halubot) -> None:
    ended = halubot("check", "wrong.txt", "--knowledge", "ada", "--offline", "--format", "json")
    report = read(ended.out)
    assert (ended.status, ended.err) == (1, "")
    assert [source.id for source in report.sources] == ["k1"]
    source = report.sources[0]
    assert (source.title, Path(source.location).name) == ("Ada Lovelace", "ada.md")
    assert source.date is not None
    assert report.facts[0].verdict == "contradicted"
    text = halubot("check", "wrong.txt", "--knowledge", "ada").out
    assert "“Ada Lovelace was born in 1815.” — Ada Lovelace" in " ".join(text.split())
    assert halubot("check", "right.txt", "--knowledge", "ada").status == 0


def test_correct_takes_its_value(halubot: Halubot) -> None:
    ended = halubot("correct", "wrong.txt", "--knowledge", "ada", "--format", "json")
    correction = read(ended.out).correction
    assert correction is not None
    assert correction.text == RIGHT


def test_nothing_found_ends_with_3(halubot: Halubot) -> None:
    ended = halubot("check", "-", "--knowledge", "ada", stdin=b"Zygotes hum.")
    assert ended.status == 3
    assert "no passage of ada shares a word with the text" in ended.out


def test_what_is_not_there_is_refused(halubot: Halubot) -> None:
    ended = halubot("check", "wrong.txt", "--knowledge", "adda")
    assert (ended.status, ended.out) == (2, "")
    assert "did you mean 'ada'?" in ended.err
    ended = halubot("batch", "lines.jsonl", "out.jsonl", "--knowledge", "adda")
    assert ended.status == 2


def test_offline_refuses_what_is_online(halubot: Halubot) -> None:
    ended = halubot("check", "wrong.txt", "--knowledge", "wikipedia", "--offline")
    assert ended.status == 2
    assert "--offline" in ended.err


def test_a_dry_run_goes_nowhere(halubot: Halubot, monkeypatch: pytest.MonkeyPatch) -> None:
    base = Asked("wikipedia", [RIGHT], online=True)
    monkeypatch.setattr(
        "halubot.evidence.knowledge.named_bases.open_knowledge", lambda name, **_: base
    )
    ended = halubot(
        *("check", "wrong.txt", "--knowledge", "wikipedia", "--dry-run", "--format", "json"),
        *MODEL,
    )
    assert (ended.status, json.loads(ended.out)["calls"]) == (0, 2)
    assert base.queries == []
    assert base.closed == 1
