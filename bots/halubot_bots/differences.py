"""Differences between answers to one question: other values, other names, denials, other wording.

Two answers are compared sentence by sentence. A difference needs a place that both speak of: the
same words around two values or names, or what the question asks for; else it is the two sentences
that contradict each other most. Whether answers differ is one learned decision from a few signals
(`decision.json`, which `training/differences.py` writes with the measurement behind it).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from importlib import resources
from itertools import combinations
from typing import Final, Literal

from halubot import values
from halubot.report import Evidence, Frozen, Report, Span
from halubot.verifier import choose_verifier, judge
from halubot.verifier.signals import odds
from halubot_bots.answer_parts import DAYS, AnswerParts, Part, Question, Sentence, name_words

Kind = Literal["value", "name", "denial", "wording"]

_DECISION: Final = json.loads(
    (resources.files("halubot_bots") / "decision.json").read_text(encoding="utf-8")
)

ANSWERS: Final = 8
"""Answers to one question that are compared, each with each."""

NEAREST: Final = 8
"""Pairs of sentences that are judged to find the one that contradicts most."""

_ARTICLE: Final = re.compile(r"(?i)\b(?:d(?:er|ie|as|e[mns])|eine?[mnrs]?) $")

ALIKE: Final = 0.5
"""The share of the words of the shorter sentence that both must have around two values."""


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

    ``reports`` are those of the answers, each checked with the others as its samples, all in order:
    what they find counts too. Raises LocalModelError if the verifier cannot be loaded.
    """
    asked = Question(question)
    read = [AnswerParts(text, at, asked) for at, text in enumerate(answers)]
    pairs = [pair for two in combinations(read, 2) for pair in _compare(*two, asked)]
    if len(reports) == len(answers):
        for pair in _find_contradictions(reports, pairs):
            one, other = (read[said.answer or 0] for said in pair[1:])
            if not (asked.asks_some or asked.is_answered_alike(one, other)):
                pairs.append(pair)
        pairs += [pair for at, report in enumerate(reports) for pair in _find_rebuttals(at, report)]
    return tuple(_join(pairs))


def differing_from_others(report: Report) -> tuple[Difference, ...]:
    """Return the places at which a checked text differs from what the first other answers agree on:
    somebody may give a thousand."""
    others = [source.text or "" for source in report.sources if source.kind == "sample"]
    question = report.question.text if report.question else ""
    found = find_differences([report.text, *others][:ANSWERS], question)
    settled = (one for one in found if 0 in one.answers and one.settled)
    return tuple(one for one in settled if all(said.answer for said in one.settled))


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
    return [
        ("wording", mine, found[other, at])
        for (at, other), mine in found.items()
        if at < other and (other, at) in found and frozenset((at, other)) not in differing
    ]


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


def compare(
    one: AnswerParts, other: AnswerParts, asked: Question
) -> tuple[dict[str, float], list[Pair]]:
    """Return the signals of two answers that have a sentence each, by name, and the places at which
    they may differ. Raises LocalModelError."""
    sides = asked.side(one), asked.side(other)
    opposed = set(sides) == {"yes", "no"}
    subjects = [(1.0, pair) for pair in _find_subjects(one, other, asked)]
    parts = [place for mine in one.sentences for place in _compare_parts(mine, other, asked)]
    contradiction, entailment = 0.0, -2.0  # without a verifier
    if choose_verifier(None) is not None:
        there, back = judge([(one.text, other.text), (other.text, one.text)])
        contradiction = (odds(there.contradiction) + odds(back.contradiction)) / 2
        entailment = odds(max(there.entailment, back.entailment))
    weights = {"value": 0.0, "name": 0.0}
    for weight, pair in (*subjects, *parts):
        weights[pair[0]] = max(weights[pair[0]], weight)
    signals = {
        "one says yes, the other no": float(opposed),
        "both say yes, or both no": float(sides[0] == sides[1] != ""),
        "how surely another value stands in the same place": weights["value"],
        "another name in the same place": float(weights["name"] > 0),
        "both say the value or name that is asked for": float(asked.is_answered_alike(one, other)),
        "the question asks for yes or no": float(asked.is_closed),
        "log-odds of contradiction, the mean of both directions": contradiction,
        "log-odds of entailment, the higher of both directions": entailment,
    }
    if opposed:
        return signals, [("denial", _say(one.sentences[0]), _say(other.sentences[0]))]
    return signals, [pair for _, pair in subjects or parts]


def _compare(one: AnswerParts, other: AnswerParts, asked: Question) -> list[Pair]:
    """Return the differences of two answers."""
    if not (one.sentences and other.sentences) or one.text == other.text:
        return []
    signals, pairs = compare(one, other, asked)
    if asked.asks_some and not any(pair[0] == "denial" for pair in pairs):
        return []
    score = sum(_DECISION["weights"][name] * signal for name, signal in signals.items())
    if score + _DECISION["bias"] <= 0 or not (pairs or choose_verifier(None)):
        return []
    return pairs or [_most_contradicting(one, other)]


def _most_contradicting(one: AnswerParts, other: AnswerParts) -> Pair:
    """Return the sentences that contradict each other most, of those with most words in common;
    the first ones if none do."""
    pairs = [(mine, theirs) for mine in one.sentences for theirs in other.sentences]
    near = sorted(pairs[1:], key=lambda pair: -_overlap(pair[0].terms, pair[1].terms))
    pairs = [pairs[0], *near[:NEAREST]]
    there = judge([(mine.text, theirs.text) for mine, theirs in pairs])
    back = judge([(theirs.text, mine.text) for mine, theirs in pairs])
    scores = [a.contradiction + b.contradiction for a, b in zip(there, back, strict=True)]
    mine, theirs = pairs[scores.index(max(scores))]
    return "wording", _say(mine), _say(theirs)


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


def _compare_parts(
    mine: Sentence, other: AnswerParts, asked: Question
) -> Iterator[tuple[float, Pair]]:
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
            yield weight, (part.kind, _say(mine, part), _say(theirs, rival))


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
    if part.kind == "name":  # but another day is another time
        days = asked.asks == "value" and {part.text.casefold(), rival.text.casefold()} <= DAYS
        return 1.0 + shared if days else 0.0
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
    """Return the first part of a kind that the question lacks, and the answer ``beside`` it; of the
    names of a sentence rather one without an article: German nouns have capitals, too."""
    for sentence in answer.sentences:
        parts = (p for p in sentence.parts if p.kind == kind and not asked.names(p))
        if found := [p for p in parts if beside is None or not asked.is_said(p, beside)]:
            text = answer.text if kind == "name" and not asked.asks_kind else ""
            return min(found, key=lambda p: bool(_ARTICLE.search(text[: p.start])))
    return None


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
            alike = (g for g in groups if all(_says_same(kind, o, one, joined) for o in g))
            group = next(alike, None)
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
    both = {one.answer, other.answer}
    apart = any({mine.answer, theirs.answer} == both for _, mine, theirs in pairs)
    if kind == "name" and not values.same_name(one.text, other.text):
        # "Rembrandt" and "Rembrandt van Rijn" were not found to differ.
        return not (apart or name_words(one.text).isdisjoint(name_words(other.text)))
    return kind == "name" or not apart
