"""Names: case, accents, initials, titles, acronyms, aliases; and what keeps two people apart."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from halubot.values.names import fold, is_name, same_name


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("J. R. Reynolds", "John Russell Reynolds"),
        ("JOHN REYNOLDS", "john reynolds"),
        ("Reynolds", "John Russell Reynolds"),
        ("John Reynolds", "John Russell Reynolds"),
        ("Sir Isaac Newton", "Newton"),
        ("Dr. Ada Weiß", "Ada Weiss"),
        ("José Núñez", "Jose Nunez"),
        ("the USA", "United States"),
        ("U.S.", "United States of America"),
        ("UK", "United Kingdom"),
        ("N.Y.C.", "New York City"),
        ("WHO", "World Health Organization"),
        ("FBI", "Federal Bureau of Investigation"),
        ("Oxford University", "University of Oxford"),
        ("World War II", "the Second World War"),
        ("", ""),
    ],
)
def test_the_same_name(a: str, b: str) -> None:
    assert same_name(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("John Reynolds", "Joshua Reynolds"),
        ("J. Reynolds", "Mary Reynolds"),
        ("Henry VII", "Henry VIII"),
        ("World War I", "World War II"),
        ("Oxford", "University of Oxford"),
        ("Trinity College, Cambridge", "Trinity College, Oxford"),
        ("Paris", "London"),
        ("who", "World Health Organization"),
        ("", "Paris"),
        ("John Russell Reynolds", "Russell John Reynolds"),
    ],
)
def test_another_name(a: str, b: str) -> None:
    assert not same_name(a, b)


def test_what_is_written_as_a_name() -> None:
    assert is_name("University of Oxford")
    assert not is_name("a lawyer")
    assert not is_name("Oxford graduates")
    assert not is_name("")


NAMES = st.lists(
    st.sampled_from(["J.", "John", "Ada", "A", "Sir", "Reynolds", "US", "of", "Club", "II", "é"]),
    max_size=5,
).map(" ".join) | st.text(max_size=20)


@given(NAMES, NAMES)
@example("Ada C", "C")
def test_sameness_is_symmetric_and_reflexive(a: str, b: str) -> None:
    assert same_name(a, a)
    assert same_name(a, b) == same_name(b, a)
    assert fold(fold(a)) == fold(a)
