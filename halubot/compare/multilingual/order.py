"""Do two sentences with the same words say the same? Roles, modals and sides of a vote.

Without a grammar of a language roles can only be told by order: of two participants that have
changed places one may have taken the other's role ("le chat a mordu le chien"). A passive changes
the order too, and then the agent stands after a preposition ("par", "von", "被"). A claim is not
supported by a sentence that may say it the other way round; that is no contradiction either.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Final

from halubot.compare.alignment import Alignment
from halubot.compare.analysis import Analysis

_AGAINST: Final = "against"
_DEFINITE: Final = "ال"
_VERBAL: Final = ("ي", "ت", "س", "ن")


def says_the_same(found: Alignment) -> bool:
    """Return False if the source may exchange the roles of the claim, speaks of what may or must be
    where the claim says that it is, or is against what the claim is for. Takes time in the square
    of the terms."""
    claim, source = found.claim, found.source
    if _is_against(claim) != _is_against(source):
        return False
    free = not _has_modal(claim, found.pairs) and _has_modal(source, found.back)
    return not free and not _is_rearranged(found)


def _has_modal(found: Analysis, pairs: Sequence[int]) -> bool:
    """Return True if a modal governs a term that is paired."""
    return any(
        one.sense.family == "modal" and one.target >= 0 and pairs[one.target] >= 0
        for one in found.operators
    )


def _is_against(found: Analysis) -> bool:
    return any(one.sense.sense == _AGAINST for one in found.operators)


def _is_rearranged(found: Alignment) -> bool:
    """Return True if two participants may have exchanged their roles."""
    claim, source = found.claim, found.source
    taking_part = [
        (i, j)
        for i, j in enumerate(found.pairs)
        if j >= 0
        and claim.terms[i].value is None
        and _takes_part(claim, i)
        and _takes_part(source, j)
        and not _is_adjunct(found, i, j)
    ]
    # Chinese verbs cannot be told from nouns: "台风摧毁了房屋", "房屋被台风摧毁".
    loose = claim.grammar.code == "zh" and _has_agent(claim) != _has_agent(source)
    for at, (i, j) in enumerate(taking_part):
        for k, other in taking_part[at + 1 :]:
            if claim.terms[i].run >= 0 and claim.terms[i].run == claim.terms[k].run:
                continue
            passive = [
                side.slot(one) in side.grammar.agents or side.slot(two) in side.grammar.agents
                for side, one, two in ((claim, i, k), (source, j, other))
            ]
            turned = passive[0] != passive[1]
            if loose and not turned:
                continue
            if turned and not _acts_on(found, (i, k), (j, other), in_claim=passive[0]):
                continue
            if (j > other) != turned:
                return True
    return False


def _has_agent(found: Analysis) -> bool:
    return not found.grammar.agents.isdisjoint(found.lows)


def _acts_on(
    found: Alignment, mine: tuple[int, int], theirs: tuple[int, int], *, in_claim: bool
) -> bool:
    """Return True if in the passive sentence the other term stands before the agent: what follows
    it may be the verb."""
    side, pair = (found.claim, mine) if in_claim else (found.source, theirs)
    agent, other = pair if side.slot(pair[0]) in side.grammar.agents else pair[::-1]
    return other < agent


def _is_adjunct(found: Alignment, i: int, j: int) -> bool:
    """Return True if the same preposition, but for one of agents, leads to both terms."""
    slots, agents = found.claim.grammar.slots, found.claim.grammar.agents
    mine, theirs = found.claim.slot(i), found.source.slot(j)
    return mine == theirs and mine in slots and mine not in agents


def _takes_part(found: Analysis, at: int) -> bool:
    """Return True for a name, and for a word that may be a noun."""
    term, grammar = found.terms[at], found.grammar
    if term.low in grammar.adverbs:
        return False
    if term.kind == "name" or grammar.code == "zh":
        return True
    place = bisect_left(found.starts, term.start)
    if grammar.code == "de":
        return place > 0 and term.text[:1].isupper()
    if grammar.code == "ar":
        first = at == 0 or found.terms[at - 1].clause != term.clause
        return term.low.startswith(_DEFINITE) or not (first or term.low.startswith(_VERBAL))
    return place > 0 and found.lows[place - 1] in grammar.articles
