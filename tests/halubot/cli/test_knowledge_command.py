"""`halubot knowledge`: bases are built, listed, searched and removed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from halubot.evidence.knowledge import additions
from halubot.evidence.knowledge.bases import VARIABLE
from tests.halubot.cli.calling import Ended, Halubot


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of two documents, and a place for bases."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "bases"))
    made = tmp_path / "docs"
    made.mkdir()
    (made / "bridge.md").write_text("# The Kellan Bridge\n\nIt was opened on 4 June 1931.\n")
    (made / "varn.txt").write_text("Varn has 1,204 inhabitants.\n")
    return made


def listed(halubot: Halubot) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(
        halubot("knowledge", "list", "--format", "json").out
    )
    return found


def test_a_folder_is_added_and_searched_with_citations(halubot: Halubot, docs: Path) -> None:
    ended = halubot("knowledge", "add", "notes", docs)
    assert ended == Ended(0, "notes: 2 new; 2 passages of 2 files\n", "")
    ended = halubot("knowledge", "search", "notes", "When was the bridge opened?")
    assert ended.status == 0
    head, place, *text = ended.out.splitlines()
    assert head.startswith("1. The Kellan Bridge, section The Kellan Bridge, 20")
    assert place == f"   {docs / 'bridge.md'}"
    assert text == ["   The Kellan Bridge", "   It was opened on 4 June 1931."]
    found = json.loads(
        halubot("knowledge", "search", "notes", "inhabitants", "--format", "json").out
    )
    assert [(one["title"], one["text"]) for one in found] == [
        ("varn.txt", "Varn has 1,204 inhabitants.")
    ]
    for empty in ("", "  ", "?!"):
        asked = halubot("knowledge", "search", "notes", empty)
        assert asked == Ended(2, "", "halubot: the query holds no word: say what to look for\n")
    assert halubot("knowledge", "search", "notes", "volcano") == Ended(
        0, "no passage of notes shares a word with that\n", ""
    )


def test_added_again_it_says_what_changed_and_what_is_gone(halubot: Halubot, docs: Path) -> None:
    halubot("knowledge", "add", "notes", docs)
    (docs / "bridge.md").unlink()
    (docs / "varn.txt").write_text("Varn has 1,377 inhabitants.\n")
    (docs / "picture.png").write_bytes(bytes(range(256)) * 9)
    ended = halubot("knowledge", "add", "notes", docs)
    assert ended.status == 0
    assert ended.out == "notes: 1 changed, 1 gone, 1 left out; 1 passage of 1 file\n"
    assert f"halubot: gone, and dropped: {docs / 'bridge.md'}\n" in ended.err
    assert f"halubot: left out: cannot read {docs / 'picture.png'}: " in ended.err


def test_bases_are_listed(halubot: Halubot, docs: Path) -> None:
    assert halubot("knowledge", "list").out.startswith("there is no base in ")
    assert listed(halubot) == []
    halubot("knowledge", "add", "notes", docs)
    (one,) = listed(halubot)
    assert (one["name"], one["passages"], one["files"]) == ("notes", 2, 2)
    assert (one["paths"], one["problem"]) == ([str(docs)], None)
    assert isinstance(one["bytes"], int)
    table = halubot("knowledge", "list").out
    assert table.splitlines()[1].split()[:3] == ["notes", "2", "2"]
    assert f"notes from {docs}" in table


def test_a_base_is_removed_and_its_files_stay(halubot: Halubot, docs: Path) -> None:
    halubot("knowledge", "add", "notes", docs)
    ended = halubot("knowledge", "remove", "notes")
    assert ended.status == 2
    assert "pass --yes" in ended.err
    assert halubot("knowledge", "remove", "notes", "--yes").out == "notes deleted\n"
    assert listed(halubot) == []
    assert sorted(docs.iterdir()) == [docs / "bridge.md", docs / "varn.txt"]


def test_what_was_read_before_ctrl_c_is_kept(
    halubot: Halubot, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = iter([Path.read_bytes])

    def stopped(path: Path) -> bytes:
        for one in read:
            return one(path)
        raise KeyboardInterrupt

    monkeypatch.setattr(additions, "read_bytes", stopped)
    ended = halubot("knowledge", "add", "notes", docs)
    assert ended.status == 130
    assert "what was read so far is kept: the same command goes on" in ended.err
    monkeypatch.undo()
    assert halubot(
        "knowledge", "list", "--format", "json", "--knowledge-folder", docs.parent / "bases"
    ).out.count('"files": 1')


def test_no_text_of_a_file_commands_a_terminal(halubot: Halubot, docs: Path) -> None:
    (docs / "evil\x1b[2J.txt").write_text("Evil \x9b31m [bold]words[/bold] \u202eturned.")
    halubot("knowledge", "add", "notes", docs)
    ended = halubot("knowledge", "search", "notes", "evil words")
    assert "[bold]words[/bold]" in ended.out
    assert not {"\x1b", "\x9b", "\u202e"} & set(ended.out + ended.err)
    assert "\x1b" not in halubot("knowledge", "list").out
