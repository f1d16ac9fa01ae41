"""Triples of references, compared with facts; their numbers and dates by rules."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.claims import extract
from halubot.evidence import text_source
from halubot.evidence.context import Part
from halubot.methods.triplet_check import reference_triples
from halubot.methods.triplet_check.reference_triples import (
    Compared,
    Stated,
    Style,
    compare_triples,
    dissect_references,
)
from halubot.methods.triplet_check.triplet_check import Rulings
from halubot.models.model_errors import ContextTooLongError
from halubot.report import Triple
from halubot.text import read
from tests.halubot.methods.calls.scripted import Parts, Scripted, Stage, run
from tests.judge import Asked, Judge


def parts(*texts: str) -> list[Part]:
    sources = [text_source(text, "reference", at) for at, text in enumerate(texts, 1)]
    return [Part(source, 0, len(source.text or "")) for source in sources]


def told(text: str) -> list[Parts]:
    return [("This", "begins with", text[:20])]


def test_each_triple_has_its_passage() -> None:
    stage = Stage(Scripted(told=told))
    found = run(dissect_references(stage.session, parts("Ada was born.", "Bo was born.")))
    assert [(one.triple.tail, one.passage.source.id) for one in found.stated] == [
        ("Ada was born.", "r1"),
        ("Bo was born.", "r2"),
    ]
    assert found.missing == {}
    assert stage.model.calls == 1


def test_a_passage_that_is_left_out_is_asked_for_again_and_then_missing() -> None:
    def fails(asked: Asked) -> str:
        return json.dumps({key: {"facts": ()} for key in asked.numbers if key != "1"})

    judge = Scripted(fails=fails)
    found = run(dissect_references(Stage(judge).session, parts("One.", "Two.", "Three.")))
    assert [asked.numbers for asked in judge.asked] == [["0", "1", "2"], ["1"], ["1"]]
    assert [*found.missing] == [1]
    assert found.missing[1]


JUDGE = Judge(stance=lambda fact, source: "silent")


def asked_of(facts: dict[int, str], triples: list[str], judge: Scripted) -> list[Compared]:
    return run(compare_triples(Stage(judge).session, Style(), facts, triples))


@given(st.integers(1, 6), st.integers(1, 9), st.integers(1, 4), st.integers(1, 30))
def test_every_fact_meets_every_triple_once(
    facts: int, triples: int, window: int, room: int
) -> None:
    def fails(asked: Asked) -> Exception | None:
        if len(asked.fields["facts"]) * len(asked.fields["triples"]) > room:
            return ContextTooLongError("too long", "cut", model="m", endpoint="e")
        return None

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reference_triples, "TRIPLES", window)
        heard = asked_of(
            {number: f"f{number} | is | so" for number in range(facts)},
            [f"t{number} | is | so" for number in range(triples)],
            Scripted(JUDGE, fails=fails),
        )
    met = Counter((fact, one) for told in heard for fact in told.found for one in told.triples)
    assert met == {(fact, one): 1 for fact in range(facts) for one in range(triples)}
    assert not any(told.missing for told in heard)


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
