"""The events of a run, an append-only log of typed events, and the report that they fold into. A
log that was stored gives the same report again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, Any, Final, Literal

from pydantic import Field, TypeAdapter

from halubot.report import (
    Basis,
    Evidence,
    Fact,
    Frozen,
    KnownKind,
    Models,
    Passage,
    Problem,
    Question,
    Report,
    Sentence,
    Source,
    Span,
    Threshold,
    Usage,
    Verdict,
)

UNFINISHED: Final = "the answer ends in the middle of this sentence"
"""The reason of the last sentence of an answer that was cut or broke off: it is not judged."""

WAS_CUT: Final = "the answer was cut"
BROKE_OFF: Final = "the answer broke off"
"""What notes say of an answer that is not whole; the sentences that did come are checked."""


LOADING: Final = "loading the model library"
"""What progress says for some seconds before the first call of a program."""


class Started(Frozen):
    """The first event: the text, the method and the sources that are given."""

    kind: Literal["started"] = "started"
    text: str
    sentences: tuple[Span, ...]
    question: Question | None = None
    method: str
    models: Models = Models()
    engine: str
    threshold: Threshold
    calibration: dict[str, Any] | None = None
    sources: tuple[Source, ...] = ()


class QuestionWritten(Frozen):
    """A model wrote the question that the text answers."""

    kind: Literal["question_written"] = "question_written"
    text: str


class AnswerToken(Frozen):
    """A piece of an answer that is being written; the pieces joined are the answer so far."""

    kind: Literal["answer_token"] = "answer_token"
    text: str


class SentenceMarked(Frozen):
    """A first verdict on a finished sentence of an answer that is still being written: what is
    written so far, cleaned, holds it at ``start`` to ``end``. ``quote`` is a source's word against
    it, "" without one. The report leaves it out: the check of the whole answer replaces it."""

    kind: Literal["sentence_marked"] = "sentence_marked"
    start: int
    end: int
    verdict: Verdict
    error: KnownKind = None
    quote: str = ""


class Answered(Frozen):
    """The whole answer; from now on it is the text that is checked."""

    kind: Literal["answered"] = "answered"
    text: str
    sentences: tuple[Span, ...]


class SampleDrawn(Frozen):
    """One more answer to the same question, one of ``of`` that may be drawn."""

    kind: Literal["sample_drawn"] = "sample_drawn"
    source: Source
    of: int


class PassagesFound(Frozen):
    """Passages of a knowledge base that are nearest to the text and new to this run."""

    kind: Literal["passages_found"] = "passages_found"
    sources: tuple[Source, ...]


class PromptUsed(Frozen):
    """A prompt was used; ``version`` is the hash of its text."""

    kind: Literal["prompt_used"] = "prompt_used"
    name: str
    version: str


class FactsExtracted(Frozen):
    """The facts found in the text, none judged yet. ``how`` names the extractor, "" if unknown."""

    kind: Literal["facts_extracted"] = "facts_extracted"
    facts: tuple[Fact, ...]
    how: str = ""


class FactJudged(Frozen):
    """The verdict on one fact with its evidence. ``spans`` are the words that are in doubt; None
    means all words of the fact. ``error`` is the kind of error of a doubted fact."""

    kind: Literal["fact_judged"] = "fact_judged"
    index: int
    score: float | None
    verdict: Verdict
    basis: tuple[Basis, ...] = ()
    reason: str | None = None
    probability: float | None = None
    evidence: tuple[Evidence, ...] = ()
    nearest: Passage | None = None
    spans: tuple[Span, ...] | None = None
    error: KnownKind = None


class SentenceJudged(Frozen):
    """The verdict on one sentence.

    A doubted fact in the sentence can raise ``score`` above the threshold. ``own`` is then the
    score of the sentence's own evidence.
    """

    kind: Literal["sentence_judged"] = "sentence_judged"
    index: int
    score: float | None
    own: float | None = None
    verdict: Verdict
    reason: str | None = None


class Ranked(Frozen):
    """The ordering of all facts and sentences, once the whole message is known."""

    kind: Literal["ranked"] = "ranked"
    score: float | None
    facts: tuple[float | None, ...]
    sentences: tuple[float | None, ...]


class Labelled(Frozen):
    """The method's own label and details for the whole message."""

    kind: Literal["labelled"] = "labelled"
    label: str | None = None
    details: dict[str, Any] = Field(default_factory=dict)
    uncalibrated: bool = False
    """Means nothing any more; logs of earlier versions have it."""


