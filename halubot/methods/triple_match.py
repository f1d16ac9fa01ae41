"""Which triples of other answers are the same fact as one of a message.

Three steps, each only where the step before leaves a doubt. Letters find the candidates
(rapidfuzz), over all parts together, so that active and passive and shifted borders meet. What is
exact decides: numbers, dates, units, designators ("A" and "B", "VII" and "VIII"), denials,
qualifiers ("former", "some"), which of two names stands where, and usual words for one relation
(`halubot.methods.relations`). Of what is left the verifier is asked whether each triple, read as a
sentence, says what the other says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from rapidfuzz import fuzz, process

from halubot.methods.relations import Relation, is_denied, read_relation, stem
from halubot.report import Triple
from halubot.values import Value, find, same, same_name
from halubot.values.names import ALIASES, IMPERSONAL, canonical, fold, is_name

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Way = Literal["verified", "fuzzy", "exact"]
"""How far a match goes: all three steps, without the verifier, or equal letters alone."""

WAYS: Final[tuple[Way, ...]] = ("verified", "fuzzy", "exact")

SAME: Final = 0.5
"""From which score on two triples are the same fact."""

CANDIDATE: Final = 0.35
"""The least likeness of letters of two triples that are compared at all."""

NEAREST: Final = 3
"""Triples of one sample that are compared with a fact at most, the likest first."""

ASKED: Final = 5
"""Pairs with one fact that the verifier is asked about at most, the likest first."""

Doubt = Literal["", "relation", "verb", "detail", "exchange"]
"""What keeps two triples from being settled: nothing; relations in other words, or in one other
word; details that one of them lacks; a word of one in the place of a word of the other."""

SURE: Final[Mapping[Doubt, float]] = {
    "relation": 0.6,
    "verb": 0.955,
    "detail": 0.75,
    "exchange": 0.94,
}
"""How sure the verifier must be, both ways, chosen on the development pairs of `benchmarks`."""

LEAN: Final[Mapping[Doubt, float]] = {
    "relation": 1.0,
    "verb": 0.7,
    "detail": 0.8,
    "exchange": 0.3,
}
"""What a doubt leaves of the likeness, to the power of three, if the verifier is not asked."""


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
        own = sorted({places[triple] for triple in sample})
        rows.append([_candidates(fact, likeness[at], others, own) for at, fact in enumerate(facts)])
    judged = _verify(facts, rows) if way == "verified" and _has_verifier() else {}
    return [
        [_best(fact, row, judged) for fact, row in zip(facts, of_sample, strict=True)]
        for of_sample in rows
    ]


def same_fact(a: Triple, b: Triple, way: Way = "verified") -> bool:
    """Return True if two triples are the same fact."""
    return match_triples([a], [[b]], way)[0][0].same


def say(triple: Triple) -> str:
    """Return a triple as a sentence, for the verifier."""
    return " ".join(part for part in triple if part) + "."


class Comparison(NamedTuple):
    """What is exact about two triples: ``score`` if nothing is in doubt, ``doubt`` what is, and
    whether their parts are ``crossed``, as in active and passive."""

    score: float
    doubt: Doubt = ""
    crossed: bool = False


class _Candidate(NamedTuple):
    likeness: float
    triple: Triple
    comparison: Comparison


class _Form(NamedTuple):
    """A triple made ready to compare; words are stems without articles, copulas and values."""

    triple: Triple
    letters: str
    tail_letters: str
    head: tuple[str, ...]
    tail: tuple[str, ...]
    words: frozenset[str]
    relation: Relation
    values: tuple[Value, ...]
    marks: frozenset[str]
    opposable: frozenset[str]


ALIKE: Final = 86.0
"""From which rapidfuzz `ratio` on two words, or two heads, are one in two spellings."""

_CLASSES: Final = frozenset(map(stem, IMPERSONAL))
_DIFFERENT: Final = Comparison(0.0)
_WORD: Final = re.compile(r"[^\W_]+(?:['’_-][^\W_]+)*")
_DESIGNATOR: Final = re.compile(
    r"(?<=[\w.] )(?:[A-Z](?![\w'’.])|[IVX]+\b)|\b(?=\w*\d)(?=\w*[A-Z])[A-Z\d]+\b"
)
_FUNCTION_WORDS: Final = """
a an the is be was were are been being am has have had did does do of in on at as and that which who
its his her their with it by for to from also very
"""
_QUALIFYING: Final = """
former deputy vice acting assistant interim honorary allege attempt propose plan some few most half
almost near nominate want try fail refuse threaten
"""
_EMPTY: Final = frozenset(_FUNCTION_WORDS.split())
_QUALIFIERS: Final = frozenset(map(stem, _QUALIFYING.split()))
_OPPOSED: Final = (
    ("before", "after"),
    ("to", "from"),
    ("by", "to"),
    ("by", "from"),
    ("with", "without"),
    ("for", "against"),
    ("over", "under"),
    ("above", "below"),
    ("up", "down"),
    ("into", "out"),
    ("may", "must"),
    ("can", "must"),
    ("first", "last"),
    ("all", "some"),
    ("more", "less"),
    ("more", "fewer"),
    ("older", "younger"),
)
_OPPOSABLE: Final = frozenset(word for pair in _OPPOSED for word in pair)
_CAPITAL: Final = re.compile(r"[A-Z]|great war")
_UNDOING: Final = ("un", "in", "im", "il", "ir", "dis", "non", "de", "mis")


@lru_cache(maxsize=1 << 14)
def _read(triple: Triple) -> _Form:
    parts = [_ALIAS.sub(_name_alias, part) if _CAPITAL.search(part) else part for part in triple]
    text = " ".join(parts)
    values = find(text)
    bare = text
    for value in values:
        bare = bare[: value.start] + " " * (value.end - value.start) + bare[value.end :]
    begins = (0, len(parts[0]) + 1, len(parts[0]) + len(parts[1]) + 2)
    head, relation, tail = (
        _words(bare[at : at + len(part)]) for at, part in zip(begins, parts, strict=True)
    )
    written = _WORD.findall(text.casefold())
    # One set for all that must be alike, so that one comparison of sets tells.
    marks = frozenset(match[0] for match in _DESIGNATOR.finditer(text))
    marks |= {stem(word.removesuffix("ly")) for word in written} & _QUALIFIERS
    if is_denied(text):
        marks |= {"not"}
    return _Form(
        triple,
        fold(text),
        fold(parts[2] or text),
        head,
        tail,
        frozenset((*head, *relation, *tail)),
        read_relation(parts[1]),
        values,
        marks,
        _OPPOSABLE.intersection(written),
    )


def _words(text: str) -> tuple[str, ...]:
    found = (word.replace("’", "'").removesuffix("'s") for word in _WORD.findall(text.casefold()))
    return tuple(stem(word) for word in found if word not in _EMPTY)


def _name_alias(match: re.Match[str]) -> str:
    known = canonical(match[0])
    # "us" and "la" are words as well.
    if len(match[0]) <= 4 and not match[0].replace(".", "").isupper():
        return match[0]
    return known.replace(" ", "_")


_ALIAS: Final = re.compile(
    r"\b(?:the )?(?:"
    + "|".join(
        r"\b" + re.escape(name).replace(r"\ ", r"[ .]{1,2}") + r"\b"
        for name in sorted((name for row in ALIASES for name in row), key=len, reverse=True)
    )
    + ")",
    re.IGNORECASE,
)


@lru_cache(maxsize=1 << 15)
def compare(a: Triple, b: Triple) -> Comparison:
    """Return what is exact about two triples. Symmetric."""
    if [part.lower() for part in a] == [part.lower() for part in b]:
        return Comparison(1.0)
    mine, theirs = _read(Triple(*a)), _read(Triple(*b))
    if mine.marks != theirs.marks or not _same_values(mine.values, theirs.values):
        return _DIFFERENT
    if _are_opposed(mine.opposable, theirs.opposable):
        return _DIFFERENT
    straight = _same_name(a.head, b.head) or _meet(mine.head, theirs.head)
    crossed = not straight and _meet_rest(mine, theirs) and _meet_rest(theirs, mine)
    if not (straight or crossed):
        return _DIFFERENT
    extra = _lacking(mine, theirs, crossed)
    missing = _lacking(theirs, mine, crossed)
    if _undo(extra, missing) or _undo(missing, extra):
        return _DIFFERENT
    return _compare_relations(mine, theirs, extra, missing, crossed)


def _compare_relations(
    mine: _Form, theirs: _Form, extra: frozenset[str], missing: frozenset[str], crossed: bool
) -> Comparison:
    own, other = mine.relation, theirs.relation
    alike = own.words == other.words or bool(own.kinds & other.kinds)
    if alike and not (own.mutual or other.mutual):
        known = own.inverse is not None and other.inverse is not None
        # "X taught Y" is not "Y taught X", and is "Y was taught by X".
        if known and (own.inverse != other.inverse) != crossed:
            return _DIFFERENT
    if not alike and own.deeds and other.deeds and not own.attributes & other.attributes:
        return _DIFFERENT
    left, right = extra - set(own.words), missing - set(other.words)
    # "the city of Denver" is Denver, if all else is the same.
    if alike and (left or right) and not (left and right) and left | right <= _CLASSES:
        return Comparison(0.0, "relation", crossed)
    if left and right:
        return Comparison(0.0, "exchange", crossed)
    if left or right:
        return Comparison(0.0, "detail", crossed)
    if not alike and (extra or missing):
        # Of two verbs that stand for each other most are two deeds: takes, returns.
        swapped = len(extra) == len(missing) == 1 and not crossed
        return Comparison(0.0, "verb" if swapped else "relation", crossed)
    if not crossed and _in_other_order(mine, theirs):
        return Comparison(0.0, "exchange", crossed)
    return Comparison(0.95)


def _same_values(mine: Sequence[Value], theirs: Sequence[Value]) -> bool:
    return len(mine) == len(theirs) and all(
        any(same(value, other) and same(other, value) for other in others)
        for values, others in ((mine, theirs), (theirs, mine))
        for value in values
    )


def _are_opposed(mine: frozenset[str], theirs: frozenset[str]) -> bool:
    left, right = mine - theirs, theirs - mine
    if not (left and right):
        return False
    return any(
        (one in left and other in right) or (other in left and one in right)
        for one, other in _OPPOSED
    )


def _same_name(a: str, b: str) -> bool:
    if not (a and b):
        return False
    return canonical(a) == canonical(b) or (is_name(a) and is_name(b) and same_name(a, b))


def _lacking(mine: _Form, theirs: _Form, crossed: bool) -> frozenset[str]:
    """The words that the other triple has in no form, those of names that are the same left out."""
    left = mine.words - theirs.words
    if not left:
        return left
    others = (theirs.triple.tail, theirs.triple.head) if crossed else theirs.triple[::2]
    for part, words, other in zip(mine.triple[::2], (mine.head, mine.tail), others, strict=True):
        if _same_name(part, other):
            left -= set(words)
    rest = theirs.words - mine.words
    return frozenset(one for one in left if not any(_alike(one, other) for other in rest))


@lru_cache(maxsize=1 << 14)
def _alike(a: str, b: str) -> bool:
    """Return True for two forms of one word, as far as letters tell."""
    short, long = sorted((a, b), key=len)
    return len(short) >= 4 and (long.startswith(short) or fuzz.ratio(a, b) >= ALIKE)


def _undo(mine: frozenset[str], theirs: frozenset[str]) -> bool:
    """Return True if words of one are words of the other undone, as "legal" by "illegal"."""
    return any(prefix + word in theirs for word in mine for prefix in _UNDOING)


def _meet(mine: Sequence[str], theirs: Sequence[str]) -> bool:
    """Return True if two heads may be the same thing: one has all words of the other, or nearly."""
    a, b = set(mine), set(theirs)
    if not a or not b:
        return a == b
    return a <= b or b <= a or fuzz.token_sort_ratio(" ".join(mine), " ".join(theirs)) >= ALIKE


def _meet_rest(a: _Form, b: _Form) -> bool:
    """Return True if the head of one stands in the relation or the tail of the other."""
    head, rest = set(a.head), set(b.tail) | set(b.relation.words)
    return _same_name(a.triple.head, b.triple.tail) or (bool(head) and head <= rest)


def _in_other_order(mine: _Form, theirs: _Form) -> bool:
    """Return True if words that both tails have stand in another order, joined by no "and"."""
    shared = set(mine.tail) & set(theirs.tail)
    a, b = ([word for word in one.tail if word in shared] for one in (mine, theirs))
    joined = " and " in mine.triple.tail or "," in mine.triple.tail or bool(mine.values)
    return a != b and not joined


def _by_letters(fact: Triple, sample: Sequence[Triple]) -> Match:
    # `lower` and not `casefold`, as the paper says (FactSelfCheck, equation 7).
    own = [part.lower() for part in fact]
    found = next((one for one in sample if [part.lower() for part in one] == own), None)
    return NO_MATCH if found is None else Match(1.0, found)


def _likeness(facts: Sequence[Triple], others: Sequence[Triple]) -> NDArray[np.float64]:
    """The likeness of the letters of each fact and each other triple, 0 to 1."""
    mine, theirs = [_read(Triple(*one)) for one in facts], [_read(Triple(*one)) for one in others]
    a, b = [one.letters for one in mine], [one.letters for one in theirs]
    tails, ends = [one.tail_letters for one in mine], [one.tail_letters for one in theirs]
    sort = process.cdist(a, b, scorer=fuzz.token_sort_ratio)
    held = process.cdist(a, b, scorer=fuzz.token_set_ratio)
    end = process.cdist(tails, ends, scorer=fuzz.token_sort_ratio)
    likeness: NDArray[np.float64] = (0.4 * sort + 0.3 * held + 0.3 * end) / 100
    return likeness


def _candidates(
    fact: Triple, likeness: NDArray[np.float64], others: Sequence[Triple], own: Sequence[int]
) -> list[_Candidate]:
    """The triples of a sample that are most like a fact, with what is exact about them."""
    near = sorted(((float(likeness[at]), at) for at in own), reverse=True)[:NEAREST]
    return [
        _Candidate(like, others[at], compare(fact, others[at]))
        for like, at in near
        if like >= CANDIDATE
    ]


def _verify(
    facts: Sequence[Triple], rows: Sequence[Sequence[Sequence[_Candidate]]]
) -> dict[tuple[Triple, Triple], float]:
    """How sure the verifier is that the pairs in doubt say the same, by fact and other triple."""
    asked: dict[tuple[Triple, Triple], None] = {}
    for at, fact in enumerate(facts):
        doubts: dict[Triple, float] = {}
        for of_sample in rows:
            # A sample that surely holds the fact needs no second opinion.
            if any(one.comparison.score >= SAME for one in of_sample[at]):
                continue
            doubts |= {one.triple: one.likeness for one in of_sample[at] if one.comparison.doubt}
        likest = sorted(doubts, key=lambda other: -doubts[other])[:ASKED]
        asked |= dict.fromkeys((fact, other) for other in likest)
    return _entail(list(asked))


def _has_verifier() -> bool:
    from halubot.verifier import choose_verifier

    return choose_verifier(None) is not None


def _entail(pairs: Sequence[tuple[Triple, Triple]]) -> dict[tuple[Triple, Triple], float]:
    from halubot.verifier import judge

    forth = judge([(say(other), say(fact)) for fact, other in pairs])
    # Most pairs that are not the same fail one way, which is half the time.
    still = [at for at, said in enumerate(forth) if said.entailment >= SAME]
    back = judge([(say(pairs[at][0]), say(pairs[at][1])) for at in still])
    found = {pair: said.entailment / 4 for pair, said in zip(pairs, forth, strict=True)}
    for at, said in zip(still, back, strict=True):
        found[pairs[at]] = min(forth[at].entailment, said.entailment)
    return found


def _best(
    fact: Triple, row: Sequence[_Candidate], judged: Mapping[tuple[Triple, Triple], float]
) -> Match:
    best = NO_MATCH
    for like, other, found in row:
        score = found.score or _lean(like, found.doubt, judged.get((fact, other)))
        if score > best.score:
            best = Match(score, other)
    return best


def _lean(like: float, doubt: Doubt, said: float | None) -> float:
    """Return the score of a pair that is not surely the same. Fitted so that the mean over samples
    ranks facts best (RefChecker, development part)."""
    if not doubt:
        return (like / 2) ** 3
    if said is None:
        return LEAN[doubt] * like**3
    sure = SURE[doubt]
    if said < sure:
        return min(said / sure * like**3, SAME - 0.01)
    return SAME + (said - sure) / (1 - sure) / 2
