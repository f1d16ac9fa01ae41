"""Triples of references: taken from passages, and compared with facts."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halubot.evidence import text_source
from halubot.evidence.context import Part
from halubot.methods.calls.portions import LONGEST, TOLD, WINDOW
from halubot.methods.triplet_check import reference_triples
from halubot.methods.triplet_check.reference_triples import (
    TRIPLES,
    WORDS,
    Compared,
    Style,
    compare_triples,
    dissect_references,
    rows_of,
)
from halubot.models.model_errors import ContextTooLongError
from tests.halubot.methods.calls.scripted import Parts, Scripted, Stage, run
from tests.judge import Asked, Judge

SENTENCE = "Pillar {} of the Kellan Bridge is of granite. "


def parts(*texts: str) -> list[Part]:
    sources = [text_source(text, "reference", at) for at, text in enumerate(texts, 1)]
    return [Part(source, 0, len(source.text or "")) for source in sources]


def told(text: str) -> list[Parts]:
    return [("This", "begins with", text[:20])]


def test_each_triple_has_its_passage() -> None:
    stage = Stage(Scripted(told=told))
    found = run(dissect_references(stage.talk, parts("Ada was born.", "Bo was born.")))
    assert [(one.triple.tail, one.passage.source.id) for one in found.stated] == [
        ("Ada was born.", "r1"),
        ("Bo was born.", "r2"),
    ]
    assert found.missing == {}
    assert stage.model.calls == 1


def test_long_ones_are_read_in_several_calls_at_once() -> None:
    judge = Scripted(told=told)
    stage = Stage(judge)
    text = "".join(SENTENCE.format(number) for number in range(400))
    found = run(dissect_references(stage.talk, parts(text)))
    assert stage.model.calls == -(-len(text) // TOLD) or stage.model.calls == len(text) // TOLD + 1
    assert [place for one in judge.asked for place in one.fields["passages"]] == [
        str(place) for place in range(len(found.passages))
    ]
    for one in judge.asked:
        shown = [passage["text"] for passage in one.fields["passages"].values()]
        assert sum(map(len, shown)) <= TOLD
        assert all(len(passage.split()) <= WORDS for passage in shown)


def test_a_passage_that_is_left_out_is_asked_for_again_and_then_missing() -> None:
    def fails(asked: Asked) -> str:
        return json.dumps({key: {"facts": ()} for key in asked.numbers if key != "1"})

    judge = Scripted(fails=fails)
    found = run(dissect_references(Stage(judge).talk, parts("One.", "Two.", "Three.")))
    assert [asked.numbers for asked in judge.asked] == [["0", "1", "2"], ["1"], ["1"]]
    assert [*found.missing] == [1]
    assert found.missing[1]


def test_what_does_not_fit_the_model_is_read_in_halves() -> None:
    def fails(asked: Asked) -> Exception | None:
        if len(asked.numbers) > 1:
            return ContextTooLongError("too long", "cut", model="m", endpoint="e")
        return None

    stage = Stage(Scripted(told=told, fails=fails))
    found = run(dissect_references(stage.talk, parts("One.", "Two.", "Three.")))
    assert [one.triple.tail for one in found.stated] == ["One.", "Two.", "Three."]


JUDGE = Judge(stance=lambda fact, source: "silent")


def asked_of(facts: dict[int, str], triples: list[str], judge: Scripted) -> list[Compared]:
    heard: list[Compared] = []

    async def hear(found: Compared) -> None:
        heard.append(found)

    stage = Stage(judge)
    run(compare_triples(stage.talk, Style(), facts, triples, hear))
    return heard


def test_windows_hold_so_many_triples_and_characters() -> None:
    assert [len(one) for one in rows_of(["a"] * (2 * TRIPLES + 1), WINDOW, TRIPLES)] == [
        TRIPLES,
        TRIPLES,
        1,
    ]
    long = ["x" * (WINDOW // 2)] * 3
    assert list(rows_of(long, WINDOW)) == [(0, 1), (2,)]
    assert list(rows_of([], WINDOW)) == []
    assert list(rows_of(["x" * (2 * WINDOW)], WINDOW)) == [(0,)]


def test_a_fact_that_is_too_long_is_missing_with_its_reason() -> None:
    facts = {0: "a | b | c", 1: "x" * (LONGEST + 1)}
    heard = asked_of(facts, ["d | e"], Scripted(JUDGE))
    missing = {index: why for one in heard for index, why in one.missing.items()}
    assert [*missing] == [1]
    assert "12,001 characters" in missing[1]


@settings(deadline=None, max_examples=40)
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
