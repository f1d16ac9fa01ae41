"""What vendors' errors are told as, and that no key gets into any of them."""

from __future__ import annotations

import pytest

from halubot.models import model_errors
from halubot.models.vendor_errors import translate_error, without_keys


class VendorError(Exception):
    """An error as vendors' libraries raise them."""

    def __init__(
        self,
        message: str,
        status: int,
        headers: dict[str, str] | None = None,
        body: object | None = None,
    ) -> None:
        super().__init__(message)
        self.status_code = status
        self.litellm_response_headers = headers
        self.body = body


def told(error: Exception) -> model_errors.ModelError:
    return translate_error(error, model="openai/tiny", endpoint="http://127.0.0.1:1/v1")


@pytest.mark.parametrize(
    "text",
    [
        "Incorrect API key provided: sk-abcdef1234567890",
        "header Authorization: Bearer abc.def.ghi",
        "https://host/v1?key=abc.def.ghi&x=1",
        "https://me:abc.def.ghi@host/v1",
        "the value hunter2hunter2 is wrong",
    ],
)
def test_keys_are_struck_out(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "hunter2hunter2")
    shown = without_keys(text)
    assert "***" in shown
    assert not any(key in shown for key in ("abcdef", "abc.def", "hunter2"))
    assert without_keys("nothing to hide") == "nothing to hide"


@pytest.mark.parametrize(("value", "seconds"), [("7", 7), ("0.5", 0.5), ("-3", 0)])
def test_retry_after_in_seconds(value: str, seconds: float) -> None:
    error = told(VendorError("slow down", 429, {"retry-after": value}))
    assert isinstance(error, model_errors.RateLimitedError)
    assert error.retry_after == seconds


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("litellm.BadRequestError: OpenAIException - the server's words", None),
        ("litellm.BError: litellm.AError: ZException - the server's words", None),
        ('VllmException - {"error": {"message": "the server\'s words", "code": 400}}', None),
        ("Error code: 400 - {'error': ...}", {"message": "the server's words", "code": 400}),
        ("the server's words", {"message": None}),
        ("the server's words", "a text"),
    ],
)
def test_a_refusal_tells_the_servers_own_words_alone(text: str, body: object) -> None:
    error = told(VendorError(text, 400, body=body))
    assert type(error) is model_errors.RefusedRequestError
    assert error.why == "the request was refused (the server's words)"


def test_what_a_server_does_not_do_is_not_asked_for_again() -> None:
    error = told(VendorError("no embeddings here", 501))
    assert type(error) is model_errors.RefusedRequestError
    assert not error.transient


def test_a_provider_that_nobody_knows_is_named() -> None:
    error = VendorError("LLM Provider NOT provided. You passed model=foo/bar", 400)
    assert "there is no provider 'foo'" in str(
        translate_error(error, model="foo/bar", endpoint="foo")
    )
    assert "the name has no provider" in str(translate_error(error, model="bar", endpoint="nobody"))


@pytest.mark.parametrize(
    ("endpoint", "remedy"),
    [("openai", "has a network"), ("http://127.0.0.1", "start the server")],
)
def test_nobody_answers(endpoint: str, remedy: str) -> None:
    class ConnectError(Exception):
        """As httpx names it."""

    assert remedy in str(translate_error(ConnectError(), model="openai/gpt-4o", endpoint=endpoint))


@pytest.mark.parametrize(
    "words",
    [
        "{'error': {'code': 400, 'message': 'request (2603 tokens) exceeds the available"
        " context size (2048 tokens), try more', 'n_prompt_tokens': 2603, 'n_ctx': 2048}}",
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens",
        "the prompt is too long: use a larger context window",
    ],
)
def test_a_prompt_that_is_too_long_is_known_by_the_words_of_servers(words: str) -> None:
    assert isinstance(told(VendorError(words, 400)), model_errors.ContextTooLongError)
