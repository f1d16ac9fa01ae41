"""A service on a port of this machine, in a thread of the test."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import httpx
import pytest

from halubot.inputs import Options
from halubot.listener import listen
from halubot.network import tls_context
from halubot.service.http_server import make_server
from halubot.service.pages import Limits, build

PATIENCE = 60.0
"""Seconds a test waits for what comes at once on an idle machine."""

Served = Callable[..., httpx.Client]


@pytest.fixture(scope="module")
def ending() -> Iterator[ExitStack]:
    """What is waited for at the end of a file: a server sleeps 0.2 s before it is gone."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def served(ending: ExitStack) -> Iterator[Served]:
    """Start services: ``served(options, limits, token=None)`` returns a client of one."""
    with ExitStack() as running:

        def start(
            options: Options | None = None, limits: Limits | None = None, token: str | None = None
        ) -> httpx.Client:
            app = build(options or Options(), limits or Limits(), token=token, host="127.0.0.1")
            return running.enter_context(running_at(app, ending))

        yield start


@contextmanager
def running_at(app: object, ending: ExitStack) -> Iterator[httpx.Client]:
    """A client of an application that a server in a thread answers for. At the end the server is
    told to end, and ``ending`` waits until it has."""
    at = ending.enter_context(listen("127.0.0.1", 0))
    server = make_server(app, at)  # type: ignore[arg-type]  # any ASGI application
    thread = threading.Thread(target=server.run, args=([at],), name="service", daemon=True)
    thread.start()
    ending.callback(thread.join, PATIENCE)
    try:
        address = f"http://127.0.0.1:{at.getsockname()[1]}"
        with httpx.Client(
            base_url=address, timeout=PATIENCE, trust_env=False, verify=tls_context()
        ) as client:
            yield client
    finally:
        server.should_exit = True


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    """A client of a service with the usual limits and nothing of its own to compare with: one for
    the tests of a file."""
    app = build(Options(), Limits(), token=None, host="127.0.0.1")
    with ExitStack() as ending, running_at(app, ending) as client:
        yield client
