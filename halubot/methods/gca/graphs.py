"""The graph of a text: entities, typed and directed edges, convolutions, and its threshold
theta_t."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from operator import add
from typing import Final, Literal, NamedTuple, get_args

from halubot.compare.names import canonical
from halubot.compare.operators import is_negative
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

    def convolve(
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
            # W_0 is the identity and W_r a cyclic shift: the paper publishes no weights, and with
            # random ones two runs differ.
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
    # Python's own `hash` of a string differs from process to process.
    digest = blake2b(kind.casefold().encode(), digest_size=8).digest()
    return 1 + int.from_bytes(digest, "big") % (size - 1) if size > 1 else 0


def cosine(a: Vector, b: Vector) -> float:
    """The cosine of two vectors, in [-1, 1]; 0 if one has no length."""
    return unit_cosine(unit(a), unit(b))


def unit(vector: Vector) -> tuple[float, ...]:
    """The vector made to length 1; () for one that has none."""
    length = math.hypot(*vector)
    return tuple(one / length for one in vector) if length else ()


def unit_cosine(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    """The cosine of two vectors of length 1, by their distance, which is the fastest that the
    standard library computes; 0 if one has no length."""
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


HEAD: Final = "Ada Weir"


_TOLD: Final = (
    ("was born in", "Ulm, Germany", "the German town of Ulm", "Basel, Switzerland"),
    ("worked as", "a painter of landscapes", "landscape painter", "a composer of operas"),
    ("studied at", "the University of Vienna", "Vienna University", "Leipzig University"),
    ("received", "the Schiller Prize for poetry", "the Schiller Prize", "a medal for bravery"),
    ("died on", "3 May 1911", "May 3, 1911", "17 June 1924"),
)
"""Each relation with a tail, the same in other words, and another one."""


OURS: Final = tuple(Triple(HEAD, relation, tail) for relation, tail, _, _ in _TOLD)


SAME: Final = tuple(Triple(HEAD, relation, tail) for relation, _, tail, _ in _TOLD)


OTHER: Final = tuple(Triple(HEAD, relation, tail) for relation, _, _, tail in _TOLD)


TEXTS: Final = (HEAD, *(triple.tail for triple in (*OURS, *SAME, *OTHER)))
"""What has to be embedded for it: heads and tails. Relations only name the types of edges."""


USUAL: Final = 0.7
"""Theta_t if vectors do not part the same tails from others at all."""


class Fitted(NamedTuple):
    """Theta_t, and Youden's J there: 1 if it parts all pairs, 0 if it parts none."""

    value: float
    youden: float


def fit_tail(vectors: Mapping[str, Vector], convolution: Convolution = "none") -> Fitted:
    """Theta_t for these vectors, which hold all `TEXTS`: midway between the lowest cosine that
    counts as the same and the next below it. Of equally good cuts the highest is taken, because
    one wrong match hides an error."""
    ours, *theirs = (
        [unit(node) for node in graph(row).convolve(vectors, convolution)][1:]
        for row in (OURS, SAME, OTHER)
    )
    pairs = [
        (unit_cosine(mine, other), place == at and row is theirs[0])
        for row in theirs
        for place, mine in enumerate(ours)
        for at, other in enumerate(row)
    ]
    pairs.sort(reverse=True)
    count = len(OURS)
    best, hits = Fitted(USUAL, 0.0), 0
    for place, (one, same) in enumerate(pairs):
        hits += same
        below = pairs[place + 1][0] if place + 1 < len(pairs) else -1.0
        # No cut lies between two equal cosines.
        if below == one:
            continue
        youden = hits / count - (place + 1 - hits) / (len(pairs) - count)
        if youden > best.youden:
            best = Fitted((one + below) / 2, youden)
    return best
