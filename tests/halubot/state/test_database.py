"""A base upgrades itself, is shared by threads and processes, and says what is wrong with it."""

from __future__ import annotations

import os
import signal
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.errors import StateError
from halubot.state import Base, DamagedStateError, NewerStateError, Upgrade, set_aside

FIRST: Upgrade = ("CREATE TABLE word (id INTEGER PRIMARY KEY, said TEXT NOT NULL)",)
SECOND: Upgrade = (
    "ALTER TABLE word ADD COLUMN loud TEXT NOT NULL DEFAULT ''",
    "UPDATE word SET loud = upper(said)",
)

SPEAKER = """
import sys
from pathlib import Path
from halubot.state import Base
base = Base(Path(sys.argv[1]), [("CREATE TABLE word (id INTEGER PRIMARY KEY, said TEXT)",)])
for number in range(int(sys.argv[2])):
    with base.change() as changing:
        changing.execute("INSERT INTO word (said) VALUES (?)", (f"{sys.argv[3]}{number}",))
    print(number, flush=True)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "kept" / "words.db"


def say(base: Base, said: str) -> None:
    with base.change() as changing:
        changing.execute("INSERT INTO word (said) VALUES (?)", (said,))


def said(base: Base) -> list[str]:
    with base.read() as reading:
        return [row[0] for row in reading.execute("SELECT said FROM word ORDER BY id")]


def test_what_was_changed_is_there_when_the_base_is_opened_again(path: Path) -> None:
    with Base(path, [FIRST]) as base:
        say(base, "one")
    with Base(path, [FIRST]) as base:
        assert said(base) == ["one"]


def test_the_folder_and_the_file_are_their_owners_alone(path: Path) -> None:
    Base(path, [FIRST]).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_an_upgrade_keeps_what_is_there_and_is_done_once(path: Path) -> None:
    with Base(path, [FIRST]) as base:
        say(base, "one")
    for _ in range(2):
        with Base(path, [FIRST, SECOND]) as base, base.read() as reading:
            assert reading.execute("SELECT said, loud FROM word").fetchall() == [("one", "ONE")]


def test_an_upgrade_that_fails_leaves_the_version_before_it_whole(path: Path) -> None:
    with Base(path, [FIRST]) as base:
        say(base, "one")
    with pytest.raises(StateError):
        Base(path, [FIRST, (SECOND[0], "INSERT INTO nowhere VALUES (1)")])
    with Base(path, [FIRST]) as base:
        assert said(base) == ["one"]
    Base(path, [FIRST, SECOND]).close()


def test_a_base_of_a_newer_halubot_is_refused_and_not_touched(path: Path) -> None:
    Base(path, [FIRST, SECOND]).close()
    before = path.read_bytes()
    with pytest.raises(NewerStateError, match=r"version 2, known up to 1.*update halubot"):
        Base(path, [FIRST])
    assert path.read_bytes() == before


def test_a_change_that_raises_is_not_made(path: Path) -> None:
    with Base(path, [FIRST]) as base:
        with pytest.raises(sqlite3.IntegrityError), base.change() as changing:
            changing.executemany("INSERT INTO word (said) VALUES (?)", [("half",), (None,)])
        say(base, "whole")
        assert said(base) == ["whole"]


def test_processes_that_begin_one_base_at_once_all_write_to_it(path: Path) -> None:
    command = [sys.executable, "-c", SPEAKER, str(path), "15"]
    speakers = [
        subprocess.Popen([*command, name], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        for name in "abc"
    ]
    failures = [speaker.communicate()[1] for speaker in speakers]
    assert failures == [b"", b"", b""]
    with Base(path, [FIRST]) as base:
        assert sorted(said(base)) == sorted(f"{name}{n}" for name in "abc" for n in range(15))


@pytest.mark.skipif(os.name == "nt", reason="kills as POSIX does")
def test_what_a_killed_process_was_told_is_kept_is_kept(path: Path) -> None:
    command = [sys.executable, "-c", SPEAKER, str(path), "100000", "n"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as speaker:
        assert speaker.stdout is not None
        for line in speaker.stdout:
            if int(line) == 20:
                break
        speaker.send_signal(signal.SIGKILL)
        told = [20, *(int(line) for line in speaker.stdout if line.endswith("\n"))]
    with Base(path, [FIRST]) as base:
        kept = said(base)
    assert kept[: told[-1] + 1] == [f"n{number}" for number in range(told[-1] + 1)]
    assert len(kept) <= told[-1] + 2


@pytest.mark.parametrize(
    "content",
    [b"this is no base at all, but a note somebody left\n" * 40, b"SQLite format 3\0" * 9],
)
def test_a_file_that_is_no_base_is_refused_and_kept(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(DamagedStateError, match="set it aside"):
        Base(path, [FIRST])
    assert path.read_bytes() == content


def test_a_base_cut_in_half_says_so(path: Path) -> None:
    with Base(path, [FIRST]) as base:
        for number in range(200):
            say(base, f"{number}" * 50)
        base.scrub()
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(DamagedStateError), Base(path, [FIRST]) as base:
        said(base)


def test_a_damaged_base_is_set_aside_whole_and_a_fresh_one_begun(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"broken")
    path.with_name("words.db-wal").write_bytes(b"its log")
    aside = set_aside(path)
    assert aside.read_bytes() == b"broken"
    assert aside.with_name(f"{aside.name}-wal").read_bytes() == b"its log"
    with Base(path, [FIRST]) as base:
        say(base, "fresh")
        assert said(base) == ["fresh"]
    with pytest.raises(StateError):
        set_aside(path.with_name("missing.db"))


def test_a_full_disk_is_told_and_what_was_saved_stays(path: Path) -> None:
    with Base(path, [FIRST]) as base:
        say(base, "kept")
        base._connection.execute("PRAGMA max_page_count = 4")
        with pytest.raises(StateError, match="disk is full: free some space"):
            say(base, "x" * 100_000)
        assert said(base) == ["kept"]


def test_what_was_deleted_is_nowhere_on_the_disk(path: Path) -> None:
    with Base(path, [FIRST]) as base:
        say(base, "a very private word")
        with base.change() as changing:
            changing.execute("DELETE FROM word")
        base.scrub()
        for file in path.parent.iterdir():
            assert b"private" not in file.read_bytes()


@pytest.mark.slow
@given(st.lists(st.integers(1, 5), min_size=1, max_size=6))
def test_any_way_through_the_versions_ends_the_same(
    tmp_path_factory: pytest.TempPathFactory, stops: list[int]
) -> None:
    insert = ("INSERT INTO word (said) SELECT 2 + count(*) FROM word",)
    upgrades: list[Upgrade] = [FIRST, *[insert] * 4]
    path = tmp_path_factory.mktemp("base") / "words.db"
    for stop in sorted(stops):
        with Base(path, upgrades[:stop]) as base:
            assert said(base) == [str(number) for number in range(2, stop + 1)]
