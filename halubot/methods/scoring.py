"""Sentence scores from words alone: how well samples or a reference bear a sentence out.

A sentence is cut into content words, each with a weight: rare words weigh more, numbers and
names more again. A word counts as borne out by a source as far as the best sentence of that
source holding it also holds the rest of the sentence, by weight; the support of a source is the
weighted mean over the words. What is left of the mean support over all sources is the doubt.
To it come two things that the same sentences tell: whether a year is named that the sources do
not have, and whether the samples agree among themselves where they speak of this.

``score`` is this doubt of one sentence, set on a scale where 0.5 divides. ``rank`` is half the
score and half the level of the whole message; it only orders.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from halubot.match.words import Token, TokenKind, tokens
from halubot.text import Document


class SentenceScore(NamedTuple):
    """``score`` of a sentence's own evidence, ``rank`` with the message's level mixed in;
    both in [0, 1], 0 consistent, 1 hallucinated."""

    score: float
    rank: float


@dataclass(frozen=True, slots=True)
class Habits:
    """What was seen on one data set (WikiBio: GPT-3 on people) and need not hold elsewhere.

    ``year``: doubt for a year that no source has; sentences with years are wrong more often
    there. ``hedge``: taken off where the sentence praises or stays vague ("one of the most"),
    which people rarely mark as wrong. ``sharpen``: how much nearer to all-or-nothing the support
    of many samples counts (its exponent rises from 1 to 1 + sharpen with their number).
    """

    year: float = 0.1
    hedge: float = 0.04
    sharpness: float = 1.5


NO_HABITS: Final = Habits(year=0.0, hedge=0.0, sharpness=1.0)


@dataclass(frozen=True, slots=True)
class Constants:
    """Chosen by ``benchmarks/fit_consensus.py`` in five folds over the passages of WikiBio."""

    number: float = 4.0
    name: float = 3.0
    prefix: int = 4
    agreement: float = 0.25
    candidates: int = 64
    usual: float = 0.25
    middle: float = 1.15
    width: float = 0.1
    spread: float = 0.1
    habits: Habits = field(default_factory=Habits)


CONSTANTS: Final = Constants()

_YEAR: Final = re.compile(r"(?:1\d|20)\d\d")
_IS: Final = frozenset({"is", "are", "was", "were"})
HEDGES: Final = re.compile(
    r"\b(?:known for|considered|regarded|one of|various|several|many|numerous|widely|variety"
    r"|renowned|prolific|acclaimed|recogni[sz]ed)\b",
    re.IGNORECASE,
)


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
    source and says nothing, so its words do not count. All references together are one source.
    With samples and references both, the reference outweighs. A sentence without a word, or
    sources without one, score 0.5. Raises ValueError where there is no source at all.
    """
    if not samples and not references:
        raise ValueError("sentences need samples or references to be scored by")
    about = _about(subject)
    spoken = Sources([[sample] for sample in samples], about, constants, rough=True)
    rough = message.language not in ("en", "und")
    written = Sources([references] if references else [], about, constants, rough=rough)
    doubts = []
    for start, end in message.sentences:
        found = tokens(message.plain, start, end)
        hedged = HEDGES.search(message.plain, start, end) is not None
        doubt, _ = spoken.doubt(found, hedged)
        second, voice = written.doubt(found, hedged)
        if second is not None:
            doubt = second if doubt is None else voice * second + (1 - voice) * doubt
        doubts.append(constants.middle if doubt is None else doubt)
    level = _level(doubts, spoken, constants)
    width = constants.width + constants.spread / max(1, spoken.count + written.count)
    return [
        SentenceScore(
            _logistic((doubt - constants.middle) / width),
            _logistic(((doubt + level) / 2 - constants.middle) / width),
        )
        for doubt in doubts
    ]


def _level(doubts: Sequence[float], samples: Sources, constants: Constants) -> float:
    """The mean doubt of a message. How far the samples agree in all they say counts as one
    sentence more, so that a message of one sentence has a level too."""
    known = list(doubts)
    if samples.count > 1:
        known.append(constants.middle + constants.usual - samples.agreement())
    return sum(known) / max(1, len(known))


def message_score(scores: Sequence[float]) -> float | None:
    """One score for a message of these sentence scores: D / (1 + D), where D, their sum, is how
    many wrong sentences to expect. 0.5 means one; None where there is no sentence."""
    expected = sum(scores)
    return expected / (1 + expected) if scores else None


