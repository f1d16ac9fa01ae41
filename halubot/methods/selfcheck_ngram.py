"""`selfcheck-ngram`: how rare a sentence's words are in other answers (SelfCheckGPT, n = 1).

A unigram model is counted over the samples and the message itself, so that every word of the
message has a probability without further smoothing, as published. A sentence is as doubtful as
its rarest word. Word order and facts play no part: it is a baseline to compare with.

Apart from `selfcheck-prompt`, because this method asks no model and should load none.

Source: Manakul, Liusie, Gales, "SelfCheckGPT" (EMNLP 2023), arXiv:2303.08896.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from halubot.compare.tokens import tokens
from halubot.events import Event, Labelled, Note, Ranked, SentenceJudged
from halubot.methods.registry import Case, Size
from halubot.report import Threshold, Verdict

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
    ln(1 / words in all): 1 if a word stands nowhere but in this sentence, 0 if the texts
    hold one word only. ``rank`` is that rarity x itself as x / (x + ln 1000), which keeps the
    published order also between messages with more and with fewer samples. The published figures,
    the largest and the mean of -log p a sentence, are under ``details``.
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
        """The verdict on each sentence, the published figures, then the ranks; no facts.

        The message's score is the mean over its sentences, None if none has a word.
        Raises SettingError for any option: there is none.
        """
        case.refuse_options(self.name)
        if case.references:
            yield Note(
                what="references were left out", why="selfcheck-ngram compares with samples only"
            )
        message = case.message
        sentences = [message.plain[start:end] for start, end in message.sentences]
        # With the message itself, so that no word has a probability of 0, as published.
        counts = Unigrams([*(source.text or "" for source in case.samples), *sentences])
        rarities = [counts.rarity(sentence) for sentence in sentences]
        scores = [_score(rarity, counts.total) for rarity in rarities]
        threshold = case.limit(self.default_threshold)
        for index, (rarity, score) in enumerate(zip(rarities, scores, strict=True)):
            yield _judge(index, rarity, score, threshold)
        yield Labelled(
            details={
                "max_neg_log_p": [None if r is None else round(r.largest, 6) for r in rarities],
                "mean_neg_log_p": [None if r is None else round(r.mean, 6) for r in rarities],
            }
        )
        known = [score for score in scores if score is not None]
        yield Ranked(
            score=math.fsum(known) / len(known) if known else None,
            facts=(),
            sentences=tuple(
                None if r is None else r.largest / (r.largest + HALF_RANK) for r in rarities
            ),
        )


def _words(text: str) -> list[str]:
    return [token.text.casefold() for token in tokens(text, 0, len(text))]


def _score(rarity: Rarity | None, total: int) -> float | None:
    if rarity is None:
        return None
    return min(1.0, rarity.largest / math.log(total)) if total > 1 else 0.0


def _judge(
    index: int, rarity: Rarity | None, score: float | None, threshold: float
) -> SentenceJudged:
    if rarity is None or score is None:
        return SentenceJudged(
            index=index, score=None, verdict="not_checked", reason="the sentence has no word"
        )
    verdict: Verdict = "doubtful" if score >= threshold else "supported"
    return SentenceJudged(
        index=index,
        score=score,
        verdict=verdict,
        reason=f"its rarest word in the other answers is {rarity.word!r}",
    )


METHOD = SelfCheckNgram()
