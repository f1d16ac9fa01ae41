"""Which triples are the same fact: pairs by hand, properties, and a plain twin of equation 7."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.methods.triple_match import (
    NO_MATCH,
    Match,
    Way,
    match_triples,
    same_fact,
    say_alike,
)
from halubot.methods.triple_signals import SIGNALS, compare
from halubot.report import Triple

PAIRS = Path(__file__).parents[3] / "benchmarks" / "triple_pairs.jsonl"

Parts = tuple[str, str, str]

SETTLED: list[tuple[bool, Parts, Parts]] = [
    # letters, articles, the way a value is written
    (True, ("Ada Weir", "was born in", "Ulm"), ("ADA WEIR", "Was Born In", "ULM")),
    (True, ("The lake", "is", "1,642 m deep"), ("lake", "is", "1642 metres deep")),
    (True, ("The firm", "has", "twenty-three ships"), ("The firm", "has", "23 ships")),
    (True, ("WHO", "was founded in", "1948"), ("World Health Organization", "founded", "1948")),
    (True, ("World War II", "ended in", "1945"), ("The Second World War", "ended in", "1945")),
    # usual words for one relation, and its direction
    (True, ("Bo Lind", "wrote", "Nights"), ("Nights", "was written by", "Bo Lind")),
    (True, ("Bo Lind", "is the author of", "Nights"), ("Nights", "author", "Bo Lind")),
    (True, ("Ada Weir", "won", "the Osk Prize"), ("Ada Weir", "was awarded", "the Osk Prize")),
    (True, ("Ada Weir", "occupation", "painter"), ("Ada Weir", "was", "a painter")),
    (True, ("Ada Weir", "married", "Bo Lind"), ("Bo Lind", "married", "Ada Weir")),
    (True, ("Osk Inc.", "bought", "Varn Ltd."), ("Varn Ltd.", "was acquired by", "Osk Inc.")),
    (
        True,
        ("Osk Inc.", "bought", "Varn Ltd. in 2001"),
        ("Varn Ltd.", "was acquired by Osk Inc. in", "2001"),
    ),
    # borders between the parts
    (True, ("Ada Weir", "won", "a prize in 1903"), ("Ada Weir", "won a prize in", "1903")),
    # values and designators
    (False, ("The tower", "is", "324 m tall"), ("The tower", "is", "324 feet tall")),
    (False, ("The bridge", "opened in", "1937"), ("The bridge", "opened in", "1973")),
    (False, ("Hepatitis A", "is", "a disease"), ("Hepatitis B", "is", "a disease")),
    (False, ("Type 1 diabetes", "is", "chronic"), ("Type 2 diabetes", "is", "chronic")),
    (False, ("Henry VII", "married", "Anne"), ("Henry VIII", "married", "Anne")),
    (False, ("Vitamin B6", "is in", "bananas"), ("Vitamin B12", "is in", "bananas")),
    # denials, qualifiers, direction, other deeds
    (False, ("The plan", "was accepted", "today"), ("The plan", "was not accepted", "today")),
    (False, ("Bo", "is", "the former mayor"), ("Bo", "is", "the mayor")),
    (False, ("Bo", "is", "the deputy head"), ("Bo", "is", "the head")),
    (False, ("The drug", "is", "safe"), ("The drug", "is", "unsafe")),
    (False, ("Osk Inc.", "bought", "Varn Ltd."), ("Varn Ltd.", "bought", "Osk Inc.")),
    (False, ("Osk Inc.", "bought", "Varn Ltd."), ("Osk Inc.", "was bought by", "Varn Ltd.")),
    (
        False,
        ("Osk Inc.", "bought", "Varn Ltd. in 2001"),
        ("Osk Inc.", "was acquired by Varn Ltd. in", "2001"),
    ),
    (False, ("The film", "was directed by", "Bo"), ("The film", "was produced by", "Bo")),
    (False, ("John Reynolds", "died in", "1912"), ("Joshua Reynolds", "died in", "1912")),
]


@pytest.mark.parametrize(("same", "a", "b"), SETTLED)
def test_without_the_verifier(same: bool, a: Parts, b: Parts) -> None:
    one, other = Triple(*a), Triple(*b)
    assert same_fact(one, other, "fuzzy") is same
    assert compare(other, one) == compare(one, other)


@pytest.mark.parametrize(
    ("a", "b", "spoken"),
    [
        (
            ("The train", "top speed", "126 mph"),
            ("The train", "reached", "126 miles per hour"),
            ("The top speed of The train is 126 mph.", "The train reached 126 mph."),
        ),
        (
            ("Ada Weir", "cause of death", "a fever"),
            ("A. Weir", "died of", "a fever"),
            ("The cause of death of Ada Weir is a fever.", "Ada Weir died of a fever."),
        ),
    ],
)
def test_the_verifier_reads_sentences_with_one_writing_of_values_and_names(
    a: Parts, b: Parts, spoken: tuple[str, str]
) -> None:
    assert say_alike(Triple(*a), Triple(*b)) == spoken


@pytest.mark.slow
def test_precision_and_recall_on_pairs_that_no_threshold_was_chosen_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("HALUBOT_VERIFIER")
    pairs = [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]
    found = [same_fact(Triple(*one["a"]), Triple(*one["b"])) for one in pairs]
    hits = sum(one["same"] for one, same in zip(pairs, found, strict=True) if same)
    assert hits / sum(found) >= 0.95
    assert hits / sum(one["same"] for one in pairs) >= 0.8


WORD = st.sampled_from(["Ada", "ada", "ADA", "İda", "1912", "twelve", "not", "was", "Ulm", "", "B"])
TRIPLES = st.lists(st.builds(Triple, WORD, WORD, WORD), max_size=4)


@given(TRIPLES, st.lists(TRIPLES, max_size=3))
def test_exact_is_equation_7(facts: list[Triple], samples: list[list[Triple]]) -> None:
    lowered = [[tuple(part.lower() for part in one) for one in sample] for sample in samples]
    expected = [
        [float(tuple(part.lower() for part in fact) in sample) for fact in facts]
        for sample in lowered
    ]
    found = match_triples(facts, samples, "exact")
    assert [[one.score for one in row] for row in found] == expected


@given(TRIPLES, st.lists(TRIPLES, max_size=3), st.sampled_from(["fuzzy", "exact"]))
def test_every_fact_has_one_match_a_sample(
    facts: list[Triple], samples: list[list[Triple]], way: Way
) -> None:
    found = match_triples(facts, samples, way)
    assert [len(row) for row in found] == [len(facts)] * len(samples)
    for row, sample in zip(found, samples, strict=True):
        for fact, one in zip(facts, row, strict=True):
            assert 0 <= one.score <= 1
            assert one == NO_MATCH or one.triple in sample
            if fact in sample:
                assert one == Match(1.0, one.triple)


@pytest.mark.parametrize("said", [True, False])
def test_the_verifier_is_asked_only_where_a_doubt_is_left(
    monkeypatch: pytest.MonkeyPatch, said: bool
) -> None:
    asked: list[tuple[str, str]] = []

    def judge(pairs: list[tuple[str, str]]) -> list[object]:
        from halubot.verifier import Judgement

        asked.extend(pairs)
        return [Judgement(0.0, float(not said), float(said))] * len(pairs)

    monkeypatch.setattr("halubot.verifier.judge", judge)
    monkeypatch.setattr("halubot.methods.triple_match._has_verifier", lambda: True)
    fact = Triple("The committee", "rejected", "the proposal")
    sure = Triple("The committee", "turned down", "the proposal")
    open_ = Triple("The committee", "threw out", "the proposal")
    assert match_triples([fact], [[sure]])[0][0].same
    assert not asked
    assert match_triples([fact], [[open_], [open_]])[1][0].same is said
    assert asked == [
        ("The committee threw out the proposal.", "The committee rejected the proposal."),
        ("The committee rejected the proposal.", "The committee threw out the proposal."),
    ]


@given(st.builds(Triple, WORD, WORD, WORD), st.builds(Triple, WORD, WORD, WORD))
def test_two_triples_are_settled_or_have_all_signals_and_the_order_is_nothing(
    a: Triple, b: Triple
) -> None:
    found = compare(a, b)
    assert found == compare(b, a)
    assert len(found.signals) == (len(SIGNALS) if found.score is None else 0)
