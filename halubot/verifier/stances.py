"""The stance of a source on each claim of a message, as the verifier and the exact values give it.

The claims are the clauses of a message; a fact has the stance of the clause that holds it, a
sentence that of all its clauses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from halubot.compare.tokens import Worded, tokens
from halubot.report import Fact, Stance
from halubot.text import Document, Span
from halubot.values import find
from halubot.values.agreement import is_said
from halubot.verifier.calibration import Calibration, Shares, load_calibration
from halubot.verifier.encoder import Verifier
from halubot.verifier.reading import MessageReader
from halubot.verifier.signals import SIGNALS, Read, Rival, Signals, replaced, signals_of
from halubot.verifier.windows import SourceText

SAYS_SO: Final = "says so"
OTHERWISE: Final = "says otherwise"

SILENT_SHARES: Final = Shares(0.0, 1.0, 0.0)


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


class _Clause(NamedTuple):
    """One clause beside one source: its place, its signals, its shares, and what follows."""

    span: Span
    read: Read
    signals: Signals
    shares: Shares
    exact: bool
    near: Span | None

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
            [self._of_fact(at, clauses, found) for at in range(len(self.facts))],
            [_together(held, of_sentence) for held, of_sentence in zip(clauses, found, strict=True)],
        )

    def clauses(self, text: SourceText, *, briefly: bool = False) -> list[list[_Clause]]:
        """Return each clause of each sentence beside a source; none of a sentence not read."""
        read = [
            [
                (one, signals_of(self.message.plain, one, reads[0], reads[1:] or reads, text))
                for one in reads[1:] or reads
            ]
            if reads and all(one.windows for one in reads)
            else []
            for reads in self._reader.read(text, briefly=briefly)
        ]
        proofs = iter(self._prove([pair for held in read for pair in held], text))
        return [
            [self._clause(one, signals, next(proofs), text) for one, signals in held]
            for held in read
        ]

    def _prove(self, read: Sequence[tuple[Read, Signals]], text: SourceText) -> list[float]:
        """Return of each clause how far the source entails it once a value or name of the source
        stands in the place of its own; 0 without such a one."""
        if self._verifier is None:
            return [0.0] * len(read)
        plan = [
            [
                (one.windows[one.entailing].text, replaced(self.message.plain, one.unit, rival, text))
                for rival in signals.rivals[:_PROVED]
            ]
            for one, signals in read
        ]
        answers = iter(self._verifier.judge([pair for pairs in plan for pair in pairs]))
        return [max((next(answers).entailment for _ in pairs), default=0.0) for pairs in plan]

    def _clause(self, read: Read, signals: Signals, proof: float, text: SourceText) -> _Clause:
        signals = signals._replace(values=(*signals.values[:-1], proof))
        order = text.nearest(read_words(self.message, read))
        return _Clause(
            read.unit.span,
            read,
            signals,
            self.calibration.shares(signals.values),
            not signals.missing and self._is_exact(read, text),
            text.sentences[order[0]] if order else None,
        )

    def _is_exact(self, read: Read, text: SourceText) -> bool:
        """Return True if the entailing window has every value of a clause, and every name stands
        there, or where the source begins: later sentences often have pronouns for it."""
        window = read.windows[read.entailing]
        given = find(window.text)
        values = find(self.message.plain, *read.unit.span)
        if not all(is_said(value, given) for value in values):
            return False
        opening = text.text[slice(*text.sentences[0])] if text.sentences else ""
        before = max(0, window.span[0] - _BEFORE)
        known = f"{opening} {text.text[before:window.span[0]]} {window.text}".casefold()
        norms = {token.norm for token in tokens(known, 0, len(known))}
        return all(
            token.norm in norms or token.text.casefold() in known
            for token in tokens(self.message.plain, *read.unit.span)
            if token.kind == "name"
        )

    def _finding(self, clause: _Clause, text: SourceText, *, sample: bool) -> Finding:
        stance = self.stance(clause.shares, exact=clause.exact, sample=sample)
        signals, read = clause.signals, clause.read
        absent = signals.missing[0] if signals.missing else None
        if stance == "supports":
            start, end = read.windows[read.entailing].span
            return Finding(
                stance,
                clause.shares.supports,
                start,
                end,
                note=SAYS_SO,
                near=clause.near,
                shares=clause.shares,
            )
        if stance == "contradicts":
            return self._contradiction(clause, text)
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
        if shares.contradicts >= against and shares.contradicts > shares.supports:
            return "contradicts"
        if exact and shares.supports >= (limits.vote if sample else limits.supports):
            return "supports"
        return "silent"

    def _contradiction(self, clause: _Clause, text: SourceText) -> Finding:
        read, signals = clause.read, clause.signals
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
        self, fact: int, clauses: Sequence[Sequence[_Clause]], found: Sequence[Sequence[Finding]]
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
        # Another fact of the clause is contradicted: what turns it round leaves this one open.
        return Finding("silent", _NEXT_TO, near=together.near, shares=SILENT_SHARES)

    def _owns(self, fact: int, place: tuple[int, int], mark: Span | None) -> bool:
        """Return True if a mark in a clause is one of this fact's words; if it lies in no fact, it
        is one of the first fact of the clause."""
        inside = [at for at, places in enumerate(self._places) if place in places]
        if mark is None:
            return True
        marked = [at for at in inside if _touches(self.facts[at].spans, mark)]
        return fact in (marked or inside[:1])


def _together(held: Sequence[_Clause], found: Sequence[Finding]) -> Finding:
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
_BEFORE: Final = 300
"""Characters before a quote in which a name may stand for which the quote has a pronoun."""
_MOST_OF: Final = 0.6
"""Share of a fact that lies in a clause which is judged for it: the head often stands before."""
_NEXT_TO: Final = 0.5
_NEAREST_SHARE: Final = SIGNALS.index("share of the words in the nearest sentence")

__all__ = ["Calibration", "Comparer", "Compared", "Finding", "Rival", "UNNAMED"]
