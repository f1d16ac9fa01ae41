"""The events of a run, as an append-only log of typed events. A log that was stored replays
into the same report (`halubot.fold`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Final, Literal

from pydantic import Field, TypeAdapter

from halubot.report import (
    Basis,
    ErrorKind,
    Evidence,
    Fact,
    Frozen,
    Models,
    Question,
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
    error: ErrorKind | None = None
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
    spans: tuple[Span, ...] | None = None
    error: ErrorKind | None = None


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
