"""The graph of a text: its entities, joined by typed and directed edges, and its convolutions.

A graph has a node for each head and tail, and an edge for each triple, from head to tail, whose
type is the relation. Two convolutions mix into a node what its neighbours are (equation 1):

    e'_v = act( sum over types r, sum over u in N_r(v), of W_r e_u / c_v,r  +  W_0 e_v )

The paper trains no weights and publishes none: its code takes them at random. Ours are fixed:

    relational  W_r is a cyclic shift of the vector, as wide as the name of the type says, and the
                shift back for an edge that is followed from tail to head; c_v,r is the number of
                neighbours of v by that type and direction, so that each type adds a mean
    plain       W_r is the identity, all edges are of one type without direction: the paper's
                ablation "- Relations"
    none        a node keeps its own vector: the ablation "- Graph"

W_0 is the identity, act is ReLU after the first convolution and nothing after the second, as in the
paper's repository. A shift keeps lengths, and makes of one vector another that has little in common
with it: what comes by one relation is told from what comes by another, though nothing is learnt.

Source: Fang et al., "Zero-resource Hallucination Detection for Text Generation via Graph-based
Contextual Knowledge Triples Modeling" (AAAI 2025), section 3.3 and table 2.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from operator import add
from typing import Final, Literal, get_args

from halubot.compare.names import canonical
from halubot.compare.negation import is_negative
from halubot.report import Triple

Vector = Sequence[float]
Convolution = Literal["none", "relational", "plain"]

CONVOLUTIONS: Final[tuple[Convolution, ...]] = get_args(Convolution)
RELATION: Final = 0.5
"""Theta_r, as in the paper's repository: the cosine above which two relations are alike."""
LAYERS: Final = 2


@dataclass(frozen=True)
class Graph:
    """The graph of some triples: the names of its nodes, and for each triple the nodes of its head
    and its tail, and the type of its relation."""

    triples: tuple[Triple, ...]
    nodes: tuple[str, ...]
    ends: tuple[tuple[int, int], ...]
    types: tuple[str, ...]

    @cached_property
    def neighbours(self) -> list[dict[tuple[str, bool], list[int]]]:
        """The neighbours of each node, by the type of the edge and whether it leads to the node;
        once for each edge."""
        found: list[dict[tuple[str, bool], list[int]]] = [{} for _ in self.nodes]
        for (head, tail), kind in zip(self.ends, self.types, strict=True):
            found[tail].setdefault((kind, True), []).append(head)
            found[head].setdefault((kind, False), []).append(tail)
        return found

    def convolved(
        self, vectors: Mapping[str, Vector], convolution: Convolution = "relational"
    ) -> list[list[float]]:
        """The vector of each node after all convolutions. ``vectors`` has those of all nodes."""
        nodes = [list(vectors[name]) for name in self.nodes]
        if convolution == "none":
            return nodes
        mixed = self._relational if convolution == "relational" else self._plain
        for layer in range(LAYERS):
            nodes = [mixed(nodes, at) for at in range(len(nodes))]
            if layer < LAYERS - 1:
                nodes = [[one if one > 0.0 else 0.0 for one in node] for node in nodes]
        return nodes

    def _relational(self, nodes: Sequence[list[float]], at: int) -> list[float]:
        """A node, and for each type and direction of its edges the mean of its neighbours there,
        shifted."""
        own = nodes[at]
        for (kind, inward), around in self.neighbours[at].items():
            width = shift(kind, len(own))
            mean = _shift(_mean([nodes[one] for one in around]), width if inward else -width)
            own = list(map(add, own, mean))
        return own

    def _plain(self, nodes: Sequence[list[float]], at: int) -> list[float]:
        """A node and the mean of all its neighbours."""
        around = [one for some in self.neighbours[at].values() for one in some]
        return (
            list(map(add, nodes[at], _mean([nodes[one] for one in around])))
            if around
            else nodes[at]
        )


def graph(
    triples: Iterable[Triple], types: Mapping[str, str] | None = None, *, exact: bool = False
) -> Graph:
    """The graph of the triples that have a head and a tail, each once. A node is a name, whatever
    its case, accents, article and alias; with ``exact`` it is the letters themselves. ``types`` has
    the type of each relation; without it each relation is a type."""
    places: dict[str, int] = {}
    names: list[str] = []

    def node(name: str) -> int:
        key = name if exact else canonical(name) or name
        if key not in places:
            places[key] = len(names)
            names.append(name)
        return places[key]

    kept = tuple(dict.fromkeys(triple for triple in triples if triple.head and triple.tail))
    ends = tuple((node(triple.head), node(triple.tail)) for triple in kept)
    kinds = tuple((types or {}).get(triple.relation, triple.relation) for triple in kept)
    return Graph(kept, tuple(names), ends, kinds)


def relation_types(
    relations: Iterable[str], vectors: Mapping[str, Vector], threshold: float = RELATION
) -> dict[str, str]:
    """The type of each relation: the first one before it that is alike, else itself. Alike are two
    whose cosine is above the threshold and of which not one alone denies. In the order given, so
    that the relations of a message name the types of its samples."""
    types: dict[str, str] = {}
    units: dict[str, tuple[float, ...]] = {}
    for relation in relations:
        if relation in types:
            continue
        own, denies = unit(vectors[relation]), is_negative(relation)
        types[relation] = next(
            (
                name
                for name, one in units.items()
                if unit_cosine(own, one) > threshold and is_negative(name) == denies
            ),
            relation,
        )
        if types[relation] == relation:
            units[relation] = own
    return types


def shift(kind: str, size: int) -> int:
    """By how many places W_r of a type shifts a vector of that size: the same in every run, and
    from 1 to ``size`` - 1; 0 for vectors of one number."""
    digest = blake2b(kind.casefold().encode(), digest_size=8).digest()
    return 1 + int.from_bytes(digest, "big") % (size - 1) if size > 1 else 0


def cosine(a: Vector, b: Vector) -> float:
    """The cosine of two vectors, in [-1, 1]; 0 where one has no length."""
    return unit_cosine(unit(a), unit(b))


def unit(vector: Vector) -> tuple[float, ...]:
    """The vector made to length 1; () for one that has none."""
    length = math.hypot(*vector)
    return tuple(one / length for one in vector) if length else ()


def unit_cosine(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    """The cosine of two vectors of length 1, by their distance, which is the fastest that the
    standard library computes; 0 where one has no length."""
    return 1.0 - math.dist(a, b) ** 2 / 2 if a and b else 0.0


def _mean(vectors: Sequence[Vector]) -> list[float]:
    """The mean of some vectors, at least one."""
    sums = list(vectors[0])
    for other in vectors[1:]:
        sums = list(map(add, sums, other))
    share = 1 / len(vectors)
    return [share * one for one in sums] if len(vectors) > 1 else sums


def _shift(vector: list[float], width: int) -> list[float]:
    """The vector, its places moved on by that many, those at the end to the beginning."""
    return vector[-width:] + vector[:-width] if width else vector
