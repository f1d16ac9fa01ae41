"""Changes by rule that make a text wrong: a number, a date, a name, a negation. For English.

The rules share no code with the checker that is measured on what they make. A rule that finds no
place leaves the text alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from random import Random
from typing import Final

from halubot.evaluation.synthesis.planted_edits import Edit, Edited, apply_planted
from halubot.evaluation.synthesis.value_changes import MONTHS, changed_value, kind_of, places

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
    ``random``; None where nothing can be changed.

    >>> changed("She was born in 1816.", Random(0), kinds=["negation"]).text
    'She was not born in 1816.'
    """
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
        if found["verb"] not in ("did", "does", "do")
    ]
    taken: set[int] = set()
    for found in _AFFIRMED.finditer(text):
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
