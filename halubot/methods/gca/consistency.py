"""How consistent samples are with a fact: C_i of GCA, section 3.3, and the threshold theta_t.

As published the entities of each text are the nodes of a graph, and two convolutions (equation 1)
mix the vector of a node with those of its neighbours. Ours compares the vectors as they are, which
loses nothing on WikiBio (``docs/benchmarks.md``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from operator import add
from typing import Final

from halubot.compare.operators import is_negative
from halubot.report import Triple
from halubot.values.comparison import compatible, differ
from halubot.values.names import same_name
from halubot.values.reader import find

Vector = Sequence[float]

THETA_RELATION: Final = 0.5
"""Theta_r, as in the paper's repository: the cosine above which two relations are alike."""
USUAL_THETA_TAIL: Final = 0.7
"""Theta_t if the vectors do not separate the same tails from others at all."""
LAYERS: Final = 2

_MADE_UP: Final = (
    ("was born in", "Ulm, Germany", "the German town of Ulm", "Basel, Switzerland"),
    ("worked as", "a painter of landscapes", "landscape painter", "a composer of operas"),
    ("studied at", "the University of Vienna", "Vienna University", "Leipzig University"),
    ("received", "the Schiller Prize for poetry", "the Schiller Prize", "a medal for bravery"),
    ("died on", "3 May 1911", "May 3, 1911", "17 June 1924"),
)
"""Relations, each with a tail, the same tail in other words, and another tail."""
_HEAD: Final = "Ada Weir"
MADE_UP_TEXTS: Final = (_HEAD, *(tail for _, *tails in _MADE_UP for tail in tails))
"""The texts whose vectors `fit_theta_tail` needs."""


@dataclass(frozen=True, slots=True)
class Consistency:
    """The consistency of samples with one fact: ``counts`` has c_i,j of each sample. ``known`` is
    False if no sample bears on the fact."""

    counts: tuple[int, ...] = ()
    known: bool = False

    @property
    def count(self) -> int:
        """C_i."""
        return sum(self.counts)

    @property
    def share(self) -> float | None:
        """(C_i / N + 1) / 2, from 0 to 1; None if no sample bears on the fact."""
        return (self.count / len(self.counts) + 1) / 2 if self.known else None


def compare(
    facts: Sequence[Triple],
    samples: Sequence[Sequence[Triple]],
    vectors: Mapping[str, Vector],
    theta_tail: float,
    *,
    as_published: bool = False,
) -> list[Consistency]:
    """Compare each fact with the triples of each sample; ``vectors`` has those of all their parts.

    Equation 2: +1 for a triple with the same head, a relation that is alike and the same tail, -1
    for one with another relation. As published heads are the same if their letters are, and vectors
    alone decide. Ours compares names, denials, numbers and dates by rules, takes -1 only for a
    denial, and lets a sample count once, for a fact that it states in the same words whatever else
    it says.
    """
    # A clause has no head and no tail: it is in no graph, and nothing aligns with it.
    own, *others = (
        [triple for triple in row if triple.head and triple.tail] for row in (facts, *samples)
    )
    comparison = _Comparison(own, others, vectors, theta_tail, as_published)
    told = [comparison.counts(row) for row in others]
    return [
        Consistency(
            tuple(row[fact][0] if fact in row else 0 for row in told),
            any(row[fact][1] for row in told if fact in row),
        )
        for fact in facts
    ]


class _Comparison:
    """The facts of a message, to be compared with one sample after the other."""

    def __init__(
        self,
        facts: Sequence[Triple],
        samples: Sequence[Sequence[Triple]],
        vectors: Mapping[str, Vector],
        theta_tail: float,
        as_published: bool,
    ) -> None:
        self._vectors = vectors
        self._units = {text: _unit(vector) for text, vector in vectors.items()}
        self._theta_tail = theta_tail
        self._as_published = as_published
        self._facts = list(dict.fromkeys(facts))
        self._alike = cache(self._compare_relations)
        self._same_head: Callable[[str, str], bool] = cache(same_name)
        self._kinds: dict[str, str] = {}
        if as_published:
            self._same_head = str.__eq__
            for triple in (triple for row in (facts, *samples) for triple in row):
                self._add_kind(triple.relation)
        self._own = self._entities(self._facts)

    def counts(self, triples: Sequence[Triple]) -> dict[Triple, tuple[int, bool]]:
        """Return c_i,j of each fact in a sample, and whether the sample bears on it."""
        theirs = self._entities(triples)
        return {fact: self._count(fact, triples, theirs) for fact in self._facts}

    def _count(
        self, fact: Triple, triples: Sequence[Triple], theirs: Mapping[str, Vector]
    ) -> tuple[int, bool]:
        found, aligned, stated = 0, False, False
        for triple in triples:
            if not self._same_head(fact.head, triple.head):
                continue
            same_relation = self._alike(fact.relation, triple.relation)
            aligned = aligned or same_relation
            stated = stated or _fold(fact) == _fold(triple)
            near = _near(self._own[fact.tail], theirs[triple.tail]) > self._theta_tail
            if not near or (not self._as_published and _excludes(fact.tail, triple.tail)):
                continue
            if same_relation:
                found += 1
            # With MiniLM the AUROC of c on WikiBio is 0.54 if every other relation counts against
            # a fact, and 0.67 if only a denial does.
            elif self._as_published or is_negative(fact.relation) != is_negative(triple.relation):
                found -= 1
        if not self._as_published:
            found = 1 if stated else max(-1, min(1, found))
        return found, aligned or found != 0

    def _entities(self, triples: Sequence[Triple]) -> Mapping[str, Vector]:
        """Return the vectors of the entities of a text, of length 1."""
        if not self._as_published:
            return self._units
        convolved = convolve(triples, self._vectors, self._kinds)
        return {name: _unit(vector) for name, vector in convolved.items()}

    def _add_kind(self, relation: str) -> None:
        """Add the type of a relation: that of an earlier one that is alike, else its own."""
        if relation not in self._kinds:
            kinds = dict.fromkeys(self._kinds.values())
            alike = (kind for kind in kinds if self._alike(relation, kind))
            self._kinds[relation] = next(alike, relation)

    def _compare_relations(self, a: str, b: str) -> bool:
        near = a == b or _near(self._units[a], self._units[b]) > THETA_RELATION
        # The vectors of a relation and of its denial lie near each other.
        return near and (self._as_published or is_negative(a) == is_negative(b))


