"""Driving a method: the facts of its case, and its events as they come."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Final, TypeVar

from halubot.claims import extract, extractor_name
from halubot.concurrency import aside, every
from halubot.events import (
    Emit,
    Event,
    FactJudged,
    FactsExtracted,
    Labelled,
    Note,
    Progress,
    SentenceJudged,
)
from halubot.methods.registry import Case, Method, heeds_references, takes_verdicts
from halubot.report import Fact, Source
from halubot.text import Document

T = TypeVar("T")

BEFORE: Final = "extracted before"
"""How facts were found that came with the case."""


def by_rules(case: Case) -> FactsExtracted:
    """The facts of a case that no model is asked for. Takes time linear in the message."""
    if case.facts is not None:
        return FactsExtracted(facts=case.facts, how=BEFORE)
    facts = extract(case.message, subject=case.subject)
    return FactsExtracted(facts=facts, how=extractor_name(case.message))


async def draw_samples(case: Case, count: int | None = None) -> tuple[Source, ...]:
    """The samples of a case: those given, else up to ``count`` that are drawn now or were drawn
    before; all that may be drawn if ``count`` is None, none if none may."""
    if case.samples or case.draws is None:
        return case.samples
    return await case.draws.until(case.draws.most if count is None else count)


NOTHING_DRAWN = "there is no sample to compare with"
"""Why nothing is judged if every sample failed."""

NOTHING_CHECKED = "nothing was checked"
"""What is noted if nothing is judged; its reason says why."""

SLICE_SECONDS = 0.05
"""How long a synchronous method works before the loop hears of it."""


async def drive(method: Method, case: Case, emit: Emit) -> None:
    """Judges the case: emits the method's events, or why nothing can be judged, what was given for
    nothing, and how many samples were given or drawn.

    A synchronous method works in a thread, slice by slice, once all samples are drawn. Raises
    what the method raises.
    """
    lacking = missing(method, case)
    if lacking is None:
        _tell_sources(method, case, emit)
        await _judge(method, case, emit)
    else:
        # The facts of a long text take seconds, in which its deadline must be heard.
        await work_off(unjudged_events(case, lacking), emit)
    # How many of them were stored is part of the usage: a replay is the same report otherwise.
    if case.draws is not None and case.draws.asked_count:
        emit(Labelled(details={"sample_origins": {"drawn": case.draws.drawn_count}}))


def _tell_sources(method: Method, case: Case, emit: Emit) -> None:
    """Tell how many samples were given, and what was that the method does not compare with."""
    samples = "samples" in method.needs
    if samples and case.samples and case.draws is None:
        emit(Labelled(details={"sample_origins": {"given": len(case.samples)}}))
    if case.references and not heeds_references(method):
        why = f"{method.name} compares with samples only"
        emit(Note(what="references were left out", why=why))
    if case.samples and method.needs and not samples:
        why = f"{method.name} compares with references only"
        emit(Note(what="samples were left out", why=why))


async def _judge(method: Method, case: Case, emit: Emit) -> None:
    events = method.judge(case)
    if case.as_published and (differs := getattr(method, "differs", ())):
        emit(Labelled(details={"differs_from_paper": [*differs]}))
    # A synchronous method cannot wait for samples, so all are drawn before it begins; the generator
    # made above never started.
    if not isinstance(events, AsyncIterator) and case.draws is not None:
        case = replace(case, samples=await case.draws.until(case.draws.most), draws=None)
        lacking = missing(method, case)
        events = method.judge(case) if lacking is None else unjudged_events(case, lacking)
    if isinstance(events, AsyncIterator):
        async for event in events:
            emit(event)
    else:
        await work_off(events, emit)


async def work_off(events: Iterator[Event], emit: Emit) -> None:
    """Emits the events of a synchronous generator, made on a thread in slices of time, so that the
    loop stays free. What was made before a failure or a cancellation is emitted."""
    stopped = False

    def work_slice(made: list[Event]) -> bool:
        until = time.perf_counter() + SLICE_SECONDS
        for event in events:
            made.append(event)
            # Nobody reads what is made after the work was stopped, so it ends with the event at
            # hand.
            if stopped or time.perf_counter() >= until:
                return not stopped
        return False

    more = True
    while more:
        made: list[Event] = []
        try:
            more = await aside(partial(work_slice, made))
        except BaseException:
            stopped = True
            raise
        finally:
            # A copy: a thread that was given up may still add its last event.
            for event in tuple(made):
                emit(event)


async def every_in_sight(works: Sequence[Coroutine[Any, Any, T]], what: str, emit: Emit) -> list[T]:
    """Await all of them and return their results, in their order; emit how many are done."""
    done = 0

    async def tell(work: Coroutine[Any, Any, T]) -> T:
        nonlocal done
        result = await work
        done += 1
        emit(Progress(what=what, done=done, of=len(works)))
        return result

    return await every(map(tell, works))


async def stream_events(work: Callable[[Emit], Awaitable[None]]) -> AsyncIterator[Event]:
    """The events that ``work`` emits, as they come: what a method that works on the loop returns
    from ``judge``. Closing the iterator cancels the work; its failure is raised here."""
    made: asyncio.Queue[Event | None] = asyncio.Queue()

    async def whole() -> None:
        try:
            await work(made.put_nowait)
        finally:
            made.put_nowait(None)

    task = asyncio.create_task(whole())
    try:
        while (event := await made.get()) is not None:
            yield event
        await task
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.wait([task])


def missing(method: Method, case: Case) -> str | None:
    """Why this method cannot judge this case, or None if it can."""
    given = {
        "samples": bool(case.samples) or case.draws is not None,
        "references": bool(case.references) or case.knowledge is not None,
        "model": case.session is not None or (case.verdicts is not None and takes_verdicts(method)),
    }
    if "model" in method.needs and not given["model"]:
        return f"{method.name} needs a model: name one with --model"
    compared = [need for need in method.needs if need != "model"]
    met = [given.get(need, False) for need in compared]
    if not met or (all(met) if method.needs_all else any(met)):
        return None
    if not any(given.values()):
        needed = "--sample, --reference, --knowledge, --web wikipedia, or a model"
        return f"nothing to compare with: give {needed}"
    if "samples" in compared and case.session is not None and case.question is None:
        return "nothing to compare with: the question is not known, so no samples were drawn"
    lacking = [need for need, there in zip(compared, met, strict=True) if not there]
    return f"{method.name} needs {(' and ' if method.needs_all else ' or ').join(lacking)}"


def unjudged_events(case: Case, why: str) -> Iterator[Event]:
    """The events of a case of which nothing can be judged."""
    yield Note(what=NOTHING_CHECKED, why=why)
    taken = by_rules(case)
    yield taken
    yield from leave_unjudged(case.message, taken.facts, why)


def leave_unjudged(message: Document, facts: Sequence[Fact], why: str) -> Iterator[Event]:
    """The verdicts on facts and sentences of which none can be judged."""
    for fact in facts:
        yield FactJudged(index=fact.index, score=None, verdict="not_checked", reason=why)
    for index in range(len(message.sentences)):
        yield SentenceJudged(index=index, score=None, verdict="not_checked", reason=why)
