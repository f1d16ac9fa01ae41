"""Completions as JSON lines: out of one store, into another."""

import json
import os
import stat
from pathlib import Path

import pytest

from halubot_cache import RecordError, Request, Store


def filled(folder: Path, request: Request) -> Store:
    store = Store.open(folder)
    for index in range(3):
        store.put(request, index, {"text": f"é{index}", "raw": {"half": "\ud83d"}})
    store.within("discord:1", owner="discord:ann").put(request, 0, {"text": "hers"})
    return store


def test_a_store_goes_out_and_comes_in_whole(tmp_path: Path, request_: Request) -> None:
    path = tmp_path / "all.jsonl"
    with filled(tmp_path / "a", request_) as store:
        assert store.export(path) == 4
    with Store.open(tmp_path / "b") as store:
        assert store.import_(path) == 4
        assert store.import_(path) == 0
        assert store.take(request_, 9)[2] == {"text": "é2", "raw": {"half": "\ud83d"}}
        hers = store.within("discord:1", owner="discord:ann")
        assert hers.take(request_, 9) == [{"text": "hers"}]
        again = tmp_path / "again.jsonl"
        store.export(again)
        assert again.read_bytes() == path.read_bytes()


def test_a_record_of_a_run_replays_in_any_namespace(tmp_path: Path, request_: Request) -> None:
    path = tmp_path / "run.jsonl"
    with filled(tmp_path / "a", request_) as store:
        hers = store.within("discord:1", owner="discord:ann")
        assert hers.export(path, only=[(request_, 0), (request_, 0), (request_, 7)]) == 1
    assert "discord" not in path.read_text()
    with Store.temporary() as replay:
        assert replay.import_(path) == 1
        assert replay.take(request_, 20) == [{"text": "hers"}]


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX's")
def test_an_export_is_for_its_owner_alone(tmp_path: Path, request_: Request) -> None:
    path = tmp_path / "all.jsonl"
    with filled(tmp_path / "a", request_) as store:
        store.export(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


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
        ({"namespace": "a"}, "both are missing"),
        ({"namespace": "a", "owner": 1}, "two names"),
        ({"namespace": "a", "owner": "b:"}, "no name"),
    ],
)
def test_a_wrong_line_is_named_and_nothing_is_added(
    tmp_path: Path, request_: Request, change: dict[str, object], why: str
) -> None:
    path = tmp_path / "run.jsonl"
    with filled(tmp_path / "a", request_) as store:
        store.export(path, only=[(request_, 0), (request_, 1)])
    first, second = path.read_text().splitlines()
    path.write_text(f"{first}\n\n{json.dumps({**json.loads(second), **change})}\n")
    with Store.open(tmp_path / "b") as store:
        with pytest.raises(RecordError, match=f"line 3: .*{why}"):
            store.import_(path)
        assert store.stats().completions == 0
        assert store.put(request_, 0, {"text": "a"})
