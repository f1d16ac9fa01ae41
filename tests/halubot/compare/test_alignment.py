"""The alignment of two sentences: which words say the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.compare import alignment
from halubot.compare.alignment import align
from tests.halubot.compare.sentences import aligned, analysed, pairs


@pytest.mark.parametrize(
    ("claim", "source", "wanted"),
    [
        (
            "The boy bought a car.",
            "An automobile was purchased by the lad.",
            {("boy", "lad"), ("bought", "purchased"), ("car", "automobile")},
        ),
        (
            "It weighs 2 kg and is 3 m long.",
            "It is 300 cm long and weighs 2,000 g.",
            {("weighs", "weighs"), ("2 kg", "2,000 g"), ("3 m", "300 cm"), ("long", "long")},
        ),
        ("She owns a dog.", "She owns a spaniel.", {("owns", "owns"), ("dog", "spaniel")}),
        ("She owns a spaniel.", "She owns a dog.", {("owns", "owns")}),
        (
            "The discovery of radium came late.",
            "Radium was discovered late.",
            {("discovery", "discovered"), ("radium", "Radium"), ("late", "late")},
        ),
        ("It treats prednisone.", "It treats prednisolone.", {("treats", "treats")}),
        (
            "He had a heart attack.",
            "He had a myocardial infarction.",
            {("heart", "myocardial"), ("attack", "infarction")},
        ),
        (
            "It treats high blood pressure.",
            "It treats hypertension.",
            {
                ("treats", "treats"),
                ("high", "hypertension"),
                ("blood", "hypertension"),
                ("pressure", "hypertension"),
            },
        ),
        ("They carried out a study.", "They performed one.", {("carried", "performed")}),
        (
            "Sales rose from 3 to 5 tonnes.",
            "Sales were 3 tonnes in May and 5 tonnes in June.",
            {("Sales", "Sales"), ("3 to 5 tonnes", "3 tonnes")},
        ),
        (
            "Sales rose from 3 to 5 tonnes.",
            "Sales were 5 tonnes in May and 3 tonnes in June.",
            {("Sales", "Sales")},
        ),
        ("It was in 1931.", "It was in 1932.", set()),
    ],
)
def test_words_that_say_the_same(claim: str, source: str, wanted: set[tuple[str, str]]) -> None:
    assert pairs(claim, source) == wanted


def test_all_words_of_a_name_have_one_word_of_another_form() -> None:
    found = aligned("He works for the United Kingdom.", "He works for the UK.")
    assert found.share == pytest.approx(1.0)


def test_an_opposite_is_paired_and_marked() -> None:
    found = aligned("The rate rose to 5%.", "The rate fell to 5 per cent.")
    assert found.pairs == (0, 1, 2)
    assert found.opposed == (False, True, False)


def test_of_several_equal_words_that_in_order_is_taken() -> None:
    found = aligned("A red car and a red bus.", "A red car and a red bus.")
    assert found.pairs == tuple(range(len(found.claim.terms)))


def test_the_share_is_the_weight_that_is_aligned() -> None:
    mine, theirs = analysed("The boy bought a car."), analysed("The boy sold a boat.")
    found = align(mine, theirs, (0.5, 0.3, 0.2))
    assert found.pairs[0] == 0
    assert found.share == pytest.approx(0.5 + 0.3 * (found.pairs[1] >= 0))


def test_the_context_is_what_stands_around_on_both_sides() -> None:
    found = aligned("The old tower is 120 metres tall.", "The old tower is 140 metres tall.")
    at = next(i for i, term in enumerate(found.claim.terms) if term.kind == "value")
    assert found.context(at, at) == pytest.approx(1.0)
    far = aligned("The old tower is 120 metres tall.", "A boat sank 140 metres deep.")
    other = next(i for i, term in enumerate(far.source.terms) if term.kind == "value")
    assert far.context(at, other) == 0.0


WORDS = ["the", "bridge", "bought", "sold", "not", "large", "small", "1931", "in", "dog", "."]
WORDS += ["spaniel", "UK", "United Kingdom", "Kellan", "Ada Weir", "5 kg", "5,000 g"]
SENTENCES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=14).map(" ".join)


@given(SENTENCES, SENTENCES)
def test_pairs_are_one_to_one_but_for_names_and_what_is_aligned_has_the_weight(
    claim: str, source: str
) -> None:
    if not (read_in := analysed(f"x {claim}")).terms:
        return
    found = aligned(f"x {claim}", f"x {source}")
    assert len(found.pairs) == len(found.opposed) == len(read_in.terms)
    for i, j in enumerate(found.pairs):
        assert -1 <= j < len(found.source.terms)
        if j >= 0 and found.claim.terms[i].kind != "name":
            assert found.back[j] == i
    for j, i in enumerate(found.back):
        assert i < 0 or found.pairs[i] == j
    held = sum(j >= 0 for j in found.pairs) / len(found.pairs)
    assert found.share == pytest.approx(held)


@given(SENTENCES)
def test_a_sentence_is_aligned_with_itself(text: str) -> None:
    found = aligned(f"x {text}", f"x {text}")
    assert all(j >= 0 for j in found.pairs)
    assert not any(found.opposed)


def test_the_ends_of_a_repeated_range_are_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text of nothing but ranges takes time in its length, not in its square."""
    looked: list[object] = []

    def find_nothing(range_: object, _: object) -> list[int]:
        looked.append(range_)
        return []

    monkeypatch.setattr(alignment, "_ends_of", find_nothing)
    aligned("It was open " + "from 3 to 5, " * 50, "It was open in 1931 and 7 more.")
    assert len(looked) == 1
