"""A value or a name of a source replaces another one only if both sides tell of one occasion."""

from __future__ import annotations

import pytest

from halubot import correct


def corrected(claim: str, source: str) -> str:
    """The claim after its correction by one reference."""
    made = correct(claim, references=[source]).correction
    assert made is not None
    return made.text


@pytest.mark.parametrize(
    ("claim", "source", "wanted"),
    [
        (
            "Ada Holm (born 2 May 1901) was an engineer.",
            "Ada Holm (born 4 June 1903 in Osby) was an engineer.",
            "Ada Holm (born 4 June 1903) was an engineer.",
        ),
        (
            "Ada Holm (1901–1970) was an engineer.",
            "Ada Marie Holm, the elder (4 June 1903 - 1 May 1972) was an engineer.",
            "Ada Holm (4 June 1903 - 1 May 1972) was an engineer.",
        ),
        (
            "Holm died in 1970.",
            "Holm died of a lung disease in 1972, aged 68.",
            "Holm died in 1972.",
        ),
        (
            "Ada Holm was born in Osby in 1901.",
            "Holm was born in 1903.",
            "Ada Holm was born in Osby in 1903.",
        ),
        (
            "Ada Holm was born in Rome in 1901.",
            "Ada Holm was born in Osby in 1903.",
            "Ada Holm was born in Osby in 1903.",
        ),
        (
            "The museum opened a branch in Norway in 2017.",
            "In 2018 the museum opened a branch in Norway.",
            "The museum opened a branch in Norway in 2018.",
        ),
    ],
)
def test_a_date_gives_way_to_that_of_the_same_occasion(
    claim: str, source: str, wanted: str
) -> None:
    assert corrected(claim, source) == wanted


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        (
            "In August 2018, Holm was named in the Swedish squad.",
            "Ada Holm (born 4 October 1993 in Osby) is a Swedish swimmer of the national squad.",
        ),
        (
            "Holm won the Osby Trophy race in 1938 and 1939.",
            "After finishing third in 1939 Holm missed the 1947 Osby Trophy race.",
        ),
        (
            "Holm played first-class cricket until 1996.",
            "Holm began her first-class cricket career in 1974.",
        ),
        (
            "Holm died in 1907 and her son inherited the shipyard.",
            "The son of Holm came into possession of the shipyard in 1898, after her death.",
        ),
        (
            "Holm belongs to the party that has ruled in Osby since 1959.",
            "Holm has sat in the parliament of Osby since 1984 and in the cabinet since 1987.",
        ),
        (
            "Holm was re-elected in the 2020 general election.",
            "In October 2013, Holm was one of 25 elected to the council of the party.",
        ),
        (
            "Holm became director of the yard in 1979.",
            "Holm was also director of the yard for Varn Shipping in 2001.",
        ),
        (
            "Holm became president of the yard in 1899.",
            "Holm became vice-president of the yard in 1889.",
        ),
        (
            "Holm won the championship in 2004.",
            "Holm drove in the championship, where she was fifth in 1995.",
        ),
    ],
)
def test_the_date_of_another_occasion_replaces_nothing(claim: str, source: str) -> None:
    assert corrected(claim, source) == claim


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        (
            "The fortress lies about 3,800 km from Osby.",
            "The fortress lies about 3, 800 km from Osby.",
        ),
        (
            "The house was sold for more than $800,000.",
            "The house was sold for more than $ 800, 000.",
        ),
        ("The deal was worth $1.7 million.", "The deal was worth $ 1. 7 million."),
    ],
)
def test_a_part_of_a_number_replaces_nothing(claim: str, source: str) -> None:
    assert corrected(claim, source) == claim


def test_an_ordinal_of_another_thing_replaces_nothing() -> None:
    claim = "The tower's 150th anniversary was chosen as the date."
    source = "The anniversary of the tower's first day in use was chosen as the date."
    assert corrected(claim, source) == claim
    assert corrected("Holm came in first place.", "Holm came in third place.") == (
        "Holm came in third place."
    )


def test_a_bound_that_holds_is_left() -> None:
    claim = "Holm made over 100 appearances for the club."
    assert corrected(claim, "Holm made over 200 appearances for the club.") == claim
    assert corrected("The fire left over 60 others missing.", "The fire left over 50 missing.") == (
        "The fire left over 50 others missing."
    )


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        (
            "In 2018, Holm moved to Varn.",
            "In 2004, Holm moved to Osby to build ships.",
        ),
        (
            "Holm finished third in the championship in 2009.",
            "In the championship of 2008, Holm finished 16th, and in 2009 she finished 5th.",
        ),
    ],
)
def test_what_is_dated_otherwise_replaces_nothing(claim: str, source: str) -> None:
    assert corrected(claim, source) == claim


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Jack Holm is a politician from Osby.", "John Andrew Holm is a politician from Osby."),
        (
            "With Holm the team won Super Cup IX.",
            "Holm led the team to its first win since Super Cup V.",
        ),
    ],
)
def test_a_name_in_another_place_replaces_nothing(claim: str, source: str) -> None:
    assert corrected(claim, source) == claim


def test_names_that_share_a_word_are_exchanged_in_the_same_place() -> None:
    assert corrected("The Bank of India bought bonds.", "The Bank of Japan bought bonds.") == (
        "The Bank of Japan bought bonds."
    )
    assert (
        corrected("They met at the Lincoln Center at six.", "They met at the Javits Center at six.")
        == "They met at the Javits Center at six."
    )


def test_an_idiom_denies_nothing() -> None:
    claim = "Holm offers services that can help the town."
    source = "Holm said: I cannot help but notice the services that the town needs."
    assert corrected(claim, source) == claim
