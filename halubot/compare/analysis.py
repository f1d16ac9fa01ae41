"""A sentence made ready to be compared: its terms, its operators and what it denies.

A term carries meaning of its own: a value, a name, or a content word with its base forms. An
operator changes what terms say: a modal, a quantifier, a limit, a connective, a preposition that
has an opposite. Function words without an opposite take no part.
"""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from halubot.compare import lexicon
from halubot.compare.grammar import ENGLISH, Grammar, is_past
from halubot.compare.operators import Denial, Operator, denials, operators_of
from halubot.compare.tokens import Token, word_set
from halubot.compare.word_lore import (
    _NONE,
    NOTHING,
    UNKNOWN,
    Lore,
    find_phrases,
    in_phrase,
    name_opener,
    word_lore,
)
from halubot.text import Document, Span
from halubot.values.comparison import Value
from halubot.values.names import marks_of, same_name
from halubot.values.reader import find
from halubot.values.units import MONTHS

TermKind = Literal["value", "name", "word"]


class Term(NamedTuple):
    """A unit that is aligned. ``low`` is its text in lower case, ``norm`` the light stem of
    `halubot.compare.tokens`, ``bases`` its possible base forms, ``wide`` these with their
    synonyms and derivations. ``clause`` counts the clauses of the sentence, ``run`` its names:
    neighbouring words of one name have the same number, and ``name`` is the whole name. ``phrase``
    is the phrase of the lexicon that the word stands in, and one of its base forms: "carry
    out"."""

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
    lore: Lore = UNKNOWN
    phrase: str = ""


def class_of(term: Term) -> str:
    """The class of terms of which one may rival a term."""
    return f"{name_class(term.low)} name" if term.kind == "name" else term.kind


_CLASSES: Final = {
    **dict.fromkeys(MONTHS, "month"),
    **dict.fromkeys(
        ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"), "weekday"
    ),
}


@lru_cache(maxsize=1 << 14)
def name_class(low: str) -> str:
    """Return the class of a name: months, weekdays, codes and adjectives ("Dutch") are apart."""
    known = _CLASSES.get(low)
    if known is not None:
        return known
    if any(character.isdigit() for character in low):
        return "code"
    return "adjective" if "a" in lexicon.parts_of_speech(low) else "name"