class Note(Frozen):
    """Something that made the check weaker; the report lists it under its problems."""

    kind: Literal["note"] = "note"
    what: str
    why: str


class Progress(Frozen):
    """``done`` of ``of`` steps of ``what``, for a progress bar; the report leaves it out."""

    kind: Literal["progress"] = "progress"
    what: str
    done: int
    of: int


class Spent(Frozen):
    """Calls, tokens and money of one step; a report adds them up."""

    kind: Literal["spent"] = "spent"
    usage: Usage


class Done(Frozen):
    """The last event. ``why`` is the reason of a run that was cancelled or failed; ``seconds`` is
    the time of the whole run."""

    kind: Literal["done"] = "done"
    outcome: Literal["finished", "cancelled", "failed"] = "finished"
    why: str | None = None
    seconds: float = 0.0


Event = Annotated[
    Started
    | QuestionWritten
    | AnswerToken
    | SentenceMarked
    | Answered
    | SampleDrawn
    | PassagesFound
    | PromptUsed
    | FactsExtracted
    | FactJudged
    | SentenceJudged
    | Ranked
    | Labelled
    | Note
    | Progress
    | Spent
    | Done,
    # By its kind alone: else a stored event would be tried as one class after the other.
    Field(discriminator="kind"),
]

EVENT: TypeAdapter[Event] = TypeAdapter(Event)
"""Parses one stored event: ``EVENT.validate_json(line)``."""

Emit = Callable[[Event], None]
"""A function that is called with each event as it happens."""

FAILED: Final = "the check was failed"
"""What a problem is called that tells why a whole check failed."""


def fold(events: Iterable[Event]) -> Report:
    """The report of the events so far: pure, and total on every prefix of a log.

    Facts and sentences that no event judged are ``not_checked`` and say why. Raises
    ValueError if the log does not begin with ``Started``.
    """
    log = list(events)
    if not log or not isinstance(log[0], Started):
        raise ValueError("a log begins with its Started event")
    start = log[0]
    # A log without its end is that of a run under way, or of one that was killed.
    end = log[-1] if isinstance(log[-1], Done) else None
    pending = _pending(end)
    message = _message(start, log)
    sentences = [
        Sentence(index=i, start=a, end=b, reason=pending)
        for i, (a, b) in enumerate(message.sentences)
    ] or _marked(message.text, log)
    facts: list[Fact] = []
    score: float | None = None
    label: str | None = None
    details: dict[str, Any] = {}
    for event in log[1:]:
        match event:
            case FactsExtracted():
                facts = [
                    # Each fact has a reason until it is judged: every prefix of a log is a sound
                    # report.
                    fact if fact.reason else fact.model_copy(update={"reason": pending})
                    for fact in event.facts
                ]
                sentences = _with_facts(sentences, facts)
                if event.how:
                    details = {**details, "extraction": event.how}
            case FactJudged():
                facts[event.index] = _fact(facts[event.index], event)
            case SentenceJudged():
                sentences[event.index] = _judge(sentences[event.index], event)
            case Ranked():
                score = event.score
                facts = [
                    f.model_copy(update={"rank": r})
                    for f, r in zip(facts, event.facts, strict=True)
                ]
                sentences = [
                    s.model_copy(update={"rank": r})
                    for s, r in zip(sentences, event.sentences, strict=True)
                ]
            case Labelled():
                label = event.label
                details = {**details, **event.details}
            case _:
                continue
    report = Report(
        text=message.text,
        question=message.question,
        method=start.method,
        models=start.models,
        engine=start.engine,
        threshold=start.threshold,
        calibration=start.calibration,
        sources=message.sources,
        sentences=tuple(sentences),
        facts=tuple(facts),
        score=score,
        label=label,
        details=details,
    )
    return amend_report(report, log)


