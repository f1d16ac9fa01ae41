"""Reading a source for a message: how far it entails or contradicts each sentence and clause."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from halubot.compare.tokens import Worded, tokens, word_set
from halubot.text import Document, Span
from halubot.verifier.claims import Unit, units_of
from halubot.verifier.encoder import OPEN, Judgement, Verifier
from halubot.verifier.windows import SourceText, Window


class UnitReading(NamedTuple):
    """A sentence or clause of the message beside one source.

    ``entailment`` and ``contradiction`` are the highest of all windows, from 0 to 1;
    ``entailing`` and ``opposing`` are the windows that have them. ``nearest`` is the judgement of
    the nearest sentence, ``together`` that of the nearest sentences together.
    """

    unit: Unit
    entailment: float
    contradiction: float
    entailing: Window
    opposing: Window
    nearest: Judgement
    together: Judgement


MOST_PAIRS: Final = 3_000
"""Pairs that are judged for one message: some 20 s on two cores. Twelve sentences beside a
reference and three samples make about 600."""

NOTHING: Final = Window((0, 0), "")


class MessageReader:
    """Reads sources for the sentences of one message. ``units`` has those of each sentence: the
    sentence itself, then its clauses."""

    def __init__(self, message: Document, verifier: Verifier) -> None:
        self.message = message
        self.verifier = verifier
        self.units = [units_of(message, sentence) for sentence in message.sentences]
        self._left = MOST_PAIRS

    def read(
        self, source: Worded, sentences: Collection[int] | None = None
    ) -> list[list[UnitReading]]:
        """Return the readings of the units of each sentence, in their order; only those of some
        ``sentences`` if they are named.

        Takes a few milliseconds for each unit and window. An empty source leaves all open. Once
        `MOST_PAIRS` were judged for the message, its further sentences have no readings.
        Raises LocalModelError if the verifier fails.
        """
        text = SourceText(source)
        windows = []
        for at, units in enumerate(self.units):
            wanted = self._left > 0 and (sentences is None or at in sentences)
            found = [text.windows(unit.text) for unit in units] if wanted else []
            self._left -= sum(map(len, found))
            windows.append(found)
        pairs = [
            (window.text, unit.text)
            for units, of_units in zip(self.units, windows, strict=True)
            for unit, found in zip(units, of_units, strict=False)
            for window in found
        ]
        answers = iter(self.verifier.judge(pairs))
        return [
            [
                _reading(unit, found, [next(answers) for _ in found])
                for unit, found in zip(units, of_units, strict=False)
            ]
            for units, of_units in zip(self.units, windows, strict=True)
        ]

    def locate(self, reading: UnitReading) -> Span:
        """Return the words of a unit, as a place in the message, that the source contradicts.

        The verifier's own marks say it; a verifier without them is asked again with words left
        out, and those without which it contradicts least are taken.
        """
        unit = reading.unit
        start, end = unit.span
        words = [
            (token.start, token.end)
            for token in tokens(self.message.plain, start, end)
            if token.kind != "stop" or token.norm in _TELLING
        ]
        if not words:
            return unit.span
        if self.verifier.has_marks:
            weights = self._marked(reading, words)
        else:
            weights = self._left_out(reading, words)
        top = max(range(len(words)), key=lambda i: weights[i])
        first = last = top
        # Neighbours that are marked nearly as clearly belong to the same mark.
        while first > 0 and weights[first - 1] >= _NEARLY * weights[top]:
            first -= 1
        while last + 1 < len(words) and weights[last + 1] >= _NEARLY * weights[top]:
            last += 1
        return words[first][0], words[last][1]

    def _marked(self, reading: UnitReading, words: Sequence[Span]) -> list[float]:
        """Return the highest mark on each word."""
        claim = reading.unit.text
        marks = self.verifier.marks((reading.opposing.text, claim))
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

    def _left_out(self, reading: UnitReading, words: Sequence[Span]) -> list[float]:
        """Return how much less each word's absence is contradicted."""
        start, end = reading.unit.span
        plain, source = self.message.plain, reading.opposing.text
        # Of a very long sentence the first words are tried: each costs a judgement.
        tried = words[:_TRIED]
        claims = [" ".join(f"{plain[start:a]}…{plain[b:end]}".split()) for a, b in tried]
        answers = self.verifier.judge([(source, claim) for claim in claims])
        known = {token.norm for token in tokens(source, 0, len(source))}
        weights = []
        for (a, b), answer in zip(tried, answers, strict=True):
            new = all(token.norm not in known for token in tokens(plain, a, b))
            fall = max(0.0, reading.contradiction - answer.contradiction)
            weights.append(fall + (0.1 if new else 0.0))
        return [*weights, *[0.0] * (len(words) - len(tried))]


_TRIED: Final = 24
_NEARLY: Final = 0.7
_TELLING: Final = word_set(
    "not no never all some any most more less before after over under above below without with"
    " only both neither up down"
)
"""Function words that often carry an error."""


def _reading(unit: Unit, windows: Sequence[Window], answers: Sequence[Judgement]) -> UnitReading:
    if not windows:
        return UnitReading(unit, 0.0, 0.0, NOTHING, NOTHING, OPEN, OPEN)
    # The first of several that are alike: the nearest sentence is the shortest quote.
    entailing = max(range(len(windows)), key=lambda i: (answers[i].entailment, -i))
    opposing = max(range(len(windows)), key=lambda i: (answers[i].contradiction, -i))
    return UnitReading(
        unit,
        answers[entailing].entailment,
        answers[opposing].contradiction,
        windows[entailing],
        windows[opposing],
        answers[0],
        answers[-1],
    )
