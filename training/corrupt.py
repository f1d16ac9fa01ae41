"""Turn a right claim into a wrong one, and say which words changed.

Each kind of error exchanges as little as it can: a number, a unit, a date, a place, a name, a word
for its opposite, a quantity, a modality, a negation, two names for each other. The words are in
`training/data/changes.toml`. What a corruption says contradicts the claim it was made from; it is
not always good style.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Final

TABLES: Final = Path(__file__).parent / "data" / "changes.toml"

WEIGHTS: Final = {
    "number": 3, "negation": 2, "opposite": 3, "quantity": 2, "modality": 2, "order": 1, "date": 2,
    "unit": 2, "place": 2, "name": 3, "verb": 1, "role": 3,
}  # fmt: skip
"""How often a kind is tried first."""

# A number that is no part of a word, a version or a range ("B12", "1.2.3", "-19").
_NUMBER = re.compile(r"(?<![A-Za-z0-9.,-])\d+(?:[.,]\d+)*(?![A-Za-z0-9-]|[.,]\d)")
_NAME = re.compile(
    r"\b[A-ZÀ-Þ][\w'’-]+(?: (?:of|de|van|von|the|der|la|du) [A-ZÀ-Þ][\w'’-]+| [A-ZÀ-Þ][\w'’-]+)*"
)
# Capital letters say nothing of names in German, and there are none in Chinese and Arabic.
_CAPITALS_ARE_NAMES = ("en", "fr", "es")
# First words of sentences, and words between two names that hold of both alike.
_NO_NAMES = frozenset(tomllib.loads(TABLES.read_text(encoding="utf-8"))["no_names"].split())
_BOTH_ALIKE = re.compile(
    r"\b(and|or|with|married|met|near|between|beside|alongside|like|versus|et|ou|avec|entre|y|o|con"
    r"|e)\b|[,;:/&()]|^\W*$"
)
_HAS_A_VERB = re.compile(r"[a-zà-þ]{2,}")

Edit = tuple[int, int, str]
Rule = Callable[[str, random.Random], Sequence[Edit]]


@dataclass(frozen=True, slots=True)
class Corruption:
    """A wrong claim; ``marks`` are the places of the changed words in ``text``, and ``replaced``
    is what stood there."""

    kind: str
    text: str
    marks: tuple[tuple[int, int], ...]
    replaced: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Changes:
    """The exchanges of one kind in one language: a pattern, and what each match may become."""

    pattern: re.Pattern[str]
    others: dict[str, tuple[str, ...]]

    def edits(self, text: str, draws: random.Random) -> Sequence[Edit]:
        found = list(self.pattern.finditer(text))
        if not found:
            return ()
        match = draws.choice(found)
        old = match[0]
        new = draws.choice(self.others.get(old) or self.others[old[:1].lower() + old[1:]])
        return ((match.start(), match.end(), _cased(new, old)),)


def corrupt(
    text: str,
    draws: random.Random,
    *,
    language: str = "en",
    names: Sequence[str] = (),
    kinds: Iterable[str] | None = None,
) -> Corruption | None:
    """Return a corruption of ``text``, or None if no kind of error fits it.

    ``names`` may take the place of a name in the text.
    """
    rules = _rules(language)
    wanted = [k for k in (kinds or WEIGHTS) if k in rules or k in ("name", "role")]
    # The kinds in a drawn order, the heavier ones earlier.
    wanted.sort(key=lambda k: draws.random() ** (1 / WEIGHTS[k]), reverse=True)
    for kind in wanted:
        edits: Sequence[Edit] = ()
        if language in _CAPITALS_ARE_NAMES:
            if kind == "role":
                edits = _swapped_roles(text, draws)
            elif kind == "name" and (names and draws.random() < 0.7):
                edits = _other_name(text, draws, names)
        if not edits and kind in rules:
            edits = rules[kind](text, draws)
        if edits and (changed := _apply(kind, text, edits)):
            return changed
    return None


def _apply(kind: str, text: str, edits: Sequence[Edit]) -> Corruption | None:
    result, marks, at = "", [], 0
    for start, end, new in sorted(edits):
        result += text[at:start]
        marks.append((len(result), len(result) + len(new)))
        result += new
        at = end
    result += text[at:]
    if result.lower() == text.lower():
        return None
    return Corruption(kind, result, tuple(marks), tuple(text[a:b] for a, b, _ in sorted(edits)))


@cache
def _rules(language: str) -> dict[str, Rule]:
    """Return the rule of each kind that the tables of the language allow."""
    table = tomllib.loads(TABLES.read_text(encoding="utf-8"))[language]
    others: dict[str, dict[str, list[str]]] = {}
    for kind in ("opposite", "order", "negation", "quantity", "modality"):
        into = others.setdefault(kind, {})
        for entry in re.split(r",\s+", table[kind].strip()):
            one, sign, other = re.split(r"([/>])", entry)
            into.setdefault(one, []).append(other)
            if sign == "/":
                into.setdefault(other, []).append(one)
    lines = [*table["sets"].items(), ("number", [table["numbers"]])]
    for kind, sets in lines:
        into = others.setdefault(kind, {})
        for words in map(str.split, sets):
            for word in words:
                into.setdefault(word, []).extend(w for w in words if w != word)
    rules: dict[str, Rule] = {}
    for kind, exchanges in others.items():
        changes = _Changes(
            _pattern(exchanges, language), {k: tuple(v) for k, v in exchanges.items()}
        )
        rules[kind] = _number_rule(changes) if kind == "number" else changes.edits
    return rules


def _pattern(words: Iterable[str], language: str) -> re.Pattern[str]:
    forms = {w for word in words for w in (word, word[:1].upper() + word[1:])}
    either = "|".join(map(re.escape, sorted(forms, key=lambda w: (-len(w), w))))
    return re.compile(either if language == "zh" else rf"(?<![\w'’-])(?:{either})(?![\w'’-])")


def _cased(new: str, old: str) -> str:
    return new[:1].upper() + new[1:] if old[:1].isupper() else new


def _number_rule(words: _Changes) -> Rule:
    def edits(text: str, draws: random.Random) -> Sequence[Edit]:
        digits = list(_NUMBER.finditer(text))
        if not digits or draws.random() < 0.2:
            found = words.edits(text, draws)
            if found or not digits:
                return found
        match = draws.choice(digits)
        return ((match.start(), match.end(), _other_number(match[0], draws)),)

    return edits


def _other_number(digits: str, draws: random.Random) -> str:
    """Return another number written in the same way."""
    while True:
        if re.fullmatch(r"1\d\d\d|20[0-4]\d", digits):
            new = str(int(digits) + draws.choice([-100, -20, -10, -5, -2, -1, 1, 2, 3, 5, 10, 20]))
        elif digits.isdecimal() and int(digits) <= 31 and draws.random() < 0.7:
            new = str(draws.randint(1, 31))  # It may be a day.
        elif digits.isdecimal() and (len(digits) < 3 or draws.random() < 0.5):
            number = int(digits)
            added = number + draws.choice([-5, -3, -2, -1, 1, 2, 3, 4, 5, 10])
            times = int(number * draws.choice([0.1, 0.5, 1.5, 2, 3, 10]))
            new = str(max(0, draws.choice([added, times])))
        else:
            places = [i for i, c in enumerate(digits) if c.isdecimal()]
            place = draws.choice(places[:2] if draws.random() < 0.7 else places)
            digit = draws.choice("123456789" if place == 0 else "0123456789")
            new = digits[:place] + digit + digits[place + 1 :]
        if new != digits:
            return new


def names_in(text: str) -> list[tuple[int, int]]:
    """Return the places of names, read by their capital letters."""
    found = []
    for match in _NAME.finditer(text):
        start, words = match.start(), match[0].split(" ")
        while words and words[0] in _NO_NAMES:
            start += len(words.pop(0)) + 1
        # A single capital word at the start of a sentence may be any word.
        opens = match.start() == 0 or text[: match.start()].rstrip()[-1:] in ".!?"
        if words and not (opens and start == match.start() and len(words) == 1):
            found.append((start, match.end()))
    return found


def _other_name(text: str, draws: random.Random, names: Sequence[str]) -> Sequence[Edit]:
    places = names_in(text)
    if not places:
        return ()
    start, end = draws.choice(places)
    old = text[start:end]
    length = len(old.split())
    drawn = draws.sample(names, min(len(names), 200))
    fitting = [name for name in drawn if name not in text]
    new = next((n for n in fitting if len(n.split()) == length), None)
    if new is None:
        return ()
    if length == 2 and draws.random() < 0.4:
        # Another surname, or another first name.
        first, (other_first, other_last) = old.split()[0], new.split()
        if draws.random() < 0.5:
            return ((start + len(first) + 1, end, other_last),)
        return ((start, start + len(first), other_first),) if first != other_first else ()
    return ((start, end, new),)


def _swapped_roles(text: str, draws: random.Random) -> Sequence[Edit]:
    """Exchange two names with words between them that do not hold of both alike."""
    places = names_in(text)
    opening = _NAME.match(text)
    if opening and opening[0].split()[0] not in _NO_NAMES and places[:1] != [opening.span()]:
        places.insert(0, opening.span())
    pairs = [
        (a, b)
        for a, b in pairwise(places)
        if text[slice(*a)] != text[slice(*b)]
        and not _BOTH_ALIKE.search(text[a[1] : b[0]])
        and _HAS_A_VERB.search(text[a[1] : b[0]])
    ]
    if not pairs:
        return ()
    a, b = draws.choice(pairs)
    return ((*a, text[slice(*b)]), (*b, text[slice(*a)]))
