"""Files read into a base, again and again: what is new, changed, gone, or no use."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halubot.evidence.knowledge import additions as file_import
from halubot.evidence.knowledge.additions import Added, add
from halubot.evidence.knowledge.bases import Home, home
from halubot.evidence.knowledge.named_bases import open_knowledge

BRIDGE = """# The Kellan Bridge

The Kellan Bridge is an arch bridge of granite. It was opened on 4 June 1931.

## Tolls

The tolls were given up in 1958.
"""


@pytest.fixture
def base(tmp_path: Path) -> Home:
    return home("notes", tmp_path / "bases")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two documents."""
    made = tmp_path / "docs"
    made.mkdir()
    (made / "bridge.md").write_text(BRIDGE)
    (made / "deep").mkdir()
    (made / "deep" / "varn.txt").write_text("Varn has 1,204 inhabitants.\n")
    return made


def texts(base: Home, query: str = "Varn Kellan tolls alpha beta gamma delta") -> set[str]:
    """All passages that share a word with the query."""
    knowledge = open_knowledge(base.name, folder=base.folder.parent)
    return {one.text for one in asyncio.run(knowledge.search(query, 100))}


def counts(added: Added) -> tuple[int, int, int]:
    return added.new, added.changed, added.unchanged


def test_a_folder_is_found_again_with_what_a_citation_needs(base: Home, folder: Path) -> None:
    os.utime(folder / "bridge.md", (1_700_000_000, 1_700_000_000))
    added = add(base, [folder])
    assert counts(added) == (2, 0, 0)
    assert (added.files, added.passages) == (2, 2)
    knowledge = open_knowledge("notes", folder=base.folder.parent)
    (first, *_) = asyncio.run(knowledge.search("When were the tolls of the bridge given up?", 3))
    source = first.source
    assert first.text == source.text == BRIDGE.strip().removeprefix("# ")
    assert source.kind == "knowledge"
    assert source.title == "The Kellan Bridge"
    assert source.location == str(folder / "bridge.md")
    assert source.place == "sections The Kellan Bridge to Tolls"
    assert source.date == "2023-11-14"
    assert source.hash


