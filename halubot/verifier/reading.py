"""Reading a source for a message: how far it entails or contradicts each sentence and clause."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from halubot.compare.tokens import tokens
from halubot.concurrency import is_late
from halubot.text import Document, Span
from halubot.verifier.alignment import TELLING
from halubot.verifier.claims import units_of
from halubot.verifier.encoder import OPEN, Judgement, Pair, Verifier
from halubot.verifier.signals import Read
from halubot.verifier.windows import SourceText, Window

MOST_PAIRS: Final = 3_000
"""Pairs that are judged for one message: some 20 s on two cores. Twelve sentences beside a
reference and six samples make about 900."""

SAME: Final = Judgement(0.0, 0.0, 1.0)
"""The judgement of a sentence that a source has word for word."""


class MessageReader:
    """Reads sources for the sentences of one message. ``units`` has those of each sentence: the
    sentence itself, then its clauses. Without a verifier every judgement is open."""

    def __init__(self, message: Document, verifier: Verifier | None) -> None:
        self.message = message
        self.verifier = verifier
        self.units = units_of(message)
        self._left = MOST_PAIRS
        self.cut: set[int] = set()
        """The sentences that were not read for want of room."""

    def read(self, source: SourceText, *, briefly: bool = False) -> Iterator[list[Read]]:
        """Yield the readings of the units of each sentence, in their order; of a sentence that is
        not read, none.

        ``briefly`` reads fewer windows, as of a sample among several. Takes a few milliseconds for
        each unit and window. Once `MOST_PAIRS` were judged for the message, or little time is left,
        its further sentences are not read. Raises LocalModelError if the verifier fails.
        """
        known = {_bare(source.text[slice(*span)]) for span in source.sentences}
        plan: list[list[tuple[Window, ...]]] = []
        same: set[int] = set()
        for at, units in enumerate(self.units):
            if not units or not source.sentences:
                plan.append([])
                continue
            if _bare(units[0].text) in known:
                same.add(at)
            windows = [tuple(source.windows(unit.text)) for unit in units]
            if briefly:
                windows = [_fewer(one, whole=n == 0) for n, one in enumerate(windows)]
            asked = 0 if at in same or self.verifier is None else sum(map(len, windows))
            if asked > self._left:
                self.cut.add(at)
                windows = []
            else:
                self._left -= asked
            plan.append(windows)
        waiting: list[list[Read]] = []
        pairs: list[Pair] = []
        for at, windows in enumerate(plan):
            if at not in same:
                if self.verifier is not None and len(pairs) >= _AT_ONCE:
                    yield from self._judged(waiting, pairs)
                    waiting, pairs = [], []
                if is_late():
                    self.cut.add(at)
                    windows = []  # noqa: PLW2901
            reads = [
                Read(unit, held, [SAME if at in same else OPEN] * len(held))
                for unit, held in zip(self.units[at], windows, strict=False)
            ]
            waiting.append(reads)
            if at not in same:
                pairs += [(one.text, read.unit.text) for read in reads for one in read.windows]
        yield from self._judged(waiting, pairs)

    def _judged(self, waiting: list[list[Read]], pairs: list[Pair]) -> Iterator[list[Read]]:
        """Yield what waits for these pairs, with the verifier's judgements."""
        answers = iter([] if self.verifier is None else self.verifier.judge(pairs))
        for reads in waiting:
            yield [
                read
                if self.verifier is None or SAME in read.judgements
                else read._replace(judgements=[next(answers) for _ in read.windows])
                for read in reads
            ]

    def locate(self, read: Read) -> Span:
        """Return the words of a unit, as a place in the message, that the source contradicts.

        The verifier's own marks say it; a verifier without them is asked again with words left
        out, and those without which it contradicts least are taken.
        """
        unit = read.unit
        start, end = unit.span
        words = [
            (token.start, token.end)
            for token in tokens(self.message.plain, start, end)
            if token.kind != "stop" or token.norm in TELLING
        ]
        if not words or self.verifier is None:
            return unit.span
        if self.verifier.has_marks:
            weights = self._marked(read, words)
        else:
            weights = self._left_out(read, words, self.verifier)
        top = max(range(len(words)), key=lambda i: weights[i])
        first = last = top
        # Neighbours that are marked nearly as clearly belong to the same mark.
        while first > 0 and weights[first - 1] >= _NEARLY * weights[top]:
            first -= 1
        while last + 1 < len(words) and weights[last + 1] >= _NEARLY * weights[top]:
            last += 1
        return words[first][0], words[last][1]

    def _marked(self, read: Read, words: Sequence[Span]) -> list[float]:
        """Return the highest mark on each word."""
        claim = read.unit.text
        opposing = read.windows[read.opposing].text
        marks = [] if self.verifier is None else self.verifier.marks((opposing, claim))
        weights, at = [], 0
        for start, end in words:
            word = self.message.plain[start:end]
            # The claim has other white space than the message.
            begins = claim.find(word, at)
            if begins < 0:
                weights.append(0.0)
                continue
            at = begins + len(word)
            own = [value for a, b, value in marks if a < at and begins < b]
            weights.append(max(own, default=0.0))
        return weights

    def _left_out(self, read: Read, words: Sequence[Span], verifier: Verifier) -> list[float]:
        """Return how much less each word's absence is contradicted."""
        start, end = read.unit.span
        plain, source = self.message.plain, read.windows[read.opposing].text
        # Of a very long sentence the first words are tried: each costs a judgement.
        tried = words[:_TRIED]
        claims = [" ".join(f"{plain[start:a]}…{plain[b:end]}".split()) for a, b in tried]
        answers = verifier.judge([(source, claim) for claim in claims])
        known = {token.norm for token in tokens(source, 0, len(source))}
        weights = []
        for (a, b), answer in zip(tried, answers, strict=True):
            new = all(token.norm not in known for token in tokens(plain, a, b))
            fall = max(0.0, read.contradiction - answer.contradiction)
            weights.append(fall + (0.1 if new else 0.0))
        return [*weights, *[0.0] * (len(words) - len(tried))]


_AT_ONCE: Final = 200
"""Pairs that are judged before it is asked whether there is time for more."""

_TRIED: Final = 24
_NEARLY: Final = 0.7


def _fewer(windows: Sequence[Window], *, whole: bool) -> tuple[Window, ...]:
    """Return the nearest sentences together, and of a whole sentence the nearest one too."""
    if len(windows) < 2:
        return tuple(windows)
    return (windows[0], windows[-1]) if whole else (windows[-1],)


def _bare(text: str) -> str:
    """Return a sentence without what does not change it: case, white space, its last marks."""
    return " ".join(text.casefold().split()).strip(" .,;:!…*_`\"'")
