"""Queries to search providers, and what comes back."""

from __future__ import annotations

import asyncio
import json
import os
import threading
import time
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit
from urllib.request import getproxies

from halubot.errors import HalubotError, KnowledgeError
from halubot.evidence.kept import KeptAnswers
from halubot.evidence.web.providers import Named
from halubot.report import Source

MOST_RESULTS: Final = 10
"""Results of one query that are looked at."""

LONGEST_SNIPPET: Final = 2_000

SECONDS: Final = 8.0
"""How long a provider may take for one query."""

REACH_SECONDS: Final = 1.5
"""How long the name of a provider's machine may take to be found, and a connection to it."""

RESPITE_SECONDS: Final = 5.0
"""How long no other name is looked for after one was not found in time."""

_late: Final = [-RESPITE_SECONDS]

_DUCKDUCKGO: Final = "https://api.duckduckgo.com"


class Query(NamedTuple):
    """A query: all its words, and the subject alone, for encyclopaedias."""

    text: str
    topic: str

    def for_provider(self, named: Named) -> str:
        """Return what this provider receives."""
        return self.topic if named.provider.name == "duckduckgo" else self.text


class Hit(NamedTuple):
    """One result of a query. ``snippet`` is what the provider shows of the page."""

    title: str
    address: str
    snippet: str
    date: str | None
    receiver: str


class Answer(NamedTuple):
    """What a provider answered: results, or passages if it has the texts themselves; and how many
    results were left out."""

    hits: tuple[Hit, ...] = ()
    passages: tuple[Source, ...] = ()
    left_out: int = 0


class SearchError(HalubotError):
    """A search provider did not answer, or not with results."""


def find_kept(named: Named, query: str, kept: KeptAnswers) -> Answer | None:
    """Return what this provider answered lately, None if nothing is kept."""
    found = kept.get(_address(named), {"query": query, "provider": named.provider.name})
    if found is None:
        return None
    of = found.get("of")
    left_out = max(0, of - MOST_RESULTS) if isinstance(of, int) else 0
    return _answer(named, found.get("results"), left_out)


async def search(named: Named, query: str, kept: KeptAnswers) -> Answer:
    """Ask a provider, and return and keep what it finds. Raises SearchError."""
    if named.provider.name == "wikipedia":
        return await _ask_wikipedia(named.detail, query)
    address = _address(named)
    try:
        async with asyncio.timeout(SECONDS):
            results = await _ask(named, address, query)
    except TimeoutError as error:
        raise SearchError(f"{named.receiver} did not answer within {SECONDS:g} s") from error
    # What is kept is cut: a provider may send ten thousand results.
    most = [_cut(one) for one in results[:MOST_RESULTS]]
    asked = {"query": query, "provider": named.provider.name}
    kept.put(address, asked, {"results": most, "of": len(results)})
    return _answer(named, most, max(0, len(results) - MOST_RESULTS))


def _address(named: Named) -> str:
    match named.provider.name:
        case "searxng":
            return named.detail
        case "duckduckgo":
            return os.environ.get("DUCKDUCKGO_API_BASE", "").rstrip("/") or _DUCKDUCKGO
    return named.provider.name


async def _ask(named: Named, address: str, query: str) -> list[dict[str, Any]]:
    match named.provider.name:
        case "searxng":
            found = await get_json(f"{address}/search", {"q": query, "format": "json"}, named)
            return _dicts(found.get("results"))
        case "duckduckgo":
            asked = {"q": query, "format": "json", "no_html": "1", "skip_disambig": "1"}
            return _of_duckduckgo(await get_json(f"{address}/", asked, named))
    from halubot.models.litellm_door import search as ask_litellm

    try:
        return _dicts(await ask_litellm(named.provider.name, query, MOST_RESULTS))
    except Exception as error:  # litellm raises errors of many libraries
        why = " ".join(str(error).split())[:200] or type(error).__name__
        raise SearchError(f"{named.receiver} did not answer: {why}") from error


