"""The members of an ensemble: they judge the facts of one message at once, and are pooled."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from halubot.calibration import Calibrated, material_of
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
from halubot.fold import probability_of
from halubot.methods import registry
from halubot.methods.driver import drive, missing
from halubot.methods.registry import Case, Method
from halubot.report import DOUBTED, Basis, Calibration, Evidence, Fact, Verdict

# A member whose scores are nearly 0 or 1 would otherwise decide alone.
BOUND: Final = 4.0
"""The most that one member says of one fact, in log-odds."""


OF_FACT: Final = 1.0


OF_SENTENCE: Final = 0.5


OF_MESSAGE: Final = 0.25


OVERRULED: Final = 0.0


UNKNOWN: Final = "no member of the ensemble judged it"


_BASES: Final[tuple[Basis, ...]] = ("samples", "references", "model")


_NEARLY: Final = 1e-6


_SAMPLE: Final = "s"
"""How the ids of samples begin, and no others."""


class Contribution(NamedTuple):
    """The contribution of one member on one fact or sentence: its score, in [0, 1], the log-odds
    that it stands for, and what these weigh."""

    score: float
    odds: float
    weight: float

    def details(self) -> dict[str, float]:
        """For the report."""
        return {
            "score": round(self.score, 4),
            "odds": round(self.odds, 4),
            "weight": self.weight,
        }


@dataclass(frozen=True)
class Opinion:
    """The opinion of one member on a message: on facts and sentences by their index, and of all of
    it.

    ``of_facts`` tells that it judges facts, ``whole`` that it judges the message as a whole,
    ``samples_only`` that no reference was shown to it. ``calibration`` is None if it is not
    calibrated; ``threshold`` is its own.
    """

    name: str
    facts: Mapping[int, FactJudged] = field(default_factory=dict)
    sentences: Mapping[int, SentenceJudged] = field(default_factory=dict)
    score: float | None = None
    label: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    threshold: float = 0.5
    calibration: Calibration | None = None
    of_facts: bool = False
    whole: bool = False
    samples_only: bool = False

    @property
    def silent(self) -> bool:
        """Return True if it scored nothing."""
        return all(one.score is None for one in self._verdicts)

    @property
    def why(self) -> str:
        """Why it scored nothing, by its own words."""
        return next((one.reason for one in self._verdicts if one.reason), "it gave no score")

    @property
    def _verdicts(self) -> list[FactJudged | SentenceJudged]:
        return [*self.facts.values(), *self.sentences.values()]

    def details_of(self) -> dict[str, Any]:
        """Return its word on the message, and by what its scores become log-odds: the data of its
        calibration, None if it is not calibrated."""
        fitted_on = self.calibration.fitted_on if self.calibration else None
        said = {"label": self.label, "score": self.score, "calibrated_on": fitted_on}
        return {**said, "threshold": self.threshold, "details": dict(self.details)}

    def odds(self, score: float) -> float:
        """The log-odds of being wrong that a score of it stands for; 0 at its threshold."""
        odds = self._log_odds(score) - self._log_odds(self.threshold)
        return max(-BOUND, min(BOUND, odds))

    def _log_odds(self, score: float) -> float:
        if self.calibration is not None:
            score = probability_of(score, self.calibration)
        return _logit(score)

    def of_fact(self, fact: Fact, *, overruled: bool) -> Contribution | None:
        """Return its contribution to a fact, or None. ``overruled`` if a reference speaks of it."""
        own = self.facts.get(fact.index)
        if own is not None and own.score is not None:
            return self._make_contribution(own.score, OF_FACT, overruled)
        sentences = (self.sentences.get(index) for index in fact.sentences)
        scores = [one.score for one in sentences if one is not None and one.score is not None]
        return self._make_contribution(max(scores), OF_SENTENCE, overruled) if scores else None

    def of_sentence(self, index: int, *, overruled: bool) -> Contribution | None:
        """Return its contribution to a sentence; None without one."""
        own = self.sentences.get(index)
        if own is None or own.score is None:
            return None
        weight = OF_FACT if self.of_facts else OF_SENTENCE
        return self._make_contribution(own.score if own.own is None else own.own, weight, overruled)

    def _make_contribution(self, score: float, weight: float, overruled: bool) -> Contribution:
        if overruled and self.samples_only:
            # A reference outweighs samples; what they gave is shown all the same.
            weight = OVERRULED
        elif self.whole:
            weight = OF_MESSAGE
        return Contribution(score, self.odds(score), weight)


def pool_odds(contributions: Iterable[Contribution]) -> float:
    """The log-odds of all contributions together; 0 if there is none."""
    return math.fsum(one.weight * one.odds for one in contributions)


def spoken_of(fact: int, opinions: Sequence[Opinion]) -> bool:
    """Return True if a reference, or a passage of knowledge, speaks of a fact: by what any member
    found, it supports or contradicts it."""
    return any(
        item.stance != "silent" and not item.source.startswith(_SAMPLE)
        for opinion in opinions
        if fact in opinion.facts
        for item in opinion.facts[fact].evidence
    )


def evidence_on(fact: int, opinions: Sequence[Opinion]) -> tuple[Evidence, ...]:
    """Return the evidence of each source on a fact, in the order of the sources' first mention: by
    the first member that does not find it silent."""
    found: dict[str, Evidence] = {}
    for opinion in opinions:
        judged = opinion.facts.get(fact)
        for item in judged.evidence if judged is not None else ():
            # Members may have read the same source: the first that heard it speak is quoted.
            if item.source not in found or found[item.source].stance == "silent":
                found[item.source] = item
    return tuple(found.values())


def basis_of(fact: Fact, opinions: Sequence[Opinion]) -> tuple[Basis, ...]:
    """Return the basis of those members that scored a fact itself; empty if none did."""
    named = {
        basis
        for opinion in opinions
        if (judged := opinion.facts.get(fact.index)) is not None and judged.score is not None
        for basis in judged.basis
    }
    return tuple(basis for basis in _BASES if basis in named)


def verdict_on(
    fact: int, score: float, threshold: float, opinions: Sequence[Opinion]
) -> tuple[Verdict, str | None]:
    """The verdict on a fact with this pooled score, contradicted if a member that doubts it says
    so; and why it is doubted, in a member's words, if one gives any."""
    if score < threshold:
        return "supported", None
    own = [opinion.facts[fact] for opinion in opinions if fact in opinion.facts]
    denied = any(judged.verdict == "contradicted" for judged in own)
    reasons = (judged.reason for judged in own if judged.verdict in DOUBTED)
    return "contradicted" if denied else "doubtful", next(filter(None, reasons), None)


