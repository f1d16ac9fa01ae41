"""What was asked of a model, and the key under which an answer to it is kept."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from halubot_cache.canonical import canonical, digest
from halubot_cache.errors import UnstorableError
from halubot_cache.secret import is_secret, without_secrets

# These say how answers are fetched, not what is asked: 20 answers asked for one by one are
# the same 20 answers.
_FETCHING = frozenset(
    {"n", "stream", "stream_options", "timeout", "request_timeout", "max_retries", "num_retries"}
)
_QUERY_SECRETS = frozenset({"key", "token", "code", "sig", "signature"})


@dataclass(frozen=True)
class Request:
    """What decides an answer; made by `Request.of`, which leaves every key and password out.

    endpoint    address of the server, or name of the provider; "" where it has none
    model       name of the model
    messages    SHA-256 of the messages: their text is not kept
    parameters  the rest (temperature, seed, schema, ...) as canonical JSON text
    digest      SHA-256 of these four
    """

    endpoint: str
    model: str
    messages: str
    parameters: str
    digest: str

    @classmethod
    def of(
        cls,
        *,
        endpoint: str,
        model: str,
        messages: Sequence[Mapping[str, object]],
        parameters: Mapping[str, object] | None = None,
    ) -> Self:
        """The request, told apart by content: order of keys, 1 or 1.0 and None make no difference.

        ``n``, ``stream`` and time limits are left out, for they do not change an answer.
        Raises `UnstorableError` where messages or parameters are not JSON.
        """
        given = {
            name: value
            for name, value in (parameters or {}).items()
            if value is not None and name not in _FETCHING
        }
        return cls._made(
            _address(endpoint), model, digest(list(messages)), canonical(without_secrets(given))
        )

    @classmethod
    def from_record(cls, record: Mapping[str, object]) -> Self:
        """The request that `record` wrote; raises `UnstorableError` where a field is wrong."""
        match record:
            case {
                "endpoint": str(endpoint),
                "model": str(model),
                "messages": str(messages),
                "parameters": dict(parameters),
            }:
                kept = canonical(without_secrets(parameters))
                return cls._made(_address(endpoint), model, messages, kept)
            case _:
                raise UnstorableError("endpoint, model, messages or parameters is missing or wrong")

    @classmethod
    def _made(cls, endpoint: str, model: str, messages: str, parameters: str) -> Self:
        whole = digest([endpoint, model, messages, parameters])
        return cls(endpoint, model, messages, parameters, whole)

    @property
    def record(self) -> dict[str, object]:
        """The request as a JSON object, without its digest."""
        return {
            "endpoint": self.endpoint,
            "model": self.model,
            "messages": self.messages,
            "parameters": json.loads(self.parameters),
        }


class Key(NamedTuple):
    """Where a completion is kept: whose it is, which request it answers, and its place there."""

    namespace: str
    owner: str
    model: str
    digest: str
    place: int

    @property
    def text(self) -> str:
        """The key as the store writes it: a JSON list."""
        return canonical(list(self))

    @classmethod
    def read(cls, text: object) -> Key | None:
        """The key that `text` wrote, or None where it is anything else."""
        if not isinstance(text, str):
            return None
        try:
            parts = json.loads(text)
        except (ValueError, RecursionError):
            return None
        match parts:
            case [str(), str(), str(), str(), int()] if cls(*parts).text == text:
                return cls(*parts)
            case _:
                return None


def name(text: str) -> str:
    """``text`` itself, a name of parts between colons, as in ``discord:guild:user``.

    Raises `UnstorableError` where a part is empty or a character cannot be printed.
    """
    if not all(text.split(":")) or any(unicodedata.category(c) in {"Cc", "Cs"} for c in text):
        raise UnstorableError(f"{text!r} is no name: it needs words between single colons")
    return text


def within(narrow: str, wide: str) -> bool:
    """Whether a name is ``wide`` itself or lies beneath it: ``discord:1:2`` is in ``discord:1``."""
    return narrow == wide or narrow.startswith(f"{wide}:")


def _address(endpoint: str) -> str:
    """An address without user, password, keys and closing slash, its server in lower case."""
    if "://" not in endpoint:
        return endpoint.rpartition("@")[2].strip().rstrip("/")
    try:
        parts = urlsplit(endpoint.strip())
    except ValueError as error:
        raise UnstorableError("the address of the model is no address") from error
    query = [
        (key, value)
        for key, value in parse_qsl(parts.query, keep_blank_values=True)
        if not is_secret(key) and key.lower() not in _QUERY_SECRETS
    ]
    server = parts.netloc.rpartition("@")[2].lower()
    return urlunsplit((parts.scheme, server, parts.path.rstrip("/"), urlencode(query), ""))
