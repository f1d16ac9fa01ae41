"""Bases that were killed, damaged, or written to by two processes at once."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from halubot.errors import KnowledgeError
from halubot.evidence.knowledge.additions import add
from halubot.evidence.knowledge.bases import Home, home
from halubot.evidence.knowledge.local import LocalBase, _drop
from halubot.evidence.knowledge.named_bases import open_knowledge
from halubot.evidence.retrieval import passages
from halubot.text import read

LONG = "\n\n".join(f"Osby, part {n}. {'Osby is quiet. ' * 30}".strip() for n in range(20))
"""A text of many passages."""

KILLED = """
import os, signal, sys
from pathlib import Path
from halubot.evidence.knowledge import additions, local
from halubot.evidence.knowledge.bases import home

point, folder, docs = sys.argv[1:]

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
        local.LocalBase._make_tables = die
    case "created":
        additions._read = die
    case "between files":
        local.LocalBase.put = after(local.LocalBase.put, 3)
    case "in a long file":
        local.split_words = after(local.split_words, 12)
additions.add(home("notes", Path(folder)), [docs])
"""

ADDING = """
import sys
from pathlib import Path
from halubot.evidence.knowledge.additions import add
from halubot.evidence.knowledge.bases import home

folder, docs = sys.argv[1:]
add(home("notes", Path(folder)), [docs])
"""


@pytest.fixture
def bases(tmp_path: Path) -> Path:
    return tmp_path / "bases"


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """Some files, and one of several passages."""
    made = tmp_path / "docs"
    made.mkdir()
    for number in range(5):
        (made / f"{number}.txt").write_text(f"Varn has a house number {number}.")
    (made / "long.txt").write_text(LONG)
    return made


def found(bases: Path) -> list[str]:
    knowledge = open_knowledge("notes", folder=bases)
    return sorted(one.text for one in asyncio.run(knowledge.search("Varn Osby", 100)))


def expected() -> list[str]:
    texts = [f"Varn has a house number {number}." for number in range(5)]
    document = read(LONG)
    return sorted([*texts, *(LONG[start:end] for start, end in passages(document))])


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no kill -9 here")
@pytest.mark.parametrize(
    "point",
    ["begun", "created", "between files", "in a long file"],
)
def test_a_base_that_was_killed_opens_and_is_completed(bases: Path, docs: Path, point: str) -> None:
    command = [sys.executable, "-c", KILLED, point, str(bases), str(docs)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    with suppress(KnowledgeError):  # it may hold nothing yet
        assert set(found(bases)) <= set(expected())
    add(home("notes", bases), [docs])
    assert found(bases) == expected()


def test_two_processes_add_to_one_base(bases: Path, docs: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.txt").write_text("Varn too.")
    there = home("notes", bases)
    # Held while the other process begins, so that it has to wait.
    with LocalBase(there, write=True) as base, base.changing():
        second = subprocess.Popen([sys.executable, "-c", ADDING, str(bases), str(other)])
    assert add(there, [docs]).files >= 6
    assert second.wait() == 0
    assert found(bases) == sorted([*expected(), "Varn too."])


def test_a_search_goes_on_beside_a_change(bases: Path, docs: Path) -> None:
    there = home("notes", bases)
    add(there, [docs])
    with LocalBase(there, write=True) as base, base.changing() as table:
        _drop(table, str(docs / "0.txt"))
        assert found(bases) == expected()
    assert len(found(bases)) == len(expected()) - 1


@pytest.mark.skipif(not hasattr(os, "geteuid") or not os.geteuid(), reason="root may write")
def test_a_base_that_may_only_be_read_is_searched(bases: Path, docs: Path) -> None:
    there = home("notes", bases)
    add(there, [docs])
    there.folder.chmod(0o500)
    assert found(bases) == expected()
    there.folder.chmod(0o700)


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
    data = (whole / "base.db").read_bytes()
    told = 0
    for harm in (data[: len(data) // 2], data[:5_000], data[::-1], b"\0" * len(data)):
        shutil.rmtree(there.folder)
        shutil.copytree(whole, there.folder)
        there.file.write_bytes(harm)
        for outcome in damaged(there, docs):
            assert outcome in right or "'notes'" in outcome, outcome
            assert "\n" not in outcome
            told += "build it again: halubot knowledge remove notes" in outcome
    assert told > 4
    there.remove()
    assert add(there, [docs]).left_out == ()


def test_a_base_of_another_version_is_named_as_such(bases: Path, docs: Path) -> None:
    there = home("notes", bases)
    add(there, [docs])
    with LocalBase(there, write=True) as base, base.changing() as table:
        table.execute("PRAGMA user_version = 99")
    with pytest.raises(KnowledgeError, match="made by another version of halubot"):
        found(bases)
    with pytest.raises(KnowledgeError, match="made by another version of halubot"):
        add(there, [docs])