@dataclass(frozen=True)
class Analysis:
    """A sentence: ``span`` in its document, ``terms`` and ``operators`` in order, its negations,
    and the lower-case words of all its tokens. ``denied`` are the indexes of the terms that an odd
    number of negations covers, ``places`` those of all terms under their base forms. ``contrasts``
    are the places at which a part about something else begins, after ";", "while" or "but",
    ``stops`` those of all semicolons, colons and dashes. ``hyphened`` are the indexes of the terms
    that a hyphen joins to another word: "use-by". ``heading`` is the number of terms before a colon
    that few terms precede: "Damage: ..."."""

    span: Span
    terms: tuple[Term, ...]
    operators: tuple[Operator, ...]
    negations: tuple[Denial, ...]
    governed: frozenset[int]
    denied: frozenset[int]
    lows: tuple[str, ...]
    starts: tuple[int, ...]
    places: dict[str, list[int]]
    grammar: Grammar
    contrasts: tuple[int, ...] = ()
    stops: tuple[int, ...] = ()
    hyphened: frozenset[int] = _NONE
    heading: int = 0

    @cached_property
    def values(self) -> list[int]:
        """The indexes of the values."""
        return [index for index, term in enumerate(self.terms) if term.value is not None]

    @cached_property
    def names(self) -> dict[str, list[int]]:
        """The indexes of the words of names, under the whole name."""
        found: dict[str, list[int]] = {}
        for index, term in enumerate(self.terms):
            if term.kind == "name":
                found.setdefault(term.name, []).append(index)
        return found

    @cached_property
    def classes(self) -> list[str]:
        """The classes of all terms (`class_of`)."""
        return [class_of(term) for term in self.terms]

    @cached_property
    def of_class(self) -> dict[str, list[int]]:
        """The indexes of the terms under their classes."""
        found: dict[str, list[int]] = {}
        for index, name in enumerate(self.classes):
            found.setdefault(name, []).append(index)
        return found

    @cached_property
    def phrase_words(self) -> list[int]:
        """The indexes of the words of phrases."""
        return [index for index, term in enumerate(self.terms) if term.phrase]

    @cached_property
    def long_clauses(self) -> tuple[frozenset[int], ...]:
        """The terms of each clause with at least three of them, if there are several clauses."""
        clauses: dict[int, list[int]] = {}
        for index, term in enumerate(self.terms):
            clauses.setdefault(term.clause, []).append(index)
        if len(clauses) == 1:
            return ()
        return tuple([frozenset(one) for one in clauses.values() if len(one) >= _LONG_CLAUSE])

    @cached_property
    def is_limited(self) -> bool:
        """Return True if a sentence denies or allows something but for a case: "not more than
        once", "no one except her", "not unless"."""
        pairs = pairwise(self.lows)
        return not (_BUT_FOR.isdisjoint(self.lows) and _BUT_FOR_PAIRS.isdisjoint(pairs))

    @cached_property
    def is_future(self) -> bool:
        """Return True if a sentence tells what is still to come."""
        to_come = not _TO_COME.isdisjoint(pairwise(self.lows))
        return to_come or not _FUTURE.isdisjoint(self.lows)

    @cached_property
    def is_past(self) -> bool | None:
        """Return True for a sentence that says what something was, False for what it is."""
        return is_past(self.lows, self.grammar)

    @cached_property
    def second_step(self) -> int:
        """Return the beginning of the second of two steps, "first ..., then ..."; -1 if there is
        none."""
        at = next((i for i, low in enumerate(self.lows) if low in _SECOND), 0)
        return self.starts[at] if at and "first" in self.lows[:at] else -1

    @cached_property
    def causal(self) -> int:
        """The index of the word that leads to a cause, "because" or "due" before "to"; -1 if there
        is none."""
        return next(
            (
                at
                for at, low in enumerate(self.lows)
                if low == "because" or (low in _DUE and self.lows[at + 1 : at + 2] == ("to",))
            ),
            -1,
        )

    @cached_property
    def runs(self) -> dict[int, list[int]]:
        """The indexes of the terms under their run; -1 holds all that are no names."""
        found: dict[int, list[int]] = {}
        for index, term in enumerate(self.terms):
            found.setdefault(term.run, []).append(index)
        return found

    @cached_property
    def lore(self) -> Lore:
        """The opposites, kinds and rivals of all words that are no names: they tell at once what
        no word here can be."""
        words = [term.lore for term in self.terms if term.kind == "word"]
        return Lore(
            opposites=NOTHING.union(*[one.opposites for one in words]),
            kinds=_NONE.union(*[one.kinds for one in words]),
            above=_NONE.union(*[one.above for one in words]),
            rivals=UNKNOWN.rivals.union(*[one.rivals for one in words]),
        )

    def is_denied(self, term: int) -> bool:
        """Return True if an odd number of negations covers the term of that index."""
        return term in self.denied

    def leans(self, term: int) -> bool:
        """Return True if words near the term are negative in any way: "refused", "without"."""
        at = bisect_left(self.starts, self.terms[term].start)
        near = self.lows[max(0, at - _LEANING) : at + _LEANING]
        return any(low in self.grammar.negative or low.endswith("n't") for low in near)

    def is_conditional(self, term: int) -> bool:
        """Return True if the clause of the term says under which condition something holds."""
        return not self.grammar.conditions.isdisjoint(self.opening_words(term))

    def opening_words(self, term: int) -> tuple[str, ...]:
        """Return the words with which the clause of a term opens, to its first term."""
        first = bisect_left(self.terms, self.terms[term].clause, hi=term, key=_clause_of)
        at = bisect_left(self.starts, self.terms[first].start)
        return self.lows[max(0, at - 3) : at + 1]

    def is_without(self, term: int) -> bool:
        """Return True if the term stands after "without" or its like: a condition, no denial."""
        at = self.terms[term].start
        return any(one.start <= at < one.end and one.phrase for one in self.negations)

    def says_less(self, term: int) -> bool:
        """Return True for "less fast"."""
        return any(one.target == term and one.sense.sense == "less" for one in self.operators)

    def is_taken_up(self, term: int) -> bool:
        """Return True if a pronoun stands in the text at the term's place."""
        one = self.terms[term]
        return one.kind == "name" and one.end - one.start != len(one.text)

    @cached_property
    def slots(self) -> list[str]:
        """The words right before the terms, or before their names, articles skipped; "'s" for what
        is possessive."""
        skipped, lows = self.grammar.skipped, self.lows
        slots: list[str] = []
        before, run = "", -1
        for term in self.terms:
            if term.run < 0 or term.run != run:
                at, run = bisect_left(self.starts, term.start), term.run
                while at > 0 and lows[at - 1] in skipped:
                    at -= 1
                before = lows[at - 1] if at else ""
            slots.append("'s" if term.text.endswith(("'s", "’s")) else before)
        return slots

    def slot(self, term: int) -> str:
        """Return the word right before a term, as in ``slots``."""
        return self.slots[term]

    def named_so(self, name: str) -> list[int]:
        """Return the indexes of the words of names that may name what another name does."""
        known = self._named_so.get(name)
        if known is None:
            known = self._named_so[name] = []
            # Most sentences have no name that is like it at all.
            if not self._name_marks.isdisjoint(marks_of(name)):
                for own, indexes in self.names.items():
                    known += indexes if same_name(name, own) else ()
        return known

    @cached_property
    def _name_marks(self) -> frozenset[str]:
        return frozenset[str]().union(*map(marks_of, self.names))

    @cached_property
    def _named_so(self) -> dict[str, list[int]]:
        # Most sentences of a message name the same: one lookup answers all of them.
        return {}

    def slot_before(self, term: int) -> str:
        """Return the word right before a term, "" at the beginning."""
        at = bisect_left(self.starts, self.terms[term].start)
        return self.lows[at - 1] if at else ""

    def opening_of(self, denial: Denial) -> int:
        """Return the place at which the verb group of a negation begins."""
        at = bisect_left(self.starts, denial.cue)
        return self.starts[at - 1] if at and self.lows[at - 1] in self.grammar.group else denial.cue

    def opening(self, term: int) -> int:
        """Return the place at which the verb group of a term begins: at its negation or
        auxiliary."""
        at = bisect_left(self.starts, self.terms[term].start)
        first = at
        while first > max(0, at - 4) and self.lows[first - 1] in self.grammar.group:
            first -= 1
        # A value may begin inside a token: after an accent that stands alone, say.
        start = self.terms[term].start
        return min(self.starts[first], start) if first < len(self.starts) else start


