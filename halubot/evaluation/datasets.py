"""The data sets that can be measured: how a record of each becomes rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from halubot.evaluation.answers import ANSWERS, MEDICINE
from halubot.evaluation.everyday import EVERYDAY
from halubot.evaluation.pairs import MADE, PAIRS
from halubot.evaluation.rows import OWN, RIGHT_OR_NOT, Dataset, Record, Row, read_rows
from halubot.evaluation.summaries import SUMMARIES
from halubot.report import Span, Triple

__all__ = ["DATASETS", "WRONG", "Dataset", "Row", "read_rows"]

WRONG: Final[Mapping[str, float]] = {
    "accurate": 0.0,
    "minor_inaccurate": 0.5,
    "major_inaccurate": 1.0,
}
"""How wrong a WikiBio sentence is, by its label, as SelfCheckGPT counts it."""


def _wikibio(record: Record) -> tuple[Row, ...]:
    sentences = record.texts("sentences")
    labels = record.texts("labels")
    if len(labels) != len(sentences) or not all(label in WRONG for label in labels):
        raise record.wrong("labels", f"for each sentence one of {', '.join(WRONG)}")
    row = Row(
        id=record.label("id"),
        text=record.text("passage"),
        gold=tuple(WRONG[label] for label in labels),
        sentences=sentences,
        samples=record.texts("samples"),
        references=(record.text("reference"),),
        subject=record.text("concept"),
        truth=record.text("reference"),
    )
    return (row,)


def _halueval_qa(record: Record) -> tuple[Row, ...]:
    row = Row(
        id=record.label("id"),
        text=record.text("answer"),
        gold=(record.one_of("label", RIGHT_OR_NOT),),
        group=record.label("pair"),
        references=(record.text("knowledge"),),
        question=record.text("question"),
    )
    return (row,)


def _halueval_sum(record: Record) -> tuple[Row, ...]:
    row = Row(
        id=record.label("id"),
        text=record.text("summary"),
        gold=(record.one_of("label", RIGHT_OR_NOT),),
        group=record.label("pair"),
        references=(record.text("document"),),
    )
    return (row,)


def _faithbench(record: Record) -> tuple[Row, ...]:
    labels = {"Consistent": 0.0, "Benign": 0.25, "Questionable": 0.5, "Unwanted": 1.0}
    worst = record.one_of("label", labels)
    spans: list[Span] = []
    for note in record.objects("annotations"):
        span, kinds = record.span("annotations", note), note.get("labels")
        if not isinstance(kinds, list):
            raise record.wrong("annotations", "a list of objects with labels, start and end")
        if "Unwanted" in kinds:
            spans.append(span)
    context = record.text("context")
    row = Row(
        id=record.label("id"),
        text=record.text("answer"),
        gold=(worst,) if worst in (0.0, 1.0) else (),
        group=context,
        references=(context,),
        wrong_spans=tuple(spans),
    )
    return (row,)


def _phd(record: Record) -> tuple[Row, ...]:
    row = Row(
        id=record.label("id"),
        text=record.text("passage"),
        gold=(record.one_of("label", {"factual": 0.0, "non-factual": 1.0}),),
        samples=record.texts("samples"),
        subject=record.text("entity"),
    )
    return (row,)


def _refchecker(record: Record) -> tuple[Row, ...]:
    triples: list[Triple] = []
    for claim in record.objects("claims"):
        parts = claim.get("triplet")
        if not isinstance(parts, list) or len(parts) != 3:
            raise record.wrong("claims", "a list of objects with a triplet of three texts")
        triples.append(Triple(*(str(part) for part in parts)))
    row = Row(
        id=record.label("id"),
        text=record.text("answer"),
        group=record.label("item"),
        triples=tuple(triples),
    )
    return (row,)


DATASETS: Final[Mapping[str, Dataset]] = {
    dataset.name: dataset
    for dataset in (
        Dataset(
            "wikibio",
            _wikibio,
            ("samples", "references"),
            fitting="passages",
            correction="judged",
        ),
        Dataset("halueval_qa", _halueval_qa, ("references",), fitting="validation"),
        Dataset("halueval_sum", _halueval_sum, ("references",), fitting="validation"),
        Dataset("faithbench", _faithbench, ("references",)),
        Dataset("phd", _phd, ("samples",), fitting="folds"),
        Dataset("refchecker", _refchecker, extraction=True, baselines=False),
        *ANSWERS,
        EVERYDAY,
        *SUMMARIES,
        PAIRS,
        MADE,
        *MEDICINE,
        OWN,
    )
}
