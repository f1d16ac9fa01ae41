"""Does a source support a claim, contradict it, or say nothing of it?

For each sentence of the message the nearest sentences of the source are aligned with it
(`halubot.compare.alignment`), and the differences are read (`halubot.compare.conflicts`). A fact
takes its stance from them: it is supported by a sentence that says all of its terms, contradicted
by one that fills a place of it otherwise, and else the source is silent on it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final

from halubot.compare.alignment import Alignment, align
from halubot.compare.conflicts import find_conflicts
from halubot.compare.multilingual import vocabulary_of
from halubot.compare.occurrences import is_elsewhere, is_of_another_time
from halubot.compare.proof import Claim, is_measure, is_needed
from halubot.compare.roles import roles_of
from halubot.compare.source_text import (
    WEIGHTS,
    Reach,
    Text,
    analyse_worded,
    bases_of,
    end_of,
    start_of,
)
from halubot.compare.stances import Beside, Compared, Difference, Finding, Stances, grade
from halubot.compare.tokens import Worded, with_tokens
from halubot.concurrency import go_on
from halubot.report import Fact
from halubot.text import Document, Span

SHARE: Final = 0.15
"""The least weight of a claim sentence that a sentence must hold to speak of the same."""


class Matcher:
    """Compares the facts and sentences of one message with other texts."""

    def __init__(self, message: Document, facts: Sequence[Fact], subject: str | None) -> None:
        text = with_tokens(message)
        self.message = message
        self.sentences = [
            analyse_worded(message, span, found, message.language)
            for span, found in zip(message.sentences, text.tokens, strict=True)
        ]
        self._claims = [self._claims_of(fact) for fact in facts]
        self._fuller = _list_fuller(self._claims)
        self._wholes = [
            (self._claim(number, range(len(sentence.terms)), (sentence.span,), None),)
            for number, sentence in enumerate(self.sentences)
        ]
        self._given = bases_of(subject or "")
        # The words of other languages are looked up here as if they were English ones.
        english = vocabulary_of(message.language) is None
        self._own = Text(text, "", analysed=self.sentences if english else ())
        self._kinds = [[WEIGHTS[term.kind] for term in one.terms] for one in self.sentences]
        # The index goes from words to places in the message: each source then looks up its own
        # words once, and a check stays linear in the length of all sources.
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
                    bisect_right(terms, start, key=end_of), bisect_left(terms, end, key=start_of)
                )
            }
            claim = self._claim(number, sorted(own), fact.spans, fact.parts.tail)
            found.append(claim._replace(roles=roles_of(fact, claim.terms, terms)))
        return tuple(found)

    def _claim(
        self, number: int, own: Sequence[int], spans: tuple[Span, ...], tail: Span | None
    ) -> Claim:
        sentence = self.sentences[number]
        needed = [
            one for one in own if is_needed(sentence.terms[one]) and not is_measure(sentence, one)
        ]
        return Claim(number, frozenset(own), frozenset(needed), spans, tail)

    def compare(
        self,
        other: Document | Worded,
        title: str = "",
        *,
        sample: bool = False,
    ) -> Compared:
        """Return what a text says of each fact and of each sentence. A ``sample`` was not chosen
        for the message, so it needs more to support a fact. Takes time linear in the length of
        the text; an empty text is silent on everything."""
        text = self.text(other, title, sample=sample)
        reach = self._reach(text)
        beside = [self._beside(number, text, reach[number]) for number in range(len(reach))]
        stances = Stances(self.message, self.sentences, beside, text, self._given | bases_of(title))
        facts = [stances.of_fact(claims, self._wholes) for claims in self._claims]
        facts = [self._follow(number, facts) for number in range(len(facts))]
        sentences = [stances.of(claims) for claims in self._wholes]
        return Compared(facts, sentences, [True] * len(facts))

    def _follow(self, number: int, facts: Sequence[Finding]) -> Finding:
        """Return the stance on a fact that follows from the others: a text that supports "a fee is
        due by 30 November" supports "a fee is due"."""
        own = facts[number]
        if own.stance == "silent" and own.claim is None:
            for other in self._fuller[number]:
                if facts[other].stance == "supports":
                    return facts[other]
        return own

    def _align(self, number: int, near: int, text: Text, reach: Reach) -> Alignment:
        """Return a sentence of the message beside one of a text, aligned once for all who ask."""
        known = text.aligned.get((number, near))
        if known is None:
            weights = self._weigh(number, text, reach)
            known = align(self.sentences[number], text.sentence(near), weights, reach)
            text.aligned[number, near] = known
        return known

    def _weigh(self, number: int, text: Text, reach: Reach) -> tuple[float, ...]:
        known = text.weighed.get(number)
        if known is None:
            known = text.weights(self.sentences[number], self._kinds[number], reach)
            text.weighed[number] = known
        return known

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
        # A long comparison runs on a thread that must stop when the check is cancelled.
        go_on()
        claim = self.sentences[number]
        weights = self._weigh(number, text, reach)
        near = text.nearest(reach, weights, claim.lows)
        alignments = [self._align(number, one, text, reach) for one in near]
        found = [one for one in alignments if one.share >= SHARE]
        found += self._by_clause(number, text, reach, found)
        return [self._compare(place, one, text) for place, one in enumerate(found)]

    def _by_clause(
        self,
        number: int,
        text: Text,
        reach: Reach,
        found: Sequence[Alignment],
    ) -> list[Alignment]:
        """Return the nearest sentences to those clauses of which the nearest to the whole sentence
        hold little: "..., and the building will cost 6 million"."""
        claim = self.sentences[number]
        more: dict[int, Alignment] = {}
        for clause in claim.long_clauses if found else ():
            if any(_holds_clause(one, clause) for one in found):
                continue
            weights = self._weigh(number, text, reach)
            own = tuple([w if i in clause else 0.0 for i, w in enumerate(weights)])
            words = tuple([one if i in clause else () for i, one in enumerate(reach)])
            for other in text.nearest(words, own, claim.lows)[:1]:
                alignment = self._align(number, other, text, reach)
                if _holds_clause(alignment, clause):
                    more[other] = alignment
        return list(more.values())

    def _compare(self, place: int, found: Alignment, text: Text) -> Beside:
        claim = found.claim
        differences = tuple(
            [
                Difference(
                    one,
                    text.lacks(claim.terms[one.term]),
                    self._own.lacks(found.source.terms[one.other]),
                    max(found.share, found.clause_share(one.term)),
                    place,
                    one.kind == "name" and found.source.is_taken_up(one.other),
                )
                for one in find_conflicts(found)
                if not is_elsewhere(found, one)
                and not (is_of_another_time(found, one) and not text.lacks(claim.terms[one.term]))
            ]
        )
        return Beside(found, differences, tuple(map(grade, differences)))


def _list_fuller(claims: Sequence[Sequence[Claim]]) -> list[list[int]]:
    """Return for each fact the facts of the same sentence and head that say all it says, and
    more."""
    in_sentence: dict[int, list[tuple[int, Claim]]] = {}
    for number, alternatives in enumerate(claims):
        for claim in alternatives:
            in_sentence.setdefault(claim.sentence, []).append((number, claim))
    fuller: list[list[int]] = [[] for _ in claims]
    for found in in_sentence.values():
        for number, claim in found:
            if claim.roles.head:
                fuller[number] += [
                    other
                    for other, theirs in found
                    if claim.terms < theirs.terms and claim.roles.head == theirs.roles.head
                ]
    return fuller


HELD: Final = 2
"""Words of a clause that a sentence must hold to speak of it, if they are half of its words."""


def _holds_clause(found: Alignment, clause: frozenset[int]) -> bool:
    words = [i for i in clause if found.claim.terms[i].kind == "word"]
    held = sum(found.pairs[i] >= 0 for i in words)
    return held >= HELD and 2 * held >= len(words)
