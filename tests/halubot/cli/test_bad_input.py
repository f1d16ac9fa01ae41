"""Input that no command can use: each says so in one line and ends with 2."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.halubot.cli.calling import RIGHT, WRONG, Halubot

LONG = "x" * 300
DEEP = "[" * 100_000 + "]" * 100_000
CHECK = ("check", "wrong.txt", "--reference", "reference.md")
ROW = {"id": "1", "text": WRONG, "references": [RIGHT], "label": "hallucinated"}


@pytest.fixture(autouse=True)
def inputs(files: Path) -> Path:
    """Files of the wrong kind beside the right ones."""
    (files / "rows.jsonl").write_text(json.dumps(ROW) + "\n")
    (files / "deep.jsonl").write_text(DEEP + "\n")
    (files / "bytes").write_bytes(b"{}\n\xff\xfe\n")
    (files / "folder").mkdir()
    return files


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("check", ""), "the name is empty"),
        (("check", "wrong.txt", "--reference", ""), "the name is empty"),
        (("check", "wrong.txt", "--sample="), "the name is empty"),
        ((*CHECK, "--output", " "), "the name is empty"),
        ((*CHECK, "--state", ""), "the name is empty"),
        (("batch", "", "out.jsonl"), "the name is empty"),
        (("knowledge", "add", "notes", ""), "the name is empty"),
        (("check", "wrong.txt", "--reference", "http://[a"), "it is no address: Invalid IPv6 URL"),
        ((*CHECK, "--threshold", "half"), "'half' is not a valid number"),
        ((*CHECK, "--timeout", "nan"), "'nan' is not a valid number"),
        ((*CHECK, "--n-samples", "2.5"), "'2.5' is not a valid whole number"),
        (("config", "set", "threshold", "nan"), "'nan' is not a valid number"),
        ((*CHECK, "--model", "http://me:secret@host/v1"), "is an address: write provider/model"),
        ((*CHECK, "--model", "ollama_chat/"), "names a provider alone: write ollama_chat/NAME"),
        ((*CHECK, "--model", "openai/x", "--api-base", "http://host:99999"), "is no address"),
        ((*CHECK, "--replay", "folder"), "folder: it cannot be read: is a directory"),
        ((*CHECK, "--replay", "bytes"), "bytes, line 1: schema, index or completion is missing"),
        (("batch", "rows.jsonl", LONG), f"cannot write {LONG}: file name too long"),
        (("batch", "rows.jsonl", "/dev/full"), "it is no file that can be read again"),
        (("batch", "rows.jsonl", "folder"), "cannot write folder: it is a folder"),
        (("feedback", "remove", "9" * 30), "is not between 1 and"),
        (("feedback", "remove", "one"), "'one' is not a valid whole number"),
    ],
)
def test_it_is_one_line_that_says_what_is_wrong(
    halubot: Halubot, args: tuple[str, ...], said: str
) -> None:
    ended = halubot(*args)
    assert (ended.status, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert said in ended.err
    assert "secret" not in ended.err


@pytest.mark.parametrize(
    "broken",
    [
        {"facts": []},
        {"facts": "first moved"},
        {"sentences": "facts 99"},
    ],
)
def test_a_report_that_points_nowhere_is_none(
    halubot: Halubot, inputs: Path, broken: dict[str, object]
) -> None:
    report = json.loads(halubot(*CHECK, "--format", "json").out)
    match broken:
        case {"facts": []}:
            report["facts"] = []
        case {"facts": _}:
            report["facts"][0]["index"] = 7
        case _:
            report["sentences"][0]["facts"] = [99]
    (inputs / "report.json").write_text(json.dumps(report))
    ended = halubot("feedback", "add", "report.json", "--fact", 1, "--is", "right")
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith("halubot: report.json holds no report")


def test_a_broken_settings_file_is_told_alike_by_all(halubot: Halubot) -> None:
    file = Path(halubot("config", "path").out.strip())
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("threshold = ")
    told = {halubot(*args).err for args in (CHECK, ("config", "set", "threshold", "0.4"))}
    assert told == {f"halubot: {file} is not TOML: Invalid value (at end of document)\n"}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
@pytest.mark.parametrize("as_reference", [False, True])
def test_a_named_pipe_is_not_waited_for(
    halubot: Halubot, tmp_path: Path, as_reference: bool
) -> None:
    os.mkfifo(tmp_path / "pipe")
    given = ("right.txt", "--reference", "pipe") if as_reference else ("pipe",)
    (tmp_path / "right.txt").write_text("Ada was born in 1815.")
    ended = halubot("check", *given)
    assert (ended.status, "it is not a regular file" in ended.err) == (2, True)
