"""What a person says on the command line wins in what they see there."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.halubot.cli.calling import Halubot

CHECK = ("check", "wrong.txt", "--reference", "reference.md")


@pytest.fixture
def report(halubot: Halubot, files: Path) -> Path:
    """The saved report of the wrong message, whose first fact is contradicted."""
    ended = halubot(*CHECK, "--format", "json", "--output", "report.json")
    assert ended.status == 1
    return files / "report.json"


def verdicts(out: str) -> list[str]:
    return [fact["verdict"] for fact in json.loads(out)["facts"]]


def test_what_was_said_wins_in_the_next_check(halubot: Halubot, report: Path) -> None:
    ended = halubot("feedback", "add", report, "--fact", 1, "--is", "right", "--note", "I know")
    assert (ended.status, ended.err) == (0, "")
    assert "1816: right" in ended.out
    after = halubot(*CHECK, "--format", "json")
    assert after.status == 0
    assert verdicts(after.out) == ["supported", "supported"]
    fact = json.loads(after.out)["facts"][0]
    assert "person" in fact["basis"]
    assert fact["reason"].endswith(": I know")
    shown = halubot(*CHECK, "--verbose")
    assert "that it is right" in " ".join(shown.out.split())
    assert halubot(*CHECK, "--no-feedback").status == 1


def test_a_word_is_taken_back(halubot: Halubot, report: Path) -> None:
    halubot("feedback", "add", report, "--fact", 1, "--is", "right")
    listed = halubot("feedback", "list", "--format", "json")
    (word,) = json.loads(listed.out)
    assert (word["says"], word["fact"]["verdict"]) == ("right", "contradicted")
    assert "1816" in halubot("feedback", "list").out
    assert halubot("feedback", "remove", word["id"]).status == 0
    assert halubot(*CHECK).status == 1
    again = halubot("feedback", "remove", word["id"])
    assert again.status == 2
    assert again.err == f"halubot: there is no feedback {word['id']}: halubot feedback list" + (
        " shows what is\n"
    )


def test_a_correction_leaves_what_is_said_to_be_right(halubot: Halubot, report: Path) -> None:
    correct = ("correct", *CHECK[1:], "--format", "json")
    before = json.loads(halubot(*correct).out)
    assert "1815" in before["correction"]["text"]
    halubot("feedback", "add", report, "--fact", 1, "--is", "right")
    ended = halubot(*correct)
    after = json.loads(ended.out)
    assert ended.status == 0
    assert after["correction"]["text"] == after["text"]
    without = json.loads(halubot(*correct, "--no-feedback").out)
    assert without["correction"]["edits"] == before["correction"]["edits"]


def test_a_fact_has_the_number_that_people_see(halubot: Halubot, tmp_path: Path) -> None:
    text = "Was Ada born? Ada was born in London. Ada was born in 1816."
    check = ("check", "--sample", "source.txt", "--sample", "source.txt", "text.txt")
    (tmp_path / "text.txt").write_text(text)
    (tmp_path / "source.txt").write_text("Ada was born in London. Ada was born in 1815.")
    halubot(*check, "--format", "json", "--output", "report.json")
    shown = halubot(*check, "--verbose").out
    listed = halubot("feedback", "add", "report.json").out.splitlines()
    assert len(listed) == len(json.loads((tmp_path / "report.json").read_text())["facts"])
    for line in listed:
        number, words = line.split(" (")[0].split("  ")
        assert re.search(rf"^\S {number} {words}$", shown, re.MULTILINE)
    (born,) = (line.split()[0] for line in listed if "1816" in line)
    assert born == "1" != listed[-1].split()[0]
    halubot("feedback", "add", "report.json", "--fact", born, "--is", "right")
    assert "born in 1816" in halubot("feedback", "list").out
    whole = next(str(n) for n in range(1, 9) if str(n) not in {line.split()[0] for line in listed})
    refused = halubot("feedback", "add", "report.json", "--fact", whole, "--is", "right")
    assert refused.status == 2
    assert f"{whole} is a sentence as a whole, no fact: without --fact" in refused.err


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"schema": 2}', "just text", "{"])
def test_what_is_no_report_is_refused(halubot: Halubot, tmp_path: Path, content: str) -> None:
    (tmp_path / "report.json").write_text(content)
    ended = halubot("feedback", "add", "report.json", "--fact", 1, "--is", "right")
    assert ended.status == 2
    assert ended.err.startswith("halubot: report.json")
    assert ended.err.count("\n") == 1


def test_wrong_numbers_are_refused(halubot: Halubot, report: Path) -> None:
    ended = halubot("feedback", "add", report, "--fact", 9, "--is", "right")
    assert ended.status == 2
    assert ended.err == (
        "halubot: 9 is no number of the report: without --fact its facts are listed\n"
    )
    assert "0 is not 1 or more" in halubot("feedback", "add", report, "--fact", 0).err
    assert halubot("feedback", "remove", "one").status == 2
