"""One pace over all workers of a driver: each asks the driver before a request begins.

So a rate is exact whatever workers come and go, and what a provider asked one of them to wait
holds for all. A line goes each way: JSON there, seconds back.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import socket
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from hmac import compare_digest
from typing import Final

from halubot.models.model_errors import UnreachableError
from halubot.models.pace import Window
from halubot.rate import Rate

_SECONDS: Final = 20.0
"""How long the driver may take to answer; it may be busy."""

_LONGEST: Final = 4096


@dataclass(frozen=True, slots=True)
class PaceAddress:
    """Where the driver is asked, and the word by which it knows its workers."""

    host: str
    port: int
    token: str


@asynccontextmanager
async def serve_pace(host: str, rate: Rate | None) -> AsyncIterator[PaceAddress]:
    """Answer the workers of a batch: each provider is asked at ``rate`` at most."""
    # Without it any process of the network could slow a batch down or ask on its behalf.
    token = secrets.token_hex(16)
    windows: dict[str, Window] = {}

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        open_ones.add(writer)
        try:
            with suppress(ConnectionError, ValueError, KeyError, TypeError):
                while line := await reader.readline():
                    asked = json.loads(line)
                    # A plain comparison would tell by its time how much of a token was right.
                    if not compare_digest(str(asked["token"]), token):
                        break
                    window = windows.setdefault(asked["endpoint"], Window(rate))
                    wait = 0.0
                    if asked["hold"] is not None:
                        window.hold(float(asked["hold"]))
                    else:
                        wait = window.begin()
                    writer.write(f"{wait!r}\n".encode())
                    await writer.drain()
        finally:
            open_ones.discard(writer)
            writer.close()

    open_ones: set[asyncio.StreamWriter] = set()
    # A limit, since `readline` would take a line of any length into memory.
    server = await asyncio.start_server(answer, host, 0, limit=_LONGEST)
    try:
        yield PaceAddress(host, server.sockets[0].getsockname()[1], token)
    finally:
        server.close()
        for writer in list(open_ones):
            writer.close()


class DriverPacer:
    """When requests to one provider may begin, as the driver says."""

    def __init__(self, address: PaceAddress, endpoint: str) -> None:
        self._address = address
        self._endpoint = endpoint
        self._lock = threading.Lock()
        self._connection: socket.socket | None = None

    def begin(self) -> float:
        """Begin a request and return 0, or return the seconds after which to ask again. Raises
        UnreachableError if the driver is gone."""
        try:
            return self._ask(None)
        except (OSError, ValueError) as error:
            where = f"{self._address.host}:{self._address.port}"
            raise UnreachableError(
                f"this worker cannot ask the driver at {where} when a call may begin: {error}",
                "open that way between the machines, or name a Redis with --limits",
                model="",
                endpoint=self._endpoint,
            ) from error

    def hold(self, seconds: float) -> None:
        """Let no request of any worker begin for that long."""
        with suppress(OSError, ValueError):
            self._ask(seconds)

    def close(self) -> None:
        """End the connection."""
        with self._lock:
            self._hang_up()

    def _ask(self, hold: float | None) -> float:
        asked = {"token": self._address.token, "endpoint": self._endpoint, "hold": hold}
        line = json.dumps(asked).encode() + b"\n"
        with self._lock:
            # One more attempt on a new connection, since a network may have cut an old one. A
            # request that was begun twice only has others wait a little longer.
            for again in (True, False):
                try:
                    return self._exchange(line)
                except OSError:
                    self._hang_up()
                    if not again:
                        raise
        raise AssertionError

    def _exchange(self, line: bytes) -> float:
        if self._connection is None:
            where = (self._address.host, self._address.port)
            self._connection = socket.create_connection(where, _SECONDS)
        self._connection.sendall(line)
        told = b""
        while not told.endswith(b"\n"):
            data = self._connection.recv(64)
            if not data:
                raise ConnectionResetError("it hung up")
            told += data
        return float(told)

    def _hang_up(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
