"""What a server that means harm can do to a call, over real sockets: by halubot's own client and by
every kind that litellm makes, whole and streamed."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from halubot.models.limits import LimitedModel, Limits, Retry
from halubot.models.model import Message, Request
from halubot.models.model_errors import (
    MalformedAnswerError,
    ModelError,
    ServerFaultError,
    SlowModelError,
    UnreachableError,
)
from halubot.models.server_model import ServerModel
from halubot.network import (
    LARGE,
    LARGEST_ANSWER,
    LARGEST_ERROR,
    UnfitError,
    bind_limits,
    keeping_turn,
    require_fit,
)
from tests.hostile import (
    Behaviour,
    Hostile,
    answered,
    bomb,
    completion,
    endless,
    hostile,
    redirect,
)

KEY = "sk-test-never-shown-0123456789"
OTHERS = ("hosted_vllm/tiny", "ollama_chat/tiny", "anthropic/tiny")
"""Models of the other kinds of client, which the slow tests call through litellm."""
MODELS = ["openai/tiny", *(pytest.param(name, marks=pytest.mark.slow) for name in OTHERS)]
CALLS = [
    *(("openai/tiny", streamed) for streamed in (False, True)),
    *(
        pytest.param(name, streamed, marks=pytest.mark.slow)
        for name in OTHERS
        for streamed in (False, True)
    ),
]
ROOM = 16 << 20
"""What may be under way between a server and a client that has stopped reading."""


@pytest.fixture(autouse=True)
def keys(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.node.get_closest_marker("slow"):
        request.getfixturevalue("litellm")
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "HOSTED_VLLM_API_KEY"):
        monkeypatch.setenv(name, KEY)


@pytest.fixture(scope="module")
def bombs() -> bytes:
    return bomb(300)


def called(
    name: str, server: Hostile, *, streamed: bool, seconds: float = 60.0, deadline: float = 60.0
) -> str:
    """The text that a call brings; raises what it raises."""
    root = name.startswith(("ollama", "anthropic"))
    limits = Limits(seconds, time.monotonic() + deadline, Retry(attempts=1))
    model = LimitedModel(ServerModel(name, server.root if root else server.url), limits=limits)
    request = Request((Message("user", "a secret"),))

    async def streaming() -> str:
        return "".join([one async for one in model.stream(request) if isinstance(one, str)])

    async def whole() -> str:
        (one, *_) = await model.complete(request)
        return one.text

    return asyncio.run(streaming() if streamed else whole())


def failure(name: str, behaviour: Behaviour, *, streamed: bool) -> tuple[ModelError, Hostile]:
    with hostile(behaviour) as server:
        with pytest.raises(ModelError) as caught:
            called(name, server, streamed=streamed)
        return caught.value, server


@pytest.mark.parametrize(("name", "streamed"), CALLS)
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed(name: str, streamed: bool, status: int) -> None:
    with hostile(answered(completion())) as second:
        error, first = failure(name, redirect(second.root, status), streamed=streamed)
        assert isinstance(error, UnreachableError)
        assert len(first.received) == 1
        assert not second.received
    root = name.startswith(("ollama", "anthropic"))
    assert error.why == f"the address moved to {second.root if root else second.url}"
    assert "--api-base" in error.remedy


@pytest.mark.parametrize(
    "to", ["", "/", "//", "http://[", "http://me:hunter2@127.0.0.1:9/v1/x?key=hunter2", "\x1b[2J"]
)
def test_a_strange_redirect(to: str) -> None:
    error, _ = failure("openai/tiny", answered(b"", status=307, Location=to), streamed=False)
    assert isinstance(error, UnreachableError)
    assert "hunter2" not in str(error)


@pytest.mark.parametrize(("name", "streamed"), CALLS)
def test_an_answer_without_an_end(name: str, streamed: bool) -> None:
    kind = "text/event-stream" if streamed else "application/json"
    before = b"data: " if streamed else b'{"choices": [{"message": {"content": "'
    body = endless(b"x" * 65536, before=before)
    error, server = failure(name, answered(body, kind=kind), streamed=streamed)
    assert isinstance(error, MalformedAnswerError)
    assert error.why == "the answer is longer than 8 MB"
    assert not error.transient
    assert server.sent < LARGEST_ANSWER + ROOM


@pytest.mark.parametrize(("name", "streamed"), CALLS)
def test_an_answer_that_unpacks_without_an_end(name: str, streamed: bool, bombs: bytes) -> None:
    behaviour = answered(bombs, Content_Encoding="gzip")
    error, _ = failure(name, behaviour, streamed=streamed)
    assert error.why == "the answer is longer than 8 MB"


@pytest.mark.parametrize(("name", "streamed"), CALLS)
def test_an_error_without_an_end(name: str, streamed: bool) -> None:
    body = endless(b"://" * 20_000)
    error, server = failure(name, answered(body, status=500), streamed=streamed)
    assert isinstance(error, ServerFaultError)
    assert len(str(error)) < 500
    assert server.sent < LARGEST_ERROR + ROOM


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(
    "body",
    [
        b"[" * 200_000,
        b'{"choices": [' + b",".join([b"{}"] * 500_000) + b"]}",
        b'{"choices": [], "x": [' + b",".join([b"[]"] * 1_000_000) + b"]}",
    ],
    ids=["deep", "choices", "lists"],
)
def test_an_answer_of_too_many_parts(name: str, body: bytes) -> None:
    error, _ = failure(name, answered(body), streamed=False)
    assert isinstance(error, MalformedAnswerError)
    assert error.why == "the answer has too many parts"


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(
    "piece",
    [b"data: {}\n\n", b": here\n\n", b"\n", b"data: x\n", b'data: {"choices": []}\n\n'],
)
def test_a_stream_of_too_many_lines(
    name: str, piece: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("halubot.network.MOST_LINES", 5_000)
    body = endless(piece * 1000)
    error, server = failure(name, answered(body, kind="text/event-stream"), streamed=True)
    assert isinstance(error, ModelError)
    assert server.sent < LARGEST_ANSWER + ROOM


@pytest.mark.parametrize(("name", "streamed"), CALLS)
def test_a_deadline_holds_while_bytes_trickle(name: str, streamed: bool) -> None:
    kind = "text/event-stream" if streamed else "application/json"
    with hostile(answered(endless(b" ", every=0.02), kind=kind)) as server:
        begun = time.monotonic()
        with pytest.raises(SlowModelError, match="the time for all was over"):
            called(name, server, streamed=streamed, deadline=0.5)
        assert time.monotonic() - begun < 30  # the answer has no end


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("status", [200, 400, 500])
def test_a_deadline_holds_whatever_words_come(name: str, status: int) -> None:
    """litellm looks for secrets in what failed, with expressions that stop all other threads."""
    text = "://" * 1_000_000
    body = json.dumps({"error": {"message": text}, "choices": [{"text": text}], "content": text})
    with hostile(answered(body.encode(), status=status)) as server:
        begun = time.monotonic()
        with pytest.raises(ModelError):
            called(name, server, streamed=False, deadline=20)
        assert time.monotonic() - begun < 60  # of the hours that those expressions would take


@pytest.mark.parametrize("name", ["ollama_chat/tiny", "ollama/tiny", "lemonade/tiny"])
def test_no_other_address_is_asked_about_the_model(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """litellm asks Ollama's usual address about every model, whatever address was named."""
    monkeypatch.setenv("OLLAMA_API_KEY", KEY)
    with hostile(answered(completion())) as usual, hostile(answered(completion())) as named:
        monkeypatch.setenv("OLLAMA_API_BASE", usual.root)
        monkeypatch.setenv("LEMONADE_API_BASE", usual.root)
        with suppress(ModelError):
            called(name, named, streamed=False)
        assert [asked.method for asked in named.received] == ["POST"]
        assert not usual.received


