"""Make hard wrong claims of right ones: a value, a name or a noun of the source takes the place of
another one in the claim.

`training.corrupt` puts words there that the source mostly lacks. Here they stand in the source too,
of something else, and only what they are said of tells: "39 kg, against 49 kg for the heaviest
rival". Each wrong claim comes with the right one. Nouns that mean the same are not told apart.

    python -m training.borrowed OUT.jsonl PAIRS.jsonl... [--nouns 0.3]
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from halubot.claims.parser import Token, parse
from halubot.compare.tokens import tokens, with_tokens
from halubot.text import Span, read, reads_as_english
from halubot.values import find
from halubot.values.comparison import is_rival, is_said
from halubot.verifier.alignment import name_runs, other_names
from halubot.verifier.reading import SourceText
from training.files import pair_row, read_rows, write_rows

LEAST: Final = 10, 4
"""Words of a source and of a claim, at least."""
STEM: Final = 5
"""Letters in which a noun must differ from all words of the claim: "fires" is no other "fire"."""


class Borrowed(NamedTuple):
    """What takes which place of a claim: "value", "name" or "noun", and the words of the source."""

    kind: str
    place: Span
    words: str


def borrowed(source: str, claim: str, draws: random.Random, *, nouns: bool) -> Iterator[Borrowed]:
    """Yield one change for each value and name of an English claim for which the source has another
    one, and, if ``nouns``, one for a noun."""
    text = SourceText(with_tokens(read(source)))
    own = find(claim)
    for value in own:
        rivals = [one for one in text.values if is_rival(value, one) and not is_said(one, own)]
        if rivals:
            yield Borrowed("value", value.span, _words(source, draws.choice(rivals).span))
    words = tokens(claim, 0, len(claim))
    for run in name_runs(claim, [one for one in words if one.kind == "name"]):
        place = run[0].start, run[-1].end
        if any(one.start < place[1] and place[0] < one.end for one in own):
            continue
        sentences = range(len(text.sentences))
        spans = [one for at in sentences for one in other_names(claim, words, place, text, at)]
        names = [one for one in (_words(source, span) for span in spans) if one not in claim]
        if names:
            yield Borrowed("name", place, draws.choice(names))
    pairs = [*_nouns(claim, source, text.sentences)] if nouns else []
    if pairs:
        mine, theirs = draws.choice(pairs)
        yield Borrowed("noun", (mine.start, mine.end), theirs.text)


def _words(text: str, span: Span) -> str:
    return " ".join(text[slice(*span)].split())


def _nouns(claim: str, source: str, sentences: Sequence[Span]) -> Iterator[tuple[Token, Token]]:
    """Yield each noun of a claim with each other one of its source, both of one number."""
    known = {word.lower()[:STEM] for word in re.findall(r"\w+", claim)}
    theirs = [one for one in _common(source, sentences) if one.low[:STEM] not in known]
    for one in _common(claim, [(0, len(claim))]):
        for other in theirs:
            if one.text.endswith("s") == other.text.endswith("s"):
                yield one, other


def _common(text: str, spans: Sequence[Span]) -> list[Token]:
    found = (token for sentence in parse(text, spans) for token in sentence)
    return [
        one for one in found if one.kind == "NOUN" and one.text.isalpha() and one.text.islower()
    ]


def pairs_of(
    rows: Sequence[dict[str, Any]], draws: random.Random, share: float
) -> Iterator[dict[str, Any]]:
    """Yield the wrong pairs made of right ones, each set of them with the right one; a noun is
    exchanged in this ``share`` of the pairs."""
    for row in rows:
        source, claim = row["p"], row["h"]
        enough = len(source.split()) >= LEAST[0] and len(claim.split()) >= LEAST[1]
        if row["y"] != 2 or not enough or not reads_as_english(read(source)):
            continue
        made = list(borrowed(source, claim, draws, nouns=draws.random() < share))
        for kind, (start, end), words in made:
            marks = [[start, start + len(words)]]
            yield pair_row(source, claim[:start] + words + claim[end:], 0, f"b-{kind}", marks)
        if made:
            yield pair_row(source, claim, 2, row["s"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("pairs", nargs="+", help="English ones of label 2 are read")
    parser.add_argument("--nouns", type=float, default=0.3, help="share of pairs")
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    rows = [row for path in given.pairs for row in read_rows(path)]
    found = list(pairs_of(rows, random.Random(given.seed), given.nouns))
    write_rows(given.out, found)
    print(Counter(row["s"] for row in found).most_common())
