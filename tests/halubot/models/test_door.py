"""Every answer and every fault of a server, over real sockets."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from typing import TypeVar

import pytest

from halubot.models.model import (
    Capabilities,
    Completion,
    LanguageModel,
    Message,
    Request,
    Schema,
    TokenLogprob,
    TokenUsage,
)
from halubot.models.model_errors import (
    ContextTooLongError,
    MalformedAnswerError,
    ModelError,
    RateLimitedError,
    RefusedKeyError,
    RefusedParameterError,
    RefusedRequestError,
    ServerFaultError,
    UnknownModelError,
    UnreachableError,
)
from halubot.models.server_model import ServerModel
from tests.loopback import Loopback, Reply, loopback

T = TypeVar("T")

KEY = "sk-test-never-shown-0123456789"
ASKED = Request((Message("system", "Be brief."), Message("user", "Who was Ada Lovelace?")))
SCHEMA = Schema.of("Verdict", {"type": "object", "required": ["verdict"]})
PROVIDERS = ("openai", "hosted_vllm")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, nothing_learnt: None) -> Iterator[Loopback]:
    """A server; nothing is known of its models, and a key is set."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("HOSTED_VLLM_API_KEY", KEY)
    with loopback() as server:
        yield server


def run(work: Callable[[], Awaitable[T]], seconds: float = 90) -> T:
    """The result of the work on a loop of its own, in time."""

    async def timed() -> T:
        return await asyncio.wait_for(work(), seconds)

    return asyncio.run(timed(), debug=False)


def complete(server: Loopback, request: Request = ASKED, provider: str = "openai") -> Completion:
    """The first completion that a request brings."""
    return run(lambda: ServerModel(f"{provider}/tiny", server.url).complete(request))[0]


async def collected(model: LanguageModel, request: Request = ASKED) -> list[str | Completion]:
    """All that a stream brings."""
    return [piece async for piece in model.stream(request)]


def test_an_answer_comes_with_all_that_is_known_of_it(server: Loopback) -> None:
    server.replies(Reply(texts=("A mathematician.",), usage=(12, 3), finish="length"))
    completion = complete(server)
    assert completion == Completion(
        "A mathematician.",
        "length",
        usage=TokenUsage(12, 3),
        model="openai/tiny",
        endpoint=server.url,
    )
    (body,) = server.bodies
    assert body["model"] == "tiny"
    assert body["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Who was Ada Lovelace?"},
    ]


def test_parameters_are_sent_as_asked(server: Loopback) -> None:
    request = replace(
        ASKED, n=3, first=4, schema=SCHEMA, temperature=0.5, seed=10, logprobs=True, max_tokens=9
    )
    complete(server, request)
    (body,) = server.bodies
    assert body["n"] == 3
    assert body["seed"] == 14
    assert body["temperature"] == 0.5
    assert body["logprobs"] is True
    assert body["max_tokens"] == 9
    assert body["response_format"]["json_schema"]["schema"] == SCHEMA.value


def test_several_completions_share_what_their_call_took(server: Loopback) -> None:
    server.replies(Reply(texts=("a", "b", "c"), usage=(20, 11)))
    model = ServerModel("openai/tiny", server.url)
    completions = run(lambda: model.complete(replace(ASKED, n=3)))
    assert [one.text for one in completions] == ["a", "b", "c"]
    assert [one.usage for one in completions] == [
        TokenUsage(20, 5),
        TokenUsage(0, 3),
        TokenUsage(0, 3),
    ]
    assert model.capabilities.n is True


def test_a_server_that_ignores_a_schema_is_found_out_and_still_sent_it(server: Loopback) -> None:
    server.replies(Reply(texts=('{"verdict": 1}',)), Reply(texts=("It is so.",)), Reply())
    model = ServerModel("openai/tiny", server.url)
    request = replace(ASKED, schema=SCHEMA)
    run(lambda: model.complete(request))
    assert model.capabilities.schema is True
    run(lambda: model.complete(request))
    assert model.capabilities.schema is False
    run(lambda: model.complete(request))
    assert "response_format" in server.bodies[-1]


def test_log_probabilities(server: Loopback) -> None:
    server.replies(Reply(texts=("Yes",)))
    completion = complete(server, replace(ASKED, logprobs=True))
    assert completion.logprobs is not None
    (token,) = completion.logprobs
    assert (token.token, token.logprob) == ("Yes", -0.25)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_log_probabilities_of_a_stream(server: Loopback, provider: str) -> None:
    server.replies(Reply(texts=("Ada sang.",)))
    model = ServerModel(f"{provider}/tiny", server.url)
    *_, last = run(lambda: collected(model, replace(ASKED, logprobs=True)))
    assert isinstance(last, Completion)
    assert last.logprobs == (TokenLogprob("Ada", -0.25), TokenLogprob(" sang.", -0.25))