def convolve(
    triples: Sequence[Triple], vectors: Mapping[str, Vector], kinds: Mapping[str, str]
) -> dict[str, Vector]:
    """Return the vectors of the entities after all convolutions (equation 1). ``kinds`` has the
    type of each relation.

    The paper publishes no weights, and with random ones two runs differ. So W_0 is the identity,
    W_r a cyclic shift, the other way round against the direction of an edge, and c_v,r the number
    of neighbours by type and direction.
    """
    edges: dict[str, dict[tuple[str, int], list[str]]] = {}
    for head, relation, tail in dict.fromkeys(triples):
        kind = kinds.get(relation, relation)
        edges.setdefault(head, {}).setdefault((kind, -1), []).append(tail)
        edges.setdefault(tail, {}).setdefault((kind, 1), []).append(head)
    nodes: dict[str, Vector] = {name: vectors[name] for name in edges}
    for layer in range(LAYERS):
        mixed: dict[str, Vector] = {}
        for name, around in edges.items():
            own = list(nodes[name])
            for (kind, direction), others in around.items():
                sums = [
                    sum(column) / len(others)
                    for column in zip(*map(nodes.get, others), strict=True)
                ]
                own = list(map(add, own, shift(sums, kind, direction)))
            mixed[name] = own if layer == LAYERS - 1 else [max(0.0, one) for one in own]
        nodes = mixed
    return nodes


def fit_theta_tail(vectors: Mapping[str, Vector], *, as_published: bool = False) -> float:
    """Return theta_t for these vectors, which hold all `MADE_UP_TEXTS`: the cosine that separates
    the same tails from others with the largest J of Youden. Of equally good ones the highest is
    taken, because one wrong match hides an error. The paper names no theta_t."""
    rows = []
    for place in (1, 2, 3):
        triples = [Triple(_HEAD, row[0], row[place]) for row in _MADE_UP]
        nodes = convolve(triples, vectors, {}) if as_published else vectors
        rows.append([_unit(nodes[triple.tail]) for triple in triples])
    own, same, other = rows
    pairs = [
        (_near(one, two), row is same and place == at)
        for row in (same, other)
        for place, one in enumerate(own)
        for at, two in enumerate(row)
    ]
    pairs.sort(reverse=True)
    best, threshold, hits = 0.0, USUAL_THETA_TAIL, 0
    for place, (near, hit) in enumerate(pairs):
        hits += hit
        j = hits / len(own) - (place + 1 - hits) / (len(pairs) - len(own))
        below = pairs[place + 1][0] if place + 1 < len(pairs) else -1.0
        # No threshold lies between two equal cosines.
        if below < near and j > best:
            best, threshold = j, (near + below) / 2
    return threshold


def shift(vector: list[float], kind: str, direction: int) -> list[float]:
    """Return W_r of a type times a vector: its places are moved on by a number that depends on the
    type alone, back if the direction is -1."""
    if len(vector) < 2:
        return vector
    # Python's own `hash` of a string differs from process to process.
    digest = blake2b(kind.casefold().encode(), digest_size=8).digest()
    places = direction * (1 + int.from_bytes(digest, "big") % (len(vector) - 1))
    return vector[-places:] + vector[:-places]


def _unit(vector: Vector) -> tuple[float, ...]:
    """The vector brought to length 1; () for one that has none."""
    length = math.hypot(*vector)
    return tuple(one / length for one in vector) if length else ()


def cosine(a: Vector, b: Vector) -> float:
    """Return the cosine of two vectors; 0 if one has no length."""
    return _near(_unit(a), _unit(b))


def _near(a: Vector, b: Vector) -> float:
    """Return the cosine of two vectors of length 1, by their distance, which is the fastest that
    the standard library computes."""
    return 1.0 - math.dist(a, b) ** 2 / 2 if a and b else 0.0


def _fold(triple: Triple) -> tuple[list[str], list[str]]:
    return triple.relation.casefold().split(), triple.tail.casefold().split()


def _excludes(text: str, other: str) -> bool:
    """Return True if a value of one text is excluded by the values of another."""
    theirs = find(other)
    return any(
        any(differ(mine, one) for one in theirs)
        and not any(compatible(mine, one) for one in theirs)
        for mine in find(text)
    )