def amend_report(report: Report, events: Iterable[Event]) -> Report:
    """The report with what steps spent, the prompts they used and their notes, each once."""
    prompts, problems, usage = dict(report.prompts), list(report.problems), report.usage
    for event in events:
        match event:
            case PromptUsed():
                prompts[event.name] = event.version
            case Note():
                problems.append(Problem(what=event.what, why=event.why))
            case Spent():
                usage = add_usages(usage, event.usage)
            case Done():
                usage = usage.model_copy(update={"seconds": event.seconds})
                if event.why:
                    problems.append(Problem(what=f"the check was {event.outcome}", why=event.why))
            case _:
                continue
    # A later step meets what an earlier one met, such as a server out of reach.
    problems = list(dict.fromkeys(problems))
    update = {"prompts": dict(sorted(prompts.items())), "problems": tuple(problems), "usage": usage}
    return report.model_copy(update=update)


def _message(start: Started, log: Iterable[Event]) -> Started:
    """The first event, with what came since: question, answer, samples, passages."""
    text, pieces, sentences = start.text, list[str](), start.sentences
    question = start.question
    drawn: list[Source] = []
    found: list[Source] = []
    for event in log:
        match event:
            case QuestionWritten():
                question = Question(text=event.text, origin="written")
            case AnswerToken():
                pieces.append(event.text)
            case Answered():
                text, sentences = event.text, event.sentences
            case SampleDrawn():
                drawn.append(event.source)
            case PassagesFound():
                found.extend(event.sources)
            case _:
                continue
    samples = [source for source in start.sources if source.kind == "sample"]
    # By number and not by arrival, so that the same check has the same report.
    samples += sorted(drawn, key=lambda source: int(source.id[1:]))
    others = (source for source in start.sources if source.kind != "sample")
    update = {
        "text": text or "".join(pieces),
        "sentences": sentences,
        "question": question,
        "sources": (*samples, *others, *found),
    }
    return start.model_copy(update=update)


def _marked(text: str, log: Iterable[Event]) -> list[Sentence]:
    """The finished sentences of an answer that is being written, with their first verdicts."""
    marks = [event for event in log if isinstance(event, SentenceMarked) and event.end <= len(text)]
    return [
        Sentence(
            index=index,
            start=mark.start,
            end=mark.end,
            verdict=mark.verdict,
            reason=mark.quote or FIRST_LOOK,
        )
        for index, mark in enumerate(marks)
    ]


FIRST_LOOK: Final = "a first look, while the answer is written"
"""The reason of a sentence that was marked before its answer was whole."""


def _fact(fact: Fact, event: FactJudged) -> Fact:
    """The fact with its verdict, its evidence and the words in doubt."""
    update = event.model_dump(exclude={"kind", "index", "evidence", "nearest", "spans", "error"})
    # `model_dump` makes dicts of models, and `model_copy` does not validate them back.
    update["evidence"] = event.evidence
    update["nearest"] = event.nearest
    update["kind"] = event.error
    if event.spans is not None:
        update["spans"] = event.spans
    return fact.model_copy(update=update)


def _judge(sentence: Sentence, event: SentenceJudged) -> Sentence:
    """The sentence with its verdict."""
    return sentence.model_copy(update=event.model_dump(exclude={"kind", "index", "own"}))


NOT_YET: Final = "not judged yet"
"""Why a fact has no verdict while a check goes on."""


def _pending(end: Done | None) -> str:
    if end is None:
        return NOT_YET
    if end.outcome == "finished":
        return "the method gave no verdict"
    return f"the check was {end.outcome} before this was judged"


def _with_facts(sentences: list[Sentence], facts: list[Fact]) -> list[Sentence]:
    held: dict[int, list[int]] = {}
    for fact in facts:
        for index in fact.sentences:
            held.setdefault(index, []).append(fact.index)
    return [s.model_copy(update={"facts": tuple(held.get(s.index, ()))}) for s in sentences]


def add_usages(a: Usage, b: Usage) -> Usage:
    """Return the sum of two usages; the cost is that of those known, None if neither is."""
    known = [cost for cost in (a.cost_usd, b.cost_usd) if cost is not None]
    return Usage(
        calls=a.calls + b.calls,
        cached_calls=a.cached_calls + b.cached_calls,
        stored_samples=a.stored_samples + b.stored_samples,
        prompt_tokens=a.prompt_tokens + b.prompt_tokens,
        completion_tokens=a.completion_tokens + b.completion_tokens,
        cost_usd=sum(known) if known else None,
        seconds=a.seconds + b.seconds,
    )
