"""Errors of vendors' libraries, told apart by the names and the words in their chain of causes:
several providers send everything as one class, with status 500."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from time import time
from typing import Any, Final
from urllib.parse import urljoin, urlsplit, urlunsplit

from halubot.errors import NO_KEY, NO_PROVIDER, NOBODY
from halubot.models.model import Parameter
from halubot.models.model_errors import (
    BrokenConnectionError,
    ContextTooLongError,
    LocalFaultError,
    MalformedAnswerError,
    ModelError,
    RateLimitedError,
    RefusedKeyError,
    RefusedParameterError,
    RefusedRequestError,
    ServerFaultError,
    SlowModelError,
    SpentQuotaError,
    UnfitAnswerError,
    UnknownModelError,
    UnreachableError,
)

_NOBODY = {"ConnectError", "ClientConnectorError", "ConnectionRefusedError", "gaierror"}
_BROKEN = {
    "APIConnectionError",
    "ClientPayloadError",
    "ConnectionResetError",
    "ReadError",
    "RemoteProtocolError",
    "ServerDisconnectedError",
    "WriteError",
}
_SLOW = {"Timeout", "APITimeoutError", "ReadTimeout", "ConnectTimeout", "TimeoutError"}
_TOO_LONG = re.compile(
    r"context (?:length|window|size)|maximum context|too many tokens|prompt is too long", re.I
)
_NOT_A_COMPLETION = re.compile(
    r"Empty or invalid response|no 'choices'|'choices' that is not|Unable to get json"
    r"|Invalid response object",
    re.I,
)
_NO_KEY = re.compile(r"Missing credentials|Missing .{0,40}API.?Key|api_key.{0,60}must be set", re.I)
_NO_MONEY = re.compile(r"insufficient_quota|exceeded your current quota", re.I)
_NO_PROVIDER = re.compile(r"LLM Provider NOT provided|Unmapped LLM provider", re.I)
_PARAMETERS: tuple[tuple[Parameter, re.Pattern[str]], ...] = (
    ("schema", re.compile(r"response_format|json_schema|\bschema\b|grammar", re.I)),
    ("logprobs", re.compile(r"logprobs", re.I)),
    ("temperature", re.compile(r"\btemperature\b", re.I)),
    ("seed", re.compile(r"\bseed\b", re.I)),
    (
        "n",
        re.compile(r"['\"`]n['\"`]|\bn\s*(?:[=>!<]|must|should|is not)|multiple (?:choic|compl)"),
    ),
)
_SECRET = re.compile(
    r"\b(?:sk|pk|gsk|xai|hf|r8)[-_][\w*-]{4,}|\bAIza[\w-]{8,}|(?<=Bearer )\S+"
    r"|(?<=key=)[^\s&'\"]+|(?<=token=)[^\s&'\"]+"
)
_RUN = re.compile(r"[^\s?#]+")
"""What an address may stand in, up to its query."""
_CLASSES = re.compile(r"^(?:(?:litellm\.)?\w+(?:Error|Exception): |\w+Exception - )+")
_SECRET_NAMES = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.I)


def without_keys(text: str) -> str:
    """The text with everything that is, or looks like, a key replaced by ``***``."""
    for name, value in os.environ.items():
        # A shorter value stands in ordinary words, which would be struck out of every message.
        if len(value) >= 6 and _SECRET_NAMES.search(name):
            text = text.replace(value, "***")
    return _SECRET.sub("***", _RUN.sub(_without_password, text))


def _without_password(run: re.Match[str]) -> str:
    """Return an address without user and password. One look from each end: an expression that
    looks for an "@" behind each "://" takes 16 s for 80 kB of them."""
    begin, end = run[0].find("://"), run[0].rfind("@")
    return f"{run[0][: begin + 3]}***{run[0][end:]}" if 0 <= begin < end - 3 else run[0]


def translate_error(
    error: BaseException, *, model: str, endpoint: str, sent: frozenset[Parameter] = frozenset()
) -> ModelError:
    """The error of halubot's own that says what happened; ``sent`` are the parameters that the
    request carried and the server may have turned down."""
    chain = list(_chain(error))
    kind, why, remedy = _explain(error, chain, model, endpoint)
    told = kind(why, remedy, model=model, endpoint=endpoint)
    if isinstance(told, RateLimitedError):
        told.retry_after = _retry_after(chain)
    elif isinstance(told, RefusedRequestError | LocalFaultError):
        said = _phrase(chain)
        for parameter, wording in _PARAMETERS:
            if parameter in sent and wording.search(said):
                why = f"{parameter} is not known there"
                refused = RefusedParameterError(
                    why, "it is left out", model=model, endpoint=endpoint
                )
                refused.parameter = parameter
                return refused
    return told


CHECK_ADDRESS: Final = "check that the address is that of an OpenAI-compatible server"
BROKEN_OFF: Final = "the connection broke before the answer was whole"


def _explain(
    error: BaseException, chain: list[BaseException], model: str, endpoint: str
) -> tuple[type[ModelError], str, str]:
    """What happened: the kind of error, why, and the remedy."""
    # The causes are looked at before the status: by way of litellm a refused connection, a missing
    # key and a body that is no JSON all arrive as status 500.
    causes = {type(one).__name__ for one in chain if not _is_litellm(one)}
    own = {cls.__name__ for cls in type(error).__mro__}
    words = " ".join(str(one) for one in chain)
    said = _phrase(chain)
    status = getattr(error, "status_code", None)
    key = key_name(model)
    if (limit := _explain_limit(chain, endpoint)) is not None:
        return limit
    if causes & _NOBODY:
        remedy = "start the server, or give its address with --api-base"
        hosted = "see whether this machine has a network"
        return UnreachableError, NOBODY, remedy if "://" in endpoint else hosted
    if own & _SLOW:
        return SlowModelError, "no answer in time", "give it more with --timeout"
    if _NO_KEY.search(words):
        return RefusedKeyError, NO_KEY, f"set {key}"
    if "credentials encoded in URL" in words:
        return RefusedKeyError, "the address holds a password", f"take it out, and set {key}"
    if status in (401, 403):
        return RefusedKeyError, "the key was refused", f"check {key}"
    if _NO_PROVIDER.search(words):
        provider, slash, _ = model.partition("/")
        why = f"{NO_PROVIDER} {provider!r}" if slash else "the name has no provider"
        return UnknownModelError, why, "write provider/model, such as ollama_chat/llama3"
    if status == 404:
        why = f"there is no such model ({said})"
        return UnknownModelError, why, "check its name and the address"
    if status == 429:
        remedy = "wait, or ask for less at once"
        if _NO_MONEY.search(words):
            return SpentQuotaError, "the quota is used up", remedy
        return RateLimitedError, "too many requests", remedy
    if "ContextWindowExceededError" in own or (status in (400, 413) and _TOO_LONG.search(words)):
        why = "the prompt is longer than the model can read"
        return ContextTooLongError, why, "use one with a larger context"
    answered = _has_response(chain)
    # 501 is how servers say that they have no such function, such as vectors: another attempt
    # brings nothing.
    refused = isinstance(status, int) and (400 <= status < 500 or status == 501)
    if refused and answered:
        why = f"the request was refused ({said})"
        return RefusedRequestError, why, "another model may take it"
    if not refused:
        if causes & {"JSONDecodeError", "ValidationError"} or _NOT_A_COMPLETION.search(words):
            return MalformedAnswerError, "the answer is not a completion", CHECK_ADDRESS
        if causes & _BROKEN:
            return BrokenConnectionError, BROKEN_OFF, "try again"
        if answered:
            return ServerFaultError, f"the server failed ({said})", "try again later"
    why = f"the call failed on this machine, before any answer ({said})"
    return LocalFaultError, why, "see whether halubot doctor finds the reason"


def _has_response(chain: list[BaseException]) -> bool:
    """Return True if a server answered, with whatever status. litellm makes up a status 500, and
    even a response, for anything that goes wrong in its own code."""
    return any(
        isinstance(getattr(getattr(one, "response", one), "status_code", None), int)
        or getattr(one, "body", None) is not None  # an error amid a stream
        for one in chain
        if not _is_litellm(one)
    )


def _explain_limit(
    chain: list[BaseException], endpoint: str
) -> tuple[type[ModelError], str, str] | None:
    """What happened if `halubot.network` stopped an answer; of a redirect, with the new address as
    ``--api-base`` takes it."""
    from halubot.network import MovedError, TooLargeError, UnfitError

    limits = (MovedError, TooLargeError, UnfitError)
    error = next((one for one in chain if isinstance(one, limits)), None)
    if not isinstance(error, MovedError):
        return None if error is None else (UnfitAnswerError, str(error), CHECK_ADDRESS)
    try:
        asked, to = urlsplit(error.asked), urlsplit(urljoin(error.asked, error.to))
    except ValueError:
        asked = to = urlsplit("")
    if not error.to or not to.netloc:
        return UnreachableError, "the address has moved", "find out where it is now"
    base = urlsplit(endpoint).path if "://" in endpoint else ""
    path = to.path.removesuffix(asked.path.removeprefix(base))
    host = to.netloc.rpartition("@")[2]
    address = urlunsplit((to.scheme, host, path, "", ""))[:200]
    remedy = f"no redirect is followed: name it with --api-base {address}"
    return UnreachableError, f"the address moved to {address}", remedy


def key_name(model: str) -> str:
    """The variable that the model's provider takes its key from."""
    provider = model.partition("/")[0] if "/" in model else "openai"
    return f"{provider.upper()}_API_KEY"


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    # Two exceptions may name each other as their context.
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _is_litellm(error: BaseException) -> bool:
    """litellm gives every failure it does not know the name of a broken connection."""
    return type(error).__module__.partition(".")[0] == "litellm"


