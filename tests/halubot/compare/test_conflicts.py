"""Conflicts: the one place at which two sentences exclude each other, and what is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.compare.alternatives import excludes
from halubot.compare.conflicts import find_conflicts
from halubot.compare.occurrences import is_elsewhere
from halubot.values.comparison import compatible, differ
from halubot.values.reader import find
from tests.halubot.compare.sentences import aligned


def conflicts(claim: str, source: str) -> set[tuple[str, str, str]]:
    """The kinds of conflicts with the words on both sides."""
    found = aligned(claim, source)
    return {
        (one.kind, claim[slice(*one.claim)], source[slice(*one.source)])
        for one in find_conflicts(found)
        if not is_elsewhere(found, one)
    }


@pytest.mark.parametrize(
    ("claim", "source", "wanted"),
    [
        (
            "The tower is 120 m tall.",
            "The tower is 140 m tall.",
            ("value", "120 m", "140 m"),
        ),
        (
            "The siege lasted 40 days.",
            "The siege lasted 40 weeks.",
            ("unit", "40 days", "40 weeks"),
        ),
        ("Ada was born in Rome.", "Ada was born in Milan.", ("name", "Rome", "Milan")),
        (
            "The price rises at night.",
            "The price falls at night.",
            ("opposite", "rises", "falls"),
        ),
        (
            "She plays the violin at school.",
            "She plays the trumpet at school.",
            ("noun", "violin", "trumpet"),
        ),
        (
            "The shop is open on Sunday.",
            "The shop is not open on Sunday.",
            ("polarity", "is open", "is not open"),
        ),
        ("You must wear a helmet.", "You may wear a helmet.", ("modal", "must", "may")),
        ("All dogs bark at night.", "Some dogs bark at night.", ("quantity", "All", "Some")),
        ("Wash it before dinner.", "Wash it after dinner.", ("link", "before", "after")),
        (
            "Edison sued Tesla.",
            "Tesla sued Edison.",
            ("roles", "Edison sued Tesla", "Tesla sued Edison"),
        ),
        (
            "First open the valve, then start the pump.",
            "First start the pump and then open the valve.",
            ("roles", "pump", "pump"),
        ),
        (
            "The match was cancelled because of a storm.",
            "The match was cancelled due to illness.",
            ("cause", "storm", "illness"),
        ),
        (
            "Because of a storm, the match was cancelled.",
            "The match was cancelled owing to illness.",
            ("cause", "storm", "illness"),
        ),
        (
            "Ada is the sister of Karl Reed.",
            "Ada is the mother of Karl Reed.",
            ("noun", "sister", "mother"),
        ),
        ("Take vitamin D daily.", "Take vitamin C daily.", ("name", "D", "C")),
        ("A seat costs 5 euros.", "A seat costs 5 dollars.", ("unit", "5 euros", "5 dollars")),
        ("The pool is deep.", "The pool is shallow.", ("opposite", "deep", "shallow")),
        (
            "Add 2 teaspoons of salt.",
            "Add 2 tablespoons of salt.",
            ("unit", "2 teaspoons", "2 tablespoons"),
        ),
        (
            "The book was written by the novelist Ann Weir.",
            "The book is the work of the novelist Olga Lund.",
            ("name", "Weir", "Olga"),
        ),
        (
            "More than two pills are too many.",
            "No more than two pills are too many.",
            ("value", "two", "two"),
        ),
    ],
)
def test_one_place_is_a_conflict(claim: str, source: str, wanted: tuple[str, str, str]) -> None:
    assert wanted in conflicts(claim, source)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The tower is 120 m tall.", "The tower is 0.12 km tall."),
        ("Ada was born in Rome in 1901.", "Ada was born in Rome."),
        ("The report was written by Ada.", "Ada wrote the report."),
        ("Ada bought the mill from Karl.", "Karl sold the mill to Ada."),
        ("The train is faster than the bus.", "The bus is slower than the train."),
        ("You must wear a helmet.", "You should wear a helmet."),
        ("The shop is open.", "The shop is not closed."),
        ("She owns a dog.", "She owns a spaniel."),
        ("Ada was a daughter of Karl Reed.", "Ada's father was Karl Reed."),
        ("Ada was a daughter of Karl Reed.", "Ada was born to Karl Reed and his wife."),
        ("Drink it with milk.", "Drink it with or without milk."),
        ("With or without milk it is good.", "With or without milk it is good."),
        ("The ship left in 1931.", "The ship left on 4 May 1931."),
        ("The sea is not salty enough for worms.", "The sea is salty, but less than others."),
    ],
)
def test_no_place_is(claim: str, source: str) -> None:
    assert conflicts(claim, source) == set()


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The novel was published in 1911.", "The novel was filmed in 1950."),
        ("The school opened in 1931.", "The school closed in 1980."),
        ("We saw that Norway joined in 1949.", "We saw that Sweden joined in 2024."),
    ],
)
def test_two_places_tell_of_two_events(claim: str, source: str) -> None:
    assert conflicts(claim, source) == set()


VALUES = st.sampled_from(
    [
        "1931", "May 1931", "4 May 1931", "the 1930s", "1930 to 1935", "from 5 to 10 km", "5 kg",
        "5,000 g", "6 kg", "about 5 kg", "more than 5 kg", "at most 5 kg", "no more than 6 kg",
        "5 %", "7 per cent", "5", "five", "the third", "the 3rd", "$5 million", "5 hours",
        "300 minutes", "$6", "€6", "20 °C", "68 °F", "the 12th century", "half", "a dozen",
    ]
)  # fmt: skip


@given(VALUES, VALUES)
def test_values_are_compared_alike_from_both_sides(one: str, other: str) -> None:
    for mine in find(one):
        for theirs in find(other):
            assert differ(mine, theirs) == differ(theirs, mine)
            assert excludes(mine, theirs) == excludes(theirs, mine)
            assert not (differ(mine, theirs) and compatible(mine, theirs))
            if mine.canonical == theirs.canonical and mine.bound == theirs.bound:
                assert compatible(mine, theirs) == compatible(theirs, mine)


@given(VALUES)
def test_a_value_is_compatible_with_itself_and_excludes_nothing_of_it(text: str) -> None:
    for value in find(text):
        assert compatible(value, value)
        assert not differ(value, value)
        assert not excludes(value, value)


WORDS = ["Ada", "Rome", "Milan", "the", "bridge", "sold", "bought", "not", "must", "may", "all"]
WORDS += ["some", "before", "after", "in", "1931", "1940", "large", "small", "than", "was", "by"]
WORDS += ["Karl Bode", "5 kg", "6 kg", ", but"]
SENTENCES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=14).map(
    lambda words: "x " + " ".join(words)
)


@given(SENTENCES, SENTENCES)
def test_places_lie_in_their_sentences_and_the_context_is_a_share(claim: str, source: str) -> None:
    found = aligned(claim, source)
    for one in find_conflicts(found):
        for span, (start, end) in ((found.claim.span, one.claim), (found.source.span, one.source)):
            assert span[0] <= start < end <= span[1]
        assert 0 <= one.context <= 1
        assert 0 <= one.term < len(found.claim.terms)
        assert 0 <= one.other < len(found.source.terms)


@given(SENTENCES)
def test_no_sentence_is_in_conflict_with_itself(text: str) -> None:
    found = aligned(text, text)
    assert [one for one in find_conflicts(found) if not is_elsewhere(found, one)] == []
