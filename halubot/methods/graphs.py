"""Facts compared as graphs: what a text states, each entity seen with what surrounds it.

A graph has a node for each head and tail, and an edge for each triple. Two relational graph
convolutions mix into a node what its neighbours are:

    e'_v = act( sum over relations r, sum over u in N_r(v), of W_r e_u / c_v,r  +  W_0 e_v )

The paper trains no weights and publishes none. Ours are fixed (`CONVOLUTION` says how): W_0 and W_r
are the identity; c_v,r is the number of all neighbours of v, over all relations and along edges in
both directions, so that the sum is their mean, as Schlichtkrull et al. 2018 have it for link
prediction; act is ReLU after the first convolution and nothing after the second, as in the paper's
repository. A node without neighbours keeps its own vector.

Source: Fang et al., "Zero-resource Hallucination Detection for Text Generation via Graph-based
Contextual Knowledge Triples Modeling" (AAAI 2025), section 3.3.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import add
from typing import Final

from halubot.compare.names import canonical, same_name
from halubot.compare.negation import is_negative
from halubot.compare.values import compatible, find, rivals
from halubot.facts import Triple

Vector = Sequence[float]

CONVOLUTION: Final = (
    "two layers with fixed, untrained weights: W_0 and W_r are the identity, a node's neighbours"
    " count by their mean, ReLU after the first layer"
)
"""How the graphs are convolved, for reports."""
RELATION: Final = 0.5
"""Theta_r, as in the paper's repository: the cosine above which two relations are aligned."""
TAIL: Final = 0.9
"""Theta_t, which nobody publishes: the cosine above which two convolved tails are the same.

Two convolutions make of a tail t that hangs on a head h about t + 2h, so that two tails of one head
have a cosine of 0.8 where they are unlike, and of 0.9 where they had one of 0.5 before."""
LAYERS: Final = 2


@dataclass(frozen=True)
class Graph:
    """The graph of some triples: the names of its nodes, and for each triple the nodes of its head
    and its tail."""

    triples: tuple[Triple, ...]
    nodes: tuple[str, ...]
    ends: tuple[tuple[int, int], ...]

    @cached_property
    def neighbours(self) -> list[list[int]]:
        """The neighbours of each node, once for each edge between them."""
        found: list[list[int]] = [[] for _ in self.nodes]
        for head, tail in self.ends:
            found[head].append(tail)
            found[tail].append(head)
        return found

    def convolved(self, vectors: Mapping[str, Vector]) -> list[list[float]]:
        """The vector of each node after all convolutions. ``vectors`` has those of all nodes."""
        nodes = [list(vectors[name]) for name in self.nodes]
        for layer in range(LAYERS):
            nodes = [self._mixed(nodes, at) for at in range(len(nodes))]
            if layer < LAYERS - 1:
                nodes = [[one if one > 0.0 else 0.0 for one in node] for node in nodes]
        return nodes

    def _mixed(self, nodes: Sequence[list[float]], at: int) -> list[float]:
        """A node and the mean of its neighbours."""
        around = self.neighbours[at]
        if not around:
            return nodes[at]
        sums = nodes[around[0]]
        for other in around[1:]:
            sums = list(map(add, sums, nodes[other]))
        share = 1 / len(around)
        return [own + share * one for own, one in zip(nodes[at], sums, strict=True)]


def graph(triples: Sequence[Triple], *, exact: bool = False) -> Graph:
    """The graph of the triples that have a head and a tail, each once. A node is a name, whatever
    its case, accents, article and alias; with ``exact`` it is the letters themselves."""
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
    return Graph(kept, tuple(names), ends)


@dataclass(frozen=True, slots=True)
class Aligned:
    """What the samples say of one fact: ``counts`` is c_i,j of each sample, in their order, and
    ``aligned`` in how many of them a triple was aligned with it."""

    counts: tuple[int, ...]
    aligned: int

    @property
    def count(self) -> int:
        """C_i, from -N to N."""
        return sum(self.counts)

    @property
    def share(self) -> float | None:
        """(C_i / N + 1) / 2, from 0 to 1; None where nothing was aligned in any sample."""
        return (self.count / len(self.counts) + 1) / 2 if self.aligned else None


