"""Triples: the traps of fuzzy matching, and agreement with a slow plain reference."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.compare.operators import COUNTERPARTS, OPPOSITES, is_negative
from halubot.compare.tokens import tokens
from halubot.compare.triples import (
    LOOKALIKE,
    SAME,
    SAME_RELATION,
    WEIGHTS,
    replaced_words,
    same_fact,
    same_word,
)
from halubot.report import Triple
from halubot.values.comparison import equal
from halubot.values.names import is_name, same_name
from halubot.values.reader import find


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (("Ada", "was born in", "1912"), ("Ada", "was born in", "1921")),
        (("Ada", "was born in", "Paris"), ("Ada", "was not born in", "Paris")),
        (("dog", "bites", "man"), ("man", "bites", "dog")),
        (("Ada", "won against", "Lyon"), ("Ada", "lost against", "Lyon")),
        (("Ada Weir", "wrote", "a book"), ("Bea Weir", "wrote", "a book")),
        (("Ada", "studied at", "King's College"), ("Ada", "studied at", "Queen's College")),
        (("", "", "she won twice"), ("", "", "she won three times")),
        (("Ada", "is", ""), ("Ada", "is", "a lawyer")),
        (("the bridge", "opened before", "the war"), ("the bridge", "opened after", "the war")),
    ],
)
def test_traps(a: tuple[str, str, str], b: tuple[str, str, str]) -> None:
    first, second = Triple(*a), Triple(*b)
    assert not same_fact(first, second)
    assert not same_fact(first, second, exact=True)


@pytest.mark.parametrize(
    ("a", "b", "exact"),
    [
        (("Ada Weir", "was born on", "22 May 1828"), ("A. Weir", "born on", "May 22, 1828"), False),
        (("ADA", "was born in", "Paris"), ("Ada", "is born in", "paris"), True),
        (("Ada", "is", "a lawyer"), ("Ada", "was", "the lawyer"), True),
        (("the town", "has", "1.2 million people"), ("town", "has", "1,200,000 people"), True),
        (("Ada", "joined", "the WHO"), ("Ada", "joined", "World Health Organization"), False),
        (("Ada", "was not at", "the ball"), ("Ada", "was never at", "any ball"), True),
        (("", "", "she wrote a book on bridges"), ("", "", "She wrote a book on bridges."), True),
        (("", "", ""), ("", "", ""), True),
    ],
)
def test_the_same_fact(a: tuple[str, str, str], b: tuple[str, str, str], exact: bool) -> None:
    assert same_fact(Triple(*a), Triple(*b))
    assert same_fact(Triple(*b), Triple(*a))
    assert same_fact(Triple(*a), Triple(*b), exact=True) == exact


def plain_ratio(a: str, b: str) -> float:
    """Twice the longest common subsequence over both lengths."""
    if not a or not b:
        return float(a == b)
    row = [0] * (len(b) + 1)
    for x in a:
        left_above = 0
        for j, y in enumerate(b, start=1):
            left_above, row[j] = row[j], left_above + 1 if x == y else max(row[j], row[j - 1])
    return 2 * row[-1] / (len(a) + len(b))


def plain_stems(text: str) -> str:
    found = [token.norm for token in tokens(text, 0, len(text)) if token.kind != "stop"]
    return " ".join(sorted(norm for norm in found if norm != "never"))


def plain_part(a: str, b: str) -> float:
    if is_name(a) and is_name(b):
        return float(same_name(a, b))
    return plain_ratio(plain_stems(a), plain_stems(b))


def plain_rest(text: str) -> str:
    for value in reversed(find(text)):
        text = f"{text[: value.start]} {text[value.end :]}"
    return plain_stems(text)


def plain_terms(a: str, b: str) -> bool:
    """Whether no term of one text stands in the place of one of the other."""
    if is_name(a) and is_name(b):
        return True
    for value in reversed(find(a)):
        a = f"{a[: value.start]} {a[value.end :]}"
    for value in reversed(find(b)):
        b = f"{b[: value.start]} {b[value.end :]}"
    mine, theirs = replaced_words(a, b)
    return not mine or not theirs


def plain_same(a: Triple, b: Triple) -> bool:
    """The definition, step by step, with nothing prepared and nothing kept."""

    def all_in(mine: str, theirs: str) -> bool:
        return len(find(mine)) == len(find(theirs)) and all(
            any(equal(value, other) for other in find(theirs)) for value in find(mine)
        )

    a_text, b_text = str(a), str(b)
    if is_negative(f"{a.relation} {a.tail}") != is_negative(f"{b.relation} {b.tail}"):
        return False
    if not (all_in(a_text, b_text) and all_in(b_text, a_text)):
        return False
    mine = {t.norm for t in tokens(a_text, 0, len(a_text))}
    theirs = {t.norm for t in tokens(b_text, 0, len(b_text))}
    for word in mine - theirs:
        for table in (OPPOSITES, COUNTERPARTS):
            if table.get(word, frozenset()) & (theirs - mine):
                return False
    if (not a.head and not a.relation) or (not b.head and not b.relation):
        alike = plain_ratio(plain_stems(a_text), plain_stems(b_text))
        return alike >= SAME and plain_terms(a_text, b_text)
    mistaken = any(
        plain_ratio(x, y) >= LOOKALIKE
        for x in replaced_words(a.relation, b.relation)[0]
        for y in replaced_words(a.relation, b.relation)[1]
    )
    if mistaken or not plain_terms(a.head, b.head) or not plain_terms(a.tail, b.tail):
        return False
    tail = plain_ratio(plain_rest(a.tail), plain_rest(b.tail))
    head, relation, tail = (
        plain_part(a.head, b.head),
        plain_ratio(plain_stems(a.relation), plain_stems(b.relation)),
        tail if find(a_text) else plain_part(a.tail, b.tail),
    )
    together = sum(w * part for w, part in zip(WEIGHTS, (head, relation, tail), strict=True))
    return min(head, tail, together) >= SAME and relation >= SAME_RELATION


WORDS = "Ada Weir J. was born not in 1828 22 May , won lost the bridge about 3 km Paris won't"
PART = st.lists(st.sampled_from(WORDS.split()), max_size=4).map(" ".join) | st.text(max_size=8)
TRIPLE = st.builds(Triple, PART, PART, PART)


@given(TRIPLE, TRIPLE)
def test_sameness_agrees_with_the_plain_reference(a: Triple, b: Triple) -> None:
    assert same_fact(a, b) == plain_same(a, b)


@given(TRIPLE, TRIPLE)
def test_sameness_is_symmetric_and_reflexive(a: Triple, b: Triple) -> None:
    assert same_fact(a, a)
    assert same_fact(a, a, exact=True)
    for exact in (False, True):
        assert same_fact(a, b, exact=exact) == same_fact(b, a, exact=exact)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("hypotension", "hypertension"),
        ("hypoglycemia", "hyperglycemia"),
        ("prednisone", "prednisolone"),
        ("chlorpromazine", "chlorpropamide"),
        ("an ileum biopsy", "an ilium biopsy"),
        ("TR-beta1", "TR-beta2"),
        ("A320", "A321"),
        ("the Airbus A320", "the Airbus A321"),
        ("vitamin B6", "vitamin B12"),
        ("vitamin C", "vitamin D"),
        ("hepatitis A", "hepatitis B"),
        ("type I diabetes", "type II diabetes"),
        ("systolic pressure", "diastolic pressure"),
    ],
)
def test_terms_that_look_alike_are_not_the_same(a: str, b: str) -> None:
    for first, second in ((a, b), (b, a)):
        assert not same_fact(Triple("Ada", "has", first), Triple("Ada", "has", second))
        assert not same_fact(Triple(first, "affects", "Ada"), Triple(second, "affects", "Ada"))
        clauses = Triple("", "", f"she had {first} then"), Triple("", "", f"she had {second} then")
        assert not same_fact(*clauses)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("upregulates", "downregulates"),
        ("activates", "inactivates"),
        ("hyperpolarizes", "hypopolarizes"),
    ],
)
def test_relations_that_look_alike_are_not_the_same(a: str, b: str) -> None:
    assert not same_fact(Triple("TR", a, "ChREBP"), Triple("TR", b, "ChREBP"))
    assert not same_fact(Triple("TR", b, "ChREBP"), Triple("TR", a, "ChREBP"))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("colour vision", "color vision"),
        ("hyperglycaemia", "hyperglycemia"),
        ("a paediatric centre", "pediatric center"),
        ("the organisation", "the organization"),
        ("modelling", "modeling"),
        ("American politicians", "American politician"),
        ("a leading role in the film", "the lead role in a film"),
    ],
)
def test_one_term_in_two_spellings_is_the_same(a: str, b: str) -> None:
    assert same_fact(Triple("Ada", "has", a), Triple("Ada", "has", b))
    assert same_fact(Triple("Ada", "has", b), Triple("Ada", "has", a))


def test_a_word_is_itself_in_any_spelling_and_a_code_only_in_its_own() -> None:
    assert same_word("anaemia", "anemia")
    assert same_word("organise", "organized")
    assert not same_word("b6", "b12")
    assert not same_word("ii", "iii")
