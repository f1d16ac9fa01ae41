"""Figures of what a reader sees: marks, verdicts, and corrections.

A mark is a doubted fact, or a doubted sentence without a doubted fact. A planted error is found if
a tight mark overlaps it: a mark over most of a sentence does not say what is wrong in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from benchmarks.outcomes import Mark, Outcome, overlap
from benchmarks.rows import PlantedError
from benchmarks.statistics import (
    Metrics,
    Tally,
    Units,
    auroc,
    counts,
    ratio,
    ratios,
)
from halubot.report import Correction, Edit, Span

TIGHT_SHARE: Final = 0.6
TIGHT_MULTIPLE: Final = 2
"""A tight mark has at most this share of the length of its sentence, or this multiple of that of
the error."""

LONGER: Final = 12
"""Characters by which the words that fix an error may be longer or shorter than those they replace,
beside twice the length of the right words."""

FATES: Final = ("fixed", "removed", "hedged", "untouched")
"""What becomes of an error, apart from a wrong replacement."""

EVERYDAY: Final = {
    "found": ("found", "errors"),
    "found_loose": ("found_loose", "errors"),
    "false_alarms": ("right_marked", "right"),
    "precision": ("true_marks", "marks"),
    "called_supported": ("wrong_supported", "wrong_judged"),
    "right_supported": ("right_supported", "right_judged"),
    "not_checked": ("not_checked", "judged"),
}
PAIRS: Final = {
    "flagged": ("flagged", "errors"),
    "left_alone": ("left_alone", "right"),
    "contradicted": ("contradicted", "errors"),
    "called_supported": ("called_supported", "errors"),
    "right_supported": ("right_supported", "right"),
}
VERDICTS: Final = ("contradicted", "doubtful", "unmarked")
"""The worst mark of a message."""


def everyday(outcomes: Sequence[Outcome]) -> Metrics:
    """Messages with planted errors: marks and verdicts, the order of sentences, corrections; then
    the figures by style and by kind of error, and the reasons for what was not checked."""
    tallies = [_tally_errors(one) for one in outcomes]
    reasons = sorted({name for tally in tallies for name in tally if name.startswith(_UNCHECKED)})
    return {
        **ratios(tallies, EVERYDAY),
        "sentence_auroc": auroc(_sentences(outcomes, "rank")),
        "sentence_auroc_score": auroc(_sentences(outcomes, "score")),
        **_corrections(tallies),
        **{name: ratio(counts(tallies, name), counts(tallies, "judged")) for name in reasons},
    }


_UNCHECKED: Final = "not_checked: reason "


def _sentences(outcomes: Sequence[Outcome], by: str) -> Units:
    found = [(row, unit) for row, one in enumerate(outcomes) for unit in one.overlapping(by)]
    return Units.gather(found)


def _tally_errors(one: Outcome) -> Tally:
    tally = Tally()
    if one.marks is None:
        return tally
    parts = one.row.parts
    for error in one.row.errors:
        hits = [mark for mark in one.marks if _touches(mark, error.span)]
        kinds = (*parts, f"kind {error.kind}")
        tally.add("errors", 1, *kinds)
        tally.add("found", any(_is_tight(mark, error, one) for mark in hits), *kinds)
        tally["found_loose"] += bool(hits)
    tally["marks"] += len(one.marks)
    tally["true_marks"] += sum(_is_wrong(mark, one) for mark in one.marks)
    for sentence in one.sentences:
        side = "wrong" if _is_wrong((sentence.span,), one) else "right"
        marked = any(_touches(mark, sentence.span) for mark in one.marks)
        tally.add(side, 1, *parts)
        tally.add(f"{side}_marked", marked, *parts)
        if sentence.verdict is None:
            continue
        tally.add("judged", 1, *parts)
        tally.add(f"{side}_judged", 1, *parts)
        tally.add(f"{side}_supported", sentence.verdict == "supported", *parts)
        tally.add("not_checked", sentence.verdict == "not_checked", *parts)
        if sentence.verdict == "not_checked":
            tally[_UNCHECKED + (sentence.reason or "none given")] += 1
    if one.correction is not None:
        _tally_edits(tally, one, one.correction)
    return tally


def _touches(mark: Mark, span: Span) -> bool:
    return any(overlap(one, span) for one in mark)


def _is_wrong(mark: Mark, one: Outcome) -> bool:
    return any(_touches(mark, error.span) for error in one.row.errors)


def _is_tight(mark: Mark, error: PlantedError, one: Outcome) -> bool:
    own = [sentence.span for sentence in one.sentences if overlap(sentence.span, error.span)]
    longest = max(map(_length, own), default=1)
    most = max(TIGHT_SHARE * longest, TIGHT_MULTIPLE * _length(error.span))
    return sum(map(_length, mark)) <= most


def _length(span: Span) -> int:
    return span[1] - span[0]


def _tally_edits(tally: Tally, one: Outcome, correction: Correction) -> None:
    # The other two actions name a sentence that was left as it is.
    edits = [edit for edit in correction.edits if edit.action not in ("kept", "refused")]
    tally["edits"] += len(edits)
    tally["replacements"] += sum(
        edit.action == "changed" and bool(edit.after.strip()) for edit in edits
    )
    tally["off_error"] += sum(not _is_wrong(((edit.start, edit.end),), one) for edit in edits)
    if not one.row.errors:
        tally["clean"] += 1
        tally["clean_changed"] += correction.text != one.row.text
    for error in one.row.errors:
        tally["corrected"] += 1
        tally[_fate(error, edits, correction.text)] += 1


def _fate(error: PlantedError, edits: Sequence[Edit], text: str) -> str:
    """Return one of `FATES`, or "wrong_fix"."""
    hits = [edit for edit in edits if overlap((edit.start, edit.end), error.span)]
    after = " ".join(edit.after for edit in hits).strip()
    if not after:
        return "removed" if hits else "untouched"
    if _is_fixed(error, hits, text):
        return "fixed"
    hedged = any(edit.action == "hedged" for edit in hits) or error.wrong in after
    return "hedged" if hedged else "wrong_fix"


def _is_fixed(error: PlantedError, edits: Sequence[Edit], text: str) -> bool:
    """Return True if the right words stand in the corrected text, and little else was changed."""
    right = error.right.strip().strip(",")
    # As a word: the right "5" would be found in the wrong "15".
    if not right or not re.search(rf"(?<!\w){re.escape(right)}(?!\w)", text):
        return False
    # Else a correction that rewrites the whole paragraph would fix all of its errors.
    most = 2 * len(right) + LONGER
    return all(abs(len(edit.after) - len(edit.before)) <= most for edit in edits)


def _corrections(tallies: Sequence[Tally]) -> Metrics:
    if not any("edits" in tally for tally in tallies):
        return {}
    edits, replacements = counts(tallies, "edits"), counts(tallies, "replacements")
    return {
        **{name: ratio(counts(tallies, name), counts(tallies, "corrected")) for name in FATES},
        "wrong_fix": ratio(counts(tallies, "wrong_fix"), replacements),
        "off_error": ratio(counts(tallies, "off_error"), edits),
        "clean_changed": ratio(counts(tallies, "clean_changed"), counts(tallies, "clean")),
        "edits": lambda w: w @ edits,
        "replacements": lambda w: w @ replacements,
    }


def pairs(outcomes: Sequence[Outcome]) -> Metrics:
    """Claims beside a source: the share of wrong ones with a mark, of right ones without one, and
    how often each is contradicted or called supported; then the first two by kind and language."""
    return ratios([_tally_pair(one) for one in outcomes], PAIRS)


def _tally_pair(one: Outcome) -> Tally:
    tally = Tally()
    if one.marks is None:
        return tally
    marked = bool(one.marks)
    # All sentences: a claim of which one half is supported is not called right.
    supported = {sentence.verdict for sentence in one.sentences} == {"supported"}
    if one.row.gold[0] > 0:
        tally.add("errors", 1, *one.row.parts)
        tally.add("flagged", marked, *one.row.parts)
        tally["contradicted"] += "contradicted" in one.verdicts
        tally["called_supported"] += supported
    else:
        tally.add("right", 1, *one.row.parts)
        tally.add("left_alone", not marked, *one.row.parts)
        tally["right_supported"] += supported
    return tally


def worst_marks(outcomes: Sequence[Outcome]) -> Metrics:
    """The share of right and of wrong messages by their worst mark."""
    tallies = []
    for one in outcomes:
        tally = Tally()
        if one.marks is not None:
            side = "wrong" if one.row.gold[0] > 0 else "right"
            worst = next((name for name in VERDICTS if name in one.verdicts), "unmarked")
            tally[side] += 1
            tally[f"{worst}_{side}"] += 1
        tallies.append(tally)
    sides = [(verdict, side) for side in ("right", "wrong") for verdict in VERDICTS]
    return ratios(
        tallies, {f"{verdict}_{side}": (f"{verdict}_{side}", side) for verdict, side in sides}
    )
