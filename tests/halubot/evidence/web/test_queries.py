"""Queries name what a message is about, also for sentences that do not."""

from __future__ import annotations

import pytest

from halubot.claims import extract, read_message
from halubot.evidence.web.queries import write_queries


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        (
            "The silver plover breeds on the tundra. It winters in Mali.",
            ["silver plover breeds tundra", "silver plover winters Mali"],
        ),
        (
            "The Lumo is a lamp. It is of beech. About three million were sold.",
            ["Lumo lamp", "Lumo beech", "Lumo three million sold"],
        ),
        (
            "The Corbay tram has four lines. It opened in 1884. Line 3 is long.",
            ["Corbay tram four lines", "Corbay tram opened 1884", "Line 3 Corbay tram long"],
        ),
        (
            "Paris has two airports. Berlin has one. Rome has two.",
            ["Paris two airports", "Berlin one", "Rome two"],
        ),
        ("The Kellan Bridge's arch is of steel.", ["Kellan Bridge arch steel"]),
    ],
)
def test_a_query_names_its_subject(text: str, asked: list[str]) -> None:
    message = read_message(text)
    assert [query.text for query in write_queries(message, extract(message), 6)] == asked
