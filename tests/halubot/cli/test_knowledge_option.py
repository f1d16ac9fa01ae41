"""`--knowledge` on the command line: from a built base to a verdict with its citation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from halubot.evidence.knowledge.additions import add
from halubot.evidence.knowledge.bases import home
from halubot.report import Report
from tests.halubot.cli.calling import RIGHT, WRONG, Halubot
from tests.judge import Judge
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


def test_the_variable_names_several(halubot: Halubot, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def opening(name: str, **_: object) -> Asked:
        asked.append(name)
        return Asked(name, [RIGHT])

    monkeypatch.setattr("halubot.evidence.knowledge.named_bases.open_knowledge", opening)
    monkeypatch.setenv("HALUBOT_KNOWLEDGE", "ada wikipedia")
    assert halubot("check", "wrong.txt").status == 1
    assert asked == ["ada", "wikipedia"]


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


def test_a_batch_looks_every_line_up_and_resumes(halubot: Halubot, files: Path) -> None:
    lines = [json.dumps({"text": text}) for text in (RIGHT, WRONG)]
    (files / "lines.jsonl").write_text("\n".join(lines))
    command = ("batch", "lines.jsonl", "out.jsonl", "--format", "json")
    ended = halubot(*command, "--knowledge", "ada")
    assert json.loads(ended.out)["checked"] == 2
    made = [json.loads(line)["report"] for line in (files / "out.jsonl").read_text().splitlines()]
    assert [one["facts"][0]["verdict"] for one in made] == ["supported", "contradicted"]
    assert all(one["sources"][0]["kind"] == "knowledge" for one in made)
    assert json.loads(halubot(*command, "--knowledge", "ada").out)["kept"] == 2
    ended = halubot(*command)
    assert ended.status == 2
    assert "was not made from this input with these options" in ended.err


def test_the_folder_of_the_bases_is_named(
    halubot: Halubot, files: Path, judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert halubot("knowledge", "add", "hers", "notes", "--knowledge-folder", "mine").status == 0
    lines = [{"text": WRONG, "question": "When?", "answer": WRONG, "id": "1", "label": "right"}]
    (files / "lines.jsonl").write_text(json.dumps(lines[0]))
    named = ("--knowledge", "hers", "--method", "consensus", "--format", "json")
    commands = [
        ("check", "wrong.txt", "--output", "report.json"),
        ("correct", "wrong.txt", "--output", "report.json"),
        ("ask", "When?", "--model", "openai/model", "--output", "report.json"),
        ("batch", "lines.jsonl", "out.jsonl"),
    ]
    for command in commands:
        asked = (*command, *named)
        refused = halubot(*asked)
        assert refused.status == 2
        assert "there is no knowledge base 'hers'" in refused.err
        ended = halubot(*asked, "--knowledge-folder", "mine")
        assert (ended.status, "no base" in ended.err) in ((0, False), (1, False))
    with_folder = halubot("check", "wrong.txt", *named, "--knowledge-folder", "mine").out
    monkeypatch.setenv("HALUBOT_KNOWLEDGE_FOLDER", "mine")
    by_variable = halubot("check", "wrong.txt", *named).out
    monkeypatch.delenv("HALUBOT_KNOWLEDGE_FOLDER")
    halubot("config", "set", "knowledge_folder", files / "mine")
    by_file = halubot("check", "wrong.txt", *named).out
    for out in (with_folder, by_variable, by_file):
        assert [source.id for source in read(out).sources] == ["k1"]
    assert "hers" in halubot("knowledge", "list").out


def test_the_output_may_not_be_the_archive(halubot: Halubot, files: Path) -> None:
    (files / "wiki.zim").write_bytes(b"ZIM")
    ended = halubot("check", "wrong.txt", "--knowledge", "wiki.zim", "--output", "wiki.zim")
    assert ended.status == 2
    assert (files / "wiki.zim").read_bytes() == b"ZIM"
