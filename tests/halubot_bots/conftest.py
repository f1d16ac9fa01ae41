"""A PostgreSQL for the tests of a bot's shared ledger: one a module, empty for each test."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from tests.postgres import find_programs, postgres


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    """The address of a server; skips where there is none."""
    if find_programs() is None or find_spec("psycopg") is None:
        pytest.skip("PostgreSQL is missing")
    with postgres() as server:
        yield server.url


@pytest.fixture
def ledger(database: str) -> str:
    """The address of a database without a ledger in it."""
    import psycopg

    with psycopg.connect(database) as connection:
        connection.execute("DROP SCHEMA IF EXISTS halubot_bots CASCADE")
    return database
