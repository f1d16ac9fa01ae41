"""Counterclaims: a clause with another value or name of a source in the place of one that the
source lacks. If the source entails the counterclaim, it contradicts the clause, in whatever words
it says so: "The Starry Night dates from June 1889" beside "He painted The Starry Night in 1899".

Encoders are weak on values and good at paraphrase: so code finds what may stand there, and the
encoder says whether it does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from halubot.compare.tokens import Token
from halubot.report import Span
from halubot.values import find
from halubot.values.comparison import is_rival
from halubot.verifier.encoder import Pair, Verifier
from halubot.verifier.reading import Read
from halubot.verifier.windows import SourceText

NEAR: Final = 4
"""Sentences, the nearest ones, whose values and names are tried."""

MOST: Final = 3
"""Values or names that are tried for one that the source lacks; each takes two judgements."""

PLACES: Final = 2
"""Values and names of a clause for which others are tried."""


class Counterclaim(NamedTuple):
    """The words of a clause (``claim``), those of the source that were put in their place
    (``source``), and the sentence of the source. ``entailment`` is how far it is entailed with
    them, ``own`` how far it is as it stands, both in [0, 1]."""

    claim: Span
    source: Span
    sentence: Span
    entailment: float
    own: float

    @property
    def gain(self) -> float:
        """How much more is entailed with the words of the source, at least 0."""
        return max(0.0, self.entailment - self.own)


class _Candidate(NamedTuple):
    claim: Span
    source: Span
    sentence: int
    changed: Pair
    as_it_is: Pair


def counterclaims(
    message: str,
    clauses: Sequence[tuple[Read, Sequence[Span]]],
    source: SourceText,
    verifier: Verifier,
) -> list[Counterclaim | None]:
    """Return the counterclaim of each clause with the greatest gain, None if there is nothing to
    try. A clause comes with its values and names that the source lacks.

    Raises LocalModelError if the verifier fails.
    """
    tried = [list(_candidates(message, read, missing, source)) for read, missing in clauses]
    asked = [pair for held in tried for one in held for pair in (one.changed, one.as_it_is)]
    pairs = list(dict.fromkeys(asked))
    judged = dict(zip(pairs, verifier.judge(pairs), strict=True)) if pairs else {}
    found = [
        [
            Counterclaim(
                one.claim,
                one.source,
                source.sentences[one.sentence],
                judged[one.changed].entailment,
                judged[one.as_it_is].entailment,
            )
            for one in held
        ]
        for held in tried
    ]
    return [max(held, key=lambda one: one.gain, default=None) for held in found]


def _candidates(
    message: str, read: Read, missing: Sequence[Span], source: SourceText
) -> Iterator[_Candidate]:
    own = read.unit.tokens(message)
    content = frozenset(one.norm for one in own if one.kind != "stop")
    near = source.nearest(content)[:NEAR]
    for place in missing[:PLACES]:
        words = " ".join(message[slice(*place)].split())
        if not words[:1].isalnum() or words not in read.unit.text:
            continue
        tried: dict[str, None] = {}
        for at in near:
            for there in _others(message, place, source, at, content):
                said = " ".join(source.text[slice(*there)].split())
                if said in tried or len(tried) >= MOST:
                    continue
                tried[said] = None
                window = source.window_before(at)
                yield _Candidate(
                    place,
                    there,
                    at,
                    (window, read.unit.text.replace(words, said, 1)),
                    (window, read.unit.text),
                )


def _others(
    message: str, place: Span, source: SourceText, sentence: int, content: frozenset[str]
) -> Iterator[Span]:
    """Yield the values of a sentence of the source that exclude the one in a place, or, if that is
    a name, its names that the clause has not."""
    own = find(message, *place)
    if own:
        for value in source.values_of(sentence):
            if is_rival(own[0], value):
                yield value.start, value.end
        return
    names = [
        one for one in source.tokens_of(sentence) if one.kind == "name" and one.norm not in content
    ]
    for first, last in name_runs(source.text, names):
        yield first.start, last.end


def name_runs(text: str, found: Sequence[Token]) -> list[tuple[Token, Token]]:
    """Return the first and the last of each run of tokens with only a space between them."""
    runs: list[tuple[Token, Token]] = []
    for token in found:
        if runs and text[runs[-1][1].end : token.start] in (" ", "-", ". "):
            runs[-1] = runs[-1][0], token
        else:
            runs.append((token, token))
    return runs
