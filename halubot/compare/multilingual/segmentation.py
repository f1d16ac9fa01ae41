"""A sentence cut into words: at spaces and apostrophes, or for Chinese by a list of words.

Of all ways to cut a run of Chinese characters the one with the likeliest words wins; a character
that no word of the list holds stands alone.
"""

from __future__ import annotations

import gzip
import re
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from halubot.compare.multilingual.vocabulary import Vocabulary, fold

_LIST: Final = Path(__file__).parents[1] / "data" / "chinese.tsv.gz"
_MARKS: Final = "\u0300-\u036f\u0610-\u061a\u064b-\u065f\u0670\u0640\u06d6-\u06ed"
_WORD: Final = re.compile(
    rf"\d+(?:[.,:/]\d+)*|[\u0621-\u064a](?=\d)|[^\W\d_](?:[^\W\d_]|[{_MARKS}]|\d)*"
)
# An Arabic "and" that is written together with the next word, and its points.
_CLITIC: Final = re.compile(rf"[وف][{_MARKS}]*")
_HAN: Final = re.compile("[\u3400-\u4dbf\u4e00-\u9fff〇]+")
_CUT: Final = re.compile(
    "(?<=[\u3400-\u9fff〇])(?=[^\u3400-\u9fff〇])|(?<=[^\u3400-\u9fff〇])(?=[\u3400-\u9fff〇])"
)
_NUMERAL: Final = re.compile("[〇零一二两三四五六七八九十百千万亿]{2,}")
_LONGEST: Final = 6
"""Characters of a Chinese word at most."""
_SELDOM: Final = -130.0
"""The weight of a character that stands alone and is in no list."""
_ALL: Final = 180.0
"""The weight that all words of the list have together: ten times the logarithm of their number."""


class Word(NamedTuple):
    """A word and its place. ``low`` is its folded form, ``capital`` says that it begins with a
    capital, ``kind`` is "nr", "ns" or "nt" for a Chinese name of a person, place or body."""

    text: str
    low: str
    start: int
    end: int
    capital: bool = False
    kind: str = ""


def cut_words(plain: str, start: int, end: int, known: Vocabulary) -> list[Word]:
    """Return the words and numbers of ``plain[start:end]`` in order. Linear."""
    found: list[Word] = []
    for match in _WORD.finditer(plain, start, end):
        text, at = match.group(), match.start()
        if known.code == "zh" and _HAN.search(text):
            found.extend(_han(text, at))
            continue
        low = fold(text)
        if known.code == "ar":
            first = _CLITIC.match(text)
            if first and low not in known.known and low[1:] in known.known:
                at += first.end()
                text, low = text[first.end() :], low[1:]
        found.append(Word(text, low, at, match.end(), text[:1].isupper()))
    return found


def _han(text: str, at: int) -> list[Word]:
    found = []
    for run in _CUT.split(text):
        if _HAN.match(run):
            place = 0
            for number in _NUMERAL.finditer(run):
                found += _segments(run[place : number.start()], at + place)
                first, last = at + number.start(), at + number.end()
                found.append(Word(number.group(), number.group(), first, last))
                place = number.end()
            found += _segments(run[place:], at + place)
        elif run:
            found.append(Word(run, fold(run), at, at + len(run)))
        at += len(run)
    return found


def _segments(run: str, at: int) -> list[Word]:
    """The likeliest words of a run of characters."""
    words = _words()
    best: list[tuple[float, int]] = [(0.0, 0)]
    for end in range(1, len(run) + 1):
        options = []
        for first in range(max(0, end - _LONGEST), end):
            entry = words.get(run[first:end])
            if entry is None and end - first > 1:
                continue
            weight = entry[0] - _ALL if entry else _SELDOM - _ALL
            options.append((best[first][0] + weight, first))
        best.append(max(options))
    cuts, end = [], len(run)
    while end:
        cuts.append((best[end][1], end))
        end = best[end][1]
    return [
        Word(run[a:b], run[a:b], at + a, at + b, kind=words.get(run[a:b], (0.0, ""))[1])
        for a, b in reversed(cuts)
    ]


@cache
def _words() -> dict[str, tuple[float, str]]:
    """The list of Chinese words: the weight of each, and the kind of a name."""
    text = gzip.decompress(_LIST.read_bytes()).decode()
    rows = (line.split("\t") for line in text.split("\n"))
    return {word: (float(weight), kind) for word, weight, kind in rows}
