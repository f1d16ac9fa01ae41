"""Medical questions with answers of experts, each beside a copy that a rule made wrong.

MedQuAD has no source beside its answers, so the answer itself is the reference; that of PubMedQA
is the abstract without its conclusion, which is the answer. The copy has one number, date, name or
negation changed, drawn by the id of the row; an answer in which nothing can be changed has none.

Source of the task: Díaz de Rábago, "Detección de alucinaciones en modelos del lenguaje grandes en
el ámbito médico" (2024), section 6; the copies of the thesis were written by a model.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Final

from halubot.evaluation.rows import Dataset, Record, Row
from halubot.evaluation.synthesis.text_changes import change_text


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
    made = change_text(right.text, Random(name))  # noqa: S311 - it makes texts, not secrets
    if made is None:
        return (right,)
    return right, replace(right, id=f"{name}-changed", text=made.text, gold=(1.0,))


MEDICINE: Final = (
    Dataset("medquad", _medquad, ("references",), fitting="folds"),
    Dataset("pubmedqa", _pubmedqa, ("references",), fitting="folds"),
)
