"""The stance of a source on each claim of a message, as the verifier and the exact values give it.

The claims are the clauses of a message; a fact has the stance of the clause that holds it, a
sentence that of all its clauses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from halubot.compare.tokens import Worded, content_norms, tokens
from halubot.concurrency import go_on, is_late
from halubot.report import Fact, Stance
from halubot.text import Document, Span, reads_as_english
from halubot.values import find
from halubot.values.comparison import are_together, is_said
from halubot.verifier.alignment import Aligner, Counterclaim, Difference, counterclaims
from halubot.verifier.encoder import Verifier
from halubot.verifier.reading import SAME, MessageReader, Read, SourceText, Unit, Window
from halubot.verifier.signals import (
    FAMILIES,
    SIGNALS,
    Rival,
    Shares,
    Signals,
    load_calibration,
    signals_of,
)

SAYS_SO: Final = "says so"
OTHERWISE: Final = "says otherwise"

CONTRADICTS_ELSEWHERE: Final = 0.75
SUPPORTS_ELSEWHERE: Final = 0.88
"""The least contradiction and backing in texts that are not in English, where the encoder is less
sure. Of 130 right claims in five languages .13 were doubted so, not .30, and of 130 wrong ones .79,
not .89; of 538 right clauses of answers .006, not .04. Of 107 wrong clauses .05 were supported, not
.08."""

ENTAILS: Final = 0.84
"""How far the quote itself must entail a claim that it supports, whatever the other signals say.
Somebody read 63 supported facts of 20 chat answers (`benchmarks/everyday_11.jsonl`) beside their
quotes: 34 were proved, 8 were wrong. Of the 25 above this limit 22 are proved and two wrong."""

QUOTED: Final = 0.25
"""The share of a claim's content words, by weight, that a quote has at least which supports it: of
369 supported clauses of 182 chat answers 4 right ones had less. "Parents no longer hear their
young" was entailed by a sentence about hens that went north."""

PROVES: Final = 0.6
"""How much more a source entails a clause with words of its own in the place of others, from which
on these are what it says otherwise. On 20 answers (`benchmarks/everyday_8.jsonl`) 15 clauses above
it were wrong, none right; above .3 there were 33 and 6. "Died in 1871" beside "born in" has .56."""

