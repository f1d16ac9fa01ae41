"""Operators and negation: words that change or deny what the words after them say."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final, Literal, NamedTuple

from halubot.compare import lexicon
from halubot.compare.tokens import Token, normal
from halubot.values.units import CARDINALS

Family = Literal["modal", "quantity", "link", "degree", "limit"]


class Sense(NamedTuple):
    """The family of an operator and its sense in it: a class of modals, a share of a whole, or
    the word itself."""

    family: Family
    sense: str


# Links and the senses they exclude; in each row everything on the left excludes all on the right.
_LINKS: Final = """
before / after
until, till, up until / from, as of, starting, since, after
with / without
above, in excess of / below, beneath, under
inside, within / outside
including / excluding, except, except for, but not
unless / if, only if, provided, as long as, even if
even if / only if, provided, provided that, as long as
upstairs / downstairs
because of / despite, in spite of
"""
_DEGREES: Final = """
more / less, fewer
most / least, fewest
"""

# Quantities exclude each other if they are at least so far apart; "all" excludes all others.
_APART: Final = 0.4
_ALL: Final = 1.0


def find_operators(lows: tuple[str, ...]) -> Iterator[tuple[int, int, Sense]]:
    """Yield each operator among the words of a sentence: its first token, its number of tokens and
    its sense. The longest phrase wins."""
    openers = _longest().keys()
    if openers.isdisjoint(lows):
        return
    free = 0  # the first token after the last phrase
    for at, low in enumerate(lows):
        if at < free or low not in openers:
            continue
        width, sense = find_operator(lows, at)
        free = at + width
        if sense is not None:
            yield at, width, sense


def find_operator(lows: tuple[str, ...], at: int) -> tuple[int, Sense | None]:
    """Return the longest operator that begins at a token, as its number of tokens and its sense;
    (0, None) if there is none. The bound of a value has a width and no sense."""
    table = _table()
    longest = _longest().get(lows[at], 0)
    for width in range(min(longest, len(lows) - at), 0, -1):
        phrase = " ".join(lows[at : at + width])
        if phrase in table:
            return width, table[phrase]
    return 0, None


def is_operator(low: str) -> bool:
    """Return True for a single word that is an operator: "every", "only", "must"."""
    return low in _table()


def exclude(mine: Sense, theirs: Sense) -> bool:
    """Return True if what two operators of one family say cannot both be true. Symmetric."""
    if mine.family != theirs.family or mine.sense == theirs.sense:
        return False
    if mine.family == "modal":
        return frozenset({mine.sense, theirs.sense}) in _MODALS
    if mine.family == "quantity":
        a, b = float(mine.sense), float(theirs.sense)
        if 0.0 in (a, b):
            return True
        return _ALL in (a, b) or abs(a - b) >= _APART
    return theirs.sense in _are_opposed().get(mine.sense, frozenset())


_MODALS: Final = frozenset(
    frozenset(pair)
    for pair in (
        ("must", "cannot"),
        ("must", "need not"),
        ("must", "may"),
        ("may", "cannot"),
        ("should", "cannot"),
        ("should", "need not"),
    )
)


# Phrases that belong to the value after them, which holds them as its bound.
_BOUNDS: Final = (
    "no more than", "no less than", "no fewer than", "no later than", "no earlier than", "at most",
    "at least", "more than", "less than", "fewer than", "at the most", "at the least",
    "all you need", "all you need to", "all that you need",
)  # fmt: skip


@cache
def _table() -> dict[str, Sense | None]:
    table: dict[str, Sense | None] = {}
    for row in (*_rows(_LINKS), *_rows(_DEGREES)):
        family: Family = "degree" if row[0][0] in ("more", "most") else "link"
        for word in (*row[0], *row[1]):
            table[word] = Sense(family, word)
    for words, share in lexicon.quantifiers().items():
        table[words] = Sense("quantity", str(share))
    for words, modal in lexicon.modal_phrases().items():
        table[words] = Sense("modal", modal)
    for negated in ("don't", "doesn't", "didn't", "do not", "does not", "did not", "not"):
        for verb in ("have to", "need to", "need", "require", "required"):
            table[f"{negated} {verb}"] = Sense("modal", "need not")
    for verb in ("requires", "require", "compulsory", "mandatory", "obligatory"):
        table[verb] = Sense("modal", "must")
    for word in lexicon.limits():
        table.setdefault(word, Sense("limit", word))
    table.update(dict.fromkeys(_BOUNDS, None))
    return table


@cache
def _longest() -> dict[str, int]:
    longest: dict[str, int] = {}
    for phrase in _table():
        words = phrase.split()
        longest[words[0]] = max(longest.get(words[0], 0), len(words))
    return longest


@cache
def _are_opposed() -> dict[str, frozenset[str]]:
    table: dict[str, frozenset[str]] = {}
    for left, right in (*_rows(_LINKS), *_rows(_DEGREES)):
        for side, other in ((left, right), (right, left)):
            for word in side:
                table[word] = table.get(word, frozenset()) | frozenset(other)
    return table


def _rows(table: str) -> list[tuple[list[str], list[str]]]:
    rows = []
    for line in table.strip().splitlines():
        left, _, right = line.partition(" / ")
        rows.append(
            ([one.strip() for one in left.split(",")], [one.strip() for one in right.split(",")])
        )
    return rows


Span = tuple[int, int]


class Denial(NamedTuple):
    """A cue of negation at ``cue`` and the words it denies, from ``start`` to ``end``. ``verbal``
    says that it denies a verb ("not", "never"), ``phrase`` that it leaves out a phrase
    ("without")."""

    cue: int
    start: int
    end: int
    verbal: bool = False
    phrase: bool = False

    @property
    def whole(self) -> bool:
        """Return True if the cue itself is denied: "advised against"."""
        return self.start == self.cue


# These look like negations and deny nothing.
_HARMLESS = (
    r"not\s+(?:only|just|merely|simply|solely|least|even\s+half)\b"
    r"|(?:cannot|can\s?not|can['’]t|not)\s+(?:but|help)\b|nothing\s+but\b"
    r"|no\s+(?:doubt|fewer|less|matter|sooner|wonder|\w+er\s+than|more\s+than)\b|no\.\s?\d"
    r"|next\s+to\s+nothing"
    r"|whether\s+or\s+not\b|if\s+not\b|not\s+to\s+mention\b|nicht\s+nur\b|never\s*theless\b"
)


_CUES = (
    r"not|never|neither|nor|no\s+longer|no|none|nobody|nothing|nowhere|cannot|without|lacks?|lacked|lacking"
    r"|(?:rather|other)\s+than|instead\s+of|except(?:\s+for)?|unable\s+to"
    r"|(?:fail|refuse|decline|reject)(?:s|d|ed)?(?:\s+(?:an?|the|any|all|his|her|their|its)"
    r"\s+(?:offer|invitation|request|call|chance)s?)?\s+to"
    r"|free\s+(?:of|from)|ha(?:s|ve|d)\s+yet\s+to|den(?:y|ies|ied)|(?:advis|recommend|warn)(?:e?[sd]|ed?|ing)?\s+against|rul(?:es|ed)\s+out|nicht|niemals|nie|kein(?:e[nmrs]?)?|ohne|weder"
)


_CUE = re.compile(
    rf"(?i)(?<![^\W_])(?:(?P<harmless>{_HARMLESS})|(?P<cue>(?:{_CUES})(?![^\W_])))"
    r"|(?P<contracted>n['’]t)(?![^\W_]|\s+(?:only|just|merely|simply|solely)\b)|(?P<cjk>不(?!仅|只|但|过|同|少)|没有|未(?!来)|ない|ません)"
)


# A text with none of these holds no cue: looked for first, since most sentences hold none.
_HINTS = (
    """
