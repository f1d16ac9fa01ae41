"""Triples: the traps of fuzzy matching, and agreement with a slow plain reference."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.compare.names import is_name, same_name
from halubot.compare.negation import COUNTERPARTS, OPPOSITES, is_negative
from halubot.compare.tokens import tokens
from halubot.compare.triples import GUARDED, WEIGHTS, matrix, same_fact, similarity
from halubot.compare.values import equal, find
from halubot.facts import Triple


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
    assert similarity(first, second) < 0.8


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


def plain_similarity(a: Triple, b: Triple) -> float:
    """The definition, step by step, with nothing prepared and nothing kept."""

    def all_in(mine: str, theirs: str) -> bool:
        return len(find(mine)) == len(find(theirs)) and all(
            any(equal(value, other) for other in find(theirs)) for value in find(mine)
        )

    a_text, b_text = str(a), str(b)
    guarded = is_negative(f"{a.relation} {a.tail}") != is_negative(
        f"{b.relation} {b.tail}"
    ) or not (all_in(a_text, b_text) and all_in(b_text, a_text))
    mine = {t.norm for t in tokens(a_text, 0, len(a_text))}
    theirs = {t.norm for t in tokens(b_text, 0, len(b_text))}
    for word in mine - theirs:
        for table in (OPPOSITES, COUNTERPARTS):
            guarded = guarded or bool(table.get(word, frozenset()) & (theirs - mine))
    if (not a.head and not a.relation) or (not b.head and not b.relation):
        score = plain_ratio(plain_stems(a_text), plain_stems(b_text))
    else:
        values_agree = find(a_text) and all_in(a_text, b_text) and all_in(b_text, a_text)
        tail = plain_ratio(plain_rest(a.tail), plain_rest(b.tail))
        parts = (
            plain_part(a.head, b.head),
            plain_ratio(plain_stems(a.relation), plain_stems(b.relation)),
            tail if values_agree else plain_part(a.tail, b.tail),
        )
        score = sum(weight * part for weight, part in zip(WEIGHTS, parts, strict=True))
    return min(score, GUARDED) if guarded else score


WORDS = "Ada Weir J. was born not in 1828 22 May , won lost the bridge about 3 km Paris won't"
PART = st.lists(st.sampled_from(WORDS.split()), max_size=4).map(" ".join) | st.text(max_size=8)
TRIPLE = st.builds(Triple, PART, PART, PART)


@given(TRIPLE, TRIPLE)
def test_similarity_agrees_with_the_plain_reference(a: Triple, b: Triple) -> None:
    assert similarity(a, b) == pytest.approx(plain_similarity(a, b))
    assert similarity(a, b) == pytest.approx(similarity(b, a))
    assert 0 <= similarity(a, b) <= 1


@given(TRIPLE, TRIPLE)
def test_sameness_is_symmetric_and_reflexive(a: Triple, b: Triple) -> None:
    assert similarity(a, a) == pytest.approx(1)
    assert same_fact(a, a)
    assert same_fact(a, a, exact=True)
    for exact in (False, True):
        assert same_fact(a, b, exact=exact) == same_fact(b, a, exact=exact)


@given(st.lists(TRIPLE, max_size=4), st.lists(TRIPLE, max_size=4))
def test_the_matrix_agrees_with_the_pairs(facts: list[Triple], triples: list[Triple]) -> None:
    assert matrix(facts, triples) == [[similarity(a, b) for b in triples] for a in facts]