def compared(
    facts: Sequence[Triple],
    samples: Sequence[Sequence[Triple]],
    vectors: Mapping[str, Vector],
    *,
    exact: bool = False,
) -> list[Aligned]:
    """Each fact of a message beside the triples of each sample, by ``vectors`` of all their heads,
    relations and tails.

    A triple of a sample with the same head is aligned where its relation is alike. If its tail is
    the same too, c_i,j grows by 1; if its tail is the same though it is not aligned, c_i,j falls by
    1. Of each sample -1, 0 or 1 counts, so that C_i has a bound. Relations of which one denies are
    not alike, and tails with values that exclude each other not the same, whatever their vectors
    say; a head that a sample names otherwise has the vector of the message's name for it. With
    ``exact`` there is none of these rules, and heads are the same where their letters are, as
    published. Without facts nothing is looked at, and ``vectors`` may be empty.
    """
    if not facts:
        return []
    message = _Convolved.of(graph(facts, exact=exact), vectors)
    places = {triple: at for at, triple in enumerate(message.graph.triples)}
    alike = _Alike(vectors, exact)
    counted: list[list[tuple[int, bool]]] = [[] for _ in facts]
    for triples in samples:
        other = graph(triples, exact=exact)
        sample = _Convolved.of(other, vectors if exact else _renamed(other, message.graph, vectors))
        for fact, counts in zip(facts, counted, strict=True):
            at = places.get(fact)
            counts.append((0, False) if at is None else _count(message, at, sample, alike))
    return [
        Aligned(tuple(count for count, _ in counts), sum(aligned for _, aligned in counts))
        for counts in counted
    ]


def cosine(a: Vector, b: Vector) -> float:
    """The cosine of two vectors, in [-1, 1]; 0 where one has no length."""
    return _cosine(_unit(a), _unit(b))


@dataclass(frozen=True)
class _Convolved:
    """A graph with the convolved vectors of its nodes, made to length 1."""

    graph: Graph
    units: list[tuple[float, ...]]

    @classmethod
    def of(cls, graph: Graph, vectors: Mapping[str, Vector]) -> _Convolved:
        return cls(graph, [_unit(node) for node in graph.convolved(vectors)])


class _Alike:
    """What is alike in two triples; each pair of relations is looked at once."""

    def __init__(self, vectors: Mapping[str, Vector], exact: bool) -> None:
        self._vectors = vectors
        self._exact = exact
        self._units: dict[str, tuple[float, ...]] = {}
        self._relations: dict[tuple[str, str], bool] = {}
        self.head: Callable[[str, str], bool] = str.__eq__ if exact else same_name

    def relation(self, a: str, b: str) -> bool:
        """Whether two relations are alike."""
        if (a, b) not in self._relations:
            near = a == b or _cosine(self._unit(a), self._unit(b)) > RELATION
            opposed = near and not self._exact and is_negative(a) != is_negative(b)
            self._relations[a, b] = near and not opposed
        return self._relations[a, b]

    def tail(self, fact: str, other: str, alike: float) -> bool:
        """Whether two tails are the same, whose nodes are so much ``alike``."""
        return alike > TAIL and (self._exact or not _excluded(fact, other))

    def _unit(self, relation: str) -> tuple[float, ...]:
        if relation not in self._units:
            self._units[relation] = _unit(self._vectors[relation])
        return self._units[relation]


def _count(message: _Convolved, at: int, sample: _Convolved, alike: _Alike) -> tuple[int, bool]:
    """c_i,j of one fact in one sample, and whether anything was aligned."""
    fact, node = message.graph.triples[at], message.units[message.graph.ends[at][1]]
    count, any_aligned = 0, False
    for triple, (_, end) in zip(sample.graph.triples, sample.graph.ends, strict=True):
        if not alike.head(fact.head, triple.head):
            continue
        aligned = alike.relation(fact.relation, triple.relation)
        any_aligned = any_aligned or aligned
        if alike.tail(fact.tail, triple.tail, _cosine(node, sample.units[end])):
            count += 1 if aligned else -1
    return max(-1, min(1, count)), any_aligned


def _renamed(sample: Graph, message: Graph, vectors: Mapping[str, Vector]) -> dict[str, Vector]:
    """The vectors of the nodes of a sample; those of heads of the message by their names there."""
    heads = list(dict.fromkeys(triple.head for triple in message.triples))
    return {
        name: vectors[next((head for head in heads if same_name(head, name)), name)]
        for name in sample.nodes
    }


def _excluded(fact: str, other: str) -> bool:
    """Whether a value of one text is excluded by the values of another."""
    theirs = find(other)
    return any(
        any(rivals(mine, one) for one in theirs)
        and not any(compatible(mine, one) for one in theirs)
        for mine in find(fact)
    )


def _unit(vector: Vector) -> tuple[float, ...]:
    """The vector made to length 1; () for one that has none."""
    length = math.hypot(*vector)
    return tuple(one / length for one in vector) if length else ()


def _cosine(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    """The cosine of two vectors of length 1, by their distance, which is the fastest that the
    standard library computes."""
    return 1.0 - math.dist(a, b) ** 2 / 2 if a and b else 0.0