async def get_json(
    address: str, asked: Mapping[str, str], named: Named | str, seconds: float = SECONDS
) -> dict[str, Any]:
    """Return the object that a server answers to a GET. Raises SearchError."""
    import httpx

    from halubot.network import bind_limits
    from halubot.offline import is_refused, on_this_machine
    from halubot.version import __version__

    receiver = named if isinstance(named, str) else named.receiver
    parts = urlsplit(address)
    host = parts.hostname or ""
    if is_refused() and not on_this_machine(host):
        raise SearchError(f"{receiver} cannot be asked with --offline")
    await require_name(host, receiver)
    timeout = httpx.Timeout(seconds, connect=REACH_SECONDS)
    headers = {"User-Agent": f"halubot/{__version__}", "Accept": "application/json"}
    try:
        async with bind_limits(httpx.AsyncClient(timeout=timeout, headers=headers)) as client:
            response = await client.get(address, params=dict(asked))
    except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
        why = " ".join(str(error).split())[:200] or type(error).__name__
        raise SearchError(f"{receiver} cannot be reached ({why})") from error
    if response.status_code == 403 and not isinstance(named, str):
        raise SearchError(f"{receiver} refuses: it may not allow format=json (status 403)")
    if response.status_code == 404 and isinstance(named, str):
        return {}
    if response.status_code != 200:
        raise SearchError(f"{receiver} answered with status {response.status_code}")
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
    loop = asyncio.get_running_loop()
    found: asyncio.Future[str | None] = loop.create_future()

    def settle(why: str | None) -> None:
        if not found.done():
            found.set_result(why)

    def look() -> None:
        why = None
        try:
            socket.getaddrinfo(host, 443, type=socket.SOCK_STREAM)
        except HalubotError as error:
            why = str(error)
        except (OSError, UnicodeError):
            why = f"there is no machine {host}, or no network"
        try:
            loop.call_soon_threadsafe(settle, why)
        except RuntimeError:  # the loop was closed meanwhile
            return

    threading.Thread(target=look, name="halubot looks up a name", daemon=True).start()
    try:
        why = await asyncio.wait_for(asyncio.shield(found), REACH_SECONDS)
    except TimeoutError:
        _late[0] = time.monotonic()
        why = f"{host} was not found within {REACH_SECONDS:g} s"
    if why is not None:
        raise SearchError(f"{receiver} cannot be reached: {why}")


def _of_duckduckgo(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The instant answer and the results of DuckDuckGo as results of the usual form."""
    results = []
    if found.get("AbstractText") and found.get("AbstractURL"):
        results.append(
            {
                "title": found.get("Heading") or "",
                "url": found["AbstractURL"],
                "snippet": found["AbstractText"],
            }
        )
    # Related topics are other things with a similar name: only what it calls a result is one.
    for one in _dicts(found.get("Results")):
        results.append({"title": one.get("Text"), "url": one.get("FirstURL"), "snippet": ""})
    return results


async def _ask_wikipedia(language: str, query: str) -> Answer:
    from halubot.evidence.knowledge.wikipedia import Wikipedia

    base = Wikipedia(language)
    try:
        await require_name(f"{language}.wikipedia.org", "Wikipedia")
        found = await base.search(query, MOST_RESULTS)
    except KnowledgeError as error:
        raise SearchError(str(error)) from error
    finally:
        base.close()
    return Answer(passages=tuple(passage.source for passage in found))


def _cut(one: Mapping[str, Any]) -> dict[str, Any]:
    snippet = one.get("snippet") or one.get("content")
    date = one.get("date") or one.get("publishedDate") or one.get("last_updated")
    return {
        "title": _text(one.get("title"))[:300],
        "url": _text(one.get("url"))[:2_000],
        "snippet": _text(snippet)[:LONGEST_SNIPPET],
        "date": _text(date)[:40],
    }


def _answer(named: Named, results: Any, left_out: int) -> Answer:
    hits = (
        Hit(one["title"], one["url"], one["snippet"], day_of(one["date"]), named.receiver)
        for one in map(_cut, _dicts(results))
    )
    return Answer(tuple(hit for hit in hits if hit.address), (), left_out)


def day_of(written: str) -> str | None:
    """Return the day of a date as ISO 8601 writes it; None for anything else."""
    try:
        return datetime.fromisoformat(written.strip().replace("Z", "+00:00")).date().isoformat()
    except ValueError:
        return None


def _text(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _dicts(value: object) -> list[dict[str, Any]]:
    items: Iterable[object] = value if isinstance(value, list) else ()
    return [one for one in items if isinstance(one, dict)]
