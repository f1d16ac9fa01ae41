"""Other forms of the words of a text: irregular verbs, second names, and names spelt short.

A sentence with "wrote" is found under "written" too, one with "USA" under "United States", one
with "WHO" under "World Health Organization" where a fact asks for that name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from halubot.compare.names import ALIASES, SMALL
from halubot.compare.tokens import Token, normal, tokens
from halubot.text import Span

# Verbs whose forms no ending tells; those that are common words of another meaning are left out
# ("found", "left", "saw").
_VERBS = """
write wrote written
win won winning
lose lost
beat beaten
begin began begun
become became
build built
teach taught
hold held
lead led
sell sold
buy bought
make made
meet met
know knew known
grow grew grown
give gave given
take took taken
go went gone
choose chose chosen
speak spoke spoken
sing sang sung
sink sank sunk
swim swam swum
run ran running
fly flew flown
draw drew drawn
throw threw thrown
drive drove driven
break broke broken
steal stole stolen
rise rose risen
fall fell fallen
fight fought
spend spent
send sent
keep kept
die died dying
"""
# What may stand between two words of one name.
_JOINT = re.compile(r"\s|\.\s|-|\s(?:of|of the|and|de|von|van)\s")
_WIDEST = 8  # characters
_LONGEST_NAME = 3  # words; "United Kingdom of Great Britain and Northern Ireland" holds others
_LONGEST_ACRONYM = 6  # letters


def _verbs() -> dict[str, frozenset[str]]:
    groups = [frozenset(map(normal, line.split())) for line in _VERBS.strip().splitlines()]
    return {form: group - {form} for group in groups for form in group}


def _norms(name: str) -> tuple[str, ...]:
    return tuple(token.norm for token in tokens(name, 0, len(name)))


def _names() -> dict[str, list[tuple[tuple[str, ...], frozenset[str]]]]:
    """Each alias as its norms, under the first of them, with the stems of its other forms."""
    table: dict[str, list[tuple[tuple[str, ...], frozenset[str]]]] = {}
    for line in ALIASES:
        forms = {_norms(name) for name in line}
        for form in forms:
            others = {
                stem
                for other in forms - {form}
                if len(other) <= _LONGEST_NAME and (len(other) == 1 or len(other[0]) > 1)
                for stem in other
                if stem not in SMALL and stem not in form
            }
            table.setdefault(form[0], []).append((form, frozenset(others)))
    for found in table.values():
        found.sort(key=lambda entry: -len(entry[0]))
    return table


_OTHER_VERBS = _verbs()
_OTHER_NAMES = _names()
CHANGING = frozenset({*_OTHER_VERBS, *_OTHER_NAMES})
"""The stems that may stand under another one too."""


def other_stems(found: Sequence[Token], at: int) -> frozenset[str]:
    """The stems of the other forms of the word, or of the name that begins, at a place."""
    token = found[at]
    verbs = _OTHER_VERBS.get(token.norm, frozenset())
    if not token.text[0].isupper():
        return verbs
    for form, others in _OTHER_NAMES.get(token.norm, ()):
        there = found[at : at + len(form)]
        if tuple(one.norm for one in there) == form and _is_whole(found, at, form):
            return verbs | others
    return verbs


def _is_whole(found: Sequence[Token], at: int, form: tuple[str, ...]) -> bool:
    """Whether a single word is that name: "US" is no "us", "South America" no "America"."""
    if len(form) > 1:
        return True
    if len(form[0]) <= 4:
        return found[at].text.replace(".", "").isupper()
    before = found[at - 1] if at else None
    return before is None or not (before.text == "of" or before.kind == "name")


def name_runs(plain: str, found: Sequence[Token]) -> tuple[Span, ...]:
    """The runs of capitalised words, over hyphens, full stops, "of" and "and"."""
    runs: list[Span] = []
    for token in found:
        if not token.text[0].isupper():
            continue
        last = runs[-1][1] if runs else token.start
        if last < token.start <= last + _WIDEST and _JOINT.fullmatch(plain, last, token.start):
            runs[-1] = (runs[-1][0], token.end)
        else:
            runs.append((token.start, token.end))
    return tuple(runs)


@lru_cache(maxsize=1 << 12)
def initials(name: str) -> str:
    """The acronym of a name of several words, in lower case; empty where it has none."""
    words = [word for word in name.replace("-", " ").split() if word.lower() not in SMALL]
    letters = "".join(word[0] for word in words)
    return letters.lower() if 2 <= len(letters) <= _LONGEST_ACRONYM and letters.isupper() else ""


def acronyms(found: Sequence[Token]) -> Iterator[str]:
    """The stems of the words written as acronyms."""
    for token in found:
        letters = token.text.replace(".", "")
        if 2 <= len(letters) <= _LONGEST_ACRONYM and letters.isupper() and letters.isalpha():
            yield token.norm
