"""A sentence made ready to be compared: its terms, its operators and what it denies.

A term carries meaning of its own: a value, a name, or a content word with its base forms. An
operator changes what terms say: a modal, a quantifier, a limit, a connective, a preposition that
has an opposite. Function words without an opposite take no part.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from halubot.compare import lexicon
from halubot.compare.names import TITLES
from halubot.compare.negation import Denial, denials
from halubot.compare.operators import Sense, find_operator, is_operator
from halubot.compare.tokens import Token
from halubot.compare.value import Value
from halubot.compare.values import find
from halubot.text import Document, Span

TermKind = Literal["value", "name", "word"]

NOTHING: Final[frozenset[str]] = frozenset()


class Term(NamedTuple):
    """A unit that is aligned. ``low`` is its text in lower case, ``norm`` the light stem of
    `halubot.compare.tokens`, ``bases`` its possible base forms, ``wide`` these with their
    synonyms and derivations. ``clause`` counts the clauses of the sentence, ``run`` its names:
    neighbouring words of one name have the same number, and ``name`` is the whole name."""

    kind: TermKind
    text: str
    low: str
    norm: str
    start: int
    end: int
    bases: frozenset[str]
    wide: frozenset[str]
    clause: int
    value: Value | None = None
    run: int = -1
    name: str = ""


class Operator(NamedTuple):
    """A word or phrase that changes what follows it. ``target`` is the index of
    the term that it governs, -1 if the sentence has no term."""

    sense: Sense
    start: int
    end: int
    target: int


@dataclass(frozen=True, slots=True)
class Analysis:
    """A sentence: ``span`` in its document, ``terms`` and ``operators`` in order, its negations,
    and the lower-case words of all its tokens. ``places`` are the indexes of its terms under their
    base forms."""

    span: Span
    terms: tuple[Term, ...]
    operators: tuple[Operator, ...]
    negations: tuple[Denial, ...]
    governed: frozenset[int]
    lows: tuple[str, ...]
    starts: tuple[int, ...]
    places: dict[str, list[int]]

    def is_denied(self, term: int) -> bool:
        """Return True if an odd number of negations covers the term of that index."""
        at = self.terms[term].start
        return sum(one.start <= at < one.end for one in self.negations) % 2 == 1

    def leans(self, term: int) -> bool:
        """Return True if words near the term are negative in any way: "refused", "without"."""
        at = bisect_left(self.starts, self.terms[term].start)
        near = self.lows[max(0, at - _LEANING) : at + _LEANING]
        return any(low in _NEGATIVE or low.endswith("n't") for low in near)

    def is_conditional(self, term: int) -> bool:
        """Return True if the clause of the term says under which condition something holds."""
        clause = self.terms[term].clause
        opening = next(one.start for one in self.terms if one.clause == clause)
        at = bisect_left(self.starts, opening)
        return not _CONDITIONS.isdisjoint(self.lows[max(0, at - 3) : at + 1])

    def is_without(self, term: int) -> bool:
        """Return True if the term stands after "without" or its like: a condition, no denial."""
        at = self.terms[term].start
        return any(one.start <= at < one.end and one.phrase for one in self.negations)

    def slot(self, term: int) -> str:
        """Return the word right before a term, articles skipped; "'s" if it is possessive."""
        if self.terms[term].text.endswith(("'s", "’s")):
            return "'s"
        run = self.terms[term].run
        while term > 0 and run >= 0 and self.terms[term - 1].run == run:
            term -= 1
        at = bisect_left(self.starts, self.terms[term].start)
        while at > 0 and self.lows[at - 1] in _SKIPPED:
            at -= 1
        return self.lows[at - 1] if at else ""

    def opening_of(self, denial: Denial) -> int:
        """Return where the verb group of a negation begins."""
        at = bisect_left(self.starts, denial.cue)
        return self.starts[at - 1] if at and self.lows[at - 1] in _GROUP else denial.cue

    def opening(self, term: int) -> int:
        """Return where the verb group of a term begins: at its negation or auxiliary."""
        at = bisect_left(self.starts, self.terms[term].start)
        first = at
        while first > max(0, at - 4) and self.lows[first - 1] in _GROUP:
            first -= 1
        return self.starts[first] if first < len(self.starts) else self.terms[term].start


_REACH: Final = 24
"""Characters between an operator and the term it governs."""
_LEANING: Final = 8
"""Tokens on either side of a term in which a negative word takes back another negation."""
_NEGATIVE: Final = frozenset(
    "no not never none nobody nothing neither nor without cannot unable lack lacks lacked hardly"
    " refuse refuses refused refusal decline declines declined reject rejects rejected deny denies"
    " denied avoid avoids avoided prevent prevents prevented fail fails failed forbid forbidden"
    " forbids banned prohibited prohibits exclude excluded excludes except unless instead rather"
    " stop stops stopped few little rarely seldom less least but impossible".split()
)
_SKIPPED: Final = frozenset(
    "the a an its his her their least most about around over under only nearly almost up".split()
)
"""What may stand between a preposition and the value or name that it leads to."""
_CONDITIONS: Final = frozenset(
    "if unless provided whether when whenever without should once until in_case".split()
)
_GROUP: Final = frozenset(
    "is are was were be been being am isn't aren't wasn't weren't has have had hasn't haven't hadn't"
    " do does did don't doesn't didn't will would won't wouldn't can could may might must shall"
    " should can't cannot couldn't mustn't shouldn't needn't not never no to a an the any longer"
    " ever yet need without".split()
)
_JOINTS: Final = frozenset({" ", "-", ". ", " of ", " of the ", " de ", " von ", " van "})
"""What may stand between two words of one name."""

_CLAUSE: Final = re.compile(
    r"[;:!?]\s|[.]\s|\s[–—-]\s|—"
    r"|,?\s(?:but|although|though|whereas|while|because|since|so that|unless|if|when|until|after"
    r"|before|which|who|even if|provided|and then)\s"
    r"|,\s(?:and|or|so|he|she|it|they|you|we)\s",
    re.IGNORECASE,
)
_EMPTY: Final = frozenset(
    "be is are was were been being am have has had having do does did done doing will would shall"
    " get gets got getting thing things way ways also very really just even well quite rather"
    " there here then thus hence so too still already actually simply e.g i.e etc eg ie via per"
    " please note remember".split()
)


def analyse(
    document: Document,
    span: Span,
    tokens: tuple[Token, ...],
    before: Analysis | None = None,
) -> Analysis:
    """Return the analysis of one sentence of a document. ``tokens`` are its tokens. A sentence
    that opens with a pronoun takes up the name that opens the sentence ``before`` it, at the
    place of the pronoun. Linear."""
    plain, (start, end) = document.plain, span
    values = find(plain, start, end)
    cuts = [match.start() for match in _CLAUSE.finditer(plain, start, end)]
    terms: list[Term] = _taken_up(tokens, before)
    held = 0  # the values that lie before the current token
    for token in tokens:
        while held < len(values) and values[held].end <= token.start:
            held += 1
        if held < len(values) and values[held].start < token.end:
            value = values[held]
            if terms and terms[-1].value is value:
                continue
            clause = bisect_left(cuts, value.start)
            text = plain[value.start : value.end]
            terms.append(
                Term("value", text, text.lower(), value.canonical, value.start, value.end,
                     NOTHING, NOTHING, clause, value)
            )  # fmt: skip
            continue
        if token.kind == "stop":
            continue
        low = token.text.lower().replace("’", "'").removesuffix("'s").removesuffix("'")
        if low in _EMPTY or low in TITLES or is_operator(low):
            continue
        kind: TermKind = "name" if token.kind == "name" else "word"
        bases, wide = _forms(low, token.norm, token.kind)
        clause = bisect_left(cuts, token.start)
        run = -1
        if kind == "name":
            last = terms[-1] if terms else None
            joined = last and last.run >= 0 and plain[last.end : token.start] in _JOINTS
            run = last.run if last and joined else len(terms)
        terms.append(
            Term(kind, token.text, low, token.norm, token.start, token.end, bases, wide, clause,
                 None, run)
        )  # fmt: skip
    terms = _named(plain, terms)
    found = denials(plain, start, end)
    lows = tuple(token.text.lower().replace("’", "'") for token in tokens)
    starts = tuple(token.start for token in tokens)
    operators = _operators(tokens, lows, terms, cuts, found)
    governed = frozenset(
        target for one in found if (target := _first_term(terms, one.start, one.end)) >= 0
    )
    places: dict[str, list[int]] = {}
    for index, term in enumerate(terms):
        for base in term.bases:
            places.setdefault(base, []).append(index)
    return Analysis(span, tuple(terms), operators, found, governed, lows, starts, places)


_PRONOUNS: Final = frozenset({"he", "she", "it", "they"})


def _taken_up(tokens: tuple[Token, ...], before: Analysis | None) -> list[Term]:
    """The name that the opening pronoun of a sentence stands for, at the pronoun's place."""
    if before is None or not tokens or tokens[0].text.lower() not in _PRONOUNS:
        return []
    opening = [term for term in before.terms[:_OPENING] if term.kind == "name"]
    first = [term for term in opening if term.run == opening[0].run]
    place = tokens[0]
    return [term._replace(start=place.start, end=place.end, clause=0, run=0) for term in first]


