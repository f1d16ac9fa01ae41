"""What a benchmark measures: rows, their data sets, and the fields of one record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from halubot.errors import BrokenLineError
from halubot.methods.registry import Verdicts
from halubot.reliability import NOTHING, Tally
from halubot.report import Span, Triple

Material = Literal["samples", "references"]
Fitting = Literal["none", "validation", "folds", "halves", "verdicts", "passages"]

RIGHT_OR_NOT: Final[Mapping[str, float]] = {"right": 0.0, "hallucinated": 1.0}
"""How wrong a message or a sentence is, by its label."""


@dataclass(frozen=True, slots=True)
class LabelledFact:
    """A fact of a message that people labelled: its triple, where it stands, whether it is wrong,
    and what kind of mistake it is, "" where that is not known."""

    triple: Triple
    spans: tuple[Span, ...]
    wrong: bool
    kind: str = ""


@dataclass(frozen=True, slots=True)
class PlantedError:
    """An error that somebody wrote into a message: the span of the wrong words, the words
    themselves, what was right (blank if the detail was invented), and the kind of error."""

    span: Span
    wrong: str
    right: str
    kind: str


@dataclass(frozen=True, slots=True)
class Row:
    """One message with what it is compared with and what people said of it.

    ``gold`` runs from 0 (right) to 1 (wrong), one value a sentence or one for the whole message;
    it is empty where the label takes no side, and where single facts are ``labelled`` instead.
    ``errors`` are planted in the message; a message without them is right. ``strata`` names the
    parts of the data set that are also measured apart, such as ``{"domain": "news"}``. ``group``
    names rows that were not drawn independently of each other (a pair, summaries of one source):
    intervals draw them together, and folds never part them. ``verdicts`` are what a model said of
    each sentence by each sample (`Case.verdicts`), ``canaries`` what it answered to canaries
    (`Case.canaries`). ``maker`` is the kind of `halubot make-data` by which the row was made, ""
    for any other row. ``truth`` is a text to judge corrections by, which no method is shown.
    """

    id: str
    text: str
    gold: tuple[float, ...] = ()
    group: str = ""
    sentences: tuple[str, ...] | None = None
    samples: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    question: str | None = None
    subject: str | None = None
    wrong_spans: tuple[Span, ...] = ()
    triples: tuple[Triple, ...] = ()
    labelled: tuple[LabelledFact, ...] = ()
    errors: tuple[PlantedError, ...] = ()
    strata: Mapping[str, str] = field(default_factory=dict)
    verdicts: Verdicts | None = None
    canaries: Tally = NOTHING
    maker: str = ""
    truth: str | None = None


@dataclass(frozen=True, slots=True)
class Dataset:
    """A data set: how one record becomes rows, what its rows may be compared with (the usual
    first), and where the threshold of its metrics is found: nowhere, on a validation file, by
    cross-validation in five folds or in halves (unless there is a validation file), or nowhere
    because the verdicts of the report are measured, which `--threshold` moves; or, of passages
    whose sentences are labelled, in five folds that never see other data.

    ``together`` tells that all that a row holds is used unless one is named, ``also`` which data
    set's file holds the references, ``extraction`` that triples are measured and nothing is
    checked, ``correction`` how corrections can be measured, by the errors that were planted or by a
    judge, ``baselines`` that plain baselines are measured beside the method.
    """

    name: str
    rows: Callable[[Record], tuple[Row, ...]]
    gives: tuple[Material, ...] = ()
    fitting: Fitting = "none"
    together: bool = False
    also: str | None = None
    extraction: bool = False
    correction: Literal["", "planted", "judged"] = ""
    baselines: bool = True


class Record:
    """The fields of one line, read by type. A wrong one raises BrokenLineError, which names the
    data set and the field."""

    def __init__(self, fields: Mapping[str, Any], dataset: str, path: Path, line: int) -> None:
        self.line = line
        self._fields = fields
        self._dataset = dataset
        self._path = path

    def text(self, name: str) -> str:
        """A string that is not blank."""
        value = self._fields.get(name)
        if not isinstance(value, str) or not value.strip():
            raise self.wrong(name, "a text")
        return value

    def maybe_text(self, name: str) -> str | None:
        """A string that is not blank, or None where the field is missing or null."""
        return None if self._fields.get(name) is None else self.text(name)

    def label(self, name: str) -> str:
        """What names a row or a group of rows: a text, or a whole number written as one."""
        value = self._fields.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        return self.text(name)

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of strings, none of them blank, at least one."""
        value = self._fields.get(name)
        if not isinstance(value, list) or not value:
            raise self.wrong(name, "a list of texts")
        if not all(isinstance(item, str) and item.strip() for item in value):
            raise self.wrong(name, "a list of texts")
        return tuple(value)

    def maybe_texts(self, name: str) -> tuple[str, ...]:
        """A list of strings, none of them blank; empty where the field is missing or null."""
        given = self._fields.get(name)
        return () if given is None or given == [] else self.texts(name)

    def one_of(self, name: str, values: Mapping[str, float]) -> float:
        """What ``values`` says of a label."""
        value = self._fields.get(name)
        if not isinstance(value, str) or value not in values:
            raise self.wrong(name, "one of " + ", ".join(values))
        return values[value]

    def objects(self, name: str) -> tuple[Mapping[str, Any], ...]:
        """A list of objects, maybe empty."""
        value = self._fields.get(name)
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self.wrong(name, "a list of objects")
        return tuple(value)

    def lists(self, name: str) -> list[Any]:
        """A list of anything, maybe empty."""
        value = self._fields.get(name)
        if not isinstance(value, list):
            raise self.wrong(name, "a list")
        return value

    def span(self, name: str, fields: Mapping[str, Any]) -> Span:
        """The two offsets of an object of a list: whole numbers in order."""
        start, end = fields.get("start"), fields.get("end")
        if not isinstance(start, int) or not isinstance(end, int) or not 0 <= start <= end:
            raise self.wrong(name, "a list of objects with start and end")
        return start, end

    def blank(self, name: str) -> bool:
        """Whether the field holds a text of nothing but white space."""
        value = self._fields.get(name)
        return isinstance(value, str) and not value.strip()

    def has(self, name: str) -> bool:
        """Whether the field is there and not null."""
        return self._fields.get(name) is not None

    def wrong(self, name: str, wanted: str) -> BrokenLineError:
        """The error to raise where a field is missing or not what was wanted."""
        return BrokenLineError(
            self._path, self.line, f"{self._dataset} needs a field {name!r}, {wanted}"
        )
