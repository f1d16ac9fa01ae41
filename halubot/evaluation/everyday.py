"""Everyday messages with planted errors: the rows, and the figures of the marks a reader sees.

A mark is a doubted fact, or a doubted sentence without a doubted fact. A planted error is found if
a tight mark overlaps it: a mark over most of a sentence does not say what is wrong in it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from halubot.evaluation import statistics
from halubot.evaluation.checked import Corrected, Judged, JudgedEdit, Mark, Scored, Unit, overlap
from halubot.evaluation.rows import Dataset, PlantedError, Record, Row
from halubot.evaluation.statistics import (
    APART,
    Metrics,
    Tally,
    parts_of,
    ratio,
    ratios,
    ratios_apart,
    total,
)
from halubot.report import Span

TIGHT_SHARE: Final = 0.6
TIGHT_MULTIPLE: Final = 2
"""A tight mark has at most this share of the length of its sentence, or this multiple of that of
the error."""

LONGER: Final = 12
"""Characters by which the words that fix an error may be longer or shorter than those they
replace, in addition to twice the length of the right words."""

FATES: Final = ("fixed", "removed", "hedged", "untouched")
"""What becomes of an error, apart from a wrong replacement."""

_FIGURES: Final = {
    "found": ("found", "errors"),
    "found_loose": ("found_loose", "errors"),
    "false_alarms": ("right_marked", "right"),
    "precision": ("true_marks", "marks"),
    "called_supported": ("wrong_supported", "wrong_judged"),
    "right_supported": ("right_supported", "right_judged"),
    "not_checked": ("not_checked", "judged"),
}
"""Each figure as one count of a tally over another."""


def _rows(record: Record) -> tuple[Row, ...]:
    text = record.text("text")
    errors = tuple(_error(record, fields, text) for fields in record.objects("errors"))
    row = Row(
        id=record.label("id"),
        text=text,
        group=record.label("group"),
        samples=record.maybe_texts("samples"),
        references=record.maybe_texts("references"),
        wrong_spans=tuple(error.span for error in errors),
        errors=errors,
        strata={"style": record.label("style")},
    )
    return (row,)


def _error(record: Record, fields: Mapping[str, Any], text: str) -> PlantedError:
    span = record.span("errors", fields)
    wrong, right, kind = (fields.get(name) for name in ("wrong", "right", "kind"))
    if not isinstance(right, str) or not isinstance(kind, str) or not kind.strip():
        raise record.wrong("errors", "each with the texts 'right' and 'kind'")
    if not isinstance(wrong, str) or not wrong.strip() or text[slice(*span)] != wrong:
        raise record.wrong("errors", "each with the place of its 'wrong' words in the text")
    return PlantedError(span, wrong, right, kind)


def measure(rows: Sequence[Scored]) -> Metrics:
    """Return the figures of marks and verdicts, of the order of sentences, and of corrections if
    some were made; then why sentences were not checked, and figures by style and kind of error."""
    tallies = [_tally(one) for one in rows]
    reasons = sorted({key for tally in tallies for key in tally if key.startswith(_UNCHECKED)})
    return {
        **ratios(tallies, _FIGURES),
        **_order(rows),
        **_calibration(rows),
        **_corrections(tallies),
        **{key: ratio(tallies, key, "judged") for key in reasons},
        **ratios_apart(tallies, _FIGURES),
    }


_UNCHECKED: Final = f"not_checked{APART}reason "


def _tally(one: Scored) -> Tally:
    """Count the errors, marks and sentences of one message."""
    tally = Tally()
    if one.judged is None:
        return tally
    row, judged, marks = one.row, one.judged, one.judged.marks()
    parts = parts_of(row)
    for error in row.errors:
        hits = [mark for mark in marks if _touches(mark, error.span)]
        tight = any(_is_tight(mark, error, judged) for mark in hits)
        tally.add("errors", 1, *parts, f"kind {error.kind}")
        tally.add("found", tight, *parts, f"kind {error.kind}")
        # Beside it, since how tight a mark has to be is a choice of ours.
        tally["found_loose"] += bool(hits)
    for mark in marks:
        tally["marks"] += 1
        tally["true_marks"] += _is_wrong(mark, row)
    for sentence in judged.sentences:
        side = "wrong" if _is_wrong((sentence.span,), row) else "right"
        tally.add(side, 1, *parts)
        tally.add(f"{side}_marked", any(_touches(mark, sentence.span) for mark in marks), *parts)
        # A plain baseline judges no sentence.
        if sentence.verdict is None:
            continue
        tally.add("judged", 1, *parts)
        tally.add(f"{side}_judged", 1, *parts)
        tally.add(f"{side}_supported", sentence.verdict == "supported", *parts)
        if sentence.verdict == "not_checked":
            tally.add("not_checked", 1, *parts)
            tally[_UNCHECKED + (sentence.reason or "none given")] += 1
    if judged.corrected is not None:
        _tally_edits(tally, row, judged.corrected)
    return tally


def _tally_edits(tally: Tally, row: Row, corrected: Corrected) -> None:
    """Count what a correction did to a message and to its errors."""
    edits = corrected.edits
    tally["edits"] += len(edits)
    tally["replacements"] += sum(
        one.action == "changed" and bool(one.after.strip()) for one in edits
    )
    tally["off_error"] += sum(not _is_wrong((one.span,), row) for one in edits)
    # A message without errors shows what a correction does to a text that needs none.
    if not row.errors:
        tally["clean"] += 1
        tally["clean_changed"] += corrected.text != row.text
    for error in row.errors:
        tally["corrected"] += 1
        tally[_fate(error, corrected)] += 1


def _fate(error: PlantedError, corrected: Corrected) -> str:
    """Return the fate of an error: one of `FATES`, or "wrong_fix"."""
    hits = [edit for edit in corrected.edits if overlap(edit.span, error.span)]
    after = " ".join(edit.after for edit in hits).strip()
    if not after:
        return "removed" if hits else "untouched"
    if _is_fixed(error, hits, corrected.text):
        return "fixed"
    hedged = any(edit.action == "hedged" for edit in hits) or error.wrong in after
    return "hedged" if hedged else "wrong_fix"


def _is_fixed(error: PlantedError, edits: Sequence[JudgedEdit], text: str) -> bool:
    """Return True if the right words stand in the corrected text, and little else was changed."""
    right = error.right.strip().strip(",")
    # As a word: the right "5" would be found in the wrong "15".
    if not right or not re.search(rf"(?<!\w){re.escape(right)}(?!\w)", text):
        return False
    # Else a correction that rewrites the whole paragraph would fix all of its errors.
    most = 2 * len(right) + LONGER
    return all(abs(len(edit.after) - len(edit.before)) <= most for edit in edits)


def _is_tight(mark: Mark, error: PlantedError, judged: Judged) -> bool:
    """Return True if a mark is short enough to say what is wrong."""
    own = [one.span for one in judged.sentences if overlap(one.span, error.span)]
    longest = max(map(_length, own), default=1)
    most = max(TIGHT_SHARE * longest, TIGHT_MULTIPLE * _length(error.span))
    return sum(map(_length, mark)) <= most


def _touches(mark: Mark, span: Span) -> bool:
    return any(overlap(one, span) for one in mark)


def _is_wrong(mark: Mark, row: Row) -> bool:
    return any(_touches(mark, error.span) for error in row.errors)


def _length(span: Span) -> int:
    return span[1] - span[0]


def _order(rows: Sequence[Scored]) -> Metrics:
    """Measure how well ranks and scores part sentences with an error from right ones."""
    return {
        "sentence_auroc": statistics.auroc(statistics.sentences(rows, "rank")),
        "sentence_auroc_score": statistics.auroc(statistics.sentences(rows)),
    }


def _calibration(rows: Sequence[Scored]) -> Metrics:
    """Measure how far the probabilities of facts lie from the share that overlaps an error, over
    parts of equal width; nothing if no fact has a probability."""
    found = statistics.gather_units(
        [
            (index, Unit(_is_wrong(fact.spans, one.row), None, None, fact.probability))
            for index, one in enumerate(rows)
            for fact in (() if one.judged is None else one.judged.facts)
            if fact.probability is not None
        ]
    )
    if not len(found.row):
        return {}
    place = np.minimum((found.probability * statistics.BINS).astype(int), statistics.BINS - 1)
    parts = [np.flatnonzero(place == part) for part in range(statistics.BINS)]
    return {"calibration_error": statistics.calibration_error(found, len(rows), parts)}


def _corrections(tallies: Sequence[Tally]) -> Metrics:
    """Count what became of errors and of right text; empty if nothing was corrected."""
    if not any("edits" in tally for tally in tallies):
        return {}
    return {
        **{fate: ratio(tallies, fate, "corrected") for fate in FATES},
        "wrong_fix": ratio(tallies, "wrong_fix", "replacements"),
        "off_error": ratio(tallies, "off_error", "edits"),
        "clean_changed": ratio(tallies, "clean_changed", "clean"),
        "edits": total(tallies, "edits"),
        "replacements": total(tallies, "replacements"),
    }


EVERYDAY: Final = Dataset(
    "everyday",
    _rows,
    ("samples", "references"),
    fitting="verdicts",
    correction="planted",
)
