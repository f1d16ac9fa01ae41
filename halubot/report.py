"""The words of a report: triples, facts, sources, evidence, verdicts, corrections.

All models are frozen. Offsets are Unicode code points into the text they belong to, and
``text[start:end]`` is the span, always. Scores run from 0 (consistent) to 1 (hallucinated).
"""

from __future__ import annotations

from datetime import datetime
from importlib import import_module
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from halubot import verdicts

Span = tuple[int, int]
Verdict = verdicts.Verdict
Stance = Literal["supports", "contradicts", "silent"]
Basis = Literal["samples", "references", "model", "person"]
SourceKind = Literal["sample", "reference", "knowledge"]
Action = Literal["changed", "removed", "hedged", "kept", "refused"]

DOUBTED = verdicts.DOUBTED


class Frozen(BaseModel):
    """A value that never changes and knows all its fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Triple(NamedTuple):
    """One fact as (head, relation, tail); negation stays in the relation.

    If a text could not be cut into triples, a clause stands as ``("", "", clause)``.
    """

    head: str
    relation: str
    tail: str

    def __str__(self) -> str:
        return " ".join(part for part in self if part)


class Parts(Frozen):
    """Where the three parts of a triple stand in the text; None where a part is implied
    (a pronoun resolved, a relation carried over from an earlier clause)."""

    head: Span | None = None
    relation: Span | None = None
    tail: Span | None = None


class Calibration(Frozen):
    """How a score becomes the probability of being wrong: the log-odds of the probability are
    ``intercept + slope`` times those of the score. ``fitted_on`` names the data."""

    intercept: float
    slope: float = Field(ge=0)
    fitted_on: str


class Source(Frozen):
    """A text that facts are compared with. ``text`` is None where it may not be kept. ``place``
    says where in a longer one it stands, in words, and ``date`` (ISO 8601) from when it is; both
    may be unknown."""

    id: str
    kind: SourceKind
    title: str = ""
    location: str = ""
    place: str = ""
    date: str | None = None
    text: str | None = None
    hash: str = ""


class Evidence(Frozen):
    """What one source says of one fact. ``quote`` is ``source.text[start:end]``; a silent
    source has an empty quote and start = end = 0. ``value`` is the other value that a
    contradicting source gives in place of the fact's tail, as written there."""

    source: str
    stance: Stance
    start: int = 0
    end: int = 0
    quote: str = ""
    note: str = ""
    value: str | None = None


class Remark(Frozen):
    """What a person said of a fact, which decides its verdict; ``at`` is in UTC. ``verdict`` and
    ``reason`` are what the evidence alone gave."""

    says: Literal["right", "wrong"]
    at: datetime
    note: str = ""
    verdict: Verdict
    reason: str | None = None


class Fact(Frozen):
    """A triple with its places in the text and what was found of it.

    ``sentences`` are indexes into the report's sentences, ``spans`` the fact's own words in
    order. ``score`` comes from the fact's own evidence and alone makes ``verdict``; ``rank``
    mixes in the level of the whole message and only orders. ``probability`` is how likely it is
    wrong, where the method is calibrated. ``reason`` is never None where the verdict is
    ``not_checked``. ``feedback`` is a person's word that decides the verdict, None without one.
    """

    index: int
    triple: Triple
    sentences: tuple[int, ...]
    spans: tuple[Span, ...]
    parts: Parts = Parts()
    negated: bool = False
    score: float | None = Field(default=None, ge=0, le=1)
    rank: float | None = Field(default=None, ge=0, le=1)
    probability: float | None = Field(default=None, ge=0, le=1)
    verdict: Verdict = "not_checked"
    basis: tuple[Basis, ...] = ()
    reason: str | None = None
    feedback: Remark | None = None
    evidence: tuple[Evidence, ...] = ()

    def count(self, stance: Stance) -> int:
        """Return how many sources took this stance."""
        return sum(item.stance == stance for item in self.evidence)


