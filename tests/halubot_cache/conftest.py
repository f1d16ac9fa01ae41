"""What the tests of the store share."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from halubot_cache import Request

MEMORY = Path("/dev/shm")  # noqa: S108


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """A folder in memory where the platform has such: a store waits for its disk otherwise."""
    fast = MEMORY.is_dir() and os.access(MEMORY, os.W_OK)
    with tempfile.TemporaryDirectory(dir=MEMORY if fast else None) as away:
        yield Path(away)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where a store may be made."""
    return tmp_path / "store"


@pytest.fixture
def request_() -> Request:
    """A request like any other."""
    return Request.of(
        endpoint="http://127.0.0.1:8000/v1",
        model="small",
        messages=[{"role": "user", "content": "Who wrote the Analytical Engine notes?"}],
        parameters={"temperature": 0.7},
    )
