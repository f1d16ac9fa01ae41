"""The data sets that can be measured: how a record of each becomes rows.

`docs/benchmarks.md` says what each holds and where it comes from.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from benchmarks.rows import Dataset, Fields, PlantedError, Row, read_records
from halubot.errors import SettingError
from halubot.report import Span, Triple

WRONG: Final = {"right": 0.0, "hallucinated": 1.0}
ACCURACY: Final = {"accurate": 0.0, "minor_inaccurate": 0.5, "major_inaccurate": 1.0}
"""How wrong a sentence of WikiBio is, as SelfCheckGPT counts it."""


def _text(fields: Fields, name: str) -> str:
    value = fields[name]
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{name!r} is no text")
    return value


def _texts(fields: Fields, name: str) -> tuple[str, ...]:
    values = fields.get(name) or ()
    if isinstance(values, str) or not all(isinstance(one, str) and one.strip() for one in values):
        raise ValueError(f"{name!r} is no list of texts")
    return tuple(values)


def _span(fields: Fields) -> Span:
    return int(fields["start"]), int(fields["end"])


def _judged(
    fields: Fields, labels: str, wrong: Mapping[Any, float]
) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """Return the ``sentences``, and how wrong each is by the field ``labels``."""
    sentences, said = _texts(fields, "sentences"), fields[labels]
    if len(sentences) != len(said):
        raise ValueError(f"there is not one of {labels!r} for each of 'sentences'")
    return sentences, tuple(wrong[label] for label in said)


def _own(fields: Fields) -> Sequence[Row]:
    """A text with one ``label``, or with ``sentences`` and as many ``labels``."""
    whole = "labels" not in fields
    sentences, gold = (
        (None, (WRONG[fields["label"]],)) if whole else _judged(fields, "labels", WRONG)
    )
    parts = (part for part in ("kind", "language", "domain") if fields.get(part))
    row = Row(
        id=str(fields.get("id") or fields["line"]),
        text=_text(fields, "text"),
        gold=gold,
        group=str(fields.get("group") or ""),
        sentences=sentences,
        samples=_texts(fields, "samples"),
        references=_texts(fields, "references"),
        question=fields.get("question"),
        subject=fields.get("subject"),
        parts=tuple(f"{part} {fields[part]}" for part in parts),
    )
    return (row,)


def _wikibio(fields: Fields) -> Sequence[Row]:
    sentences, gold = _judged(fields, "labels", ACCURACY)
    row = Row(
        id=str(fields["id"]),
        text=_text(fields, "passage"),
        gold=gold,
        sentences=sentences,
        samples=_texts(fields, "samples"),
        references=(_text(fields, "reference"),),
        subject=_text(fields, "concept"),
        truth=_text(fields, "reference"),
    )
    return (row,)


def _fava(fields: Fields) -> Sequence[Row]:
    """A passage of FavaMultiSamples: its sentences, and 1 for each that holds an error."""
    sentences, gold = _judged(fields, "sentences_binary_annotations", {0: 0.0, 1: 1.0})
    row = Row(
        id=str(fields.get("id") or fields["line"]),
        text=" ".join(sentences),
        gold=gold,
        sentences=sentences,
        samples=_texts(fields, "text_samples"),
        question=fields.get("prompt"),
    )
    return (row,)


def _ehrtest(fields: Fields) -> Sequence[Row]:
    """A question about a record, with the right and the wrong answer."""
    name = str(fields.get("id") or fields["line"])
    record = fields.get("context") or fields["knowledge"]
    text = record if isinstance(record, str) else json.dumps(record, ensure_ascii=False)
    return [
        Row(
            id=f"{name}-{label}",
            text=_text(fields, field),
            gold=(WRONG[label],),
            group=name,
            references=(text,),
            question=_text(fields, "question"),
        )
        for label, field in (("right", "right_answer"), ("hallucinated", "hallucinated_answer"))
    ]


def _message(
    text: str,
    *,
    wrong: Mapping[str, float] | None = WRONG,
    source: str = "",
    samples: str = "",
    group: str = "",
    question: str = "",
    subject: str = "",
    spans: str = "",
) -> Callable[[Fields], Sequence[Row]]:
    """Return a reader of records whose fields of these names hold a message. ``wrong`` is what its
    label means; with None all messages are right."""

    def rows(fields: Fields) -> Sequence[Row]:
        # 29 answers of TruthfulQA's file are blank.
        if not str(fields[text]).strip():
            return ()
        given = fields[source] if source else ()
        row = Row(
            id=str(fields["id"]),
            text=_text(fields, text),
            gold=(0.0 if wrong is None else wrong[fields["label"]],),
            group=str(fields[group]) if group else "",
            samples=_texts(fields, samples) if samples else (),
            references=(_text(fields, source),) if isinstance(given, str) else tuple(given),
            question=_text(fields, question) if question else None,
            subject=_text(fields, subject) if subject else None,
            wrong_spans=tuple(map(_span, fields[spans])) if spans else (),
        )
        return (row,)

    return rows


def _faithbench(fields: Fields) -> Sequence[Row]:
    # Benign is true though not in the source, and people disagree on Questionable: neither is a
    # verdict on the message. Its sentences are measured all the same.
    gold = {"Consistent": (0.0,), "Benign": (), "Questionable": (), "Unwanted": (1.0,)}
    row = Row(
        id=str(fields["id"]),
        text=_text(fields, "answer"),
        gold=gold[fields["label"]],
        group=_text(fields, "context"),
        references=(_text(fields, "context"),),
        wrong_spans=tuple(
            _span(note) for note in fields["annotations"] if "Unwanted" in note["labels"]
        ),
    )
    return (row,)


def _refchecker(fields: Fields) -> Sequence[Row]:
    row = Row(
        id=str(fields["id"]),
        text=_text(fields, "answer"),
        group=str(fields["item"]),
        triples=tuple(Triple(*map(str, claim["triplet"])) for claim in fields["claims"]),
    )
    return (row,)


def _factbench(fields: Fields) -> Sequence[Row]:
    labels = {True: 0.0, False: 1.0, "unknown": None}
    return _claims(fields, fields["claims"], labels, group=_text(fields, "question"))


def _factscore(fields: Fields) -> Sequence[Row]:
    facts = [fact for one in fields["sentences"] for fact in one.get("facts") or ()]
    topic = _text(fields, "topic")
    labels = {"S": 0.0, "NS": 1.0, "IR": None}
    return [replace(row, subject=topic) for row in _claims(fields, facts, labels, group=topic)]


def _claims(
    fields: Fields, claims: Iterable[Any], labels: Mapping[Any, float | None], *, group: str
) -> Sequence[Row]:
    """Return the claims of an answer as one message, a line each, without those whose label takes
    no side."""
    kept = [(" ".join(_text(claim, "text").split()), labels[claim["label"]]) for claim in claims]
    sided = [(text, wrong) for text, wrong in kept if wrong is not None]
    if not sided:
        return ()
    row = Row(
        id=str(fields["id"]),
        text="\n".join(text for text, _ in sided),
        gold=tuple(wrong for _, wrong in sided),
        group=group,
        sentences=tuple(text for text, _ in sided),
        question=_text(fields, "question").removeprefix("Question: "),
    )
    return (row,)


def _truthfulqa(fields: Fields) -> Sequence[Row]:
    """The best answer and the best wrong one, each against the other correct answers."""
    name, best = str(fields["id"]), _text(fields, "best_answer")
    others = _other(_texts(fields, "correct"), best)
    if not others:
        return ()
    question = _text(fields, "question")
    right = Row(f"{name}-right", best, (0.0,), name, references=others, question=question)
    if fields.get("best_incorrect") is None:
        return (right,)
    wrong = replace(right, id=f"{name}-wrong", text=_text(fields, "best_incorrect"), gold=(1.0,))
    return right, wrong


def with_correct(rows: Sequence[Row], path: Path) -> tuple[Row, ...]:
    """Return the rows with the correct answers to their questions, from a file of TruthfulQA, as
    references; an answer is not compared with itself. Raises SettingError if there are none."""
    correct = {
        _plain(_text(fields, "question")): _texts(fields, "correct")
        for _, fields in read_records(path)
    }
    joined = tuple(
        replace(row, references=_other(correct.get(_plain(row.question or ""), ()), row.text))
        for row in rows
    )
    if not any(row.references for row in joined):
        raise SettingError(f"{path} answers none of the questions: give the file of truthfulqa")
    return joined


def _other(correct: Iterable[str], answer: str) -> tuple[str, ...]:
    return tuple(text for text in correct if _plain(text) != _plain(answer))


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .!?")


def _everyday(fields: Fields) -> Sequence[Row]:
    text = _text(fields, "text")
    errors = []
    for one in fields["errors"]:
        error = PlantedError(_span(one), one["wrong"], one["right"], one["kind"])
        if text[slice(*error.span)] != error.wrong:
            raise ValueError(f"{error.wrong!r} does not stand at {error.span}")
        errors.append(error)
    row = Row(
        id=str(fields["id"]),
        text=text,
        group=str(fields["group"]),
        samples=_texts(fields, "samples"),
        references=_texts(fields, "references"),
        wrong_spans=tuple(error.span for error in errors),
        errors=tuple(errors),
        parts=(f"style {fields['style']}",),
    )
    return (row,)


_HALUEVAL_QA: Final = _message("answer", source="knowledge", group="pair", question="question")
_HALUEVAL_SUM: Final = _message("summary", source="document", group="pair")
_PHD: Final = _message(
    "passage",
    wrong={"factual": 0.0, "non-factual": 1.0},
    samples="samples",
    subject="entity",
)
_JUDGED: Final = _message("answer", group="question", question="question")
# The answers of experts, compared with themselves or with the abstract.
_MEDQUAD: Final = _message("answer", wrong=None, source="answer", question="question")
_PUBMEDQA: Final = _message("answer", wrong=None, source="context", question="question")

BOTH: Final = ("samples", "references")
ONLY: Final = ("references",)

DATASETS: Final[Mapping[str, Dataset]] = {
    one.name: one
    for one in (
        Dataset("wikibio", _wikibio, BOTH, "wikibio"),
        Dataset("halueval_qa", _HALUEVAL_QA, ONLY, "halueval", "default"),
        Dataset("halueval_sum", _HALUEVAL_SUM, ONLY, "halueval", "default"),
        Dataset("halueval_general", _message("answer", question="question")),
        Dataset("faithbench", _faithbench, ONLY, "faithbench", ""),
        Dataset("phd", _PHD, ("samples",)),
        Dataset("fava", _fava, ("samples",)),
        Dataset("ehrtest", _ehrtest, ONLY),
        Dataset("refchecker", _refchecker, kind="extraction", decided=""),
        Dataset("truthfulqa", _truthfulqa, ONLY),
        Dataset("truthfulqa_judged", _JUDGED, ONLY),
        Dataset("factbench", _factbench),
        Dataset("factscore", _factscore, kind="factscore"),
        Dataset("ragtruth", _message("answer", group="source_id", spans="spans"), kind="spans"),
        Dataset("everyday", _everyday, BOTH, "marks", ""),
        Dataset("qags", _own, ONLY, "summaries", "halves"),
        Dataset("summedits", _own, ONLY, "summaries", "halves"),
        Dataset("pairs", _own, ONLY, "verdicts", ""),
        Dataset("medquad", _MEDQUAD, ONLY, "verdicts", ""),
        Dataset("pubmedqa", _PUBMEDQA, ONLY, "verdicts", ""),
        Dataset("own", _own, BOTH, together=True),
    )
}
