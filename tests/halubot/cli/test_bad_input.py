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
        (("store", "import", "bytes"), "bytes, line 1: schema, index or completion is missing"),
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


def test_the_line_that_is_no_text_is_counted(halubot: Halubot, inputs: Path) -> None:
    record = '{"schema": 1, "request": {}}\n'
    (inputs / "bytes").write_bytes(b"\n" * 4000 + b"\xff\n" + record.encode())
    ended = halubot(*CHECK, "--replay", "bytes")
    assert "bytes, line 4001: not a JSON object in UTF-8" in ended.err


def test_many_broken_lines_are_counted(halubot: Halubot, inputs: Path) -> None:
    (inputs / "notes.txt").write_text("a line of a text\n" * 50)
    ended = halubot("batch", "notes.txt", "out.jsonl")
    assert "50 errors" in ended.out
    lines = ended.err.splitlines()
    assert len(lines) == 21
    assert lines[-1] == "halubot: 30 more errors, as out.jsonl says"
    assert len((inputs / "out.jsonl").read_text().splitlines()) == 50


def test_a_name_too_long_is_left_out_of_a_base(halubot: Halubot) -> None:
    ended = halubot("knowledge", "add", "notes", LONG)
    assert ended.status == 2
    assert "left out: cannot read" in ended.err
    assert "file name too long" in ended.err


def test_a_file_left_out_of_a_folder_of_samples_is_told(halubot: Halubot, inputs: Path) -> None:
    (inputs / "folder" / "a.txt").write_text(RIGHT)
    (inputs / "folder" / "b.bin").write_bytes(bytes(range(256)))
    ended = halubot("check", "wrong.txt", "--sample", "folder", "--format", "json")
    report = json.loads(ended.out)
    assert [problem["what"] for problem in report["problems"]] == ["a file was left out"]
    assert "b.bin" in report["problems"][0]["why"]
    assert len(report["sources"]) == 1


@pytest.mark.parametrize("option", ["--question", "--context", "--subject"])
def test_blanks_are_no_question(halubot: Halubot, option: str) -> None:
    report = json.loads(halubot(*CHECK, option, " \n", "--format", "json").out)
    assert report["question"] is None


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


@pytest.mark.parametrize("columns", ["0", "1", "many"])
def test_no_width_is_no_reason_to_print_nothing(
    halubot: Halubot, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert "1816" in halubot(*CHECK).out.replace("\n", "")
    assert "consensus" in halubot("methods").out


def test_a_new_base_whose_model_does_not_exist_is_not_begun(halubot: Halubot) -> None:
    vectors = ("--embedding-model", "nameless")
    ended = halubot("knowledge", "add", "notes", "reference.md", *vectors)
    assert (ended.status, ended.out) == (2, "")
    assert "the model 'nameless' has no provider" in ended.err
    assert halubot("knowledge", "add", "notes", "reference.md").status == 0


def test_a_null_byte_in_a_name_is_no_fault(halubot: Halubot) -> None:
    ended = halubot("check", "a\0b")
    assert (ended.status, ended.err) == (
        2,
        "halubot: cannot read a␀b: its name holds a null byte\n",
    )


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