def _logit(score: float) -> float:
    # 0 and 1 have no log-odds.
    nearly = min(max(score, _NEARLY), 1 - _NEARLY)
    return math.log(nearly / (1 - nearly))


MEMBERS: Final = "members"
"""The option that names the members: names in a list, or with commas between them."""

BY_JUDGE: Final = frozenset(
    {"cascade", "fsc-frequency", "fsc-kg", "fsc-text", "gca", "triplet-check"}
)
"""The members for which the judge extracts the facts; others judge whichever there are."""

WHOLE: Final = frozenset({"bcv", "bcv-cot"})
"""The members that judge a message as a whole."""


def members_of(options: Mapping[str, Any], ensemble: str) -> tuple[str, ...]:
    """The names of the members, in the order given; none if none are named.

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


def part_of(case: Case, method: Method) -> Case:
    """The case as one member sees it: without what it would leave out, and by its own threshold."""
    # Options and threshold are the ensemble's: a score means something by the member's own.
    part = replace(case, options={}, threshold=None)
    if "samples" not in method.needs:
        part = replace(part, samples=(), draws=None)
    if not registry.heeds_references(method):
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
    """Return the opinion of each member on these facts, all at work at once. What they tell in
    between is emitted. One that fails or scores nothing is left out, with a note."""
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
            # All members judge the same facts, which were told before.
            case FactsExtracted():
                pass
            case Note():
                emit(Note(what=f"{name}: {event.what}", why=event.why))
            case _:
                emit(event)

    try:
        await drive(method, part, hear)
    # A member that fails costs its own word, and no other's.
    except HalubotError as error:
        emit(Note(what=f"{name} took no part", why=str(error)))
        return None
    opinion = _read(log, method, part, _calibrate(case, method, part))
    if opinion.silent:
        emit(Note(what=f"{name} took no part", why=opinion.why))
        return None
    return opinion


def _read(
    log: Sequence[Event], method: Method, part: Case, calibrated: Calibrated | None
) -> Opinion:
    """Return what the events of a member come to; later ones count."""
    facts: dict[int, FactJudged] = {}
    sentences: dict[int, SentenceJudged] = {}
    details: dict[str, Any] = {}
    label, score = None, None
    for event in log:
        match event:
            case FactJudged():
                facts[event.index] = event
            case SentenceJudged():
                sentences[event.index] = event
            case Labelled():
                label, details = event.label, {**details, **event.details}
            case Ranked():
                # Its score alone: ranks of a member order by its own scale.
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
        threshold=method.default_threshold.value,
        calibration=None if calibrated is None else calibrated.calibration,
        of_facts=bool(facts),
        whole=method.name in WHOLE,
        samples_only=not (part.references or part.knowledge),
    )


def _calibrate(case: Case, method: Method, part: Case) -> Calibrated | None:
    """Return what the scores of a member stand for, if that is known."""
    asks = case.talk is not None and "model" in method.needs
    judge = case.talk.judge.name if case.talk is not None and asks else None
    material = material_of(bool(part.samples) or part.draws is not None, bool(part.references))
    if case.as_published and "model" in method.needs:
        return None
    return case.calibrations.lookup(method.name, judge, material)
