"""Differences between answers to one question: other values, other names, denials, other wording.

Two answers are compared sentence by sentence. A difference needs a place that both speak of: the
same words around two values or names, or the thing that the question asks for. What one answer
says and the other leaves out is no difference. With the reports of halubot's own check of each
answer beside the others, the contradictions that these find count too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from halubot import values
from halubot.report import Evidence, Frozen, Report, Span
from halubot_bots.answer_parts import AnswerParts, Part, Question, Sentence, is_denial, name_words

Kind = Literal["value", "name", "denial", "wording"]

ALIKE: Final = 0.5
"""The share of the words of the shorter sentence that both must have around two values."""

SAME_SENTENCE: Final = 0.7
"""The share of the words that two sentences must have in common for a denial to be a difference."""


OTHERS: Final = 3
"""The most words beside those of the question in an answer that only names something."""


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
    asked = Question(question)
    read = [AnswerParts(text, at, asked) for at, text in enumerate(answers)]
    pairs = [
        pair
        for at, one in enumerate(read)
        for other in read[at + 1 :]
        for pair in _compare(one, other, asked)
    ]
    if len(reports) == len(answers):
        for pair in _find_contradictions(reports, pairs):
            one, other = (read[said.answer or 0] for said in pair[1:])
            if not (asked.asks_some or asked.is_answered_alike(one, other)):
                pairs.append(pair)
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
    asked = Question(question)
    first, *others = (AnswerParts(text, at, asked) for at, text in enumerate(answers))
    return asked.asks_some or all(asked.is_answered_alike(first, other) for other in others)


def _find_contradictions(reports: Sequence[Report], known: Sequence[Pair]) -> list[Pair]:
    """Return what two answers say otherwise if the check of each finds that the other contradicts
    it: one direction alone is too often wrong. Answers that are ``known`` to differ are left
    out."""
    differing = {frozenset((one.answer, other.answer)) for _, one, other in known}
    found: dict[tuple[int, int], Said] = {}
    for at, report in enumerate(reports):
        samples = [source.id for source in report.sources if source.kind == "sample"]
        others = [index for index in range(len(reports)) if index != at]
        by_id = dict(zip(samples, others, strict=False))
        for mine, evidence in _read_evidence(at, report):
            if (other := by_id.get(evidence.source)) is not None:
                found.setdefault((at, other), mine)
    pairs: list[Pair] = []
    for (at, other), mine in found.items():
        both_ways = at < other and (other, at) in found
        if both_ways and frozenset((at, other)) not in differing:
            pairs.append(("wording", mine, found[other, at]))
    return pairs


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


def _compare(one: AnswerParts, other: AnswerParts, asked: Question) -> Iterator[Pair]:
    """Yield the differences of two answers."""
    if not (one.sentences and other.sentences):
        return
    if {asked.side(one), asked.side(other)} == {"yes", "no"}:
        yield "denial", _say(one.sentences[0]), _say(other.sentences[0])
        return
    found = list(_find_subjects(one, other, asked))
    for mine in one.sentences if not (found or asked.asks_some) else ():
        found += _compare_parts(mine, other, asked)
    if not found and asked.asks in ("name", "any") and _name_others(one, other, asked):
        found = [("wording", _say(one.sentences[0]), _say(other.sentences[0]))]
    yield from found or _compare_denials(one, other)


def _find_subjects(one: AnswerParts, other: AnswerParts, asked: Question) -> Iterator[Pair]:
    """Yield the two names that answers open with as subjects of the question's own verb, if they
    are others ("France won, beating Croatia", "Croatia won")."""
    said = []
    for answer in (one, other) if asked.asks == "name" else ():
        name, sentence = _first(answer, "name", asked), answer.sentences[0]
        if name is None or name not in sentence.parts or not sentence.repeats_verb(name.end):
            return
        said.append(_say(sentence, name))
    if said and name_words(said[0].text).isdisjoint(name_words(said[1].text)):
        yield "name", said[0], said[1]


def _name_others(one: AnswerParts, other: AnswerParts, asked: Question) -> bool:
    """Return True if two short answers say other words in place of what the question asks for:
    "Sodium." and "Na stands for nitrogen". Either is a word or two, or repeats the question."""
    firsts = one.sentences[0], other.sentences[0]
    rests = [first.terms - asked.words for first in firsts]
    short = 0 < min(map(len, rests)) <= 2 and max(map(len, rests)) <= OTHERS
    if not short or any(first.denies or any(p.value for p in first.parts) for first in firsts):
        return False
    stray = any(len(r) > 2 and r == first.terms for r, first in zip(rests, firsts, strict=True))
    return not (stray or other.has_name(rests[0]) or one.has_name(rests[1]))


def _compare_parts(mine: Sentence, other: AnswerParts, asked: Question) -> Iterator[Pair]:
    """Yield the values and names of a sentence in whose place the other answer has another."""
    for part in mine.parts:
        if asked.names(part) or asked.is_said(part, other):
            continue
        rivals = [
            (_weigh(mine, part, theirs, rival, asked), theirs, rival)
            for theirs in other.sentences
            for rival in theirs.parts
            if _are_rivals(part, rival)
            and not asked.names(rival)
            and not asked.is_said(rival, mine.answer)
        ]
        weight, theirs, rival = max(rivals, key=lambda one: one[0], default=(0.0, mine, part))
        if weight:
            yield part.kind, _say(mine, part), _say(theirs, rival)


def _are_rivals(part: Part, rival: Part) -> bool:
    if part.value is not None and rival.value is not None:
        return values.differ(part.value, rival.value)
    return part.kind == rival.kind and not values.same_name(part.text, rival.text)


def _weigh(mine: Sentence, part: Part, theirs: Sentence, rival: Part, asked: Question) -> float:
    """Return how surely two values stand in the same place, from 0 (they do not) to 2."""
    near, near_theirs = mine.words_near(part), theirs.words_near(rival)
    shared = _overlap(near, near_theirs)
    # What the question asks for stands in the first sentence that names anything of that kind.
    if _are_focus(mine, part, theirs, rival, asked) and _may_be_asked(part, mine, theirs, asked):
        return 1.0 + shared
    if part.kind == "name":
        return 0.0
    if not near and not near_theirs:
        return 0.0 if mine.words or theirs.words else 0.5
    enough = len(near & near_theirs) >= 2 or min(len(near), len(near_theirs)) < 2
    return shared if enough and shared >= ALIKE else 0.0


def _may_be_asked(part: Part, mine: Sentence, theirs: Sentence, asked: Question) -> bool:
    """Return True if a value may be what the question asks for. For an open question that is a
    measure in the first sentences, for years and dates are mentioned beside everything else, or a
    lone name there."""
    bare = asked.asks == "bare" and (mine.is_bare or theirs.is_bare)
    if not (asked.asks == "any" or bare):
        return asked.asks == part.kind
    if not (mine.first and theirs.first):
        return False
    if part.value is not None:
        return part.value.kind != "date"
    return all(sum(p.kind == "name" for p in one.parts) <= 2 for one in (mine, theirs))


def _are_focus(mine: Sentence, part: Part, theirs: Sentence, rival: Part, asked: Question) -> bool:
    """Return True if two parts are the first of their kind in their answers that the question
    lacks. In one of them what the other answer says too may come before it ("the book")."""
    one, other = mine.answer, theirs.answer
    if part is _first(one, part.kind, asked):
        return rival in (_first(other, part.kind, asked), _first(other, part.kind, asked, one))
    return rival is _first(other, part.kind, asked) and part is _first(one, part.kind, asked, other)


def _first(
    answer: AnswerParts, kind: str, asked: Question, beside: AnswerParts | None = None
) -> Part | None:
    """Return the first part of a kind that the question lacks, and the answer ``beside`` it."""
    parts = (part for sentence in answer.sentences for part in sentence.parts)
    found = (part for part in parts if part.kind == kind and not asked.names(part))
    return next((p for p in found if beside is None or not asked.is_said(p, beside)), None)


def _compare_denials(one: AnswerParts, other: AnswerParts) -> Iterator[Pair]:
    """Yield the sentences of which one denies what the other says."""
    for mine in one.sentences:
        for theirs in other.sentences:
            both, either = mine.terms & theirs.terms, mine.terms | theirs.terms
            alike = _overlap(mine.terms, theirs.terms) >= SAME_SENTENCE
            whole = len(both) >= max(3, ALIKE * len(either))
            if mine.denies != theirs.denies and alike and whole:
                yield "denial", _say(mine), _say(theirs)
                return


def _overlap(mine: frozenset[str], theirs: frozenset[str]) -> float:
    """Return the share of the words of the smaller set that the other has; 0 for an empty one."""
    return len(mine & theirs) / max(1, min(len(mine), len(theirs)))


def _say(sentence: Sentence, part: Part | None = None) -> Said:
    """Return what a sentence says: a part of it, or all of it."""
    answer, place = sentence.answer, part or sentence
    text = answer.text[part.start : part.end] if part else ""
    span = (place.start, place.end)
    return Said(answer=answer.index, text=text, quote=sentence.text, span=span)


def _join(pairs: Sequence[Pair]) -> Iterator[Difference]:
    """Yield the places that pairs of answers differ at: pairs that share a place are one."""
    places: list[tuple[Kind, list[Said], list[Pair]]] = []
    for pair in pairs:
        kind, *both = pair
        touching = [
            place
            for place in places
            if place[0] == kind and any(_is_same_place(a, b) for a in place[1] for b in both)
        ]
        said = [one for place in touching for one in place[1]]
        said += [new for new in both if not any(_is_same_place(new, old) for old in said)]
        joined = [one for place in touching for one in place[2]] + [pair]
        places = [place for place in places if place not in touching] + [(kind, said, joined)]
    for kind, said, joined in places:
        groups: list[list[Said]] = []
        voices: dict[int | None, Said] = {}
        # References first; an answer has one voice at one place.
        for one in sorted(said, key=lambda one: (one.answer is not None, one.answer, one.span)):
            voices.setdefault(one.answer, one)
        for one in voices.values():
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
        return is_denial(one.quote) == is_denial(other.quote)
    both = {one.answer, other.answer}
    return not any({mine.answer, theirs.answer} == both for _, mine, theirs in pairs)
