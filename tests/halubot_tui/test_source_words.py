"""Words of a sentence that are likely to be replaced, and those of sources in their place."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot_tui.source_words import FindNear, Near, offers, to_replace, whole

CASES = [
    ("She studied chemistry at the Sorbonne.", "She studied physics at Sorbonne.", "chemistry", ()),
    ("It has 12 books for students.", "It has 10 books for pupils.", "12", ("10",)),
    ("It has 12 books.", "It has 10 shelves.", "12", ()),
    ("It took 3 hours.", "It took 2 days, no, 4 hours.", "3 hours", ("2 days", "4 hours")),
    ("It is 5 m high.", "In 1999 it was 7 kg and 6 m high.", "5 m", ("6 m",)),
    ("Pierre was hit by a tram.", "A horse-drawn cart hit Pierre.", "tram", ()),
    ("It has five hearts.", "The octopus, from Spain, has three hearts.", "five", ("three",)),
    (
        "It was Gustave Eiffel.",
        "It lasted until Ferdinand Lesseps.",
        "Gustave Eiffel",
        ("Ferdinand Lesseps",),
    ),
    (
        "Chain at the University of Cambridge used it.",
        "At Oxford, Chain of the University of Oxford used it.",
        "University of Cambridge",
        ("University of Oxford",),
    ),
    ("Most of stainless steel.", "It is of wrought iron, of a height of 300 m.", None, None),
    ("It is in Rome.", "It is in Rome.", None, None),
    ("", "It is in Rome.", None, None),
    ("It is in Rome.", "", None, None),
]


@pytest.mark.parametrize(("text", "quote", "wrong", "right"), CASES)
def test_words_that_no_quote_has_and_what_of_the_same_kind_takes_their_place(
    text: str, quote: str, wrong: str | None, right: tuple[str, ...] | None
) -> None:
    place = to_replace(text, [quote])
    assert (None if place is None else text[slice(*place)]) == wrong
    if place is not None:
        assert offers(text, place, (), [quote]) == right


def test_the_value_that_sources_give_comes_first_and_a_part_of_a_name_is_the_name() -> None:
    text = "It took 3 hours."
    place = (8, 15)
    quotes = ["It took 2 hours.", "It was over in 4 hours."]
    assert offers(text, place, ["4 hours"], quotes) == ("4 hours", "2 hours")
    named = "Chain at the University of Cambridge."
    at = named.index("Cambridge")
    assert named[slice(*whole(named, (at, at + 9)))] == "University of Cambridge"


def test_words_of_the_fact_come_first() -> None:
    text = "It is painted green, and UNESCO made it a site."
    place = to_replace(text, ["It is painted red.", "It became a site."], "It is painted green")
    assert place is not None
    assert text[slice(*place)] == "green"


@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=3), st.data())
def test_places_lie_in_the_text_and_own_words_are_not_offered(
    text: str, quotes: list[str], data: st.DataObject
) -> None:
    place = to_replace(text, quotes)
    if place is None:
        start = data.draw(st.integers(0, len(text)))
        place = start, data.draw(st.integers(start, len(text)))
    assert 0 <= place[0] <= place[1] <= len(text)
    found = offers(text, place, quotes, quotes)
    assert text[slice(*place)] not in found
    assert all(any(one in quote for quote in quotes) for one in found)


def test_the_nearest_sentences_of_sources_are_found() -> None:
    order = FindNear(
        {"s1": "The moon is grey. Cheese is yellow.", "s2": "Nothing of it."},
        {
            "f1": ("The moon is green", "The moon is green."),
            "f2": ("Xyzzy", "Xyzzy."),
            "f3": ("moon is grey", "The grey moon is far."),
        },
    )
    found = asyncio.run(order(lambda event: None))
    assert found["f1"] == (Near("s1", "The moon is grey."),)
    assert found["f2"] == ()
    assert found["f3"]
