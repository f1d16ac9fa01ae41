"""What is learnt of a model survives the program, and costs nothing where it cannot."""

from __future__ import annotations

import json
import stat
import threading
from pathlib import Path

import pytest
from platformdirs import user_data_path

from halubot.models import capabilities
from halubot.models.capabilities import learnt, remember
from halubot.models.model import Capabilities

SERVER = "http://127.0.0.1:1/v1"
ALL = Capabilities(n=False, schema=True, logprobs=None, refused=frozenset({"seed", "strict"}))


@pytest.fixture
def file() -> Path:
    """Where it is kept."""
    path = user_data_path("halubot", appauthor=False) / "models.json"
    assert not path.exists()
    return path


def settle() -> None:
    """Returns once all is written."""
    for thread in threading.enumerate():
        if thread.name == "halubot learning":
            thread.join()


def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a program that has just begun."""
    settle()
    monkeypatch.setattr(capabilities, "_learnt", {})


def test_the_next_program_knows(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remember("m", SERVER, ALL)
    forget(monkeypatch)
    assert learnt("m", SERVER) == ALL
    assert learnt("m", "elsewhere") == learnt("other", SERVER) == Capabilities()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in file.parent.iterdir()] == ["models.json"]


def test_what_other_programs_wrote_meanwhile_stays(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert learnt("m", SERVER) == Capabilities()
    ours = dict(capabilities._learnt)
    remember("m", SERVER, Capabilities(n=True, schema=True, refused=frozenset({"seed"})))
    remember("theirs", SERVER, ALL)
    settle()
    monkeypatch.setattr(capabilities, "_learnt", {path: {} for path in ours})
    remember("m", SERVER, Capabilities(n=False, logprobs=True, refused=frozenset({"strict"})))
    forget(monkeypatch)
    assert learnt("m", SERVER) == Capabilities(False, None, True, frozenset({"strict"}))
    assert learnt("theirs", SERVER) == ALL


def test_after_a_month_a_model_is_tried_anew(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remember("m", SERVER, ALL)
    settle()
    entries = json.loads(file.read_text())
    entries[0]["at"] -= 31 * 86_400
    file.write_text(json.dumps(entries))
    forget(monkeypatch)
    assert learnt("m", SERVER) == Capabilities()
    remember("other", SERVER, ALL)
    settle()
    assert [entry["model"] for entry in json.loads(file.read_text())] == ["other"]


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"null", b"\xff\xfe", b'[{"model": 1}]', b"[" * 100_000]
)
def test_a_damaged_file_is_as_good_as_none(
    file: Path, monkeypatch: pytest.MonkeyPatch, damage: bytes
) -> None:
    file.parent.mkdir(parents=True)
    file.write_bytes(damage)
    assert learnt("m", SERVER) == Capabilities()
    remember("m", SERVER, ALL)
    forget(monkeypatch)
    assert learnt("m", SERVER) == ALL