def _phrase(chain: list[BaseException]) -> str:
    """The first line of the server's own words, at most 160 characters, without keys."""
    text = without_keys(_message(chain)).strip().partition("\n")[0]
    return text if len(text) <= 160 else text[:159] + "…"


def _message(chain: list[BaseException]) -> str:
    """Return the message that the server wrote; if there is none, the error without the names
    of classes that vendors' libraries put before it."""
    for error in chain:
        body = getattr(error, "body", None)
        if isinstance(body, dict) and isinstance(body.get("message"), str):
            return str(body["message"])
    # Vendors' libraries put the names of their classes before what the server said, and quote
    # its JSON as text.
    text = _CLASSES.sub("", str(chain[0]).strip())
    try:
        error = json.loads(text)["error"]
        return error if isinstance(error, str) else str(error["message"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return text


def _retry_after(chain: list[BaseException]) -> float | None:
    for error in chain:
        sources: list[Any] = [
            getattr(error, "litellm_response_headers", None),
            getattr(getattr(error, "response", None), "headers", None),
        ]
        for headers in sources:
            value = headers.get("retry-after") if headers else None
            if value is not None:
                return read_retry_after(str(value))
    return None


def read_retry_after(value: str) -> float | None:
    """Return the seconds that a header asks for; None if it says something else."""
    try:
        # RFC 9110 (section 10.2.3): seconds, or the date of a moment.
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time())
    except ValueError:
        return None
