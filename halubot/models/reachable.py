"""Which models can be reached: those a person named, and those that servers offer.

Servers are looked for on this machine alone, at their usual ports, and at the address that was
given. They are asked for their lists without a key, past any proxy; no model is called.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple
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
class Reachable:
    """A model by the name that halubot is given. ``api_base`` is the address that is given with it,
    without user, password or key, and None if the name is enough. ``endpoint`` receives the text.
    ``origin`` is the place at which it was named, or "server" for one that a server offers.
    """

    name: str
    api_base: str | None
    endpoint: str
    origin: str

    @property
    def provider(self) -> str:
        """The part of its name that names a provider, "" if none does."""
        return self.name.partition("/")[0] if "/" in self.name else ""

    @property
    def local(self) -> bool:
        return is_local(self.endpoint)

    @property
    def capabilities(self) -> Capabilities:
        """The abilities that it showed in real calls."""
        return learnt(self.name, self.endpoint)

    @property
    def missing_key(self) -> str | None:
        """The variable that its provider wants and that is not set."""
        return missing_key(self.name, self.api_base)


class _Server(NamedTuple):
    """A server that may have a list of models. ``api_base`` is given with their names, None if
    these are enough. ``asked_for`` says that a person named its address."""

    base: str
    ollama: bool
    api_base: str | None
    asked_for: bool = False


def reachable(
    named: Mapping[str, str], api_base: str | None = None, *, offline: bool = False
) -> tuple[list[Reachable], list[str]]:
    """The models, those first that are named here with the places at which they were named, and
    what to say of servers that sent no list: of those on this machine that nobody named, only that
    they want a key. With ``offline`` no other machine is asked. Takes `SECONDS` at most."""
    shown = address("", api_base) if api_base else None
    models: dict[tuple[str, str], Reachable] = {}
    for name, origin in named.items():
        endpoint = address(name.partition("/")[0] if "/" in name else "", api_base)
        models[name, endpoint] = Reachable(name, shown, endpoint, origin)
    offered: list[Reachable] = []
    problems: list[str] = []
    for server, answer in _ask_all(list(_servers(models.values(), shown, offline=offline))):
        if isinstance(answer, str):
            problems.append(f"{server.base}: {answer}")
            continue
        prefix = "ollama_chat" if server.ollama else "openai"
        endpoint = address(prefix, server.api_base)
        full = (f"{prefix}/{name}" for name in answer)
        offered += (Reachable(name, server.api_base, endpoint, "server") for name in full)
    offered = [one for one in offered if (one.name, one.endpoint) not in models]
    offered.sort(key=lambda one: (one.api_base or "", one.name))
    return [*models.values(), *offered], sorted(problems)


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


def _servers(
    models: Iterable[Reachable], api_base: str | None, *, offline: bool
) -> Iterator[_Server]:
    """The servers to ask, each once; those whose address a person named first."""
    wanted = [
        _server(one.endpoint, one.api_base, one.provider.startswith("ollama"), asked_for=True)
        for one in models
        if one.local
    ]
    if api_base:
        ollama = _port(urlsplit(api_base)) == OLLAMA_PORT
        wanted.append(_server(api_base, api_base, ollama, asked_for=True))
    default = address("ollama_chat", None)
    if is_local(default):
        wanted.append(_server(default, None, ollama=True))
    if host := _ollama_host():
        wanted.append(_server(host, host, ollama=True))
    bases = (f"http://127.0.0.1:{port}/v1" for port in PORTS)
    wanted += (_server(base, base, ollama=False) for base in bases)
    seen: set[tuple[str, int | None, str]] = set()
    for server in wanted:
        parts = urlsplit(server.base)
        local = on_this_machine(parts.hostname or "")
        # localhost, 127.0.0.1 and ::1 are one server, which would be listed several times.
        key = ("" if local else str(parts.hostname), _port(parts), parts.path)
        if key not in seen and (local or not offline):
            seen.add(key)
            yield server


def _server(base: str, api_base: str | None, ollama: bool, *, asked_for: bool = False) -> _Server:
    if urlsplit(base).path:
        return _Server(base, False, api_base, asked_for)
    if ollama:
        return _Server(base, True, api_base, asked_for)
    return _Server(f"{base}/v1", False, api_base and f"{base}/v1", asked_for)


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


def _ask_all(servers: Sequence[_Server]) -> Iterator[tuple[_Server, list[str] | str]]:
    """Each server with the names of its models or with what is worth saying of it, as they come;
    one that takes too long is left to itself."""
    waiting = {begin(partial(_ask, server), "halubot looks"): server for server in servers}
    with suppress(TimeoutError):
        for answer in as_completed(waiting.copy(), SECONDS):
            yield waiting.pop(answer), answer.result()
    yield from ((server, _LATE) for server in waiting.values() if server.asked_for)


def _ask(server: _Server) -> list[str] | str:
    """The models of a server's list, or what to say of it."""
    # Of ports that nobody named silence is no news: something else may listen there.
    silent: Callable[[str], list[str] | str] = lambda why: why if server.asked_for else []  # noqa: E731
    parts = urlsplit(f"{server.base}{'/api/tags' if server.ollama else '/models'}")
    # http.client, since it follows no redirect, knows no proxy and sends nothing that it was not
    # given.
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    try:
        with closing(kind(parts.hostname or "", parts.port, timeout=SECONDS)) as connection:
            connection.request("GET", parts.path, headers={"Accept": "application/json"})
            response = connection.getresponse()
            # Cut there, a list is no JSON any more and counts as none.
            status, body = response.status, response.read(LONGEST)
    except TimeoutError:
        return silent(_LATE)
    except (OSError, HTTPException, ValueError):
        return silent(NOBODY)
    if status in (401, 403):
        return "it wants a key; name one of its models with --model"
    key, name = ("models", "name") if server.ollama else ("data", "id")
    try:
        found = json.loads(body)[key] if status == 200 else None
    except (ValueError, RecursionError, LookupError, TypeError):
        found = None
    if not isinstance(found, list):
        return silent("it does not say which models it has")
    names = [entry.get(name) for entry in found if isinstance(entry, dict)]
    return [one for one in names if isinstance(one, str) and one]
