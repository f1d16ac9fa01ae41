"""Windows of a source: the few stretches of it that may speak of a claim."""

from __future__ import annotations

import math
from collections import Counter
from typing import Final, NamedTuple

from halubot.compare.tokens import Token, Worded, tokens
from halubot.text import Span
from halubot.verifier.claims import words_of

NEAREST: Final = 3
"""Sentences of a source that are read for a claim. Three windows found .80 of errors at .05 false
alarms where one found .72 (a trained trial, everyday set, reference given)."""

_LONG: Final = 6
"""Words added to the length of a sentence, so that a short one does not win by its shortness."""


class Window(NamedTuple):
    """Words of a source. ``span`` is their place; sentences that do not stand together have that
    of the nearest one."""

    span: Span
    text: str


class SourceText:
    """A source cut into sentences, with what each of their words weighs."""

    def __init__(self, source: Worded) -> None:
        self._plain = source.document.plain
        self.sentences = source.document.sentences
        self._words = [_content(found) for found in source.tokens]
        counts = Counter(word for words in self._words for word in words)
        total = max(1, len(self.sentences))
        self._weights = {word: math.log(1 + total / count) for word, count in counts.items()}
        self._holding: dict[str, list[int]] = {}
        for place, words in enumerate(self._words):
            for word in words:
                self._holding.setdefault(word, []).append(place)

    @property
    def words(self) -> frozenset[str]:
        """The content words of the source, in the form in which they are compared."""
        return frozenset(self._weights)

    def windows(self, claim: str) -> list[Window]:
        """Return the nearest sentence to a claim, the same with its neighbours, and the nearest
        sentences together in their order; without repetition, none if the source is empty."""
        if not self.sentences:
            return []
        scores = dict.fromkeys(range(min(NEAREST, len(self.sentences))), 0.0)
        for word in _content(tokens(claim, 0, len(claim))):
            for place in self._holding.get(word, ()):
                scores[place] = scores.get(place, 0.0) + self._weights[word]
        order = sorted(
            scores, key=lambda i: (-scores[i] / (_LONG + len(self._words[i])) ** 0.35, i)
        )
        nearest = order[0]
        around = range(max(0, nearest - 1), min(len(self.sentences), nearest + 2))
        together = sorted(order[:NEAREST])
        found = [
            self._window([nearest]),
            self._window(list(around)),
            self._window(together)
            if together == list(range(together[0], together[-1] + 1))
            else self._window(together)._replace(span=self.sentences[nearest]),
        ]
        return list({window.text: window for window in reversed(found)}.values())[::-1]

    def sentence_texts(self, span: Span) -> list[Window]:
        """Return the sentences of a stretch one by one."""
        return [
            self._window([place])
            for place, (start, end) in enumerate(self.sentences)
            if span[0] <= start and end <= span[1]
        ]

    def _window(self, places: list[int]) -> Window:
        spans = [self.sentences[place] for place in places]
        text = " ".join(words_of(self._plain[slice(*span)]) for span in spans)
        return Window((spans[0][0], spans[-1][1]), text)


def _content(found: tuple[Token, ...]) -> frozenset[str]:
    return frozenset(token.norm for token in found if token.kind != "stop")
