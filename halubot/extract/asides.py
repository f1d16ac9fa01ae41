"""What stands in parentheses: life dates, the year of a work, "(born 1963)", "(played by X)"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from halubot.extract.tokenizer import DATE, Word

Span = tuple[int, int]
_WHEN: Final = rf"(?:(?:c\.|ca\.|circa)\s?)?(?:{DATE}|\d{{3,4}}\b)"
_LIFE: Final = re.compile(
    rf"(?:^|[;,]\s*)\s*(?:born\s+)?(?P<born>{_WHEN})\s*[–—‒-]\s*(?P<died>{_WHEN})"
)
_BORN: Final = re.compile(
    rf"\b(?:born|b\.)\s+(?:on\s+|in\s+|[^,;\d]{{1,60}}[,;]\s+(?:on\s+)?)?(?P<born>{_WHEN})", re.I
)
_DIED: Final = re.compile(rf"\b(?:died|d\.)\s+(?:on\s+|in\s+)?(?P<died>{_WHEN})", re.I)
_YEAR: Final = re.compile(r"\s*(?P<year>\d{4})\s*$")
_YEARS: Final = re.compile(r"\s*(?P<year>\d{4}\s?[–—‒-]\s?(?:\d{4}|\d{2}|present))\s*$")
_LONGEST: Final = 60  # words; what is longer is read as if it had no parentheses


class Aside(NamedTuple):
    """Words in parentheses; ``after`` counts the main words before them."""

    after: int
    words: Sequence[Word]
    start: int
    end: int


def part(words: Sequence[Word]) -> tuple[list[Word], list[Aside]]:
    """A sentence's main words and its asides."""
    main: list[Word] = []
    asides: list[Aside] = []
    i = 0
    while i < len(words):
        word = words[i]
        if word.low in "([":
            close = next(
                (k for k in range(i + 1, min(len(words), i + _LONGEST)) if words[k].low in ")]"), -1
            )
            if close > i + 1:
                inner = words[i + 1 : close]
                asides.append(Aside(len(main), inner, inner[0].start, inner[-1].end))
            i = (close if close > 0 else i) + 1
        elif word.low in ")]":
            i += 1
        else:
            main.append(word)
            i += 1
    return main, asides


def dates(plain: str, aside: Aside, *, person: bool) -> list[tuple[str, Span]]:
    """The dates an aside gives, each as relation and place: ("born on", ...), ("year", ...)."""
    text = plain[aside.start : aside.end]
    life = _LIFE.search(text)
    if life and person:
        return [_date_relation("born", life, aside), _date_relation("died", life, aside)]
    if life and " " in life.group("died"):
        return [("dates", (aside.start + life.start("born"), aside.start + life.end("died")))]
    found = [
        _date_relation(name, match, aside)
        for name, match in (("born", _BORN.search(text)), ("died", _DIED.search(text)))
        if match
    ]
    for name, pattern in (("year", _YEAR), ("years", _YEARS)):
        year = pattern.match(text)
        if year and not found:
            return [(name, (aside.start + year.start("year"), aside.start + year.end("year")))]
    return found


def _date_relation(verb: str, match: re.Match[str], aside: Aside) -> tuple[str, Span]:
    """A date with its relation: "born on" a day, "born in" a month or year."""
    day = re.search(r"\b\d{1,2}(?:st|nd|rd|th)?\b", match.group(verb)) is not None
    place = (aside.start + match.start(verb), aside.start + match.end(verb))
    return f"{verb} {'on' if day else 'in'}", place
