"""The entrances: check a text, ask and check the answer, or start a run and watch it. Correcting is
in `halubot.correction_api`.

Samples and references may be given as text (``str``), as a file or folder (``Path``), or as a
`Source`.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeVar, Unpack

from halubot.claims import read_message, skip_endless
from halubot.concurrency import begin_deadline, working_until
from halubot.errors import InputError, SettingError
from halubot.events import (
    BROKE_OFF,
    UNFINISHED,
    WAS_CUT,
    Answered,
    Emit,
    Event,
    Note,
    Ranked,
    SentenceJudged,
    Started,
)
from halubot.inputs import Given, Options, open_options, read_options
from halubot.methods import driver
from halubot.methods.driver import NOTHING_CHECKED
from halubot.methods.error_kinds import name_kinds
from halubot.methods.registry import Case
from halubot.report import Report
from halubot.run import Run
from halubot.text import Document, read

if TYPE_CHECKING:
    from halubot.methods.live import LiveChecks

T = TypeVar("T")

MOST_SENTENCES = 10_000
"""Sentences that a check with a model has memory for, beside the library that asks it."""

LONGEST_MESSAGE = 200_000
"""Code points of a message: one of short lines takes 250 MB."""


def start(text: str, **options: Unpack[Options]) -> Run:
    """Start a check on the running event loop and return at once.

    A text has at most 200,000 characters. The options are those of `halubot.inputs.Options`.

    Raises InputError for a blank or too long text, SettingError and UnknownMethodError for wrong
    options, UnreadableError for files that cannot be read, and RuntimeError without a running
    loop. Failures of the check itself are raised by `Run.wait`.
    """
    # Before anything is read or opened, which would be left open without a loop to run on.
    asyncio.get_running_loop()
    _require_text(text, "text to check")
    given = _read(options)
    sentences = options.get("sentences")
    if sentences is None:
        message = read_message(text)
    else:
        message = skip_endless(read(text, sentences=sentences))
    case = given.case(message)
    started = given.make_started(message)
    return _run(given, started, lambda emit: _judge(given, case, emit), options)


def start_asking(question: str, /, **options: Unpack[Options]) -> Run:
    """Start to answer a question with the model and to check the answer; return at once.

    Samples are drawn while the answer is written. Raises what `start` raises, and SettingError
    if no model is named.
    """
    asyncio.get_running_loop()
    _require_text(question, "question")
    options["question"] = question
    given = _read(options)
    if given.panel is None:
        raise SettingError("asking needs a model: name one with --model")
    started = given.make_started(read(""), asking=True)
    return _run(given, started, lambda emit: _ask(given, emit), options)


def _read(options: Options) -> Given:
    """Read the options; the deadline counts from now, and no document is read beyond it."""
    options["deadline"] = deadline = begin_deadline(options.get("deadline"))
    with working_until(deadline):
        return read_options(options)


async def acheck(text: str, **options: Unpack[Options]) -> Report:
    """Check a text and return its report.

    Cancelling the coroutine stops the work. Raises what `start` raises.
    """
    return await start(text, **options).wait()


def check(text: str, **options: Unpack[Options]) -> Report:
    """Check a text and return its report: `acheck` for callers that do not await.

    It also works inside a running event loop, such as a notebook's, and blocks it meanwhile.

    >>> report = check("Ada was born in 1816.", references=["Ada was born in 1815."])
    >>> report.facts[0].verdict
    'contradicted'
    """
    return run_to_end(acheck(text, **options))


async def aask(question: str, /, **options: Unpack[Options]) -> Report:
    """Answer a question with the model, check the answer and return its report.

    Raises what `start_asking` raises.
    """
    return await start_asking(question, **options).wait()


def ask(question: str, /, **options: Unpack[Options]) -> Report:
    """Answer a question with the model and check the answer: `aask` for callers that do not
    await. It also works inside a running event loop and blocks it meanwhile."""
    return run_to_end(aask(question, **options))


def _read_notes(message: Document) -> list[Note]:
    notes = [Note(what="the text was cleaned", why=why) for why in message.notes]
    if not message.sentences:
        notes.append(Note(what=NOTHING_CHECKED, why="the text holds no sentence"))
    return notes


def _run(
    given: Given,
    started: Started,
    work: Callable[[Emit], Coroutine[Any, Any, None]],
    options: Options,
) -> Run:
    async def whole(emit: Emit) -> None:
        try:
            await work(emit)
        finally:
            if given.panel or given.knowledge or given.web:
                await close_aside(given.closing)

    return Run(
        whole,
        started,
        notes=given.notes,
        deadline=options.get("deadline"),
        watch=options.get("watch"),
        fallback=_fallback(given),
    )


def _fallback(given: Given) -> Callable[[Report], Iterable[Event]] | None:
    """Return the comparison of words, which judges facts that a model left open. It does not if a
    paper's steps are followed, because the paper has no such step."""
    if given.panel is None or given.base.as_published:
        return None
    from halubot.methods.fallback import BESIDE, judge_by_words

    return judge_by_words if given.method.name in BESIDE else None


