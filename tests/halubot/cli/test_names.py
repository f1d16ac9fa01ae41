"""Names of files with escape sequences in them command no terminal."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.halubot.cli.calling import RIGHT, WRONG, Halubot

NAME = "a\x1b]0;owned\x07\x1b[2J\x9b31m.txt"

COLOUR = "a\x1b[31m.jsonl"

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")


def test_what_is_printed_is_inert(halubot: Halubot, tmp_path: Path) -> None:
    folder = tmp_path / NAME
    folder.mkdir()
    (folder / NAME).write_text(RIGHT)
    lines = folder / "in.jsonl"
    lines.write_text(json.dumps({"id": NAME, "text": WRONG, "references": [RIGHT]}) + "\nnone\n")
    store, bases, kept = folder / "store", folder / "bases", folder / "kept"
    commands = [
        ("batch", lines, folder / "out.jsonl", "--verbose"),
        ("batch", lines, folder / "none" / "out.jsonl"),
        ("check", folder / NAME, "--reference", folder, "--state", kept),
        ("check", folder / "none"),
        ("store", "stats", "--store", store),
        ("store", "clear", "--yes", "--store", store),
        ("knowledge", "add", "notes", folder, "--knowledge-folder", bases),
        ("knowledge", "list", "--knowledge-folder", bases),
        ("knowledge", "search", "notes", "Ada Lovelace", "--knowledge-folder", bases),
        ("knowledge", "remove", "notes", folder / NAME, "--knowledge-folder", bases),
        ("feedback", "list", "--state", kept),
        ("config", "set", "state", kept),
    ]
    for command in commands:
        ended = halubot(*command)
        said = ended.out + ended.err
        assert ended.status != 70, said
        assert not {"\x1b", "\x07", "\x9b"} & set(said), (command, said)


def test_a_name_does_not_even_change_the_colour(
    halubot: Halubot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = tmp_path / "in.jsonl"
    lines.write_text(json.dumps({"text": WRONG, "references": [RIGHT]}))
    ended = halubot("batch", lines, tmp_path / COLOUR)
    assert "a␛[31m.jsonl" in ended.out
