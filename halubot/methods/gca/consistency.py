"""Facts beside samples, graph against graph: the consistency score of GCA, and its
confirmations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pydantic import BaseModel

from halubot.compare.names import same_name
from halubot.compare.operators import is_negative
from halubot.compare.tokens import tokens
from halubot.compare.triples import form, same_fact
from halubot.compare.value_reader import find
from halubot.compare.values import compatible, rivals
from halubot.concurrency import every
from halubot.llm_calls.extraction import state_triple
from halubot.llm_calls.talk import Fields, Talk
from halubot.methods.gca.graphs import (
    RELATION,
    Convolution,
    Graph,
    Vector,
    graph,
    relation_types,
    unit,
    unit_cosine,
)
from halubot.report import Triple


@dataclass(frozen=True, slots=True)
class Comparison:
    """The settings of comparing facts: theta_t and theta_r, the convolution, and whether
    ``exact``ly, as published: heads are the same if their letters are, vectors alone decide, and
    nothing bounds what one sample counts."""

    tail: float
    relation: float = RELATION
    convolution: Convolution = "none"
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Aligned:
    """The alignment of samples with one fact: ``counts`` is c_i,j of each sample, in their order,
    ``aligned`` in how many of them a triple was aligned with it, ``spoken`` how many have a fact
    about its head at all, and ``elsewhere`` how many have its tail there in a relation that is not
    alike."""

    counts: tuple[int, ...]
    aligned: int
    spoken: int
    elsewhere: int = 0

    @property
    def count(self) -> int:
        """C_i; from -N to N, unless compared exactly."""
        return sum(self.counts)

    @property
    def is_known(self) -> bool:
        """Return True if any sample bears on the fact: something was aligned, or counts against
        it."""
        return self.aligned > 0 or any(self.counts)

    @property
    def share(self) -> float | None:
        """(C_i / N + 1) / 2, from 0 to 1; None if no sample bears on the fact."""
        if not self.is_known:
            return None
        return min(1.0, max(0.0, (self.count / len(self.counts) + 1) / 2))


def compare_graphs(
    facts: Sequence[Triple],
    samples: Sequence[Sequence[Triple]],
    vectors: Mapping[str, Vector],
    how: Comparison,
) -> list[Aligned]:
    """Each fact of a message beside the triples of each sample, by ``vectors`` of all their heads,
    relations and tails. A head that a sample names otherwise has the vector of the message's name
    for it, unless compared exactly. Without facts nothing is looked at."""
    if not facts:
        return []
    # The message's relations first: they name the types of the samples'.
    stated = [triple.relation for row in (facts, *samples) for triple in row if triple.head]
    types: Mapping[str, str] = {}
    if how.convolution == "relational":
        types = relation_types(stated, vectors, how.relation)
    message = _Convolved.of(graph(facts, types, exact=how.exact), vectors, how)
    places = {triple: at for at, triple in enumerate(message.graph.triples)}
    alike = _Alike(vectors, how)
    found: list[list[_Said]] = [[] for _ in facts]
    for triples in samples:
        other = graph(triples, types, exact=how.exact)
        # With a convolution a head's vector enters those of its tails: under another name of the
        # same head they would lie apart.
        named = vectors if how.exact else _rename(other, message.graph, vectors)
        sample = _Convolved.of(other, named, how)
        for fact, said in zip(facts, found, strict=True):
            at = places.get(fact)
            # A clause has no head and no tail: it is in no graph, and nothing aligns with it.
            said.append(_Said() if at is None else _count(message, at, sample, alike))
    return [
        Aligned(
            tuple(one.count for one in said),
            sum(one.aligned for one in said),
            sum(one.spoken for one in said),
            sum(one.elsewhere for one in said),
        )
        for said in found
    ]


@dataclass(frozen=True, slots=True)
class _Said:
    """The stance of one sample on one fact."""

    count: int = 0
    aligned: bool = False
    spoken: bool = False
    elsewhere: bool = False


@dataclass(frozen=True)
class _Convolved:
    """A graph with the convolved vectors of its nodes, made to length 1."""

    graph: Graph
    units: list[tuple[float, ...]]

    @classmethod
    def of(cls, graph: Graph, vectors: Mapping[str, Vector], how: Comparison) -> _Convolved:
        return cls(graph, [unit(node) for node in graph.convolve(vectors, how.convolution)])


class _Alike:
    """The parts alike in two triples; each pair of relations is looked at once."""

    def __init__(self, vectors: Mapping[str, Vector], how: Comparison) -> None:
        self.how = how
        self._vectors = vectors
        self._units: dict[str, tuple[float, ...]] = {}
        self._relations: dict[tuple[str, str], bool] = {}
        self.head: Callable[[str, str], bool] = str.__eq__ if how.exact else same_name

    def relation(self, a: str, b: str) -> bool:
        """Return True if two relations are alike."""
        if (a, b) not in self._relations:
            near = a == b or unit_cosine(self._unit(a), self._unit(b)) > self.how.relation
            # Vectors of a relation and of its denial lie near each other, so words tell them apart.
            opposed = near and not self.how.exact and is_negative(a) != is_negative(b)
            self._relations[a, b] = near and not opposed
        return self._relations[a, b]

    def tail(self, fact: str, other: str, cosine: float) -> bool:
        """Return True if two tails are the same, whose nodes have that cosine."""
        return cosine > self.how.tail and (self.how.exact or not _excludes(fact, other))

    def _unit(self, relation: str) -> tuple[float, ...]:
        if relation not in self._units:
            self._units[relation] = unit(self._vectors[relation])
        return self._units[relation]


def _count(message: _Convolved, at: int, sample: _Convolved, alike: _Alike) -> _Said:
    """c_i,j of one fact in one sample."""
    fact, node = message.graph.triples[at], message.units[message.graph.ends[at][1]]
    count, aligned, spoken, elsewhere, stated = 0, False, False, False, False
    for triple, (_, end) in zip(sample.graph.triples, sample.graph.ends, strict=True):
        if not alike.head(fact.head, triple.head):
            continue
        spoken = True
        same_relation = alike.relation(fact.relation, triple.relation)
        aligned = aligned or same_relation
        stated = stated or _verbatim(fact, triple)
        if alike.tail(fact.tail, triple.tail, unit_cosine(node, sample.units[end])):
            elsewhere = elsewhere or not same_relation
            if same_relation:
                count += 1
            # Equation 2 counts every other relation against a fact. By MiniLM the AUROC of c on
            # WikiBio is 0.54 with that and 0.67 without it (docs/benchmarks.md).
            elif alike.how.exact or is_negative(fact.relation) != is_negative(triple.relation):
                count -= 1
    if not alike.how.exact:
        # A sample counts once, and for a fact that it states in the same words whatever else it
        # says.
        count = 1 if stated else max(-1, min(1, count))
    return _Said(count, aligned, spoken, elsewhere)


def _verbatim(fact: Triple, other: Triple) -> bool:
    """Return True if two triples with the same head are one in the same words, in whatever case."""
    return _cut_words(fact.relation) == _cut_words(other.relation) and (
        _cut_words(fact.tail) == _cut_words(other.tail)
    )


def _cut_words(text: str) -> list[str]:
    return text.casefold().split()


def _rename(sample: Graph, message: Graph, vectors: Mapping[str, Vector]) -> dict[str, Vector]:
    """The vectors of the nodes of a sample; those of heads of the message by their names there."""
    heads = list(dict.fromkeys(triple.head for triple in message.triples))
    return {
        name: vectors[next((head for head in heads if same_name(head, name)), name)]
        for name in sample.nodes
    }


def _excludes(fact: str, other: str) -> bool:
    """Return True if a value of one text is excluded by the values of another."""
    theirs = find(other)
    return any(
        any(rivals(mine, one) for one in theirs)
        and not any(compatible(mine, one) for one in theirs)
        for mine in find(fact)
    )


KNOWN: Final = 10
"""How many facts are taken at most."""


# 0.28 of 25 samples is 7.000000000000001 to the processor, and seven are enough.
_ROUNDING: Final = 1e-9


def well_supported(
    facts: Sequence[Triple], samples: Sequence[Sequence[Triple]], share: float = 0.5
) -> list[Triple]:
    """The facts that this share of the samples or more states, in whatever words (`same_fact`),
    those first that most do; at most `KNOWN`, each once. None without samples."""
    counts = {fact: sum(_states(triples, fact) for triples in samples) for fact in facts}
    return most_stated(counts, len(samples), share)[:KNOWN]


def most_stated(counts: Mapping[Triple, int], samples: int, share: float) -> list[Triple]:
    """The facts that this share of all samples or more states, those first that most do."""
    known = [fact for fact, count in counts.items() if 0 < share * samples <= count + _ROUNDING]
    return sorted(known, key=lambda fact: -counts[fact])


def _states(triples: Sequence[Triple], fact: Triple) -> bool:
    """Return True if one of the triples is this fact. Those without a word of its tail are passed
    over, for comparing all with all takes long."""
    tail = {token.norm for token in tokens(fact.tail, 0, len(fact.tail)) if token.kind != "stop"}
    return any(
        same_fact(fact, triple)
        for triple in triples
        if not tail or not tail.isdisjoint(form(triple).stems)
    )


class Supported(BaseModel):
    """Whether triples support a fact."""

    supported: Literal["yes", "no"]


@dataclass(frozen=True, slots=True)
class Confirmed:
    """The indexes of the facts that are supported; ``lost`` has why others were not asked about."""

    facts: frozenset[int]
    lost: Mapping[int, str]


async def confirm_facts(
    talk: Talk, facts: Mapping[int, Triple], triples: Sequence[Triple]
) -> Confirmed:
    """Which facts some triples support, by one call a fact, all at once. Without triples none, and
    no call. Raises SettingError for a prompt that is broken."""
    shown = [state_triple(triple) for triple in triples]

    async def one(index: int) -> tuple[int, bool, str | None]:
        fields: Fields = {"triples": shown, "fact": state_triple(facts[index])}
        answer = await talk.ask("gca-supports", Supported, fields)
        if answer.value is None or answer.reason is not None:
            return index, False, answer.reason or "the judge gave no answer"
        return index, answer.value.supported == "yes", None

    said = await every(one(index) for index in facts) if shown else []
    return Confirmed(
        frozenset(index for index, holds, _ in said if holds),
        {index: why for index, _, why in said if why is not None},
    )
