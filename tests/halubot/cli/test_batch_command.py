"""`halubot batch`: what it takes, says and ends with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from halubot.batch import check_file
from halubot.cli import main
from halubot.inputs import Options
from tests.halubot.cli.calling import RIGHT, WRONG, Halubot


@pytest.fixture
def source(files: Path) -> Path:
    path = files / "in.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in (RIGHT, WRONG)))
    return path


def test_it_checks_all_by_the_common_reference(halubot: Halubot, source: Path, files: Path) -> None:
    ended = halubot("batch", source, "out.jsonl", "--reference", "reference.md")
    assert (ended.status, ended.err) == (0, "")
    assert ended.out == "2 lines in out.jsonl: 2 checked now, 0 there before; 0 errors\n"
    lines = [json.loads(line) for line in (files / "out.jsonl").read_text().splitlines()]
    assert [line["id"] for line in lines] == [1, 2]
    verdicts = [{fact["verdict"] for fact in line["report"]["facts"]} for line in lines]
    assert [bool(found & {"doubtful", "contradicted"}) for found in verdicts] == [False, True]


def test_a_second_time_nothing_is_left_to_do(halubot: Halubot, source: Path) -> None:
    halubot("batch", source, "out.jsonl")
    ended = halubot("batch", source, "out.jsonl", "--format", "json")
    assert (ended.status, ended.err) == (0, "")
    assert json.loads(ended.out) == {"lines": 2, "checked": 0, "kept": 2, "errors": 0}


def test_broken_lines_are_named_and_counted_and_change_no_status(
    halubot: Halubot, source: Path
) -> None:
    with source.open("a") as file:
        file.write("oops\n")
    ended = halubot("batch", source, "out.jsonl")
    assert ended.status == 0
    assert ended.err == f"halubot: {source}, line 3: not JSON\n"
    assert "; 1 error" in ended.out


def test_a_batch_in_which_every_line_failed_does_not_end_with_0(
    halubot: Halubot, source: Path
) -> None:
    source.write_text("oops\n" + "[" * 200_000 + "\n")
    for _ in range(2):  # also where all was done before
        ended = halubot("batch", source, "out.jsonl")
        assert ended.status == 3
        assert "; 2 errors" in ended.out


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["none.jsonl", "out.jsonl"], "there is no such file"),
        (["in.jsonl", "in.jsonl"], "would overwrite"),
        (["in.jsonl", "wrong.txt"], "was not made from this input"),
        (["in.jsonl", "no/out.jsonl"], "cannot write"),
        (["in.jsonl", "out.jsonl", "--rate", "500"], "'500' is not a rate: write it like 500/min"),
        (["in.jsonl", "out.jsonl", "--processes", "0"], "processes"),
        (["in.jsonl", "out.jsonl", "--concurrency", "0"], "concurrency"),
        (["in.jsonl", "out.jsonl", "--address", "tcp://127.0.0.1:1"], "not encrypted"),
        (["in.jsonl", "out.jsonl", "--address", "127.0.0.1:1"], "tls://"),
        (["in.jsonl", "out.jsonl", "--insecure-cluster"], "--address"),
        (["in.jsonl", "out.jsonl", "--address", "tls://h:1", "--processes", "2"], "--processes"),
        (["in.jsonl"], "OUT.jsonl"),
        (["in.jsonl", "out.jsonl", "--method", "ngram"], "did you mean 'selfcheck-ngram'?"),
    ],
)
def test_what_it_refuses_ends_with_2_and_one_line(
    halubot: Halubot, source: Path, args: list[str], said: str
) -> None:
    ended = halubot("batch", *args)
    assert (ended.status, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert said in ended.err


@pytest.mark.slow
def test_processes_change_no_byte_and_the_totals_are_beside_it(
    halubot: Halubot, source: Path, files: Path
) -> None:
    halubot("batch", source, "one.jsonl", "--reference", "reference.md")
    ended = halubot("batch", source, "two.jsonl", "--reference", "reference.md", "--processes", "2")
    assert ended.status == 0
    assert (files / "two.jsonl").read_bytes() == (files / "one.jsonl").read_bytes()
    summary = json.loads((files / "two.summary.json").read_text())
    assert (summary["lines"], summary["errors"], summary["left"]) == (2, 0, 0)
    assert summary["usage"]["calls"] == 0


def test_python_and_the_command_line_have_the_same_keys(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text('{"text": "Ada was born in 1816.", "references": ["She came in 1815."]}\n')
    reference = tmp_path / "reference.txt"
    reference.write_text("Ada was born in 1815.")
    words = ["--reference", str(reference), "--question", "Who was Ada?", "--threshold", "0.6"]
    for name, given, options in (
        ("bare", [], Options()),
        ("same", [], Options(method="consensus", as_published=False, question=None)),
        (
            "more",
            words,
            Options(references=[reference], question="Who was Ada?", threshold=0.6),
        ),
        (
            "text",
            words,
            Options(references=["Ada was born in 1815."], question="Who was Ada?", threshold=0.6),
        ),
    ):
        by_command, by_call = tmp_path / f"{name}.command.jsonl", tmp_path / f"{name}.call.jsonl"
        assert main(["batch", str(source), str(by_command), *given]) == 0
        check_file(source, by_call, options=options)
        keys = [json.loads(path.read_text())["key"] for path in (by_command, by_call)]
        assert keys[0] == keys[1], name
        # So one goes on with what the other began.
        assert check_file(source, by_command, options=options).kept == 1
