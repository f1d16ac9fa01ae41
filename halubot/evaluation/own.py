"""Anybody's own rows: the form that benchmarks and calibration read, and data makers and the
export of feedback write.

One JSON object a line: ``text``, and if wanted ``id`` (else the number of the line), ``group``,
``question``, ``subject``, ``maker``, ``samples`` and ``references`` (lists of texts), and exactly
one of

- ``label``, "right" or "hallucinated", for the whole text;
- ``sentences`` and ``labels``, as many of the same words;
- ``facts``, objects of ``triple`` (three texts), ``spans`` (pairs of offsets into the text) and
  ``label``, "right" or "wrong".

Other fields are left alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from halubot.evaluation.rows import RIGHT_OR_NOT, Dataset, LabelledFact, Record, Row
from halubot.report import Span, Triple

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
    """The labels of the text or of its sentences; none where facts are labelled."""
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
    """Whether a value is a list of two offsets into the text, the second beyond the first."""
    return (
        isinstance(span, list)
        and [type(end) for end in span] == [int, int]
        and 0 <= span[0] < span[1] <= len(text)
    )


OWN: Final = Dataset("own", rows, ("samples", "references"), fitting="folds", together=True)
