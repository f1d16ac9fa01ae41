"""Corrections by a model, judged by a reference: table 3 of FactSelfCheck (section 4.5).

A text is corrected three times: with no hints, told its doubted sentences, and told its doubted
facts. A judge then says of each sentence of each of them, and of the text as it was, if the
reference supports it. How the judge calls the sentences that people labelled says what its word is
worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from benchmarks.outcomes import Outcome
from benchmarks.statistics import Metrics, Tally, counts, ratio
from halubot.api import run_to_end
from halubot.correction.corrector import Hints
from halubot.correction.rewrite import DECLINED
from halubot.correction_api import apropose
from halubot.events import Event, Spent
from halubot.methods.calls.session import ModelSession
from halubot.methods.sentences_by_samples import Mark, sentence_marks
from halubot.report import Edit, Question, Report, Usage

if TYPE_CHECKING:
    from halubot.models.panel import Panel

BEFORE: Final = "before"
"""The text as it was."""
HINTS: Final[tuple[Hints, ...]] = ("none", "sentences", "facts")
WAYS: Final = (BEFORE, *(f"hints {hints}" for hints in HINTS))
FATES: Final = ("factual", "non_factual", "refused", "removed", "not_judged")
"""What a sentence is after a correction, of which the last two are not in the paper."""
_SAID: Final = {Mark(0): "factual", Mark(1): "non_factual"}


def rewrite(
    report: Report, panel: Panel, *, subject: str, reference: str, as_published: bool
) -> tuple[dict[str, list[str]], list[Usage]]:
    """Correct a report's text with each kind of hints, and return what each sentence then is by the
    reference, and what was spent."""
    if report.question is None:
        asked = f"This is a Wikipedia passage about {subject}:"  # SelfCheckGPT's prompt
        report = report.model_copy(update={"question": Question(text=asked, origin="given")})
    return run_to_end(_rewrite(report, panel, reference, as_published=as_published))


async def _rewrite(
    report: Report, panel: Panel, reference: str, *, as_published: bool
) -> tuple[dict[str, list[str]], list[Usage]]:
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
    session = ModelSession(panel, watch)
    for way, sentences in texts.items():
        said = await sentence_marks(session, reference, sentences, as_published=as_published)
        for at in sentences:
            fates[way][at] = _SAID.get(said.found.get(at, Mark(None)), "not_judged")
    return {way: [of[at] for at in sorted(of)] for way, of in fates.items()}, spent


def _is_gone(edit: Edit) -> bool:
    """Return True if nothing is left to judge: the model declined, or took the sentence out."""
    declined = edit.reason is None or edit.reason.startswith(DECLINED)
    return edit.action == "removed" or (edit.action == "refused" and declined)


def measure(outcomes: Sequence[Outcome]) -> Metrics:
    """Return the share of sentences with each fate after each correction, and how the judge calls
    the wrong and the right sentences of the text as it was; nothing if nothing was corrected."""
    tallies = [_tally(one) for one in outcomes]
    known = {name for tally in tallies for name in tally}
    shares = {
        name: ratio(counts(tallies, name), counts(tallies, way))
        for way in WAYS
        for fate in FATES
        if (name := f"{fate}: {way}") in known
    }
    judge = {
        name: ratio(counts(tallies, f"judged_{kind}"), counts(tallies, kind))
        for name, kind in (("judge_sensitivity", "wrong"), ("judge_specificity", "right"))
        if kind in known
    }
    return shares | judge


def _tally(one: Outcome) -> Tally:
    tally = Tally()
    for way, fates in one.fates.items():
        tally[way] += len(fates)
        for fate in FATES[:3] if way != BEFORE else ():
            tally[f"{fate}: {way}"] += 0
        for fate in fates:
            tally[f"{fate}: {way}"] += 1
    # Not strict: rows that were not corrected have no fates.
    for gold, fate in zip(one.row.gold, one.fates.get(BEFORE, ()), strict=False):
        kind = "wrong" if gold > 0 else "right"
        tally[kind] += 1
        tally[f"judged_{kind}"] += fate == ("non_factual" if gold > 0 else "factual")
    return tally
