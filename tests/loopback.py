"""An OpenAI-compatible server on this machine, for tests: real sockets, one thread a connection.

A test says how it replies (`Reply`), in turn or by a function of the request; what was asked is
kept in `received`. Nothing sleeps: a reply can wait for an event of the test, or for the client
to hang up.
"""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PATIENCE = 90.0
"""Seconds after which a wait is a failure of the test."""

Body = dict[str, Any]


@dataclass(frozen=True)
class Received:
    """One request as it came; ``at`` is the moment of `time.monotonic` at which it began to."""

    path: str
    body: Body
    headers: Mapping[str, str]
    at: float = 0.0


@dataclass(frozen=True)
class Reply:
    """How one request is answered; the default is an answer of one word.

    ``texts`` are the choices, repeated to the n asked for. ``ignore_n`` gives one choice whatever
    was asked, ``choices`` that many. ``error`` is sent with a ``status`` other than 200. ``raw``
    replaces the whole body. ``cut`` hangs up after that many bytes of the body, or that many
    pieces of a stream. ``gate`` is waited for before the answer. ``hang`` never answers, and
    ``hang_after_first`` sends one piece of a stream and no more: `Loopback.wait_for_hanging_up`
    then tells when the client has gone. ``vector`` is that of a text, where vectors are asked for.
    """

    texts: tuple[str, ...] = ("fine",)
    status: int = 200
    error: str = "refused by the test"
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    finish: str | None = "stop"
    ignore_n: bool = False
    choices: int | None = None
    usage: tuple[int, int] | None = (10, 5)
    cut: int | None = None
    gate: threading.Event | None = None
    hang_after_first: bool = False
    hang: bool = False


Responder = Callable[[Body], Reply]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256  # many connect at once, and none has to try again


class Loopback:
    """The server: ``url`` is its address; `replies` and `answer` say what it does."""

    def __init__(self) -> None:
        self.received: list[Received] = []
        self.most_at_once = 0
        self.hung_up = threading.Semaphore(0)
        self._at_once = 0
        self._script: list[Reply] = []
        self._answer: Responder = lambda _: Reply()
        self._news = threading.Condition()
        self._open: set[socket.socket] = set()
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.01,), name="loopback", daemon=True
        )
        self._thread.start()

    @property
    def url(self) -> str:
        """The address that clients are given."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def bodies(self) -> list[Body]:
        """The bodies of the requests, in the order they came."""
        return [received.body for received in self.received]

    def replies(self, *replies: Reply) -> None:
        """Replies in turn; the last is repeated."""
        self._script = list(replies)

    def answer(self, responder: Responder) -> None:
        """Each reply is made from the request."""
        self._answer = responder
        self._script = []

    def wait_for(self, count: int) -> None:
        """Returns once that many requests have come."""
        with self._news:
            assert self._news.wait_for(lambda: len(self.received) >= count, PATIENCE)

    def wait_for_hanging_up(self) -> None:
        """Returns once a client of a reply that hangs has hung up."""
        assert self.hung_up.acquire(timeout=PATIENCE)

    def close(self) -> None:
        """Ends the server and every connection."""
        self._server.shutdown()
        self._server.server_close()
        for connection in list(self._open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self._thread.join(PATIENCE)

    def take(self, received: Received) -> Reply:
        """Keeps a request and finds its reply."""
        with self._news:
            self.received.append(received)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            self._news.notify_all()
            if self._script:
                return self._script.pop(0) if len(self._script) > 1 else self._script[0]
        return self._answer(received.body)

    def done(self) -> None:
        """One request is over."""
        with self._news:
            self._at_once -= 1

    def opened(self, connection: socket.socket) -> None:
        """A connection that `close` must end."""
        self._open.add(connection)

    def closed(self, connection: socket.socket) -> None:
        """A connection that has ended."""
        self._open.discard(connection)


@contextmanager
def loopback(*replies: Reply) -> Iterator[Loopback]:
    """A server for the length of a ``with``."""
    server = Loopback()
    server.replies(*replies)
    try:
        yield server
    finally:
        server.close()


def _handler(server: Loopback) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # else an answer waits 40 ms behind its own headers

        def setup(self) -> None:
            super().setup()
            server.opened(self.connection)

        def finish(self) -> None:
            server.closed(self.connection)
            with suppress(OSError):
                super().finish()

        def handle(self) -> None:
            with suppress(ConnectionError):
                super().handle()

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing."""

        def do_POST(self) -> None:
            at = time.monotonic()
            length = int(self.headers.get("content-length", "0"))
            body = json.loads(self.rfile.read(length))
            reply = server.take(Received(self.path, body, dict(self.headers.items()), at))
            try:
                self._reply(body, reply)
            finally:
                server.done()

        def _reply(self, body: Body, reply: Reply) -> None:
            if reply.gate is not None:
                assert reply.gate.wait(PATIENCE)
            if reply.hang:
                self._hang()
            elif reply.raw is not None:
                self._send(reply.raw, reply)
            elif reply.status != 200:
                error = {"message": reply.error, "type": "test", "code": None, "param": None}
                self._send(json.dumps({"error": error}).encode(), reply)
            elif body.get("stream"):
                self._stream(body, reply)
            else:
                self._send(json.dumps(_completion(body, reply)).encode(), reply)

        def _hang(self) -> None:
            with suppress(OSError):
                while self.connection.recv(1):
                    pass
            self.close_connection = True
            server.hung_up.release()

        def _send(self, content: bytes, reply: Reply) -> None:
            self.send_response(reply.status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content if reply.cut is None else content[: reply.cut])
            self.close_connection = self.close_connection or reply.cut is not None

        def _stream(self, body: Body, reply: Reply) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            for count, piece in enumerate(_pieces(body, reply)):
                if count == reply.cut:
                    self.close_connection = True
                    return
                data = f"data: {json.dumps(piece)}\n\n".encode()
                self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
                self.wfile.flush()
                if count == 0 and reply.hang_after_first:
                    self._hang()
                    return
            data = b"data: [DONE]\n\n"
            self.wfile.write(b"%x\r\n%s\r\n0\r\n\r\n" % (len(data), data))

    return Handler


