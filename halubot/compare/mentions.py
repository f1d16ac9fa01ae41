"""The names in a sentence, each with how it stands to another name: its own, a part, another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from halubot.compare.names import ALIASED, SMALL, TITLES, canonical, is_name, same_name
from halubot.compare.values import Value
from halubot.compare.tokens import Token, normal, tokens
from halubot.text import Span

Likeness = Literal["own", "part", "kind", "other"]
"""How a mention stands to a name: it holds the whole name, or stands for it in another form; it is
a part of it; it shares words with it, and each has words that the other lacks ("Ostby Bridge" and
"Kellan Bridge"); it shares nothing."""

# How long a word must be that begins another, as "Kellan" does "Kellanbrua", or is spelt with
# another letter, as "Jeannine" is.
_BEGINNING = 6
_SPELT = 4
# Each line is one given name under its short and its full forms.
_GIVEN = """
bill billy will willie william
bob bobby rob robbie robert
dick rick rich richie richard
jim jimmy jamie james
jack johnny john
joe joey joseph
tom tommy thomas
ted ed eddie ned edward
fred freddie freddy frederick
charlie chuck charles
harry hank henry
mike mick mickey michael
tony anthony
terry terence
larry lawrence
andy drew andrew
steve stephen steven
alex sandy alexander
bert bertie albert herbert bertram
peggy meg maggie margaret
liz lizzie betty beth elizabeth
kate katie kathy katherine catherine kathleen
sue susie susan
molly polly mary
tim timothy
matt matthew
ben benjamin
dan danny daniel
sam samuel
chris christopher christian
greg gregory
jeff geoffrey jeffrey
ken kenny kenneth
dave david
pete peter
nick nicky nicholas
pat patrick patricia
ray raymond
ron ronnie ronald
don donald
phil philip
jen jenny jennifer
sepp josef
hans johannes
pepe jose
paco pancho francisco
"""
_SHORT = {
    normal(name): frozenset(map(normal, line.split()))
    for line in _GIVEN.strip().splitlines()
    for name in line.split()
}
_CUT = re.compile(r",\s|\s*\(")  # before a rank, a place or a profession
_QUOTED = re.compile(r"\.?\s[\"“”‘’']|[\"“”‘’']\s")
_ROMAN = re.compile(r"[ivx]+")
_TITLES = frozenset(normal(title) for title in TITLES)


class Name(NamedTuple):
    """What somebody or something is called: as written, and as stems without titles; no stems
    where there is no name."""

    text: str
    stems: frozenset[str]


class Mention(NamedTuple):
    """A name in a sentence, its first token and the one after its last; ``sure`` says that it is
    no common word with a capital from opening the sentence."""

    name: Name
    first: int
    end: int
    sure: bool

    @classmethod
    def of(cls, text: str) -> Mention | None:
        """A text as one name; None where it is no name."""
        name = name_of(text)
        known = bool(name.stems) and is_name(name.text)
        return cls(name, 0, len(name.text.split()), True) if known else None

    def likeness(self, name: Name) -> Likeness:
        """How it stands to another name."""
        return _likeness(self.name, name)


NOBODY = Name("", frozenset())


def name_of(text: str) -> Name:
    """The name in a text, its common words and what follows it after a comma or in brackets left
    out; no stems where it has none."""
    bare = _CUT.split(text.strip(), maxsplit=1)[0]
    return Name(bare, frozenset(_stems(tokens(bare, 0, len(bare)))))


def openings(name: Name) -> frozenset[str]:
    """The first letters of the words of which any name that is not another's holds one; empty
    where it may be any."""
    if canonical(name.text) in ALIASED:
        return frozenset()
    short = {other[0] for stem in name.stems for other in _SHORT.get(stem, ())}
    return frozenset(short | {stem[0] for stem in name.stems})


def mentions(
    plain: str, found: Sequence[Token], runs: Sequence[Span], values: Sequence[Value]
) -> tuple[Mention, ...]:
    """The names of a sentence, by its runs of capitalised words; months, units, titles are none."""
    named: list[Mention] = []
    at = 0
    for start, end in _joined(plain, runs):
        while found[at].start < start:
            at += 1
        first = at
        while at < len(found) and found[at].start < end:
            at += 1
        last = at
        if last < len(found) and found[last].kind == "number":
            numbered = plain[found[last - 1].end : found[last].start] == " "
            last += numbered  # "Windows 95"
        kept = [
            i
            for i in range(first, last)
            if (_is_letter(found, i) and i > first)
            or (
                found[i].kind != "stop"
                and found[i].norm not in SMALL
                and not _is_valued(found[i], values)
            )
        ]
        stems = frozenset(_stems([found[i] for i in kept]))
        if stems:
            first, last = kept[0], kept[-1] + 1
            text = plain[found[first].start : found[last - 1].end]
            sure = last - first > 1 or found[first].kind == "name"
            named.append(Mention(Name(text, stems), first, last, sure))
    return tuple(named)


def _is_letter(found: Sequence[Token], at: int) -> bool:
    return len(found[at].text) == 1 and found[at].text.isupper()


def _is_valued(token: Token, values: Sequence[Value]) -> bool:
    """Whether a word belongs to a date or a quantity; a bare number may be part of a name."""
    return any(
        value.start <= token.start < value.end and (token.kind != "number" or value.kind == "date")
        for value in values
    )


def _joined(plain: str, runs: Sequence[Span]) -> list[Span]:
    """The runs, those made one that a nickname in quotes parts."""
    joined: list[Span] = []
    for start, end in runs:
        owns = joined and plain.endswith(("'s", "’s"), 0, joined[-1][1])
        if joined and not owns and _QUOTED.fullmatch(plain, joined[-1][1], start):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _stems(found: Sequence[Token]) -> list[str]:
    stems: list[str] = []
    for at, token in enumerate(found):
        if stems and _is_letter(found, at) and at == len(found) - 1:
            stems.append(f"#{token.norm}")  # "Vitamin C": no initial
            continue
        if token.kind == "stop" or token.norm in _TITLES or token.norm in SMALL:
            continue
        if "." in token.text and token.kind == "name":
            stems.extend(token.norm)  # "C.V." is "C. V."
        elif token.text[0].isupper() or (at and token.kind == "number"):
            stems.append(token.norm)
    return stems


@lru_cache(maxsize=1 << 14)
def _likeness(mention: Name, name: Name) -> Likeness:
    mine, theirs = mention.stems, name.stems
    if mine == theirs or same_name(mention.text, name.text):
        return "own"
    lacking = [one for one in theirs if not any(_alike(one, other) for other in mine)]
    added = [one for one in mine if not any(_alike(one, other) for other in theirs)]
    if len(added) == len(mine):
        return "other"
    # A "III" that only one of them has makes no difference; against a "II" it does.
    numbered = all(map(_ROMAN.fullmatch, lacking))
    if not lacking or (numbered and not any(map(_ROMAN.fullmatch, added))):
        return "own"
    if added:
        return "kind"
    return "own" if all(len(one) == 1 for one in lacking) else "part"


def _alike(one: str, other: str) -> bool:
    """Whether two words may stand for the same name: an initial, a short form, the beginning of
    a longer word, another spelling."""
    if one[0] != other[0]:
        return other in _SHORT.get(one, ())
    short, long = sorted((one, other), key=len)
    if short == long or len(short) == 1 or other in _SHORT.get(one, ()):
        return True
    if len(short) >= _BEGINNING and long.startswith(short):
        return True
    added = len(long) - len(short)
    if added > 1 or len(short) <= _SPELT - added or not (short + long).isalpha():
        return False
    same = next((at for at, letter in enumerate(short) if letter != long[at]), len(short))
    rest = len(short) - same - (not added)
    return rest <= 0 or short[-rest:] == long[-rest:]
