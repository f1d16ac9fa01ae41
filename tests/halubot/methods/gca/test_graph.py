"""Equations 1 and 2 of GCA, written with matrices, against the counts of the product."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from halubot.methods.gca.graph import THETA_RELATION, THETA_TAIL, convolve, counts, places, vector
from halubot.report import Triple

Floats = NDArray[np.float64]


def equation_1(triples: Sequence[Triple], vectors: Mapping[str, Floats]) -> dict[str, Floats]:
    """e'_v = act(sum_r sum_u W_r e_u / c_v,r + W_0 e_v), two layers, ReLU between them. A
    direction of an edge is a relation by itself."""
    names = list(dict.fromkeys(name for one in triples for name in (one.head, one.tail)))
    nodes = {name: vectors[name] for name in names}
    edges = [(one.head, (one.relation, 1), one.tail) for one in dict.fromkeys(triples)]
    edges += [(one.tail, (one.relation, -1), one.head) for one in dict.fromkeys(triples)]
    for layer in range(2):
        before, nodes = nodes, {}
        for name in names:
            total = before[name]
            for kind in {kind for _, kind, _ in edges}:
                around = [start for start, of, end in edges if of == kind and end == name]
                weight = np.roll(np.eye(len(total)), places(*kind, len(total)), axis=0)
                for other in around:
                    total = total + weight @ before[other] / len(around)
            nodes[name] = np.maximum(total, 0) if layer == 0 else total
    return nodes


def near(a: Floats, b: Floats) -> float:
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / size if size else 0.0


def equation_2(
    fact: Triple, sample: Sequence[Triple], own: Mapping[str, Floats], theirs: Mapping[str, Floats]
) -> int:
    """c_i,j as the paper writes it, of relations each of which is a type of its own."""
    total = 0
    for triple in sample:
        if triple.head == fact.head and near(own[fact.tail], theirs[triple.tail]) > THETA_TAIL:
            total += 1 if triple.relation == fact.relation else -1
    return total


NUMBERS = st.lists(st.sampled_from([-2.0, -1.0, 0.5, 1.0, 3.0]), min_size=3, max_size=3)
TRIPLES = st.lists(
    st.builds(Triple, st.sampled_from("AB"), st.sampled_from("rst"), st.sampled_from("CDE")),
    max_size=5,
)
APART = dict(zip("rst", np.eye(3), strict=True))
"""Relations that are not alike, each a type of its own."""


@given(
    facts=TRIPLES,
    samples=st.lists(TRIPLES, max_size=4),
    entities=st.fixed_dictionaries(dict.fromkeys("ABCDE", NUMBERS)),
)
def test_it_is_equations_1_and_2(
    facts: list[Triple], samples: list[list[Triple]], entities: dict[str, list[float]]
) -> None:
    assert THETA_RELATION > 0
    vectors = APART | {name: np.array(numbers) for name, numbers in entities.items()}
    nodes = [equation_1(row, vectors) for row in (facts, *samples)]
    kinds = {relation: relation for relation in "rst"}
    for row, wanted in zip((facts, *samples), nodes, strict=True):
        found = convolve(row, vectors, kinds)
        assert found.keys() == wanted.keys()
        for name, row_vector in found.items():
            assert list(row_vector) == pytest.approx(list(wanted[name]), abs=1e-9)
    own, *theirs = nodes
    assert counts(facts, samples, lambda name: list(vectors[name])) == [
        tuple(
            equation_2(fact, sample, own, graph)
            for sample, graph in zip(samples, theirs, strict=True)
        )
        for fact in facts
    ]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("was born in", "born in"),
        ("is", "was"),
        ("ist", "war"),
        ("painted", "painting"),
        ("Reynolds'", "Reynolds"),
        ("ZÜRICH", "Zurich"),
        ("wurde geboren in", "geboren in"),
        ("nació en", "nacio en"),
    ],
)
def test_forms_of_a_word_are_alike(a: str, b: str) -> None:
    assert near(np.array(vector(a)), np.array(vector(b))) > 0.7


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("1911", "1912"),
        ("was born in", "died in"),
        ("wrote", "married"),
        ("Ulm", "Paris"),
        ("is", "in"),
    ],
)
def test_other_words_are_not_alike(a: str, b: str) -> None:
    assert near(np.array(vector(a)), np.array(vector(b))) < 0.3
