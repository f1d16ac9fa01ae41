"""A source as it is read for claims: its sentences, and the few stretches that may speak of one."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from typing import Final, NamedTuple

from halubot.compare.tokens import Token, Worded, content_norms, tokens
from halubot.text import Span, word_set
from halubot.values import Value, find

NEAREST: Final = 3
"""Sentences of a source that are read for a claim. Three windows found .80 of errors at .05 false
alarms where one found .72 (a trained trial, everyday set, reference given)."""

CONSIDERED: Final = 12
"""Sentences, the nearest ones, in which another value or name is looked for."""

_LONG: Final = 6
"""Words added to the length of a sentence, so that a short one does not win by its shortness."""

_NEW: Final = 1.0
"""The weight of a word that the source does not have."""


class Window(NamedTuple):
    """Words of a source. ``span`` is their place; sentences that do not stand together have that
    of the nearest one. ``sentences`` are their numbers."""

    span: Span
    text: str
    sentences: tuple[int, ...] = ()


class SourceText:
    """A source cut into sentences, with what each of their words weighs."""

    def __init__(self, source: Worded) -> None:
        self._source = source
        self._plain = source.document.plain
        self.sentences = source.document.sentences
        self.words = list(_with_subjects(source.tokens))
        counts = Counter(word for words in self.words for word in words)
        total = max(1, len(self.sentences))
        self._weights = {word: math.log(1 + total / count) for word, count in counts.items()}
        self._holding: dict[str, list[int]] = {}
        for place, words in enumerate(self.words):
            for word in words:
                self._holding.setdefault(word, []).append(place)
        self._values: dict[int, tuple[Value, ...]] = {}

    @property
    def text(self) -> str:
        """The source without markup; places of windows and values are places in it."""
        return self._plain

    @cached_property
    def folded(self) -> str:
        """The source in lower case, its words one space apart."""
        return " ".join(self._plain.casefold().split())

    def has(self, word: str) -> bool:
        """Return True if the source has a content word, in the form in which words compare."""
        return word in self._weights

    @cached_property
    def values(self) -> tuple[Value, ...]:
        """The values of the whole source."""
        return tuple(value for at in range(len(self.sentences)) for value in self.values_of(at))

    def values_of(self, sentence: int) -> tuple[Value, ...]:
        """Return the values of one sentence."""
        if sentence not in self._values:
            self._values[sentence] = find(self._plain, *self.sentences[sentence])
        return self._values[sentence]

    def tokens_of(self, sentence: int) -> tuple[Token, ...]:
        """Return the tokens of one sentence."""
        return self._source.tokens[sentence]

    def nearest(self, words: Collection[str]) -> list[int]:
        """Return the sentences that hold most of some content words, by weight, the nearest
        first; the first sentences of the source if none holds any."""
        scores = dict.fromkeys(range(min(NEAREST, len(self.sentences))), 0.0)
        for word in words:
            for place in self._holding.get(word, ()):
                scores[place] = scores.get(place, 0.0) + self._weights[word]
        return sorted(
            scores, key=lambda at: (-scores[at] / (_LONG + len(self.words[at])) ** 0.35, at)
        )

    def share(self, words: Collection[str], *sentences: int) -> float:
        """Return the share of some content words that sentences hold, by weight, in [0, 1]."""
        own = frozenset[str]().union(*(self.words[sentence] for sentence in sentences))
        weighed = [(self._weights.get(word, _NEW), word in own) for word in words]
        whole = sum(weight for weight, _ in weighed)
        return sum(weight for weight, held in weighed if held) / whole if whole else 0.0

    def windows(self, claim: str) -> list[Window]:
        """Return the nearest sentence to a claim, the same with its neighbours, and the nearest
        sentences together in their order; without repetition, none if the source is empty."""
        if not self.sentences:
            return []
        order = self.nearest(content_of(claim))
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

    def window_before(self, sentence: int) -> str:
        """Return a sentence after the one before it, which may name what it speaks of."""
        return self._window([*range(max(0, sentence - 1), sentence + 1)]).text

    def _window(self, places: list[int]) -> Window:
        spans = [self.sentences[place] for place in places]
        text = " ".join(words_of(self._plain[slice(*span)]) for span in spans)
        return Window((spans[0][0], spans[-1][1]), text, tuple(places))


def _with_subjects(sentences: Iterable[tuple[Token, ...]]) -> Iterator[frozenset[str]]:
    """Yield the content words of each sentence; of one that opens with a pronoun also those of the
    name that the last sentence with a name for its subject opens with."""
    subject = frozenset[str]()
    for found in sentences:
        words = content_norms(found)
        if found and found[0].text.casefold() in _PRONOUNS:
            yield words | subject
            continue
        opening = [token.norm for token in found[:_OPENING] if token.kind == "name"]
        if opening:
            subject = frozenset(opening)
        yield words


_PRONOUNS: Final = word_set("he she it they his her its their this these")
_OPENING: Final = 5
"""Words of a sentence among which the name of its subject stands."""


def content_of(text: str) -> frozenset[str]:
    """Return the content words of a text, in the form in which words compare."""
    return content_norms(tokens(text, 0, len(text)))


def words_of(text: str) -> str:
    """Return a text in one line with single spaces."""
    return _SPACES.sub(" ", text).strip(" ,;:|")


_SPACES: Final = re.compile(r"\s+")
