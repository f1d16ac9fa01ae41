"""Queries to search providers, and what comes back."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple

from halubot.errors import KnowledgeError
from halubot.evidence.json_api import SECONDS, SearchError, dicts, get_json, open_client
from halubot.evidence.kept import KeptAnswers
from halubot.evidence.web.providers import Named
from halubot.report import Source

MOST_RESULTS: Final = 10
"""Results of one query that are looked at."""

LONGEST_SNIPPET: Final = 2_000


class Query(NamedTuple):
    """A query: all its words, and the subject alone."""

    text: str
    topic: str

    def for_provider(self, named: Named) -> str:
        """Return what this provider receives."""
        return self.topic if named.provider.topics else self.text


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


def find_kept(named: Named, query: str, kept: KeptAnswers) -> Answer | None:
    """Return what this provider answered lately, None if nothing is kept."""
    found = kept.get(_address(named), {"query": query, "provider": named.provider.name})
    return None if found is None else _answer(named, found)


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
    found = {"results": [_cut(one) for one in results[:MOST_RESULTS]], "of": len(results)}
    kept.put(address, {"query": query, "provider": named.provider.name}, found)
    return _answer(named, found)


def _address(named: Named) -> str:
    """Where a query goes, by which its answer is kept; litellm's name for what it sends."""
    provider = named.provider
    if provider.litellm:
        return provider.name
    own = os.environ.get(f"{provider.name.upper()}_API_BASE")
    return (named.detail or own or provider.address).rstrip("/")


async def _ask(named: Named, address: str, query: str) -> list[dict[str, Any]]:
    asked = {"q": query, "format": "json"}
    match named.provider.name:
        case "searxng":
            async with open_client() as client:
                found = await get_json(
                    client,
                    f"{address}/search",
                    asked,
                    named.receiver,
                    refused="it may not allow format=json",
                )
            return dicts(found.get("results"))
        case "duckduckgo":
            asked |= {"no_html": "1", "skip_disambig": "1"}
            async with open_client() as client:
                return _of_duckduckgo(await get_json(client, f"{address}/", asked, named.receiver))
    from halubot.models.litellm_door import search as ask_litellm

    try:
        return dicts(await ask_litellm(named.provider.name, query, MOST_RESULTS))
    except Exception as error:  # litellm raises errors of many libraries
        why = " ".join(str(error).split())[:200] or type(error).__name__
        raise SearchError(f"{named.receiver} did not answer: {why}") from error


def _of_duckduckgo(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The instant answer and the results of DuckDuckGo as results of the usual form."""
    # Related topics are other things with a similar name: only what it calls a result is one.
    results = [
        {"title": one.get("Text"), "url": one.get("FirstURL")}
        for one in dicts(found.get("Results"))
    ]
    if found.get("AbstractText") and found.get("AbstractURL"):
        abstract = {"url": found["AbstractURL"], "snippet": found["AbstractText"]}
        results.insert(0, {"title": found.get("Heading"), **abstract})
    return results


async def _ask_wikipedia(language: str, query: str) -> Answer:
    from halubot.evidence.knowledge.wikipedia import Wikipedia

    base = Wikipedia(language)
    try:
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


def _answer(named: Named, found: Mapping[str, Any]) -> Answer:
    hits = (
        Hit(one["title"], one["url"], one["snippet"], day_of(one["date"]), named.receiver)
        for one in map(_cut, dicts(found.get("results")))
    )
    left_out = max(0, int(found.get("of", 0)) - MOST_RESULTS)
    return Answer(tuple(hit for hit in hits if hit.address), (), left_out)


def day_of(written: str) -> str | None:
    """Return the day of a date as ISO 8601 writes it; None for anything else."""
    try:
        return datetime.fromisoformat(written.strip().replace("Z", "+00:00")).date().isoformat()
    except ValueError:
        return None


def _text(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""
