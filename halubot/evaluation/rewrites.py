"""Corrections by a model, judged by a reference: table 3 of FactSelfCheck (section 4.5).

A text is corrected three times: with no hints, told its doubted sentences, and told its doubted
facts. A judge then says of each sentence of each of them, and of the text as it was, if the
reference supports it. A judge that cannot judge shows in how it calls the sentences that people
labelled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from halubot.api import run_to_end
from halubot.correction.corrector import Hints
from halubot.correction.rewrite import DECLINED
from halubot.correction_api import apropose
from halubot.evaluation.checked import Scored
from halubot.evaluation.statistics import APART, Metrics, Tally, counts, ratio
from halubot.events import Event, Spent
from halubot.llm_calls.talk import Talk
from halubot.llm_calls.verification import sentence_stances
from halubot.report import Edit, Report, Usage

if TYPE_CHECKING:
    from halubot.models.panel import Panel

BEFORE: Final = "before"
"""The text as it was."""
HINTS: Final[tuple[Hints, ...]] = ("none", "sentences", "facts")
WAYS: Final = (BEFORE, *(f"hints {hints}" for hints in HINTS))

FATES: Final = ("factual", "non_factual", "refused", "removed", "not_judged")
"""What a sentence is after a correction, of which the last two are not in the paper."""

_SAID: Final[Mapping[int | None, str]] = {0: "factual", 1: "non_factual"}
"""What a sentence is by the judge's mark. One that is neither yes nor no decides nothing."""

Fates = Mapping[str, Sequence[str]]
"""For each of `WAYS` what each sentence is."""


class Rewritten(NamedTuple):
    """The rewritten sentences of one text, and their cost beside the check."""

    fates: Fates
    usage: tuple[Usage, ...]


def rewrites(report: Report, reference: str, panel: Panel, *, as_published: bool) -> Rewritten:
    """Correct a report's text with each kind of hints, and judge all sentences by the reference;
    as published one call a sentence. Raises as `halubot.correct`."""
    return run_to_end(_rewrites(report, reference, panel, as_published=as_published))


async def _rewrites(
    report: Report, reference: str, panel: Panel, *, as_published: bool
) -> Rewritten:
    # The correction and the judge spend beside the check, whose usage is in the report already.
    spent: list[Usage] = []

    def watch(event: Event) -> None:
        if isinstance(event, Spent):
            spent.append(event.usage)

    written = {one.index: report.text[one.start : one.end] for one in report.sentences}
    texts: dict[str, dict[int, str]] = {BEFORE: written}
    fates: dict[str, dict[int, str]] = {BEFORE: {}}
    for way, hints in zip(WAYS[1:], HINTS, strict=True):
        proposed = await apropose(
            report, hints=hints, panel=panel, as_published=as_published, watch=watch
        )
        correction = proposed.correction
        edits = {} if correction is None else {one.sentence: one for one in correction.edits}
        gone = {at: one.action for at, one in edits.items() if _is_gone(one)}
        changed = {at: one.after for at, one in edits.items() if one.action == "changed"}
        fates[way] = dict(gone)
        texts[way] = {at: text for at, text in (written | changed).items() if at not in gone}
    talk = Talk(panel, watch)
    for way, sentences in texts.items():
        said = await sentence_stances(talk, reference, sentences, as_published=as_published)
        for at in sentences:
            fates[way][at] = _SAID.get(said.found.get(at), "not_judged")
    return Rewritten({way: [of[at] for at in sorted(of)] for way, of in fates.items()}, (*spent,))


def _is_gone(edit: Edit) -> bool:
    """Return True if nothing is left to judge: the model declined, or took the sentence out. A
    sentence for which no usable answer came is left as it was, and judged."""
    declined = edit.reason is None or edit.reason.startswith(DECLINED)
    return edit.action == "removed" or (edit.action == "refused" and declined)


def measure(rows: Sequence[Scored]) -> Metrics:
    """The shares of the sentences that are factual, non-factual and refused after each correction,
    and of the judge the mean of the shares of accurate and of inaccurate sentences that it calls
    so before any; nothing if nothing was corrected."""
    tallies = [_tally(one) for one in rows]
    known = {name for tally in tallies for name in tally}
    if not known:
        return {}
    caught, passed = (ratio(tallies, f"judged_{kind}", kind) for kind in ("wrong", "right"))
    return {
        **{
            name: ratio(tallies, name, way)
            for way in WAYS
            for fate in FATES
            if (name := f"{fate}{APART}{way}") in known or (fate in FATES[:3] and way != BEFORE)
        },
        **({"judge_sensitivity": caught} if counts(tallies, "wrong").any() else {}),
        **({"judge_specificity": passed} if counts(tallies, "right").any() else {}),
    }


def _tally(one: Scored) -> Tally:
    tally = Tally()
    for way, fates in one.fates.items():
        tally[way] += len(fates)
        for fate in fates:
            tally[f"{fate}{APART}{way}"] += 1
    # Not strict: rows that were not corrected have no fates.
    for gold, fate in zip(one.row.gold, one.fates.get(BEFORE, ()), strict=False):
        kind = "wrong" if gold > 0 else "right"
        tally[kind] += 1
        tally[f"judged_{kind}"] += fate == ("non_factual" if gold > 0 else "factual")
    return tally
