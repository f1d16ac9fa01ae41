"""Sentence pairs: a claim, one sentence of a source, and a label; what is flagged and left alone.

A pair is flagged if the report marks anything in the claim. It is called supported if every
sentence of the report is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from halubot.evaluation import own
from halubot.evaluation.checked import Scored
from halubot.evaluation.rows import Dataset, Record, Row
from halubot.evaluation.statistics import Metrics
from halubot.evaluation.tallies import Tally, parts_of, ratios, ratios_apart

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
