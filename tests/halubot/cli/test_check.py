"""`check` and `correct`: what they take, print and end with; bad input ends in one line."""

from __future__ import annotations

import io
import json
import os
import threading
from pathlib import Path

import pytest

from halubot import Report
from halubot.events import FactsExtracted
from halubot.methods import driver
from halubot.methods.registry import Case
from tests.halubot.cli.calling import RIGHT, WRONG, Halubot


def test_a_right_text_ends_with_0(halubot: Halubot, files: Path) -> None:
    ended = halubot("check", "right.txt", "--samples", "samples.jsonl")
    assert (ended.status, ended.err) == (0, "")
    assert "Analytical" in ended.out


def test_a_wrong_text_ends_with_1_and_says_what_others_say(halubot: Halubot, files: Path) -> None:
    ended = halubot("check", "wrong.txt", "--samples", "samples.jsonl")
    assert (ended.status, ended.err) == (1, "")
    assert "1815" in ended.out


def test_a_reference_serves_as_well_and_may_be_a_folder(halubot: Halubot, files: Path) -> None:
    assert halubot("check", "wrong.txt", "--reference", "reference.md").status == 1
    folder = files / "notes"
    folder.mkdir()
    (files / "reference.md").rename(folder / "reference.md")
    assert halubot("check", "wrong.txt", "--reference", folder).status == 1


@pytest.mark.parametrize("command", ["check", "correct"])
def test_the_deadline_counts_the_reading_of_references(
    halubot: Halubot, files: Path, command: str
) -> None:
    # It would be given 8 s of the processor.
    (files / "deep.html").write_bytes(b"<html><body>" + b"<div>" * 600_000 + b"x")
    ended = halubot(command, "wrong.txt", "--reference", "deep.html", "--deadline", "0.2")
    assert ended.status == 2
    assert "the deadline passed before it was read" in ended.err


