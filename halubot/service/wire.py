"""The bodies of requests, as pydantic models: they check what comes in and make the OpenAPI page.

Sources are texts. The service never opens a file or an address that a request names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, StringConstraints

from halubot.correction.corrector import Hints, OnDoubt
from halubot.evidence import text_source
from halubot.inputs import Material, Options, join_options
from halubot.render.inert import crop, one_line
from halubot.report import Frozen, Source

if TYPE_CHECKING:
    from halubot.models.model import LanguageModel

SOURCES_AT_MOST = 100
"""Samples, and references, of one request."""

Filled = Annotated[str, StringConstraints(pattern=r"\S")]
"""A text that is not blank."""


class GivenText(Frozen):
    """A sample or a reference with the title and the place that evidence shows."""

    text: Filled
    title: str = ""
    location: str = ""


# The first wrong one is enough: to describe half a million of them held all others up for seconds.
Texts = Annotated[tuple[Filled | GivenText, ...], Field(max_length=SOURCES_AT_MOST, fail_fast=True)]


class CheckRequest(Frozen):
    """A text to check, what it answers, and what to compare it with beside what the service has."""

    text: Filled = Field(description="The text to check.")
    question: str | None = Field(None, description="What the text answers.")
    context: str | None = Field(None, description="The messages before it.")
    subject: str | None = Field(None, description="What it is about, for pronouns.")
    samples: Texts = Field((), description="Other answers to the same question.")
    references: Texts = Field((), description="Texts to be taken at their word.")
    sentences: Annotated[tuple[str, ...], Field(fail_fast=True)] | None = Field(
        None, description="The sentences of the text, in order; found by rules if left out."
    )
    threshold: float | None = Field(
        None, ge=0, le=1, description="The score from which a fact is doubted."
    )

    def options(self, common: Options) -> Options:
        """The options of the check: those that all checks have, and the request's own."""
        # What a request leaves out stays as the service was started with.
        names = ("question", "context", "subject", "threshold", "sentences")
        return join_options(
            common,
            {name: getattr(self, name) for name in names},
            _sources(self.samples, "sample"),
            _sources(self.references, "reference"),
        )


class CorrectRequest(CheckRequest):
    """A text to check, to correct, and to check again."""

    on_doubt: OnDoubt = Field(
        "mark", description="What becomes of doubted words for which the sources give no others."
    )
    hints: Hints = Field("facts", description="What a model that corrects is told.")


class Problem(Frozen):
    """An error: a code for programs, a message for people."""

    code: str
    message: str


class ErrorAnswer(Frozen):
    """The body of every answer that is an error."""

    error: Problem


class Compared(Frozen):
    """The names of what a service compares every text with; requests add their own texts.

    ``references`` are files, folders and titles, and ``samples`` their number. All are empty, 0 and
    None if the service has nothing of its own.
    """

    references: tuple[str, ...]
    samples: int
    knowledge: tuple[str, ...]
    model: str | None


def describe_common(common: Options) -> Compared:
    """Return the names of what all checks with these options share. Of a path only the last part is
    told, since who asks may be on another machine."""
    return Compared(
        references=tuple(_name_material(one) for one in common.get("references", ())),
        samples=len(list(common.get("samples", ()))),
        knowledge=tuple(
            one if isinstance(one, str) else one.name for one in common.get("knowledge", ())
        ),
        model=_name_model(common.get("model")),
    )


def _name_material(one: Material) -> str:
    if isinstance(one, Source):
        return crop(one_line(one.title or one.location or one.id), 100)
    if isinstance(one, str):
        return "a text"
    return crop(one_line(one.name), 100) + ("/" if one.is_dir() else "")


def _name_model(model: str | LanguageModel | None) -> str | None:
    return model if model is None or isinstance(model, str) else model.name


def _sources(
    given: Sequence[str | GivenText], kind: Literal["sample", "reference"]
) -> list[Source]:
    """The texts as sources, numbered from 1."""
    made = []
    for number, item in enumerate(given, start=1):
        one = GivenText(text=item) if isinstance(item, str) else item
        made.append(text_source(one.text, kind, number, title=one.title, location=one.location))
    return made


def describe_problem(problems: Sequence[Any]) -> str:
    """The first of pydantic's errors about a body, as a sentence for people."""
    first = problems[0]
    # A request may make up names of any length.
    place = crop(one_line(".".join(str(part) for part in first["loc"])), 100)
    # The one pattern here is that of `Filled`, and a regular expression tells people nothing.
    why = "it is empty" if first["type"] == "string_pattern_mismatch" else str(first["msg"])
    return f"{place}: {why}" if place else why
