"""Servers on the web that answer a GET with a JSON object: search providers, Wikipedia."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit
from urllib.request import getproxies

from halubot.concurrency import begin
from halubot.errors import HalubotError
from halubot.models.vendor_errors import read_retry_after
from halubot.offline import is_refused, on_this_machine
from halubot.version import __version__

if TYPE_CHECKING:
    import httpx

SECONDS: Final = 8.0
"""How long a server may take for one answer."""

REACH_SECONDS: Final = 1.5
"""How long the name of a machine may take to be found, and a connection to it."""

RESPITE_SECONDS: Final = 5.0
"""How long no other name is looked for after one was not found in time."""

_late: Final = [-RESPITE_SECONDS]


class SearchError(HalubotError):
    """A server did not answer, or not with what was asked for."""


class BusyServerError(SearchError):
    """A server that may answer a moment later, after ``wait`` seconds if it said so."""

    def __init__(self, why: str, wait: float | None = None) -> None:
        self.wait = wait
        super().__init__(why)


def open_client(agent: str = "") -> httpx.AsyncClient:
    """Return a client with the limits of `halubot.network`. ``agent`` is its User-Agent."""
    import httpx

    from halubot.network import bind_limits, tls_context

    timeout = httpx.Timeout(SECONDS, connect=REACH_SECONDS)
    headers = {"User-Agent": agent or f"halubot/{__version__}", "Accept": "application/json"}
    client = httpx.AsyncClient(timeout=timeout, headers=headers, verify=tls_context())
    return bind_limits(client)


async def get_json(
    client: httpx.AsyncClient,
    address: str,
    asked: Mapping[str, str],
    receiver: str,
    *,
    seconds: float | None = None,
    refused: str = "",
) -> dict[str, Any]:
    """Return the object that a server answers to a GET. Raises SearchError, in the name of the
    ``receiver``; ``refused`` says what may be the matter if it refuses."""
    import httpx

    seconds = SECONDS if seconds is None else seconds
    host = urlsplit(address).hostname or ""
    if is_refused() and not on_this_machine(host):
        raise SearchError(f"{receiver} cannot be asked with --offline")
    await require_name(host, receiver)
    try:
        # Of the whole: a server that sends a byte now and then keeps within the limits of a socket.
        async with asyncio.timeout(seconds):
            response = await client.get(address, params=dict(asked))
    except (TimeoutError, httpx.TimeoutException) as error:
        raise BusyServerError(f"{receiver} did not answer within {seconds:g} s") from error
    except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
        why = " ".join(str(error).split())[:200] or type(error).__name__
        raise SearchError(f"{receiver} cannot be reached ({why})") from error
    status = response.status_code
    if status == 429 or status >= 500:
        why = f"{receiver} is busy (status {status}): try again later"
        raise BusyServerError(why, read_retry_after(response.headers.get("retry-after", "")))
    if status != 200:
        why = f": {refused}" if refused and status in (401, 403) else ""
        raise SearchError(f"{receiver} refuses (status {status}){why}")
    try:
        found = json.loads(response.content)
    except (ValueError, RecursionError) as error:
        raise SearchError(f"{receiver} answered with something that is not JSON") from error
    if not isinstance(found, dict):
        raise SearchError(f"{receiver} answered with something that is no answer")
    return found


async def require_name(host: str, receiver: str) -> None:
    """Raise SearchError if the name of a machine is not found in a moment: without a network the
    system may look for half a minute."""
    import socket

    if getproxies():
        return  # a proxy looks it up
    if time.monotonic() - _late[0] < RESPITE_SECONDS:
        raise SearchError(f"{receiver} cannot be reached: names were not found in time")
    look = partial(socket.getaddrinfo, host, 443, type=socket.SOCK_STREAM)
    found = begin(look, "halubot looks up a name")
    try:
        await asyncio.to_thread(found.result, REACH_SECONDS)
        return
    except TimeoutError:
        _late[0] = time.monotonic()
        why = f"{host} was not found within {REACH_SECONDS:g} s"
    except HalubotError as error:
        why = str(error)
    except (OSError, UnicodeError):
        why = f"there is no machine {host}, or no network"
    raise SearchError(f"{receiver} cannot be reached: {why}")


def dicts(value: object) -> list[dict[str, Any]]:
    """Return the objects in a list of JSON; none of what is no list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
