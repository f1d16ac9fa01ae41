"""`halubot store`: what is stored is counted and cleared."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from halubot import settings
from halubot_cache import Request, Store
from tests.halubot.cli.calling import Halubot


def request(model: str) -> Request:
    return Request.of(
        endpoint="http://127.0.0.1:8000/v1",
        model=model,
        messages=[{"role": "user", "content": "Who was Ada Lovelace?"}],
    )


@pytest.fixture
def folder() -> Path:
    """The store where it lies by default, with three answers of two models, and one of a bot."""
    path = settings.store_folder()
    with Store.open(path) as store:
        for index in range(2):
            store.put(request("small"), index, {"text": f"answer {index}"})
        store.put(request("large"), 0, {"text": "answer"})
    with Store.open(path, namespace="discord:1:2") as store:
        store.put(request("large"), 0, {"text": "theirs"})
    return path


def models(halubot: Halubot) -> dict[str, int]:
    found: dict[str, int] = json.loads(halubot("store", "stats", "--format", "json").out)["models"]
    return found


@pytest.mark.parametrize(
    "args",
    [("store", "stats"), ("store", "clear"), ("store", "clear", "--yes", "--model", "x")],
)
def test_looking_makes_no_store(halubot: Halubot, args: tuple[str, ...]) -> None:
    folder = settings.store_folder()
    ended = halubot(*args)
    assert (ended.status, ended.out) == (0, f"nothing is stored in {folder}\n")
    assert not folder.exists()


def test_stats(halubot: Halubot, folder: Path) -> None:
    found = json.loads(halubot("store", "stats", "--format", "json").out)
    assert found.pop("bytes") > 0
    assert found == {
        "folder": str(folder),
        "completions": 4,
        "damaged": 0,
        "namespaces": {"default": 3, "discord:1:2": 1},
        "models": {"small": 2, "large": 2},
    }
    said = halubot("store", "stats").out
    assert said.startswith(f"4 answers in {folder} (")
    assert "small  2" in said
    assert "discord:1:2  1" in said


@pytest.mark.parametrize(
    ("which", "deleted", "left"),
    [
        ((), 4, {}),
        (("--model", "small"), 2, {"large": 2}),
        (("--namespace", "discord"), 1, {"small": 2, "large": 1}),
        (("--model", "large", "--namespace", "default"), 1, {"small": 2, "large": 1}),
        (("--older-than", "1"), 0, {"small": 2, "large": 2}),
        (("--older-than", "0"), 4, {}),
    ],
)
def test_clear(
    halubot: Halubot, folder: Path, which: tuple[str, ...], deleted: int, left: dict[str, int]
) -> None:
    ended = halubot("store", "clear", "--yes", *which)
    what = "1 answer" if deleted == 1 else f"{deleted} answers"
    assert ended == (0, f"{what} deleted, {4 - deleted} left in {folder}\n", "")
    assert models(halubot) == left


def test_it_asks_before_it_clears(
    halubot: Halubot, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = halubot("store", "clear")
    assert (ended.status, ended.out) == (2, "")
    assert "--yes" in ended.err
    assert sum(models(halubot).values()) == 4

    class Terminal(io.TextIOWrapper):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(io, "TextIOWrapper", Terminal)
    which = ("--model", "small", "--older-than", "0")
    ended = halubot("store", "clear", *which, stdin=b"n\n")
    assert (ended.status, ended.out) == (130, "")
    ended = halubot("store", "clear", *which, stdin=b"y\n")
    assert ended.err.startswith(
        f"Delete the answers of small stored 0 days ago or before from {folder}? [y/N]"
    )
    assert ended.out == f"2 answers deleted, 2 left in {folder}\n"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("stats", "--store", "message.txt"), "message.txt"),
        (("stats", "--store", "."), "holds other things: give the store one of its own"),
        (("clear", "--yes", "--namespace", "a::b"), "is no name"),
        (("clear", "--yes", "--older-than", "-1"), "--older-than"),
        (("stat",), "stat"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    halubot: Halubot, folder: Path, tmp_path: Path, args: tuple[str, ...], said: str
) -> None:
    (tmp_path / "message.txt").write_text("Ada Lovelace was born in 1815.\n")
    ended = halubot("store", *args)
    assert (ended.status, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert said in ended.err
    assert sum(models(halubot).values()) == 4
