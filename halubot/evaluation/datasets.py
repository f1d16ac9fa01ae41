"""The data sets that can be measured: how a record of each becomes rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, Final

from halubot.errors import SettingError
from halubot.evaluation.everyday import EVERYDAY
from halubot.evaluation.pairs import MADE, PAIRS
from halubot.evaluation.rows import OWN, RIGHT_OR_NOT, Dataset, Record, Row, read_rows, records
from halubot.evaluation.summaries import SUMMARIES
from halubot.evaluation.synthesis.text_changes import change_text
from halubot.report import Span, Triple

__all__ = ["DATASETS", "WRONG", "Dataset", "Row", "read_rows"]


def _truthfulqa(record: Record) -> tuple[Row, ...]:
    """The best answer and the best wrong one, each against the correct answers but for the best
    itself; nothing of a question that has no other correct answer."""
    name, question, best = record.label("id"), record.text("question"), record.text("best_answer")
    others = _other(record.texts("correct"), best)
    wrong = record.maybe_text("best_incorrect")
    if not others:
        return ()
    right = Row(f"{name}-right", best, (0.0,), name, references=others, question=question)
    if wrong is None:
        return (right,)
    return right, replace(right, id=f"{name}-wrong", text=wrong, gold=(1.0,))


def _truthfulqa_judged(record: Record) -> tuple[Row, ...]:
    label = record.one_of("label", RIGHT_OR_NOT)
    question = record.text("question")
    if record.blank("answer"):
        return ()
    row = Row(record.label("id"), record.text("answer"), (label,), question, question=question)
    return (row,)


def with_correct(rows: Sequence[Row], path: Path) -> tuple[Row, ...]:
    """The rows with the correct answers to their questions, from a file of TruthfulQA, as
    references; an answer is not compared with itself.

    Raises UnreadableError and BrokenLineError for the file, SettingError if it answers none of
    the questions.
    """
    # Joined by the words of the question: the two files have no numbers in common.
    correct: dict[str, tuple[str, ...]] = {}
    with closing(records(path)) as lines:
        for line, fields in lines:
            record = Record(fields, "truthfulqa", path, line)
            correct[_plain(record.text("question"))] = record.texts("correct")
    joined = tuple(
        replace(row, references=_other(correct.get(_plain(row.question or ""), ()), row.text))
        for row in rows
    )
    if not any(row.references for row in joined):
        raise SettingError(f"{path} answers none of the questions: give the file of truthfulqa")
    return joined


def _halueval_general(record: Record) -> tuple[Row, ...]:
    row = Row(
        id=record.label("id"),
        text=record.text("answer"),
        gold=(record.one_of("label", RIGHT_OR_NOT),),
        question=record.text("question"),
    )
    return (row,)


def _ragtruth(record: Record) -> tuple[Row, ...]:
    row = Row(
        id=record.label("id"),
        text=record.text("answer"),
        gold=(record.one_of("label", RIGHT_OR_NOT),),
        group=record.label("source_id"),
        wrong_spans=tuple(record.span("spans", span) for span in record.objects("spans")),
    )
    return (row,)


def _factbench(record: Record) -> tuple[Row, ...]:
    claims = record.objects("claims")
    labels = {True: 0.0, False: 1.0, "unknown": None}
    return _claims(record, "claims", claims, labels, group=record.text("question"))


def _factscore(record: Record) -> tuple[Row, ...]:
    topic = record.text("topic")
    facts = [fact for one in record.objects("sentences") for fact in one.get("facts") or ()]
    labels = {"S": 0.0, "NS": 1.0, "IR": None}
    return _claims(record, "sentences", facts, labels, group=topic, subject=topic)


def _claims(
    record: Record,
    field: str,
    claims: Iterable[Any],
    labels: Mapping[Any, float | None],
    *,
    group: str,
    subject: str | None = None,
) -> tuple[Row, ...]:
    """The claims of an answer as a message, a line each; those whose label takes no side are left
    out, and so is an answer without others."""
    sentences: list[str] = []
    gold: list[float] = []
    for claim in claims:
        text, label = (claim.get("text"), claim.get("label")) if isinstance(claim, dict) else (0, 0)
        if not isinstance(text, str) or not text.strip() or not _is_key(label, labels):
            known = ", ".join(str(name).lower() for name in labels)
            raise record.wrong(field, f"each claim with a 'text' and a 'label', one of {known}")
        # Left out before the rows are made: a claim without a side would count for neither class
        # and still be compared.
        wrong = labels[label]
        if wrong is not None:
            sentences.append(" ".join(text.split()))
            gold.append(wrong)
    if not sentences:
        return ()
    question = record.text("question").removeprefix("Question: ")
    row = Row(
        id=record.label("id"),
        text="\n".join(sentences),
        gold=tuple(gold),
        group=group,
        sentences=tuple(sentences),
        question=question,
        subject=subject,
    )
    return (row,)


def _is_key(label: Any, labels: Mapping[Any, float | None]) -> bool:
    """Return True if a label is one of these: 1 is not true here, and a list is none at all."""
    # Not by `in`: 1 == True in Python, and a list cannot be hashed.
    return any(type(label) is type(name) and label == name for name in labels)


def _other(correct: Iterable[str], answer: str) -> tuple[str, ...]:
    return tuple(text for text in correct if _plain(text) != _plain(answer))


def _plain(text: str) -> str:
    """A text without what two copies of one sentence may differ in."""
    return " ".join(text.casefold().split()).strip(" .!?")


ANSWERS: Final = (
    Dataset("truthfulqa", _truthfulqa, ("references",), "folds"),
    Dataset("truthfulqa_judged", _truthfulqa_judged, ("references",), "folds", also="truthfulqa"),
    Dataset("halueval_general", _halueval_general, fitting="folds"),
    Dataset("factbench", _factbench, fitting="folds"),
    Dataset("factscore", _factscore, fitting="folds"),
    Dataset("ragtruth", _ragtruth, fitting="folds"),
)


def _medquad(record: Record) -> tuple[Row, ...]:
    return _with_copy(record, (record.text("answer"),))


def _pubmedqa(record: Record) -> tuple[Row, ...]:
    return _with_copy(record, record.texts("context"))


def _with_copy(record: Record, references: tuple[str, ...]) -> tuple[Row, ...]:
    name = record.label("id")
    right = Row(
        id=f"{name}-right",
        text=record.text("answer"),
        gold=(0.0,),
        group=name,
        references=references,
        question=record.text("question"),
    )
    # Seeded by the record, so that everybody measures the same copies.
    made = change_text(right.text, Random(name))  # noqa: S311 - it makes texts, not secrets
    if made is None:
        return (right,)
    return right, replace(right, id=f"{name}-changed", text=made.text, gold=(1.0,))


MEDICINE: Final = (
    Dataset("medquad", _medquad, ("references",), fitting="folds"),
    Dataset("pubmedqa", _pubmedqa, ("references",), fitting="folds"),
)


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
        # Benign and questionable spans are not counted as errors.
        if "Unwanted" in kinds:
            spans.append(span)
    context = record.text("context")
    row = Row(
        id=record.label("id"),
        text=record.text("answer"),
        # The labels between are no verdict: Benign is true though not in the source, Questionable
        # is what people disagree on. The sentences are measured all the same.
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
