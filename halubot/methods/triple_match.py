"""Which triples of other answers are the same fact as one of a message.

Three steps, each only where the step before leaves a doubt. Letters find the candidates
(rapidfuzz), over all parts together, so that active and passive and shifted borders meet. What is
exact decides (`halubot.methods.triple_signals`). What is left is weighed by a regression: over the
letters and words, and where these leave a doubt over what the verifier says of the two, read as
sentences with their values and names in one writing.

`python -m benchmarks.triples --fit` fits the regression and writes `triple_match.json`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from operator import mul
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import numpy as np
from rapidfuzz import fuzz, process

from halubot.methods.triple_signals import compare, is_same_name, spell
from halubot.report import Triple
from halubot.values import find, same

if TYPE_CHECKING:
    from numpy.typing import NDArray

Way = Literal["verified", "fuzzy", "exact"]
"""How far a match goes: all three steps, without the verifier, or equal letters alone."""

WAYS: Final[tuple[Way, ...]] = ("verified", "fuzzy", "exact")

SAME: Final = 0.5
"""From which score on two triples are the same fact."""

CANDIDATE: Final = 0.4
"""The least likeness of letters of two triples that are compared at all."""

NEAREST: Final = 3
"""Triples of one sample that are compared with a fact at most, the likest first."""

ASKED: Final = 5
"""Pairs with one fact that the verifier is asked about at most, the likest first."""

WEIGHTS: Final = Path(__file__).with_suffix(".json")

SAID: Final = ("each says the other", "each bears on the other")
"""What the verifier adds to `halubot.methods.triple_signals.SIGNALS`, as log-odds: the mean of both
entailments, and the less sure "not open"."""


class Match(NamedTuple):
    """The triple of a sample that is nearest to a fact, None if none is near, and from 0 to 1 how
    sure they are the same."""

    score: float
    triple: Triple | None = None

    @property
    def same(self) -> bool:
        """Return True if the sample holds the fact."""
        return self.score >= SAME


NO_MATCH: Final = Match(0.0)


class Regression(NamedTuple):
    """Weighs signals: their ``weights``, and an ``intercept`` by which `SAME` is the threshold."""

    weights: tuple[float, ...]
    intercept: float

    def score(self, signals: Sequence[float]) -> float:
        """Return how sure two triples with these signals are the same, 0 to 1."""
        odds = self.intercept + sum(map(mul, self.weights, signals))
        return 1 / (1 + math.exp(-odds))


@cache
def load_regression(*, verifier: bool) -> Regression:
    """Return the regression that ships, with the verifier or for letters and words alone."""
    kept = json.loads(WEIGHTS.read_text(encoding="utf-8"))["verifier" if verifier else "words"]
    return Regression(tuple(kept["weights"]), kept["intercept"])


def match_triples(
    facts: Sequence[Triple], samples: Sequence[Sequence[Triple]], way: Way = "verified"
) -> list[list[Match]]:
    """Return the best match of each fact in each sample, sample by sample. Without a verifier
    "verified" is "fuzzy".

    Raises LocalModelError if the verifier cannot be loaded or fails.
    """
    if way == "exact":
        return [[_by_letters(fact, sample) for fact in facts] for sample in samples]
    others = list(dict.fromkeys(triple for sample in samples for triple in sample))
    if not facts or not others:
        return [[NO_MATCH] * len(facts) for _ in samples]
    places = {triple: at for at, triple in enumerate(others)}
    likeness = _likeness(facts, others)
    rows: list[list[list[_Candidate]]] = []
    for sample in samples:
        rows.append(_candidates(facts, others, likeness, sorted({places[one] for one in sample})))
    judged: Mapping[tuple[Triple, Triple], float] = {}
    if way == "verified" and _has_verifier():
        judged = _verify(facts, rows)
    return [
        [_best(fact, row, judged) for fact, row in zip(facts, of_sample, strict=True)]
        for of_sample in rows
    ]


def same_fact(a: Triple, b: Triple, way: Way = "verified") -> bool:
    return match_triples([a], [[b]], way)[0][0].same


def _by_letters(fact: Triple, sample: Sequence[Triple]) -> Match:
    # `lower` and not `casefold`, as the paper says (FactSelfCheck, equation 7).
    own = [part.lower() for part in fact]
    found = next((one for one in sample if [part.lower() for part in one] == own), None)
    return NO_MATCH if found is None else Match(1.0, found)


def _likeness(facts: Sequence[Triple], others: Sequence[Triple]) -> NDArray[np.float32]:
    """The likeness of the letters of each fact and each other triple, 0 to 1."""
    mine, theirs = [spell(one) for one in facts], [spell(one) for one in others]
    whole = process.cdist(
        [one.letters for one in mine],
        [one.letters for one in theirs],
        scorer=fuzz.token_sort_ratio,
    )
    tails = [one.tail for one in mine]
    # The tail of one stands at the head of the other where active meets passive.
    end, across = (
        process.cdist(tails, ends, scorer=fuzz.token_sort_ratio)
        for ends in ([one.tail for one in theirs], [one.head for one in theirs])
    )
    likeness: NDArray[np.float32] = (0.7 * whole + 0.3 * np.maximum(end, across)) / 100
    return likeness


class _Candidate(NamedTuple):
    """A triple that is ``alike`` in letters, and by its words the same as sure as ``score``."""

    alike: float
    score: float
    triple: Triple
    settled: bool


def _candidates(
    facts: Sequence[Triple],
    others: Sequence[Triple],
    likeness: NDArray[np.float32],
    own: Sequence[int],
) -> list[list[_Candidate]]:
    """The triples of a sample, at the places ``own``, that are most like each fact."""
    alike = likeness[:, own]
    nearest = (-alike).argsort(axis=1, kind="stable")[:, :NEAREST].tolist()
    by_words = load_regression(verifier=False)
    rows = []
    for fact, of_fact, near in zip(facts, alike.tolist(), nearest, strict=True):
        row = []
        for at in near:
            if of_fact[at] < CANDIDATE:
                break
            other = others[own[at]]
            score, signals = compare(fact, other)
            settled = score if score is not None else by_words.score(signals)
            row.append(_Candidate(of_fact[at], settled, other, score is not None))
        rows.append(row)
    return rows


def _best(
    fact: Triple, row: Sequence[_Candidate], judged: Mapping[tuple[Triple, Triple], float]
) -> Match:
    best = NO_MATCH
    for alike, by_words, other, _ in row:
        score = judged.get((fact, other), by_words)
        if score < SAME:
            # Of facts that are not the same, those in like words rank first: AUROC .77 for .76.
            score = max(score, _AT_LEAST) * alike**2
        if score > best.score:
            best = Match(score, other)
    return best


_AT_LEAST: Final = 0.1


def _verify(
    facts: Sequence[Triple], rows: Sequence[Sequence[Sequence[_Candidate]]]
) -> dict[tuple[Triple, Triple], float]:
    """The scores of the pairs that the verifier is asked about, by fact and other triple."""
    asked: dict[tuple[Triple, Triple], None] = {}
    for at, fact in enumerate(facts):
        doubts: dict[Triple, float] = {}
        for of_sample in rows:
            row = of_sample[at]
            # A sample that surely holds the fact needs no second opinion.
            if not any(one.settled and one.score >= SAME for one in row):
                doubts |= {one.triple: one.score for one in row if not one.settled}
        likest = sorted(doubts, key=lambda other: -doubts[other])[:ASKED]
        asked |= dict.fromkeys((fact, other) for other in likest)
    regression = load_regression(verifier=True)
    return {
        pair: regression.score(signals)
        for pair, signals in zip(asked, verified_signals(list(asked)), strict=True)
    }


def verified_signals(pairs: Sequence[tuple[Triple, Triple]]) -> list[tuple[float, ...]]:
    """Return the signals of pairs that nothing exact settles, with those of the verifier.

    Raises LocalModelError if the verifier fails.
    """
    from halubot.verifier import judge

    spoken = [say_alike(*pair) for pair in pairs]
    judged = judge(
        [(theirs, mine) for mine, theirs in spoken] + [(mine, theirs) for mine, theirs in spoken]
    )
    found = []
    for pair, forth, back in zip(pairs, judged, judged[len(pairs) :], strict=False):
        says = (_odds(forth.entailment) + _odds(back.entailment)) / 2
        bears = _odds(1 - max(forth.neutral, back.neutral))
        found.append((*compare(*pair).signals, says, bears))
    return found


def _has_verifier() -> bool:
    from halubot.verifier import choose_verifier

    return choose_verifier(None) is not None


def _odds(share: float) -> float:
    share = min(max(share, _LEAST), 1 - _LEAST)
    return math.log(share / (1 - share))


_LEAST: Final = 0.003


def say_alike(a: Triple, b: Triple) -> tuple[str, str]:
    """Return two triples as sentences; values and names that are the same stand in both as in the
    first, since they are settled, and the verifier is to read the words."""
    head, relation, tail = b
    ends = [next((mine for mine in a[::2] if is_same_name(mine, end)), end) for end in (head, tail)]
    mine, theirs = say(a), say(Triple(ends[0], relation, ends[1]))
    values = find(mine)
    for value in reversed(find(theirs)):
        own = next((one for one in values if same(one, value) and same(value, one)), None)
        if own is not None:
            theirs = theirs[: value.start] + mine[slice(*own.span)] + theirs[value.end :]
    return mine, theirs


@lru_cache(maxsize=1 << 12)
def say(triple: Triple) -> str:
    """Return a triple as a sentence, with a verb if its relation has none."""
    from halubot.claims.parser import parse

    head, relation, tail = triple
    plain = " ".join(part for part in triple if part) + "."
    (words,) = parse(plain, [(0, len(plain))])
    if not (head and relation and tail) or any(one.kind in ("VERB", "AUX") for one in words):
        return plain
    end = len(head) + 1 + len(relation)
    if any(one.end == end and one.kind == "ADP" for one in words):
        return f"{head} is {relation} {tail}."
    return f"The {relation.removeprefix('the ')} of {head} is {tail}."
