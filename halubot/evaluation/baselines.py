"""Plain baselines: what a few lines without any knowledge reach on the same rows.

Each gives a row the scores and marks that a method would give it, so that all figures of a data set
can be computed of it. A baseline judges no sentence: what it does not mark, it is silent about.

- ``unseen_values``: numbers and capitalised words that no source has. Each is a mark.
- ``unseen_values_wide``: the same, each mark widened to its sentence.
- ``unseen_words``, ``unseen_bigrams``: see `halubot.compare.support`. They mark nothing.
- ``ngram``: SelfCheckGPT's, the largest -log p of a word of the sentence; p is counted over all
  sources and the message itself. A message has the mean of its sentences. It marks nothing.
- ``all_positive``, ``all_negative``, ``random``: everything is doubted, nothing is, or each unit
  and sentence by a coin that depends on the row's id alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from random import Random
from typing import Final

from halubot.compare.support import Surface
from halubot.compare.tokens import Token, tokens, with_tokens
from halubot.evaluation.checked import (
    Judged,
    JudgedFact,
    JudgedSentence,
    Scored,
    ScoredFact,
    ScoredSentence,
    overlap,
)
from halubot.methods.selfcheck_ngram import Unigrams
from halubot.report import Span
from halubot.text import read

NAMES: Final = (
    *("unseen_values", "unseen_values_wide", "unseen_words", "unseen_bigrams"),
    *("ngram", "all_positive", "all_negative", "random"),
)

DECIDED: Final = frozenset({"all_positive", "all_negative", "random"})
"""Those that decide by themselves, from `HALF` on; for the others a threshold has to be found."""
HALF: Final = 0.5

_WORD: Final = re.compile(r"\d[\d.,:]*\d|\d|[^\W\d_][\w'’]*")
_ENDING: Final = re.compile(r"(ing|ed|es|s|ly)$")
# "ring", "bed" and "bus" have no ending.
_SHORT: Final = 4
"""Words of up to so many characters keep their endings."""


def baselines(rows: Sequence[Scored]) -> Mapping[str, tuple[Scored, ...]]:
    """Return for each baseline the rows with its scores and marks in place of a method's.

    Sentences are those that the method was measured on.
    """
    found = [(*_by_values(one), *_by_surface(one), _by_ngram(one), *_blind(one)) for one in rows]
    return dict(zip(NAMES, zip(*found, strict=True), strict=True))


def unseen_values(text: str, sentences: Sequence[Span], sources: Iterable[str]) -> tuple[Span, ...]:
    """Return the places of the numbers, and of the capitalised words that do not begin a sentence,
    that no source has. Case, accents and common endings are ignored."""
    known = {_fold(word) for source in sources for word in _WORD.findall(source)}
    values = _values(text, sentences)
    return tuple(span for span in values if _fold(text[slice(*span)]) not in known)


def _values(text: str, sentences: Sequence[Span]) -> list[Span]:
    """Return the places of all numbers and of capitalised words inside of sentences."""
    # The first word of a sentence is capitalised whatever it is.
    starts = {start for start, _ in sentences}
    return [
        match.span()
        for span in sentences
        for match in _WORD.finditer(text, *span)
        if match[0][0].isdigit() or (match[0][0].isupper() and match.start() not in starts)
    ]


@lru_cache(maxsize=1 << 16)
def _fold(word: str) -> str:
    apart = unicodedata.normalize("NFKD", word.lower())
    bare = "".join(mark for mark in apart if not unicodedata.combining(mark))
    return (_ENDING.sub("", bare) if len(bare) > _SHORT else bare).replace(",", "")


def _by_values(one: Scored) -> tuple[Scored, Scored]:
    """Score a row by the share of its values that are unseen, and by the share of its sentences
    that hold such a value."""
    row, spans = one.row, [sentence.span for sentence in one.sentences]
    values = _values(row.text, spans)
    unseen = unseen_values(row.text, spans, (*row.samples, *row.references))

    def share(span: Span) -> float:
        return _count(unseen, span) / max(1, _count(values, span))

    marked = [span for span in spans if _count(unseen, span)]
    return (
        _score(one, len(unseen) / max(1, len(values)), share, unseen),
        _score(one, len(marked) / max(1, len(spans)), lambda span: span in marked, marked),
    )


def _by_surface(one: Scored) -> tuple[Scored, Scored]:
    """Score a row by its unseen words, and by its unseen bigrams."""
    row = one.row
    surface = Surface([read(source) for source in (*row.samples, *row.references)])
    message = with_tokens(read(row.text, sentences=row.sentences))
    every = list(chain.from_iterable(message.tokens))

    def tokens_of(span: Span) -> tuple[Token, ...]:
        return tokens(message.document.plain, *span)

    return (
        _score(one, surface.unseen_words(every), lambda s: surface.unseen_words(tokens_of(s))),
        _score(one, surface.unseen_bigrams(every), lambda s: surface.unseen_bigrams(tokens_of(s))),
    )


def _by_ngram(one: Scored) -> Scored:
    """Score a row by how rare the words of its sentences are."""
    text, spans = one.row.text, [sentence.span for sentence in one.sentences]
    sentences = [text[slice(*span)] for span in spans]
    counts = Unigrams([*one.row.samples, *one.row.references, *sentences])

    def rarest(span: Span) -> float:
        found = counts.rarity(text[slice(*span)])
        return 0.0 if found is None else found.largest

    known = [rarest(span) for span in spans]
    return _score(one, sum(known) / max(1, len(known)), rarest)


def _blind(one: Scored) -> tuple[Scored, Scored, Scored]:
    """Score a row as wrong, as right, and by a coin."""
    spans = [sentence.span for sentence in one.sentences]

    def coin(*place: int) -> float:
        # By the row's id, so that rows measured alone or beside others have the same coin.
        return Random(f"{one.row.id} {place}").random()  # noqa: S311 - a baseline, not a secret

    tossed = [span for span in spans if coin(*span) >= HALF]
    return (
        _score(one, 1.0, lambda span: 1.0, spans),
        _score(one, 0.0, lambda span: 0.0, ()),
        _score(one, coin(), lambda span: coin(*span), tossed),
    )


def _count(values: Sequence[Span], span: Span) -> int:
    return sum(overlap(value, span) for value in values)


def _score(
    one: Scored,
    score: float,
    of_sentence: Callable[[Span], float],
    marks: Sequence[Span] | None = None,
) -> Scored:
    """Return the row with this score and these marks; its rank is the score as well."""
    scores = [float(of_sentence(sentence.span)) for sentence in one.sentences]
    judged = None
    if marks is not None:
        judged = Judged(
            tuple(JudgedFact((mark,), (), "doubtful") for mark in marks),
            tuple(JudgedSentence(sentence.span, None) for sentence in one.sentences),
        )
    return Scored(
        one.row,
        score,
        score,
        sentences=tuple(
            ScoredSentence(sentence.span, value, value)
            for sentence, value in zip(one.sentences, scores, strict=True)
        ),
        facts=tuple(_fact(of_sentence, label.spans) for label in one.row.labelled),
        judged=judged,
    )


def _fact(score: Callable[[Span], float], spans: Sequence[Span]) -> ScoredFact:
    """The most doubtful of the places of a labelled fact."""
    value = max((float(score(span)) for span in spans), default=0.0)
    return ScoredFact(True, value, value)