async def _drive(given: Given, case: Case, emit: Emit, live: LiveChecks | None = None) -> None:
    """Drive the method, with what knowledge and the web have for the message; and with what the web
    had for it while it was written."""
    budget = given.panel.budget if given.panel is not None else None

    async def drive(case: Case, emit: Emit) -> None:
        if given.knowledge is None and given.web is None:
            await driver.drive(given.method, case, emit)
            return
        from halubot.methods.knowledge_passages import drive_with_knowledge

        await drive_with_knowledge(
            given.method,
            case,
            given.knowledge,
            emit,
            web=given.web,
            budget=budget,
            found=live.bases if live is not None else (),
            queries=live.queries_left if live is not None else None,
        )

    hear = name_kinds(case.message, emit)
    if given.web is None and not _NUMBERED.search(case.message.text):
        await drive(case, hear)
        return
    from halubot.methods.citations import drive_with_citations

    await drive_with_citations(case, given.web, hear, drive)


_NUMBERED: Final = re.compile(r"isbn|arxiv|doi|10\.\d{4}|pmid|pubmed", re.IGNORECASE)
"""What stands in a text that cites a work by its number: without the web, others are no facts."""


async def close_aside(closing: ExitStack) -> None:
    """Close models and knowledge on a thread. The shield lets a cancelled run write its record
    too."""
    await asyncio.shield(asyncio.to_thread(closing.close))


async def _judge(given: Given, case: Case, emit: Emit) -> None:
    """Judge a text that was given."""
    for note in _read_notes(case.message):
        emit(note)
    if not case.message.sentences:
        return
    if given.panel is None:
        await _drive(given, case, emit)
        return
    _require_few_sentences(case.message, "text")
    # Late: a check without a model loads none of this.
    from halubot.methods.calls.answer import Draws, write_question
    from halubot.methods.calls.session import ModelSession

    session = ModelSession(given.panel, emit)
    try:
        question, context = given.question, given.context
        draws = None
        if given.draw and not (question or context):
            question = await write_question(session, case.message.text) or ""
        if given.draw and (question or context):
            draws = Draws(
                session, question or context, context if question else "", most=given.draw
            )
        case = replace(case, session=session, draws=draws, question=question or context or None)
        await _drive(given, case, emit)
    finally:
        session.account()


