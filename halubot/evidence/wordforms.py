"""The forms in which words are searched for: without case and accents, and scripts that do not
part their words, such as Chinese and Thai, by pairs of characters."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

TERMS: Final = 256
"""Different words of a query that count: its first ones."""

_UNPARTED: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff]+"
)
_ACCENTS: Final = re.compile("[\u0300-\u036f]+")


def split_words(text: str, *, single: bool = True) -> str:
    """The text in one form of each word, and with the pairs of characters of scripts that do not
    part words; with ``single`` every such character too, so that one alone is found."""
    if text.isascii():
        return text.lower()

    def pairs(found: re.Match[str]) -> str:
        run = found[0]
        terms = [run[at : at + 2] for at in range(max(1, len(run) - 1))]
        return f" {' '.join([*terms, *run] if single else terms)} "

    return _UNPARTED.sub(pairs, _without_accents(text.casefold()))


def _without_accents(text: str) -> str:
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", text))
    # What is left of compatibility forms may have a case of its own.
    return unicodedata.normalize("NFC", bare).casefold()


def terms(query: str) -> list[str]:
    """The words of a query that count, each once: letters, digits and marks only, so that nothing
    in them is taken for the syntax of a search."""
    kept = (letter if unicodedata.category(letter)[0] in "LNM" else " " for letter in query)
    words = split_words("".join(kept), single=False).split()
    return list(dict.fromkeys(words))[:TERMS]
