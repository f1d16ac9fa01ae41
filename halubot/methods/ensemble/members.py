"""The members of an ensemble at work: several methods judge the facts of one message at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from halubot.calibration import store
from halubot.concurrency import every
from halubot.errors import HalubotError, SettingError
from halubot.events import (
    Emit,
    Event,
    FactJudged,
    FactsExtracted,
    Labelled,
    Note,
    Ranked,
    SentenceJudged,
)
from halubot.methods import registry
from halubot.methods.driver import drive, missing
from halubot.methods.ensemble.pool import Opinion
from halubot.methods.registry import Case, Method
from halubot.report import Fact

MEMBERS: Final = "members"
"""The option that names the members: names in a list, or with commas between them."""

BY_JUDGE: Final = frozenset(
    {"cascade", "fsc-frequency", "fsc-kg", "fsc-text", "gca", "triplet-check"}
)
"""The members for which the judge extracts the facts; others judge whichever there are."""

WHOLE: Final = frozenset({"bcv", "bcv-cot"})
"""The members that judge a message as a whole."""


def members_of(options: Mapping[str, Any], ensemble: str) -> tuple[str, ...]:
    """The names of the members, in the order given; none where none are named.

    Raises SettingError for no list of names, one that is named twice or the ensemble itself, and
    UnknownMethodError for one that does not exist.
    """
    given = options.get(MEMBERS)
    if given is None:
        return ()
    named = given.split(",") if isinstance(given, str) else given
    if not isinstance(named, Sequence) or not all(isinstance(name, str) for name in named):
        raise SettingError(f"{MEMBERS} is {given!r}, not names of methods with commas between them")
    names = tuple(name.strip() for name in named)
    if not all(names):
        raise SettingError(f"{MEMBERS} holds an empty name: write consensus,triplet-check")
    for name in names:
        if name == ensemble:
            raise SettingError(f"{ensemble} cannot be a member of itself")
        if names.count(name) > 1:
            raise SettingError(f"{name} is named twice among the members")
        registry.get(name)  # raises where there is none
    return names


def heeds_references(method: Method) -> bool:
    """Whether a method reads references where there are any."""
    return "references" in method.needs or "samples" not in method.needs


def part_of(case: Case, method: Method) -> Case:
    """The case as one member sees it: without what it would leave out, and by its own threshold."""
    part = replace(case, options={}, threshold=None)
    if "samples" not in method.needs:
        part = replace(part, samples=(), draws=None)
    if not heeds_references(method):
        part = replace(part, references=(), knowledge=None)
    return part


def able(case: Case, methods: Sequence[Method], emit: Emit | None = None) -> list[Method]:
    """The members that can judge a case; why others cannot is emitted."""
    able = []
    for method in methods:
        why = missing(method, part_of(case, method))
        if why is None:
            able.append(method)
        elif emit is not None:
            emit(Note(what=f"{method.name} took no part", why=why))
    return able


async def opinions(
    case: Case, methods: Sequence[Method], facts: tuple[Fact, ...], emit: Emit
) -> list[Opinion]:
    """What each member says of these facts, all at work at once. What they tell in between is
    emitted. One that fails or scores nothing is left out, with a note."""
    heard = await every(_opinion(case, method, facts, emit) for method in methods)
    return [opinion for opinion in heard if opinion is not None]


async def _opinion(
    case: Case, method: Method, facts: tuple[Fact, ...], emit: Emit
) -> Opinion | None:
    name = method.name
    part = replace(part_of(case, method), facts=facts)
    log: list[Event] = []

    def hear(event: Event) -> None:
        match event:
            case FactJudged() | SentenceJudged() | Labelled() | Ranked():
                log.append(event)
            case FactsExtracted():
                pass
            case Note():
                emit(Note(what=f"{name}: {event.what}", why=event.why))
            case _:
                emit(event)

    try:
        await drive(method, part, hear)
    except HalubotError as error:
        emit(Note(what=f"{name} took no part", why=str(error)))
        return None
    opinion = _read(log, method, part, _calibrate(case, method, part, emit))
    if opinion.silent:
        emit(Note(what=f"{name} took no part", why=opinion.why))
        return None
    return opinion


def _read(
    log: Sequence[Event], method: Method, part: Case, calibrated: store.Calibrated | None
) -> Opinion:
    """What the events of a member come to; later ones count."""
    facts: dict[int, FactJudged] = {}
    sentences: dict[int, SentenceJudged] = {}
    details: dict[str, Any] = {}
    label, score = None, None
    threshold = (calibrated and calibrated.threshold) or method.default_threshold
    for event in log:
        match event:
            case FactJudged():
                facts[event.index] = event
            case SentenceJudged():
                sentences[event.index] = event
            case Labelled():
                label, details = event.label, {**details, **event.details}
            case Ranked():
                score = event.score
            case _:
                continue
    return Opinion(
        name=method.name,
        facts=facts,
        sentences=sentences,
        score=score,
        label=label,
        details=details,
        threshold=threshold.value,
        calibration=None if calibrated is None else calibrated.calibration,
        of_facts=bool(facts),
        whole=method.name in WHOLE,
        samples_only=not (part.references or part.knowledge),
    )


def _calibrate(case: Case, method: Method, part: Case, emit: Emit) -> store.Calibrated | None:
    """What the scores of a member stand for, where that is known."""
    asks = case.talk is not None and "model" in method.needs
    judge = case.talk.judge.name if case.talk is not None and asks else None
    material = store.material_of(
        bool(part.samples) or part.draws is not None, bool(part.references)
    )
    settings = store.settings({}, as_published=case.as_published and "model" in method.needs)
    try:
        return store.lookup(method.name, judge, material, case.calibrations, settings)
    except HalubotError as error:
        emit(Note(what=f"a calibration of {method.name} was left out", why=str(error)))
        return None
