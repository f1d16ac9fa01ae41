"""Changes by rule that make an English text wrong: numbers, dates, names, negation."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from random import Random
from typing import Final, NamedTuple

from halubot.report import Span

ONES: Final = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen"),
    *("eighteen", "nineteen"),
)


TENS: Final = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June", "July", "August"),
    *("September", "October", "November", "December"),
)


NUMBERS: Final = {word: number for number, word in enumerate(ONES)} | {
    f"{tens}-{ONES[one]}" if one else tens: 10 * ten + one
    for ten, tens in enumerate(TENS, start=2)
    for one in range(10)
}
"""The whole numbers below 100 by their words."""


SPELT: Final = {number: word for word, number in NUMBERS.items()}


# Longest first: a pattern takes the first that fits, and "six" begins "sixteen". Not "one", which
# is mostly a pronoun.
COUNTING: Final = "|".join(
    sorted((word for word in NUMBERS if NUMBERS[word] > 1), key=len, reverse=True)
)
"""The words of the numbers from 2 to 99, for a pattern."""


NAMED: Final = re.compile(
    r"(?:(?i:chromosome|type|grade|stage|level|phase|version)|[A-Z]{2,}|[A-Z]\w*[A-Z]) $"
)
"""What stands before a number that is part of a name."""


_SHORT = "|".join(month[:3] for month in MONTHS if month != "May")


# What looks like a number and is none stays: parts of decimals, ranges, versions, addresses, codes
# with letters. A year has a rule of its own, since a far one would be no believable mistake.
_VALUE = re.compile(
    rf"(?<![\w.,/–-])(?P<word>(?i:{COUNTING}))(?![\w-])"
    r"|(?P<year>(?<![\w.,/$€£-])(?:1[5-9]|20)\d\d(?![.,]\d|[\w%]))"
    rf"|(?P<month>\b(?:{'|'.join(MONTHS)}|(?:{_SHORT}))\b(?= (?:of )?\d))"
    r"|(?<![\w,/.])(?<!\w[:-])(?P<number>\d{1,3}(?:,\d{3})+(?![\d,])|\d+(?:\.\d+)?)"
    r"(?![\w/:]|\.\d|,\d|-[a-zA-Z])"
)


_LOOSELY = re.compile(
    r"(?i)\b(?:about|roughly|around|approximately|nearly|almost|over|under|than|least|most|up to) $"
)


_MONTH_AFTER = re.compile(rf"(?:st|nd|rd|th)? (?:of )?(?:{'|'.join(MONTHS)}|{_SHORT})\b")


_MONTH_BEFORE = re.compile(rf"\b(?:{'|'.join(MONTHS)}|{_SHORT})\.? $")


_SHARE = re.compile(r" ?(?:%|percent|per cent)")


_YEARS = (-9, -6, -4, -3, -2, -1, 1, 2, 3, 4, 6, 9)


_ATTEMPTS = 20


def places(text: str) -> tuple[re.Match[str], ...]:
    """Return the places of numbers, years and months that can be changed."""
    return tuple(
        # Twenty characters hold every word of the pattern; the whole beginning of a text for each
        # number would take time that grows with its square.
        found
        for found in _VALUE.finditer(text)
        if not NAMED.search(text[: found.start()][-20:])
    )


def kind_of(place: re.Match[str]) -> str:
    """ "date" for a year, a month and the day beside a month, else "number"."""
    text = place.string
    beside = _MONTH_AFTER.match(text, place.end()) or _MONTH_BEFORE.search(text[: place.start()])
    return "date" if place["year"] or place["month"] or beside else "number"


def changed_value(
    text: str, place: re.Match[str], random: Random, *, besides: str = ""
) -> Edit | None:
    """The value at a place made another, one that stands neither in the text nor in ``besides``;
    None if none is found. One that is said to be about right becomes another by a third or
    more."""
    loosely = _LOOSELY.search(text[: place.start()][-20:]) is not None
    for _ in range(_ATTEMPTS):
        new = _another(place, random, loosely=loosely)
        # A value that the text has already could be right in this place too.
        known = re.search(rf"(?<![\w.]){re.escape(new)}(?!\w)", f"{text} {besides}")
        if new and not known and not _is_odd(new, text[place.end() :]):
            return Edit(kind_of(place), place.start(), place.end(), new)
    return None


def _is_odd(new: str, after: str) -> bool:
    """Return True if no reader would believe it: "1 groups", 102 percent."""
    if new in ("0", "1"):
        return True
    return (
        _SHARE.match(after) is not None and new[0].isdigit() and float(new.replace(",", "")) >= 100
    )


def _another(place: re.Match[str], random: Random, *, loosely: bool) -> str:
    old = place.group()
    if place["month"]:
        months = [month for month in MONTHS if month[:3] != old[:3]]
        # "May" is its own abbreviation.
        return random.choice(months)[: 3 if len(old) == 3 and old != "May" else None]
    if place["year"]:
        return str(int(old) + random.choice(_YEARS))
    if place["word"]:
        moved = _move(NUMBERS[old.lower()], random, loosely=loosely)
        new = SPELT.get(int(moved), "") if moved > 1 else ""
        return new.capitalize() if old[0].isupper() else new
    plain = old.replace(",", "")
    decimals = len(plain.partition(".")[2])
    number = _move(float(plain), random, loosely=loosely, step=10.0**-decimals)
    return f"{number:{',' if ',' in old else ''}.{decimals}f}"


def _move(number: float, random: Random, *, loosely: bool, step: float = 1.0) -> float:
    """Another number above 0: by a twentieth to a third, or by up to four fifths, and by no less
    than a step."""
    # "About 100" becomes no 110, which would still be about right.
    far = max(step, number * random.uniform(0.35, 0.8))
    near = max(step, number * random.uniform(0.05, 0.3))
    by = far if loosely else random.choice((near, far))
    moved = max(step, round((number + random.choice((-1, 1)) * by) / step) * step)
    return moved if abs(moved - number) >= step / 2 else number + step


class Edit(NamedTuple):
    """``text[start:end]`` becomes ``instead``. ``kind`` is what sort of change it is."""

    kind: str
    start: int
    end: int
    instead: str


class Change(NamedTuple):
    """The effect of an edit: ``span`` is the place of ``after`` in the edited text."""

    kind: str
    before: str
    after: str
    span: Span


class Edited(NamedTuple):
    """A text after its edits, and what they did, in order."""

    text: str
    changes: tuple[Change, ...]


def apply_planted(text: str, edits: Iterable[Edit]) -> Edited:
    """The text with these edits. Those that overlap an earlier one, or change nothing, are left
    out.

    >>> apply_planted("Ada was born in 1816.", [Edit("number", 16, 20, "1825")]).text
    'Ada was born in 1825.'
    """
    pieces: list[str] = []
    changes: list[Change] = []
    at = length = 0
    for kind, start, end, instead in sorted(edits, key=lambda edit: edit[1:3]):
        before = text[start:end]
        if start < at or instead == before:
            continue
        pieces += [text[at:start], instead]
        length += start - at
        changes.append(Change(kind, before, instead, (length, length + len(instead))))
        length += len(instead)
        at = end
    return Edited("".join([*pieces, text[at:]]), tuple(changes))


KINDS: Final = ("number", "date", "name", "negation")
"""What can be changed."""

_INVENTED: Final = ("Marlow", "Tarbert", "Ossington", "Velden", "Karsten", "Brandvold", "Iskra")
_NAME = re.compile(
    r"(?<=[a-z,;)] )(?P<name>[A-Z][a-z]+(?: (?:(?:of|de|von|van) )?[A-Z][a-z]+)*)(?![\w’'-])"
)
_CAPITAL = re.compile(r"\b[A-Z][\w.]* $")
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_NO_NAMES: Final = frozenset({*MONTHS, *_DAYS, "I", "The", "This", "In", "It", "He", "She"})
_AUXILIARY: Final = "is|are|was|were|can|could|will|would|should|must"
_DENIED = re.compile(rf"\b(?P<verb>{_AUXILIARY}|did|does|do|has|have|had|may|might) not\b")
_AFFIRMED = re.compile(
    rf"(?<=\w )(?P<verb>{_AUXILIARY})(?= (?!not\b|never\b|no\b|n't)[a-z])(?![^.?!]*\?)"
)


def change_text(
    text: str, random: Random, *, kinds: Collection[str] = KINDS, most: int = 1
) -> Edited | None:
    """The text with up to ``most`` changes of these kinds, the kinds in turn, in an order drawn by
    ``random``; None if nothing can be changed.

    >>> change_text("She was born in 1816.", Random(0), kinds=["negation"]).text
    'She was not born in 1816.'
    """
    # Sorted first: the order of a set differs from one process to the next, and the seed would not
    # help.
    order = random.sample(sorted(kinds), len(kinds))
    found = {kind: _RULES[kind](text, random) for kind in order}
    edits: list[Edit] = []
    while found and len(edits) < most:
        for kind in tuple(found):
            edit = next(found[kind], None)
            if edit is None:
                del found[kind]
            elif len(edits) < most and _stands_apart(edit, edits):
                edits.append(edit)
    return apply_planted(text, edits) if edits else None


def _stands_apart(edit: Edit, others: Collection[Edit]) -> bool:
    return all(edit.end <= one.start or one.end <= edit.start for one in others)


def _values(kind: str) -> Callable[[str, Random], Iterator[Edit]]:
    def rule(text: str, random: Random) -> Iterator[Edit]:
        found = list(places(text))
        random.shuffle(found)
        for place in found:
            if kind_of(place) == kind:
                edit = changed_value(text, place, random)
                if edit is not None:
                    yield edit

    return rule


def _names(text: str, random: Random) -> Iterator[Edit]:
    """A name inside a sentence by another of the text, or by an invented one; its other places
    keep it."""
    found = [
        one
        for one in _NAME.finditer(text)
        if one["name"].split()[0] not in _NO_NAMES and not _CAPITAL.search(text[: one.start()])
    ]
    random.shuffle(found)
    for place in found:
        name = place["name"]
        others = sorted(
            {
                one["name"]
                for one in found
                if one["name"] not in name
                and name not in one["name"]
                and len(one["name"].split()) == len(name.split())
            }
        )
        first, _, _ = name.rpartition(" ")
        new = random.choice(others or [f"{first} {random.choice(_INVENTED)}".strip()])
        yield Edit("name", *place.span("name"), new)


def _negations(text: str, random: Random) -> Iterator[Edit]:
    """A "not" taken out, or put in after the first auxiliary of a sentence."""
    edits = [
        Edit("negation", found.start(), found.end(), found["verb"])
        for found in _DENIED.finditer(text)
        # "did not go" without its "not" is "did go", which nobody writes.
        if found["verb"] not in ("did", "does", "do")
    ]
    taken: set[int] = set()
    for found in _AFFIRMED.finditer(text):
        # Only the first auxiliary of a sentence: a later one stands in a clause that may be a
        # condition or a question.
        sentence = len(re.findall(r"[.!?]\s", text[: found.start()]))
        if sentence not in taken:
            taken.add(sentence)
            edits.append(Edit("negation", found.start(), found.end(), f"{found['verb']} not"))
    random.shuffle(edits)
    yield from edits


_RULES: Final = {
    "number": _values("number"),
    "date": _values("date"),
    "name": _names,
    "negation": _negations,
}
