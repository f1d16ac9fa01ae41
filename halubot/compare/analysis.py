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
from halubot.compare.negation import Denial, denials
from halubot.compare.operators import Sense, find_operator
from halubot.compare.tokens import Token
from halubot.compare.value import Value
from halubot.compare.values import find
from halubot.text import Document, Span

TermKind = Literal["value", "name", "word"]

NOTHING: Final[frozenset[str]] = frozenset()


class Term(NamedTuple):
    """A unit that is aligned. ``low`` is its text in lower case, ``norm`` the light stem of
    `halubot.compare.tokens`, ``bases`` its possible base forms, ``wide`` these with their
    synonyms and derivations. ``clause`` counts the clauses of the sentence."""

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
    and the lower-case words of all its tokens."""

    span: Span
    terms: tuple[Term, ...]
    operators: tuple[Operator, ...]
    negations: tuple[Denial, ...]
    governed: frozenset[int]
    lows: tuple[str, ...]
    starts: tuple[int, ...]

    def is_denied(self, term: int) -> bool:
        """Return True if an odd number of negations covers the term of that index."""
        at = self.terms[term].start
        return sum(one.start <= at < one.end for one in self.negations) % 2 == 1


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


def analyse(document: Document, span: Span, tokens: tuple[Token, ...]) -> Analysis:
    """Return the analysis of one sentence of a document. ``tokens`` are its tokens. Linear."""
    plain, (start, end) = document.plain, span
    values = find(plain, start, end)
    cuts = [match.start() for match in _CLAUSE.finditer(plain, start, end)]
    terms: list[Term] = []
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
        if low in _EMPTY:
            continue
        kind: TermKind = "name" if token.kind == "name" else "word"
        bases, wide = _forms(low, token.norm, token.kind)
        clause = bisect_left(cuts, token.start)
        terms.append(
            Term(kind, token.text, low, token.norm, token.start, token.end, bases, wide, clause)
        )
    found = denials(plain, start, end)
    lows = tuple(token.text.lower().replace("’", "'") for token in tokens)
    starts = tuple(token.start for token in tokens)
    operators = _operators(tokens, lows, terms)
    governed = frozenset(
        target for one in found if (target := _first_term(terms, one.start, one.end)) >= 0
    )
    return Analysis(span, tuple(terms), operators, found, governed, lows, starts)


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
    tokens: tuple[Token, ...], lows: tuple[str, ...], terms: list[Term]
) -> tuple[Operator, ...]:
    """The operators of a sentence, the longest phrase first."""
    found: list[Operator] = []
    size, at = len(lows), 0
    while at < size:
        width, sense = find_operator(lows, at)
        if sense is None:
            at += 1
            continue
        start, end = tokens[at].start, tokens[at + width - 1].end
        target = next((i for i, term in enumerate(terms) if term.start >= end), -1)
        if target < 0 and terms:
            target = len(terms) - 1
        found.append(Operator(sense, start, end, target))
        at += width
    return tuple(found)
