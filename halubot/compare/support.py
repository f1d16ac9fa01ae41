"""How far some sources bear a sentence out, by its words alone."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from halubot.compare.tokens import Token, TokenKind, Worded, normal, with_tokens
from halubot.compare.units import CARDINALS
from halubot.text import Document

_CANDIDATES: Final = 64  # sentences a source, beyond which a word is too common to find one by


@dataclass(frozen=True, slots=True)
class Weights:
    """How many ordinary words a name and a number count for, before rarity."""

    name: float = 3.0
    number: float = 4.0


WEIGHTS: Final = Weights()


class Support(NamedTuple):
    """``shares``: how far each source bears a sentence out, in [0, 1]. ``nearest``: of each
    source that holds any word of it, the sentence that holds the most, as (share, sentence)."""

    shares: tuple[float, ...]
    nearest: tuple[tuple[float, int], ...]


class Sources:
    """The sentences of some sources under the words they hold.

    A source is a group of documents; one without a content word is left out of ``count``.
    ``without`` are norms that do not count, the name of the subject. With a ``prefix`` above 0
    ordinary words meet by that many first letters: other answers to the same question say the
    same with "lawyer" or "law", and endings are known for English only. Names and numbers
    always meet whole; with ``digits`` those below 100 also where one text writes them in words,
    which other answers to the same question rarely do. Takes time and memory linear in the length.
    """

    def __init__(
        self,
        groups: Iterable[Sequence[Document | Worded]],
        *,
        without: frozenset[str] = frozenset(),
        weights: Weights = WEIGHTS,
        prefix: int = 0,
        digits: bool = False,
    ) -> None:
        self._without = without
        self._weights = {"word": 1.0, "name": weights.name, "number": weights.number}
        self._prefix = prefix
        self._digits = digits
        self._sentences: list[dict[str, float]] = []
        self._owners: list[int] = []
        self._places: dict[str, list[int]] = {}
        self._holders: dict[str, int] = {}
        self._shared: dict[int, float] = {}
        self.count = 0
        for documents in groups:
            self.add(documents)

    def add(self, documents: Sequence[Document | Worded]) -> None:
        """Adds one more source."""
        before = len(self._sentences)
        for document in documents:
            for found in with_tokens(document).tokens:
                self._add(self._content(found))
        self.count += len(self._sentences) > before
        self._shared.clear()

    def _add(self, words: dict[str, float]) -> None:
        if not words:
            return
        number = len(self._sentences)
        for word in words:
            places = self._places.setdefault(word, [])
            if not places or self._owners[places[-1]] != self.count:
                self._holders[word] = self._holders.get(word, 0) + 1
            places.append(number)
        self._sentences.append(words)
        self._owners.append(self.count)

    def _content(self, found: Sequence[Token]) -> dict[str, float]:
        """The content words as they are compared, each with the weight of its kind."""
        words: dict[str, float] = {}
        spelt = ((token.norm, token.kind) for token in found)
        for norm, kind in _in_digits(found) if self._digits else spelt:
            word = norm
            if kind == "stop" or word in self._without:
                continue
            if kind == "word" and 0 < self._prefix <= len(word):
                word = word[: self._prefix] + "-"
            words[word] = max(words.get(word, 0.0), self._weights[kind])
        return words

    def words(self, found: Sequence[Token]) -> dict[str, float]:
        """The content words of a sentence as they are compared, with their weights, the rarer
        in the sources the heavier. The weights add up to 1; empty where there is no such word."""
        return self._weighed(self._content(found))

    def _weighed(self, words: dict[str, float]) -> dict[str, float]:
        total = len(self._sentences) + 1
        weighed = {
            word: weight * math.log(1 + total / (1 + len(self._places.get(word, ()))))
            for word, weight in words.items()
        }
        whole = sum(weighed.values())
        return {word: weight / whole for word, weight in weighed.items()}

    def holders(self, word: str) -> int:
        """How many sources hold a word (in the form of ``words``)."""
        return self._holders.get(word, 0)

    def support(self, words: dict[str, float]) -> Support:
        """How far the sources bear these words out, as ``words`` gave them.

        A word counts as far as the company it keeps: by the weight that the best sentence of a
        source holding it holds of them all. So a sentence that joins what two sentences say is
        borne out by both, and words scattered over a text are not.
        """
        covered = self._covered(words)
        nearest: dict[int, tuple[float, int]] = {}
        for number, share in covered.items():
            owner = self._owners[number]
            if owner not in nearest or share > nearest[owner][0]:
                nearest[owner] = (share, number)
        shares = [0.0] * self.count
        for word, weight in words.items():
            company: dict[int, float] = {}
            for number in self._holding(word, covered):
                owner = self._owners[number]
                company[owner] = max(company.get(owner, 0.0), covered[number])
            for owner, share in company.items():
                shares[owner] += weight * share
        return Support(tuple(min(1.0, share) for share in shares), tuple(nearest.values()))

    def _covered(self, words: dict[str, float]) -> dict[int, float]:
        """The sentences that hold any of these words, each with the weight it holds. Words that
        very many sentences hold bring in no new ones, or time would grow with the square."""
        limit = _CANDIDATES * self.count
        covered: dict[int, float] = {}
        common = []
        for word in sorted(words, key=lambda word: len(self._places.get(word, ()))):
            places = self._places.get(word, [])
            if len(places) <= limit:
                for number in places:
                    covered[number] = covered.get(number, 0.0) + words[word]
            elif covered:
                common.append(word)
            else:
                covered = dict.fromkeys(places[:limit], words[word])
        for word in common:
            for number in covered:
                if word in self._sentences[number]:
                    covered[number] += words[word]
        return covered

    def _holding(self, word: str, covered: dict[int, float]) -> Iterable[int]:
        places = self._places.get(word, [])
        if len(places) <= _CANDIDATES * self.count:
            return places
        return [number for number in covered if word in self._sentences[number]]

    def agreement_on(self, support: Support) -> float:
        """How far the sources agree with each other where they speak of a sentence, in [0, 1].
        Silence agrees with nothing, nor does a source alone: 0."""
        if self.count < 2:
            return 0.0
        agreeing = (math.sqrt(share) * self._of_others(at) for share, at in support.nearest)
        return min(1.0, sum(agreeing) / self.count)

    def agreement(self) -> float | None:
        """How far the sources agree with each other in all they say, in [0, 1]; None where
        there are not two."""
        if self.count < 2:
            return None
        numbers = range(len(self._sentences))
        return min(1.0, sum(map(self._of_others, numbers)) / len(numbers))

    def _of_others(self, number: int) -> float:
        """Of a sentence's words, by weight, the share of the other sources that hold them."""
        known = self._shared.get(number)
        if known is None:
            weighed = self._weighed(self._sentences[number])
            known = sum(
                weight * (self._holders[word] - 1) / (self.count - 1)
                for word, weight in weighed.items()
            )
            self._shared[number] = known
        return known


_ONES: Final = {normal(word): number for word, number in CARDINALS.items() if 1 < number < 10}
_OTHERS: Final = {normal(word): number for word, number in CARDINALS.items() if number >= 10}


def _in_digits(found: Sequence[Token]) -> Iterator[tuple[str, TokenKind]]:
    """The norms and kinds of tokens, numbers below 100 that are written in words as digits, which
    other texts may have: "twenty-five" is 25. "One" is mostly no number."""
    tens, end = 0, -1
    for token in found:
        one = _ONES.get(token.norm)
        if tens and one and token.start == end + 1:
            yield str(tens + one), "number"
            tens = 0
            continue
        if tens:
            yield str(tens), "number"
        tens = _OTHERS.get(token.norm, 0)
        end = token.end
        if tens and tens < 20:
            yield str(tens), "number"
            tens = 0
        elif one:
            yield str(one), "number"
        elif not tens:
            yield token.norm, token.kind
    if tens:
        yield str(tens), "number"