def client(body: bytes, **headers: str) -> httpx.Client:
    answer = lambda _: httpx.Response(200, headers=headers, stream=httpx.ByteStream(body))  # noqa: E731
    return bind_limits(httpx.Client(transport=httpx.MockTransport(answer)))


@pytest.mark.parametrize("encoding", ["br", "deflate", "gzip, gzip", "zstd"])
def test_another_packing_is_refused(encoding: str) -> None:
    with client(b"x", **{"content-encoding": encoding}) as one, pytest.raises(UnfitError):
        one.get("http://here")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"no JSON at all",
        json.dumps({"choices": [{"message": {"content": "[" * 300_000}}]}).encode(),
        json.dumps({"choices": [{"message": {"content": '\\"[' * 100_000}}]}).encode(),
        json.dumps({"choices": [{"logprobs": [{"top": [{}] * 5}] * 20_000}] * 1}).encode(),
        b'"' + b"[" * 300_000,
        b'"' + b'\\"[' * 100_000,
    ],
)
def test_what_is_fit(body: bytes) -> None:
    require_fit(body)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="Linux tells the most")
class _Pieces(httpx.AsyncByteStream):
    """A body of 1 MB in pieces, which notes how much of it was read."""

    def __init__(self, read: dict[str, int], name: str) -> None:
        self._read, self._name = read, name

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for _ in range(16):
            yield b"x" * (64 << 10)
            self._read[self._name] = self._read.get(self._name, 0) + (64 << 10)
            await asyncio.sleep(0)  # lets the others go on


