"""The words of a report: triples, facts, sources, evidence, verdicts, corrections.

All models are frozen. Offsets are Unicode code points into the text they belong to, and
``text[start:end]`` is the span, always. Scores run from 0 (consistent) to 1 (hallucinated).
"""

from __future__ import annotations

from datetime import datetime
from importlib import import_module
from typing import Annotated, Any, Literal, NamedTuple, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from halubot import verdicts

Span = tuple[int, int]
Verdict = verdicts.Verdict
Stance = Literal["supports", "contradicts", "silent"]
Basis = Literal["samples", "references", "model", "person"]
SourceKind = Literal["sample", "reference", "knowledge"]
ErrorKind = Literal["number", "date", "unit", "name", "place", "invented detail"]
KnownKind = Annotated[
    ErrorKind | None, BeforeValidator(lambda kind: kind if kind in get_args(ErrorKind) else None)
]
"""A kind, or None; a report from before may name one that is no longer told."""
Action = Literal["changed", "removed", "hedged", "kept", "refused"]

DOUBTED = verdicts.DOUBTED


class Frozen(BaseModel):
    """A value that never changes and knows all its fields."""

    # A misspelt field is an error and not a value that is quietly lost.
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
    """The places of the three parts of a triple in the text; None for a part that is implied
    (a pronoun resolved, a relation carried over from an earlier clause)."""

    head: Span | None = None
    relation: Span | None = None
    tail: Span | None = None


class Source(Frozen):
    """A text that facts are compared with.

    ``id`` is "s1", "s2", ... for samples, "r1", ... for references, "k1", ... for passages of
    knowledge. ``location`` is a file or an address. ``place`` is the place in a longer document, in
    words ("page 3"), "" if unknown. ``date`` is ISO 8601, None if unknown. ``text`` is None if it
    may not be kept. ``hash`` is the first 16 hexadecimal digits of the text's SHA-256.
    """

    id: str
    kind: SourceKind
    title: str = ""
    location: str = ""
    place: str = ""
    date: str | None = None
    text: str | None = None
    hash: str = ""


class Evidence(Frozen):
    """The stance of one source on one fact, with the words that show it.

    ``source`` is the id of the source. ``quote`` is ``source.text[start:end]``; a silent source
    has an empty quote and start = end = 0. ``value`` is the other value that a contradicting
    source gives in place of the fact's tail, as written there, else None.
    """

    source: str
    stance: Stance
    start: int = 0
    end: int = 0
    quote: str = ""
    note: str = ""
    value: str | None = None


class Passage(Frozen):
    """Words of a source: ``quote`` is ``source.text[start:end]``."""

    source: str
    start: int
    end: int
    quote: str


class Remark(Frozen):
    """A person's word on a fact, which decides its verdict. ``at`` is in UTC. ``verdict`` and
    ``reason`` are those of the evidence alone."""

    says: Literal["right", "wrong"]
    at: datetime
    note: str = ""
    verdict: Verdict
    reason: str | None = None


class Fact(Frozen):
    """One statement of the message: a triple with its places in the text, its verdict and the
    evidence for it.

    ``sentences`` are indexes into the report's sentences, ``spans`` the fact's own words in
    order. ``score`` (0 to 1, None if nothing was scored) comes from the fact's own evidence;
    ``rank`` also mixes in the level of the whole message and only orders. ``probability`` is the
    likelihood that the fact is wrong, None if the method does not know it. ``reason`` is never
    None if the verdict is ``not_checked``. ``kind`` is the kind of error of a doubted
    fact, None for any other. ``feedback`` is a person's word that decides the verdict, None without
    one. ``nearest`` is what a source has nearest to a fact that is not checked and of which none
    speaks: no evidence, but what a reader would look at.
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
    kind: KnownKind = None
    feedback: Remark | None = None
    evidence: tuple[Evidence, ...] = ()
    nearest: Passage | None = None

    def count(self, stance: Stance) -> int:
        """Return the number of sources with this stance."""
        return sum(item.stance == stance for item in self.evidence)


class Sentence(Frozen):
    """A sentence of the message, ``report.text[start:end]``; ``facts`` are indexes into the
    report's facts. The other fields are as in `Fact`."""

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
    """The question that the message answers; ``origin`` is "given" by a person or "written" by a
    model."""

    text: str
    origin: Literal["given", "written"] | None = None


class Models(Frozen):
    """The language models that took part, by role."""

    answer: str | None = None
    sample: str | None = None
    judge: str | None = None


class Threshold(Frozen):
    """The score from which a fact is doubted, and the data that it was fitted on; None if it was
    given by the user."""

    value: float = Field(ge=0, le=1)
    fitted_on: str | None = None


class Problem(Frozen):
    """Something that made the check weaker without ending it; ``what`` happened and ``why``."""

    what: str
    why: str


class Usage(Frozen):
    """The calls, tokens, US dollars and seconds of a check. ``cost_usd`` is None if a price is
    unknown or nothing was bought. ``stored_samples`` is the number of samples that came from the
    store or a record."""

    calls: int = 0
    cached_calls: int = 0
    stored_samples: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = None
    seconds: float = 0.0


class Edit(Frozen):
    """One change of a correction.

    ``start`` and ``end`` point into the text before the correction, and ``before`` is its
    ``text[start:end]``. ``facts`` are the indexes of the facts that caused the edit. ``reason``
    says why a sentence was refused, or why doubted words were kept; it is None for every other
    action. An edit that keeps words has the same ``before`` and ``after``.
    """

    sentence: int
    start: int
    end: int
    before: str
    after: str
    facts: tuple[int, ...]
    action: Action
    reason: str | None = None


class Correction(Frozen):
    """The corrected text, its edits in order, and the report of the corrected text; that report is
    None if nothing was changed or it was not checked again."""

    text: str
    edits: tuple[Edit, ...]
    report: Report | None = None


class Report(Frozen):
    """The result of a check: the message with its sentences, facts, sources and verdicts.

    ``docs/report.md`` describes every field.
    """

    schema_: Literal[1] = Field(default=1, alias="schema")
    text: str
    question: Question | None = None
    method: str
    models: Models = Models()
    engine: str
    prompts: dict[str, str] = Field(default_factory=dict)
    score: float | None = Field(default=None, ge=0, le=1)
    threshold: Threshold
    calibration: dict[str, Any] | None = None
    """Null; reports of earlier versions have what their probabilities were fitted on."""
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
        """Return the source with this id. Raises KeyError if there is none."""
        for source in self.sources:
            if source.id == id:
                return source
        raise KeyError(id)

    def doubted(self) -> tuple[Fact, ...]:
        """Return the facts that are doubtful or contradicted, in the order of the text."""
        return tuple(fact for fact in self.facts if fact.verdict in DOUBTED)

    def unchecked(self) -> tuple[Fact, ...]:
        """Return the facts that could not be checked, in the order of the text."""
        return tuple(fact for fact in self.facts if fact.verdict == "not_checked")

    @property
    def factless(self) -> bool:
        """True if the text was searched for facts and none was found."""
        return "extraction" in self.details and not self.facts

    def to_json(self, indent: int | None = 2) -> str:
        """Return the report as JSON; ``Report.model_validate_json`` reads it back. ``indent`` None
        writes it on one line."""
        return self.model_dump_json(by_alias=True, indent=indent)

    def _repr_html_(self) -> str:
        # By name: a report stands below everything that draws it.
        shown: str = import_module("halubot.render.html").fragment(self)
        return shown


# It names Report, which is defined after it.
Correction.model_rebuild()
