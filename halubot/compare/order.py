"""What two sentences with the same words may exchange: causes and effects, conditions, steps in
time ("it is closed because it rains" beside "it rains because it is closed"), and what each says of
two things ("adults pay 9 euros and students 5" beside "adults pay 5 euros and students 9"). In
languages without a lexicon of verbs the order of the words tells who takes part as what.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import combinations, takewhile
from typing import Final, Literal, NamedTuple

from halubot.compare.alignment import Alignment, are_opposite
from halubot.compare.alternatives import Conflict, parts_of
from halubot.compare.analysis import Analysis, Term
from halubot.compare.tokens import word_set

Family = Literal["cause", "effect", "time"]
"""What links two clauses as a cause or condition; a verb of causing; what links them in time."""


class _Link(NamedTuple):
    """Two sides of a sentence by the indexes of their terms: the cause, condition or earlier event,
    and what follows from it. ``governed`` is the side that follows the word."""

    family: Family
    first: frozenset[int]
    second: frozenset[int]
    governed: frozenset[int]


def find_order(found: Alignment) -> Iterator[Conflict]:
    """Yield the places at which a source has causes, conditions or steps in another order, or
    another cause."""
    yield from _find_exchanged_sides(found)
    yield from _find_reordered(found)
    yield from _find_other_causes(found)
    crossed = _find_crossed(found) if found.share >= _MOSTLY else None
    if crossed is not None and _are_of_a_kind(found, crossed):
        i = crossed[0]
        mine, theirs = found.claim.terms[i], found.source.terms[found.pairs[i]]
        yield Conflict(
            "roles", i, found.pairs[i], (mine.start, mine.end), (theirs.start, theirs.end),
            found.context(i, found.pairs[i]),
        )  # fmt: skip


def tells_crossed(found: Alignment) -> bool:
    """Return True if a source that has the words of a claim exchanges what is said of two things,
    turns a comparison round, or compares what it says is equal."""
    if _find_crossed(found) is not None or _is_compared_otherwise(found):
        return True
    return _is_of_other_half(found) or _is_opposed_to_both(found)


def _is_of_other_half(found: Alignment) -> bool:
    """Return True if a source tells of two things in one sentence, the second time without a verb,
    and the claim takes what it says of one from the other: "opened jars keep for two years" beside
    "sealed jars keep for two years, opened ones for six weeks"."""
    terms, halves = found.source.terms, parts_of(found.source)
    for j in sorted(set(found.pairs) - {-1}) if halves and halves[-1] else ():
        for rival, other in enumerate(terms):
            here, there = halves[j], halves[rival]
            if found.back[rival] >= 0 or abs(here - there) != 1 or not _are_rivals(terms[j], other):
                continue
            own = [k for k, half in enumerate(halves) if half == here and k != j]
            theirs = [k for k, half in enumerate(halves) if half == there]
            met = [k for k in own if found.back[k] >= 0]
            if len(met) == len(own) or not any(found.back[k] >= 0 for k in theirs):
                continue
            # The second half leaves out what the first says of both.
            if (here < there or not met) and _lacks_verb(found.source, halves, max(here, there)):
                return True
    return False


def _is_opposed_to_both(found: Alignment) -> bool:
    """Return True if a source has two words of a claim in two parts, each beside the opposite of
    the other: "the bottom is cold" beside "warm at the bottom and cold at the top"."""
    terms = found.source.terms
    met = sorted(set(found.pairs) - {-1})
    own = [k for k, back in enumerate(found.back) if back < 0]
    against = {j: [k for k in own if _are_rivals(terms[j], terms[k])] for j in met}
    opposed = [j for j in met if against[j]]
    parts = parts_of(found.source) if len(opposed) > 1 else []
    return any(
        parts[one] != parts[two]
        and any(parts[k] == parts[two] for k in against[one])
        and any(parts[k] == parts[one] for k in against[two])
        for one, two in combinations(opposed, 2)
    )


def _are_rivals(one: Term, other: Term) -> bool:
    """Return True for two values of one kind, and for opposites."""
    if one.value is not None and other.value is not None:
        return one.value.kind == other.value.kind
    return not other.lore.opposites.isdisjoint(one.bases)


_SHORT: Final = 4
"""The most terms of what leaves out its verb."""


def _lacks_verb(found: Analysis, parts: Sequence[int], part: int) -> bool:
    """Return True if a part of a sentence is short and has no verb; "opened ones" are things."""
    if parts.count(part) > _SHORT:
        return False
    for term in [term for term, own in zip(found.terms, parts, strict=True) if own == part]:
        noun = "n" in term.lore.parts and not term.low.endswith("ed")
        after = bisect_left(found.starts, term.end)
        ones = found.lows[after : after + 1] in (("ones",), ("one",))
        if "v" in term.lore.parts and not noun and not ones:
            return False
    return True


def _find_crossed(found: Alignment) -> tuple[int, int, int, int] | None:
    """Return four terms of a claim, two in each of two parts, of which a source has the first of
    one part together with the second of the other, both times; None if there are none."""
    if len(found.paired_terms) < _CROSSED:
        return None
    mine = parts_of(found.claim)
    theirs = parts_of(found.source) if mine and mine[-1] else []
    if not theirs or not theirs[-1]:
        return None
    # The parts of the claim that have a term in a part of the source.
    met: dict[tuple[int, int], int] = {}
    for i in sorted(found.paired_terms):
        if _is_single(found.claim, i) and _is_single(found.source, found.pairs[i]):
            met.setdefault((mine[i], theirs[found.pairs[i]]), i)
    for (one, here), kept in met.items():
        for (same, there), gone in met.items():
            if same != one or there == here:
                continue
            for other in range(one + 1, mine[-1] + 1):
                if (other, there) in met and (other, here) in met:
                    return kept, gone, met[other, there], met[other, here]
    return None


_CROSSED: Final = 4


def _is_single(found: Analysis, at: int) -> bool:
    """Return True for a term that the sentence has once: of two, either may be meant."""
    term = found.terms[at]
    return all(len(found.places[base]) == 1 for base in term.bases if base in found.places)


def _are_of_a_kind(found: Alignment, crossed: tuple[int, int, int, int]) -> bool:
    """Return True if two values or two names are exchanged between two words, or two values
    between two names: other words may be said of both."""
    one, said, other, told = (found.claim.classes[i] for i in crossed)
    kinds = {found.claim.terms[i].kind for i in crossed}
    return one == other and said == told and kinds != {"word"}


_MOSTLY: Final = 0.6
"""The share of a claim that a source must hold to contradict it by an exchange."""


def _is_compared_otherwise(found: Alignment) -> bool:
    """Return True if a source says a comparison the other way round, or that both are equal: "men
    live longer than women" beside "women live longer than men" and "both live as long"."""
    mine = _than(found.claim)
    if mine is None:
        return False
    theirs = _than(found.source)
    if theirs is None:
        return not _EQUAL.isdisjoint(found.source.lows) and _EQUAL.isdisjoint(found.claim.lows)
    if any(found.opposed):
        return False
    pairs, terms = found.pairs, found.claim.terms
    turned = any(
        j >= 0
        and found.claim.says_less(i) != found.source.says_less(j)
        and not are_opposite(terms[i], found.source.terms[j])
        for i, j in enumerate(pairs)
    )
    first = [pairs[i] >= theirs for i in range(mine) if pairs[i] >= 0]
    second = [pairs[i] >= theirs for i in range(mine, len(terms)) if pairs[i] >= 0]
    return turned != (any(first) and bool(second) and not any(second))


