"""Which models can be reached: those a person named, and those that servers offer.

Servers are looked for on this machine alone, at their usual ports, and at the address that was
given. They are asked for their lists without a key, past any proxy; no model is called.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import as_completed
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit
from urllib.request import getproxies, proxy_bypass

from halubot.concurrency import begin
from halubot.errors import NO_KEY, NOBODY, HalubotError
from halubot.models.capabilities import learnt
from halubot.models.model import Capabilities
from halubot.models.model_errors import ModelError, RefusedKeyError, UnreachableError
from halubot.models.published import address, base_of, is_local, provider_of
from halubot.offline import on_this_machine

SECONDS = 2.0
"""How long servers may take to send their lists: all are asked at once."""

LONGEST = 1 << 20
"""Bytes of a list that are read."""

OLLAMA_PORT = 11434
PORTS = (1234, 8080, 8000)
"""Where LM Studio, llama-server and vLLM listen unless they are told otherwise."""

# A table of our own: to ask litellm means to load it, which takes seconds.
_KEYS = {
    "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
    "cerebras": ("CEREBRAS_API_KEY",),
    "cohere": ("COHERE_API_KEY", "CO_API_KEY"),
    "deepseek": ("DEEPSEEK_API_KEY",),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "groq": ("GROQ_API_KEY",),
    "mistral": ("MISTRAL_API_KEY",),
    "openai": ("OPENAI_API_KEY",),
    "openrouter": ("OPENROUTER_API_KEY",),
    "xai": ("XAI_API_KEY",),
}
"""The variables of which a provider wants one; of others nothing is said."""


_LATE = "it does not answer in time"


@dataclass(frozen=True, slots=True)
class Named:
    """A model that a person named, and where: "option", "variable" or "file"."""

    name: str
    origin: str


@dataclass(frozen=True, slots=True)
class Reachable:
    """A model by the name that halubot is given. ``api_base`` is the address that is given with it,
    without user, password or key, and None if the name is enough. ``endpoint`` receives the text,
    and is on this machine if ``local``. ``origin`` is the place at which it was named, or "server"
    for one that a server offers. ``missing_key`` is the variable that its provider wants and that
    is not set.
    """

    name: str
    api_base: str | None
    provider: str
    endpoint: str
    local: bool
    origin: str
    capabilities: Capabilities
    missing_key: str | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """A server's list of models. ``asked_for`` says that a person named its address."""

    url: str
    prefix: str
    api_base: str | None
    asked_for: bool

    @property
    def server(self) -> str:
        """The server's address, for people."""
        return self.url.removesuffix("/api/tags").removesuffix("/models")


class _NoListError(Exception):
    """A server that does not say which models it has."""


def reachable(
    named: Sequence[Named], api_base: str | None = None, *, offline: bool = False
) -> tuple[list[Reachable], list[str]]:
    """The models, those named first, and what to say of servers that sent no list: of those on
    this machine that nobody named, only that they want a key. With ``offline`` no other machine
    is asked. Takes `SECONDS` at most."""
    models = {one.name: _describe_named(one, api_base) for one in named if one.name}
    offered: list[Reachable] = []
    problems: list[str] = []
    for place, answer in _ask(list(_places(models.values(), api_base, offline=offline))):
        if isinstance(answer, str):
            problems.append(f"{place.server}: {answer}")
        else:
            offered += (_offer(name, place) for name in answer)
    known = {(one.name, one.endpoint) for one in models.values()}
    offered = [one for one in offered if (one.name, one.endpoint) not in known]
    return [*models.values(), *sorted(offered, key=lambda one: (one.api_base or "", one.name))], (
        sorted(problems)
    )


def _describe_named(named: Named, api_base: str | None) -> Reachable:
    provider = named.name.partition("/")[0] if "/" in named.name else ""
    endpoint = address(provider, api_base)
    return Reachable(
        named.name,
        address("", api_base) if api_base else None,
        provider,
        endpoint,
        is_local(endpoint),
        named.origin,
        learnt(named.name, endpoint),
        missing_key(named.name, api_base),
    )