def _clause_of(term: Term) -> int:
    return term.clause


_LEANING: Final = 8
"""Tokens on either side of a term in which a negative word takes back another negation."""
_LONG_CLAUSE: Final = 3
_BUT_FOR: Final = word_set("unless until without except")
_BUT_FOR_PAIRS: Final = frozenset({("other", "than"), ("more", "than"), ("only", "if")})
_FUTURE: Final = word_set("will shall next upcoming planned scheduled")
_TO_COME: Final = frozenset({("is", "to"), ("are", "to"), ("going", "to"), ("due", "to")})
_SECOND: Final = word_set("then afterwards next finally second")
_DUE: Final = word_set("due owing thanks")
_JOINTS: Final = frozenset({" ", "-", ". ", " of ", " of the ", " de ", " von ", " van "})
"""What may stand between two words of one name."""

_CLAUSE: Final = re.compile(
    r"[;:!?]\s|[.]\s|\s[–—-]\s|—"
    r"|,?\s(?:but|although|though|whereas|while|because|since|so that|unless|if|when|until|after"
    r"|before|which|who|even if|provided|and then)\s"
    r"|,\s(?:and|or|so|he|she|it|they|you|we)\s",
    re.IGNORECASE,
)
# "When the new road opened in 1974, traffic fell": the comma ends the clause that opens it.
_FRONTED: Final = re.compile(
    r"(?:after|before|when|while|because|since|once|although|though|if|as soon as|until|unless)\s"
    r"[^,;:]{4,200}(?=,\s)",
    re.IGNORECASE,
)
_CONTRAST: Final = re.compile(
    r"(?:;|\b(?:while|whereas|but))\s+(?!(?:it|they|he|she|this|these|those|that|then|also)\b)",
    re.IGNORECASE,
)


