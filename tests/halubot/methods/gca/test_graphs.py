"""The graphs of GCA: typed and directed edges, and equation 1 beside a plain implementation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from halubot.methods.gca.graphs import (
    CONVOLUTIONS,
    RELATION,
    Convolution,
    cosine,
    graph,
    relation_types,
    shift,
)
from halubot.report import Triple

A_B, A_C = Triple("A", "r", "B"), Triple("A", "s", "C")


def ones(*names: str) -> dict[str, tuple[float, ...]]:
    """A vector of its own for each name, at right angles to all others."""
    return {
        name: tuple(float(at == place) for at in range(len(names)))
        for place, name in enumerate(names)
    }


def test_edges_have_a_type_and_a_direction() -> None:
    told = graph([A_B, A_C, Triple("B", "r", "A"), A_B])
    assert told.nodes == ("A", "B", "C")
    assert told.ends == ((0, 1), (0, 2), (1, 0))
    assert told.types == ("r", "s", "r")
    assert told.neighbours == [
        {("r", False): [1], ("s", False): [2], ("r", True): [1]},
        {("r", True): [0], ("r", False): [0]},
        {("s", True): [0]},
    ]
    assert graph([A_B, A_C], {"s": "r"}).types == ("r", "r")


def test_two_plain_convolutions_by_hand() -> None:
    vectors = {"A": (1.0, 0.0, 0.0), "B": (0.0, 1.0, 0.0), "C": (0.0, 0.0, -2.0)}
    # The first: A + (B + C)/2 = (1, 1/2, -1), B + A = (1, 1, 0), C + A = (1, 0, -2); then ReLU.
    # The second: (1, 1/2, 0) + ((1, 1, 0) + (1, 0, 0))/2, (1, 1, 0) + A', (1, 0, 0) + A'.
    told = graph([A_B, A_C]).convolve(vectors, "plain")
    assert told == [[2.0, 1.0, 0.0], [2.0, 1.5, 0.0], [2.0, 0.5, 0.0]]


def test_without_a_convolution_nodes_stay_as_they_are() -> None:
    vectors = {"A": (1.0, -2.0), "B": (0.0, 1.0), "C": (3.0, 0.0)}
    assert graph([A_B, A_C]).convolve(vectors, "none") == [[1.0, -2.0], [0.0, 1.0], [3.0, 0.0]]


def test_of_two_numbers_every_shift_is_an_exchange() -> None:
    vectors = {"A": (1.0, 0.0), "B": (0.0, 3.0)}
    # The first: A + B shifted = (1 + 3, 0), B + A shifted = (0, 3 + 1); nothing is below 0.
    # The second: (4, 0) + (0, 4) shifted = (8, 0), (0, 4) + (4, 0) shifted = (0, 8).
    assert graph([A_B]).convolve(vectors, "relational") == [[8.0, 0.0], [0.0, 8.0]]


def test_what_comes_by_another_relation_is_something_else() -> None:
    vectors = ones("A", "B", *map(str, range(30)))
    by_r = graph([A_B]).convolve(vectors)
    by_s = graph([Triple("A", "s", "B")]).convolve(vectors)
    turned = graph([Triple("B", "r", "A")])
    back = dict(zip(turned.nodes, turned.convolve(vectors), strict=True))
    assert shift("r", 32) != shift("s", 32)
    assert cosine(by_r[1], by_s[1]) < 0.9
    assert cosine(by_r[1], back["B"]) < 0.9


@pytest.mark.parametrize("size", [1, 2, 384])
def test_shifts(size: int) -> None:
    widths = {shift(f"relation {number}", size) for number in range(200)}
    assert widths <= (set(range(1, size)) if size > 1 else {0})
    assert shift("Born In", size) == shift("born in", size)
    assert len(widths) > size / 4


def test_alike_relations_are_of_one_type() -> None:
    vectors = {"born in": (1.0, 0.0), "was born in": (0.9, 0.1), "died in": (0.0, 1.0)}
    vectors["was not born in"] = vectors["born in"]
    relations = ["born in", "died in", "was born in", "was not born in", "born in"]
    assert relation_types(relations, vectors) == {
        "born in": "born in",
        "died in": "died in",
        "was born in": "born in",
        "was not born in": "was not born in",
    }
    assert relation_types(relations, vectors, 0.999)["was born in"] == "was born in"


def test_names_are_nodes() -> None:
    triples = [Triple("The WHO", "is", "a body"), Triple("WHO", "has", "Members")]
    assert graph(triples).nodes == ("The WHO", "a body", "Members")
    assert graph(triples, exact=True).nodes == ("The WHO", "a body", "WHO", "Members")
    assert graph([Triple("", "", "it rains"), Triple("A", "sings", "")]).nodes == ()
    assert graph([]).convolve({}) == []


def test_the_cosine_of_two_vectors() -> None:
    assert cosine((1, 0), (2, 2)) == pytest.approx(math.sqrt(0.5))
    assert cosine((1, 0), (-3, 0)) == pytest.approx(-1)
    assert cosine((0, 0), (1, 0)) == 0
    assert RELATION == 0.5


Floats = NDArray[np.float64]


def equation_1(
    triples: Sequence[Triple], vectors: Mapping[str, Sequence[float]], convolution: Convolution
) -> dict[str, Floats]:
    """Equation 1 with matrices: e'_v = act(sum_r sum_u W_r e_u / c_v,r + W_0 e_v), two layers,
    ReLU between them. A direction of an edge is a relation by itself."""
    names = list(dict.fromkeys(name for triple in triples for name in (triple.head, triple.tail)))
    nodes = {name: np.array(vectors[name], dtype=float) for name in names}
    if convolution == "none":
        return nodes
    size = len(next(iter(nodes.values()))) if nodes else 0
    edges = [(one.head, f"{one.relation}+", one.tail) for one in dict.fromkeys(triples)]
    edges += [(one.tail, f"{one.relation}-", one.head) for one in dict.fromkeys(triples)]
    weights = {}
    for _, relation, _ in edges:
        moved = np.roll(np.eye(size), shift(relation[:-1], size), axis=0)
        weights[relation] = moved if relation[-1] == "+" else moved.T
    if convolution == "plain":
        edges = [(start, "any", end) for start, _, end in edges]
        weights = {"any": np.eye(size)}
    for layer in range(2):
        before, nodes = nodes, {}
        for name in names:
            total = np.eye(size) @ before[name]
            for relation, weight in weights.items():
                around = [start for start, of, end in edges if of == relation and end == name]
                for other in around:
                    total = total + weight @ before[other] / len(around)
            nodes[name] = np.maximum(total, 0) if layer == 0 else total
    return nodes


NUMBERS = st.lists(st.floats(-2, 2, width=32), min_size=5, max_size=5)


@given(
    st.lists(
        st.builds(Triple, st.sampled_from("ABC"), st.sampled_from("rst"), st.sampled_from("ABCD")),
        max_size=6,
    ),
    st.fixed_dictionaries(dict.fromkeys("ABCD", NUMBERS)),
    st.sampled_from(CONVOLUTIONS),
)
def test_it_is_equation_1(
    triples: list[Triple], vectors: dict[str, list[float]], convolution: Convolution
) -> None:
    told = graph(triples, exact=True)
    wanted = equation_1(triples, vectors, convolution)
    for name, vector in zip(told.nodes, told.convolve(vectors, convolution), strict=True):
        assert vector == pytest.approx(wanted[name].tolist(), abs=1e-9)
