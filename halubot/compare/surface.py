"""Plain signals of a message: the share of its words, of its bigrams, and of its pairs of
neighbouring content words, that no source has.

They know nothing of meaning: every paraphrase raises them, and a wrong number raises them by one
word. Where text was mostly copied they order well (summaries of CNN/DM), so they may enter a rank,
which only orders, and never a score, which decides verdicts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from halubot.compare.tokens import STOP_WORDS, Token, Worded, with_tokens
from halubot.text import Document

# A token such as "28.4" or "don't" counts as two words. On QAGS-CNN/DM (development part) unseen
# pairs of such words reach an AUROC of 0.836, those of whole tokens 0.817 and of stems 0.809.
_WORD: Final = re.compile(r"\w+")

NEAR: Final = 2
"""Content words of a source that follow each other at this distance or less are a pair. With 1 a
summary that drops an adjective has an unseen pair: AUROC 0.868 on QAGS-CNN/DM, with 2 0.884."""


class Surface:
    """The words and pairs of words of all sources, found once for several texts."""

    def __init__(self, sources: Sequence[Document | Worded]) -> None:
        self._words: set[str] = set()
        self._bigrams: set[tuple[str, str]] = set()
        self._pairs: set[tuple[str, str]] = set()
        for source in sources:
            words = tuple(_words(_all_tokens(source)))
            self._words.update(words)
            self._bigrams.update(pairwise(words))
            for sentence in with_tokens(source).tokens:
                content = _content(sentence)
                for distance in range(1, NEAR + 1):
                    self._pairs.update(zip(content, content[distance:], strict=False))

    def unseen_words(self, tokens: Iterable[Token]) -> float:
        """Return the share of the words that no source has, from 0 to 1; 0 without a word."""
        unseen = [word not in self._words for word in _words(tokens)]
        return sum(unseen) / max(1, len(unseen))

    def unseen_bigrams(self, tokens: Iterable[Token]) -> float:
        """Return the share of the pairs of neighbouring words that no source has next to each
        other in this order, from 0 to 1; 0 with less than two words."""
        unseen = [pair not in self._bigrams for pair in pairwise(_words(tokens))]
        return sum(unseen) / max(1, len(unseen))

    def unseen_pairs(self, sentences: Iterable[Iterable[Token]]) -> float:
        """Return the share of the pairs of neighbouring content words of these sentences that no
        sentence of a source has near each other in this order, from 0 to 1; 0 without a pair."""
        unseen = [
            pair not in self._pairs
            for sentence in sentences
            for pair in pairwise(_content(sentence))
        ]
        return sum(unseen) / max(1, len(unseen))


def unseen_words(message: Document | Worded, sources: Sequence[Document | Worded]) -> float:
    """Return the share of the words of a message that no source has, from 0 to 1.

    Case is ignored, function words count, and a word that occurs twice counts twice. Takes time
    linear in the length of all texts.
    """
    return Surface(sources).unseen_words(_all_tokens(message))


def unseen_bigrams(message: Document | Worded, sources: Sequence[Document | Worded]) -> float:
    """Return the share of the pairs of neighbouring words of a message that no source has, from 0
    to 1; counted as by `unseen_words`. The last word of a sentence and the first of the next are a
    pair too."""
    return Surface(sources).unseen_bigrams(_all_tokens(message))


def unseen_pairs(message: Document | Worded, sources: Sequence[Document | Worded]) -> float:
    """Return the share of the pairs of neighbouring content words of a message that no sentence of
    a source has near each other in the same order, from 0 to 1.

    Function words are skipped, and a source may have one more content word in between, so a copied
    sentence that was shortened has few unseen pairs, and one made of two sentences has some. Takes
    time linear in the length of all texts.
    """
    return Surface(sources).unseen_pairs(with_tokens(message).tokens)


def _all_tokens(text: Document | Worded) -> Iterator[Token]:
    for sentence in with_tokens(text).tokens:
        yield from sentence


def _content(tokens: Iterable[Token]) -> list[str]:
    return [word for word in _words(tokens) if word not in STOP_WORDS]


def _words(tokens: Iterable[Token]) -> Iterator[str]:
    for token in tokens:
        yield from _WORD.findall(token.text.casefold())
