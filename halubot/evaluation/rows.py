"""Rows of data sets: their fields, the files they are read from, and the form of a person's own."""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from halubot.errors import BrokenLineError, InputError, UnreadableError, explain
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
    and what kind of mistake it is, "" if that is not known."""

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
    it is empty if the label takes no side, and if single facts are ``labelled`` instead.
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
        """A string that is not blank, or None if the field is missing or null."""
        return None if self._fields.get(name) is None else self.text(name)

    def label(self, name: str) -> str:
        """Return the name of a row or of a group: a text, or a whole number as text."""
        value = self._fields.get(name)
        # True is an int in Python, and no name of a row.
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
        """A list of strings, none of them blank; empty if the field is missing or null."""
        given = self._fields.get(name)
        return () if given is None or given == [] else self.texts(name)

    def one_of(self, name: str, values: Mapping[str, float]) -> float:
        """Return the number that ``values`` has for the text of a field."""
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
        """Return True if the field holds a text of nothing but white space."""
        value = self._fields.get(name)
        return isinstance(value, str) and not value.strip()

    def has(self, name: str) -> bool:
        """Return True if the field is there and not null."""
        return self._fields.get(name) is not None

    def wrong(self, name: str, wanted: str) -> BrokenLineError:
        """The error to raise if a field is missing or not what was wanted."""
        return BrokenLineError(
            self._path, self.line, f"{self._dataset} needs a field {name!r}, {wanted}"
        )


LABELS: Final = ("label", "labels", "facts")
"""What people said of a text, of its sentences, or of its facts: a row has exactly one."""


def rows(record: Record) -> tuple[Row, ...]:
    """The row of one line. Raises BrokenLineError, which names the field that is wrong."""
    text = record.text("text")
    sentences = record.texts("sentences") if record.has("labels") else None
    row = Row(
        id=record.label("id") if record.has("id") else str(record.line),
        text=text,
        gold=_gold(record, sentences),
        group=record.label("group") if record.has("group") else "",
        sentences=sentences,
        samples=record.maybe_texts("samples"),
        references=record.maybe_texts("references"),
        question=record.maybe_text("question"),
        subject=record.maybe_text("subject"),
        maker=record.maybe_text("maker") or "",
        labelled=_facts(record, text),
    )
    return (row,)


def _gold(record: Record, sentences: tuple[str, ...] | None) -> tuple[float, ...]:
    """The labels of the text or of its sentences; none if facts are labelled."""
    # With two kinds of labels it would be unclear which of them a figure is of.
    if sum(record.has(name) for name in LABELS) != 1:
        raise record.wrong(
            "label", "or 'sentences' with 'labels', or 'facts', and one of them only"
        )
    if record.has("label"):
        return (record.one_of("label", RIGHT_OR_NOT),)
    if sentences is None:
        return ()
    labels = record.texts("labels")
    if len(labels) != len(sentences) or not all(label in RIGHT_OR_NOT for label in labels):
        raise record.wrong("labels", f"for each sentence one of {', '.join(RIGHT_OR_NOT)}")
    return tuple(RIGHT_OR_NOT[label] for label in labels)


def _facts(record: Record, text: str) -> tuple[LabelledFact, ...]:
    if not record.has("facts"):
        return ()
    facts = tuple(_fact(record, fields, text) for fields in record.objects("facts"))
    if not facts:
        raise record.wrong("facts", "a list of at least one fact")
    return facts


def _fact(record: Record, fields: Mapping[str, Any], text: str) -> LabelledFact:
    triple, spans, label = (fields.get(name) for name in ("triple", "spans", "label"))
    if not isinstance(triple, list) or [type(part) for part in triple] != [str] * 3:
        raise record.wrong("facts", "each with a 'triple' of three texts")
    if not isinstance(spans, list) or not all(is_span(span, text) for span in spans):
        raise record.wrong("facts", "each with 'spans', pairs of offsets into the text")
    if label not in ("right", "wrong"):
        raise record.wrong("facts", "each with a 'label', right or wrong")
    places: tuple[Span, ...] = tuple((start, end) for start, end in spans)
    return LabelledFact(Triple(*triple), places, wrong=label == "wrong")


def is_span(span: Any, text: str) -> bool:
    """Return True if a value is a list of two offsets into the text, the second beyond the
    first."""
    return (
        isinstance(span, list)
        and [type(end) for end in span] == [int, int]
        and 0 <= span[0] < span[1] <= len(text)
    )


OWN: Final = Dataset("own", rows, ("samples", "references"), fitting="folds", together=True)


class Reading(NamedTuple):
    """The rows of a file, and how many of its records hold nothing that can be measured."""

    rows: tuple[Row, ...]
    left_out: int


def read_file(dataset: Dataset, path: Path, *, limit: int | None = None) -> Reading:
    """The rows of a file, at most ``limit`` of them, in order.

    Raises UnreadableError for a file that cannot be read, BrokenLineError for a line that is not
    a record of this data set, InputError if there is no row at all.
    """
    rows: list[Row] = []
    left_out = 0
    # Closed here: with a limit the loop ends early, and the file would stay open until the
    # generator is collected.
    with closing(records(path)) as lines:
        for line, fields in lines:
            found = dataset.rows(Record(fields, dataset.name, path, line))
            left_out += not found
            rows.extend(found)
            if limit is not None and len(rows) >= limit:
                break
    if not rows:
        raise InputError(f"{path} holds no rows: give a file of {dataset.name} as JSON lines")
    return Reading(tuple(rows[:limit]), left_out)


def read_rows(dataset: Dataset, path: Path, *, limit: int | None = None) -> tuple[Row, ...]:
    """The rows of `read_file` alone. Raises as that does."""
    return read_file(dataset, path, limit=limit).rows


def sha256(path: Path) -> str:
    """The SHA-256 of the file as it lies on the disk, in hexadecimal. Raises UnreadableError."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise UnreadableError(path, explain(error)) from error


def records(path: Path) -> Generator[tuple[int, dict[str, Any]], None, None]:
    """The objects of a JSON-lines file with their line numbers; blank lines are skipped."""
    try:
        with path.open("rb") as raw:
            # By its first bytes (RFC 1952, section 2.3.1) and not by its name: downloads lose their
            # endings.
            zipped = raw.read(2) == b"\x1f\x8b"
        with gzip.open(path) if zipped else path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, _parse(path, number, line)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise UnreadableError(path, f"its compression is broken ({error})") from error
    except OSError as error:
        raise UnreadableError(path, explain(error)) from error


def _parse(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except UnicodeDecodeError:
        raise BrokenLineError(path, number, "not UTF-8") from None
    except (ValueError, RecursionError) as error:
        why = error.msg if isinstance(error, json.JSONDecodeError) else "too deep or too large"
        raise BrokenLineError(path, number, f"not JSON ({why})") from None
    if not isinstance(value, dict):
        raise BrokenLineError(path, number, f"a {type(value).__name__}, not an object")
    return value
