"""`selfcheck-ngram`: how rare a sentence's words are in other answers (SelfCheckGPT, n = 1).

A unigram model is counted over the samples and the message itself, so that every word of the
message has a probability without further smoothing, as published. A sentence is as doubtful as
its rarest word. Word order and facts play no part: it is a baseline to compare with.

Source: Manakul, Liusie, Gales, "SelfCheckGPT" (EMNLP 2023), arXiv:2303.08896.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from halubot.compare.tokens import tokens
from halubot.events import Event, Labelled, Ranked
from halubot.methods.registry import Case, Size
from halubot.methods.sample_verdicts import judge_sentence, mean
from halubot.report import Threshold

HALF_RANK = math.log(1000)
"""The rarity that ranks one half: one word in a thousand."""


@dataclass(frozen=True, slots=True)
class Rarity:
    """-log p of a sentence's words, 0 or more: the largest, the mean, and the rarest word."""

    largest: float
    mean: float
    word: str


class Unigrams:
    """Words counted over texts, case-folded."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._counts: Counter[str] = Counter()
        for text in texts:
            self._counts.update(_words(text))
        self.total = self._counts.total()

    def rarity(self, sentence: str) -> Rarity | None:
        """Return the rarity of the words of a counted sentence; None if it has no word."""
        words = _words(sentence)
        if not words:
            return None
        surprises = [math.log(self.total / self._counts[word]) for word in words]
        largest = max(surprises)
        return Rarity(largest, math.fsum(surprises) / len(words), words[surprises.index(largest)])


class SelfCheckNgram:
    """The method object.

    ``score`` is the rarity of the rarest word over the largest rarity that these texts allow,
    ln(words in all): 1 if a word stands nowhere but in this sentence, 0 if the texts hold one word
    only. ``rank`` is r / (r + ln 1000) for the rarity r of the rarest word, which keeps the
    published order between messages with more and with fewer samples. ``details`` has the published
    figures: the largest and the mean of -log p of each sentence. A message's score is the mean over
    its sentences. There are no facts.
    """

    name = "selfcheck-ngram"
    summary = "how rare a sentence's words are in other answers; no model"
    needs: tuple[str, ...] = ("samples",)
    needs_all = True
    source = "SelfCheckGPT n-gram (n = 1), arXiv:2303.08896"
    default_threshold = Threshold(
        value=0.86, fitted_on="WikiBio GPT-3, development part (Youden's J)"
    )

    def calls(self, size: Size) -> int:
        """Always 0."""
        return 0

    def judge(self, case: Case) -> Iterator[Event]:
        """The verdict on each sentence, the details, then the ranks."""
        message = case.message
        sentences = [message.plain[start:end] for start, end in message.sentences]
        # With the message itself, so that no word has a probability of 0, as published.
        counts = Unigrams([*(source.text or "" for source in case.samples), *sentences])
        rarities = [counts.rarity(sentence) for sentence in sentences]
        most = math.log(counts.total) if counts.total > 1 else math.inf
        scores = [None if one is None else min(1.0, one.largest / most) for one in rarities]
        for index, (score, rarity) in enumerate(zip(scores, rarities, strict=True)):
            reason = "the sentence has no word"
            if rarity is not None:
                reason = f"its rarest word in the other answers is {rarity.word!r}"
            yield judge_sentence(index, score, case.threshold, reason)
        published = {
            "max_neg_log_p": [None if one is None else round(one.largest, 6) for one in rarities],
            "mean_neg_log_p": [None if one is None else round(one.mean, 6) for one in rarities],
        }
        yield Labelled(details=published)
        ranks = (
            None if one is None else one.largest / (one.largest + HALF_RANK) for one in rarities
        )
        yield Ranked(score=mean(scores), facts=(), sentences=tuple(ranks))


def _words(text: str) -> list[str]:
    return [token.text.casefold() for token in tokens(text, 0, len(text))]


METHOD = SelfCheckNgram()