SILENT_SHARES: Final = Shares(0.0, 1.0, 0.0)
ALL_SUPPORT: Final = Shares(0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Finding:
    """What one source says of a fact or a sentence.

    ``strength`` is the probability of its stance, for a silent source the share of the words that
    its nearest sentence has; both in [0, 1]. ``start`` and ``end`` are its quote, ``value`` the
    words that stand there in the place of ``claim``, words of the message; ``near`` is the
    nearest sentence, ``absent`` a value or name that the source nowhere has, and ``displaced`` a
    date or measure of which it has another one. ``note`` is for people.
    """

    stance: Stance
    strength: float
    start: int = 0
    end: int = 0
    value: str | None = None
    note: str = ""
    near: Span | None = None
    absent: Span | None = None
    displaced: Span | None = None
    claim: Span | None = None
    shares: Shares = SILENT_SHARES


SILENT: Final = Finding("silent", 0.0)
"""What a source says that was not read, or that does not name what a fact is about."""


class Compared(NamedTuple):
    """The stances of one source on each fact of a message and on each of its sentences."""

    facts: list[Finding]
    sentences: list[Finding]


class Clause(NamedTuple):
    """One clause beside one source: its signals, its shares, and what follows. ``proof`` are the
    shortest words that say all of it, with every value and name."""

    read: Read
    signals: Signals
    shares: Shares
    proof: Span | None
    near: Span | None

    @property
    def exact(self) -> bool:
        """Return True if the source has words that may support the clause."""
        return self.proof is not None


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
        self.cut = self._reader.cut
        self._verifier = verifier
        self._english = reads_as_english(message)
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
    def nothing(self) -> Compared:
        """What a source says that was not read."""
        return Compared([SILENT] * len(self.facts), [SILENT] * len(self.message.sentences))

    def compare_into(
        self, compared: Compared, source: Worded, *, sample: bool = False
    ) -> Iterator[list[int]]:
        """Compare sentence by sentence; yield the facts of which it is known now what the source
        says. A silent source is no evidence either way.

        Raises LocalModelError if the verifier fails.
        """
        text = SourceText(source)
        aligner = Aligner(self.message.plain, text)
        clauses: list[list[Clause]] = []
        found: list[list[Finding]] = []
        ends: dict[int, list[int]] = {}
        for fact in self.facts:
            ends.setdefault(max(fact.sentences, default=-1), []).append(fact.index)
        for held in self.clauses(text, briefly=sample, aligner=aligner):
            at = len(clauses)
            clauses.append(held)
            found.append([self._finding(one, text, sample=sample) for one in held])
            compared.sentences[at] = _together(held, found[at])
            settled = ends.get(at, [])
            for index in settled:
                compared.facts[index] = self._of_fact(index, clauses, found, aligner)
            yield settled
        yield ends.get(-1, [])

    def clauses(
        self, text: SourceText, *, briefly: bool = False, aligner: Aligner | None = None
    ) -> Iterator[list[Clause]]:
        """Yield each clause of each sentence beside a source; none of a sentence not read."""
        aligner = aligner or Aligner(self.message.plain, text)
        for sentence, reads in enumerate(self._reader.read(text, briefly=briefly)):
            late = bool(reads) and is_late()
            if late:
                self._reader.cut.add(sentence)
            signals = [] if late else self._signals(reads, aligner)
            yield [self._clause(one, own, text, sample=briefly) for one, own in signals]

    def _signals(self, reads: Sequence[Read], aligner: Aligner) -> list[tuple[Read, Signals]]:
        # A long comparison runs on a thread that must stop when the check is cancelled.
        go_on()
        if not reads or not all(one.windows for one in reads):
            return []
        clauses = reads[1:] or reads
        found = [
            (one, signals_of(one, reads[0], clauses, aligner, english=self._english))
            for one in clauses
        ]
        if self._verifier is None or SAME in reads[0].judgements:
            return found
        lacking = [(one, signals.missing) for one, signals in found]
        said = counterclaims(self.message.plain, reads[0], lacking, aligner.source, self._verifier)
        return [
            (one, signals.beside(counter))
            for (one, signals), counter in zip(found, said, strict=True)
        ]

    def _clause(self, read: Read, signals: Signals, text: SourceText, *, sample: bool) -> Clause:
        # A sentence that a source has word for word is supported, whatever else is found.
        same = SAME in read.judgements
        proof = signals.aligned.said or self._proof(read, text)
        if signals.missing or _is_turned(signals):
            proof = None
        order = text.nearest(read_words(self.message, read))
        return Clause(
            read,
            signals,
            ALL_SUPPORT if same else self.calibration.shares(signals.values, sample=sample),
            read.windows[read.entailing].span if same else proof,
            text.sentences[order[0]] if order else None,
        )

    def _proof(self, read: Read, text: SourceText) -> Span | None:
        """Return the first window, and so the shortest, that entails a clause by `ENTAILS` and has
        every value and name of it, and some of its words; None if none does. Sentences that stand
        apart cannot be quoted together."""
        # Words alone tell nothing of who did what to whom.
        if self._verifier is None:
            return None
        for window, judgement in zip(read.windows, read.judgements, strict=True):
            if judgement.entailment >= ENTAILS and self._has_all(read, window, text):
                return window.span
        return None

    def _has_all(self, read: Read, window: Window, text: SourceText) -> bool:
        """Return True if a window can be quoted and has the values, names and words of a clause,
        which must have several content words; for a name a pronoun may stand there."""
        if any(not _holds(window.span, text.sentences[at]) for at in window.sentences):
            return False
        given = find(window.text)
        values = read.unit.values(self.message.plain)
        if not all(is_said(value, given) for value in values):
            return False
        if not are_together(values, window.text, given):
            return False
        there, words = window.text.casefold(), text.words
        known = frozenset[str]().union(*(words[at] for at in window.sentences))
        own = read_words(self.message, read)
        if text.share(own, *window.sentences) < QUOTED:
            return False
        # "It is in Paris" is said by nothing but a text that says what "it" is.
        return len(own) >= 2 and all(
            token.norm in known or token.text.casefold() in there
            for token in read.unit.names(self.message.plain)
        )

    def _finding(self, clause: Clause, text: SourceText, *, sample: bool) -> Finding:
        stance = self.stance(clause.shares, exact=clause.exact, sample=sample)
        signals, read = clause.signals, clause.read
        if stance == "supports":
            strength = 1.0 if SAME in read.judgements else clause.shares.supports
            quote = clause.proof or read.windows[read.entailing].span
            return Finding(
                stance, strength, *quote, note=SAYS_SO, near=clause.near, shares=clause.shares
            )
        if stance == "contradicts" and not self._is_of_another(signals):
            proved = signals.counter is not None and signals.counter.gain >= PROVES
            against = self._contradiction(clause, text)
            if proved or self._tells_the_same(clause, against, text):
                return against
        absent = signals.missing[0] if signals.missing else None
        share = signals.values[_NEAREST_SHARE]
        return Finding(
            "silent",
            share,
            near=clause.near,
            absent=absent,
            displaced=next(
                (
                    value.span
                    for rival in signals.rivals
                    for value in find(self.message.plain, *rival.claim)
                    if value.kind in ("date", "quantity")
                ),
                None,
            ),
            shares=clause.shares,
        )

    def stance(self, shares: Shares, *, exact: bool, sample: bool) -> Stance:
        """Return the stance of a source on a claim. ``exact`` says that its quote has every value
        and name of the claim, without which nothing supports it."""
        limits = self.calibration
        against = limits.sample_contradicts if sample else limits.contradicts
        backing = limits.sample_supports if sample else limits.supports
        if not self._english:
            against, backing = max(against, CONTRADICTS_ELSEWHERE), max(backing, SUPPORTS_ELSEWHERE)
        if shares.contradicts >= against:
            return "contradicts"
        if exact and shares.backing >= backing:
            return "supports"
        return "silent"

    def _is_of_another(self, signals: Signals) -> bool:
        """Return True if a source has another value, and not a name of the clause: it speaks of
        another thing, of which another value says nothing."""
        plain = self.message.plain
        values = [one.claim for one in signals.rivals if find(plain, *one.claim)]
        names = [one for one in signals.missing if not find(plain, *one)]
        # What stands behind a value is seldom what it is said of.
        return any(name < value for value in values for name in names)

    def _tells_the_same(self, clause: Clause, against: Finding, text: SourceText) -> bool:
        """Return True unless another value stands beside none of the clause's other words but
        names, and shares no word or number with the clause's own: a year of death is no other year
        of birth, but "15 cm" is another distance than "15 mm". What a counterclaim proves needs no
        such words: of ten clauses that it contradicted and this did not, all were wrong."""
        plain, mark = self.message.plain, against.claim
        if mark is None or against.value is None or not find(plain, *mark):
            return True
        rest = {
            one.norm
            for one in tokens(plain, *clause.read.unit.span)
            if one.kind == "word" and not mark[0] <= one.start < mark[1]
        }
        there = content_norms(tokens(text.text, against.start, against.end))
        return not rest or not there.isdisjoint(rest | content_norms(tokens(plain, *mark)))

    def _contradiction(self, clause: Clause, text: SourceText) -> Finding:
        read, signals = clause.read, clause.signals
        words = None
        if (other := _other_words(signals)) is not None:
            claim, quote = other.claim, other.sentence
            words = text.text[slice(*other.source)]
        else:
            claim = signals.missing[0] if signals.missing else self._reader.locate(read)
            quote = read.windows[read.opposing].span
        return Finding(
            "contradicts",
            clause.shares.contradicts,
            *quote,
            value=words,
            note=OTHERWISE if words is None else f"says {words}",
            near=clause.near,
            claim=claim,
            shares=clause.shares,
        )

    def _clauses_of(self, fact: Fact) -> list[tuple[int, int]]:
        """Return the clauses that a fact lies in, as sentence and number: the one that holds most
        of it, or all that it touches if none does."""
        # The subject may stand in another clause.
        spans = _without(fact.spans, fact.parts.head) or fact.spans
        touched: dict[tuple[int, int], int] = {}
        for sentence in fact.sentences:
            units = self._reader.units[sentence]
            for number, unit in enumerate(units[1:] or units):
                held = sum(
                    max(0, min(end, b) - max(start, a))
                    for a, b in spans
                    for start, end in unit.spans
                )
                if held:
                    touched[sentence, number] = held
        whole = sum(end - start for start, end in spans)
        most = [place for place, held in touched.items() if held >= _MOST_OF * whole]
        return most[:1] or list(touched)

    def _of_fact(
        self,
        fact: int,
        clauses: Sequence[Sequence[Clause]],
        found: Sequence[Sequence[Finding]],
        aligner: Aligner,
    ) -> Finding:
        places = [(s, n) for s, n in self._places[fact] if n < len(found[s])]
        if not places or len(places) < len(self._places[fact]):
            return SILENT
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
        if together.stance == "supports" and not self._says_all(fact, together, aligner.source):
            return Finding("silent", _NEXT_TO, near=together.near)
        if together.stance != "contradicts":
            return together
        # Another fact of the clause is contradicted: this one is open, unless a sentence says it in
        # the same words.
        said = aligner.align(*self.facts[fact].spans, fewest=2).said
        if said is not None:
            return Finding("supports", 1.0, *said, note=SAYS_SO, near=said, shares=ALL_SUPPORT)
        return Finding("silent", _NEXT_TO, near=together.near)

    def _says_all(self, fact: int, support: Finding, text: SourceText) -> bool:
        """Return True if a quote has every value of a fact, of which its clause may lack one: in
        "on April 11, 1969, and" a comma begins another clause. It must have all words of a subject
        that stands in another clause, too: "a Swedish engineer, named" is not said by the name."""
        given = find(text.text, support.start, support.end)
        plain, own = self.message.plain, self.facts[fact]
        if not all(is_said(one, given) for span in own.spans for one in find(plain, *span)):
            return False
        head = own.parts.head
        if head is None or any(_holds(clause.span, head) for clause in self._clauses_holding(fact)):
            return True
        subject = content_norms(tokens(plain, *head))
        return subject <= content_norms(tokens(text.text, support.start, support.end))

    def _clauses_holding(self, fact: int) -> Iterator[Unit]:
        for sentence, number in self._places[fact]:
            units = self._reader.units[sentence]
            yield (units[1:] or units)[number]

    def _owns(self, fact: int, place: tuple[int, int], mark: Span | None) -> bool:
        """Return True if a mark in a clause is one of this fact's words; if it lies in no fact, it
        is one of the first fact of the clause."""
        inside = [at for at, places in enumerate(self._places) if place in places]
        if mark is None:
            return True
        marked = [
            at
            for at in inside
            if any(mark[0] < end and start < mark[1] for start, end in self.facts[at].spans)
        ]
        return fact in (marked or inside[:1])


def _other_words(signals: Signals) -> Rival | Difference | Counterclaim | None:
    """Return what a source has in the place of words of a clause; None if no words are known to
    stand there."""
    closest = max(signals.rivals, key=lambda one: one.closeness, default=None)
    # Beside "17 November 1869", whatever else is alike in a sentence that has another date.
    if closest is not None and closest.closeness >= 1:
        return closest
    if signals.aligned.differences:
        return signals.aligned.differences[0]
    proved = signals.counter is not None and signals.counter.gain >= PROVES
    return signals.counter if proved else closest


def _together(held: Sequence[Clause], found: Sequence[Finding]) -> Finding:
    """Return what a source says of several clauses as one: it supports them if it supports each,
    and contradicts them if it contradicts one."""
    if not found:
        return SILENT
    against = [one for one in found if one.stance == "contradicts"]
    if against:
        return max(against, key=lambda one: one.strength)
    open_ones = [at for at, one in enumerate(found) if one.stance != "supports"]
    if not open_ones:
        return min(found, key=lambda one: one.strength)
    return found[min(open_ones, key=lambda at: held[at].shares.backing)]


def _is_turned(signals: Signals) -> bool:
    """Return True if a sentence of nearly the same words has a negation that the clause has not, or
    a word of opposite meaning, or if one of both speaks of a former or alleged thing: encoders miss
    these where all other words are alike."""
    values = signals.values
    aligned = signals.aligned
    turned = aligned.turned or any(one.kind == "opposite" for one in aligned.differences)
    return turned or values[_QUALIFIED] > 0 or values[_DENIED] >= _NEARLY_THE_SAME


def _holds(span: Span, other: Span) -> bool:
    return span[0] <= other[0] and other[1] <= span[1]


_NEARLY_THE_SAME: Final = 0.5
_DENIED: Final = SIGNALS.index(FAMILIES["negation"][0])
_QUALIFIED: Final = SIGNALS.index("former, deputy, alleged and their like on one side alone")


def _without(spans: Sequence[Span], part: Span | None) -> list[Span]:
    """Return places without one of them."""
    if part is None:
        return list(spans)
    pieces = [piece for a, b in spans for piece in ((a, min(b, part[0])), (max(a, part[1]), b))]
    return [(a, b) for a, b in pieces if a < b]


def read_words(message: Document, read: Read) -> frozenset[str]:
    """Return the content words of a clause, in the form in which words compare."""
    return content_norms(read.unit.tokens(message.plain))


_MOST_OF: Final = 0.6
"""Share of a fact that lies in a clause which is judged for it: the head often stands before."""
_NEXT_TO: Final = 0.5
_NEAREST_SHARE: Final = SIGNALS.index("share of the words in the nearest sentence")
