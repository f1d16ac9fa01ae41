"""Which models are found, who is asked for them, and what is never sent."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from halubot.models import reachable as module
from halubot.models.capabilities import remember
from halubot.models.model import Capabilities
from halubot.models.reachable import Reachable, reachable
from halubot.models.server_model import ServerModel

NOBODY = "http://127.0.0.1:9"
TAGS = {"models": [{"name": "llama3.2:latest", "size": 1}, {"name": "qwen3:8b"}]}
DATA = {"object": "list", "data": [{"id": "tiny", "object": "model"}]}


class Lists(ThreadingHTTPServer):
    """A server that sends lists of models; ``replies`` has a status and a body for each path."""

    daemon_threads = True

    def __init__(self) -> None:
        self.replies: dict[str, tuple[int, Any]] = {}
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.gate = threading.Event()
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: Lists

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""

    def do_GET(self) -> None:
        self.server.asked.append((self.path, dict(self.headers.items())))
        status, body = self.server.replies.get(self.path, (404, "no such page"))
        if status == 0:
            self.server.gate.wait(30)
            status = 200
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        if status == 302:
            self.send_header("location", str(body))
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        with suppress(OSError):  # who asked may be gone
            self.wfile.write(content)


@pytest.fixture
def lists(monkeypatch: pytest.MonkeyPatch) -> Iterator[Lists]:
    """A server at no usual port; nobody listens at the usual ones."""
    monkeypatch.setattr(module, "PORTS", ())
    monkeypatch.setenv("OLLAMA_API_BASE", NOBODY)
    for name in ("OLLAMA_HOST", "OPENAI_API_KEY", "OPENAI_API_BASE", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    server = Lists()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server
    server.gate.set()
    server.shutdown()
    server.server_close()
    thread.join(30)


def test_nothing_is_there(lists: Lists) -> None:
    assert reachable({}) == ([], [])


def test_ollama_and_other_servers_are_found(lists: Lists, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_API_BASE", lists.url)
    monkeypatch.setattr(module, "PORTS", (9, lists.server_address[1]))
    lists.replies = {"/api/tags": (200, TAGS), "/v1/models": (200, DATA)}
    remember("openai/tiny", f"{lists.url}/v1", Capabilities(n=True, schema=False))
    remember("ollama_chat/qwen3:8b", lists.url, Capabilities(n=False))
    found, problems = reachable({})
    assert problems == []
    assert found == [
        Reachable("ollama_chat/llama3.2:latest", None, lists.url, "server"),
        Reachable("ollama_chat/qwen3:8b", None, lists.url, "server"),
        Reachable("openai/tiny", f"{lists.url}/v1", f"{lists.url}/v1", "server"),
    ]
    assert [one.provider for one in found] == ["ollama_chat", "ollama_chat", "openai"]
    assert all(one.local for one in found)
    known = [Capabilities(), Capabilities(n=False), Capabilities(n=True, schema=False)]
    assert [one.capabilities for one in found] == known


def test_what_is_suggested_reaches_the_server_that_offered_it(lists: Lists) -> None:
    lists.replies = {"/v1/models": (200, DATA)}
    (one,) = reachable({}, lists.url)[0]
    assert ServerModel(one.name, one.api_base).endpoint == one.endpoint == f"{lists.url}/v1"


@pytest.mark.parametrize(
    ("name", "variables", "missing"),
    [
        ("openai/gpt-5", {}, "OPENAI_API_KEY"),
        ("openai/gpt-5", {"OPENAI_API_KEY": ""}, "OPENAI_API_KEY"),
        ("openai/gpt-5", {"OPENAI_API_KEY": "sk"}, None),
        ("openai/own", {"OPENAI_API_BASE": "http://192.0.2.1/v1"}, None),
        ("gemini/flash", {"GOOGLE_API_KEY": "x"}, None),
        ("gemini/flash", {}, "GEMINI_API_KEY"),
        ("someone/model", {}, None),
        ("gpt-5", {}, "OPENAI_API_KEY"),
        ("unheard-of", {}, None),
    ],
)
def test_a_hosted_model_and_its_key(
    lists: Lists,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    variables: dict[str, str],
    missing: str | None,
) -> None:
    for variable in ("GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    for variable, value in variables.items():
        monkeypatch.setenv(variable, value)
    ((one,), problems) = reachable({name: "option"})
    assert (one.missing_key, one.local, problems) == (missing, False, [])


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (401, {}, "it wants a key; name one of its models with --model"),
        (500, {}, "it does not say which models it has"),
        (302, "http://192.0.2.1/v1/models", "it does not say which models it has"),
        (200, b"<html>", "it does not say which models it has"),
        (200, b"[" * 100_000, "it does not say which models it has"),
        (200, b" " * 2_000_000 + b"{}", "it does not say which models it has"),
        (200, [], "it does not say which models it has"),
        (200, {"data": {}}, "it does not say which models it has"),
    ],
)
def test_a_server_that_sends_no_list(lists: Lists, status: int, body: Any, said: str) -> None:
    lists.replies = {"/v1/models": (status, body)}
    assert reachable({}, f"{lists.url}/v1") == ([], [f"{lists.url}/v1: {said}"])


def test_a_server_that_hangs_is_left_to_itself(
    lists: Lists, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SECONDS", 0.05)
    lists.replies = {"/v1/models": (0, DATA)}
    found, problems = reachable({}, lists.url)
    assert (found, problems) == ([], [f"{lists.url}/v1: it does not answer in time"])


def test_offline_no_other_machine_is_asked(lists: Lists) -> None:
    # Every attempt to reach one is a failure of the test.
    named = {"openai/far": "option"}
    assert reachable(named, "http://192.0.2.1/v1", offline=True)[1] == []
    lists.replies = {"/v1/models": (200, DATA)}
    assert [one.name for one in reachable({}, lists.url, offline=True)[0]] == ["openai/tiny"]


def test_ollama_is_asked_where_its_variables_say(
    lists: Lists, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", lists.url.removeprefix("http://"))
    lists.replies = {"/api/tags": (200, TAGS)}
    assert [(one.name, one.api_base) for one in reachable({})[0]] == [
        ("ollama_chat/llama3.2:latest", lists.url),
        ("ollama_chat/qwen3:8b", lists.url),
    ]
    monkeypatch.setenv("OLLAMA_API_BASE", lists.url)
    assert [(one.name, one.api_base) for one in reachable({})[0]] == [
        ("ollama_chat/llama3.2:latest", None),
        ("ollama_chat/qwen3:8b", None),
    ]
    assert len(lists.asked) == 2
