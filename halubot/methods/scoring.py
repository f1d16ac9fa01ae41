"""Sentence scores from words alone.

What the sources leave open of a sentence is its doubt: one less their mean support (see
`halubot.match.support`), and a little more where they do not agree among themselves on what they
say of it. ``score`` is the doubt of one sentence on a scale where 0.5 divides. ``rank`` comes
half from it and half from the level of the whole message; it only orders.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from halubot.match.support import WEIGHTS, Sources, Weights
from halubot.match.words import Token, Worded, tokens, worded
from halubot.text import Document, Span


class SentenceScore(NamedTuple):
    """``score`` of a sentence's own evidence, ``rank`` with the message's level mixed in;
    both in [0, 1], 0 consistent, 1 hallucinated."""

    score: float
    rank: float


@dataclass(frozen=True, slots=True)
class Habits:
    """What was seen on one data set (WikiBio: GPT-3 on people's lives) and may not hold
    elsewhere; `NO_HABITS` does without.

    ``year``: doubt for a year that no source has, less for one that some have. Mostly a prior:
    sentences with years are wrong more often there. ``hedge``: taken off where a sentence
    praises or stays vague (`HEDGES`), which people rarely mark as wrong. ``sharpness``: the
    exponent of support; above 1, being borne out in half counts less than half.
    """

    year: float = 0.1
    hedge: float = 0.04
    sharpness: float = 1.5


HABITS: Final = Habits()
NO_HABITS: Final = Habits(year=0.0, hedge=0.0, sharpness=1.0)
HEDGES: Final = re.compile(
    r"\b(?:known for|considered|regarded|one of|various|several|many|numerous|widely|variety"
    r"|renowned|prolific|acclaimed|recogni[sz]ed)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Constants:
    """Chosen by ``benchmarks/fit_consensus.py`` in five folds over the passages of WikiBio.

    ``prefix``: letters by which ordinary words meet in samples. ``agreement``: doubt where the
    samples agree on nothing. ``usual``: how far samples usually agree in all they say. ``middle``:
    the doubt that becomes a score of 0.5. ``width`` and ``spread``: how slowly the score moves
    away from it; many sources make it surer, ``width + spread / sources``.
    """

    weights: Weights = WEIGHTS
    prefix: int = 3
    agreement: float = 0.25
    usual: float = 0.25
    middle: float = 1.15
    width: float = 0.1
    spread: float = 0.1
    habits: Habits = HABITS


CONSTANTS: Final = Constants()
FITTED_ON: Final = "WikiBio GPT-3, three quarters of its passages"

_YEAR: Final = re.compile(r"(?:1\d|20)\d\d")
_IS: Final = frozenset({"is", "are", "was", "were"})


class Scorer:
    """Scores the sentences, or any other spans, of one message by its sources.

    ``subject`` is whom or what the message is about: its name is in every sentence of every
    source and tells nothing, so it does not count. All references together are one source, read
    to the letter; it outweighs the samples as far as it speaks of the words in question. Samples
    may also come one by one, so that none has to be kept.
    """

    def __init__(
        self,
        message: Document | Worded,
        samples: Sequence[Document | Worded] = (),
        references: Sequence[Document | Worded] = (),
        subject: str | None = None,
        *,
        constants: Constants = CONSTANTS,
    ) -> None:
        own = worded(message)
        self._plain = own.document.plain
        self._tokens = [token for sentence in own.tokens for token in sentence]
        self._starts = [token.start for token in self._tokens]
        self._constants = constants
        about = _about(subject)
        rough, inflected = constants.prefix, own.document.language not in ("en", "und")
        self._samples = Sources(
            ((sample,) for sample in samples),
            without=about,
            weights=constants.weights,
            prefix=rough,
        )
        self._references = Sources(
            [references],
            without=about,
            weights=constants.weights,
            prefix=rough if inflected else 0,
        )

    def hear(self, sample: Document | Worded) -> bool:
        """Adds one more sample; whether it holds a content word at all."""
        before = self._samples.count
        self._samples.add((sample,))
        return self._samples.count > before

    @property
    def width(self) -> float:
        """How much more doubt makes one unit more of log-odds."""
        sources = self._samples.count + self._references.count
        return self._constants.width + self._constants.spread / max(1, sources)

    def odds(self, spans: Sequence[Span]) -> float:
        """The log-odds that what the words in these spans say is wrong, by the sources' words.
        0 where they hold no content word, or no source does."""
        found = [token for span in spans for token in self._inside(span)]
        hedged = any(HEDGES.search(self._plain, start, end) for start, end in spans)
        doubt, _ = _doubt(found, hedged, self._samples, self._constants)
        other, voice = _doubt(found, hedged, self._references, self._constants)
        if other is not None:
            doubt = other if doubt is None else voice * other + (1 - voice) * doubt
        return 0.0 if doubt is None else (doubt - self._constants.middle) / self.width

    def shares(self, spans: Sequence[Span]) -> tuple[float, ...]:
        """How far each sample that has a content word bears out the words in these spans, in
        [0, 1]; in the order in which they were heard."""
        found = [token for span in spans for token in self._inside(span)]
        return self._samples.support(self._samples.words(found)).shares

    def level(self, odds: Sequence[float]) -> float:
        """The level of a message whose sentences have these odds: their mean, where the agreement
        of the samples in all they say counts as one sentence more, so that a message of a
        single sentence has a level too."""
        known = list(odds)
        agreement = self._samples.agreement()
        if agreement is not None:
            known.append((self._constants.usual - agreement) / self.width)
        return sum(known) / max(1, len(known))

    def _inside(self, span: Span) -> list[Token]:
        first = bisect_left(self._starts, span[0])
        last = bisect_left(self._starts, span[1])
        return self._tokens[first:last]


def score_sentences(
    message: Document,
    samples: Sequence[Document],
    references: Sequence[Document],
    subject: str | None,
    *,
    constants: Constants = CONSTANTS,
) -> list[SentenceScore]:
    """The scores of all sentences of a message, in order (see `Scorer`). One without a
    content word, or any where no source has one, scores 0.5. Raises ValueError where there are
    neither samples nor references."""
    if not samples and not references:
        raise ValueError("scoring needs samples or references")
    scorer = Scorer(message, samples, references, subject, constants=constants)
    odds = [scorer.odds([span]) for span in message.sentences]
    level = scorer.level(odds)
    return [SentenceScore(logistic(own), logistic((own + level) / 2)) for own in odds]


def message_score(scores: Sequence[float]) -> float | None:
    """One score for a message whose statements have these scores: D / (1 + D), where D, their
    sum, is how many wrong ones to expect. 0.5 means one; None where there is none."""
    expected = sum(scores)
    return expected / (1 + expected) if scores else None


def _doubt(
    found: Sequence[Token], hedged: bool, sources: Sources, constants: Constants
) -> tuple[float | None, float]:
    """What these sources leave open of a sentence, about 0 to 1.35, None where either side has
    no word; and how far they speak of it, in [0, 1]."""
    words = sources.words(found)
    if not words or not sources.count:
        return None, 0.0
    habits = constants.habits
    support = sources.support(words)
    borne_out = sum(math.pow(share, habits.sharpness) for share in support.shares)
    doubt = 1 - borne_out / sources.count
    doubt += constants.agreement * (1 - sources.agreement_on(support))
    years = [sources.holders(word) for word in words if _YEAR.fullmatch(word)]
    if years:
        doubt += habits.year * (1 - min(years) / sources.count)
    if hedged:
        doubt -= habits.hedge
    return doubt, max((share for share, _ in support.nearest), default=0.0)


def _about(subject: str | None) -> frozenset[str]:
    """The words of a subject's name; of a whole sentence given as subject, those before "is"."""
    words = []
    for token in tokens(subject or "", 0, len(subject or "")):
        if token.norm in _IS:
            break
        words.append(token.norm)
    return frozenset(words)


def logistic(value: float) -> float:
    """The probability of these log-odds."""
    return 1 / (1 + math.exp(-value))
