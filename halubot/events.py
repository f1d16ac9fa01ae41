"""The events of a run, as an append-only log of typed events. A log that was stored replays
into the same report (`halubot.fold`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Final, Literal

from pydantic import Field, TypeAdapter

from halubot.report import (
    Basis,
    Calibration,
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
"""Why the last sentence of an answer is not judged that was cut or broke off."""

WAS_CUT: Final = "the answer was cut"
BROKE_OFF: Final = "the answer broke off"
"""What a note says of an answer whose model died in its midst: what came of it is checked."""


LOADING: Final = "loading the model library"
"""What progress says before the first call of a program, for some seconds."""


class Started(Frozen):
    """The first event: what is checked, how, and against what."""

    kind: Literal["started"] = "started"
    text: str
    sentences: tuple[Span, ...]
    question: Question | None = None
    method: str
    models: Models = Models()
    engine: str
    threshold: Threshold
    calibration: Calibration | None = None
    sources: tuple[Source, ...] = ()


class QuestionWritten(Frozen):
    """A model wrote the question that the text answers."""

    kind: Literal["question_written"] = "question_written"
    text: str


class AnswerToken(Frozen):
    """A piece of an answer that is being written; the pieces joined are the answer so far."""

    kind: Literal["answer_token"] = "answer_token"
    text: str


class Answered(Frozen):
    """The answer is there: from now on it is the text that is checked."""

    kind: Literal["answered"] = "answered"
    text: str
    sentences: tuple[Span, ...]


class SampleDrawn(Frozen):
    """One more answer to the same question, one of ``of`` that may be drawn."""

    kind: Literal["sample_drawn"] = "sample_drawn"
    source: Source
    of: int


class PassagesFound(Frozen):
    """Passages of a knowledge base that are nearest to what the text says, new to this run."""

    kind: Literal["passages_found"] = "passages_found"
    sources: tuple[Source, ...]


class PromptUsed(Frozen):
    """A prompt was filled, in this version."""

    kind: Literal["prompt_used"] = "prompt_used"
    name: str
    version: str


class FactsExtracted(Frozen):
    """The facts found in the text, none judged yet. ``how`` names the extractor."""

    kind: Literal["facts_extracted"] = "facts_extracted"
    facts: tuple[Fact, ...]
    how: str = ""


class FactJudged(Frozen):
    """The verdict on one fact with its evidence. ``spans`` are the words of it that are in doubt,
    None if these are all of its words."""

    kind: Literal["fact_judged"] = "fact_judged"
    index: int
    score: float | None
    verdict: Verdict
    basis: tuple[Basis, ...] = ()
    reason: str | None = None
    probability: float | None = None
    evidence: tuple[Evidence, ...] = ()
    spans: tuple[Span, ...] | None = None


class SentenceJudged(Frozen):
    """The verdict on one sentence. ``own`` is the score of the sentence's own evidence where a
    doubted fact in it can raise ``score`` beyond the threshold: its probability comes from this."""

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
    """The method's own label and details for the whole message. ``uncalibrated`` says that the
    scores are not those its probabilities were fitted on."""

    kind: Literal["labelled"] = "labelled"
    label: str | None = None
    details: dict[str, Any] = Field(default_factory=dict)
    uncalibrated: bool = False


class Note(Frozen):
    """Something went less well than it should: it goes under the report's problems."""

    kind: Literal["note"] = "note"
    what: str
    why: str


class Progress(Frozen):
    """``done`` of ``of`` steps of ``what``; only for those who watch."""

    kind: Literal["progress"] = "progress"
    what: str
    done: int
    of: int


class Spent(Frozen):
    """Calls, tokens and money of one step; a report adds them up."""

    kind: Literal["spent"] = "spent"
    usage: Usage


class Done(Frozen):
    """The last event. ``outcome`` tells a finished run from one stopped by its owner or by
    a failure (``why`` says which)."""

    kind: Literal["done"] = "done"
    outcome: Literal["finished", "cancelled", "failed"] = "finished"
    why: str | None = None
    seconds: float = 0.0


Event = Annotated[
    Started
    | QuestionWritten
    | AnswerToken
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
    Field(discriminator="kind"),
]

EVENT: TypeAdapter[Event] = TypeAdapter(Event)
"""Reads one stored event: ``EVENT.validate_json(line)``."""

Emit = Callable[[Event], None]
"""Whoever hears of events as they happen."""


__all__ = [
    "EVENT",
    "AnswerToken",
    "Answered",
    "Done",
    "Emit",
    "Event",
    "FactJudged",
    "FactsExtracted",
    "Labelled",
    "Note",
    "PassagesFound",
    "Progress",
    "PromptUsed",
    "QuestionWritten",
    "Ranked",
    "SampleDrawn",
    "SentenceJudged",
    "Spent",
    "Started",
]