_HEADED: Final = re.compile(r"\W{0,4}\w[^:;.,!?]{0,40}:\W{0,3}\s(?=\W*\w)")
_STOP: Final = re.compile(r"[;:]\s|\s[–—]\s|—")


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
    fronted = _FRONTED.match(plain, start, end)
    if fronted is not None:
        insort(cuts, fronted.end())
    terms: list[Term] = _taken_up(tokens, before)
    held = 0  # the values that lie before the current token
    phrases = find_phrases(tokens)
    for at, token in enumerate(name_opener(tokens)):
        while held < len(values) and values[held].end <= token.start:
            held += 1
        if held < len(values) and values[held].start < token.end:
            value = values[held]
            if terms and terms[-1].value is value:
                continue
            text, clause = plain[value.start : value.end], bisect_left(cuts, value.start)
            terms.append(
                Term("value", text, text.lower(), value.canonical, value.start, value.end,
                     NOTHING, NOTHING, clause, value)
            )  # fmt: skip
            continue
        if token.kind == "stop":
            continue
        text, norm, start_at, end_at, kind = token
        # The capital of a word that opens a cell of a table says nothing.
        if kind == "name" and plain.startswith("| ", start_at - 2) and lexicon.knows(text.lower()):
            kind = "word"
        word = word_lore(text, norm, kind)
        if word is None:
            continue
        run = -1
        if kind == "name":
            last = terms[-1] if terms else None
            joined = last and last.run >= 0 and plain[last.end : start_at] in _JOINTS
            run = last.run if last and joined else len(terms)
        phrase = phrases.get(at, "") if run < 0 else ""
        low, bases, wide, lore = in_phrase(word, phrase) if phrase else word
        clause = bisect_left(cuts, start_at)
        terms.append(
            Term("name" if run >= 0 else "word", text, low, norm, start_at, end_at, bases, wide,
                 clause, None, run, "", lore, phrase)
        )  # fmt: skip
    _name(plain, terms)
    inside = {tokens[at].start for at in phrases}
    found = tuple([d for d in denials(plain, start, end) if d.cue not in inside or d.whole])
    # A name keeps its capital here: "May" the month is no modal.
    lows = tuple([t.text if t.kind == "name" else t.text.lower().replace("’", "'") for t in tokens])
    starts = tuple([token.start for token in tokens])
    firsts = [term.start for term in terms]
    operators = operators_of(tokens, lows, firsts, cuts, negations=found, phrases=phrases)
    governed, denied = _find_covered(firsts, found) if found else (_NONE, _NONE)
    places: dict[str, list[int]] = {}
    for index, term in enumerate(terms):
        for base in term.bases:
            places.setdefault(base, []).append(index)
    return Analysis(
        span, tuple(terms), operators, found, governed, denied, lows, starts, places, ENGLISH,
        tuple([match.end() for match in _CONTRAST.finditer(plain, start, end)]),
        tuple([match.start() for match in _STOP.finditer(plain, start, end)]),
        _find_hyphened(plain, terms),
        bisect_left(firsts, headed.end()) if (headed := _HEADED.match(plain, start, end)) else 0,
    )  # fmt: skip


def _taken_up(tokens: tuple[Token, ...], before: Analysis | None) -> list[Term]:
    """The name that the opening pronoun of a sentence stands for, at the pronoun's place."""
    if before is None or not tokens or tokens[0].text.lower() not in PRONOUNS:
        return []
    return take_up(before, (tokens[0].start, tokens[0].end))


def take_up(before: Analysis, place: Span) -> list[Term]:
    """Return the terms of the name that opens a sentence, at the place of the pronoun that opens
    the next one; empty if the sentence opens with no name."""
    opening = [term for term in before.terms[:_OPENING] if term.kind == "name"]
    first = [term for term in opening if term.run == opening[0].run]
    start, end = place
    return [term._replace(start=start, end=end, clause=0, run=0) for term in first]


_OPENING: Final = 4
"""Terms at the beginning of a sentence among which its subject is looked for."""
PRONOUNS: Final = frozenset({"he", "she", "it", "they"})


def _find_hyphened(plain: str, terms: list[Term]) -> frozenset[int]:
    return frozenset(
        [
            index
            for index, term in enumerate(terms)
            if "-" in (plain[term.start - 1 : term.start], plain[term.end : term.end + 1])
        ]
    )


def _name(plain: str, terms: list[Term]) -> None:
    """Give each word of a name the whole name that it belongs to."""
    runs: dict[int, list[int]] = {}
    for index, term in enumerate(terms):
        if term.run >= 0 and not term.name:
            runs.setdefault(term.run, []).append(index)
    for found in runs.values():
        name = plain[terms[found[0]].start : terms[found[-1]].end]
        for index in found:
            one = terms[index]  # by its places: `_replace` takes three times as long
            terms[index] = Term(*one[:11], name, *one[12:])


def _find_covered(
    firsts: list[int], negations: tuple[Denial, ...]
) -> tuple[frozenset[int], frozenset[int]]:
    """The first terms that the negations cover, and the terms that an odd number covers.
    ``firsts`` holds the beginnings of the terms."""
    governed, denied = set[int](), set[int]()
    for one in negations:
        first, last = bisect_left(firsts, one.start), bisect_left(firsts, one.end)
        if first < last:
            governed.add(first)
            denied.symmetric_difference_update(range(first, last))
    return frozenset(governed), frozenset(denied)
