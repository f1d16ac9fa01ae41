"""Sentence pairs and triples with planted mistakes: which mistakes are flagged or caught."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from halubot.evaluation import rows as own
from halubot.evaluation.checked import Scored
from halubot.evaluation.rows import Dataset, LabelledFact, Record, Row
from halubot.evaluation.statistics import (
    APART,
    Metrics,
    Tally,
    labelled_units,
    parts_of,
    plain,
    ratios,
    ratios_apart,
    share,
)
from halubot.report import Triple

_FIGURES: Final = {
    "flagged": ("flagged", "errors"),
    "left_alone": ("left_alone", "right"),
    "contradicted": ("contradicted", "errors"),
    "called_supported": ("called_supported", "errors"),
    "right_supported": ("right_supported", "right"),
}
"""Each figure as one count of a tally over another."""


def _rows(record: Record) -> tuple[Row, ...]:
    strata = {
        name: value
        for name in ("kind", "language")
        if (value := record.maybe_text(name)) is not None
    }
    if not record.has("label"):
        raise record.wrong("label", "one of right, hallucinated")
    return tuple(replace(row, strata=strata) for row in own.rows(record))


def measure(rows: Sequence[Scored]) -> Metrics:
    """Return the share of errors flagged and of right pairs left alone, how often an error is
    contradicted or called supported and a right pair supported, then the first two by kind and
    language."""
    tallies = [_tally(one) for one in rows]
    return {**ratios(tallies, _FIGURES), **ratios_apart(tallies, _FIGURES)}


def _tally(one: Scored) -> Tally:
    tally = Tally()
    if one.judged is None:
        return tally
    parts = parts_of(one.row)
    marked = bool(one.judged.marks())
    # All sentences: a pair of which one half is supported is not called right.
    supported = {sentence.verdict for sentence in one.judged.sentences} == {"supported"}
    if one.row.gold[0] > 0:
        tally.add("errors", 1, *parts)
        tally.add("flagged", marked, *parts)
        tally["contradicted"] += "contradicted" in one.judged.verdicts()
        tally["called_supported"] += supported
    else:
        tally.add("right", 1, *parts)
        tally.add("left_alone", not marked, *parts)
        tally["right_supported"] += supported
    return tally


PAIRS: Final = Dataset("pairs", _rows, ("references",), fitting="verdicts")


def _rows_of_triples(record: Record) -> tuple[Row, ...]:
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
        # Without a place a triple may be anywhere in the text.
        given = spans[number] if number < len(spans) else [[0, len(row.text)]]
        if not isinstance(given, list) or not all(own.is_span(span, row.text) for span in given):
            raise record.wrong("triple_spans", "for each triple pairs of offsets into the text")
        kind = kinds.get(number)
        places = tuple((start, end) for start, end in given)
        facts.append(LabelledFact(Triple(*parts), places, kind is not None, kind or ""))
    return (replace(row, gold=(), labelled=tuple(facts)),) if facts else ()


def _kinds(record: Record) -> dict[int, str]:
    """The kind of change of each triple that is wrong, by its number; "" if it is not told."""
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


MADE: Final = Dataset("made", _rows_of_triples, ("references",), fitting="validation")
