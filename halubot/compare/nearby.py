"""What is read of very long sources: the parts of them that speak of the message.

Reading and comparing take up to a thousand times the memory of the text itself, since one letter
may be a word, a line, a sentence and a term. So texts of more than `MOST` characters together are
not read whole. They are cut into windows, which are found by the words that they share with the
sentences of the message, and only these are read, at their places in the whole text.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final, NamedTuple

from halubot.compare.tokens import STOP_WORDS, Worded, with_tokens
from halubot.text import Document, Span, clean, read

MOST: Final = 300_000
"""Characters of all texts together that are read whole."""

WINDOW: Final = 1_000
"""Characters of a window at most."""

_NEAREST: Final = 3
"""Windows that are looked for beside each sentence of the message."""

_COMMON: Final = 200
"""Windows that hold a word by which others are found: more would take time without end."""

_PREFIX: Final = 6
"""Letters by which words meet, whatever their endings."""

_WORD: Final = re.compile(r"[^\W_]+")
# Scripts that do not part their words are looked up by pairs of characters.
_UNPARTED: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
    "\uf900-\ufaff\U00020000-\U0003ffff]{2}"
)
_END: Final = re.compile(r"[.!?。][\s]")


class _Window(NamedTuple):
    """A part of the text of that number, which ends before a line or a word does."""

    text: int
    start: int
    end: int


class Nearby:
    """Reads texts for one message."""

    def __init__(self, message: Document) -> None:
        self._message = message

    def read(self, texts: Sequence[str], most: int = MOST) -> list[Worded]:
        """Return the texts as they are compared, each at its own places. If they have more than
        ``most`` characters together, all but about as many are blank: those windows are kept that
        hold most of a sentence, or a word of the message that no other holds. Takes time linear in
        the length of the texts."""
        if sum(map(len, texts)) <= most:
            return [with_tokens(read(text)) for text in texts]
        windows = [_Window(n, *span) for n, text in enumerate(texts) for span in cut_windows(text)]
        kept: dict[int, list[Span]] = {}
        for at in sorted(self._chosen(texts, windows, most)):
            window = windows[at]
            spans = kept.setdefault(window.text, [])
            if spans and spans[-1][1] == window.start:
                spans[-1] = spans[-1][0], window.end
            else:
                spans.append((window.start, window.end))
        return [_read_parts(text, kept.get(number, ())) for number, text in enumerate(texts)]

    def _chosen(self, texts: Sequence[str], windows: Sequence[_Window], most: int) -> set[int]:
        """The numbers of the windows that are read."""
        plain = self._message.plain
        asked = [list(dict.fromkeys(_keys(plain[a:b]))) for a, b in self._message.sentences]
        known = set(chain.from_iterable(asked))
        inside = [tuple(known.intersection(_keys(texts[n][a:b]))) for n, a, b in windows]
        holding: dict[str, list[int]] = {}
        for at, keys in enumerate(inside):
            for key in keys:
                holding.setdefault(key, []).append(at)
        rarity = {key: math.log(1 + len(windows) / len(held)) for key, held in holding.items()}
        rows = [_nearest(keys, holding, rarity, inside) for keys in asked]
        # Before the second best of a sentence comes one window for each word that would be missing.
        turns = [[row[turn] for row in rows if len(row) > turn] for turn in range(_NEAREST)]
        rarest = sorted(holding, key=lambda key: (len(holding[key]), key))
        turns.insert(1, [holding[key][0] for key in rarest])
        chosen: set[int] = set()
        room = most
        for at in chain.from_iterable(turns):
            size = windows[at].end - windows[at].start
            if at not in chosen and size <= room:
                chosen.add(at)
                room -= size
        return chosen


def _nearest(
    keys: Sequence[str],
    holding: dict[str, list[int]],
    rarity: dict[str, float],
    inside: Sequence[tuple[str, ...]],
) -> list[int]:
    """Return the windows that hold most of a sentence, the best first; words that very many hold
    bring in the first of them only."""
    found = Counter[int]()
    wanted = {key: rarity[key] for key in keys if key in holding}
    for key in sorted(wanted, key=lambda key: len(holding[key])):
        if len(found) < _COMMON:
            found.update(dict.fromkeys(holding[key][:_COMMON], 0))
    shares = {at: sum(wanted.get(key, 0.0) for key in inside[at]) for at in found}
    return sorted(shares, key=lambda at: (-shares[at], at))[:_NEAREST]


def cut_windows(text: str) -> Iterator[Span]:
    """The windows of a text, which end after a line, a sentence or a word, if there is one."""
    start = 0
    while start < len(text):
        end = min(len(text), start + WINDOW)
        if end < len(text):
            half = start + WINDOW // 2
            sentences = [match.end() for match in _END.finditer(text, half, end)]
            line, word = (text.rfind(sign, half, end) + 1 for sign in "\n ")
            breaks = (line, *sentences[-1:], word)
            end = next((found for found in breaks if found > half), end)
        yield start, end
        start = end


def _keys(text: str) -> Iterator[str]:
    """The words by which texts find each other."""
    for word in _WORD.findall(text.casefold()):
        if word.isascii():
            if word not in STOP_WORDS:
                yield word[:_PREFIX] if word[0].isalpha() else word
        elif _UNPARTED.search(word):
            yield from (word[at : at + 2] for at in range(len(word) - 1))
        else:
            yield word[:_PREFIX]


def _read_parts(text: str, spans: Sequence[Span]) -> Worded:
    """Read some parts of a text, at their places in it; all else is blank."""
    pieces: list[str] = []
    sentences: list[Span] = []
    language, position = "und", 0
    for start, end in spans:
        part = read(text[start:end])
        pieces += (" " * (start - position), part.plain)
        sentences += [(first + start, last + start) for first, last in part.sentences]
        language = part.language if language == "und" else language
        position = end
    pieces.append(" " * (len(text) - position))
    return with_tokens(Document(clean(text)[0], "".join(pieces), tuple(sentences), language))
