"""The stance of a source on each claim of a message, as the verifier and the exact values give it.

The claims are the clauses of a message; a fact has the stance of the clause that holds it, a
sentence that of all its clauses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from halubot.compare.matcher import Matcher
from halubot.compare.negation import NEGATION
from halubot.compare.stances import Finding as Aligned
from halubot.compare.tokens import Worded, tokens
from halubot.concurrency import go_on
from halubot.report import Fact, Stance
from halubot.text import Document, Span
from halubot.values import find
from halubot.values.agreement import is_said
from halubot.verifier.calibration import Shares, load_calibration
from halubot.verifier.encoder import Verifier
from halubot.verifier.reading import SAME, MessageReader
from halubot.verifier.signals import FAMILIES, LATER, SIGNALS, Read, Signals, replaced, signals_of
from halubot.verifier.windows import NEAREST, SourceText

SAYS_SO: Final = "says so"
OTHERWISE: Final = "says otherwise"

SILENT_SHARES: Final = Shares(0.0, 1.0, 0.0)
ALL_SUPPORT: Final = Shares(0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Finding:
    """What one source says of a fact or a sentence.

    ``strength`` is the probability of its stance, for a silent source the share of the words that
    its nearest sentence has; both in [0, 1]. ``start`` and ``end`` are its quote, ``value`` the
    words that stand there in the place of ``claim``, words of the message; ``near`` is the
    nearest sentence. ``lacking`` says that the source nowhere has some value or name,
    ``absent``. ``note`` is for people.
    """

    stance: Stance
    strength: float
    start: int = 0
    end: int = 0
    value: str | None = None
    note: str = ""
    lacking: bool = False
    near: Span | None = None
    absent: Span | None = None
    claim: Span | None = None
    shares: Shares = SILENT_SHARES


UNNAMED: Final = Finding("silent", 0.0, lacking=True)
"""What a passage says of a fact that it does not name."""


class Compared(NamedTuple):
    """The stances of one source on each fact of a message and on each of its sentences."""

    facts: list[Finding]
    sentences: list[Finding]


class Clause(NamedTuple):
    """One clause beside one source: its place, its signals, its shares, and what follows."""

    span: Span
    read: Read
    signals: Signals
    shares: Shares
    exact: bool
    near: Span | None
    aligned: Aligned | None

    @property
    def lean(self) -> float:
        """Return how far the source leans against the clause, from -1 to 1."""
        return self.shares.contradicts - self.shares.supports


class Comparer:
    """Compares sources with one message. Without a verifier only words and values are compared.

    ``cut`` are the sentences for which there were too many pairs to judge.
    """

    def __init__(
        self, message: Document, facts: Sequence[Fact], verifier: Verifier | None = None
    ) -> None:
        self.message = message
        self.facts = tuple(facts)
        self._reader = MessageReader(message, verifier)
        self._verifier = verifier
        self._matcher = Matcher(message, facts, None)
        self._touching = self._touched()
        self.calibration = load_calibration(verifier=verifier is not None)
        self._places = [self._clauses_of(fact) for fact in self.facts]
        covered = {place for places in self._places for place in places}
        self.factless = {
            sentence
            for sentence, units in enumerate(self._reader.units)
            for number in range(len(units[1:] or units))
            if (sentence, number) not in covered
        }
        """The sentences of which a clause holds no fact."""

    @property
    def cut(self) -> set[int]:
        """The sentences that were not read for want of room."""
        return self._reader.cut

    def compare(self, source: Worded, *, sample: bool = False) -> Compared:
        """Return what a source says. A silent source is no evidence either way.

        Raises LocalModelError if the verifier fails.
        """
        text = SourceText(source)
        clauses = self.clauses(text, briefly=sample)
        found = [[self._finding(one, text, sample=sample) for one in held] for held in clauses]
        return Compared(
            [self._of_fact(at, clauses, found, text) for at in range(len(self.facts))],
            [
                _together(held, of_sentence)
                for held, of_sentence in zip(clauses, found, strict=True)
            ],
        )

    def clauses(self, text: SourceText, *, briefly: bool = False) -> list[list[Clause]]:
        """Return each clause of each sentence beside a source; none of a sentence not read."""
        read = [self._signals(reads, text) for reads in self._reader.read(text, briefly=briefly)]
        proofs = iter(self._prove([pair for held in read for pair in held], text))
        aligned = self._matcher.compare(text.worded, sample=briefly).facts
        return [
            [
                self._clause(one, signals, next(proofs), text, self._aligned((at, n), aligned))
                for n, (one, signals) in enumerate(held)
            ]
            for at, held in enumerate(read)
        ]

    def _aligned(self, place: tuple[int, int], found: Sequence[Aligned]) -> list[Aligned]:
        """Return what aligned words say of the facts that a clause touches."""
        return [found[at] for at in self._touching.get(place, ())]

    def _signals(self, reads: Sequence[Read], text: SourceText) -> list[tuple[Read, Signals]]:
        # A long comparison runs on a thread that must stop when the check is cancelled.
        go_on()
        if not reads or not all(one.windows for one in reads):
            return []
        clauses = reads[1:] or reads
        return [
            (one, signals_of(self.message.plain, one, reads[0], clauses, text)) for one in clauses
        ]

    def _prove(self, read: Sequence[tuple[Read, Signals]], text: SourceText) -> list[float]:
        """Return of each clause how far the source entails it once a value or name of the source
        stands in the place of its own; 0 without such a one."""
        if self._verifier is None:
            return [0.0] * len(read)
        plan = [
            [
                (
                    one.windows[one.entailing].text,
                    replaced(self.message.plain, one.unit, rival, text),
                )
                for rival in signals.rivals[:_PROVED]
            ]
            for one, signals in read
        ]
        answers = iter(self._verifier.judge([pair for pairs in plan for pair in pairs]))
        return [max((next(answers).entailment for _ in pairs), default=0.0) for pairs in plan]

    def _clause(
        self,
        read: Read,
        signals: Signals,
        proof: float,
        text: SourceText,
        aligned: Sequence[Aligned],
    ) -> Clause:
        inside = [one for one in aligned if one.claim and _touches([one.claim], read.unit.span)]
        against = [one for one in inside if one.stance == "contradicts"]
        backing = [one.strength if one.stance == "supports" else 0.0 for one in aligned]
        later = (
            proof,
            float(bool(against)),
            float(any(one.stance == "silent" for one in inside)),
            min(backing, default=0.0),
            float(any(one.lacking for one in aligned)),
        )
        signals = signals._replace(values=(*signals.values[: -len(LATER)], *later))
        # A sentence that a source has word for word is supported, whatever else is found.
        same = SAME in read.judgements
        order = text.nearest(read_words(self.message, read))
        return Clause(
            read.unit.span,
            read,
            signals,
            ALL_SUPPORT if same else self.calibration.shares(signals.values),
            same
            or (not signals.missing and not _is_turned(signals) and self._is_exact(read, text)),
            text.sentences[order[0]] if order else None,
            max(against, key=lambda one: one.strength, default=None),
        )

    def _is_exact(self, read: Read, text: SourceText) -> bool:
        """Return True if the entailing window has every value and every name of a clause; of a
        name a pronoun may stand there."""
        window = read.windows[read.entailing]
        given = find(window.text)
        values = find(self.message.plain, *read.unit.span)
        if not all(is_said(value, given) for value in values):
            return False
        there, words = window.text.casefold(), text.words
        known = frozenset[str]().union(*(words[at] for at in window.sentences))
        return all(
            token.norm in known or token.text.casefold() in there
            for token in tokens(self.message.plain, *read.unit.span)
            if token.kind == "name"
        )

    def _finding(self, clause: Clause, text: SourceText, *, sample: bool) -> Finding:
        stance = self.stance(clause.shares, exact=clause.exact, sample=sample)
        signals, read = clause.signals, clause.read
        absent = signals.missing[0] if signals.missing else None
        if stance == "supports":
            start, end = read.windows[read.entailing].span
            return Finding(
                stance,
                1.0 if SAME in read.judgements else clause.shares.supports,
                start,
                end,
                note=SAYS_SO,
                near=clause.near,
                shares=clause.shares,
            )
        if stance == "contradicts" and not self._is_of_another(signals):
            against = self._contradiction(clause, text)
            if self._tells_the_same(clause, against, text):
                return against
        if stance == "contradicts":
            stance = "silent"
        share = signals.values[_NEAREST_SHARE]
        return Finding(
            stance,
            share,
            lacking=absent is not None,
            near=clause.near,
            absent=absent,
            shares=clause.shares,
        )

    def stance(self, shares: Shares, *, exact: bool, sample: bool) -> Stance:
        """Return the stance of a source on a claim. ``exact`` says that its quote has every value
        and name of the claim, without which nothing supports it."""
        limits = self.calibration
        against = limits.vote if sample else limits.contradicts
        if shares.contradicts >= against:
            return "contradicts"
        if exact and shares.supports >= (limits.vote if sample else limits.supports):
            return "supports"
        return "silent"

    def _tells_the_same(self, clause: Clause, against: Finding, text: SourceText) -> bool:
        """Return True unless another value stands beside none of the clause's other words but
        names: a year of death is no other year of birth."""
        plain, mark = self.message.plain, against.claim
        if mark is None or against.value is None or not find(plain, *mark):
            return True
        rest = {
            one.norm
            for one in tokens(plain, *clause.span)
            if one.kind == "word" and not mark[0] <= one.start < mark[1]
        }
        there = {one.norm for one in tokens(text.text, against.start, against.end)}
        return not rest or bool(rest & there)

    def _is_of_another(self, signals: Signals) -> bool:
        """Return True if a source has another value, and not a name of the clause: it speaks of
        another thing, of which another value says nothing."""
        plain = self.message.plain
        values = [one.claim for one in signals.rivals if find(plain, *one.claim)]
        names = [one for one in signals.missing if not find(plain, *one)]
        # What stands behind a value is seldom what it is said of.
        return any(name < value for value in values for name in names)

    def _contradiction(self, clause: Clause, text: SourceText) -> Finding:
        read, signals, aligned = clause.read, clause.signals, clause.aligned
        if aligned is not None:
            return Finding(
                "contradicts",
                clause.shares.contradicts,
                aligned.start,
                aligned.end,
                value=aligned.value,
                note=aligned.note,
                lacking=aligned.lacking,
                near=clause.near,
                claim=aligned.claim,
                shares=clause.shares,
            )
        rival = max(signals.rivals, key=lambda one: one.closeness, default=None)
        if rival is not None and rival.source is not None:
            return Finding(
                "contradicts",
                clause.shares.contradicts,
                *_sentence_at(text, rival.source),
                value=text.text[slice(*rival.source)],
                note=f"says {text.text[slice(*rival.source)]}",
                lacking=True,
                near=clause.near,
                claim=rival.claim,
                shares=clause.shares,
            )
        place = signals.missing[0] if signals.missing else self._reader.locate(read)
        start, end = read.windows[read.opposing].span
        return Finding(
            "contradicts",
            clause.shares.contradicts,
            start,
            end,
            note=OTHERWISE,
            lacking=bool(signals.missing),
            near=clause.near,
            claim=place,
            shares=clause.shares,
        )

    def _touched(self) -> dict[tuple[int, int], list[int]]:
        """Return the facts that each clause touches."""
        found: dict[tuple[int, int], list[int]] = {}
        for at, fact in enumerate(self.facts):
            for sentence in fact.sentences:
                units = self._reader.units[sentence]
                for number, unit in enumerate(units[1:] or units):
                    if _touches(fact.spans, unit.span):
                        found.setdefault((sentence, number), []).append(at)
        return found

    def _clauses_of(self, fact: Fact) -> list[tuple[int, int]]:
        """Return the clauses that a fact lies in, as sentence and number: the one that holds most
        of it, or all that it touches if none does."""
        touched: dict[tuple[int, int], int] = {}
        for sentence in fact.sentences:
            units = self._reader.units[sentence]
            for number, unit in enumerate(units[1:] or units):
                start, end = unit.span
                held = sum(max(0, min(end, b) - max(start, a)) for a, b in fact.spans)
                if held:
                    touched[sentence, number] = held
        whole = sum(end - start for start, end in fact.spans)
        most = [place for place, held in touched.items() if held >= _MOST_OF * whole]
        return most[:1] or list(touched)

    def _of_fact(
        self,
        fact: int,
        clauses: Sequence[Sequence[Clause]],
        found: Sequence[Sequence[Finding]],
        text: SourceText,
    ) -> Finding:
        places = [(s, n) for s, n in self._places[fact] if n < len(found[s])]
        if not places or len(places) < len(self._places[fact]):
            return Finding("silent", 0.0)
        held = [clauses[s][n] for s, n in places]
        of_clauses = [found[s][n] for s, n in places]
        against = [
            one
            for (s, n), one in zip(places, of_clauses, strict=True)
            if one.stance == "contradicts" and self._owns(fact, (s, n), one.claim)
        ]
        if against:
            return max(against, key=lambda one: one.strength)
        together = _together(held, of_clauses)
        if together.stance != "contradicts":
            return together
        # Another fact of the clause is contradicted: this one is open unless the source says it in
        # the same words.
        place = self._said_in_full(self.facts[fact], text)
        if place is not None:
            return Finding("supports", 1.0, *place, note=SAYS_SO, near=place, shares=ALL_SUPPORT)
        return Finding("silent", _NEXT_TO, near=together.near, shares=SILENT_SHARES)

    def _said_in_full(self, fact: Fact, text: SourceText) -> Span | None:
        """Return the sentence of a source that has all content words of a fact, and no negation
        that it has not; None if there is none."""
        own = [one for span in fact.spans for one in tokens(self.message.plain, *span)]
        content = frozenset(one.norm for one in own if one.kind != "stop")
        denied = any(NEGATION.search(self.message.plain, *span) for span in fact.spans)
        for at in text.nearest(content)[:NEAREST]:
            span = text.sentences[at]
            there = NEGATION.search(text.text, *span) is not None
            if content and content <= text.words[at] and there == denied:
                return span
        return None

    def _owns(self, fact: int, place: tuple[int, int], mark: Span | None) -> bool:
        """Return True if a mark in a clause is one of this fact's words; if it lies in no fact, it
        is one of the first fact of the clause."""
        inside = [at for at, places in enumerate(self._places) if place in places]
        if mark is None:
            return True
        marked = [at for at in inside if _touches(self.facts[at].spans, mark)]
        return fact in (marked or inside[:1])


def _together(held: Sequence[Clause], found: Sequence[Finding]) -> Finding:
    """Return what a source says of several clauses as one: it supports them if it supports each,
    and contradicts them if it contradicts one."""
    if not found:
        return Finding("silent", 0.0)
    worst = max(range(len(found)), key=lambda at: held[at].lean)
    against = [one for one in found if one.stance == "contradicts"]
    if against:
        return max(against, key=lambda one: one.strength)
    if all(one.stance == "supports" for one in found):
        return min(found, key=lambda one: one.strength)
    open_ones = [at for at, one in enumerate(found) if one.stance != "supports"]
    return found[max(open_ones, key=lambda at: held[at].lean, default=worst)]


def _is_turned(signals: Signals) -> bool:
    """Return True if a sentence of nearly the same words has a negation that the clause has not, or
    a word of opposite meaning, or if one of both speaks of a former or alleged thing: encoders miss
    these where all other words are alike."""
    return signals.values[_QUALIFIED] > 0 or any(
        signals.values[at] >= _NEARLY_THE_SAME for at in _TURNING
    )


_NEARLY_THE_SAME: Final = 0.5
_QUALIFIED: Final = SIGNALS.index("former, deputy, alleged and their like on one side alone")
_TURNING: Final = tuple(
    SIGNALS.index(name) for name in (*FAMILIES["negation"], *FAMILIES["opposites"])
)


def _touches(spans: Sequence[Span], mark: Span) -> bool:
    return any(mark[0] < end and start < mark[1] for start, end in spans)


def _sentence_at(text: SourceText, place: Span) -> Span:
    return next((span for span in text.sentences if span[0] <= place[0] < span[1]), place)


def read_words(message: Document, read: Read) -> frozenset[str]:
    """Return the content words of a clause, in the form in which words compare."""
    found = tokens(message.plain, *read.unit.span)
    return frozenset(token.norm for token in found if token.kind != "stop")


_PROVED: Final = 2
"""Rivals of a clause that are put in its place, each a pair to judge."""
_MOST_OF: Final = 0.6
"""Share of a fact that lies in a clause which is judged for it: the head often stands before."""
_NEXT_TO: Final = 0.5
_NEAREST_SHARE: Final = SIGNALS.index("share of the words in the nearest sentence")