def _than(found: Analysis) -> int | None:
    """Return the number of terms before the "than" of the one comparison of a sentence; None if
    there is none, or more, or a value follows: "more than 5"."""
    if found.lows.count("than") != 1:
        return None
    at = found.lows.index("than")
    if found.lows[at - 1] in ("rather", "other"):
        return None
    first = bisect_left([term.start for term in found.terms], found.starts[at])
    values = [term.value for term in found.terms[first : first + 1]]
    return first if values == [None] else None


_EQUAL: Final = word_set("equally equal same alike identical similarly")


# What follows one of these words comes first, in time or as a cause.
_THEN_FIRST: Final[dict[Family, tuple[str, ...]]] = {
    "cause": (
        "because", "because of", "due to", "owing to", "thanks to", "as a result of", "if",
        "provided", "provided that",
    ),
    "effect": (
        "caused by", "triggered by", "result of", "consequence of", "results from",
        "resulted from", "stems from", "stemmed from",
    ),
    "time": ("after", "once", "as soon as"),
}  # fmt: skip
# What stands before one of these comes first.
_FIRST_THEN: Final[dict[Family, tuple[str, ...]]] = {
    "cause": ("therefore", "which is why", "that is why"),
    "effect": (
        "caused", "causes", "leads to", "led to", "results in", "resulted in", "triggered",
        "triggers",
    ),
    "time": ("before", "prior to", "and then"),
}  # fmt: skip
_LONGEST: Final = 4
_CLEARLY: Final = 3
"""Times as much must have changed sides as has kept them."""


