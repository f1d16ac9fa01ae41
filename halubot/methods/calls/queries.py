"""Queries for the web, written by a model."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel, Field

from halubot.evidence.web.search import Query
from halubot.methods.calls.session import ModelSession

LONGEST: Final = 20_000
"""Characters of a text that the model is shown."""


class _Queries(BaseModel):
    queries: list[str] = Field(description="search queries, the most important first")


async def write_with_model(session: ModelSession, text: str, most: int) -> tuple[Query, ...]:
    """Return at most ``most`` queries that the judge writes for a text; empty if it fails, which
    is noted."""
    answer = await session.ask("web-queries", _Queries, {"text": text[:LONGEST]})
    if answer.value is None:
        return ()
    written = (" ".join(one.split())[:200] for one in answer.value.queries)
    return tuple(Query(one, one) for one in dict.fromkeys(written) if one)[:most]
