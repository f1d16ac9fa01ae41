"""Correct a text: change what is doubted, and check the corrected text again.

`acorrect` does all of it. A front end that lets a person decide takes the steps one by one:
`apropose`, `halubot.edits.apply_edits`, `arecheck`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Unpack

from halubot.api import acheck, run_to_end, share_options
from halubot.concurrency import Deadline, aside, begin_deadline
from halubot.correction.corrector import Hints, OnDoubt, make_correction, withdraw
from halubot.events import Event, Note, amend_report
from halubot.inputs import Options, own_options
from halubot.methods import registry
from halubot.methods.knowledge_passages import looks_up
from halubot.report import Correction, Report
from halubot.verifier.encoder import VERIFIER, Verifier, choose_verifier


async def acorrect(
    text: str | Report,
    *,
    on_doubt: OnDoubt = "mark",
    hints: Hints = "facts",
    heed: Callable[[Report], Report] | None = None,
    **options: Unpack[Options],
) -> Report:
    """Check a text, correct what is doubted, and check the corrected text again.

    Return the report of the given text with ``correction`` set. If nothing is doubted, the
    correction has no edits and its text is the given text. A report in place of a text is
    corrected as it is, with its own sources.

    With a model, the model rewrites the doubted sentences; ``hints`` says what it is told:
    "none", the doubted "sentences", or the doubted "facts". Without a model, doubted words are
    replaced only if the sources give others; ``on_doubt`` says what happens to the rest: "mark"
    leaves and lists them, "remove" takes them out, "hedge" puts "(unconfirmed)" behind them. A
    change that the same sources do not support is withdrawn.

    ``heed`` may change the report before it is corrected, such as
    `halubot.feedback.with_own_words`, which applies a person's own verdicts; it is
    called on a thread. The ``deadline`` holds for all of it; a text for which no time is left is
    not changed, and the report says so. Raises what `halubot.start` raises.
    """
    options["deadline"] = deadline = begin_deadline(options.get("deadline"))
    async with share_options(options) as held:
        report = text if isinstance(text, Report) else await acheck(text, **held)
        report = report if heed is None else await aside(partial(heed, report))
        report = await _propose(report, held, on_doubt, hints)
        correction = report.correction
        assert correction is not None  # noqa: S101 - it was just made
        again = await _again(report, correction, held)
        if again is not None and held.get("panel") is None:
            verifier = await aside(partial(_verifier, held))
            work = partial(
                withdraw, report, correction, again, on_doubt=on_doubt, verifier=verifier
            )
            report, correction = await _in_time(work, report, deadline)
            if correction.text != again.text:
                again = await _again(report, correction, held)
        update = correction.model_copy(update={"report": again})
        return report.model_copy(update={"correction": update})


async def _in_time(
    work: Callable[[], Correction], report: Report, deadline: Deadline | None
) -> tuple[Report, Correction]:
    """Make a correction on a thread. If the deadline passes meanwhile, it changes nothing, and the
    report says so."""
    try:
        async with asyncio.timeout(None if deadline is None else deadline.left):
            return report, await aside(work)
    except TimeoutError:
        late = Note(what="the text was not corrected", why=str(deadline))
        return amend_report(report, [late]), Correction(text=report.text, edits=())


async def _again(report: Report, correction: Correction, held: Options) -> Report | None:
    """Return the report of the corrected text; None if nothing was changed or nothing is left."""
    # The same text would be paid for twice, and an empty one cannot be checked.
    if correction.text == report.text or not correction.text.strip():
        return None
    return await acheck(correction.text, **_same(report, held))


def correct(
    text: str | Report,
    *,
    on_doubt: OnDoubt = "mark",
    hints: Hints = "facts",
    heed: Callable[[Report], Report] | None = None,
    **options: Unpack[Options],
) -> Report:
    """Check and correct a text: `acorrect` for callers that do not await.

    It also works inside a running event loop and blocks it meanwhile.

    >>> report = correct("Ada was born in 1816.", references=["Ada was born in 1815."])
    >>> report.correction.text
    'Ada was born in 1815.'
    """
    return run_to_end(acorrect(text, on_doubt=on_doubt, hints=hints, heed=heed, **options))


async def apropose(
    report: Report,
    *,
    on_doubt: OnDoubt = "mark",
    hints: Hints = "facts",
    **options: Unpack[Options],
) -> Report:
    """Return the report with a correction made as by `acorrect`, but not checked again.

    Of the options only those of models and ``deadline`` count. Raises what `halubot.start` raises.
    """
    options["deadline"] = begin_deadline(options.get("deadline"))
    async with share_options(options) as held:
        return await _propose(report, held, on_doubt, hints)


async def arecheck(report: Report, text: str, **options: Unpack[Options]) -> Report:
    """Check a text as the text of ``report`` was checked, and return its report.

    The question, the samples, the references and the passages found in knowledge are those of
    ``report``. Raises what `halubot.start` raises.
    """
    async with share_options(options) as held:
        same = _same(report, held)
        # `_same` leaves it out: the check of a corrected text would mix its events into those of
        # the first.
        if "watch" in options:
            same["watch"] = options["watch"]
        if not report.sources and "n_samples" in options:
            same["n_samples"] = options["n_samples"]
        return await acheck(text, **same)


async def _propose(report: Report, held: Options, on_doubt: OnDoubt, hints: Hints) -> Report:
    """Return the report with its correction, not checked again."""
    panel, watch = held.get("panel"), held.get("watch")
    deadline = begin_deadline(held.get("deadline"))
    if panel is None:
        verifier = await aside(partial(_verifier, held))
        work = partial(make_correction, report, on_doubt=on_doubt, verifier=verifier)
        report, correction = await _in_time(work, report, deadline)
    else:
        # Late: without a model nothing of it is needed.
        from halubot.correction.rewrite import rewritten
        from halubot.methods.calls.session import ModelSession

        events: list[Event] = []

        def hear(event: Event) -> None:
            events.append(event)
            if watch is not None:
                watch(event)

        if deadline is not None:
            # Rewriting ends by the same deadline as both checks: each call has only the time that
            # is left.
            panel = replace(panel, limits=replace(panel.limits, deadline=deadline.at))
        session = ModelSession(panel, hear)
        published = bool(held.get("as_published"))
        correction = await rewritten(session, report, hints=hints, as_published=published)
        report = amend_report(report, events)
    return report.model_copy(update={"correction": correction})


def _verifier(held: Options) -> Verifier | None:
    """Return the verifier that proves changes: the one that checked the text."""
    return choose_verifier(own_options(held).get(VERIFIER))


def _same(report: Report, options: Options) -> Options:
    """Return options that check another text with the report's own question and sources. Passages
    found in knowledge are kept, unless the method searches the knowledge itself."""
    knowledge = options.get("knowledge") if looks_up(registry.get(report.method)) else None
    kept = [one for one in report.sources if one.kind != "knowledge" or not knowledge]
    again = Options(
        question=report.question.text if report.question else None,
        samples=[source for source in kept if source.kind == "sample"],
        references=[source for source in kept if source.kind != "sample"],
        knowledge=knowledge or (),
        subject=options.get("subject"),
        method=report.method,
        options=own_options(options),
        deadline=options.get("deadline"),
        as_published=options.get("as_published", False),
        panel=options.get("panel"),
    )
    # A threshold that a person gave holds for the corrected text too; a fitted one is found again.
    if report.threshold.fitted_on is None:
        again["threshold"] = report.threshold.value
    return again
