"""Triples of texts with planted mistakes, as `halubot make-data` writes them: which are caught, by
kind of change.

A text counts its triples; those of a changed place are wrong. A triple that the method did not
find has no score. Sensitivity and specificity are those of the triplet thesis (section 4.2).

Source: Osmanaj, "Open Information Extraction for Fact-Checking Large Language Models" (TU Wien,
2025), sections 4.2, 4.4 and 5.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from halubot.evaluation import own
from halubot.evaluation.checked import Scored
from halubot.evaluation.rows import Dataset, LabelledFact, Record, Row
from halubot.evaluation.statistics import Metrics, labelled_units, plain, share
from halubot.evaluation.tallies import APART
from halubot.report import Triple


def _rows(record: Record) -> tuple[Row, ...]:
    """The row of a text whose triples are written beside it; of any other line none."""
    if not record.has("triples"):
        return ()
    (row,) = own.rows(record)
    kinds, triples = _kinds(record), record.lists("triples")
    spans = record.lists("triple_spans") if record.has("triple_spans") else []
    facts = []
    for number, parts in enumerate(triples):
        if not isinstance(parts, list) or [type(part) for part in parts] != [str] * 3:
            raise record.wrong("triples", "a list of triples of three texts")
        given = spans[number] if number < len(spans) else [[0, len(row.text)]]
        if not isinstance(given, list) or not all(own.is_span(span, row.text) for span in given):
            raise record.wrong("triple_spans", "for each triple pairs of offsets into the text")
        kind = kinds.get(number)
        places = tuple((start, end) for start, end in given)
        facts.append(LabelledFact(Triple(*parts), places, kind is not None, kind or ""))
    return (replace(row, gold=(), labelled=tuple(facts)),) if facts else ()


def _kinds(record: Record) -> dict[int, str]:
    """The kind of change of each triple that is wrong, by its number; "" where it is not told."""
    changed = record.lists("changed_triples")
    kinds = record.lists("changed_kinds") if record.has("changed_kinds") else [""] * len(changed)
    if len(kinds) != len(changed) or not all(isinstance(kind, str) for kind in kinds):
        raise record.wrong("changed_kinds", "for each of 'changed_triples' a text")
    count = len(record.lists("triples"))
    if not all(type(number) is int and 0 <= number < count for number in changed):
        raise record.wrong("changed_triples", "a list of numbers of triples")
    return dict(zip(changed, kinds, strict=True))


def by_kind(rows: Sequence[Scored], threshold: float) -> Metrics:
    """Return the share of the wrong triples of each kind of change that are doubted."""
    found = labelled_units(rows)
    kinds = np.array([fact.kind for one in rows for fact in one.row.labelled])
    doubted = found.scores >= threshold
    return {
        f"sensitivity{APART}{kind}": plain(share(found, doubted, found.wrong & of_kind), len(rows))
        for kind in sorted(set(kinds.tolist()) - {""})
        if (of_kind := kinds == kind).any()
    }


MADE: Final = Dataset("made", _rows, ("references",), fitting="validation")
