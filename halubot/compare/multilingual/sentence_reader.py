"""A sentence of another language than English as terms, operators and denials."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from halubot.compare.analysis import Analysis, Term, take_up
from halubot.compare.grammar import Grammar
from halubot.compare.multilingual.denial import Reading, read_operators
from halubot.compare.multilingual.han_numerals import Found
from halubot.compare.multilingual.moments import find_moments
from halubot.compare.multilingual.name_words import find_names
from halubot.compare.multilingual.numerals import find_numbers
from halubot.compare.multilingual.segmentation import Word, cut_words
from halubot.compare.multilingual.vocabulary import Vocabulary, bases_of, related_to
from halubot.compare.operators import Denial, Operator
from halubot.compare.word_lore import NOTHING, UNREAD, Lore
from halubot.text import Document, Span

_REACH: Final = 24
"""Characters between an operator and the term it governs."""
_JOINT: Final = re.compile(r"[\s·•-]?|\s(?:de|de la|del|von|van|du|des|d['’])\s?")
_POINTING: Final = frozenset("这那某该")
"""What stands before a Chinese measure word and means "this" or "that"."""
_END: Final = re.compile(r"[;:!?。；！？؛؟]|[.](?=\s|$)|\s[–—-]\s|—|，")
_COMMA: Final = re.compile("[,،]")


def read_sentence(
    document: Document, span: Span, known: Vocabulary, before: Analysis | None = None
) -> Analysis:
    """Return the analysis of one sentence of a document. A sentence that opens with a pronoun takes
    up the name that opens the sentence ``before`` it. Linear."""
    plain, (start, end) = document.plain, span
    words = cut_words(plain, start, end, known)
    values = _values(plain, start, end, words, known)
    cuts = _cuts(plain, start, end, words, known)
    reading = read_operators(words, _breaks(plain, start, end, cuts), end, known)
    terms = _terms(_Cut(plain, words, values, cuts, known), reading.taken)
    if before is not None and words and words[0].low in known.pronouns:
        terms = [*take_up(before, (words[0].start, words[0].end)), *terms]
    firsts = [term.start for term in terms]
    denials = tuple(reading.denials)
    governed, denied = _find_covered(firsts, denials)
    places: dict[str, list[int]] = {}
    for index, term in enumerate(terms):
        for base in term.bases:
            places.setdefault(base, []).append(index)
    return Analysis(
        span,
        tuple(terms),
        _operators(reading, firsts, terms, cuts),
        denials,
        governed,
        denied,
        tuple([word.low for word in words]),
        tuple([word.start for word in words]),
        places,
        grammar_of(known),
    )


@cache
def grammar_of(known: Vocabulary) -> Grammar:
    """Return the function words of a language that the comparison asks for."""
    return Grammar(
        negative=known.negative,
        skipped=frozenset(known.bounds) | known.stop - known.slots,
        conditions=known.conditions,
        group=NOTHING,
        slots=known.slots,
        past=NOTHING,
        present=NOTHING,
        whole_clauses=True,
        compounds=known.code == "de",
        agents=known.agents,
        articles=known.articles,
        adverbs=known.adverbs,
        code=known.code,
    )


def _values(
    plain: str, start: int, end: int, words: Sequence[Word], known: Vocabulary
) -> list[Found]:
    """The dates, times and numbers of a sentence, in order and disjoint."""
    moments = find_moments(plain, start, end, known)
    numbers = find_numbers(plain, start, end, words, known)
    free = [
        one
        for one in numbers
        if all(one.value.end <= each.start or each.end <= one.value.start for each in moments)
    ]
    return sorted((*moments, *free), key=lambda one: one.start)


def _cuts(plain: str, start: int, end: int, words: Sequence[Word], known: Vocabulary) -> list[int]:
    """Return the ends of clauses: at a mark, or before a conjunction."""
    cuts = [match.start() for match in _END.finditer(plain, start, end)]
    cuts += [word.start - 1 for at, word in enumerate(words) if at and word.low in known.clauses]
    return sorted(cuts)


def _breaks(plain: str, start: int, end: int, cuts: Sequence[int]) -> list[int]:
    """Return the ends of a denial: at the end of its clause or at a comma."""
    return sorted((*cuts, *(match.start() for match in _COMMA.finditer(plain, start, end))))


class _Cut(NamedTuple):
    """A sentence as words and values; ``cuts`` are the ends of its clauses."""

    plain: str
    words: Sequence[Word]
    values: Sequence[Found]
    cuts: Sequence[int]
    known: Vocabulary


def _terms(sentence: _Cut, taken: frozenset[int]) -> list[Term]:
    """The values, names and content words of a sentence. ``taken`` are the indexes of the words
    that are part of an operator or a denial."""
    plain, words, values, cuts, known = sentence
    places = [place.start for place in values]
    inside = {
        at
        for at, word in enumerate(words)
        if any(
            one.start < word.end and word.start < one.end
            for one in values[max(0, bisect_right(places, word.start) - 1) :][:2]
        )
    }
    names = find_names(plain, words, inside | taken, known)
    particles = _particles(words, cuts, inside, known)
    found: list[Term] = []
    for place in values:
        value = place.value
        text = plain[value.start : value.end]
        clause = bisect_left(cuts, value.start)
        found.append(
            Term("value", text, text.lower(), value.canonical, value.start, value.end, NOTHING,
                 NOTHING, clause, value)
        )  # fmt: skip
    run = -1
    last: Word | None = None
    for at, word in enumerate(words):
        if at in inside or at in taken or at in particles.used:
            continue
        clause = bisect_left(cuts, word.start)
        if at in names:
            joined = last is not None and _JOINT.fullmatch(plain, last.end, word.start)
            run = run if joined and run >= 0 else at
            last = word
            bases = _name_bases(word.low, known)
            found.append(
                Term("name", word.text, word.low, word.low, word.start, word.end, bases, bases,
                     clause, None, run)
            )  # fmt: skip
            continue
        pointing = word.low[:1] in _POINTING and word.low[1:] in known.measures
        if pointing or word.low in known.idle or not any(map(str.isalnum, word.low)):
            continue
        bases = bases_of(word.low, known)
        if word.capital:  # the other text may show that it is a name
            bases |= {word.low}
        if at in particles.verbs:
            bases |= {particles.verbs[at] + one for one in bases}
        wide, against = related_to(bases, known)
        found.append(
            Term("word", word.text, word.low, min(bases), word.start, word.end, bases, wide, clause,
                 None, -1, "", Lore(UNREAD, against))
        )  # fmt: skip
    found.sort(key=lambda term: term.start)
    return _find_name(plain, found)


def _name_bases(low: str, known: Vocabulary) -> frozenset[str]:
    """A name, and without the ending of its genitive in German or its prefix in Arabic."""
    if known.code == "de" and low.endswith("s") and len(low) > 4:
        return frozenset({low, low[:-1]})
    if known.code == "ar" and low[:1] in "بلوف" and low[1:] in known.places:
        return frozenset({low[1:]})
    return frozenset({low})


def _find_name(plain: str, terms: list[Term]) -> list[Term]:
    """The terms, each word of a name with the whole name."""
    runs: dict[int, list[Term]] = {}
    for term in terms:
        if term.run >= 0:
            runs.setdefault(term.run, []).append(term)
    whole = {run: plain[own[0].start : own[-1].end] for run, own in runs.items()}
    return [term._replace(name=whole[term.run]) if term.run >= 0 else term for term in terms]


@dataclass(frozen=True)
class _Particles:
    """German particles at the end of a clause, and the verbs that they belong to."""

    used: frozenset[int]
    verbs: dict[int, str]


def _particles(
    words: Sequence[Word], cuts: Sequence[int], inside: set[int], known: Vocabulary
) -> _Particles:
    """ "Der Verein lädt alle Mitglieder ein": the verb is "einladen"."""
    used, verbs = set[int](), dict[int, str]()
    if not known.particles:
        return _Particles(frozenset(), verbs)
    for at, word in enumerate(words):
        ends = at + 1 == len(words) or bisect_left(cuts, word.start) != bisect_left(
            cuts, words[at + 1].start
        )
        if word.low not in known.particles or not ends:
            continue
        clause = bisect_left(cuts, word.start)
        for verb in range(at):
            one = words[verb]
            finite = one.low in known.forms or one.low.endswith(("t", "te", "ten"))
            same = bisect_left(cuts, one.start) == clause
            plain = not one.capital and one.low not in known.stop and verb not in inside
            if same and finite and plain:
                used.add(at)
                verbs[verb] = word.low
                break
    return _Particles(frozenset(used), verbs)


def _find_covered(
    firsts: list[int], denials: Sequence[Denial]
) -> tuple[frozenset[int], frozenset[int]]:
    """The first terms that the denials cover, and all terms that one of them covers. Two denials
    of one clause are one: "no ha venido nadie"."""
    governed, denied = set[int](), set[int]()
    for one in denials:
        first, last = bisect_left(firsts, one.start), bisect_left(firsts, one.end)
        if first < last:
            governed.update(range(first, last))
            denied.update(range(first, last))
    return frozenset(governed), frozenset(denied)


def _operators(
    reading: Reading, firsts: list[int], terms: Sequence[Term], cuts: Sequence[int]
) -> tuple[Operator, ...]:
    """The operators with the terms that they govern: a modal governs its whole clause, since word
    order is free; all others govern the next term."""
    found: list[Operator] = []
    for sense, start, end in reading.operators:
        clause = bisect_left(cuts, start)
        if sense.family == "modal":
            own = [at for at, term in enumerate(terms) if term.clause == clause]
            found += [Operator(sense, start, end, at) for at in own] or [
                Operator(sense, start, end, -1)
            ]
            continue
        target = bisect_left(firsts, end)
        near = target < len(firsts) and firsts[target] - end <= _REACH
        same = near and terms[target].clause == clause
        found.append(Operator(sense, start, end, target if same else -1))
    return tuple(found)