async def _ask(given: Given, emit: Emit) -> None:
    """Answer the question, draw samples meanwhile, and judge the answer."""
    assert given.panel is not None  # noqa: S101 - start_asking refuses to start without
    from halubot.methods.calls.answer import ROUND, Draws, stream_answer
    from halubot.methods.calls.session import ModelSession
    from halubot.methods.live import LiveChecks
    from halubot.models.model_errors import CutAnswerError

    live = LiveChecks(
        given.case(read_message("")), given.knowledge, given.web, given.panel.budget, emit
    )
    session = ModelSession(given.panel, live.hear)
    draws = None
    if given.draw:
        draws = Draws(session, given.question, given.context, most=given.draw)
    # The first round only: it is drawn while the answer is written, and the method asks for more.
    drawing = asyncio.create_task(draws.until(ROUND)) if draws else None
    try:
        reads = bool(getattr(given.method, "reads_logprobs", False))
        text, error = await stream_answer(session, given.question, given.context, logprobs=reads)
        await live.stop()
        if error is not None:
            cut = isinstance(error, CutAnswerError)
            emit(Note(what=WAS_CUT if cut else BROKE_OFF, why=str(error)))
        message = read_message(text)
        _require_few_sentences(message, "answer")
        emit(Answered(text=message.text, sentences=message.sentences))
        if error is not None:
            # The answer is shown whole, and judged without the sentence that it broke off in.
            message, emit = _without_last(message, emit)
        for note in _read_notes(message):
            emit(note)
        if not message.sentences:
            return
        if drawing is not None:
            await drawing
        case = replace(given.case(message), session=session, draws=draws)
        await _drive(given, case, emit, live)
    finally:
        await live.stop()
        if drawing is not None:
            drawing.cancel()
        session.account()


_ENDS: Final = (".", "!", "?", "…", "。", "！", "？", "؟", '"', "”", "»", ")")
"""How a sentence ends that is whole."""


def _without_last(message: Document, emit: Emit) -> tuple[Document, Emit]:
    """Leave out the last sentence of an answer that was cut in the middle of it: half a sentence
    may say the opposite of the whole one."""
    if not message.sentences or message.text.rstrip().endswith(_ENDS):
        return message, emit
    *whole, last = message.sentences
    emit(SentenceJudged(index=len(whole), score=None, verdict="not_checked", reason=UNFINISHED))

    def widen(event: Event) -> None:
        if isinstance(event, Ranked):
            event = event.model_copy(update={"sentences": (*event.sentences, None)})
        emit(event)

    # Listed among what is not read, so that no method judges half a sentence.
    apart = tuple(sorted((*message.apart, last)))
    return replace(message, sentences=tuple(whole), apart=apart), widen


@asynccontextmanager
async def share_options(options: Options) -> AsyncIterator[Options]:
    """Yield the options with the models and the knowledge that they name opened, for several runs.
    What was opened here is closed at the end."""
    stack = ExitStack()
    try:
        yield open_options(options, stack)
    finally:
        await close_aside(stack)


def _require_text(text: object, what: str) -> None:
    if not isinstance(text, str):
        raise InputError(f"the {what} is {type(text).__name__}, not a string")
    if not text.strip():
        raise InputError(f"the {what} is empty: give one with at least one sentence")
    if len(text) > LONGEST_MESSAGE:
        raise InputError(
            f"the {what} has {len(text):,} characters and halubot takes up to"
            f" {LONGEST_MESSAGE:,}: cut it into parts"
        )


def _require_few_sentences(message: Document, what: str) -> None:
    if len(message.sentences) > MOST_SENTENCES:
        raise InputError(
            f"the {what} has {len(message.sentences):,} sentences and a model is asked about up to"
            f" {MOST_SENTENCES:,}: cut it into parts, or check it without a model"
        )


def run_to_end(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end and return its result. If a loop already runs on this thread, the
    coroutine runs on a thread of its own."""
    outcome: list[T] = []

    async def keep() -> None:
        # What a task returns, asyncio spells out in full while it restores signal handlers.
        outcome.append(await work)

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(keep())
    else:
        with ThreadPoolExecutor(1, "halubot check") as thread:
            thread.submit(asyncio.run, keep()).result()
    return outcome[0]