def _table() -> dict[str, tuple[Family, bool]]:
    table: dict[str, tuple[Family, bool]] = {}
    for after, families in ((True, _THEN_FIRST), (False, _FIRST_THEN)):
        for family, phrases in families.items():
            table.update(dict.fromkeys(phrases, (family, after)))
    return table


_LINKS: Final = _table()
_OPENERS: Final = frozenset(phrase.split()[0] for phrase in _LINKS)


def _links(found: Analysis) -> list[_Link]:
    """The links of a sentence. One that opens it governs the words up to the next comma."""
    links = []
    at = 0
    while at < len(found.lows):
        width = _width(found.lows, at) if found.lows[at] in _OPENERS else 0
        if not width:
            at += 1
            continue
        family, after = _LINKS[" ".join(found.lows[at : at + width])]
        link = _sides(found, at, width, family, after=after)
        if link is not None:
            links.append(link)
        at += width
    return links


def _width(lows: tuple[str, ...], at: int) -> int:
    longest = min(_LONGEST, len(lows) - at)
    return next((w for w in range(longest, 0, -1) if " ".join(lows[at : at + w]) in _LINKS), 0)


def _sides(found: Analysis, at: int, width: int, family: Family, *, after: bool) -> _Link | None:
    firsts = [term.start for term in found.terms]
    place = found.starts[at]
    # A semicolon parts what has nothing to do with each other.
    low = bisect_left(firsts, max((one for one in found.stops if one < place), default=0))
    high = bisect_left(firsts, min((one for one in found.stops if one > place), default=1 << 31))
    begin = bisect_left(firsts, place)
    if at + width >= len(found.lows):
        return None
    end = bisect_left(firsts, found.starts[at + width])
    opens = low == begin or found.lows[at - 1] in _JOINING
    comma = min(high, bisect_left(firsts, _comma(found, at + width)))
    if opens:
        if comma == high:
            return None
        governed, rest = range(end, comma), range(comma, high)
    else:
        governed, rest = range(end, comma if family == "effect" else high), range(low, begin)
    first, second = (governed, rest) if after else (rest, governed)
    return _Link(family, frozenset(first), frozenset(second), frozenset(governed))


_JOINING: Final = frozenset({"and", "but", "or"})


def _comma(found: Analysis, start: int) -> int:
    """The place of the word after the first comma from a token on; beyond the end if there is
    none."""
    for at in range(start, len(found.lows) - 1):
        if found.starts[at + 1] - found.starts[at] > len(found.lows[at]) + 1:
            return found.starts[at + 1]
    return found.span[1]


