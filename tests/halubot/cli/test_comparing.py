"""Getting something to compare with: pasted answers, exported chats, a page of the web."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.halubot.cli.calling import RIGHT, WRONG, Halubot
from tests.halubot.evidence.test_download import Site, page


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An editor that puts answers below the first two lines; returns what it was shown."""
    shown = tmp_path / "shown"
    program = tmp_path / "editor.py"
    program.write_text(
        "import sys, pathlib\n"
        "path = pathlib.Path(sys.argv[1]); text = path.read_text()\n"
        f"pathlib.Path({str(shown)!r}).write_text(text)\n"
        f"text = text.replace('answer 1 ======', 'answer 1 ======\\n' + {RIGHT!r})\n"
        f"text = text.replace('answer 2 ======', 'answer 2 ======\\n' + {RIGHT!r} + ' So it is.')\n"
        "path.write_text(text)\n"
    )
    monkeypatch.setenv("EDITOR", f"{sys.executable} {program}")
    return shown


def test_pasted_answers_are_samples(halubot: Halubot, files: Path, editor: Path) -> None:
    ended = halubot("check", "wrong.txt", "--paste", "--format", "json")
    assert ended.status == 1, ended.err
    report = json.loads(ended.out)
    assert [source["title"] for source in report["sources"]] == [
        "pasted answer 1",
        "pasted answer 2",
    ]
    assert report["sources"][1]["text"] == f"{RIGHT} So it is."
    assert report["label"] != "consistent"
    assert WRONG in editor.read_text()


def test_answers_of_an_exported_chat(halubot: Halubot, files: Path) -> None:
    messages = [{"uuid": "1", "sender": "human", "text": "Who was Ada?"}]
    messages += [
        {
            "uuid": f"a{number}",
            "sender": "assistant",
            "text": text,
            "parent_message_uuid": "1",
        }
        for number, text in enumerate([WRONG, RIGHT, f"{RIGHT} Yes.", f"{RIGHT} So."])
    ]
    (files / "chats.json").write_text(json.dumps([{"name": "Ada", "chat_messages": messages}]))
    ended = halubot("check", "wrong.txt", "--samples", "chats.json", "--format", "json")
    assert ended.status == 1, ended.err
    assert len(json.loads(ended.out)["sources"]) == 3


def test_a_page_is_a_reference(halubot: Halubot, files: Path) -> None:
    site = Site()
    site.reply = page(f"<title>Ada</title><p>{RIGHT}</p>".encode())
    ended = halubot("check", "wrong.txt", "--reference", site.address, "--format", "json")
    assert ended.status == 1, ended.err
    assert json.loads(ended.out)["sources"][0]["location"] == site.address
    assert len(site.asked) == 1
    for refused in ("--offline", "--dry-run"):
        ended = halubot("check", "wrong.txt", "--reference", site.address, refused)
        assert (ended.status, len(site.asked)) == (2, 1)
        assert "save it, and name the file" in ended.err
    site.close()
