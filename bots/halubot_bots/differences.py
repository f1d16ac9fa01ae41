"""Differences between answers to one question: other values, other names, denials, other wording.

Two answers are compared sentence by sentence. A difference needs a place that both speak of: the
same words around two values or names, or the thing that the question asks for. What one answer
says and the other leaves out is no difference. `find_contradictions` adds what halubot's own check
of each answer beside the others finds.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from importlib import resources
from typing import Final, Literal

from halubot import values
from halubot.report import Evidence, Frozen, Report, Span
from halubot.text import Document, read

Kind = Literal["value", "name", "denial", "wording"]

LONGEST: Final = 6_000
"""Characters of an answer that are compared."""

SENTENCES: Final = 40
"""Sentences of an answer that are compared."""

PARTS: Final = 12
"""Values and names of a sentence that are compared; a longer list is a table."""

ALIKE: Final = 0.5
"""The share of the words of the shorter sentence that both must have around two values."""

SAME_SENTENCE: Final = 0.7
"""The share of the words that two sentences must have in common for a denial to be a difference."""


class Said(Frozen):
    """The words of one answer at a place where answers differ.

    ``answer`` is its index, None for the words of a reference, which ``source`` names and
    ``location`` links. ``text`` is the value or name as written ("" for a denial), ``quote`` its
    sentence, and ``span`` the place in the answer that is said otherwise elsewhere.
    """

    answer: int | None
    text: str
    quote: str
    span: Span
    source: str = ""
    location: str = ""


class Difference(Frozen):
    """A place at which answers differ: groups of answers that say the same there, the largest
    group first; at least two groups of at least one answer each."""

    kind: Kind
    groups: tuple[tuple[Said, ...], ...]

    @property
    def answers(self) -> frozenset[int]:
        """The indexes of the answers that say something at this place."""
        voices = (said.answer for group in self.groups for said in group)
        return frozenset(answer for answer in voices if answer is not None)

    @property
    def settled(self) -> tuple[Said, ...]:
        """The group that may replace the others: a reference's, else the one that at least two
        answers agree on and more than on any other; else empty."""
        for group in self.groups:
            if any(said.answer is None for said in group):
                return group
        first, second = self.groups[0], self.groups[1]
        return first if len(first) >= 2 and len(first) > len(second) else ()


def shared(group: Sequence[Said]) -> Said:
    """Return the voice of a group that speaks for all of it: of values the least exact one ("1832"
    of that and "22 March 1832"), which each of them says, else the first."""
    exact = [said for said in group if any(letter.isdigit() for letter in said.text)]
    return min(exact, key=lambda said: len(said.text)) if len(exact) == len(group) else group[0]


Pair = tuple[Kind, Said, Said]
"""A place at which two answers differ."""


def find_differences(
    answers: Sequence[str], question: str = "", reports: Sequence[Report] = ()
) -> tuple[Difference, ...]:
    """Return the places at which answers to a question differ, in the order of the first answer
    that speaks of each; empty for fewer than two answers, and if none differ.

    ``reports`` are those of the answers, in order, each checked with the others as its samples in
    order; with fewer reports than answers only values, names and denials are compared.
    """
    asked = _Question(question)
    parts = [_Answer(text[:LONGEST], at) for at, text in enumerate(answers)]
    pairs = [
        pair
        for at, one in enumerate(parts)
        for other in parts[at + 1 :]
        for pair in _compare(one, other, asked)
    ]
    if len(reports) == len(answers):
        found = () if asked.asks_some else _find_contradictions(reports, pairs)
        pairs += [pair for pair in found if not _agree(pair, parts, asked)]
        pairs += [pair for at, report in enumerate(reports) for pair in _find_rebuttals(at, report)]
    return tuple(_join(pairs))


def differing_from_others(report: Report) -> tuple[Difference, ...]:
    """Return the places at which a checked text differs from what other answers agree on."""
    others = [source.text or "" for source in report.sources if source.kind == "sample"]
    question = report.question.text if report.question else ""
    found = find_differences([report.text, *others], question)
    settled = (one for one in found if 0 in one.answers and one.settled)
    return tuple(one for one in settled if all(said.answer for said in one.settled))


def contradicts(report: Report) -> bool:
    """Return True if a source contradicts something in a checked text."""
    return any(one.stance == "contradicts" for fact in report.facts for one in fact.evidence)


def agree(answers: Sequence[str], question: str) -> bool:
    """Return True if all answers give the same value or name that the question asks for, or if it
    asks for some of many: then no closer look is needed."""
    asked = _Question(question)
    parts = [_Answer(text[:LONGEST], at) for at, text in enumerate(answers)]
    return asked.asks_some or all(_share_asked(parts[0], other, asked) for other in parts[1:])


def _find_contradictions(reports: Sequence[Report], known: Sequence[Pair]) -> Iterator[Pair]:
    """Yield what two answers say otherwise if the check of each finds that the other contradicts
    it: one direction alone is too often wrong. Places that are ``known`` are left out."""
    count = len(reports)
    found = [list(_read_report(at, report, count)) for at, report in enumerate(reports)]
    differing = {frozenset((one.answer, other.answer)) for _, one, other in known}
    for at, mine in enumerate(found):
        for other in range(at + 1, count):
            forth = [pair for pair in mine if pair[1].answer == other]
            back = [pair for pair in found[other] if pair[1].answer == at]
            if forth and back and frozenset((at, other)) not in differing:
                yield "wording", forth[0][0], back[0][0]


def _read_report(at: int, report: Report, count: int) -> Iterator[tuple[Said, Said]]:
    """Yield what the answer ``at`` says and what another one says otherwise."""
    samples = [source.id for source in report.sources if source.kind == "sample"]
    others = [index for index in range(count) if index != at]
    by_id = dict(zip(samples, others, strict=False))
    for mine, evidence in _read_evidence(at, report):
        if evidence.source in by_id:
            place = (evidence.start, evidence.end)
            other = by_id[evidence.source]
            yield mine, Said(answer=other, text="", quote=evidence.quote, span=place)


def _find_rebuttals(at: int, report: Report) -> Iterator[Pair]:
    """Yield what references say otherwise than the answer ``at``."""
    for mine, evidence in _read_evidence(at, report):
        source = report.source(evidence.source)
        if source.kind == "sample":
            continue
        text = report.text[slice(*mine.span)] if evidence.value else ""
        theirs = Said(
            answer=None,
            text=evidence.value or "",
            quote=evidence.quote,
            span=(evidence.start, evidence.end),
            source=source.title or source.id,
            location=source.location,
        )
        yield "wording", theirs, mine.model_copy(update={"text": text})


def _read_evidence(at: int, report: Report) -> Iterator[tuple[Said, Evidence]]:
    """Yield what an answer says in each fact, with each piece of evidence against it."""
    for fact in report.facts:
        if not fact.sentences:
            continue
        sentence = report.sentences[fact.sentences[0]]
        span = fact.parts.tail or (fact.spans[-1] if fact.spans else (0, 0))
        quote = report.text[sentence.start : sentence.end]
        for evidence in fact.evidence:
            if evidence.stance == "contradicts":
                yield Said(answer=at, text="", quote=quote, span=span), evidence


@dataclass(frozen=True, slots=True)
class _Part:
    """A value or name of a sentence."""

    kind: Kind
    start: int
    end: int
    text: str
    value: values.Value | None = None


class _Sentence:
    def __init__(self, answer: _Answer, start: int, end: int, first: bool) -> None:
        self.answer = answer
        self.start, self.end, self.first = start, end, first
        self.text = answer.text[start:end].strip()
        self._near: dict[int, frozenset[str]] = {}

    @cached_property
    def parts(self) -> tuple[_Part, ...]:
        """The values and names, in order; a name that holds a value is one part."""
        plain = self.answer.document.plain
        found = [
            _Part("value", one.start, one.end, plain[one.start : one.end], one)
            for one in values.find(plain, self.start, self.end)
        ]
        for match in _VERSION.finditer(plain, self.start, self.end):
            found.append(_Part("name", match.start(), match.end(), match[0]))
        taken = [(one.start, one.end) for one in found]
        for match in _NAME.finditer(plain, self.start, self.end):
            start, end = self._name_span(match.start(), match.end())
            if end - start > 1 and not any(start < b and a < end for a, b in taken):
                found.append(_Part("name", start, end, plain[start:end]))
        return tuple(sorted(found, key=lambda part: part.start)[:PARTS])

    def _name_span(self, start: int, end: int) -> Span:
        """Return the part of some words with capitals that is a name; an empty span for none."""
        plain = self.answer.document.plain
        for ending in ("'s", "’s", "'ll", "’ll"):
            if plain[start:end].endswith(ending):
                end -= len(ending)
        opens = not _LETTER.search(plain, self.start, start)
        # The first word of a sentence or quotation has a capital in any case.
        while first := _FIRST_WORD.match(plain, start, end):
            if first[0].casefold().partition("'")[0].partition("’")[0] not in _SMALL:
                break
            start, opens = first.end(), False
            while start < end and not plain[start].isalnum():
                start += 1
        if opens and not re.search(r"[\s\d&-]", plain[start:end].strip()):
            alone = len(_WORD.findall(plain[self.start : self.end])) <= 3
            if not alone and not _BEING.match(plain, end, self.end):
                return (start, start)
        return (start, end)

    @cached_property
    def words(self) -> frozenset[str]:
        """The stems of its other words that carry meaning."""
        plain = self.answer.document.plain
        covered = [(part.start, part.end) for part in self.parts]
        found = set()
        for word in _WORD.finditer(plain, self.start, self.end):
            if any(a <= word.start() < b for a, b in covered):
                continue
            low = word[0].casefold().replace("’", "'")
            if low not in _SMALL and not _DENIAL.fullmatch(low):
                found.add(_stem(low))
        return frozenset(found)

    @cached_property
    def terms(self) -> frozenset[str]:
        """Its words and the words of its names and values."""
        found = set(self.words)
        for part in self.parts:
            found |= _name_words(part.text)
        return frozenset(found)

    @cached_property
    def is_bare(self) -> bool:
        """True if it is a value or name and nothing else."""
        return len(self.parts) == 1 and not self.words and len(self.answer.sentences) == 1

    @cached_property
    def denies(self) -> bool:
        """True if it denies something."""
        return _denies(self.answer.document.plain[self.start : self.end])

    def words_near(self, part: _Part) -> frozenset[str]:
        """The stems around a part, as far as the next clause."""
        if part.start not in self._near:
            self._near[part.start] = self._words_near(part)
        return self._near[part.start]

    def _words_near(self, part: _Part) -> frozenset[str]:
        plain = self.answer.document.plain
        start = max((m.end() for m in _CLAUSE.finditer(plain, self.start, part.start)), default=0)
        after = _CLAUSE.search(plain, part.end, self.end)
        end = after.start() if after else self.end
        near = (max(start, self.start), end)
        found = set()
        for word in _WORD.finditer(plain, *near):
            if part.start <= word.start() < part.end:
                continue
            low = word[0].casefold()
            if low not in _SMALL:
                found.add(_stem(low))
        return frozenset(found)


class _Answer:
    def __init__(self, text: str, index: int) -> None:
        self.index = index
        self.document: Document = read(text)
        self.text = self.document.text
        spans = self.document.sentences[:SENTENCES]
        self.sentences = [
            _Sentence(self, *spans[at][:2], first=at == 0) for at in range(len(spans))
        ]

    @cached_property
    def all_values(self) -> tuple[values.Value, ...]:
        """The values of all sentences."""
        return tuple(p.value for s in self.sentences for p in s.parts if p.value is not None)

    @cached_property
    def words(self) -> frozenset[str]:
        """The folded words of the whole text."""
        return frozenset(_stem(word.casefold()) for word in _WORD.findall(self.document.plain))

    def has_value(self, value: values.Value) -> bool:
        return any(
            values.same(value, one) or values.same(one, value) or _overlap_in_range(value, one)
            for one in self.all_values
        )

    def has_name(self, own: frozenset[str]) -> bool:
        """Return True if one of the words of a name stands in the text."""
        # "India" is said by "Indians": names of places and of their people begin alike.
        begins = {word[:5] for word in own if len(word) > 4}
        return not own.isdisjoint(self.words) or not begins.isdisjoint(self._beginnings)

    @cached_property
    def _beginnings(self) -> frozenset[str]:
        return frozenset(word[:5] for word in self.words if len(word) > 4)

    @cached_property
    def opening(self) -> str:
        """ "yes" or "no" if the answer begins so, else ""."""
        first = _FIRST_WORD.search(self.document.plain[:40])
        word = first[0].casefold() if first else ""
        return "yes" if word in _YES else "no" if word in _NO else ""


class _Question:
    """What a question asks for: a value ("value"), a name ("name"), either ("any", and "bare" for
    an answer of one word), or something else ("")."""

    def __init__(self, text: str) -> None:
        self.answer = _Answer(text[:LONGEST], -1)
        plain = _MENTION.sub(" ", self.answer.document.plain).replace("’", "'")
        self.asks: str = ""
        self.asks_some = _ASKS_SOME.search(plain) is not None
        if self.asks_some:
            return  # each answer may name others
        if _ASKS_VALUE.search(plain):
            self.asks = "value"
        elif _ASKS_NAME.search(plain):
            self.asks = "name"
        elif _ASKS_ONE.search(plain):
            self.asks = "any"
        elif "?" in plain:
            self.asks = "bare"

    def names(self, part: _Part) -> bool:
        """Return True if the question itself has the value or name."""
        if part.value is not None:
            return self.answer.has_value(part.value)
        own = _name_words(part.text)
        return bool(own) and own <= self.answer.words


def _compare(one: _Answer, other: _Answer, asked: _Question) -> Iterator[Pair]:
    """Yield the differences of two answers."""
    if one.opening and other.opening and one.opening != other.opening:
        yield "denial", _whole(one.sentences[0]), _whole(other.sentences[0])
        return
    found = False
    for mine in one.sentences if not asked.asks_some else ():
        for pair in _compare_parts(mine, other, asked):
            found = True
            yield pair
    if not found:
        yield from _compare_denials(one, other, asked)


def _compare_parts(mine: _Sentence, other: _Answer, asked: _Question) -> Iterator[Pair]:
    """Yield the values and names of a sentence in whose place the other answer has another."""
    for part in mine.parts:
        if asked.names(part) or _is_said(part, other, asked):
            continue
        best: tuple[float, _Sentence, _Part] | None = None
        for theirs in other.sentences:
            for rival in theirs.parts:
                if not _are_rivals(part, rival) or asked.names(rival):
                    continue
                if _is_said(rival, mine.answer, asked):
                    continue
                weight = _weigh(mine, part, theirs, rival, asked)
                if weight and (best is None or weight > best[0]):
                    best = (weight, theirs, rival)
        if best is not None:
            yield part.kind, _said(mine, part), _said(best[1], best[2])


def _is_said(part: _Part, answer: _Answer, asked: _Question) -> bool:
    if part.value is not None:
        return answer.has_value(part.value)
    # Beside "Jane Eyre" the "Jane" of an author tells nothing.
    own = _name_words(part.text) - asked.answer.words
    return answer.has_name(own or _name_words(part.text))


def _are_rivals(part: _Part, rival: _Part) -> bool:
    if part.value is not None and rival.value is not None:
        return values.differ(part.value, rival.value)
    if part.value is not None or rival.value is not None:
        return False
    return not values.same_name(part.text, rival.text)


def _overlap_in_range(one: values.Value, other: values.Value) -> bool:
    """Return True if one of two values is a range that the other lies in or overlaps."""
    if one.ends is None and other.ends is None:
        return False
    mine, theirs = _borders(one), _borders(other)
    return bool(mine and theirs and mine[0] <= theirs[1] and theirs[0] <= mine[1])


def _borders(value: values.Value) -> tuple[Decimal, Decimal] | None:
    ends = value.ends or (value, value)
    numbers = [getattr(end.readings[0], "number", None) if end.readings else None for end in ends]
    low, high = numbers
    return None if low is None or high is None else (Decimal(low), Decimal(high))


def _weigh(
    mine: _Sentence, part: _Part, theirs: _Sentence, rival: _Part, asked: _Question
) -> float:
    """Return how surely two values stand in the same place, from 0 (they do not) to 2."""
    # What the question asks for stands in the first sentence that names anything of that kind.
    wanted = asked.asks == part.kind
    if asked.asks == "any" or (asked.asks == "bare" and (mine.is_bare or theirs.is_bare)):
        wanted = _is_alone(part, mine, theirs)
    focus = wanted and _is_focus(mine, part, asked) and _is_focus(theirs, rival, asked)
    near, near_theirs = mine.words_near(part), theirs.words_near(rival)
    shared = _overlap(near, near_theirs)
    if part.kind == "name":
        # A name has no unit and no kind: it needs the same sentence around it, and no other name
        # in the sentence that the other lacks.
        own = [p for p in mine.parts if p.kind == "name" and not _is_said(p, theirs.answer, asked)]
        others = [
            p for p in theirs.parts if p.kind == "name" and not _is_said(p, mine.answer, asked)
        ]
        if focus:
            return 1.0 + shared
        alone = len(own) == 1 and len(others) == 1
        common = mine.terms & theirs.terms
        alike = _overlap(
            mine.terms - _name_words(part.text), theirs.terms - _name_words(rival.text)
        )
        same = len(common) >= 3 and alike >= SAME_SENTENCE and shared >= ALIKE
        return alike if alone and same else 0.0
    if focus:
        return 1.0 + shared
    if not near and not near_theirs:
        return 0.5 if len(mine.words) + len(theirs.words) == 0 else 0.0
    common = near & near_theirs
    return (
        shared
        if shared >= ALIKE and (len(common) >= 2 or min(len(near), len(near_theirs)) < 2)
        else 0.0
    )


def _is_alone(part: _Part, mine: _Sentence, theirs: _Sentence) -> bool:
    """Return True if a value may be what an open question asks for: a measure in the first
    sentences, for years and dates are mentioned beside everything else, or a lone name there."""
    if not (mine.first and theirs.first):
        return False
    if part.value is not None:
        return part.value.kind != "date"
    return all(sum(p.kind == "name" for p in one.parts) <= 2 for one in (mine, theirs))


def _is_focus(sentence: _Sentence, part: _Part, asked: _Question) -> bool:
    """Return True if a part is the first of its kind in its answer that the question lacks."""
    for one in sentence.answer.sentences:
        for candidate in one.parts:
            if candidate.kind == part.kind and not asked.names(candidate):
                return candidate is part
    return False


def _compare_denials(one: _Answer, other: _Answer, asked: _Question) -> Iterator[Pair]:
    """Yield the sentences of which one denies what the other says."""
    for mine in one.sentences:
        for theirs in other.sentences:
            if mine.denies == theirs.denies:
                continue
            both = len(mine.terms & theirs.terms)
            alike = _overlap(mine.terms, theirs.terms)
            whole = both / max(1, len(mine.terms | theirs.terms))
            if both >= 3 and alike >= SAME_SENTENCE and whole >= ALIKE:
                yield "denial", _whole(mine), _whole(theirs)
                return


def _overlap(mine: frozenset[str], theirs: frozenset[str]) -> float:
    if not mine or not theirs:
        return 0.0
    return len(mine & theirs) / min(len(mine), len(theirs))


def _said(sentence: _Sentence, part: _Part) -> Said:
    return Said(
        answer=sentence.answer.index,
        text=sentence.answer.text[part.start : part.end],
        quote=sentence.text,
        span=(part.start, part.end),
    )


def _agree(pair: Pair, answers: Sequence[_Answer], asked: _Question) -> bool:
    """Return True if two answers give the same value or name that the question asks for."""
    return _share_asked(answers[pair[1].answer or 0], answers[pair[2].answer or 0], asked)


def _share_asked(one: _Answer, other: _Answer, asked: _Question) -> bool:
    kinds = {"value": ("value",), "name": ("name",), "any": ("value", "name")}.get(asked.asks, ())
    return any(
        part.kind in kinds and not asked.names(part) and _is_said(part, other, asked)
        for sentence in one.sentences
        for part in sentence.parts
    )


def _whole(sentence: _Sentence) -> Said:
    return Said(
        answer=sentence.answer.index,
        text="",
        quote=sentence.text,
        span=(sentence.start, sentence.end),
    )


def _join(pairs: Sequence[Pair]) -> Iterator[Difference]:
    """Yield the places that pairs of answers differ at: pairs that share a place are one."""
    places: list[tuple[Kind, list[Said], list[Pair]]] = []
    for pair in pairs:
        kind, *both = pair
        touching = [
            place
            for place in places
            if place[0] == kind
            and any(_is_same_place(old, new) for old in place[1] for new in both)
        ]
        said = [one for place in touching for one in place[1]]
        said += [new for new in both if not any(_is_same_place(new, old) for old in said)]
        joined = [one for place in touching for one in place[2]] + [pair]
        places = [place for place in places if place not in touching] + [(kind, said, joined)]
    for kind, said, joined in places:
        groups: list[list[Said]] = []
        seen: set[int | None] = set()
        # References first; an answer has one voice at one place.
        for one in sorted(said, key=lambda one: (one.answer is not None, one.answer, one.span)):
            if one.answer in seen:
                continue
            seen.add(one.answer)
            group = next((g for g in groups if _says_same(kind, g[0], one, joined)), None)
            if group is None:
                groups.append([one])
            else:
                group.append(one)
        if len(groups) > 1:
            groups.sort(key=lambda group: (-len(group), group[0].answer or 0))
            yield Difference(kind=kind, groups=tuple(map(tuple, groups)))


def _is_same_place(one: Said, other: Said) -> bool:
    return (one.answer, one.span, one.location) == (other.answer, other.span, other.location)


def _says_same(kind: Kind, one: Said, other: Said, pairs: Sequence[Pair]) -> bool:
    if kind == "value":
        mine, theirs = values.find(one.text), values.find(other.text)
        if mine and theirs:
            return not values.differ(mine[0], theirs[0])
        return one.text.casefold() == other.text.casefold()
    if kind == "name":
        return values.same_name(one.text, other.text)
    if kind == "denial":
        return _denies(one.quote) == _denies(other.quote)
    both = {one.answer, other.answer}
    return not any({mine.answer, theirs.answer} == both for _, mine, theirs in pairs)


def _denies(quote: str) -> bool:
    first = _FIRST_WORD.search(quote[:40])
    if first and first[0].casefold() in _NO:
        return True
    return _DENIAL.search(quote.replace("’", "'")) is not None


def _stem(word: str) -> str:
    """Return the beginning of a word that its forms share."""
    word = word.removesuffix("'s").removesuffix("’s")
    for end in ("ings", "ing", "ed", "es", "en", "s", "e"):
        if len(word) - len(end) >= (3 if end == "s" else 4) and word.endswith(end):
            return word[: -len(end)]
    return word


def _name_words(name: str) -> frozenset[str]:
    return frozenset(
        _stem(word.casefold())
        for word in _WORD.findall(name)
        if word.casefold() not in _SMALL and len(word) > 1
    )


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _any_of(patterns: Sequence[str]) -> re.Pattern[str]:
    """Return what finds one of some patterns as whole words."""
    return re.compile(rf"(?i)(?<!\w)(?:{'|'.join(patterns)})(?!\w)")


_TABLES: Final = tomllib.loads(
    (resources.files("halubot_bots") / "words.toml").read_text(encoding="utf-8")
)
_SMALL: Final = _words(_TABLES["small"])
_YES: Final = _words(_TABLES["yes"])
_NO: Final = _words(_TABLES["no"])
_DENIAL: Final = _any_of(_TABLES["denial"])
_ASKS_SOME: Final = _any_of(_TABLES["asks"]["some"])
_ASKS_VALUE: Final = _any_of(_TABLES["asks"]["value"])
_ASKS_NAME: Final = _any_of(_TABLES["asks"]["name"])
_ASKS_ONE: Final = _any_of(_TABLES["asks"]["one"])

_WORD: Final = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_FIRST_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
# Words with a capital, joined by small words of names: "University of Oxford", "J. R. R. Tolkien".
_NAME: Final = re.compile(
    r"(?<![\w'’])[A-ZÀ-ÖØ-Þ][\w'’.&+#-]*(?:(?: (?:of|the|de|la|du|von|van|der|da|di|and) | )"
    r"[A-ZÀ-ÖØ-Þ0-9][\w'’&+#-]*)*(?<![.'’])"
)
# Three numbers or more, which no value has: "1.21.4", an address.
_VERSION: Final = re.compile(r"(?<![\w.])v?\d+(?:\.\d+){2,}(?![\w.]*\w)")
_LETTER: Final = re.compile(r"\w")
_MENTION: Final = re.compile(r"<@[^<>\s]{1,25}>|@\w+")
_BEING: Final = re.compile(r"(?:['’]s)? (?:is|was|are|were|has|had|ist|war|hat|hatte)\b")
_CLAUSE: Final = re.compile(
    r"[;:()]|, (?:and|but|while|which|who)\b|\b(?:but|while|whereas|aber)\b"
)


def content_words(text: str) -> frozenset[str]:
    """Return the stems of the words of a text that carry meaning; empty for none."""
    words = (word.casefold() for word in _WORD.findall(text[:LONGEST]))
    return frozenset(_stem(word) for word in words if len(word) > 2 and word not in _SMALL)