def keys_set() -> dict[str, str]:
    """The providers whose key is set, each with the variable that holds it."""
    set_ = {name: [key for key in keys if os.environ.get(key)] for name, keys in _KEYS.items()}
    return {name: keys[0] for name, keys in set_.items() if keys}


def missing_key(name: str, api_base: str | None) -> str | None:
    """The variable that the provider of a model wants and that is not set; None if none is
    wanted, or nothing is known of it."""
    provider = provider_of(name)
    # "openai/" with an address is any server that talks like OpenAI's, and most want no key.
    own_server = provider == "openai" and base_of(provider, api_base) is not None
    here = is_local(address(provider, api_base))
    keys = () if here or own_server else _KEYS.get(provider, ())
    return None if any(os.environ.get(key) for key in keys) else next(iter(keys), None)


def find_obstacle(name: str, api_base: str | None) -> ModelError | None:
    """Return the error that every call of a model would meet, as far as that can be known within
    `SECONDS` and without a call: no key, or nobody at its address; None if there is none."""
    provider = provider_of(name)
    at = {"model": name, "endpoint": address(provider, api_base)}
    key = missing_key(name, api_base)
    if key is not None and not _is_in_dotenv(key):
        return RefusedKeyError(NO_KEY, f"set {key}", **at)
    base = base_of(provider, api_base)
    if base is None or _is_proxied(base) or _is_reached(base):
        return None
    remedy = "start the server, or give its address with --api-base"
    return UnreachableError(NOBODY, remedy, **at)


def _is_in_dotenv(key: str) -> bool:
    """Return True if litellm will find a variable in a file: it reads the first .env above
    itself."""
    spec = find_spec("litellm")
    for folder in Path(spec.origin).parents if spec is not None and spec.origin else ():
        with suppress(OSError):
            return key in (folder / ".env").read_text(encoding="utf-8", errors="replace")
    return False


def _is_proxied(base: str) -> bool:
    """Return True if a proxy stands before an address: what answers there cannot be seen from
    here."""
    parts = urlsplit(base if "://" in base else f"http://{base}")
    proxies = getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    return bool(proxy) and not proxy_bypass(parts.hostname or "")


def _is_reached(base: str) -> bool:
    """Return True if anybody takes a connection at an address within `SECONDS`, looking up its name
    included, which can take longer than any limit that a socket knows."""
    parts = urlsplit(base if "://" in base else f"http://{base}")

    def connect() -> None:
        port = parts.port or {"https": 443}.get(parts.scheme, 80)
        socket.create_connection((parts.hostname or "", port), SECONDS).close()

    try:
        begin(connect, "halubot looks").result(SECONDS - 0.2)
    except (OSError, ValueError, HalubotError):  # one of them is TimeoutError
        return False
    return True


def _offer(name: str, place: Place) -> Reachable:
    full = f"{place.prefix}/{name}"
    endpoint = address(place.prefix, place.api_base)
    return Reachable(
        full,
        place.api_base,
        place.prefix,
        endpoint,
        is_local(endpoint),
        "server",
        learnt(full, endpoint),
    )


def _places(models: Iterable[Reachable], api_base: str | None, *, offline: bool) -> Iterator[Place]:
    """The servers to ask, each once; those whose address a person named first."""
    seen: set[tuple[str, int | None, str]] = set()
    for place in _all_places(models, api_base):
        parts = urlsplit(place.url)
        local = on_this_machine(parts.hostname or "")
        # localhost, 127.0.0.1 and ::1 are one server, which would be listed several times.
        key = ("" if local else str(parts.hostname), _port(parts), parts.path)
        if key not in seen and (local or not offline):
            seen.add(key)
            yield place


