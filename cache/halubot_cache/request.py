"""A request to a model, its canonical JSON without secrets, and the key of its answer."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple, Self
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from halubot_cache.errors import UnstorableError


def canonical(value: object) -> str:
    """``value`` as JSON in ASCII: keys sorted, no spaces, tuples as lists, 1.0 as 1.

    Raises `UnstorableError` for what JSON cannot say: other types, keys that are no text,
    infinities, a list within itself.
    """
    try:
        return json.dumps(_settle(value), sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (RecursionError, ValueError) as error:
        raise UnstorableError("it is nested too deeply, or holds a number beyond JSON") from error


def digest(value: object) -> str:
    """The SHA-256 of ``value`` in its one spelling, in hexadecimal."""
    return sha256(canonical(value).encode("ascii")).hexdigest()


def _settle(value: object) -> object:
    """``value`` with one form for each content; fails as `canonical` says."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            if not math.isfinite(value):
                raise UnstorableError(f"{value} is no number of JSON")
            # 0.0 and 0 ask the same of a server; without this, whoever writes the other one pays
            # again.
            return int(value) if value.is_integer() else value
        case list() | tuple():
            return [_settle(item) for item in value]
        case Mapping():
            if strange := [key for key in value if not isinstance(key, str)]:
                raise UnstorableError(f"the key {strange[0]!r} is not text")
            return {key: _settle(item) for key, item in value.items()}
        case _:
            raise UnstorableError(f"{type(value).__name__} is nothing that JSON can say")


_ENDINGS = (
    "apikey",
    "authorization",
    "accesskey",
    "accesskeyid",
    "accesstoken",
    "adtoken",
    "bearertoken",
    "cookie",
    "credentials",
    "headers",
    "password",
    "privatekey",
    "refreshtoken",
    "secret",
    "sessiontoken",
    "subscriptionkey",
)


def is_secret(name: str) -> bool:
    """Return True if a value of this name is a key: ``api_key``, ``X-Api-Key``, ``clientSecret``;
    or headers, which carry keys under names that nobody can foresee."""
    # By the ending: `max_tokens` and `tokens` are no secrets, `my_api_key` is.
    return re.sub(r"[^a-z0-9]", "", name.lower()).endswith(_ENDINGS)


_QUERY_SECRETS = frozenset({"key", "token", "code", "sig", "signature"})


@dataclass(frozen=True)
class Request:
    """The parts of a request that decide its answer; made by `Request.of`, which leaves every key
    and password out.

    endpoint    address of the server, or name of the provider; "" if it has none
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

        Raises `UnstorableError` if messages or parameters are not JSON.
        """
        asked = {name: value for name, value in (parameters or {}).items() if value is not None}
        return cls._make(_address(endpoint), model, digest(list(messages)), asked)

    @classmethod
    def from_record(cls, record: Mapping[str, object]) -> Self:
        """The request that `record` wrote; raises `UnstorableError` if a field is wrong."""
        match record:
            case {
                "endpoint": str(endpoint),
                "model": str(model),
                "messages": str(messages),
                "parameters": dict(parameters),
            }:
                return cls._make(_address(endpoint), model, messages, parameters)
            case _:
                raise UnstorableError("endpoint, model, messages or parameters is missing or wrong")

    @classmethod
    def _make(cls, endpoint: str, model: str, messages: str, asked: Mapping[str, object]) -> Self:
        parameters = canonical({name: asked[name] for name in asked if not is_secret(name)})
        # As a list and not joined: no two requests can run together into the same text.
        whole = digest([endpoint, model, messages, parameters])
        return cls(endpoint, model, messages, parameters, whole)

    @property
    def parameter_names(self) -> frozenset[str]:
        return frozenset(json.loads(self.parameters))

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
    """The key of a stored completion: its owner, which request it answers, and its place there."""

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
        """The key that `text` wrote, or None if it is anything else."""
        if not isinstance(text, str):
            return None
        try:
            parts = json.loads(text)
        except (ValueError, RecursionError):
            return None
        match parts:
            # Only in the one spelling: another text for the same key would be a second row.
            case [str(), str(), str(), str(), int()] if cls(*parts).text == text:
                return cls(*parts)
            case _:
                return None


def name(text: str) -> str:
    """``text`` itself, a name of parts between colons, as in ``discord:guild:user``.

    Raises `UnstorableError` if a part is empty or a character cannot be printed.
    """
    if not all(text.split(":")) or any(unicodedata.category(c) in {"Cc", "Cs"} for c in text):
        raise UnstorableError(f"{text!r} is no name: it needs words between single colons")
    return text


def within(narrow: str, wide: str) -> bool:
    """Return True if a name is ``wide`` itself or lies beneath it: ``discord:1:2`` is in
    ``discord:1``."""
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
    # Names of hosts have no case (RFC 3986, section 3.2.2); paths do.
    server = parts.netloc.rpartition("@")[2].lower()
    return urlunsplit((parts.scheme, server, parts.path.rstrip("/"), urlencode(query), ""))
