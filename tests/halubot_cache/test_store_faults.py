"""Broken files, full disks and folders that cannot be written cost completions, not the work."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from halubot_cache import Request, Store
from halubot_cache.database import examine
from tests.kept import take

FRESH = "a fresh one was begun"


@pytest.fixture
def filled(folder: Path, request_: Request) -> Path:
    """A store with 200 completions of a page each, closed."""
    with Store.open(folder) as store:
        for index in range(200):
            store.put(request_, index, {"text": "x" * 4000})
    return folder


def asides(folder: Path) -> list[Path]:
    return sorted(folder.glob("damaged-*"))


def works(store: Store, request: Request) -> bool:
    return store.put(request, 500, {"text": "a"}) and store.get(request, 500) == {"text": "a"}


@pytest.mark.parametrize("junk", [b"not a database " * 500, b"SQLite format 3\0" + b"\xff" * 9000])
def test_a_file_that_is_no_database_is_moved_aside(
    filled: Path, request_: Request, junk: bytes
) -> None:
    (filled / "cache.db").write_bytes(junk)
    with Store.open(filled) as store:
        assert store.get(request_, 0) is None
        assert works(store, request_)
    (problem,) = store.problems
    assert FRESH in problem.why
    (aside,) = asides(filled)
    assert aside.name in problem.why
    assert (aside / "cache.db").read_bytes() == junk
    with Store.open(filled) as store:
        assert store.get(request_, 500) == {"text": "a"}
        assert store.problems == ()


def test_damage_met_on_the_way_is_moved_aside(filled: Path, request_: Request) -> None:
    content = bytearray((filled / "cache.db").read_bytes())
    with Store.open(filled) as store:
        assert len(take(store, request_)) == 200
    # all but the tables' own page and the settings
    content[4096 * 6 :] = b"\xa5" * (len(content) - 4096 * 6)
    (filled / "cache.db").write_bytes(content)
    with Store.open(filled) as store:
        assert take(store, request_, 200) == []
        for index in range(200):
            store.put(request_, index, {"text": "again"})
        assert len(take(store, request_)) == 200
    assert [FRESH in problem.why for problem in store.problems] == [True]
    assert len(asides(filled)) == 1


@pytest.fixture
def unprivileged() -> Iterator[Path]:
    """A folder of a user whom the system refuses things: root is refused nothing."""
    if sys.platform == "win32":
        pytest.skip("modes and users are POSIX's")
    with tempfile.TemporaryDirectory() as away:
        if os.geteuid() != 0:
            yield Path(away)
            return
        os.chown(away, 65534, 65534)
        os.seteuid(65534)
        try:
            yield Path(away)
        finally:
            os.seteuid(0)


def test_a_read_only_folder_is_done_without(unprivileged: Path, request_: Request) -> None:
    folder = unprivileged / "store"
    with Store.open(folder) as store:
        store.put(request_, 0, {"text": "a"})
    for mode in (0o500, 0o000):
        folder.chmod(mode)
        with Store.open(folder) as store:
            for index in range(1, 4):
                assert store.get(request_, index) is None
                assert not store.put(request_, index, {"text": "a"})
        (problem,) = store.problems
        assert problem.why.startswith("going on without it: ")
    folder.chmod(0o700)
    with Store.open(folder) as store:
        assert store.get(request_, 0) == {"text": "a"}
        assert asides(folder) == []


FULL = """
import resource, signal, sys
from halubot_cache import Request, Store
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
request = Request.of(endpoint="", model="m", messages=[])
store = Store.open(sys.argv[1])
assert all(store.put(request, index, {"text": "x" * 9000}) for index in range(9))
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
kept = [store.put(request, index, {"text": "y" * 9000}) for index in range(9, 99)]
assert not kept[-1] and kept == sorted(kept, reverse=True), kept
# what is there can still be had
assert all(store.get(request, index) is not None for index in range(9 + sum(kept)))
assert [p.why.split(":")[0] for p in store.problems] == ["nothing more is kept"], store.problems
print(9 + sum(kept))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits are POSIX's")
def test_a_full_disk_is_done_without_and_told_once(folder: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", FULL, str(folder)], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    request = Request.of(endpoint="", model="m", messages=[])
    with Store.open(folder) as store:
        assert len(take(store, request)) == int(ran.stdout)
        assert asides(folder) == []
        assert works(store, request)


def damage(path: Path) -> None:
    """Overwrites a page in the middle of a file."""
    content = bytearray(path.read_bytes())
    middle = len(content) // 8192 * 4096
    content[middle : middle + 4096] = b"\xa5" * 4096
    path.write_bytes(content)


@pytest.fixture
def paid_for(folder: Path, request_: Request) -> Path:
    """A store with 600 answers that were paid for, closed."""
    with Store.open(folder) as store:
        for index in range(600):
            store.put(request_, index, {"text": f"answer {index} " + "and more " * 60})
    return folder


def test_what_can_be_read_of_a_damaged_store_is_saved(paid_for: Path, request_: Request) -> None:
    damage(paid_for / "cache.db")
    assert examine(paid_for) is not None
    with Store.open(paid_for) as store:
        kept = {index: store.get(request_, index) for index in range(600)}
        found = {index: answer for index, answer in kept.items() if answer is not None}
        *_, problem = store.problems  # damaged rows were met before damaged pages
    assert len(found) > 100  # SQLite reads from both ends, each up to a page that is damaged
    assert all(str(answer["text"]).startswith(f"answer {at} ") for at, answer in found.items())
    assert "answers that could be read" in problem.why
    assert examine(paid_for) is None


def test_what_was_forgotten_does_not_come_back(paid_for: Path, request_: Request) -> None:
    with Store.open(paid_for, namespace="discord:1") as store:
        for index in range(50):
            store.put(request_, index, {"text": "mine " * 2000})
        assert store.forget("discord:1") == 50
    damage(paid_for / "cache.db")
    with Store.open(paid_for) as store:
        assert store.get(request_, 0) is not None
        assert store.stats().namespaces.keys() == {"default"}