Fault = tuple[Reply, type[ModelError], str, bool]
FAULTS: dict[str, Fault] = {
    "401": (Reply(status=401, error=f"Wrong key: {KEY}"), RefusedKeyError, "check ", False),
    "404": (Reply(status=404, error="no tiny here"), UnknownModelError, "no tiny here", False),
    "429": (Reply(status=429), RateLimitedError, "too many requests", True),
    "quota": (
        Reply(status=429, error="You exceeded your current quota"),
        RateLimitedError,
        "quota is used up",
        False,
    ),
    "400": (Reply(status=400, error="bad words"), RefusedRequestError, "bad words", False),
    "too long": (
        Reply(status=400, error="This model's maximum context length is 4096 tokens"),
        ContextTooLongError,
        "larger context",
        False,
    ),
    "500": (Reply(status=500), ServerFaultError, "refused by the test", True),
    "503": (Reply(status=503), ServerFaultError, "refused by the test", True),
    "half": (Reply(raw=b'{"id": "x", "choices": [{"ind'), MalformedAnswerError, "OpenAI", True),
    "page": (Reply(raw=b"<html>hello</html>"), MalformedAnswerError, "OpenAI", True),
    "null": (Reply(raw=b"null"), MalformedAnswerError, "OpenAI", True),
    "empty": (Reply(choices=0), MalformedAnswerError, "empty", True),
    "other": (Reply(raw=b'{"hello": "there"}'), MalformedAnswerError, "OpenAI", True),
    "cut": (Reply(cut=40), UnreachableError, "broke", True),
}


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_ends_in_one_clear_error(server: Loopback, fault: str, provider: str) -> None:
    reply, kind, words, transient = FAULTS[fault]
    server.replies(reply)
    with pytest.raises(ModelError) as caught:
        complete(server, provider=provider)
    error = caught.value
    assert isinstance(error, kind)
    assert words in str(error)
    assert f"{provider}/tiny at {server.url}" in str(error)
    assert "\n" not in str(error)
    assert error.transient is transient
    assert len(server.received) == 1


def test_a_local_server_needs_no_key(server: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    assert complete(server).text == "fine"


def test_a_parameter_turned_down_is_not_sent_again(server: Loopback) -> None:
    refusal = Reply(status=400, error="Unsupported parameter: 'n'")
    server.replies(refusal, Reply(status=400, error="response_format is not supported"), Reply())
    model = ServerModel("openai/tiny", server.url)
    request = replace(ASKED, n=2, schema=SCHEMA)
    for parameter in ("n", "strict"):
        with pytest.raises(RefusedParameterError) as caught:
            run(lambda: model.complete(request))
        assert caught.value.parameter == parameter
    assert len(run(lambda: model.complete(request))) == 1
    assert "n" not in server.bodies[-1]
    assert server.bodies[-1]["response_format"]["json_schema"]["strict"] is False
    assert model.capabilities == Capabilities(
        n=False, schema=False, refused=frozenset({"n", "strict"})
    )


def test_a_parameter_that_litellm_knows_to_be_refused_takes_no_call(server: Loopback) -> None:
    server.replies(Reply(raw=b"null"))
    model = ServerModel("ollama_chat/tiny", server.url)
    with pytest.raises(ModelError):
        run(lambda: model.complete(replace(ASKED, n=4)))
    assert model.capabilities.n is False
    assert len(server.received) == 1


def test_a_stream_brings_pieces_then_the_whole(server: Loopback) -> None:
    server.replies(Reply(texts=("Ada was  a mathematician. ",), usage=(7, 5)))
    *pieces, last = run(lambda: collected(ServerModel("openai/tiny", server.url)))
    assert len(pieces) == 5
    assert isinstance(last, Completion)
    assert "".join(map(str, pieces)) == last.text == "Ada was  a mathematician. "
    assert last.usage == TokenUsage(7, 5)
    assert last.finish_reason == "stop"


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_stream_that_breaks_off_is_no_answer(server: Loopback, provider: str) -> None:
    server.replies(Reply(texts=("Ada was a mathematician.",), cut=2))
    seen: list[str | Completion] = []

    async def follow() -> None:
        async for piece in ServerModel(f"{provider}/tiny", server.url).stream(ASKED):
            seen.append(piece)

    with pytest.raises(UnreachableError, match="broke"):
        run(follow)
    assert "".join(map(str, seen)).startswith("Ada was")


def test_a_call_cancelled_hangs_up_at_once(server: Loopback) -> None:
    server.replies(Reply(hang=True))

    async def cancelled() -> None:
        task = asyncio.create_task(ServerModel("openai/tiny", server.url).complete(ASKED))
        await asyncio.to_thread(server.wait_for, 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(cancelled)
    server.wait_for_hanging_up()


def test_no_key_shows_anywhere(server: Loopback, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    leaky = f"Incorrect API key provided: {KEY}. Bearer {KEY}"
    for status in (400, 401, 404, 500):
        server.replies(Reply(status=status, error=leaky))
        with pytest.raises(ModelError) as caught:
            complete(server)
        error: BaseException | None = caught.value
        shown = [str(error), repr(error), repr(vars(caught.value))]
        while error is not None:
            error = error.__cause__ or error.__context__
            shown.append(repr(error))
        assert KEY not in "".join(shown)
    model = ServerModel("openai/tiny", f"http://me:{KEY}@127.0.0.1:9/v1?key={KEY}")
    assert KEY not in repr(model) + model.endpoint
    assert KEY not in caplog.text
    assert json.dumps(dict(server.received[0].headers)).count(KEY) == 1
