"""The value on which the sources agree in place of a doubted one, and its confirmation by a
quote."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from halubot.compare.alignment import Alignment
from halubot.compare.matcher import Matcher
from halubot.report import Evidence, Fact, SourceKind, Span
from halubot.text import read
from halubot.values import comparison as values
from halubot.values import reader as value_reader
from halubot.values.amounts import Amount
from halubot.values.comparison import Value, same
from halubot.values.dates import Date
from halubot.values.names import same_name

FEWEST_SAMPLES = 3
"""Samples that must speak of the same: of fewer, the one that errs may decide."""


@dataclass(frozen=True, slots=True)
class Agreed:
    """The value to read instead, as written by most of those that give it: ``count`` of the
    ``of`` sources of that kind that speak of the fact."""

    value: str
    by: Literal["references", "samples"]
    count: int
    of: int


def find_agreed_value(fact: Fact, kinds: Mapping[str, SourceKind]) -> Agreed | None:
    """The other value for this fact, or None if none is agreed on.

    ``kinds`` tells the kind of each source by its id.
    """
    heard = [item for item in fact.evidence if item.stance != "silent"]
    references = [item for item in heard if kinds[item.source] != "sample"]
    if references:
        best, count = _most(references)
        # References that differ decide nothing, and samples have no say beside them.
        whole = best and count == len(references)
        return Agreed(best, "references", count, count) if whole else None
    best, count = _most(heard)
    if best and len(heard) >= FEWEST_SAMPLES and 2 * count > len(heard):
        return Agreed(best, "samples", count, len(heard))
    return None


def _most(evidence: Sequence[Evidence]) -> tuple[str, int]:
    """The value that most of the evidence agrees with, and how many do. A vaguer value (1828)
    agrees with a more exact one (22 May 1828), which is then the one taken."""
    spelled = Counter(item.value for item in evidence if item.value)
    best, most = "", 0
    for candidate in spelled:
        count = sum(times for other, times in spelled.items() if agree(other, candidate))
        # Of equals the one written most often, then the longest, so that the choice hangs on no
        # order.
        detail = (count, spelled[candidate], len(candidate))
        if detail > (most, spelled[best], len(best)):
            best, most = candidate, count
    return best, most


def agree(vague: str, exact: str) -> bool:
    """Return True if ``exact`` says what ``vague`` says, or more."""
    mine, theirs = _value(vague), _value(exact)
    if mine is not None and theirs is not None:
        return values.compatible(mine, theirs)
    return (mine is None) == (theirs is None) and same_name(vague, exact)


def fit_value(before: str, value: str) -> str:
    """``before`` with the agreed value in it: if both hold a value of one kind only that is
    exchanged, a date keeps the detail and the order it was written with, a number its unit.

    >>> fit_value("22 May 1829", "May 22, 1828")
    '22 May 1828'
    >>> fit_value("1829", "22 May 1828")
    '1828'
    >>> fit_value("a height of 324 m", "330 metres")
    'a height of 330 metres'
    >>> fit_value("1660", "ca. 1650"), fit_value("c. 1660", "1650")
    ('ca. 1650', '1650')
    """
    theirs = _value(value)
    if theirs is None:
        return value
    # "c. 1660" becomes "1650" and not "c. 1650": how sure a date is goes with the date.
    about = _ABOUT.match(before)
    if about is not None and theirs.kind == "date":
        before = before[about.end() :]
    for mine in value_reader.find(before):
        if mine.kind == theirs.kind or {mine.kind, theirs.kind} == {"number", "quantity"}:
            written = before[mine.start : mine.end]
            new = _find_exchanged(written, mine, value, theirs)
            if theirs.kind == "date" and (led := _ABOUT.match(value)) is not None:
                new = led[0] + new
            return before[: mine.start] + new + before[mine.end :]
    return value


_ABOUT = re.compile(r"(?:c\.|ca\.?|circa|about|around)\s?(?=\w)", re.IGNORECASE)
"""What goes with a date that is not certain."""

# Not `calendar.month_name`, whose names are those of the locale.
_MONTHS = (
    *("", "January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def _find_exchanged(written: str, mine: Value, value: str, theirs: Value) -> str:
    said = value[theirs.start : theirs.end]
    if re.search(r"\d-[a-z]", written):  # "a 20-minute walk"
        said = re.sub(r"(?<=\d)\s(?=[a-z])", "-", said)
    old, new = _date(mine), _date(theirs)
    if old is not None and new is not None:
        return _redate(written, old, new) or said
    # The unit of the text stays: the source's number has none.
    if mine.kind == "quantity" and theirs.kind == "number":
        return re.sub(r"\d[\d.,]*", said, written, count=1)
    return _restyle(written, said, theirs)


_LONG_UNITS = {
    "mg": "milligrams",
    "µg": "micrograms",
    "mcg": "micrograms",
    "g": "grams",
    "kg": "kilograms",
    "km": "kilometres",
    "m": "metres",
    "cm": "centimetres",
    "mm": "millimetres",
    "ml": "millilitres",
    "l": "litres",
    "min": "minutes",
    "h": "hours",
    "s": "seconds",
}


def _restyle(written: str, said: str, theirs: Value) -> str:
    """A value in the style of the one it replaces: its number in digits if that was, its unit
    in full if that was."""
    if (gap := _BEFORE_PERCENT.search(written)) is not None:
        said = _BEFORE_PERCENT.sub(gap[0], said)
    number = theirs.readings[0] if theirs.readings else None
    *before, unit = said.split()
    if isinstance(number, Amount) and number.written is not None and before:
        if written[:1].isdigit() and not said[:1].isdigit() and said[:1].isalpha():
            before = [f"{number.written.normalize():f}"]
        if len(written.rsplit(maxsplit=1)[-1]) > _LONGEST_SHORT:
            unit = _LONG_UNITS.get(unit, unit)
        return " ".join([*before, unit])
    return said


_BEFORE_PERCENT = re.compile(r"(?<=\d)\s?(?=%)")
_LONGEST_SHORT = 3
"""Letters of the longest short name of a unit."""


def _redate(written: str, old: Date, new: Date) -> str | None:
    """A date rewritten part by part in its own order; None if a part cannot be found or the
    new date lacks one."""
    parts: list[tuple[str, str]] = []
    if old.day is not None and old.day != new.day:
        if new.day is None:
            return None
        ordinal = re.search(rf"\b0?{old.day}(?:st|nd|rd|th)\b", written) is not None
        # "the 21st" for "the 22nd": in the style of the date that it replaces.
        day = f"{new.day}{_ending(new.day)}" if ordinal else str(new.day)
        parts.append((rf"\b0?{old.day}(?:st|nd|rd|th)?\b(?!\d)", day))
    if old.month is not None and old.month != new.month:
        if new.month is None:
            return None
        month = _MONTHS[old.month]
        parts.append((rf"\b(?:{month}|{month[:3]}\.?)(?!\w)", _MONTHS[new.month]))
    if old.year is not None and old.year != new.year:
        if new.year is None:
            return None
        parts.append((rf"\b{old.year}\b", str(new.year)))
    for pattern, part in parts:
        written, found = re.subn(pattern, part, written, count=1)
        if not found:
            return None
    return written if parts else None


def _ending(day: int) -> str:
    """The ending of a day in English: 1st, 2nd, 3rd, 11th."""
    return {1: "st", 2: "nd", 3: "rd"}.get(day % 10 if day // 10 != 1 else 0, "th")


def _value(text: str) -> Value | None:
    found = value_reader.find(text)
    return found[0] if found else None


def _date(value: Value) -> Date | None:
    return next((r for r in value.readings if isinstance(r, Date)), None)


SHARE: Final = 0.35
"""The least weight of a sentence that the quote must hold."""

TOGETHER: Final = 0.65
"""The least sum of that weight and of the weight of what stands around the changed words and
around them in the quote."""

DATED_SHARE: Final = 0.5
DATED_TOGETHER: Final = 0.95
"""The same of a date: a text tells of many occasions of one thing, each with its date."""


def says_nearly(text: str, place: Span, quote: str) -> bool:
    """Return True if a quote has the words at ``text[place]`` in the same surroundings, and most of
    the sentence around them. On summaries, biographies and everyday texts this parted right
    changes from wrong ones."""
    spans = [span for span in read(text).sentences if span[0] <= place[0] < span[1]]
    if not spans:
        return False
    start, end = spans[0]
    matcher = Matcher(read(text[start:end]), [], None)
    quoted = matcher.text(read(quote))
    return any(
        _holds(beside.alignment, (place[0] - start, place[1] - start))
        for number in range(len(matcher.sentences))
        for beside in matcher.beside(number, quoted)
    )


def _holds(found: Alignment, place: Span) -> bool:
    terms = found.claim.terms
    own = [at for at, term in enumerate(terms) if term.start < place[1] and place[0] < term.end]
    pairs = [_counterpart(found, at) for at in own]
    dated = any((value := terms[at].value) is not None and value.kind == "date" for at in own)
    if not own or min(pairs) < 0 or found.share < (DATED_SHARE if dated else SHARE):
        return False
    contexts = [found.context(at, pair) for at, pair in zip(own, pairs, strict=True)]
    return found.share + max(contexts) >= (DATED_TOGETHER if dated else TOGETHER)


def _counterpart(found: Alignment, at: int) -> int:
    """The term of the source that says the same; of a range the one that says its first end, if
    both ends are said."""
    value = found.claim.terms[at].value
    if found.pairs[at] >= 0 or value is None or value.ends is None:
        return found.pairs[at]
    held = [(j, found.source.terms[j].value) for j in found.source.values]
    places = [
        next((j for j, one in held if one is not None and same(end, one)), -1) for end in value.ends
    ]
    return min(places)
