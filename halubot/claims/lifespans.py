"""Dates in brackets behind a name: "Ada Lovelace (1815–1852)" was born and died in these years."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from halubot.claims.words import usual_tag
from halubot.text import Span

_DATE: Final = (
    r"(?:(?:c|ca|circa)\.? ?)?(?:\d{1,2} )?(?:[A-Z][a-z]+\.? )?(?:\d{1,2}, )?\d{3,4}"
    r"(?: (?:BCE?|CE|AD))?"
)
_LIFE: Final = re.compile(
    rf"(?:(?:born|b\.)(?: on| in)? )?(?P<born>{_DATE})?"
    rf"(?:\s*[–—-]\s*(?:present)?|[;,] )?(?:(?:died|d\.)(?: on| in)? )?(?P<died>{_DATE})?"
)
_SAYS_WHICH: Final = re.compile(r"[–—-]|\b(?:born|died|[bd]\.)")


_TITLES: Final = frozenset(
    {"king", "queen", "prince", "princess", "president", "sir", "lord", "lady"}
)


class Event(NamedTuple):
    """``relation`` is "born in", "died on" or the like, or "years" of what is no person; the date
    is at ``span``."""

    relation: str
    span: Span


def read_lifespan(plain: str, span: Span, name: Sequence[str]) -> Iterator[Event]:
    """Yield what brackets with the text at ``span`` tell of a name: nothing if there is more in
    them than dates."""
    start, end = span
    match = _LIFE.fullmatch(plain, start, end)
    if match is None or not _SAYS_WHICH.search(plain, start, end):
        return
    if not is_person(name):
        yield Event("years", span)
        return
    for what in ("born", "died"):
        if match[what]:
            day = any(letter.isalpha() for letter in match[what].replace("c", ""))
            yield Event(f"{what} {'on' if day else 'in'}", match.span(what))


def is_person(name: Sequence[str]) -> bool:
    """Return True if no word of a name is one of a thing: "war", "dynasty"."""
    words = [word for word in name if word[:1].isalpha() and word.lower() not in _TITLES]
    return all(word[:1].isupper() and usual_tag(word) != "NOUN" for word in words)
