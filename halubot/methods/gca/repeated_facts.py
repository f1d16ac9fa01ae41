"""Facts that other answers state too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from halubot.compare.tokens import tokens
from halubot.compare.triples import form, same_fact
from halubot.report import Triple

KNOWN: Final = 10
"""How many facts are taken at most."""
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
    """Whether one of the triples is this fact. Those without a word of its tail are passed over,
    for comparing all with all takes long."""
    tail = {token.norm for token in tokens(fact.tail, 0, len(fact.tail)) if token.kind != "stop"}
    return any(
        same_fact(fact, triple)
        for triple in triples
        if not tail or not tail.isdisjoint(form(triple).stems)
    )
