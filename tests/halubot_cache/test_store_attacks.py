"""A store that somebody wrote into runs nothing, reads no other file and deletes none."""

import os
import pickle
import sqlite3
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from halubot_cache import Request, Store, StoreError
from tests.kept import take

MODES = {"raw": 1, "binary": 2, "text": 3, "pickle": 4}


class Payload:
    """Leaves a file where it is unpickled."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return os.mkdir, (str(self.trace),)


def trace_of(folder: Path) -> Path:
    """What exists once a payload ran."""
    return folder.parent / "it-ran"


@pytest.fixture
def pickled(folder: Path) -> bytes:
    """Bytes that run when they are unpickled, as is shown first."""
    trace = trace_of(folder)
    payload = pickle.dumps(Payload(trace))
    pickle.loads(payload)  # noqa: S301
    trace.rmdir()
    return payload


@pytest.fixture
def filled(folder: Path, request_: Request) -> Path:
    """A store with three completions, closed."""
    with Store.open(folder) as store:
        for index in range(3):
            store.put(request_, index, {"text": str(index)})
    return folder


@contextmanager
def rewriting(folder: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(folder / "cache.db")) as connection, connection:
        yield connection


def used(folder: Path, request: Request) -> tuple[str, ...]:
    """Do all that reads or writes rows; what the store says about it."""
    with Store.open(folder) as store:
        store.get(request, 0)
        take(store, request, 9)
        store.stats()
        store.record(folder.parent / "out.jsonl", [(request, 0)])
        store.put(request, 0, {"text": "new"})
        store.clear(model="another")
        store.forget("somebody")
        store.clear()
        return tuple(problem.why for problem in store.problems)


@pytest.mark.parametrize("inline", [True, False])
@pytest.mark.parametrize("mode", [*MODES.values(), 5, None, "4", 4.5])
def test_a_row_rewritten_to_a_pickle_never_runs(
    filled: Path, request_: Request, pickled: bytes, *, mode: object, inline: bool
) -> None:
    (filled / "00").mkdir()
    (filled / "00" / "evil.val").write_bytes(pickled)
    with rewriting(filled) as connection:
        connection.execute(
            "UPDATE Cache SET mode = ?, value = ?, filename = ?",
            (mode, pickled if inline else None, None if inline else "00/evil.val"),
        )
    with Store.open(filled) as store:
        assert store.get(request_, 0) is None
        assert len(take(store, request_)) == 0
        assert store.stats().damaged == 3
        assert [problem.why for problem in store.problems] == [
            "entries were damaged; they do not count"
        ]
        # a damaged row makes room for what is drawn again
        assert store.put(request_, 0, {"text": "again"})
        assert store.get(request_, 0) == {"text": "again"}
    used(filled, request_)
    assert not trace_of(filled).exists()
    assert (filled / "00" / "evil.val").exists()


def test_a_pickled_key_or_tag_never_runs(filled: Path, request_: Request, pickled: bytes) -> None:
    with rewriting(filled) as connection:
        connection.execute(
            "UPDATE Cache SET key = ?, raw = 0, tag = ? WHERE rowid = 1", (pickled, pickled)
        )
        connection.execute("UPDATE Cache SET key = ?, tag = 7 WHERE rowid = 2", (pickled,))
    with Store.open(filled) as store:
        stats = store.stats()
        assert (stats.completions, stats.damaged) == (1, 2)
    used(filled, request_)
    assert not trace_of(filled).exists()


@pytest.mark.parametrize("mode", MODES.values())
def test_no_file_outside_is_read_or_deleted(
    filled: Path, tmp_path: Path, request_: Request, mode: int
) -> None:
    victim = tmp_path / "victim"
    victim.write_text('{"completion": {"text": "private"}}')
    with rewriting(filled) as connection:
        connection.execute(
            "UPDATE Cache SET mode = ?, value = NULL, filename = '../victim'", (mode,)
        )
    used(filled, request_)
    assert "private" in victim.read_text()
    assert "private" not in (tmp_path / "out.jsonl").read_text()


@pytest.mark.parametrize(
    "value",
    [
        "",
        "[]",
        "null",
        "{",
        '{"a": 1}',
        '{"key": 1}',
        "[" * 100_000,
        7,
        7.5,
        b"\x80\x04K\x01.",
        None,
    ],
)
def test_a_value_that_the_store_did_not_write_does_not_count(
    filled: Path, request_: Request, value: object
) -> None:
    with rewriting(filled) as connection:
        connection.execute("UPDATE Cache SET value = ? WHERE rowid = 2", (value,))
    with Store.open(filled) as store:
        assert len(take(store, request_)) == 1
        assert store.get(request_, 2) == {"text": "2"}
        assert len(store.problems) == 1
        assert store.put(request_, 1, {"text": "again"})
        assert len(take(store, request_)) == 3


def test_another_programs_database_is_refused_untouched(folder: Path) -> None:
    Store.open(folder).close()
    with rewriting(folder) as connection:
        connection.execute("PRAGMA user_version = 0")
    with pytest.raises(StoreError, match="is not halubot's"):
        Store.open(folder)
    assert (folder / "cache.db").exists()


def test_a_newer_store_is_refused_untouched(filled: Path, request_: Request) -> None:
    with rewriting(filled) as connection:
        connection.execute("CREATE TABLE Novelty (a)")
        connection.execute("PRAGMA user_version = 2")
    with pytest.raises(StoreError, match=r"newer halubot \(format 2, known up to 1\)"):
        Store.open(filled)
    with rewriting(filled) as connection:
        assert connection.execute("SELECT COUNT(*) FROM Cache").fetchone() == (3,)
        connection.execute("DROP TABLE Novelty")
        connection.execute("PRAGMA user_version = 1")
    with Store.open(filled) as store:
        assert len(take(store, request_)) == 3


posix = pytest.mark.skipif(sys.platform == "win32", reason="modes and owners are POSIX's")


@posix
def test_a_loose_umask_opens_nothing(tmp_path: Path, request_: Request) -> None:
    folder = tmp_path / "deep" / "store"
    before = os.umask(0)
    try:
        with Store.open(folder) as store:
            store.put(request_, 0, {"text": "a"})
            modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()}
            store.clear()
    finally:
        os.umask(before)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert set(modes.values()) == {0o600}
    assert len(modes) == 4


@posix
def test_what_stood_open_is_closed_and_told(filled: Path, request_: Request) -> None:
    filled.chmod(0o755)
    for name in ("cache.db", "halubot.lock"):
        (filled / name).chmod(0o666)
    with Store.open(filled) as store:
        assert len(take(store, request_)) == 3
    assert [problem.why for problem in store.problems] == [
        "others had access to it (mode 755), no more"
    ]
    assert stat.S_IMODE(filled.stat().st_mode) == 0o700
    assert stat.S_IMODE((filled / "cache.db").stat().st_mode) == 0o600
    assert stat.S_IMODE((filled / "halubot.lock").stat().st_mode) == 0o600


@posix
def test_a_folder_of_another_user_is_refused(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    with pytest.raises(StoreError, match="belongs to another user"):
        Store.open(filled)


def test_a_folder_with_other_things_is_refused_untouched(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(StoreError, match="holds other things"):
        Store.open(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["letter.txt"]
    if sys.platform != "win32":
        assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755
