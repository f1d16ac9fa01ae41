"""Numbers and dates of facts beside references, by rules."""

from __future__ import annotations

import pytest

from halubot.claims import extract
from halubot.evidence import text_source
from halubot.evidence.context import Part
from halubot.methods.triplet_check.reference_triples import Stated
from halubot.methods.triplet_check.triplet_check import Rulings
from halubot.report import Triple
from halubot.text import read


def absences(message: str, *references: str) -> list[str | None]:
    """The absent figure of each fact."""
    sources = [text_source(text, "reference", at) for at, text in enumerate(references, 1)]
    rulings = Rulings(sources)
    return [rulings.absent(fact.triple) for fact in extract(read(message))]


BRIDGE = "The Kellan Bridge"
OPENED = Triple(BRIDGE, "was opened in", "1931")


@pytest.mark.parametrize(
    ("fact", "triple", "denied"),
    [
        (OPENED, (BRIDGE, "was opened in", "1932"), True),
        (OPENED, ("Kellan Bridge", "opened in", "the year 1932"), True),
        (Triple(BRIDGE, "spans", "212 metres"), (BRIDGE, "spans", "200 metres"), True),
        (Triple(BRIDGE, "cost", "31 million euros"), (BRIDGE, "cost", "30 million euros"), True),
        (OPENED, ("The Ostby Bridge", "was opened in", "1932"), False),  # another bridge
        (OPENED, (BRIDGE, "was designed by", "Bo Lind"), False),  # another thing
        (OPENED, (BRIDGE, "was closed in", "1932"), False),
        (OPENED, (BRIDGE, "was opened in", "June 1931"), False),  # more precisely so
        (OPENED, (BRIDGE, "was opened in", "Osby"), False),  # another name is no figure
        (OPENED, OPENED, False),
    ],
)
def test_another_figure_for_the_same_fact_denies_it(
    fact: Triple, triple: tuple[str, str, str], denied: bool
) -> None:
    source = text_source("Of no matter.", "reference", 1)
    rulings = Rulings([source], [Stated(Triple(*triple), Part(source, 0, 13))])
    assert rulings.denying(fact) == ([0] if denied else [])


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
