"""Plain baselines: what a few lines without any knowledge reach on the same rows.

- ``unseen_values``: numbers and capitalised words that no source has. Each is a mark.
- ``unseen_values_wide``: the same, each mark widened to its sentence.
- ``unseen_words``, ``unseen_bigrams``: the share of words, or of neighbouring words, that no source
  has. They mark nothing.
- ``ngram``: SelfCheckGPT's n-gram with n = 1, the largest -log p of a word of the sentence, with p
  counted over all sources and the message. It marks nothing.
- ``all_positive``, ``all_negative``, ``random``: everything is doubted, nothing is, or by a coin
  that depends on the id of the row alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from random import Random
from typing import Final

from benchmarks.outcomes import Outcome, Sentence, overlap
from halubot.methods.selfcheck_ngram import Unigrams
from halubot.report import Span

BLIND: Final = frozenset({"all_positive", "all_negative", "random"})
"""Those that decide by themselves, from `HALF` on."""
HALF: Final = 0.5

_VALUE: Final = re.compile(r"\d[\d.,:]*\d|\d|[^\W\d_][\w'’]*")
_ENDING: Final = re.compile(r"(ing|ed|es|s|ly)$")
_SHORT: Final = 4
"""Words of up to so many characters keep their endings: "ring", "bed" and "bus" have none."""


def baselines(outcomes: Sequence[Outcome]) -> Mapping[str, list[Outcome]]:
    """Return for each baseline the rows with its scores and marks, on the sentences on which the
    method was measured."""
    found: dict[str, list[Outcome]] = {}
    for one in outcomes:
        for name, outcome in _of_row(one).items():
            found.setdefault(name, []).append(outcome)
    return found


def _of_row(one: Outcome) -> dict[str, Outcome]:
    row, spans = one.row, [sentence.span for sentence in one.sentences]
    sources = (*row.samples, *row.references)
    values = _values(row.text, spans)
    known = {_fold(word) for source in sources for word in _VALUE.findall(source)}
    unseen = [span for span in values if _fold(row.text[slice(*span)]) not in known]
    wide = [span for span in spans if _count(unseen, span)]
    words = {word for source in sources for word in _words(source)}
    bigrams = {pair for source in sources for pair in pairwise(_words(source))}
    counts = Unigrams([*sources, *(row.text[slice(*span)] for span in spans)])
    whole = (0, len(row.text))

    def rarest(span: Span) -> float:
        found = counts.rarity(row.text[slice(*span)])
        return 0.0 if found is None else found.largest

    def unseen_words(span: Span) -> float:
        return _share([word not in words for word in _words(row.text[slice(*span)])])

    def unseen_bigrams(span: Span) -> float:
        return _share([two not in bigrams for two in pairwise(_words(row.text[slice(*span)]))])

    def coin(*place: int) -> float:
        return Random(f"{row.id} {place}").random()  # noqa: S311 - a baseline, not a secret

    rare = [rarest(span) for span in spans]
    return {
        "unseen_values": _outcome(
            one,
            len(unseen) / max(1, len(values)),
            lambda span: _count(unseen, span) / max(1, _count(values, span)),
            unseen,
        ),
        "unseen_values_wide": _outcome(
            one, len(wide) / max(1, len(spans)), lambda span: float(span in wide), wide
        ),
        "unseen_words": _outcome(one, unseen_words(whole), unseen_words),
        "unseen_bigrams": _outcome(one, unseen_bigrams(whole), unseen_bigrams),
        "ngram": _outcome(one, sum(rare) / max(1, len(rare)), rarest),
        "all_positive": _outcome(one, 1.0, lambda span: 1.0, spans),
        "all_negative": _outcome(one, 0.0, lambda span: 0.0, ()),
        "random": _outcome(
            one, coin(), lambda span: coin(*span), [span for span in spans if coin(*span) >= HALF]
        ),
    }


def _outcome(
    one: Outcome,
    score: float,
    of_sentence: Callable[[Span], float],
    marks: Sequence[Span] | None = None,
) -> Outcome:
    return Outcome(
        one.row,
        score,
        score,
        sentences=tuple(
            Sentence(sentence.span, value := of_sentence(sentence.span), value)
            for sentence in one.sentences
        ),
        marks=None if marks is None else tuple((mark,) for mark in marks),
        verdicts=frozenset({"doubtful"} if marks else ()),
    )


def _values(text: str, sentences: Sequence[Span]) -> list[Span]:
    """Return the places of all numbers, and of capitalised words inside of sentences."""
    # The first word of a sentence is capitalised whatever it is.
    starts = {start for start, _ in sentences}
    return [
        match.span()
        for span in sentences
        for match in _VALUE.finditer(text, *span)
        if match[0][0].isdigit() or (match[0][0].isupper() and match.start() not in starts)
    ]


@lru_cache(maxsize=1 << 16)
def _fold(word: str) -> str:
    """Return a word without case, accents, commas and common endings."""
    apart = unicodedata.normalize("NFKD", word.lower())
    bare = "".join(mark for mark in apart if not unicodedata.combining(mark))
    return (_ENDING.sub("", bare) if len(bare) > _SHORT else bare).replace(",", "")


@lru_cache(maxsize=256)
def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _share(flags: Sequence[bool]) -> float:
    return sum(flags) / max(1, len(flags))


def _count(values: Sequence[Span], span: Span) -> int:
    return sum(overlap(value, span) for value in values)
