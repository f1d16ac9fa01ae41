"""The store of several machines, in a real PostgreSQL: who is first, who can read, what fails."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from halubot_cache import Problem, Request, SharedStoreError, Store, UnavailableError, far
from halubot_cache.far import Cipher, Shared, make_key, set_up
from halubot_cache.folder import SHARED
from tests.postgres import Postgres, find_programs, postgres

psycopg = pytest.importorskip("psycopg")
pytestmark = pytest.mark.skipif(find_programs() is None, reason="PostgreSQL is not installed")

ASKED = Request.of(endpoint="there", model="m", messages=[{"role": "user", "content": "secret"}])


@pytest.fixture(scope="module")
def running() -> Iterator[Postgres]:
    with postgres() as server:
        yield server


@pytest.fixture
def server(running: Postgres) -> Postgres:
    with psycopg.connect(running.url) as connection:
        connection.execute("DROP TABLE IF EXISTS halubot_store, halubot_completions")
    return running


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "team.key"
    make_key(path)
    return path


Opener = Callable[..., Store]


@pytest.fixture
def machine(
    server: Postgres, key: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Opener]:
    """Opens the store of a machine by its name, which shares; patient, for a slow machine."""
    monkeypatch.setattr(far, "ANSWER_SECONDS", 20.0)
    with ExitStack() as stack:

        def make(name: str, *, encrypt: bool = False, **more: Any) -> Store:
            shared = Shared(server.url, str(key), encrypt)
            set_up(shared)
            folder = tmp_path / name
            Store.open(folder).close()
            shared.write(folder)
            return stack.enter_context(Store.open(folder, **more))

        yield make


def rows(server: Postgres) -> list[tuple[Any, ...]]:
    with psycopg.connect(server.url) as connection:
        found: list[tuple[Any, ...]] = connection.execute(
            "SELECT key, owners, value FROM halubot_completions"
        ).fetchall()
        return found


@pytest.mark.parametrize("encrypt", [False, True])
def test_what_one_machine_stored_another_reads(
    machine: Opener, server: Postgres, encrypt: bool
) -> None:
    one, other = (machine(name, encrypt=encrypt) for name in ("one", "other"))
    assert one.put(ASKED, 0, {"text": "fine"})
    assert other.get(ASKED, 0) == {"text": "fine"}
    assert other.get(ASKED, 1) is None
    ((place, owners, value),) = rows(server)
    told = b"".join([place, *owners, value])
    assert b"secret" not in told
    assert b"default" not in told
    assert (b"fine" in told) is not encrypt


def test_the_first_counts_everywhere(machine: Opener, server: Postgres) -> None:
    one, other = machine("one"), machine("other")
    assert one.put(ASKED, 0, {"text": "first"})
    assert other.put(ASKED, 0, {"text": "second"})
    assert one.get(ASKED, 0) == other.get(ASKED, 0) == {"text": "first"}
    assert len(rows(server)) == 1


def test_what_is_near_is_not_asked_for_far(machine: Opener, server: Postgres) -> None:
    one, other = machine("one"), machine("other")
    one.put(ASKED, 0, {"text": "fine"})
    other.get(ASKED, 0)
    with psycopg.connect(server.url) as connection:
        connection.execute("DELETE FROM halubot_completions")
    assert other.get(ASKED, 0) == {"text": "fine"}


def test_namespaces_share_nothing(machine: Opener) -> None:
    one, other = machine("one", namespace="discord:1"), machine("other", namespace="discord:2")
    one.put(ASKED, 0, {"text": "fine"})
    assert other.get(ASKED, 0) is None


def test_forgetting_deletes_near_and_far(machine: Opener, server: Postgres) -> None:
    one = machine("one", namespace="discord:1:2")
    one.put(ASKED, 0, {"text": "fine"})
    one.within("discord:1:3").put(ASKED, 0, {"text": "fine"})
    one.within("discord:10:2").put(ASKED, 0, {"text": "fine"})
    assert one.forget("discord:1:2") == 1
    assert len(rows(server)) == 2
    assert one.get(ASKED, 0) is None
    one.forget("discord:1")
    assert len(rows(server)) == 1


def test_a_stranger_can_neither_write_nor_move_a_value(
    machine: Opener, server: Postgres, tmp_path: Path
) -> None:
    one = machine("one")
    one.put(ASKED, 0, {"text": "fine"})
    one.put(ASKED, 1, {"text": "well"})
    (first, second) = sorted(row[0] for row in rows(server))
    with psycopg.connect(server.url) as connection:
        found = connection.execute("SELECT value FROM halubot_completions WHERE key = %s", (first,))
        ((value,),) = found.fetchall()
        change = "UPDATE halubot_completions SET value = %s WHERE key = %s"
        connection.execute(change, (value, second))
        connection.execute(change, (bytes(value).replace(b"text", b"tent"), first))
    heard: list[Problem] = []
    other = machine("other", warn=heard.append)
    assert other.get(ASKED, 0) is None
    assert other.get(ASKED, 1) is None
    assert [one.what for one in heard] == ["the shared store"]
    assert other.put(ASKED, 0, {"text": "mine"})
    assert other.get(ASKED, 0) == {"text": "mine"}


def test_another_key_is_of_another_team(machine: Opener, server: Postgres, tmp_path: Path) -> None:
    machine("one")
    stranger = tmp_path / "stranger.key"
    make_key(stranger)
    with pytest.raises(SharedStoreError, match="another key"):
        set_up(Shared(server.url, str(stranger)))


@pytest.mark.slow
def test_a_server_that_is_killed_is_done_without_and_found_again(
    machine: Opener, server: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(far, "REST_SECONDS", 0.0)
    heard: list[Problem] = []
    one = machine("one", warn=heard.append)
    one.put(ASKED, 0, {"text": "fine"})
    server.kill()
    try:
        for index in range(1, 6):
            assert one.put(ASKED, index, {"text": str(index)})
            assert one.get(ASKED, index) == {"text": str(index)}
        assert [problem.what for problem in heard] == ["the shared store"]
        with pytest.raises(UnavailableError, match="nothing was deleted"):
            one.forget("default")
        assert one.get(ASKED, 0) == {"text": "fine"}
    finally:
        server.start()
    one.put(ASKED, 6, {"text": "back"})
    assert machine("other").get(ASKED, 6) == {"text": "back"}


def test_a_server_that_hangs_is_left_alone(
    machine: Opener, server: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[Problem] = []
    one = machine("one", warn=heard.append)
    one.put(ASKED, 0, {"text": "fine"})
    monkeypatch.setattr(far, "ANSWER_SECONDS", 0.05)
    server.signal(signal.SIGSTOP)
    try:
        for index in range(1, 30):  # each would wait, if it asked
            assert one.put(ASKED, index, {"text": str(index)})
    finally:
        server.signal(signal.SIGCONT)
    assert [problem.what for problem in heard] == ["the shared store"]
    assert "0.05" in heard[0].why


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("postgresql://db.example/x?sslmode=prefer", "TLS"),
        ("postgresql://127.0.0.1,db.example/x?sslmode=disable", "TLS"),
        ("postgresql:///x", "machine"),
        ("http://127.0.0.1/x", "address"),
    ],
)
def test_no_text_goes_to_another_machine_in_the_clear(key: Path, url: str, why: str) -> None:
    with pytest.raises(SharedStoreError, match=why):
        set_up(Shared(url, str(key)))


def test_a_key_is_for_its_owner_alone_and_never_overwritten(key: Path) -> None:
    assert key.stat().st_mode & 0o077 == 0
    with pytest.raises(FileExistsError):
        make_key(key)
    key.write_text("halubot-team-key-1:abcd\n")
    with pytest.raises(SharedStoreError, match="no key"):
        Cipher.read(key, encrypt=False)


def test_nothing_is_loaded_without_a_shared_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with Store.open(tmp_path / "one") as store:
        store.put(ASKED, 0, {"text": "fine"})
    assert not (tmp_path / "one" / SHARED).exists()
