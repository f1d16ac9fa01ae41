"""Triples of references: taken from passages, and compared with facts."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.evidence import text_source
from halubot.evidence.context import Part
from halubot.methods.triplet_check import reference_triples
from halubot.methods.triplet_check.reference_triples import (
    Compared,
    Style,
    compare_triples,
    dissect_references,
)
from halubot.models.model_errors import ContextTooLongError
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
