"""`halubot store`: a store that machines share."""

from __future__ import annotations

from pathlib import Path

import pytest

from halubot_cache import Request, Store
from tests.halubot.cli.calling import Halubot
from tests.postgres import find_programs, postgres

ASKED = Request.of(endpoint="there", model="m", messages=[{"role": "user", "content": "?"}])


@pytest.mark.slow
@pytest.mark.skipif(find_programs() is None, reason="PostgreSQL is not installed")
def test_two_machines_share_until_one_stops(halubot: Halubot, files: Path) -> None:
    pytest.importorskip("psycopg")
    key = files / "team.key"
    with postgres() as server:
        address = server.url.replace("halubot@", "halubot:word@")
        ended = halubot("store", "share", address, "--key", key, "--store", "one")
        assert (ended.status, ended.err) == (0, "")
        assert "the other machines need the same file" in ended.out
        assert "word" not in ended.out
        ended = halubot("store", "share", address, "--key", key, "--store", "two", "--encrypt")
        assert "was made" not in ended.out
        ended = halubot("store", "share", address, "--key", "other.key", "--store", "three")
        assert ended.status == 2
        assert "another key" in ended.err
        assert not (files / "other.key").exists()
        with Store.open(files / "one") as one, Store.open(files / "two") as two:
            one.put(ASKED, 0, {"text": "fine"})
            assert two.get(ASKED, 0) == {"text": "fine"}
            assert two.problems == ()
        assert "127.0.0.1" in halubot("store", "share", "--store", "one").out
        halubot("store", "unshare", "--store", "one")
        assert "othing is shared" in halubot("store", "share", "--store", "one").out
        with Store.open(files / "one") as one:
            assert one.get(ASKED, 0) == {"text": "fine"}


@pytest.mark.parametrize("address", ["postgresql:///x", "postgresql://db.example/x?sslmode=allow"])
def test_an_address_that_cannot_be_used_leaves_nothing(
    halubot: Halubot, files: Path, address: str
) -> None:
    pytest.importorskip("psycopg")
    ended = halubot("store", "share", address, "--key", "team.key", "--store", "one")
    assert ended.status == 2
    assert not (files / "team.key").exists()
    assert not (files / "one").exists()
