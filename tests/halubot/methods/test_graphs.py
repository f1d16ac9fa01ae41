"""The graphs of GCA by hand: what two convolutions make of a node, and what is counted."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.compare import lexical
from halubot.facts import Triple
from halubot.methods.graphs import RELATION, TAIL, Aligned, compared, cosine, graph

A_B, A_C = Triple("A", "r", "B"), Triple("A", "s", "C")


def ones(*names: str) -> dict[str, tuple[float, ...]]:
    """A vector of its own for each name, at right angles to all others."""
    return {
        name: tuple(float(at == place) for at in range(len(names)))
        for place, name in enumerate(names)
    }


def test_two_convolutions_by_hand() -> None:
    vectors = {"A": (1.0, 0.0, 0.0), "B": (0.0, 1.0, 0.0), "C": (0.0, 0.0, -2.0)}
    # The first: A + (B + C)/2 = (1, 1/2, -1), B + A = (1, 1, 0), C + A = (1, 0, -2); then ReLU.
    # The second: (1, 1/2, 0) + ((1, 1, 0) + (1, 0, 0))/2, (1, 1, 0) + A', (1, 0, 0) + A'.
    told = graph([A_B, A_C])
    assert told.nodes == ("A", "B", "C")
    assert told.ends == ((0, 1), (0, 2))
    assert told.neighbours == [[1, 2], [0], [0]]
    assert told.convolved(vectors) == [[2.0, 1.0, 0.0], [2.0, 1.5, 0.0], [2.0, 0.5, 0.0]]


def test_a_node_that_two_edges_join_counts_twice() -> None:
    told = graph([A_B, Triple("B", "t", "A"), A_C, A_C])
    assert told.neighbours == [[1, 1, 2], [0, 0], [0]]
    # A + (2B + C)/3, B + A, C + A; then A' + (2B' + C')/3.
    convolved = told.convolved(ones("A", "B", "C"))
    assert convolved[0] == pytest.approx([1 + 1, 2 / 3 + 2 / 3, 1 / 3 + 1 / 3])


def test_names_are_nodes() -> None:
    triples = [Triple("The WHO", "is", "a body"), Triple("WHO", "has", "Members")]
    assert graph(triples).nodes == ("The WHO", "a body", "Members")
    assert graph(triples, exact=True).nodes == ("The WHO", "a body", "WHO", "Members")
    assert graph([Triple("", "", "it rains"), Triple("A", "sings", "")]).nodes == ()
    assert graph([]).convolved({}) == []


def test_counts_by_hand() -> None:
    fact = Triple("A", "r", "T")
    vectors = ones("A", "G", "r", "q", "T", "U")
    samples = [
        [fact],  # aligned, the same tail: + 1
        [Triple("A", "r", "U")],  # aligned, another tail: 0
        [Triple("A", "q", "T")],  # not aligned, the same tail: - 1
        [Triple("G", "r", "T")],  # another head: nothing
        [],
    ]
    (told,) = compared([fact], samples, vectors)
    assert told == Aligned((1, 0, -1, 0, 0), aligned=2)
    assert (told.count, told.share) == (0, 0.5)


def test_the_tail_is_seen_with_what_surrounds_it() -> None:
    """Message: A has T, U, V. A' = A + (T + U + V)/3, T' = T + A; T'' = T' + A' = 2A + 4/3 T +
    1/3 U + 1/3 V, of length sqrt(6). Sample with T alone: 2A + 2T, of length sqrt(8)."""
    facts = [Triple("A", "r", tail) for tail in ("T", "U", "V")]
    vectors = ones("A", "r", "T", "U", "V")
    whole, alone = graph(facts), graph(facts[:1])
    ours, theirs = whole.convolved(vectors)[1], alone.convolved(vectors)[1]
    assert cosine(ours, theirs) == pytest.approx((4 + 8 / 3) / math.sqrt(6 * 8))
    other = whole.convolved(vectors)[2]
    assert cosine(other, theirs) == pytest.approx((4 + 2 / 3) / math.sqrt(6 * 8))
    told = compared(facts, [facts[:1]], vectors)
    assert [one.counts for one in told] == [(1,), (0,), (0,)]
    assert [one.aligned for one in told] == [1, 1, 1]


def test_of_each_sample_one_counts() -> None:
    fact, near = Triple("A", "r", "T"), Triple("A", "s", "T")
    vectors = ones("A", "T", "r")
    vectors["s"] = vectors["r"]
    assert compared([fact], [[fact, near]], vectors) == [Aligned((1,), 1)]
    vectors["s"] = (0.0, 0.0, -1.0)
    vectors["q"] = (0.0, 0.0, -2.0)
    against = [near, Triple("A", "q", "T")]
    assert compared([fact], [against], vectors) == [Aligned((-1,), 0)]
    assert compared([fact], [[fact, near]], vectors) == [Aligned((0,), 1)]


def test_nothing_aligned_is_no_share() -> None:
    assert Aligned((0, -1), 0).share is None
    assert Aligned((), 0).share is None
    assert Aligned((1, 1), 2).share == 1
    assert Aligned((0, -1, 0, 0), 1).share == pytest.approx((-1 / 4 + 1) / 2)
    fact = Triple("A", "r", "T")
    assert compared([fact], [], ones("A", "r", "T")) == [Aligned((), 0)]
    assert compared([], [[fact]], ones("A", "r", "T")) == []


def test_no_facts_need_no_vectors() -> None:
    assert compared([], [[Triple("A", "r", "T")]], {}) == []


def test_a_clause_is_compared_with_nothing() -> None:
    clause = Triple("", "", "it rained")
    vectors = {**ones("it rained"), "": (0.0,)}
    assert compared([clause], [[clause]], vectors) == [Aligned((0,), 0)]


def words(*triples: Triple) -> dict[str, tuple[float, ...]]:
    return {part: lexical.vector(part) for triple in triples for part in triple}


def counted(fact: Triple, other: Triple, *, exact: bool = False) -> Aligned:
    (told,) = compared([fact], [[other]], words(fact, other), exact=exact)
    return told


@pytest.mark.parametrize(
    ("other", "count", "aligned"),
    [
        (("A. Weir", "born in", "Ulm"), 1, 1),
        (("Ada Weir", "was born in", "Paris"), 0, 1),
        (("Joan Weir", "was born in", "Ulm"), 0, 0),
        (("Ada Weir", "was not born in", "Ulm"), -1, 0),
        (("Ada Weir", "settled at", "Ulm"), -1, 0),
    ],
)
def test_names_and_denials(other: tuple[str, str, str], count: int, aligned: int) -> None:
    told = counted(Triple("Ada Weir", "was born in", "Ulm"), Triple(*other))
    assert told == Aligned((count,), aligned)


def test_values_that_exclude_each_other_are_not_the_same() -> None:
    fact, other = Triple("Ada", "born on", "12 May 1911"), Triple("Ada", "born on", "12 May 1912")
    assert counted(fact, other) == Aligned((0,), 1)
    assert counted(fact, other, exact=True) == Aligned((1,), 1)
    rougher = Triple("Ada", "born on", "12 May 1911, a Friday")
    assert counted(fact, rougher) == Aligned((1,), 1)


def test_as_published_heads_are_the_same_letter_by_letter() -> None:
    fact = Triple("Ada Weir", "was born in", "Ulm")
    assert counted(fact, Triple("ADA WEIR", "was born in", "Ulm"), exact=True).aligned == 0
    assert counted(fact, fact, exact=True) == Aligned((1,), 1)
    denied = Triple("Ada Weir", "was not born in", "Ulm")
    assert counted(fact, denied, exact=True) == Aligned((1,), 1)


@pytest.mark.parametrize(
    ("head", "relation", "tail", "denied"),
    [
        ("Ada Weir", "wurde geboren in", "Ulm", "wurde nicht geboren in"),
        ("Ada Weir", "nació en", "Ulm", "no nació en"),
    ],
)
def test_other_languages(head: str, relation: str, tail: str, denied: str) -> None:
    fact = Triple(head, relation, tail)
    assert counted(fact, fact) == Aligned((1,), 1)
    assert counted(fact, Triple(head, denied, tail)) == Aligned((-1,), 0)


NAMES = st.sampled_from(["Ada Weir", "Weir", "Ulm", "Paris", "1828", "12 May 1828", ""])
TRIPLES = st.lists(
    st.builds(Triple, NAMES, st.sampled_from(["was", "was not", "wrote", ""]), NAMES), max_size=6
)


@given(facts=TRIPLES, samples=st.lists(TRIPLES, max_size=4), exact=st.booleans())
def test_whatever_is_compared(
    facts: list[Triple], samples: Sequence[Sequence[Triple]], exact: bool
) -> None:
    vectors = words(*facts, *(triple for row in samples for triple in row))
    told = compared(facts, samples, vectors, exact=exact)
    assert len(told) == len(facts)
    for one in told:
        assert len(one.counts) == len(samples)
        assert set(one.counts) <= {-1, 0, 1}
        assert 0 <= one.aligned <= len(samples)
        assert one.share is None or 0 <= one.share <= 1


def test_the_cosine_of_two_vectors() -> None:
    assert cosine((1, 0), (2, 2)) == pytest.approx(math.sqrt(0.5))
    assert cosine((1, 0), (-3, 0)) == pytest.approx(-1)
    assert cosine((0, 0), (1, 0)) == 0
    assert (RELATION, TAIL) == (0.5, 0.9)
