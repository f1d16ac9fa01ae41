"""The entrance: check a text, correct it, or start a run and watch it.

Everything that compares may be given as text (``str``), as a file or folder (``Path``), or as a
`Source`.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict, TypeVar, Unpack

from halubot import __version__, evidence
from halubot.correcting import OnDoubt, corrected
from halubot.errors import InputError, SettingError
from halubot.events import Event, Note, Started
from halubot.facts import Question, Report, Source, Threshold
from halubot.methods import registry
from halubot.methods.registry import Case
from halubot.run import Run
from halubot.text import clean, read

Material = str | Path | Source
T = TypeVar("T")

DEFAULT_METHOD = "consensus"
LONGEST_MESSAGE = 2_000_000
"""Code points of a message; references and samples may be longer."""
MOST_LEFT_OUT = 5
"""Unreadable files of a folder that are named one by one; the others are counted."""


class Options(TypedDict, total=False):
    """What every entrance takes beside the text.

    question, context  what the text answers, and the messages before it
    samples            other answers to the same question
    references         texts to be taken at their word; a folder stands for its files
    sentences          the caller's own sentences of the text, in order
    subject            what the text is about, for pronouns that name nothing
    method             a name known to the registry (default "consensus")
    threshold          from which score on a fact is doubted, 0 to 1 (default: the method's)
    deadline           seconds after which the check stops with what it knows
    options            the method's own settings
    watch              called with each event as it happens
    """

    question: str | None
    context: str | None
    samples: Iterable[Material]
    references: Iterable[Material]
    sentences: Sequence[str] | None
    subject: str | None
    method: str | None
    threshold: float | None
    deadline: float | None
    options: Mapping[str, Any] | None
    watch: Callable[[Event], None] | None


def start(text: str, **options: Unpack[Options]) -> Run:
    """Starts a check on the running event loop and returns at once.

    Raises InputError for a blank or too long text, SettingError and UnknownMethodError for wrong
    options, UnreadableError for files that cannot be read; RuntimeError without a running loop.
    """
    asyncio.get_running_loop()
    case, started, notes = _prepared(text, options)
    method = registry.get(started.method)
    return Run(
        method,
        case,
        started,
        notes=notes,
        deadline=_positive("deadline", options.get("deadline")),
        watch=options.get("watch"),
    )


async def acheck(text: str, **options: Unpack[Options]) -> Report:
    """Checks a text and returns its report. Cancelling it stops the work. Raises as `start`."""
    return await start(text, **options).wait()


def check(text: str, **options: Unpack[Options]) -> Report:
    """`acheck` for callers without an event loop; inside one (a notebook) it works as well.

    >>> report = check("Ada was born in 1816.", references=["Ada was born in 1815."])
    >>> report.facts[0].verdict
    'contradicted'
    """
    return _finished(acheck(text, **options))


async def acorrect(
    text: str | Report, *, on_doubt: OnDoubt = "remove", **options: Unpack[Options]
) -> Report:
    """Checks a text, corrects what is doubted, and checks the corrected text again.

    A report that was made before is corrected as it stands, with its own sources. The result is
    the report of the given text with ``correction`` set; with nothing to correct its edits are
    empty and its text is the text itself.
    """
    report = text if isinstance(text, Report) else await acheck(text, **options)
    correction = corrected(report, on_doubt=on_doubt)
    if not correction.edits or not correction.text.strip():
        return report.model_copy(update={"correction": correction})
    again = await acheck(correction.text, **_same(report, options))
    return report.model_copy(update={"correction": correction.model_copy(update={"report": again})})


def correct(
    text: str | Report, *, on_doubt: OnDoubt = "remove", **options: Unpack[Options]
) -> Report:
    """`acorrect` for callers without an event loop; inside one it works as well."""
    return _finished(acorrect(text, on_doubt=on_doubt, **options))


def _prepared(text: str, options: Options) -> tuple[Case, Started, tuple[Note, ...]]:
    unknown = options.keys() - Options.__annotations__.keys()
    if unknown:
        raise SettingError(
            f"there is no option {min(unknown)!r}: known are {', '.join(Options.__annotations__)}"
        )
    texts: dict[str, object] = {"text to check": text}
    for name in ("question", "context", "subject"):
        texts[name] = options.get(name) or ""
    for name, given in texts.items():
        if not isinstance(given, str):
            raise InputError(f"the {name} is {type(given).__name__}, not a string")
    if not text.strip():
        raise InputError("the text to check is empty: give a text with at least one sentence")
    if len(text) > LONGEST_MESSAGE:
        raise InputError(
            f"the text to check has {len(text):,} characters and halubot takes up to"
            f" {LONGEST_MESSAGE:,}: cut it into parts"
        )
    method = registry.get(options.get("method") or DEFAULT_METHOD)
    threshold = options.get("threshold")
    if threshold is not None and not 0 <= threshold <= 1:
        raise SettingError(f"the threshold is {threshold:g}, not between 0 and 1")
    message = read(text, sentences=options.get("sentences"))
    left_out: list[InputError] = []
    samples = sources(options.get("samples") or (), "sample", left_out)
    references = sources(options.get("references") or (), "reference", left_out)
    question, _ = clean(options.get("question") or options.get("context") or "")
    subject, _ = clean(options.get("subject") or "")
    case = Case(
        message=message,
        samples=samples,
        references=references,
        question=question or None,
        subject=subject or None,
        threshold=threshold,
        options=dict(options.get("options") or {}),
    )
    started = Started(
        text=message.text,
        sentences=message.sentences,
        question=Question(text=question, origin="given") if question else None,
        method=method.name,
        engine=__version__,
        threshold=(
            method.default_threshold
            if threshold is None
            else Threshold(value=threshold, fitted_on=None)
        ),
        sources=samples + references,
    )
    notes = [Note(what="the text was cleaned", why=why) for why in message.notes]
    notes += [Note(what="a file was left out", why=str(e)) for e in left_out[:MOST_LEFT_OUT]]
    if len(left_out) > MOST_LEFT_OUT:
        more = len(left_out) - MOST_LEFT_OUT
        notes.append(Note(what="files were left out", why=f"{more} more could not be read"))
    if not message.sentences:
        notes.append(Note(what="nothing was checked", why="the text holds no sentence"))
    return case, started, tuple(notes)


def sources(
    given: Iterable[Material],
    kind: Literal["sample", "reference"],
    left_out: list[InputError] | None = None,
) -> tuple[Source, ...]:
    """The given material as sources with ids of their own, in order. Why a file of a given folder
    could not be read is added to ``left_out``."""
    if isinstance(given, (str, Path, Source)):
        given = [given]
    found: list[Source] = []
    for item in given:
        if isinstance(item, Source):
            cleaned = None if item.text is None else clean(item.text)[0]
            found.append(item.model_copy(update={"text": cleaned}))
        elif isinstance(item, Path):
            found.extend(evidence.load_all(item, kind=kind, left_out=left_out))
        elif isinstance(item, str):
            if not item.strip():
                raise InputError(f"{kind} {len(found) + 1} is empty")
            found.append(evidence.text_source(item, kind, len(found) + 1))
        else:
            raise InputError(f"{kind} {len(found) + 1} is {type(item).__name__}, not a text")
    return tuple(
        source.model_copy(update={"id": f"{kind[0]}{number}"})
        for number, source in enumerate(found, start=1)
    )


def _same(report: Report, options: Options) -> Options:
    """The options that check a corrected text as the report's own text was checked."""
    again = Options(
        question=report.question.text if report.question else None,
        samples=[source for source in report.sources if source.kind == "sample"],
        references=[source for source in report.sources if source.kind == "reference"],
        subject=options.get("subject"),
        method=report.method,
        options=options.get("options"),
        deadline=options.get("deadline"),
    )
    if report.threshold.fitted_on is None:
        again["threshold"] = report.threshold.value
    return again


def _positive(name: str, value: float | None) -> float | None:
    if value is not None and not value > 0:
        raise SettingError(f"the {name} is {value:g} s, not more than 0")
    return value


def _finished(work: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine to its end, on a thread of its own where a loop already runs here."""
    outcome: list[T] = []
    failure: list[BaseException] = []

    async def kept() -> None:
        # What a task returns, asyncio spells out in full while it restores signal handlers.
        outcome.append(await work)

    def aside() -> None:
        try:
            asyncio.run(kept())
        except BaseException as error:  # noqa: BLE001 - it is raised again on the caller's thread
            failure.append(error)

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(kept())
        return outcome[0]
    thread = threading.Thread(target=aside, name="halubot check")
    thread.start()
    thread.join()
    if failure:
        raise failure[0]
    return outcome[0]
