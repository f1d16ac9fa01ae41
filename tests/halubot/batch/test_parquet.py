"""Batches in Parquet files: rows in and out, gone on with, and files that are something else."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from halubot.batch import Line, Tally, check_file, count, rehearse_file
from halubot.batch._parquet import part_path
from halubot.errors import InputError, MissingExtraError, UnreadableError
from halubot.inputs import Options

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

ROWS: list[dict[str, Any]] = [
    {"id": 7, "text": "Ada ran 2 miles.", "references": ["Ada ran 3 miles."], "split": "a"},
    {"id": 8, "text": None, "references": [], "split": "a"},
    {"id": 9, "text": "Ada ran 3 miles.", "references": ["Ada ran 3 miles."], "split": "b"},
]


class StoppedError(Exception):
    """Somebody pressed ctrl+C."""


def write_rows(path: Path, rows: list[dict[str, Any]]) -> Path:
    parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    return path


def read_rows(path: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = parquet.read_table(path).to_pylist()
    return rows


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write_rows(tmp_path / "in.parquet", ROWS)


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "out.parquet"


def test_a_row_has_the_report_of_its_line(source: Path, target: Path, tmp_path: Path) -> None:
    assert count(source) == 3
    assert check_file(source, target) == Tally(checked=2, errors=1)
    check_file(source, tmp_path / "plain.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "plain.jsonl").read_text().splitlines()]
    rows = read_rows(target)
    assert [row["id"] for row in rows] == ["7", "8", "9"]
    assert [row["key"] for row in rows] == [line["key"] for line in lines]
    assert json.loads(rows[0]["report"]) == lines[0]["report"]
    assert rows[0]["score"] == lines[0]["report"]["score"]
    assert (rows[0]["brief"], rows[0]["error"]) == (None, None)
    assert (rows[1]["report"], rows[1]["score"]) == (None, None)
    assert "text" in rows[1]["error"]
    assert sorted(path.name for path in tmp_path.glob("out*")) == [
        "out.parquet",
        "out.summary.json",
    ]


def test_brief_reports_have_a_column_of_their_own(source: Path, target: Path) -> None:
    check_file(source, target, report="brief")
    row = read_rows(target)[0]
    assert row["report"] is None
    assert json.loads(row["brief"])["doubted"]


def test_titles_of_sources_are_read(tmp_path: Path, target: Path) -> None:
    given = [{"text": "Ada ran 3 miles.", "title": "Diary"}, {"text": "She ran.", "title": None}]
    source = write_rows(
        tmp_path / "in.parquet", [{"text": "Ada ran 2 miles.", "references": given}]
    )
    seen: list[Line] = []
    check_file(source, target, watch=seen.append)
    assert seen[0].report is not None
    assert seen[0].report.sources[0].title == "Diary"


def test_a_stopped_batch_goes_on_from_its_lines(source: Path, target: Path) -> None:
    check_file(source, target)
    whole = target.read_bytes()
    target.unlink()

    def stop(line: Line) -> None:
        if line.place == 2:
            raise StoppedError

    with pytest.raises(StoppedError):
        check_file(source, target, watch=stop)
    assert not target.exists()
    assert len(rehearse_file(source, target)) == 1
    assert check_file(source, target) == Tally(checked=1, kept=2, kept_errors=1)
    assert target.read_bytes() == whole
    assert not part_path(target).exists()


def test_what_is_done_is_known_by_the_file_itself(
    source: Path, target: Path, tmp_path: Path
) -> None:
    check_file(source, target)
    whole = target.read_bytes()
    assert rehearse_file(source, target) == []
    assert check_file(source, target) == Tally(kept=3, kept_errors=1)
    assert target.read_bytes() == whole
    write_rows(source, [*ROWS, {**ROWS[0], "id": 10}])
    assert check_file(source, target) == Tally(checked=1, kept=3, kept_errors=1)
    assert [row["id"] for row in read_rows(target)] == ["7", "8", "9", "10"]
    with pytest.raises(InputError, match="was not made from"):
        check_file(source, target, options=Options(question="Who ran?"))


@pytest.mark.parametrize("content", ["words", "table", "folder"])
def test_another_file_is_left_alone(source: Path, target: Path, content: str) -> None:
    if content == "words":
        target.write_bytes(b"notes of mine\n")
    elif content == "table":
        write_rows(target, [{"notes": "of mine"}])
    else:
        target.mkdir()
    before = None if target.is_dir() else target.read_bytes()
    with pytest.raises(InputError):
        check_file(source, target)
    assert (None if target.is_dir() else target.read_bytes()) == before


@pytest.mark.parametrize("damage", ["cut", "words", "no text"])
def test_an_input_that_cannot_be_read_is_named(source: Path, target: Path, damage: str) -> None:
    if damage == "no text":
        write_rows(source, [{"title": "Diary"}])
    else:
        source.write_bytes(b"notes\n" if damage == "words" else source.read_bytes()[:-9])
    with pytest.raises(UnreadableError, match=r"in\.parquet"):
        check_file(source, target)


def test_the_extra_is_named(source: Path, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match="parquet"):
        check_file(source, target)