def test_what_has_not_changed_is_passed_over(
    base: Home, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(base, [folder])
    monkeypatch.setattr(file_import, "read_bytes", None)
    again = add(base, [folder])
    assert counts(again) == (0, 0, 2)
    assert again.passages == 2


def test_what_changed_is_replaced(base: Home, folder: Path) -> None:
    add(base, [folder])
    (folder / "deep" / "varn.txt").write_text("Varn has 1,377 inhabitants.\n")
    assert counts(add(base, [folder])) == (0, 1, 1)
    assert texts(base, "inhabitants") == {"Varn has 1,377 inhabitants."}


def test_what_is_gone_is_dropped_when_its_folder_is_added_again(base: Home, folder: Path) -> None:
    other = folder.parent / "other.txt"
    other.write_text("Varn again.")
    add(base, [folder, other])
    (folder / "bridge.md").unlink()
    (folder / "deep" / "varn.txt").unlink()
    (folder / "new.txt").write_text("Alpha is new.")
    added = add(base, [folder])
    assert added.gone == (str(folder / "bridge.md"), str(folder / "deep" / "varn.txt"))
    assert texts(base) == {"Varn again.", "Alpha is new."}
    other.unlink()
    assert add(base, [other]).gone == (str(other),)


@pytest.mark.skipif(os.name == "nt", reason="links need a right of their own on Windows")
def test_a_link_that_leaves_the_folder_is_named_and_its_passages_go(
    base: Home, folder: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("The alpha key is 1234.")
    (folder / "key.txt").write_text("The alpha key was lost.")
    assert "The alpha key was lost." in texts_after(base, folder)
    (folder / "key.txt").unlink()
    (folder / "key.txt").symlink_to(secret)
    added = add(base, [folder])
    assert [str(error) for error in added.left_out] == [
        f"cannot read {folder / 'key.txt'}: it is a link that leaves the folder"
    ]
    assert added.gone == (str(folder / "key.txt"),)
    assert not any("alpha" in text for text in texts(base))


def texts_after(base: Home, folder: Path) -> set[str]:
    """All passages that share a word with the query, once the folder is added."""
    add(base, [folder])
    return texts(base)


@pytest.mark.slow
def test_what_cannot_be_read_is_left_out_and_named_and_the_rest_goes_on(
    base: Home, folder: Path
) -> None:
    (folder / "picture.png").write_bytes(bytes(range(256)) * 9)
    (folder / "empty.txt").write_text("")
    (folder / "cut.pdf").write_bytes(b"%PDF-1.4\n1 0 obj <</Type /Catalog /Pages 2 0")
    (folder / "cut.docx").write_bytes(b"PK\x03\x04word/document.xml")
    (folder / os.fsdecode(b"caf\xe9.txt")).write_text("Varn.")
    (folder / ".hidden.txt").write_text("Varn.")
    added = add(base, [folder])
    assert counts(added) == (2, 0, 0)
    assert len(added.left_out) == 5
    said = "\n".join(map(str, added.left_out))
    for name in ("picture.png", "empty.txt", "cut.pdf", "cut.docx", "caf"):
        assert name in said


def test_a_file_that_changes_while_it_is_read_is_read_again_next_time(
    base: Home, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    def meanwhile(path: Path) -> bytes:
        data = path.read_bytes()
        if path.name == "varn.txt":
            path.write_text("Alpha.")
        return data

    with monkeypatch.context() as patched:
        patched.setattr(file_import, "read_bytes", meanwhile)
        assert counts(add(base, [folder])) == (2, 0, 0)
    assert counts(add(base, [folder])) == (0, 1, 1)
    assert texts(base, "alpha Varn") == {"Alpha."}


def test_a_file_of_json_lines_is_left_out_with_a_remedy(base: Home, folder: Path) -> None:
    file = folder / "corpus.jsonl"
    file.write_text('{"text": "Alpha."}\n')
    added = add(base, [folder])
    (error,) = added.left_out
    assert str(file) in str(error)
    assert "write each document to its own file" in str(error)
    assert added.files == 2


def test_what_was_read_before_an_interruption_lasts(base: Home, tmp_path: Path) -> None:
    files = [tmp_path / f"{number}.txt" for number in range(3)]
    for number, file in enumerate(files):
        file.write_text(f"Varn {number}.")

    def stop(done: int, of: int, passages: int) -> None:
        if done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        add(base, files, watch=stop)
    assert len(texts(base)) == 1
    added = add(base, files)
    assert counts(added) == (2, 0, 1)
    assert added.passages == len(texts(base)) == 3


NAMES = st.sampled_from(["a.txt", "b.md", "deep/c.txt"])
WORDS = st.sampled_from(["alpha", "beta", "gamma", "delta"])
CHANGES = st.lists(
    st.tuples(NAMES, st.none() | st.lists(WORDS, max_size=3), st.booleans()), max_size=6
)


@pytest.mark.slow
@settings(max_examples=12)
@given(CHANGES)
def test_a_base_kept_up_to_date_holds_what_a_new_one_would(
    tmp_path_factory: pytest.TempPathFactory,
    changes: list[tuple[str, list[str] | None, bool]],
) -> None:
    root = tmp_path_factory.mktemp("root")
    docs = root / "docs"
    (docs / "deep").mkdir(parents=True)
    kept = home("kept", root / "bases")
    add(kept, [docs])
    for name, words, read in changes:
        file = docs / name
        if words is None:
            file.unlink(missing_ok=True)
        else:
            file.write_text(" ".join(words))
        if read:
            add(kept, [docs])
    again = add(kept, [docs])
    fresh = home("fresh", root / "bases")
    anew = add(fresh, [docs])
    assert (again.files, again.passages) == (anew.files, anew.passages)
    assert texts(kept) == texts(fresh)
