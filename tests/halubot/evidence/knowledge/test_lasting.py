"""Bases that were killed, damaged, or written to by two processes at once."""

from __future__ import annotations

import asyncio
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from halubot.errors import KnowledgeError
from halubot.evidence.knowledge.additions import add
from halubot.evidence.knowledge.bases import Home, home
from halubot.evidence.knowledge.index import PassageIndex
from halubot.evidence.knowledge.named_bases import open_knowledge

COUNT = 30

KILLED = """
import os, signal, sys
from pathlib import Path
from halubot.evidence.knowledge import additions, additions as file_import, index
from halubot.evidence.knowledge.bases import home

point, folder, docs = sys.argv[1:]
file_import.COMMIT_SECONDS = 0.0
file_import.TOGETHER = 4

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

def after(original, calls):
    left = iter(range(calls))
    def work(*given, **named):
        made = original(*given, **named)
        if next(left, None) is None:
            die()
        return made
    return work

match point:
    case "begun":
        additions.PassageIndex.create = die
    case "created":
        additions.Filing = die
    case "half":
        index.Writer.drop = after(index.Writer.drop, 3)
    case "before a commit":
        index.Writer.commit = die
    case "after a commit":
        index.Writer.commit = after(index.Writer.commit, 2)
    case "in a file of lines":
        index.Writer.add = after(index.Writer.add, 4)
additions.add(home("notes", Path(folder)), [docs])
"""

WAITING = """
import sys
from pathlib import Path
from halubot.evidence.knowledge.additions import add
from halubot.evidence.knowledge.bases import home

folder, docs = sys.argv[1:]
added = add(home("notes", Path(folder)), [docs], wait=lambda: print("waiting", flush=True))
print(added.files, flush=True)
"""


@pytest.fixture
def bases(tmp_path: Path) -> Path:
    return tmp_path / "bases"


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """Some files, and one of lines."""
    made = tmp_path / "docs"
    made.mkdir()
    for number in range(5):
        (made / f"{number}.txt").write_text(f"Varn has a house number {number}.")
    lines = (f'{{"text": "Osby, line {number}."}}\n' for number in range(COUNT))
    (made / "lines.jsonl").write_text("".join(lines))
    return made


def found(bases: Path) -> list[str]:
    knowledge = open_knowledge("notes", folder=bases)
    return sorted(one.text for one in asyncio.run(knowledge.search("Varn Osby", 100)))


def expected() -> list[str]:
    texts = [f"Varn has a house number {number}." for number in range(5)]
    return sorted([*texts, *(f"Osby, line {number}." for number in range(COUNT))])


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no kill -9 here")
@pytest.mark.parametrize(
    "point",
    ["begun", "created", "half", "before a commit", "after a commit", "in a file of lines"],
)
def test_a_base_that_was_killed_opens_and_is_completed(bases: Path, docs: Path, point: str) -> None:
    command = [sys.executable, "-c", KILLED, point, str(bases), str(docs)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    if PassageIndex.exists(home("notes", bases).index):
        assert set(found(bases)) <= set(expected())
    add(home("notes", bases), [docs])
    assert found(bases) == expected()


def test_two_processes_add_to_one_base_one_after_the_other(
    bases: Path, docs: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.txt").write_text("Varn too.")
    there = home("notes", bases)
    with there.lock(lambda: None):
        second = subprocess.Popen(
            [sys.executable, "-c", WAITING, str(bases), str(other)],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert second.stdout is not None
        assert second.stdout.readline() == "waiting\n"
    assert add(there, [docs]).files >= 6
    out, _ = second.communicate()
    assert second.returncode == 0
    assert int(out) >= 1
    assert found(bases) == sorted([*expected(), "Varn too."])


def damaged(there: Home, docs: Path) -> list[str]:
    """What is found, or what is told in its place, by searching, and by adding once more."""
    outcomes = []
    try:
        outcomes.append(repr(found(there.folder.parent)))
    except KnowledgeError as error:
        outcomes.append(str(error))
    try:
        (docs / "new.txt").write_text("Varn is new.")
        outcomes.append(repr(add(there, [docs]).left_out))
    except KnowledgeError as error:
        outcomes.append(str(error))
    return outcomes


@pytest.mark.slow
def test_a_base_cut_in_half_is_told_in_one_line_and_can_be_built_again(
    bases: Path, docs: Path, tmp_path: Path
) -> None:
    there = home("notes", bases)
    add(there, [docs])
    right = {repr(expected()), "()"}
    whole = tmp_path / "whole"
    shutil.copytree(there.folder, whole)
    files = sorted(file.relative_to(whole) for file in whole.rglob("*") if file.is_file())
    assert len(files) > 8
    told = 0
    for name in files:
        data = (whole / name).read_bytes()
        for harm in (data[: len(data) // 2], b"", b"\0" * len(data), None):
            shutil.rmtree(there.folder)
            shutil.copytree(whole, there.folder)
            if harm is None:
                (there.folder / name).unlink()
            else:
                (there.folder / name).write_bytes(harm)
            for outcome in damaged(there, docs):
                assert outcome in right or "'notes'" in outcome, (name, outcome)
                assert "\n" not in outcome
                told += "build it again: halubot knowledge remove notes" in outcome
    assert told > len(files)
    there.remove()
    assert add(there, [docs]).left_out == ()


def test_a_base_of_another_version_is_named_as_such(bases: Path, docs: Path) -> None:
    there = home("notes", bases)
    add(there, [docs])
    (there.folder / "base.json").write_text('{"format": 99, "paths": []}')
    with pytest.raises(KnowledgeError, match="made by another version of halubot"):
        found(bases)