no|never|neither|yet to|free of|free from|n't|n’t|without|lack|than|instead|except|unable|fail
refus|declin|reject|against|deny|denie|rule|ruling|nicht|nie|kein|ohne|weder|不|没有|未|ない|ません
""".strip()
    .replace("\n", "|")
    .split("|")
)


_CLAUSE_END = re.compile(
    r"[;:.!?。；！？](?=\s|$|[^\x00-\x7f])|[–—]"
    r"|,?\s(?:but|although|though|whereas|while|because|since|however|yet|if|when|unless|sondern"
    r"|aber)\s"
    r"|,\s(?:and|or|so|as|which|who|where|when|he|she|it|they|instead"
    r"|can|could|may|might|must|should|will|would)\s"
    r"|\s(?:and|or)\s(?:he|she|it|they|was|is|were|are|may|might|can|could|will|would|must|should)\s"
)


_PHRASE_END = re.compile(r"[,;:.!?(](?=\s|$)|\s(?:and|but|he|she|it|they|was|is|were|are)\s")


_VERBAL = frozenset({"not", "never", "n't", "n’t", "no longer", "cannot", "nicht", "nie"})


_NEXT_WORD = len(" unless ")  # a clause ends before it
_LIMITED = frozenset({"not", "n't", "n’t", "no", "none", "nothing", "nobody", "cannot", "never"})


_FARTHEST = 400  # characters; no clause is longer, and a text without clauses stays quick


_FEW_WORDS = re.compile(r"\s*(?:\S+\s+){0,4}\S+")


_BRIEF = re.compile(r"(?i)without|free|ohne|(?:rather|other)\s+than|instead|except")


# "did not open until 1990" says that it opened in 1990.
_UNTIL = re.compile(r"(?i)\b(?:until|till|unless)\b|\bany\s+less\b|\bmore\s+(?:often\s+)?than\b")
# "Cannot be restored without the password" says that the password restores it.
_WITHOUT = re.compile(r"(?i)\b(?:without|other\s+than|except)\b")


def denials(plain: str, start: int = 0, end: int | None = None) -> tuple[Denial, ...]:
    """The negations in ``plain[start:end]``, in order, each with the words that it denies."""
    end = len(plain) if end is None else end
    lower = plain[start:end].lower()
    if not any(hint in lower for hint in _HINTS):
        return ()
    found: list[Denial] = []
    passed = start  # the end of a negation that another one takes back
    for match in _CUE.finditer(plain, start, end):
        if match.group("harmless") or _in_title(plain, match.start(), start):
            continue
        if match.group("cjk"):
            backwards = match.group() in {"ない", "ません"}
            low = max((plain.rfind(c, start, match.start()) for c in "。、"), default=-1) + 1
            low = max(start, low) if backwards else match.end()
            found.append(Denial(match.start(), low, _stop(_CLAUSE_END, plain, match.end(), end)))
            continue
        cue = match.group().lower()
        ending = _PHRASE_END if _BRIEF.match(cue) else _CLAUSE_END
        stop = _stop(ending, plain, match.end(), end)
        if match.start() < passed:
            continue
        if cue in _LIMITED and _UNTIL.search(plain, match.end(), min(end, stop + _NEXT_WORD)):
            continue
        without = _WITHOUT.search(plain, match.end(), stop) if cue in _LIMITED else None
        if without is not None:
            passed = without.end()
            continue
        if cue == "nor" and found and found[-1].end >= match.start():
            continue  # "neither A nor B" is one negation of both
        verbal = cue in _VERBAL
        phrase = ending is _PHRASE_END
        # "Advised against" denies the advice as well.
        first = match.start() if cue.endswith("against") else match.end()
        found.append(Denial(match.start(), first, stop, verbal, phrase))
    return tuple(found)


def is_denied(found: tuple[Denial, ...], at: int) -> bool:
    """Return whether the word at this place is denied: an odd number of negations covers it."""
    return sum(denial.start <= at < denial.end for denial in found) % 2 == 1


def is_negative(text: str) -> bool:
    """Return whether a short text, such as a relation, denies: an odd number of negations."""
    return len(denials(text)) % 2 == 1


def _in_title(plain: str, at: int, start: int) -> bool:
    """Return whether a cue belongs to a title: its word has a capital and does not open the
    text."""
    while at > start and plain[at - 1].isalpha():
        at -= 1
    return plain[at].isupper() and bool(plain[start:at].strip(" \n\t-*•("))


def _stop(pattern: re.Pattern[str], plain: str, at: int, end: int) -> int:
    """Return the end of the words that a cue at ``at`` denies: at the end of its clause, of
    the brackets it stands in, or after a few words if the cue denies but a phrase."""
    end = min(end, at + _FARTHEST)
    match = pattern.search(plain, at, end)
    stop = match.start() if match else end
    closing = plain.find(")", at, stop)
    if closing >= 0 and plain.find("(", at, closing) < 0:
        stop = closing
    if pattern is _PHRASE_END:
        brief = _FEW_WORDS.match(plain, at, stop)
        stop = brief.end() if brief else stop
    return stop


# Each pair excludes the other when all else is the same; in every common form, then stemmed.
_OPPOSITES = """
won win wins|lost lose loses
increased rise rose risen raise raised|decrease decreased decline declined fall fell reduced
heavier|lighter
hotter warmer|colder cooler
faster fastest|slower slowest
higher high highest|lower low lowest
larger large largest bigger biggest|smaller small smallest
longer longest|shorter shortest
older oldest eldest|younger youngest
earlier earliest|later latest
more most|fewer less least
minimum|maximum
northern north|southern south
eastern east|western west
accepted accept|rejected reject refused
supported support supports|opposed oppose opposes
included include includes|excluded exclude excludes
married|unmarried
common|rare uncommon
positive|negative
benign|malignant
acute|chronic
effective|ineffective
safe|unsafe
legal|illegal
possible|impossible
success successful|failure unsuccessful
best|worst
"""


# These exclude each other in one and the same relation only: a life has both a birth and a death.
_COUNTERPARTS = """
born|died dies
before|after
against|for
above|below
brother|sister
father|mother
son|daughter
husband|wife
male|female
"""


def _pairs(lines: str) -> dict[str, frozenset[str]]:
    table: dict[str, frozenset[str]] = {}
    for line in lines.strip().splitlines():
        sides = [frozenset(normal(word) for word in side.split()) for side in line.split("|")]
        for side, other in (sides, sides[::-1]):
            for word in side:
                table[word] = table.get(word, frozenset()) | other
    return table


OPPOSITES: dict[str, frozenset[str]] = _pairs(_OPPOSITES)


COUNTERPARTS: dict[str, frozenset[str]] = _pairs(_COUNTERPARTS)


class Operator(NamedTuple):
    """A word or phrase that changes what follows it. ``target`` is the index of
    the term that it governs, -1 if the sentence has no term."""

    sense: Sense
    start: int
    end: int
    target: int


_REACH: Final = 24
"""Characters between an operator and the term it governs."""


def _is_number(low: str) -> bool:
    return low[0].isdigit() or low in CARDINALS


def operators_of(
    tokens: tuple[Token, ...],
    lows: tuple[str, ...],
    firsts: list[int],
    cuts: list[int],
    *,
    negations: tuple[Denial, ...],
    phrases: Mapping[int, str],
) -> tuple[Operator, ...]:
    """The operators of a sentence but for those inside of ``phrases`` ("at no cost"). ``firsts``
    holds the beginnings of its terms."""
    found: list[Operator] = []
    for at, width, literal in find_operators(lows):
        if at in phrases:
            continue
        sense = literal
        if sense.family == "quantity" and at and lows[at - 1] == "of":
            continue  # "a quarter of all users" says nothing of all
        if lows[at] == "some" and at + 1 < len(lows) and _is_number(lows[at + 1]):
            continue  # "some 23,000 tubs" are about so many
        start, end = tokens[at].start, tokens[at + width - 1].end
        target = bisect_left(firsts, end)
        if (
            target == len(firsts)
            or firsts[target] - end > _REACH
            or bisect_left(cuts, firsts[target]) != bisect_left(cuts, end)
        ):
            target = -1
        if sense.sense in ("more", "less"):
            after = at + width
            stops = after == len(tokens) or tokens[after].start > end + 1 or lows[after] == "and"
            # "Members pay less, and": what there is less of stands before it.
            target = bisect_left(firsts, start) - 1 if stops else target
        if sense.sense == "may" and negations:
            stop = firsts[target] if target >= 0 else end
            if any(one.start <= start < one.end or end <= one.cue < stop for one in negations):
                found.append(Operator(Sense("modal", "cannot"), start, end, target))
                continue
        found.append(Operator(sense, start, end, target))
    return tuple(found)
