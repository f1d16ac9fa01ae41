"""Numbers and dates of facts beside references, by rules."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st

from halubot.claims import extract
from halubot.evidence import text_source
from halubot.methods.triplet_check.fact_verdicts import Figures
from halubot.report import Fact
from halubot.text import read


def compared(message: str, *references: str) -> tuple[tuple[Fact, ...], Figures]:
    """The facts of a message beside whole references."""
    document = read(message)
    facts = extract(document)
    sources = [text_source(text, "reference", at) for at, text in enumerate(references, 1)]
    return facts, Figures(document, facts, None, sources)


def denials(message: str, *references: str) -> set[str]:
    """The references that deny any fact of a message."""
    facts, figures = compared(message, *references)
    return {one for fact in facts for one in figures.denying(fact)}


def absences(message: str, *references: str) -> list[str | None]:
    """The absent figure of each fact."""
    facts, figures = compared(message, *references)
    return [figures.absent(fact) for fact in facts]


@pytest.mark.parametrize(
    ("message", "reference"),
    [
        ("The Kellan Bridge was opened in 1931.", "The Kellan Bridge was opened in 1932."),
        ("The Kellan Bridge spans 212 metres.", "The Kellan Bridge spans 200 metres."),
        ("The Kellan Bridge cost 31 million euros.", "The Kellan Bridge cost 30 million euros."),
        (
            "The Kellan Bridge was opened on 4 June 1931.",
            "The Kellan Bridge is old. It was opened on 5 June 1931.",
        ),
    ],
)
def test_another_figure_for_the_same_fact_denies_it(message: str, reference: str) -> None:
    assert denials(message, reference) == {"r1"}
    assert denials(message, message) == set()
    assert denials(message, reference, message) == {"r1"}


@pytest.mark.parametrize(
    "reference",
    [
        "The Ostby Bridge was opened in 1932.",  # another bridge
        "The Kellan Bridge was designed by Bo Lind.",  # another thing
        "The Kellan Bridge was opened in June 1931.",  # more precisely so
        "The Kellan Bridge was opened by Bo Lind.",  # another name is no figure
    ],
)
def test_what_is_no_other_figure_denies_nothing(reference: str) -> None:
    assert denials("The Kellan Bridge was opened in 1931.", reference) == set()


def test_the_place_of_a_denial_is_in_the_source() -> None:
    reference = "# Kellan\n\nIt is long. The Kellan Bridge was opened in 1932 by Bo Lind."
    facts, figures = compared("The Kellan Bridge was opened in 1931.", reference)
    found = figures.evidence(0, facts[0], "contradicts", "says 1932")
    assert found.quote == reference[found.start : found.end]
    assert found.quote == "The Kellan Bridge was opened in 1932 by Bo Lind."
    assert (found.value, found.note) == ("1932", "says 1932")


@pytest.mark.parametrize(
    ("message", "reference", "expected"),
    [
        ("Anna Holm lived 81 years.", "Anna Holm lived from 1815 to 1896.", "81 years"),
        ("Anna Holm had 12 pupils.", "Anna Holm had many pupils.", "12"),
        ("Die Brücke wurde 1931 eröffnet.", "Die Brücke ist lang.", "1931"),
        ("El puente se abrió en 1931.", "El puente es largo.", "1931"),
        # There in another form, or in another language:
        ("Anna Holm had 12 pupils.", "Twelve pupils came to Anna Holm.", None),
        ("The road is 5 km long.", "Die Straße hat eine Länge von 5.000 m.", None),
        ("Anna Holm was born on 4 June 1931.", "Анна родилась 4 июня 1931 года.", None),
        ("The road cost 1.2 million euros.", "It cost €1,200,000.", None),
        # No figure:
        ("Anna Holm had three pupils.", "Anna Holm taught Bo, Ines and Kofi.", None),
        ("Anna Holm had pupils.", "Anna Holm was alone.", None),
    ],
)
def test_a_figure_that_is_nowhere_in_the_references(
    message: str, reference: str, expected: str | None
) -> None:
    assert absences(message, reference) == [expected]
    assert absences(message, "Of no use.", reference) == [expected]


PIECES = st.sampled_from(
    [
        "The Kellan Bridge was opened in 1932. ",
        "It is long.\n\n",
        "**Osby** 1931 | x ",
        "東京。",
        "# A\n",
    ]
)