def test_a_deadline_is_heard_while_the_facts_of_a_text_without_others_are_read(
    halubot: Halubot, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = threading.Event()
    by_rules = driver.by_rules

    def held_up(case: Case) -> FactsExtracted:
        shown.wait(60)
        return by_rules(case)

    monkeypatch.setattr(driver, "by_rules", held_up)
    try:
        args = (
            "check",
            "right.txt",
            "--deadline",
            "0.3",
            "--format",
            "html",
            "--output",
            "out.html",
        )
        ended = halubot(*args)
    finally:
        shown.set()
    assert ended.status == 3
    assert "the deadline of 0.3 s passed" in ended.err
    assert "1815" in (files / "out.html").read_text()


@pytest.mark.parametrize("args", [["check"], ["check", "-"], ["correct"], ["correct", "-"]])
def test_a_text_may_be_piped_in(halubot: Halubot, files: Path, args: list[str]) -> None:
    ended = halubot(*args, "--samples", "samples.jsonl", stdin=WRONG.encode())
    assert ended.status == 1
    assert "1815" in ended.out


def test_json_is_the_report_alone(halubot: Halubot, files: Path) -> None:
    ended = halubot(
        *("check", "wrong.txt", "--samples", "samples.jsonl", "--format", "json"),
        *("--question", "Who was Ada?", "--n-samples", "2"),
    )
    report = Report.model_validate_json(ended.out)
    assert json.loads(ended.out)["schema"] == 1
    assert report.text == WRONG
    assert report.question is not None
    assert report.question.text == "Who was Ada?"
    assert [source.id for source in report.sources] == ["s1", "s2"]


@pytest.mark.parametrize(("format", "sign"), [("markdown", "1815"), ("html", "<html")])
def test_the_other_formats(halubot: Halubot, files: Path, format: str, sign: str) -> None:
    ended = halubot("check", "wrong.txt", "--samples", "samples.jsonl", "--format", format)
    assert ended.status == 1
    assert sign in ended.out


def test_output_goes_into_a_file(halubot: Halubot, files: Path) -> None:
    ended = halubot(
        *("check", "wrong.txt", "--samples", "samples.jsonl"),
        *("--format", "json", "--output", "report.json"),
    )
    assert (ended.status, ended.out) == (1, "")
    assert Report.model_validate_json((files / "report.json").read_text()).text == WRONG


def test_nothing_to_compare_with_ends_with_3_and_a_report(halubot: Halubot, files: Path) -> None:
    ended = halubot("check", "wrong.txt", "--format", "json")
    report = Report.model_validate_json(ended.out)
    assert ended.status == 3
    assert {fact.verdict for fact in report.facts} == {"not_checked"}
    assert (
        "nothing to compare with: give --sample, --reference, --knowledge, --web wikipedia,"
        " or a model" in ended.err
    )
    ended = halubot("check", "wrong.txt")
    assert "nothing to compare with" in ended.out
    assert ended.err.count("\n") == 1


def test_a_correction_takes_the_value_of_the_others(halubot: Halubot, files: Path) -> None:
    given = ("--samples", "samples.jsonl", "--format")
    ended = halubot("correct", "wrong.txt", *given, "json")
    report = Report.model_validate_json(ended.out)
    assert ended.status == 1
    assert report.correction is not None
    assert report.correction.text == RIGHT
    assert report.correction.report is not None
    assert not report.correction.report.doubted()
    assert halubot("correct", "wrong.txt", *given, "plain").out == RIGHT
    assert halubot("correct", "wrong.txt", *given, "plain", "--output", "fixed.txt").out == ""
    assert Path("fixed.txt").read_bytes().decode() == RIGHT


def test_a_doubted_text_that_stays_as_it_is_says_so(halubot: Halubot, files: Path) -> None:
    first = Path("samples.jsonl").read_text(encoding="utf-8").splitlines()[0]
    Path("one.jsonl").write_text(first, encoding="utf-8")
    ended = halubot("correct", "wrong.txt", "--samples", "one.jsonl", "--format", "plain")
    assert ended.out == Path("wrong.txt").read_bytes().decode()
    assert "nothing was changed" in ended.err


BAD = {
    "missing": (["missing.txt"], "missing.txt: there is no such file"),
    "folder": (["."], "it is a folder"),
    "empty": (["empty.txt"], "empty.txt is empty"),
    "blank": (["blank.txt"], "blank.txt is empty"),
    "binary": (["binary.bin"], "it looks like a binary file"),
    "pdf": (["broken.pdf"], "broken.pdf"),
    "sample": (["right.txt", "--sample", "missing.txt"], "there is no such file"),
    "samples": (["right.txt", "--samples", "broken.jsonl"], "broken.jsonl, line 2"),
    "reference": (["right.txt", "--reference", "broken.pdf"], "broken.pdf"),
    "method": (["right.txt", "--method", "consenus"], "did you mean 'consensus'?"),
    "threshold": (["right.txt", "--threshold", "2"], "--threshold"),
    "not a number": (["right.txt", "--threshold", "nan"], "threshold"),
    "deadline": (["right.txt", "--deadline", "0"], "--deadline"),
    "count": (["right.txt", "--n-samples", "0"], "--n-samples"),
    "format": (["right.txt", "--format", "xml"], "--format"),
    "option": (["right.txt", "--smaple", "x"], "--sample"),
    "output": (["right.txt", "--output", "no/such/folder.txt"], "cannot write"),
}


@pytest.mark.parametrize("command", ["check", "correct"])
@pytest.mark.parametrize(("args", "said"), BAD.values(), ids=BAD.keys())
def test_bad_input_ends_with_2_and_one_clear_line(
    halubot: Halubot, files: Path, command: str, args: list[str], said: str
) -> None:
    (files / "empty.txt").touch()
    (files / "blank.txt").write_text(" \n\t\n")
    (files / "binary.bin").write_bytes(bytes(range(256)) * 20)
    (files / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing that a PDF should hold\n")
    (files / "broken.jsonl").write_text('"one"\n{"txet": "two"}\n')
    ended = halubot(command, *args)
    lines = [line for line in ended.err.splitlines() if "nothing to compare" not in line]
    assert ended.status == 2
    assert len(lines) == 1
    assert said in lines[0]


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read every file"
)
def test_a_forbidden_file_is_said_to_be_so(halubot: Halubot, files: Path) -> None:
    (files / "right.txt").chmod(0)
    ended = halubot("check", "right.txt")
    assert (ended.status, "permission denied" in ended.err) == (2, True)


def test_a_reference_may_be_piped_in(halubot: Halubot, files: Path) -> None:
    ended = halubot(
        "check",
        "wrong.txt",
        "--reference",
        "-",
        "--format",
        "json",
        stdin=b"# Ada\n\n" + RIGHT.encode(),
    )
    report = Report.model_validate_json(ended.out)
    assert ended.status == 1
    assert [(one.id, one.title, one.location) for one in report.sources] == [
        ("r1", "Ada", "standard input")
    ]


@pytest.mark.parametrize(
    "args",
    [
        ("check", "--reference", "-"),
        ("check", "-", "--reference", "-"),
        ("correct", "-", "--reference", "-"),
        ("check", "right.txt", "--reference", "-", "--reference", "-"),
    ],
)
def test_standard_input_is_one_thing(halubot: Halubot, files: Path, args: tuple[str, ...]) -> None:
    ended = halubot(*args, stdin=RIGHT.encode())
    assert (ended.status, ended.out) == (2, "")
    assert "standard input can be one thing: name a file for the other" in ended.err


class Terminal(io.TextIOWrapper):
    """A standard input at which a person sits."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("stdin", [Terminal(io.BytesIO()), None], ids=["terminal", "closed"])
def test_a_person_who_names_no_file_gets_a_hint(
    halubot: Halubot, monkeypatch: pytest.MonkeyPatch, stdin: Terminal | None
) -> None:
    monkeypatch.setattr("halubot.cli.input_files.standard_input", lambda: stdin)
    ended = halubot("check")
    assert ended.status == 2
    assert "name a FILE, or pipe one in" in ended.err


@pytest.mark.parametrize("output", ["wrong.txt", "reference.md", "no/such/folder", "."])
@pytest.mark.parametrize("command", ["check", "correct"])
def test_an_output_that_would_be_lost_or_lose_is_refused_before_the_work(
    halubot: Halubot, files: Path, command: str, output: str
) -> None:
    before = {path: path.read_bytes() for path in files.iterdir()}
    ended = halubot(command, "wrong.txt", "--reference", "reference.md", "--output", output)
    assert (ended.status, ended.err.count("\n"), ended.out) == (2, 1, "")
    assert {path: path.read_bytes() for path in files.iterdir()} == before
