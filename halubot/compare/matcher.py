"""Does a source support a claim, contradict it, or say nothing of it?

For each sentence of the message the nearest sentences of the source are aligned with it
(`halubot.compare.alignment`), and the differences are read (`halubot.compare.conflicts`). A fact
takes its stance from them: it is supported by a sentence that says all of its terms, contradicted
by one that fills a place of it otherwise, and else the source is silent on it.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, KeysView, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final, Literal, NamedTuple

from halubot.compare.alignment import Alignment, align, is_same_value
from halubot.compare.analysis import NAMES_ALONE, UNREAD, Analysis, Term, analyse
from halubot.compare.conflicts import (
    Conflict,
    Kind,
    class_of,
    find_conflicts,
    is_elsewhere,
)
from halubot.compare.findings import OPPOSITE, Compared, Finding
from halubot.compare.multilingual import compares_words, read_sentence, vocabulary_of
from halubot.compare.proof import (
    COVERED,
    COVERED_BY_CHOSEN,
    COVERED_BY_SAMPLE,
    COVERED_WITH_ALL,
    WHOLLY,
    Claim,
    find_support,
    find_support_with_all,
    is_needed,
    names_thing,
    roles_of,
)
from halubot.compare.replacement import find_replacement
from halubot.compare.rivals import find_rivals, may_have_rivals
from halubot.compare.tokens import Token, Worded, tokens, with_tokens
from halubot.compare.value import Value
from halubot.compare.values import Key, keys
from halubot.compare.votes import Choice, Place, Rival, Votes
from halubot.concurrency import go_on
from halubot.report import Fact
from halubot.text import Document, Span

NEAREST: Final = 3
"""Sentences of a source that one sentence of the message is compared with."""

NEAREST_OF_SAMPLE: Final = 2
"""The same of a sample, of which there are several."""

LONGEST: Final = 150
"""Tokens of a sentence of a source; a longer one is compared in pieces."""

CHOSEN: Final = 2
"""Sentences of a reference that was chosen for the very claim: what it says otherwise counts."""

OPENING: Final = 5
"""Terms at the beginning of a text among which the names stand that it is about."""

COMMON: Final = 200
"""Sentences of a source that may hold a word by which others are found."""

MOST_SHARING: Final = 20
"""Sentences of a sample in which rivals of one sentence are looked for."""

SHARE: Final = 0.15
"""The least weight of a claim sentence that a sentence must hold to speak of the same."""

TOLD: Final = 300
"""Characters of a text that tell which language it is in, though the message is in another."""

WEIGHTS: Final = {"value": 1.5, "name": 1.5, "word": 1.0}


Grade = Literal["sure", "likely"]


class Difference(NamedTuple):
    """A conflict, and what the two texts around it tell: the claim's value or name is ``unseen``
    in the whole source, the source's one is ``foreign`` to the whole message. ``share`` is the
    weight of the claim sentence that is aligned, or of its clause, if that is more; ``place`` is
    the rank of the source sentence."""

    conflict: Conflict
    unseen: bool
    foreign: bool
    share: float
    place: int


class Beside(NamedTuple):
    """One sentence of the message beside one of a source, with what was found there and how much
    each difference weighs (`grade`)."""

    alignment: Alignment
    differences: tuple[Difference, ...]
    grades: tuple[Grade | None, ...]


Reach = Sequence[Sequence[str]]
"""For each term of a sentence those words of a text that may say the same."""


class Matcher:
    """Compares the facts and sentences of one message with other texts."""

    def __init__(self, message: Document, facts: Sequence[Fact], subject: str | None) -> None:
        text = with_tokens(message)
        self.message = message
        self.sentences = [
            _analyse(message, span, found, message.language)
            for span, found in zip(message.sentences, text.tokens, strict=True)
        ]
        self._claims = [self._claims_of(fact) for fact in facts]
        self._wholes = [
            (self._claim(number, range(len(sentence.terms)), (sentence.span,), None),)
            for number, sentence in enumerate(self.sentences)
        ]
        self._given = _bases(subject or "")
        self._own = Text(text, "")
        self._kinds = [[WEIGHTS[term.kind] for term in one.terms] for one in self.sentences]
        self._asked: dict[str, list[tuple[int, int]]] = {}
        for number, sentence in enumerate(self.sentences):
            for index, term in enumerate(sentence.terms):
                for word in (term.norm,) if term.value is not None else term.wide:
                    self._asked.setdefault(word, []).append((number, index))

    def _claims_of(self, fact: Fact) -> tuple[Claim, ...]:
        found = []
        for number in fact.sentences:
            terms = self.sentences[number].terms
            own = {
                index
                for start, end in fact.spans
                for index in range(
                    bisect_right(terms, start, key=_end), bisect_left(terms, end, key=_start)
                )
            }
            claim = self._claim(number, sorted(own), fact.spans, fact.parts.tail)
            found.append(claim._replace(roles=roles_of(fact, claim.terms, terms)))
        return tuple(found)

    def _claim(
        self, number: int, own: Sequence[int], spans: tuple[Span, ...], tail: Span | None
    ) -> Claim:
        terms = self.sentences[number].terms
        needed = [one for one in own if is_needed(terms[one])]
        return Claim(number, frozenset(own), frozenset(needed), spans, tail)

    def compare(
        self,
        other: Document | Worded,
        title: str = "",
        *,
        sample: bool = False,
        votes: Votes | None = None,
    ) -> Compared:
        """Return what a text says of each fact and of each sentence. A ``sample`` was not chosen
        for the message, so it needs more to support a fact; what it has instead of what no sample
        has is counted in ``votes``. Takes time linear in the length of the text; an empty text is
        silent on everything."""
        text = self.text(other, title, sample=sample)
        reach = self._reach(text)
        beside = [self._beside(number, text, reach[number]) for number in range(len(reach))]
        stances = _Stances(self.message, self.sentences, beside, text, self._given | _bases(title))
        facts = [stances.of_fact(claims, self._wholes) for claims in self._claims]
        sentences = [stances.of(claims) for claims in self._wholes]
        if votes is not None:
            self._vote(text, reach, votes)
        return Compared(facts, sentences, [True] * len(facts))

    def votes(self) -> Votes:
        """Return an empty count of what samples have in the place of terms of this message."""
        return Votes(
            (number, index)
            for number, sentence in enumerate(self.sentences)
            for index, term in enumerate(sentence.terms)
            if may_have_rivals(term, len(sentence.runs[term.run]))
        )

    def _vote(self, text: Text, reach: Sequence[Reach], votes: Votes) -> None:
        held = {one for one in votes.places if not text.lacks(self._term(one))}
        asked: dict[int, list[int]] = {}
        for number, index in votes.places:
            if (number, index) not in held:
                asked.setdefault(number, []).append(index)
        found = [
            one
            for number, indexes in asked.items()
            for one in self._rivals(number, indexes, text, reach[number])
        ]
        votes.count(held, found)

    def _term(self, place: Place) -> Term:
        number, index = place
        return self.sentences[number].terms[index]

    def _rivals(
        self, number: int, indexes: Sequence[int], text: Text, reach: Reach
    ) -> Iterator[tuple[Place, Rival]]:
        claim = self.sentences[number]
        weights = text.weights(claim, self._kinds[number], reach)
        classes = {class_of(claim.terms[index]) for index in indexes}
        plain, other = self.message.plain, text.document.plain
        for near in text.sharing(reach):
            if classes.isdisjoint(map(class_of, text.sentence(near).terms)):
                continue
            found = align(claim, text.sentence(near), weights, reach)
            for index in indexes:
                for rival in find_rivals(found, index, plain, other):
                    if self._own.lacks(rival.term):
                        yield (number, index), rival

    def touched(self, place: Place) -> list[int]:
        """Return the facts that hold a term."""
        number, index = place
        return [
            fact
            for fact, claims in enumerate(self._claims)
            if any(one.sentence == number and index in one.terms for one in claims)
        ]

    def elected(self, choice: Choice, sample: int, source: str) -> Finding:
        """Return what a sample says that has what most samples have. ``source`` is its text."""
        term, rival = self._term(choice.place), choice.rivals[sample]
        start, end = rival.span
        written = source[start:end]
        return Finding(
            "contradicts",
            1 + rival.context * rival.share,
            *rival.near,
            value=written,
            note=f"says {written}",
            value_start=start,
            value_end=end,
            lacking=True,
            claim=(term.start, term.end),
            near=rival.near,
        )

    def text(self, other: Document | Worded, title: str = "", *, sample: bool = False) -> Text:
        """Return a text made ready to be compared with this message."""
        language = self.message.language
        return Text(with_tokens(other), title, sample=sample, asked=self._asked, language=language)

    def _reach(self, text: Text) -> list[Reach]:
        found: list[list[tuple[str, ...]]] = [[()] * len(one.terms) for one in self.sentences]
        for word in text.words() & self._asked.keys():
            for number, index in self._asked[word]:
                found[number][index] += (word,)
        return list(found)

    def beside(self, number: int, text: Text) -> list[Beside]:
        """Return the nearest sentences of a text to one of the message, the nearest first."""
        return self._beside(number, text, self._reach(text)[number])

    def _beside(self, number: int, text: Text, reach: Reach) -> list[Beside]:
        go_on()
        claim = self.sentences[number]
        weights = text.weights(claim, self._kinds[number], reach)
        found = []
        for place, near in enumerate(text.nearest(reach, weights, claim.lows)):
            alignment = align(claim, text.sentence(near), weights, reach)
            if alignment.share < SHARE:
                break
            differences = tuple(
                [
                    Difference(
                        one,
                        text.lacks(claim.terms[one.term]),
                        self._own.lacks(alignment.source.terms[one.other]),
                        max(alignment.share, alignment.clause_share(one.term)),
                        place,
                    )
                    for one in find_conflicts(alignment)
                    if not is_elsewhere(alignment, one)
                ]
            )
            found.append(Beside(alignment, differences, tuple(map(grade, differences))))
        return found


class Text:
    """A source made ready to be compared with: its sentences under their words, or under those
    of their words that are ``asked`` for."""

    def __init__(
        self,
        text: Worded,
        title: str = "",
        *,
        sample: bool = False,
        asked: Mapping[str, object] | None = None,
        language: str = "und",
    ) -> None:
        self.title = title
        own = text.document.language
        # What language a few words are in is a guess: a short text, or one beside English, is read
        # in the language of the message.
        told = own != "und" and len(text.document.plain) >= TOLD
        self._language = own if told and vocabulary_of(language) is not None else language
        self.compared = NEAREST_OF_SAMPLE if sample else NEAREST
        few = len(text.document.sentences) <= CHOSEN
        self.chosen = not sample and few and (own in ("und", language) or language == "und")
        self.covered = (
            COVERED_BY_SAMPLE if sample else COVERED_BY_CHOSEN if self.chosen else COVERED
        )
        self.document = text.document
        self._spans, self._tokens = _cut_text(text)
        self._sentences: dict[int, Analysis] = {}
        self._where: dict[str, list[int]] = {}
        self._values: list[Value] = []
        self._marked: dict[Key | None, list[Value]] = {}
        self._lacking: dict[tuple[str, str], bool] = {}
        for number in range(len(self._spans)):
            sentence = self.sentence(number)
            bases = sentence.places.keys()
            for base in bases if asked is None else bases & asked.keys():
                self._where.setdefault(base, []).append(number)
            for index in sentence.values:
                self._add(number, sentence.terms[index])

    def _add(self, number: int, term: Term) -> None:
        """Note a value of a sentence."""
        if term.value is None:
            return
        places = self._where.setdefault(term.norm, [])
        if not places or places[-1] != number:
            places.append(number)
        for value in (term.value, *(term.value.ends or ())):
            self._values.append(value)
            for mark in keys(value, asked=False) or (None,):
                self._marked.setdefault(mark, []).append(value)

    @cached_property
    def topic(self) -> frozenset[str]:
        """The words of the names that open the text: its other sentences may leave them out."""
        opening = self.sentence(0).terms[:OPENING] if self._spans else ()
        return frozenset[str]().union(*[term.bases for term in opening if term.kind == "name"])

    def words(self) -> KeysView[str]:
        """Return the base forms and values of the whole text."""
        return self._where.keys()

    def sentence(self, number: int) -> Analysis:
        """Return the analysis of one sentence."""
        known = self._sentences.get(number)
        if known is None:
            before = self._sentences.get(number - 1)
            span, found = self._spans[number], self._tokens[number]
            known = _analyse(self.document, span, found, self._language, before)
            self._sentences[number] = known
        return known

    def lacks(self, term: Term) -> bool:
        """Return True if the text nowhere holds a term."""
        key = (term.kind, term.low)
        known = self._lacking.get(key)
        if known is None:
            known = self._lacking[key] = self._lacks(term)
        return known

    def _lacks(self, term: Term) -> bool:
        if term.value is not None:
            parts = term.value.ends or (term.value,)
            return term.norm not in self._where and not all(map(self._holds, parts))
        return self._where.keys().isdisjoint(term.wide if term.kind == "name" else term.bases)

    def _holds(self, value: Value) -> bool:
        """Return True if the text has a value, looked up by its marks (`values.keys`)."""
        marks = keys(value, asked=True)
        if marks is None:
            found: Iterable[Value] = self._values
        else:
            found = (one for mark in (*marks, None) for one in self._marked.get(mark, ()))
        return any(is_same_value(value, other) for other in found)

    def weights(self, claim: Analysis, kinds: Sequence[float], reach: Reach) -> tuple[float, ...]:
        """Return the weights of a claim's terms, which add up to 1: the rarer in the text the
        heavier, names and values heavier than words. ``kinds`` are the weights of their kinds."""
        size, where = len(self._spans) + 1, self._where
        unheard = math.log(1 + size)
        raw = [kind * unheard for kind in kinds]
        for index, words in enumerate(reach):
            if not words:
                continue
            term = claim.terms[index]
            own = words if term.value is not None else term.bases.intersection(words)
            held = max([len(where[word]) for word in own], default=0)
            raw[index] = kinds[index] * math.log(1 + size / (1 + held))
        whole = sum(raw) or 1.0
        return tuple([one / whole for one in raw])

    def sharing(self, reach: Reach) -> list[int]:
        """Return the numbers of the sentences that share a word with a claim, the first ones."""
        found = {number for words in reach for word in words for number in self._where[word]}
        return sorted(found)[:MOST_SHARING]

    def nearest(self, reach: Reach, weights: tuple[float, ...], lows: tuple[str, ...]) -> list[int]:
        """Return the numbers of the sentences that hold most of a claim's weight. Words that very
        many sentences hold bring in no new ones, or time would grow with the square. Of a short
        text in a language without a lexicon it returns all: two words may be one there."""
        if self.chosen and vocabulary_of(self._language) is not None:
            return list(range(len(self._spans)))
        held: dict[int, float] = {}
        asked = [(words, weight) for words, weight in zip(reach, weights, strict=True) if words]
        asked.sort(key=lambda one: sum(len(self._where[word]) for word in one[0]))
        for words, weight in asked:
            found: Iterable[int] = self._where[words[0]]
            if len(words) > 1:
                found = set(found).union(*[self._where[word] for word in words[1:]])
            if len(found) > COMMON:  # type: ignore[arg-type]
                among = held or range(COMMON)
                found = [n for n in among if any(self._has(word, n) for word in words)]
            for number in found:
                held[number] = held.get(number, 0.0) + weight
        # Of sentences with the same words the very same one is the nearest: "not born in Lund".
        best = sorted(held, key=lambda n: (-held[n], self.sentence(n).lows != lows, n))
        return best[: self.compared]

    def _has(self, word: str, number: int) -> bool:
        places = self._where[word]
        at = bisect_left(places, number)
        return at < len(places) and places[at] == number


def _analyse(
    document: Document,
    span: Span,
    found: tuple[Token, ...],
    language: str,
    before: Analysis | None = None,
) -> Analysis:
    """Return the analysis of a sentence by the tables of its language, else by those of English."""
    go_on()
    known = vocabulary_of(language)
    if known is None:
        read = analyse(document, span, found, before)
        return read if compares_words(language) else replace(read, grammar=NAMES_ALONE)
    return read_sentence(document, span, known, before)


def _cut_text(text: Worded) -> tuple[list[Span], list[tuple[Token, ...]]]:
    """Return the sentences of a text and their tokens, the longest cut into pieces: aligning two
    sentences takes time in the product of their lengths."""
    spans, parts = list[Span](), list[tuple[Token, ...]]()
    for (start, end), found in zip(text.document.sentences, text.tokens, strict=True):
        for first in range(0, max(1, len(found)), LONGEST):
            part, rest = (
                found[first : first + LONGEST],
                found[first + LONGEST : first + LONGEST + 1],
            )
            spans.append((found[first].start if first else start, rest[0].start if rest else end))
            parts.append(part)
    return spans, parts


def _start(term: Term) -> int:
    return term.start


def _end(term: Term) -> int:
    return term.end


def _bases(text: str) -> frozenset[str]:
    found = frozenset[str]()
    for token in tokens(text, 0, len(text)):
        if token.kind != "stop":
            found |= {token.norm, token.text.lower()}
    return found


class Need(NamedTuple):
    """What a difference of one kind needs to be a contradiction: how much of its surroundings and
    of its sentence is aligned. Of several any one is enough."""

    context: float
    share: float


NEEDS: Final[dict[Kind, tuple[Need, ...]]] = {
    "value": (Need(0.15, 0.2),),
    "unit": (Need(0.0, 0.2),),
    "name": (Need(0.45, 0.25),),
    "opposite": (Need(0.15, 0.3),),
    "noun": (Need(0.6, 0.5),),
    "polarity": (Need(0.6, 0.5), Need(0.4, 0.6)),
    "modal": (Need(0.3, 0.3),),
    "quantity": (Need(0.4, 0.4),),
    "link": (Need(0.15, 0.3),),
    "roles": (Need(0.0, 0.4),),
    "cause": (),
}
IN_SLOT: Final[dict[Kind, tuple[Need, ...]]] = {
    "name": (Need(0.1, 0.25),),
    "noun": (Need(0.5, 0.5),),
}
"""The same if one preposition leads to both sides."""

SEEN: Final[dict[Kind, tuple[Need, ...]]] = {
    "value": (Need(0.8, 0.7),),
    "name": (Need(0.8, 0.7),),
}
"""The same if one side stands elsewhere in the other text too."""

LIKELY: Final[dict[Kind, tuple[Need, ...]]] = {
    "value": (Need(0.0, 0.15),),
    "unit": (Need(0.0, 0.15),),
    "name": (Need(0.0, 0.2),),
    "opposite": (Need(0.0, 0.15),),
    "noun": (Need(0.1, 0.25),),
    "polarity": (Need(0.3, 0.35),),
    "modal": (Need(0.1, 0.2),),
    "quantity": (Need(0.15, 0.25),),
    "link": (Need(0.0, 0.3),),
    "roles": (Need(0.0, 0.3),),
    "cause": (Need(0.6, 0.2),),
}
"""What a difference needs to cast doubt, if it is no contradiction."""

UNSEEN: Final[frozenset[Kind]] = frozenset({"value", "unit", "name", "opposite", "noun"})
"""Kinds of which neither side may stand in the other text: what a text says elsewhere is seldom
what it denies here. Measured on everyday text, this parts right marks from wrong ones best."""


def grade(difference: Difference) -> Grade | None:
    """Return "sure" for a contradiction, "likely" for a difference that casts doubt."""
    conflict = difference.conflict
    needs, likely = NEEDS[conflict.kind], LIKELY[conflict.kind]
    if conflict.kind in UNSEEN and not (difference.unseen and difference.foreign):
        needs, likely = SEEN.get(conflict.kind, ()), ()
        if conflict.kind == "value" and conflict.alike and difference.unseen:
            likely = (Need(0.3, 0.2),)
    elif conflict.slot:
        needs += IN_SLOT.get(conflict.kind, ())
    if _meets(difference, needs):
        return "sure"
    return "likely" if _meets(difference, likely) else None


def _meets(difference: Difference, needs: Sequence[Need]) -> bool:
    context, share = difference.conflict.context, difference.share
    return any(context >= need.context and share >= need.share for need in needs)


def holds(difference: Difference) -> bool:
    """Return True if a difference is a contradiction."""
    return grade(difference) == "sure"


class _Stances:
    """The stances of one text on claims. ``beside`` holds what stands beside each sentence of the
    message, ``given`` the words that a claim need not say: those of the subject and the title."""

    def __init__(
        self,
        message: Document,
        sentences: Sequence[Analysis],
        beside: Sequence[Sequence[Beside]],
        text: Text,
        given: frozenset[str],
    ) -> None:
        self._message = message
        self._sentences = sentences
        self._beside = beside
        self._text = text
        self._given = given | text.topic
        self._lacking: dict[int, list[int]] = {}

    def of_fact(self, claims: Sequence[Claim], wholes: Sequence[Sequence[Claim]]) -> Finding:
        """Return the stance on a fact. A source that is silent on it by its words supports it if it
        says the whole sentence and nothing in it otherwise."""
        found = self.of(claims)
        if found.stance != "silent" or found.claim is not None:
            return found
        for claim in claims:
            beside = self._beside[claim.sentence]
            if any("sure" in one.grades for one in beside):
                continue
            equal = [one.alignment for one in beside if not one.differences]
            (whole,), sentence = wholes[claim.sentence], self._sentences[claim.sentence]
            place = find_support_with_all(claim, whole, sentence, equal, self._given)
            if place is not None:
                return Finding("supports", COVERED_WITH_ALL, *place, note="says nearly so")
        return found

    def of(self, claims: Sequence[Claim]) -> Finding:
        """Return the stance on a fact, whose claims in several sentences are alternatives."""
        best: tuple[float, Grade, Conflict, Beside] | None = None
        partly: Span | None = None
        for claim in claims:
            free = []
            for one in self._beside[claim.sentence]:
                touching = False
                for difference, graded in zip(one.differences, one.grades, strict=True):
                    conflict = difference.conflict
                    if not _touches(conflict, claim):
                        continue
                    if _is_of_other_end(one.alignment, conflict, claim.tail):
                        continue
                    touching = True
                    if graded is None:
                        continue
                    strength = (graded == "sure") + conflict.context * one.alignment.share
                    if best is None or strength > best[0]:
                        best = strength, graded, conflict, one
                if not touching:
                    free.append(one.alignment)
            sentence = self._sentences[claim.sentence]
            place = find_support(claim, sentence, free, self._given, WHOLLY)
            if place is not None:
                return Finding("supports", 1.0, *place, note="says so too")
            partly = partly or find_support(claim, sentence, free, self._given, self._text.covered)
        # What says nearly all of a claim supports it unless another sentence says otherwise.
        if partly is not None and (best is None or best[1] != "sure"):
            return Finding("supports", self._text.covered, *partly, note="says nearly so")
        if best is not None:
            return self._otherwise(*best)
        return self._silence(claims)

    def _otherwise(
        self, strength: float, graded: Grade, conflict: Conflict, beside: Beside
    ) -> Finding:
        """Return what a text says that differs from a claim: a contradiction if that is sure."""
        alignment, document = beside.alignment, self._text.document
        found = find_replacement(alignment, conflict, self._message.plain, document.plain)
        claim, (start, end) = found or (conflict.claim, conflict.source)
        written = document.text[start:end]
        replaces = found is not None
        return Finding(
            "contradicts" if graded == "sure" else "silent",
            strength,
            *alignment.source.span,
            value=written if replaces else None,
            note=OPPOSITE if conflict.kind == "polarity" else f"says {written}",
            value_start=start if replaces else 0,
            value_end=end if replaces else 0,
            lacking=conflict.kind in UNSEEN,
            claim=claim,
            near=alignment.source.span,
        )

    def _silence(self, claims: Sequence[Claim]) -> Finding:
        """Return what a text that neither supports nor contradicts a fact lacks of it."""
        near = next((one[0].alignment for c in claims if (one := self._beside[c.sentence])), None)
        lacking = [
            self._sentences[claim.sentence].terms[index]
            for claim in claims
            for index in self._lacking_of(claim.sentence)
            if index in claim.terms
        ]
        if self._text.chosen and near is not None:
            for claim in claims:
                beside = self._beside[claim.sentence]
                place = _find_replaced(claim, beside[0].alignment) if beside else None
                if place is not None:
                    span = near.source.span
                    return Finding("silent", near.share, lacking=True, near=span, claim=place)
        absent = next(iter(lacking), None) if near is not None else None
        return Finding(
            "silent",
            near.share if near else 0.0,
            lacking=bool(lacking),
            near=near.source.span if near else None,
            absent=(absent.start, absent.end) if absent else None,
        )

    def _lacking_of(self, number: int) -> list[int]:
        """The values and names of a sentence that the text lacks."""
        known = self._lacking.get(number)
        if known is None:
            known = self._lacking[number] = [
                index
                for index, term in enumerate(self._sentences[number].terms)
                if term.kind != "word"
                and term.bases.isdisjoint(self._given)
                and self._text.lacks(term)
            ]
        return known


def _find_replaced(claim: Claim, found: Alignment) -> Span | None:
    """The place of a claim's word in whose place a short reference has another one."""
    if found.share < REPLACED or not found.claim.grammar.words:
        return None
    terms, others = found.claim.terms, found.source.terms
    for index in sorted(claim.terms):
        term = terms[index]
        if term.kind != "word" or found.pairs[index] >= 0 or not _is_specific(term):
            continue
        for pair, other in enumerate(others):
            rival = other.kind == "word" and found.back[pair] < 0
            rival = rival and (names_thing(other) or not names_thing(term))
            if rival and found.context(index, pair) >= REPLACED_CONTEXT:
                return term.start, term.end
    return None


REPLACED: Final = 0.4
REPLACED_CONTEXT: Final = 0.4


def _is_specific(term: Term) -> bool:
    """Return False for a word that is both a noun and a verb, which paraphrases exchange most, and
    for one of which no part of speech is known."""
    return term.lore.parts not in ({"n", "v"}, UNREAD)


def _touches(conflict: Conflict, claim: Claim) -> bool:
    start, end = conflict.claim
    return conflict.term in claim.terms or any(
        first < end and start < last for first, last in claim.spans
    )


def _is_of_other_end(found: Alignment, conflict: Conflict, tail: Span | None) -> bool:
    """Return True if the tail of a claim is one end of a range, and the source agrees with it: the
    birth of "(1815-1853)" beside "born in 1815, died in 1852"."""
    range_ = found.claim.terms[conflict.term].value
    if range_ is None or range_.ends is None or tail is None:
        return False
    held = [one for one in range_.ends if tail[0] < one.end and one.start < tail[1]]
    theirs = [found.source.terms[j].value for j in found.source.values]
    return len(held) == 1 and any(is_same_value(held[0], one) for one in theirs if one)