class _Sending(httpx.AsyncBaseTransport):
    def __init__(self) -> None:
        self.read: dict[str, int] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, stream=_Pieces(self.read, request.url.path))


def test_one_large_answer_is_in_memory_at_a_time() -> None:
    sending = _Sending()
    large: list[int] = []

    async def ask(client: httpx.AsyncClient, path: str) -> None:
        async with keeping_turn():
            answer = await client.get(f"http://x{path}")
            assert len(answer.content) == 1 << 20
            for _ in range(10):  # it is parsed
                large.append(sum(size > LARGE + (64 << 10) for size in sending.read.values()))
                await asyncio.sleep(0)
            del sending.read[path]
        assert not answer.content  # somebody may keep it, as litellm does

    async def whole() -> None:
        async with bind_limits(httpx.AsyncClient(transport=sending)) as client:
            await asyncio.gather(*(ask(client, f"/{n}") for n in range(4)))

    asyncio.run(whole())
    assert set(large) == {1}


@pytest.mark.slow
@pytest.mark.parametrize("loaded", [True, False])
def test_memory_stays_small_whatever_comes(bombs: bytes, tmp_path: Path, loaded: bool) -> None:
    """One process, all that is above: litellm alone has 175 MB."""
    behaviours = iter(
        [
            answered(bombs, Content_Encoding="gzip"),
            answered(endless(b"x" * 65536)),
            answered(b'{"choices": [' + b",".join([b"{}"] * 2_000_000) + b"]}"),
            answered(b'{"choices": [' + b",".join([b"{}"] * 1_900) + b"]}"),
            answered(b'{"x": [' + b",".join([b"[]"] * 199_000) + b"]}"),
            answered(bombs, status=500, Content_Encoding="gzip"),
        ]
    )

    def one_after_another(asked: object) -> Iterator[bytes]:
        return next(behaviours)(asked)  # type: ignore[arg-type]

    with hostile(one_after_another) as server:
        program = tmp_path / "calls.py"
        program.write_text(CALLS_IN_TURN.format(url=server.url, loaded=loaded))
        done = subprocess.run(
            [sys.executable, program], capture_output=True, text=True, timeout=300, check=True
        )
    assert len(server.received) == 6
    assert int(done.stdout) < 400


CALLS_IN_TURN = """
import asyncio
from halubot.models.limits import LimitedModel, Limits
from halubot.models.litellm_door import load_litellm
from halubot.models.model import Message, Request
from halubot.models.model_errors import ModelError
from halubot.models.limits import Retry
from halubot.models.server_model import ServerModel

model = LimitedModel(ServerModel("openai/tiny", "{url}"), limits=Limits(retry=Retry(attempts=1)))
if {loaded}:
    load_litellm()
for _ in range(6):
    try:
        asyncio.run(model.complete(Request((Message("user", "a secret"),))))
    except ModelError:
        pass
status = open("/proc/self/status").read()  # the most by resource.getrusage is also the parent's
print(int(status.partition("VmHWM:")[2].split()[0]) // 1024)
"""