class Sentence(Frozen):
    """A sentence of the message; ``facts`` are indexes into the report's facts."""

    index: int
    start: int
    end: int
    score: float | None = Field(default=None, ge=0, le=1)
    rank: float | None = Field(default=None, ge=0, le=1)
    probability: float | None = Field(default=None, ge=0, le=1)
    verdict: Verdict = "not_checked"
    reason: str | None = None
    facts: tuple[int, ...] = ()


class Question(Frozen):
    """What the message answers; ``origin`` says whether a person gave it or a model wrote it."""

    text: str
    origin: Literal["given", "written"] | None = None


class Models(Frozen):
    """The language models that took part, by role."""

    answer: str | None = None
    sample: str | None = None
    judge: str | None = None


class Threshold(Frozen):
    """From which score on a fact is doubted, and what that value was fitted on."""

    value: float = Field(ge=0, le=1)
    fitted_on: str | None = None


class Problem(Frozen):
    """Something that lowered the evidence without ending the check."""

    what: str
    why: str


class Usage(Frozen):
    """What the check took. ``cost_usd`` is None where a price is unknown."""

    calls: int = 0
    cached_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = None
    seconds: float = 0.0


class Edit(Frozen):
    """One change of a correction. ``start`` and ``end`` point into the text before it;
    ``facts`` are the indexes of the facts that caused it. ``reason`` says why a sentence was
    refused, or why doubted words were kept; None for every other action. An edit that keeps words
    has the same ``before`` and ``after``."""

    sentence: int
    start: int
    end: int
    before: str
    after: str
    facts: tuple[int, ...]
    action: Action
    reason: str | None = None


class Correction(Frozen):
    """The corrected text, its edits in order, and the report of checking it again."""

    text: str
    edits: tuple[Edit, ...]
    report: Report | None = None


class Report(Frozen):
    """Everything that is known of one message. See ``docs/report.md`` for the contract."""

    schema_: Literal[1] = Field(default=1, alias="schema")
    text: str
    question: Question | None = None
    method: str
    models: Models = Models()
    engine: str
    prompts: dict[str, str] = Field(default_factory=dict)
    score: float | None = Field(default=None, ge=0, le=1)
    threshold: Threshold
    calibration: Calibration | None = None
    sources: tuple[Source, ...] = ()
    sentences: tuple[Sentence, ...] = ()
    facts: tuple[Fact, ...] = ()
    label: str | None = None
    details: dict[str, Any] = Field(default_factory=dict)
    correction: Correction | None = None
    problems: tuple[Problem, ...] = ()
    usage: Annotated[Usage, BeforeValidator(lambda given: Usage() if given is None else given)] = (
        Usage()
    )
    """Null in the lines of a batch, which do not depend on time; read as a usage of nothing."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", validate_by_name=True, validate_by_alias=True
    )

    def source(self, id: str) -> Source:
        """The source of that id. Raises KeyError if there is none."""
        for source in self.sources:
            if source.id == id:
                return source
        raise KeyError(id)

    def doubted(self) -> tuple[Fact, ...]:
        """The facts in doubt, in the order of the text."""
        return tuple(fact for fact in self.facts if fact.verdict in DOUBTED)

    def unchecked(self) -> tuple[Fact, ...]:
        """The facts that could not be checked, in the order of the text."""
        return tuple(fact for fact in self.facts if fact.verdict == "not_checked")

    @property
    def factless(self) -> bool:
        """Return whether facts were looked for, and none was found."""
        return "extraction" in self.details and not self.facts

    def to_json(self, indent: int | None = 2) -> str:
        """The report as the JSON of the contract."""
        return self.model_dump_json(by_alias=True, indent=indent)

    def _repr_html_(self) -> str:
        # By name: a report stands below everything that draws it.
        shown: str = import_module("halubot.render.html").fragment(self)
        return shown


Correction.model_rebuild()
