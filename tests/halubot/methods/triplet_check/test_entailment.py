"""Sets of triples side by side: every fact meets every triple once, however calls are cut."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halubot.llm_calls.portions import LONGEST, WINDOW
from halubot.methods.triplet_check import entailment
from halubot.methods.triplet_check.entailment import (
    TRIPLES,
    Compared,
    Style,
    compare_triples,
    windows,
)
from halubot.models.model_errors import ContextTooLongError
from tests.halubot.llm_calls.scripted import Scripted, Stage, run
from tests.judge import Asked, Judge

JUDGE = Judge(stance=lambda fact, source: "silent")


def asked_of(facts: dict[int, str], triples: list[str], judge: Scripted) -> list[Compared]:
    heard: list[Compared] = []

    async def hear(found: Compared) -> None:
        heard.append(found)

    stage = Stage(judge)
    run(compare_triples(stage.talk, Style(), facts, triples, hear))
    return heard


def test_windows_hold_so_many_triples_and_characters() -> None:
    assert [len(one) for one in windows(["a"] * (2 * TRIPLES + 1))] == [TRIPLES, TRIPLES, 1]
    long = ["x" * (WINDOW // 2)] * 3
    assert list(windows(long)) == [(0, 1), (2,)]
    assert list(windows([])) == []
    assert list(windows(["x" * (2 * WINDOW)])) == [(0,)]


@pytest.mark.parametrize(("facts", "triples"), [({}, ["a | b"]), ({0: "a | b"}, [])])
def test_without_facts_or_triples_nothing_is_asked(
    facts: dict[int, str], triples: list[str]
) -> None:
    judge = Scripted(JUDGE)
    assert asked_of(facts, triples, judge) == []
    assert judge.asked == []


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
        patch.setattr(entailment, "TRIPLES", window)
        heard = asked_of(
            {number: f"f{number} | is | so" for number in range(facts)},
            [f"t{number} | is | so" for number in range(triples)],
            Scripted(JUDGE, fails=fails),
        )
    met = Counter((fact, one) for told in heard for fact in told.found for one in told.triples)
    assert met == {(fact, one): 1 for fact in range(facts) for one in range(triples)}
    assert not any(told.missing for told in heard)