_OPENING: Final = 4
"""Terms at the beginning of a sentence among which its subject is looked for."""


def _named(plain: str, terms: list[Term]) -> list[Term]:
    """The terms with the whole name that each belongs to."""
    runs: dict[int, list[Term]] = {}
    for term in terms:
        if term.run >= 0 and not term.name:
            runs.setdefault(term.run, []).append(term)
    names = {run: plain[found[0].start : found[-1].end] for run, found in runs.items()}
    return [
        term._replace(name=names[term.run]) if term.run in names and not term.name else term
        for term in terms
    ]


@lru_cache(maxsize=1 << 16)
def _forms(low: str, norm: str, kind: str) -> tuple[frozenset[str], frozenset[str]]:
    """The base forms of a word, and these with what means the same."""
    if kind == "number":
        only = frozenset({norm})
        return only, only
    if kind == "name":
        bases = frozenset({norm, low, *lexicon.lemmas(low)})
    else:
        bases = lexicon.lemmas(low)
    wide = set(bases)
    for base in bases:
        wide |= lexicon.synonyms(base)
        wide |= lexicon.related(base)
    return bases, frozenset(wide)


def _first_term(terms: list[Term], start: int, end: int) -> int:
    """The index of the first term in a stretch; -1 if there is none."""
    for index, term in enumerate(terms):
        if start <= term.start < end:
            return index
        if term.start >= end:
            break
    return -1


def _operators(
    tokens: tuple[Token, ...], lows: tuple[str, ...], terms: list[Term], cuts: list[int],
    negations: tuple[Denial, ...],
) -> tuple[Operator, ...]:
    """The operators of a sentence, the longest phrase first."""
    found: list[Operator] = []
    size, at = len(lows), 0
    while at < size:
        width, sense = find_operator(lows, at)
        if sense is None:
            at += max(1, width)
            continue
        start, end = tokens[at].start, tokens[at + width - 1].end
        target = next((i for i, term in enumerate(terms) if term.start >= end), -1)
        if target >= 0:
            between = bisect_left(cuts, terms[target].start) != bisect_left(cuts, end)
            if between or terms[target].start - end > _REACH:
                target = -1
        denied = (one.start <= start < one.end for one in negations)
        if target >= 0:
            stop = terms[target].start
            denied = (one.start <= start < one.end or end <= one.cue < stop for one in negations)
        if sense.sense == "may" and any(denied):
            sense = Sense("modal", "cannot")
        found.append(Operator(sense, start, end, target))
        at += width
    return tuple(found)