def _find_exchanged_sides(found: Alignment) -> Iterator[Conflict]:
    """Two sides that have changed places. Names do not count: the subject of both sides may be
    one."""
    # Finding links takes longer than seeing that there are none.
    if _OPENERS.isdisjoint(found.claim.lows) or _OPENERS.isdisjoint(found.source.lows):
        return
    theirs = _links(found.source)
    for mine in _links(found.claim) if theirs else ():
        for other in theirs:
            if mine.family != other.family:
                continue
            # "After the vote" beside "before the vote" is a difference of that word alone.
            if mine.family == "time" and _weigh(found, mine.governed, other.governed):
                continue
            kept = _weigh(found, mine.first, other.first) + _weigh(found, mine.second, other.second)
            turned = (
                _weigh(found, mine.first, other.second),
                _weigh(found, mine.second, other.first),
            )
            if not all(turned) or sum(turned) < _CLEARLY * kept:
                continue
            i = min(i for i in mine.first if found.pairs[i] in other.second)
            j = found.pairs[i]
            own = sorted(mine.first)
            terms, source = found.claim.terms, found.source.terms
            yield Conflict(
                "roles", i, j, (terms[own[0]].start, terms[own[-1]].end),
                (source[j].start, source[j].end), 1.0,
            )  # fmt: skip


def _weigh(found: Alignment, mine: frozenset[int], theirs: frozenset[int]) -> float:
    """The weight of the claim's terms on one side that stand on a side of the source."""
    return sum(
        found.weights[i]
        for i in mine
        if found.pairs[i] in theirs and found.claim.terms[i].kind != "name"
    )


def _find_reordered(found: Alignment) -> Iterator[Conflict]:
    """Two steps that have changed places: "first close the files, then eject the drive"."""
    mine, theirs = found.claim.second_step, found.source.second_step
    if mine < 0 or theirs < 0:
        return
    moved = {
        (term.start > mine, found.source.terms[j].start > theirs): (i, j)
        for i, (term, j) in enumerate(zip(found.claim.terms, found.pairs, strict=True))
        if j >= 0 and term.value is None
    }
    if moved.keys() == {(False, True), (True, False)}:
        i, j = moved[True, False]
        term, other = found.claim.terms[i], found.source.terms[j]
        yield Conflict("roles", i, j, (term.start, term.end), (other.start, other.end), 1.0)


def _find_other_causes(found: Alignment) -> Iterator[Conflict]:
    """Two causes of the same that share no word: "because of a gas leak", "because of fog"."""
    mine, theirs = _cause(found.claim, found.pairs), _cause(found.source, found.back)
    if not mine or not theirs:
        return
    own = [found.claim.terms[i] for i in mine]
    if any(found.pairs[i] >= 0 for i in mine) or any(found.back[j] >= 0 for j in theirs):
        return
    rest = [i for i in range(len(found.claim.terms)) if i not in mine]
    whole = sum(found.weights[i] for i in rest)
    context = sum(found.weights[i] for i in rest if found.pairs[i] >= 0) / whole if whole else 0.0
    others = [found.source.terms[j] for j in theirs]
    yield Conflict(
        "cause", mine[0], theirs[0], (own[0].start, own[-1].end),
        (others[0].start, others[-1].end), context,
    )  # fmt: skip


def _cause(found: Analysis, pairs: tuple[int, ...]) -> list[int]:
    """The indexes of the terms that name a cause: those after "because" up to the next clause."""
    at = found.causal
    if at < 0:
        return []
    start = found.starts[at]
    after = [i for i, term in enumerate(found.terms) if term.start > start]
    here = [i for i in after if found.terms[i].clause == found.terms[after[0]].clause]
    if at == 0:  # "Because of fog, the ride was called off": the cause ends where the two agree
        return list(takewhile(lambda i: pairs[i] < 0, here))
    return here


_AGAINST: Final = "against"
_DEFINITE: Final = "ال"
_VERBAL: Final = ("ي", "ت", "س", "ن")


def says_the_same(found: Alignment) -> bool:
    """Return False if the source may exchange the roles of the claim, speaks of what may or must be
    if the claim says that it is, or is against what the claim is for. Takes time in the square
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