class Sources:
    """The sentences of some sources under the words they hold.

    A source is a group of documents. In rough comparison ordinary words meet by their first
    letters, since samples say the same with "lawyer" and "law", and since endings are only
    known for English.
    """

    def __init__(
        self,
        groups: Sequence[Sequence[Document]],
        about: frozenset[str],
        constants: Constants,
        *,
        rough: bool,
    ) -> None:
        self._about = about
        self._constants = constants
        self._prefix = constants.prefix if rough else 0
        self._sentences: list[dict[str, float]] = []
        self._owner: list[int] = []
        self._places: dict[str, list[int]] = {}
        self._holders: dict[str, int] = {}
        self._agreements: dict[int, float] = {}
        self.count = 0
        for documents in groups:
            before = len(self._sentences)
            for document in documents:
                for start, end in document.sentences:
                    words = self._words(tokens(document.plain, start, end))
                    if words:
                        self._add(words)
            self.count += len(self._sentences) > before

    def _add(self, words: dict[str, float]) -> None:
        number = len(self._sentences)
        for word in words:
            places = self._places.setdefault(word, [])
            if not places or self._owner[places[-1]] != self.count:
                self._holders[word] = self._holders.get(word, 0) + 1
            places.append(number)
        self._sentences.append(words)
        self._owner.append(self.count)

    def _words(self, found: Sequence[Token]) -> dict[str, float]:
        """The content words of a sentence in the form they are compared in, with the weight of
        their kind."""
        weights: dict[TokenKind, float] = {
            "word": 1.0,
            "name": self._constants.name,
            "number": self._constants.number,
        }
        words: dict[str, float] = {}
        for token in found:
            if token.kind == "stop" or token.norm in self._about:
                continue
            word = token.norm
            if self._prefix and token.kind == "word" and len(word) >= self._prefix:
                word = word[: self._prefix] + "-"
            words[word] = max(words.get(word, 0.0), weights[token.kind])
        return words

    def _weighed(self, words: dict[str, float]) -> dict[str, float]:
        """The weights of words, the rarer in the sources the heavier; their sum is 1."""
        total = len(self._sentences) + 1
        weighed = {
            word: weight * math.log(1 + total / (1 + len(self._places.get(word, ()))))
            for word, weight in words.items()
        }
        whole = sum(weighed.values())
        return {word: weight / whole for word, weight in weighed.items()}

    def doubt(self, found: Sequence[Token], hedged: bool) -> tuple[float | None, float]:
        """What the sources leave open of a sentence, about 0 to 1.3, None where either side has
        no word; and the largest share of it, by weight, that one sentence of theirs holds."""
        words = self._weighed(self._words(found))
        if not words or not self.count:
            return None, 0.0
        constants, habits = self._constants, self._constants.habits
        support, best = self._support(words)
        doubt = 1 - sum(math.pow(share, habits.sharpness) for share in support) / self.count
        years = [self._holders.get(word, 0) for word in words if _YEAR.fullmatch(word)]
        if years:
            doubt += habits.year * (1 - min(years) / self.count)
        if hedged:
            doubt -= habits.hedge
        doubt += constants.agreement * (1 - self._agreement(best))
        return doubt, max((share for share, _ in best), default=0.0)

    def _support(self, words: dict[str, float]) -> tuple[list[float], list[tuple[float, int]]]:
        """For each source how far it bears these words out; and for each that holds any of them
        (the share it holds, the sentence that does)."""
        covered = self._covered(words)
        best: dict[int, tuple[float, int]] = {}
        for number, share in covered.items():
            owner = self._owner[number]
            if owner not in best or share > best[owner][0]:
                best[owner] = (share, number)
        support = [0.0] * self.count
        for word, weight in words.items():
            company: dict[int, float] = {}
            for number in self._near(word, covered):
                owner = self._owner[number]
                share = covered[number]
                if share > company.get(owner, 0.0):
                    company[owner] = share
            for owner, share in company.items():
                support[owner] += weight * share
        return support, list(best.values())

    def _covered(self, words: dict[str, float]) -> dict[int, float]:
        """The sentences of the sources that hold any of these words, each with the weight held.
        A word that very many sentences hold does not bring in new ones, or the time would grow
        with the square of the length."""
        limit = self._constants.candidates * self.count
        covered: dict[int, float] = {}
        common = []
        for word in sorted(words, key=lambda word: len(self._places.get(word, ()))):
            places = self._places.get(word, [])
            if len(places) > limit:
                if covered:
                    common.append(word)
                    continue
                places = places[:limit]
            for number in places:
                covered[number] = covered.get(number, 0.0) + words[word]
        for word in common:
            for number in covered:
                if word in self._sentences[number]:
                    covered[number] += words[word]
        return covered

    def _near(self, word: str, covered: dict[int, float]) -> Iterable[int]:
        places = self._places.get(word, [])
        if len(places) <= self._constants.candidates * self.count:
            return places
        return [number for number in covered if word in self._sentences[number]]

    def _agreement(self, best: Sequence[tuple[float, int]]) -> float:
        """How far the sources agree with each other where they speak of a sentence, in [0, 1]:
        what others share of the sentence that speaks of it most. Silence agrees with nothing,
        nor does a source alone."""
        if self.count == 1:
            return 0.0
        return sum(math.sqrt(share) * self._shared(number) for share, number in best) / self.count

    def agreement(self) -> float:
        """How far the sources agree with each other in all they say, in [0, 1]. At least two."""
        numbers = range(len(self._sentences))
        return sum(map(self._shared, numbers)) / len(numbers)

    def _shared(self, number: int) -> float:
        known = self._agreements.get(number)
        if known is None:
            weighed = self._weighed(self._sentences[number])
            known = sum(
                weight * (self._holders[word] - 1) / (self.count - 1)
                for word, weight in weighed.items()
            )
            self._agreements[number] = known
        return known


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
