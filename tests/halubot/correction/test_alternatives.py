"""What can stand in the place of words that are likely to be wrong."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.correction.alternatives import (
    is_likely,
    is_stated,
    likely_place,
    new_pieces,
    new_words,
    offers,
    whole,
)
from halubot.report import Evidence, Fact, Stance, Triple

CASES = [
    ("It has 12 books for students.", "It has 10 books for pupils.", "12", ("10",)),
    ("It has 12 books.", "It has 10 shelves.", "12", ()),
    ("It took 3 hours.", "It took 2 days, no, 4 hours.", "3 hours", ("2 days", "4 hours")),
    ("It took about 3 hours.", "It took 3 days.", "3 hours", ("3 days",)),
    ("It is 5 m high.", "In 1999 it was 7 kg and 6 m high.", "5 m", ("6 m",)),
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
]


@pytest.mark.parametrize(("text", "quote", "wrong", "right"), CASES)
def test_what_of_the_same_kind_takes_the_place_of_what_no_quote_has(
    text: str, quote: str, wrong: str, right: tuple[str, ...]
) -> None:
    place = new_pieces(text, [quote])[0]
    assert text[slice(*place)] == wrong
    assert offers(text, place, (), [quote]) == right


def test_nothing_is_new_that_a_quote_has_in_other_words() -> None:
    assert new_pieces("It is 26 metres, in Rome.", ["It is in Rome.", "It is 26 m."]) == []


def test_the_value_that_sources_give_comes_first_and_a_part_of_a_name_is_the_name() -> None:
    quotes = ["It took 2 hours.", "It was over in 4 hours."]
    assert offers("It took 3 hours.", (8, 15), ["4 hours"], quotes) == ("4 hours", "2 hours")
    named = "Chain at the University of Cambridge."
    at = named.index("Cambridge")
    assert named[slice(*whole(named, (at, at + 9)))] == "University of Cambridge"


@pytest.mark.parametrize(
    ("quote", "stated"),
    [
        ("An entrance tunnel of roughly 130 m leads to three chambers.", True),
        ("Water ran some fifteen metres into the tunnel.", False),
        ("The hill is 130 m high.", False),
    ],
)
def test_a_value_that_one_source_states_of_the_same_thing_is_not_replaced(
    quote: str, stated: bool
) -> None:
    text = "The tunnel runs about 130 metres into the rock."
    at = text.index("130")
    assert is_stated(text, (at, at + 10), ["It opened in 2008.", quote]) is stated


@pytest.mark.parametrize(
    ("text", "near", "others", "right"),
    [
        ("In 1732 he moved to Leipzig.", "In 1723 he came to Leipzig.", (), ("1723",)),
        ("In 1732 he moved to Leipzig.", "Since 1723 he was in Leipzig.", (), ()),
        ("He moved to Leipzig in 1732.", "It burnt in 1723.", ("It was burnt in 1723.",), ()),
        ("It is 8,949 metres high.", "It rises to 8,849 metres.", (), ("8,849 metres",)),
        ("They met in Belgrade.", "He was shot in Sarajevo.", (), ("Sarajevo",)),
        ("They met in Belgrade.", "Sarajevo has rain.", (), ()),
        ("It was signed by Omar Torrijos.", "It was signed by Torrijos.", (), ()),
    ],
)
def test_of_quotes_that_may_speak_of_something_else_less_is_taken(
    text: str, near: str, others: tuple[str, ...], right: tuple[str, ...]
) -> None:
    place = next(one for one in new_pieces(text, []) if text[one[0]].isalnum() and one[0] > 2)
    place = new_pieces(text, [near])[0] if right else place
    assert offers(text, place, (), [], near=[near], others=others) == right


@pytest.mark.parametrize(
    ("words", "stance", "value", "likely"),
    [
        ("South Georgia", "contradicts", None, False),
        ("South Georgia", "contradicts", "South  Georgia", True),
        ("South Georgia", "silent", None, True),
        ("Elephant Island", "contradicts", None, True),
        ("28", "contradicts", None, True),
    ],
)
def test_a_name_in_a_quote_that_does_not_give_it_is_not_likely(
    words: str, stance: Stance, value: str | None, likely: bool
) -> None:
    quote = "She sailed from South Georgia with 28 on board."
    evidence = Evidence(source="r1", stance=stance, quote=quote, value=value)
    fact = Fact(
        index=0,
        triple=Triple("Ernest Shackleton", "set out", "in 1914"),
        sentences=(0,),
        spans=((0, 9),),
        evidence=(evidence,),
    )
    assert is_likely(fact, words) is likely


@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=3), st.data())
def test_places_lie_in_the_text_and_own_words_are_not_offered(
    text: str, quotes: list[str], data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(text)))
    found = new_words(text, (start, len(text)), quotes)
    for place in (*new_pieces(text, quotes), *([] if found is None else [found])):
        assert 0 <= place[0] < place[1] <= len(text)
        offered = offers(text, place, quotes, quotes[:1], near=quotes)
        assert text[slice(*place)] not in offered
        assert all(any(one in quote for quote in quotes) for one in offered)


@pytest.mark.parametrize(
    ("values", "likely"),
    [
        (["New Zealand", "European"], False),
        (["New Zealand", "New Zealand", "European"], True),
        (["European", "European", "New Zealand"], False),
    ],
)
def test_of_several_values_the_one_that_most_sources_give_is_likely(
    values: list[str], likely: bool
) -> None:
    evidence = tuple(
        Evidence(source=f"s{n}", stance="contradicts", quote=f"In {one}.", value=one)
        for n, one in enumerate(values)
    )
    triple = Triple("settlers", "brought hedgehogs", "to Tasmania")
    fact = Fact(index=0, triple=triple, sentences=(0,), spans=((0, 9),), evidence=evidence)
    assert is_likely(fact, "New Zealand") is likely


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("It was drawn by the architect Helen Barstow from Leeds.", "Margaret Lindqvist"),
        ("It was drawn by Helen Barstow.", "Architect Margaret Lindqvist of Leeds"),
        ("It was drawn by the architect Helen Barstow.", "Margaret Lindqvist of Leeds"),
    ],
)
def test_a_name_is_offered_without_what_stands_beside_its_place(text: str, offered: str) -> None:
    start = text.index("Helen")
    quote = "Architect Margaret Lindqvist of Leeds drew the plans."
    assert offers(text, (start, start + len("Helen Barstow")), (), (quote,)) == (offered,)


@pytest.mark.parametrize(
    ("text", "quotes", "likely"),
    [
        ("Ada King showed it in Leeds.", ["At York: A. King shows the engine."], "Leeds"),
        ("It has two doors and 48 seats.", ["It seats 46 and has doors."], "48"),
        ("It has two doors and a roof.", ["The doors were new."], None),
        ("Ada King showed it in Leeds to Rolf Berg.", ["King was in York."], None),
        ("It was built in Leeds.", [], None),
    ],
)
def test_the_only_name_or_figure_that_no_quote_has_is_likely_to_be_wrong(
    text: str, quotes: list[str], likely: str | None
) -> None:
    place = likely_place(text, (0, len(text)), quotes)
    assert (None if place is None else text[slice(*place)]) == likely