def _texts(body: Body, reply: Reply) -> list[str]:
    wanted = 1 if reply.ignore_n else int(body.get("n") or 1)
    wanted = wanted if reply.choices is None else reply.choices
    return [reply.texts[i % len(reply.texts)] for i in range(wanted)]


def _completion(body: Body, reply: Reply) -> Body:
    choices = [
        {
            "index": index,
            "message": {"role": "assistant", "content": text},
            "finish_reason": reply.finish,
            "logprobs": _logprobs(text) if body.get("logprobs") else None,
        }
        for index, text in enumerate(_texts(body, reply))
    ]
    return {
        "id": "test",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": choices,
        "usage": _usage(reply),
    }


def _pieces(body: Body, reply: Reply) -> Iterator[Body]:
    head = {"id": "test", "object": "chat.completion.chunk", "created": 0, "model": body["model"]}
    for word in re.findall(r"\s*\S+|\s+$", "".join(_texts(body, reply)[:1])):
        choice = {"index": 0, "delta": {"role": "assistant", "content": word}}
        sure = _logprobs(word) if body.get("logprobs") else None
        yield {**head, "choices": [{**choice, "finish_reason": None, "logprobs": sure}]}
    yield {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": reply.finish}]}
    if (body.get("stream_options") or {}).get("include_usage"):
        yield {**head, "choices": [], "usage": _usage(reply)}


def _usage(reply: Reply) -> Body | None:
    if reply.usage is None:
        return None
    prompt, answer = reply.usage
    return {"prompt_tokens": prompt, "completion_tokens": answer, "total_tokens": prompt + answer}


def _logprobs(text: str) -> Body:
    top = [{"token": text, "logprob": -0.25}, {"token": "other", "logprob": -1.5}]
    return {"content": [{"token": text, "logprob": -0.25, "bytes": None, "top_logprobs": top}]}
