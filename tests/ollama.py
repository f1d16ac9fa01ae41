"""Ollama's own way of speaking on this machine, for tests: /api/tags, and /api/chat whole or in
lines of JSON.

The rules of `tests.loopback` reply: what Ollama receives is put to them as an OpenAI-compatible
server would receive it. Like Ollama it knows no n, binds an answer to the schema in ``format``,
and reads the end of a prompt that is longer than its context, unless it is told not to truncate.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.loopback import Body, Responder

TOO_LONG = "the input length exceeds the context length"
"""What Ollama says of a prompt that it may not truncate."""


class Ollama(ThreadingHTTPServer):
    """The server: ``answer`` replies, ``models`` are listed, ``context`` is in words. What was
    asked at /api/chat is in ``bodies``, and the paths of all requests in ``paths``."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, answer: Responder, models: Sequence[str], context: int) -> None:
        self.answer, self.models, self.context = answer, models, context
        self.bodies: list[Body] = []
        self.paths: list[str] = []
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        """Its address, as a person gives it."""
        return f"http://127.0.0.1:{self.server_address[1]}"


@contextmanager
def ollama(
    answer: Responder, models: Sequence[str] = ("llama3.2:latest",), context: int = 100_000
) -> Iterator[Ollama]:
    """A server for the length of a ``with``."""
    server = Ollama(answer, models, context)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join(30)


class _Handler(BaseHTTPRequestHandler):
    server: Ollama
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""

    def do_GET(self) -> None:
        self.server.paths.append(self.path)
        if self.path != "/api/tags":
            self._send({"error": "404 page not found"}, status=404)
            return
        self._send({"models": [{"name": name, "model": name} for name in self.server.models]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.paths.append(self.path)
        if self.path != "/api/chat":
            self._send({"error": "404 page not found"}, status=404)
            return
        self.server.bodies.append(body)
        if not {f"{body['model']}", f"{body['model']}:latest"} & set(self.server.models):
            self._send({"error": f"model '{body['model']}' not found"}, status=404)
            return
        taken = sum(len(message["content"].split()) for message in body["messages"])
        if taken > self.server.context:
            if body.get("truncate") is False:
                self._send({"error": TOO_LONG}, status=400)
                return
            raise AssertionError("a prompt was cut, and nobody was told")
        (text,) = self.server.answer(_as_openai(body)).texts
        end = {"done": True, "done_reason": "stop", "prompt_eval_count": taken}
        end["eval_count"] = len(text.split())
        if not body["stream"]:
            self._send(_piece(body, text) | end)
            return
        middle = len(text) // 2
        self._send(
            *(_piece(body, part) | {"done": False} for part in (text[:middle], text[middle:])),
            _piece(body, "") | end,
        )

    def _send(self, *lines: Body, status: int = 200) -> None:
        content = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
        self.send_response(status)
        kind = "application/x-ndjson" if len(lines) > 1 else "application/json"
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def _piece(body: Body, text: str) -> Body:
    message = {"role": "assistant", "content": text}
    return {"model": body["model"], "created_at": "2026-01-01T00:00:00Z", "message": message}


def _as_openai(body: Body) -> Body:
    """The same request as an OpenAI-compatible server receives it."""
    asked = {"model": body["model"], "messages": body["messages"]}
    if "format" in body:
        asked["response_format"] = {"json_schema": {"schema": body["format"]}}
    return asked | {key: body["options"][key] for key in ("temperature",) if key in body["options"]}
