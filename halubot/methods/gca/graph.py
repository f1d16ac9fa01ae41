"""How consistent samples are with a fact, as GCA publishes it: C_i of section 3.3.

The entities of each text are the nodes of a graph, and two relational convolutions (equation 1) mix
the vector of a node with those of its neighbours; equation 2 then counts the triples of a sample
that have the same head and tail, for a fact if their relation is alike and against it if it is not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

import numpy as np

from halubot.compare.tokens import tokens
from halubot.report import Triple

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

THETA_RELATION: Final = 0.5
"""Theta_r, as in the paper's repository: the cosine above which two relations are alike."""
THETA_TAIL: Final = 0.8
"""Theta_t, which neither the paper nor its repository names: set by hand."""
LAYERS: Final = 2

DIMENSIONS: Final = 512
"""Numbers of a vector; so many that unlike texts seldom meet in one."""

_FUNCTION: Final = 0.3
"""What a function word counts beside another."""

_LETTERS: Final = 3
# "war" means something else in English, unless it stands alone as a relation does.
_FORMS = "is are was were be been being am ist sind war waren es son fue era est sont"
_BE: Final = frozenset(_FORMS.split())


def vector(text: str) -> tuple[float, ...]:
    """The vector of a text, of length 1; all zeros if it holds no letter or digit."""
    found = [0.0] * DIMENSIONS
    words = tokens(text, 0, len(text))
    for token in words:
        if token.norm in _BE and (token.kind == "stop" or len(words) == 1):
            found[_place("be")] += _FUNCTION
            continue
        if token.kind == "stop":
            found[_place(token.norm)] += _FUNCTION
            continue
        found[_place(token.norm)] += 1.0
        groups = () if token.kind == "number" else _groups(token.norm)
        for group in groups:
            found[_place(group)] += 1 / math.sqrt(len(groups))
    length = math.hypot(*found)
    return tuple(one / length for one in found) if length else tuple(found)


def _groups(word: str) -> list[str]:
    """The groups of letters of a word, its two ends marked."""
    marked = f"^{word}$"
    return [marked[at : at + _LETTERS] for at in range(len(marked) - _LETTERS + 1)]


@lru_cache(maxsize=1 << 15)
def _place(feature: str) -> int:
    return int.from_bytes(blake2b(feature.encode(), digest_size=8).digest(), "big") % DIMENSIONS


def counts(
    facts: Sequence[Triple],
    samples: Sequence[Sequence[Triple]],
    vector_of: Callable[[str], Sequence[float]] = vector,
) -> list[tuple[int, ...]]:
    """Return c_i,j of each fact in each sample (equation 2): +1 for every triple with the same
    head, a relation above theta_r and a tail above theta_t, -1 for one with another relation.
    ``vector_of`` gives the vector of a head, a relation or a tail."""
    parts = {part for row in (facts, *samples) for triple in row for part in triple}
    known = {part: np.asarray(vector_of(part), dtype=float) for part in parts}
    kinds = kinds_of((one.relation for row in (facts, *samples) for one in row), known)
    own = convolve(facts, known, kinds)
    graphs = [convolve(sample, known, kinds) for sample in samples]
    found = []
    for fact in facts:
        row = []
        for sample, graph in zip(samples, graphs, strict=True):
            count = 0
            for one in sample:
                if one.head == fact.head and cosine(own[fact.tail], graph[one.tail]) > THETA_TAIL:
                    alike = cosine(known[fact.relation], known[one.relation]) > THETA_RELATION
                    count += 1 if alike else -1
            row.append(count)
        found.append(tuple(row))
    return found


def kinds_of(relations: Iterable[str], vectors: Mapping[str, Vector]) -> dict[str, str]:
    """Return the type of each relation: that of an earlier one that is alike, else its own."""
    kinds: dict[str, str] = {}
    for relation in relations:
        if relation not in kinds:
            near = (
                kind
                for kind in dict.fromkeys(kinds.values())
                if cosine(vectors[relation], vectors[kind]) > THETA_RELATION
            )
            kinds[relation] = next(near, relation)
    return kinds


def convolve(
    triples: Sequence[Triple], vectors: Mapping[str, Vector], kinds: Mapping[str, str]
) -> dict[str, Vector]:
    """Return the vectors of the entities of a text after all convolutions (equation 1).

    The paper publishes no weights, and with random ones two runs differ. So W_0 is the identity,
    W_r a cyclic shift that depends on the type of the relation, the other way round against the
    direction of an edge, and c_v,r the number of neighbours by type and direction.
    """
    edges: dict[str, dict[tuple[str, int], list[str]]] = {}
    for head, relation, tail in dict.fromkeys(triples):
        edges.setdefault(head, {}).setdefault((kinds[relation], -1), []).append(tail)
        edges.setdefault(tail, {}).setdefault((kinds[relation], 1), []).append(head)
    nodes = {name: vectors[name] for name in edges}
    for layer in range(LAYERS):
        mixed = {}
        for name, around in edges.items():
            own = nodes[name].copy()
            for (kind, direction), others in around.items():
                neighbour = np.mean([nodes[one] for one in others], axis=0)
                own += np.roll(neighbour, places(kind, direction, own.size))
            mixed[name] = own if layer == LAYERS - 1 else np.maximum(own, 0.0)
        nodes = mixed
    return nodes


def cosine(a: Vector, b: Vector) -> float:
    """Return the cosine of two vectors; 0 if one has no length."""
    lengths = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / lengths if lengths else 0.0


def places(kind: str, direction: int, size: int) -> int:
    """The places by which W_r moves the numbers of a vector."""
    if size < 2:
        return 0
    # Python's own `hash` of a string differs from process to process.
    digest = blake2b(kind.casefold().encode(), digest_size=8).digest()
    return direction * (1 + int.from_bytes(digest, "big") % (size - 1))
