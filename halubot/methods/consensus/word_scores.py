"""Sentence scores from words alone.

What the sources leave open of a sentence is its doubt: one less their mean support (see
`halubot.compare.support`), and a little more if they do not agree among themselves on what they
say of it. ``score`` is the doubt of one sentence on a scale if 0.5 divides. ``rank`` comes
half from it and half from the level of the whole message; it only orders.

With samples and references both, the log-odds of either add up, those of the references as far as
they speak of the words in question:

    odds = by samples + beside * voice * by references
    level = that of the samples alone

for what a reference leaves out of a message says nothing of the rest of it.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from halubot.compare.support import Sources
from halubot.compare.tokens import Token, Worded, tokens, with_tokens
from halubot.text import Document, Span

HEDGES: Final = re.compile(
    r"\b(?:known for|considered|regarded|one of|various|several|many|numerous|widely|variety"
    r"|renowned|prolific|acclaimed|recogni[sz]ed)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Constants:
    """Chosen in five folds over the passages of WikiBio.

    ``prefix``: letters by which ordinary words meet in samples. ``agreement``: doubt if the
    samples agree on nothing. ``usual``: how far samples usually agree in all they say. ``middle``:
    the doubt that becomes a score of 0.5. ``width`` and ``spread``: how slowly the score moves
    away from it; many sources make it surer, ``width + spread / sources``. ``beside``: what the
    references' words count beside those of samples.

    The last three are habits of that data (GPT-3 on people's lives) and may not hold elsewhere.
    ``year``: doubt for a year that no source has, less for one that some have. Mostly a prior:
    sentences with years are wrong more often there. ``hedge``: taken off if a sentence praises or
    stays vague (`HEDGES`), which people rarely mark as wrong. ``sharpness``: the exponent of
    support; above 1, being borne out in half counts less than half.
    """

    prefix: int = 3
    agreement: float = 0.25
    usual: float = 0.25
    middle: float = 1.15
    width: float = 0.1
    spread: float = 0.1
    beside: float = 2.0
    year: float = 0.1
    hedge: float = 0.04
    # The cube is best on WikiBio and does not carry over: with it the AUROC on PHD, with three
    # samples, fell from 0.636 to 0.594.
    sharpness: float = 1.5


CONSTANTS: Final = Constants()
FITTED_ON: Final = "WikiBio GPT-3, three quarters of its passages"

_YEAR: Final = re.compile(r"(?:1\d|20)\d\d")
_IS: Final = frozenset({"is", "are", "was", "were"})


class Scorer:
    """Scores the sentences, or any other spans, of one message by its sources.

    ``subject`` is whom or what the message is about: its name is in every sentence of every
    source and tells nothing, so it does not count. All references together are one source, read
    to the letter; if it speaks of the words in question it counts more than all samples. These
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
        own = with_tokens(message)
        self._plain = own.document.plain
        self._tokens = [token for sentence in own.tokens for token in sentence]
        self._starts = [token.start for token in self._tokens]
        self._constants = constants
        about = _about(subject)
        # Samples say the same freely, so words meet by their first letters. A reference is read to
        # the letter, but in a language with many endings.
        rough, inflected = constants.prefix, own.document.language not in ("en", "und")
        self._samples = Sources(
            ((sample,) for sample in samples),
            without=about,
            prefix=rough,
        )
        self._references = Sources(
            [references],
            without=about,
            prefix=rough if inflected else 0,
            digits=True,
        )

    def hear(self, sample: Document | Worded) -> bool:
        """Adds one more sample; whether it holds a content word at all."""
        before = self._samples.count
        self._samples.add((sample,))
        return self._samples.count > before

    @property
    def width(self) -> float:
        """Return how much more doubt makes one unit more of log-odds: by the samples; by the
        references if there is no sample."""
        return self._width(self._samples.count or self._references.count)

    def odds(self, spans: Sequence[Span]) -> float:
        """The log-odds that what the words in these spans say is wrong, by the sources' words.
        0 if they hold no content word, or no source does."""
        own = self._odds(spans, self._samples)
        other = self._odds(spans, self._references)
        if own is None or other is None:
            return next((found.odds for found in (own, other) if found is not None), 0.0)
        return own.odds + self._constants.beside * other.voice * other.odds

    def odds_by_samples(self, spans: Sequence[Span]) -> float:
        """The same by the samples alone; by the references if there is no sample."""
        if not self._samples.count:
            return self.odds(spans)
        own = self._odds(spans, self._samples)
        return 0.0 if own is None else own.odds

    def shares(self, spans: Sequence[Span]) -> tuple[float, ...]:
        """Return how far each sample that has a content word bears out the words in these spans, in
        [0, 1]; in the order in which they were heard."""
        found = [token for span in spans for token in self._inside(span)]
        return self._samples.support(self._samples.words(found)).shares

    def level(self, odds: Sequence[float]) -> float:
        """The level of a message whose sentences have these odds by its samples: their mean, if
        the agreement of the samples in all they say counts as one sentence more, so that a message
        of a single sentence has a level too."""
        known = list(odds)
        agreement = self._samples.agreement()
        if agreement is not None:
            # How far samples agree tells of a message without reading it: by itself 91.0 / 65.8 on
            # WikiBio (AUC-PR), against 91.6 / 72.0 for the words of a lone sentence.
            known.append((self._constants.usual - agreement) / self.width)
        return sum(known) / max(1, len(known))

    def _odds(self, spans: Sequence[Span], sources: Sources) -> _Side | None:
        """Return what one kind of sources says; None if either side has no content word."""
        if not sources.count:
            return None
        words = sources.words([token for span in spans for token in self._inside(span)])
        if not words:
            return None
        hedged = any(HEDGES.search(self._plain, start, end) for start, end in spans)
        doubt, voice = _doubt(words, hedged, sources, self._constants)
        return _Side((doubt - self._constants.middle) / self._width(sources.count), voice)

    def _width(self, sources: int) -> float:
        return self._constants.width + self._constants.spread / max(1, sources)

    def _inside(self, span: Span) -> list[Token]:
        first = bisect_left(self._starts, span[0])
        last = bisect_left(self._starts, span[1])
        return self._tokens[first:last]


def message_score(scores: Sequence[float]) -> float | None:
    """One score for a message whose statements have these scores: D / (1 + D), if D, their
    sum, is how many wrong ones to expect. 0.5 means one; None if there is none."""
    # Written so that rounding never lowers it for one more.
    return 1 - 1 / (1 + math.fsum(scores)) if scores else None


_CONTRADICTED: Final = 0.1


def beside_references(odds: Sequence[float], *, contradicted: bool) -> float | None:
    """Return the score of a message beside references alone, in [0, 1]: from how many of its
    sentences they leave open by their words, and a little more if they contradict a fact. None
    without a sentence.

    On development parts (AUROC; SummEdits: balanced accuracy), without and with the contradiction:
    QAGS-CNN/DM 0.74, 0.72; QAGS-XSum 0.70, 0.71; FaithBench 0.72, 0.72; SummEdits 0.54, 0.56."""
    return message_score([logistic(own) for own in odds] + [_CONTRADICTED] * contradicted)


_COPIED: Final = 0.1


def worded_freely(unseen: float) -> float:
    """Return how freely a message is worded beside its references, in [0, 1]: 1 if at least a tenth
    of its pairs of content words is ``unseen`` there, which any free text has.

    In a text that is mostly copied, what was not copied is the best sign of an error (QAGS-CNN/DM:
    AUROC of ranks 0.71 without, 0.88 with it); in others it tells nothing (WikiBio, QAGS-XSum)."""
    return min(unseen, _COPIED) / _COPIED


def rank_of(own: float, level: float, freedom: float | None = None) -> float:
    """Return the rank of a fact or sentence: half its own log-odds and half the message's level;
    and half of that beside how freely the message is worded, if that is known."""
    mixed = logistic((own + level) / 2)
    return mixed if freedom is None else (mixed + freedom) / 2


class _Side(NamedTuple):
    """The log-odds by one kind of sources, and how far they speak of the words, in [0, 1]."""

    odds: float
    voice: float


def _doubt(
    words: dict[str, float], hedged: bool, sources: Sources, constants: Constants
) -> tuple[float, float]:
    """Return what these sources leave open of some words, about 0 to 1.35; and how far they speak
    of them, in [0, 1]."""
    support = sources.support(words)
    borne_out = sum(math.pow(share, constants.sharpness) for share in support.shares)
    doubt = 1 - borne_out / sources.count
    doubt += constants.agreement * (1 - sources.agreement_on(support))
    # The least supported year: one that is right says nothing of another beside it.
    years = [sources.holders(word) for word in words if _YEAR.fullmatch(word)]
    if years:
        doubt += constants.year * (1 - min(years) / sources.count)
    if hedged:
        doubt -= constants.hedge
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
