"""How probable a judge's word was, by the log-probabilities of the letters that spell it."""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from itertools import accumulate
from typing import Final

from halubot.models.model import Completion
from halubot.report import Span

# Possessive, and to the end where a string has none: else each quote in it is tried anew.
_PIECE: Final = re.compile(
    r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[{}\[\]:,]|[^\s{}\[\]:,"]+', re.DOTALL
)
_LONGEST_INDEX: Final = 6
"""Digits of an index; Python refuses to read numbers of thousands."""
_THOUGHT: Final = "</think>"


def probabilities(completion: Completion, key: str) -> dict[int, tuple[str, float]]:
    """The word that stands under ``key`` at each index of an answer by index, and the probability
    of its tokens, all together, in [0, 1].

    Models spell one word in several tokens, and two words may begin alike, so every token that
    holds a letter of the word counts. Empty where the answer came without log-probabilities, or
    with such as do not spell it.
    """
    logprobs = completion.logprobs or ()
    begin = "".join(one.token for one in logprobs).find(completion.text)
    if not logprobs or begin < 0:
        return {}
    found: dict[int, tuple[str, float]] = {}
    edges = list(accumulate((len(one.token) for one in logprobs), initial=-begin))
    for index, (start, end) in _places(completion.text, key).items():
        first = bisect_right(edges, start, lo=1) - 1
        last = bisect_left(edges, end, lo=first)
        total = sum(one.logprob for one in logprobs[first:last])
        found[index] = completion.text[start:end], min(1.0, math.exp(total))
    return found


def _places(text: str, key: str) -> dict[int, Span]:
    """Where the strings stand that an object by index has under ``key``, their quotes left out."""
    found: dict[int, Span] = {}
    names: dict[int, str] = {}
    depth, last, before = 0, "", ""
    for piece in _PIECE.finditer(text, text.rfind(_THOUGHT) + 1):
        match piece[0]:
            case "{" | "[":
                depth += 1
            case "}" | "]":
                depth -= 1
            case ":":
                names[depth] = last
            case part if part[0] == '"':
                last = part[1:-1]
                index = names.get(1, "")
                short = len(index) <= _LONGEST_INDEX and index.isdecimal()
                if before == ":" and depth == 2 and names[depth] == key and short:
                    found[int(index)] = (piece.start() + 1, piece.end() - 1)
        before = piece[0]
    return found