def _all_places(models: Iterable[Reachable], api_base: str | None) -> Iterator[Place]:
    for model in models:
        if model.local:
            ollama = model.provider.startswith("ollama")
            yield _place(model.endpoint, model.api_base, ollama=ollama, asked_for=True)
    if api_base:
        base = address("", api_base)
        yield _place(base, base, ollama=_port(urlsplit(base)) == OLLAMA_PORT, asked_for=True)
    default = address("ollama_chat", None)
    if is_local(default):
        yield _place(default, None, ollama=True)
    if host := _ollama_host():
        yield _place(host, host, ollama=True)
    for port in PORTS:
        base = f"http://127.0.0.1:{port}/v1"
        yield _place(base, base)


def _place(
    base: str, api_base: str | None, *, ollama: bool = False, asked_for: bool = False
) -> Place:
    if ollama and not urlsplit(base).path:
        return Place(f"{base}/api/tags", "ollama_chat", api_base, asked_for)
    if not urlsplit(base).path:
        base = f"{base}/v1"
        api_base = api_base and base
    return Place(f"{base}/models", "openai", api_base, asked_for)


def _ollama_host() -> str | None:
    """The address that OLLAMA_HOST names, if it is on this machine: it also tells Ollama itself
    if to listen, so that 0.0.0.0 is this machine."""
    given = os.environ.get("OLLAMA_HOST", "").strip()
    parts = urlsplit(given if "://" in given else f"http://{given}")
    host = parts.hostname or "127.0.0.1"
    if not given or not on_this_machine(host):
        return None
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]", "::1": "[::1]"}.get(host, host)  # noqa: S104
    return f"http://{host}:{_port(parts) or OLLAMA_PORT}"


def _port(parts: SplitResult) -> int | None:
    with suppress(ValueError):
        return parts.port
    return None


def _ask(places: Sequence[Place]) -> Iterator[tuple[Place, list[str] | str]]:
    """Each server with the names of its models or with what is worth saying of it, as they come;
    one that takes too long is left to itself."""

    def ask(place: Place) -> list[str] | str:
        try:
            return _names(place)
        except _NoListError as error:
            return str(error)
        except TimeoutError:
            # Of ports that nobody named silence is no news: something else may listen there.
            return _LATE if place.asked_for else []
        except (OSError, HTTPException, ValueError):
            return NOBODY if place.asked_for else []

    waiting = {begin(partial(ask, place), "halubot looks"): place for place in places}
    with suppress(TimeoutError):
        for answer in as_completed(waiting.copy(), SECONDS):
            yield waiting.pop(answer), answer.result()
    yield from ((place, _LATE) for place in waiting.values() if place.asked_for)


def _names(place: Place) -> list[str]:
    """The models of a server's list. Raises OSError, HTTPException and ValueError for one that
    cannot be reached, and _NoListError."""
    parts = urlsplit(place.url)
    # http.client, since it follows no redirect, knows no proxy and sends nothing that it was not
    # given.
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    with closing(kind(parts.hostname or "", parts.port, timeout=SECONDS)) as connection:
        connection.request("GET", parts.path, headers={"Accept": "application/json"})
        response = connection.getresponse()
        # Cut there, a list is no JSON any more and counts as none.
        status, body = response.status, response.read(LONGEST)
    if status in (401, 403):
        raise _NoListError("it wants a key; name one of its models with --model")
    try:
        found = json.loads(body) if status == 200 else None
    except (ValueError, RecursionError):
        found = None
    names = _list_items(
        found, *(("models", "name") if place.prefix != "openai" else ("data", "id"))
    )
    if names is None and place.asked_for:
        raise _NoListError("it does not say which models it has")
    return names or []


def _list_items(found: Any, key: str, name: str) -> list[str] | None:
    entries = found.get(key) if isinstance(found, dict) else None
    if not isinstance(entries, list):
        return None
    names = [entry.get(name) for entry in entries if isinstance(entry, dict)]
    return [one for one in names if isinstance(one, str) and one]
