"""Which labelled rows look as if a rule had made them?

A rule changes one word of a right text. What models get wrong differs from that: they invent whole
sentences, mix up events, and are wrong where nothing near says otherwise. A threshold that was
fitted on changes by rule can be far off on texts of models.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from halubot.evaluation.rows import Row
from halubot.evaluation.synthesis.makers import BY_RULES

_WORD: Final = re.compile(r"\w+")
_FEWEST: Final = 2
_SHARE: Final = 0.1
_MOST: Final = 0.5
"""The share of wrong rows made by rule from which on the figures rest on them."""


@dataclass(frozen=True, slots=True)
class Origin:
    """How many of the ``wrong`` rows a rule made: those that say so, and, of the others, those
    that are copies of a right text with few words changed."""

    wrong: int
    named: int
    copied: int

    @property
    def note(self) -> str | None:
        """A warning, or None if less than half of the wrong rows were made so."""
        made = self.named + self.copied
        if not self.wrong or made < _MOST * self.wrong:
            return None
        how = "were made by rule (halubot make-data changes)"
        if self.copied:
            how = "are right texts with a word or two changed, as a rule makes them"
        return (
            f"{made} of {self.wrong} wrong rows {how}: models err in other ways, so neither the"
            " threshold nor the probability need hold for their texts; calibrate on texts of your"
            " model that people labelled (halubot feedback export)"
        )


def origin_of(rows: Sequence[Row]) -> Origin:
    """Return how many of the wrong rows were made by rule; linear in all texts of a group. A row
    with wrong sentences or facts counts as a wrong row."""
    right: dict[str, list[Counter[str]]] = {}
    for row in rows:
        if row.group and not _is_wrong(row):
            right.setdefault(row.group, []).append(_words(row.text))
    wrong = [row for row in rows if _is_wrong(row)]
    named = sum(row.maker == BY_RULES for row in wrong)
    copied = 0
    for row in wrong:
        if not row.maker:
            sources = [_words(text) for text in row.references]
            copied += _is_copy(_words(row.text), [*right.get(row.group, ()), *sources])
    return Origin(len(wrong), named, copied)


def _is_wrong(row: Row) -> bool:
    return any(gold > 0 for gold in row.gold) or any(fact.wrong for fact in row.labelled)


def _words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text))


def _is_copy(words: Counter[str], others: Sequence[Counter[str]]) -> bool:
    """Return True if one of the others has the same words but for a few."""
    most = max(_FEWEST, _SHARE * words.total())
    return any(max((words - one).total(), (one - words).total()) <= most for one in others)
