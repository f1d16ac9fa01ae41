"""A server on this machine that means harm, for tests: it writes bytes as they are told.

A test gives what is written for each request as pieces of bytes, headers included, so that
anything can be sent that no honest server library would send. What came is kept in `received`.
"""

from __future__ import annotations

import gzip
import itertools
import json
import socket
import struct
import threading
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Pieces = Iterator[bytes]


@dataclass(frozen=True)
class Asked:
    """One request as it came, the names of its headers in small letters."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


Behaviour = Callable[[Asked], Pieces]


class Hostile:
    """The server: ``url`` is its address, ``sent`` counts the bytes it wrote."""

    def __init__(self, behaviour: Behaviour) -> None:
        self.behaviour = behaviour
        self.received: list[Asked] = []
        self.sent = 0
        self.ended = threading.Event()
        self.closing = threading.Event()
        self._open: set[socket.socket] = set()
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.01,), name="hostile", daemon=True
        )
        self._thread.start()

    @property
    def root(self) -> str:
        """The address without a path."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def url(self) -> str:
        """The address that clients of an OpenAI-compatible server are given."""
        return f"{self.root}/v1"

    def opened(self, connection: socket.socket) -> None:
        """Note a connection that `close` must end."""
        self._open.add(connection)

    def close(self) -> None:
        """End the server and every connection."""
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        for connection in list(self._open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self._thread.join(30)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256


def _handler(server: Hostile) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # else an answer waits 40 ms behind its own headers

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            self._serve()

        def do_POST(self) -> None:
            self._serve()

        def _serve(self) -> None:
            server.opened(self.connection)
            length = int(self.headers.get("content-length") or 0)
            body = self.rfile.read(length)
            headers = {name.lower(): value for name, value in self.headers.items()}
            asked = Asked(self.command, self.path, headers, body)
            server.received.append(asked)
            self.close_connection = True
            with suppress(OSError):
                for piece in server.behaviour(asked):
                    if server.closing.is_set():
                        break
                    self.wfile.write(piece)
                    server.sent += len(piece)
                self.wfile.flush()
            server.ended.set()

    return Handler


@contextmanager
def hostile(behaviour: Behaviour) -> Iterator[Hostile]:
    """A server for the length of a ``with``."""
    server = Hostile(behaviour)
    try:
        yield server
    finally:
        server.close()


def head(status: int = 200, kind: str = "application/json", **headers: str) -> bytes:
    """The head of an answer that ends when the connection does."""
    lines = [f"HTTP/1.1 {status} Whatever", f"Content-Type: {kind}", "Connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def redirect(to: str, status: int = 307) -> Behaviour:
    """Send everybody to the same path at another address."""
    return lambda asked: iter([head(status, Location=f"{to}{asked.path}")])


def answered(
    body: bytes | Callable[[], Pieces],
    status: int = 200,
    kind: str = "application/json",
    **headers: str,
) -> Behaviour:
    """Answer everybody with this body, which may have no end."""

    def behave(_: Asked) -> Pieces:
        pieces = iter([body]) if isinstance(body, bytes) else body()
        return itertools.chain([head(status, kind, **headers)], pieces)

    return behave


def completion(text: str = "fine", **more: Any) -> bytes:
    """The body of an answer of a chat completion, for every provider that the tests know."""
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": text},
        "finish_reason": "stop",
    }
    return json.dumps(
        {
            "id": "x",
            "object": "chat.completion",
            "created": 0,
            "model": "tiny",
            "choices": [choice],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
            "message": {"role": "assistant", "content": text},
            "done": True,
            "done_reason": "stop",
            "type": "message",
            "role": "assistant",
            "content": [{"type": "text", "text": text}],
            "stop_reason": "end_turn",
            **more,
        }
    ).encode()


def endless(piece: bytes, *, every: float = 0.0, before: bytes = b"") -> Callable[[], Pieces]:
    """The same bytes without an end, ``every`` so many seconds."""

    def made() -> Pieces:
        yield before
        while True:
            yield piece
            threading.Event().wait(every)

    return made


def bomb(mega: int) -> bytes:
    """That many megabytes of blanks after an open brace, as gzip: 1,000 times smaller."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    blanks = b" " * (1 << 20)
    start = packer.compress(b"{") + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(blanks) + packer.flush(zlib.Z_FULL_FLUSH)  # it may be repeated
    check = zlib.crc32(b"{")
    for _ in range(mega):
        check = zlib.crc32(blanks, check)
    head = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"
    end = packer.flush() + struct.pack("<LL", check, (mega << 20) + 1)
    return head + start + block * mega + end


def packed(body: bytes) -> bytes:
    """The body as gzip."""
    return gzip.compress(body)
