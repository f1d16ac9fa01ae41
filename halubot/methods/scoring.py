"""Sentence scores from words alone.

What the sources leave open of a sentence is its doubt: one less their mean support (see
`halubot.match.support`), and a little more where they do not agree among themselves on what they
say of it. ``score`` is the doubt of one sentence on a scale where 0.5 divides. ``rank`` comes
half from it and half from the level of the whole message; it only orders.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from halubot.match.support import WEIGHTS, Sources, Weights
from halubot.match.words import Token, tokens
from halubot.text import Document


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
    prefix: int = 4
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


def score_sentences(
    message: Document,
    samples: Sequence[Document],
    references: Sequence[Document],
    subject: str | None,
    *,
    constants: Constants = CONSTANTS,
) -> list[SentenceScore]:
    """The scores of all sentences of a message, in order.

    ``subject`` is whom or what the message is about: its name is in every sentence of every
    source and tells nothing, so it does not count. All references together are one source, read
    to the letter; it outweighs the samples as far as it speaks of a sentence. A sentence
    without a content word, and any sentence where no source has one, scores 0.5. Raises
    ValueError where there are neither samples nor references.
    """
    if not samples and not references:
        raise ValueError("sentences need samples or references to be scored by")
    about = _about(subject)
    inflected = message.language not in ("en", "und")
    spoken = Sources(
        ([sample] for sample in samples),
        without=about,
        weights=constants.weights,
        prefix=constants.prefix,
    )
    written = Sources(
        [references],
        without=about,
        weights=constants.weights,
        prefix=constants.prefix if inflected else 0,
    )
    doubts = []
    for start, end in message.sentences:
        found = tokens(message.plain, start, end)
        hedged = HEDGES.search(message.plain, start, end) is not None
        doubt, _ = _doubt(found, hedged, spoken, constants)
        other, voice = _doubt(found, hedged, written, constants)
        if other is not None:
            doubt = other if doubt is None else voice * other + (1 - voice) * doubt
        doubts.append(constants.middle if doubt is None else doubt)
    level = _level(doubts, spoken.agreement(), constants)
    width = constants.width + constants.spread / max(1, spoken.count + written.count)
    return [
        SentenceScore(
            _logistic((doubt - constants.middle) / width),
            _logistic(((doubt + level) / 2 - constants.middle) / width),
        )
        for doubt in doubts
    ]


def message_score(scores: Sequence[float]) -> float | None:
    """One score for a message of these sentence scores: D / (1 + D), where D, their sum, is how
    many wrong sentences to expect. 0.5 means one; None where there is no sentence."""
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


def _level(doubts: Sequence[float], agreement: float | None, constants: Constants) -> float:
    """The mean doubt of a message. How far the samples agree in all they say counts as one
    sentence more, so that a message of a single sentence has a level too."""
    known = list(doubts)
    if agreement is not None:
        known.append(constants.middle + constants.usual - agreement)
    return sum(known) / max(1, len(known))


def _about(subject: str | None) -> frozenset[str]:
    """The words of a subject's name; of a whole sentence given as subject, those before "is"."""
    words = []
    for token in tokens(subject or "", 0, len(subject or "")):
        if token.norm in _IS:
            break
        words.append(token.norm)
    return frozenset(words)


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value))
