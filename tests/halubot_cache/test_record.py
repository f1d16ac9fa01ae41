"""Completions as JSON lines: the record of a run, and what is found in it again."""

import json
import os
import stat
from pathlib import Path

import pytest

from halubot_cache import Record, RecordError, Request, Store


@pytest.fixture
def record(tmp_path: Path, request_: Request) -> Path:
    """The record of three completions, one of which was used twice, and one was not there."""
    path = tmp_path / "run.jsonl"
    with Store.open(tmp_path / "a", namespace="discord:ann") as store:
        for index in range(3):
            store.put(request_, index, {"text": f"é{index}", "raw": {"half": "\ud83d"}})
        used = [(request_, index) for index in (0, 0, 2, 1, 7)]
        assert store.record(path, used) == 3
    return path


def test_a_record_has_what_was_used_and_not_whose_it_was(record: Path, request_: Request) -> None:
    assert "discord" not in record.read_text()
    replay = Record(record)
    assert replay.get(request_, 2) == {"text": "é2", "raw": {"half": "\ud83d"}}
    assert replay.get(request_, 3) is None
    assert [*replay.requests.values()] == [request_]
    replay.close()


def test_an_editor_may_have_saved_it(record: Path, request_: Request) -> None:
    record.write_bytes(b"\xef\xbb\xbf" + record.read_bytes().replace(b"\n", b"\r\n\r\n"))
    replay = Record(record)
    found = [replay.get(request_, index) for index in range(3)]
    assert [one and one["text"] for one in found] == ["é0", "é1", "é2"]
    replay.close()


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX's")
def test_a_record_is_for_its_owner_alone(record: Path) -> None:
    assert stat.S_IMODE(record.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"schema": 2}, "newer halubot"),
        ({"schema": "1"}, "missing or wrong"),
        ({"index": -1}, "0 or more"),
        ({"index": True}, "0 or more"),
        ({"index": None}, "missing or wrong"),
        ({"completion": "text"}, "missing or wrong"),
        ({"model": None}, "missing or wrong"),
        ({"parameters": {"a": float("nan")}}, "no number"),
    ],
)
def test_a_wrong_line_is_named(record: Path, change: dict[str, object], why: str) -> None:
    first, second, _ = record.read_text().splitlines()
    record.write_text(f"{first}\n\n{json.dumps({**json.loads(second), **change})}\n")
    with pytest.raises(RecordError, match=f"line 3: .*{why}"):
        Record(record)
