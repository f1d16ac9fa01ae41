"""Tests against a real llama-server. They run where LLAMA_SERVER is the path of one and
LLAMA_MODEL that of a model for it, as `make test-llama` sets them; else they are not collected."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.llama.serving import llama_server

_PATHS = [os.environ.get(name, "") for name in ("LLAMA_SERVER", "LLAMA_MODEL")]

collect_ignore_glob = [] if all(_PATHS) else ["test_*.py"]


@pytest.fixture(scope="session")
def binary() -> Path:
    """The path of llama-server."""
    return Path(_PATHS[0]).resolve()


@pytest.fixture(scope="session")
def weights() -> Path:
    """The path of the model."""
    return Path(_PATHS[1]).resolve()


@pytest.fixture(scope="session")
def server(binary: Path, weights: Path) -> Iterator[str]:
    """The address of a server that works on four requests at once."""
    with llama_server(binary, weights) as address:
        yield address
