"""The English article before words that are replaced: "a Canadian", but "an American"."""

from __future__ import annotations

import re
from typing import Final

from halubot.report import Span

_ARTICLE: Final = re.compile(r"(?<!\w)(a|an)\s$", re.IGNORECASE)
_LONGEST: Final = 4
_SILENT: Final = ("hour", "honest", "honor", "honour", "heir")
_AS_YOU: Final = re.compile(r"(?:uni(?![mn])|us[eau]|eu|one\b|once\b|ut[aei]|ub[ei]|ur[aio])")
_VOWELS: Final = frozenset("aeiou\u00e0\u00e1\u00e4\u00e9\u00e8\u00f6\u00f3\u00fc")
_SPELLED: Final = frozenset("AEFHILMNORSX")
"""Letters whose names begin with a vowel: "an FBI agent"."""


def with_article(text: str, place: Span, after: str) -> tuple[Span, str]:
    """Return the place and what is put there, both with the "a" or "an" before it if ``after``
    takes the other one. The article is left if it does not fit the words that it stands before
    now: then it may not be one."""
    start, end = place
    found = _ARTICLE.search(text, max(0, start - _LONGEST), start)
    if found is None or takes_an(text[start:end]) == takes_an(after):
        return place, after
    if (found[1].lower() == "an") != takes_an(text[start:end]):
        return place, after
    article = found[1][0] + ("n" if takes_an(after) else "")
    return (found.start(), end), f"{article}{text[found.end(1) : start]}{after}"


def takes_an(words: str) -> bool:
    """Return True if "an" stands before these words: "hour", "8 km", "FBI", and not "European".

    >>> [takes_an(word) for word in ("American", "Canadian", "hour", "8 km", "European")]
    [True, False, True, True, False]
    """
    first = re.match(r"\W*(\w+)", words)
    if first is None:
        return False
    word = first[1]
    if word[0].isdigit():
        return word[0] == "8" or word in ("11", "18") or re.match(r"1[18]\d{3}$", word) is not None
    if len(word) > 1 and word.isupper():
        return word[0] in _SPELLED
    low = word.lower()
    if low.startswith(_SILENT):
        return True
    return low[0] in _VOWELS and not _AS_YOU.match(low)
