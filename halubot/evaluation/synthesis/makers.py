"""What each kind of maker makes of one record: rows that benchmarks and calibration read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Any, Final

from halubot.evaluation.synthesis.data_calls import (
    NotMadeError,
    mistakes,
    opposites,
    pairs,
    regenerate_answer,
)
from halubot.evaluation.synthesis.planted_edits import Change, Edited, apply_planted
from halubot.evaluation.synthesis.records import Record
from halubot.evaluation.synthesis.text_changes import change_text
from halubot.extract import extract
from halubot.llm_calls.extraction import extract_with_judge
from halubot.llm_calls.talk import Talk
from halubot.report import Fact
from halubot.text import read

Row = dict[str, Any]
"""One line of the output, its key left out."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of maker. ``make`` makes the rows of a record, and raises NotMadeError where it
    cannot; ``calls`` are the model's calls for one record."""

    name: str
    summary: str
    make: Callable[[Record, Talk], Awaitable[list[Row]]]
    calls: Callable[[Record], int]


def by_rules(record: Record, *, seed: int, most: int) -> list[Row]:
    """The text as it is, and a copy with up to ``most`` numbers, dates, names or negations
    changed. The same seed, record and number give the same rows."""
    text = _read_given(record)
    random = Random(f"{seed} {record.id} {text}")  # noqa: S311 - it makes texts, not secrets
    made = change_text(text, random, most=most)
    if made is None:
        raise NotMadeError("it holds no number, date, name or negation that could be changed")
    facts = extract(read(made.text), subject=record.subject or None)
    return [_row(record, "right", text), _change(record, made) | _triples(facts, made)]


async def _answers(record: Record, talk: Talk) -> list[Row]:
    answer = await regenerate_answer(talk, record.question, _source(record))
    return [_row(record, "right", answer)]


async def _questions(record: Record, talk: Talk, *, count: int = 1) -> list[Row]:
    made: list[Row] = []
    for number, told in enumerate(await pairs(talk, record.source or _read_given(record), count)):
        name = record.id if count == 1 else f"{record.id}-{number + 1}"
        one = replace(record, id=name)
        made.append(_row(one, "right", told.right, question=told.question))
        made.append(_row(one, "hallucinated", told.wrong, question=told.question))
    return made


async def _hallucinated(record: Record, talk: Talk) -> list[Row]:
    source = _source(record)
    answer = record.text or await regenerate_answer(talk, record.question, source)
    made = apply_planted(answer, await mistakes(talk, record.question, source, answer))
    facts = (await extract_with_judge(talk, read(made.text), subject=record.subject or None)).facts
    return [_row(record, "right", answer), _change(record, made) | _triples(facts, made)]


async def _negate(record: Record, talk: Talk) -> list[Row]:
    text = _read_given(record)
    made = apply_planted(text, await opposites(talk, record.question, text))
    return [_row(record, "right", text), _change(record, made)]


def _read_given(record: Record) -> str:
    if not record.text:
        raise NotMadeError('it has no "text"')
    return record.text


def _source(record: Record) -> str:
    if not record.source:
        raise NotMadeError('it has neither "references" nor "record" to go by')
    return record.source


def _triples(facts: Sequence[Fact], made: Edited) -> Row:
    """The triples of a changed text and their places, the numbers of those that only it has, since
    a change touches them, and the kind of that change."""
    kinds = {
        number: change.kind
        for number, fact in enumerate(facts)
        for change in reversed(made.changes)
        if _touches(fact.spans, change)
    }
    return {
        "triples": [list(fact.triple) for fact in facts],
        "triple_spans": [[list(span) for span in fact.spans] for fact in facts],
        "changed_triples": list(kinds),
        "changed_kinds": list(kinds.values()),
    }


def _touches(spans: Sequence[tuple[int, int]], change: Change) -> bool:
    return any(start < change.span[1] and change.span[0] < end for start, end in spans)


def _change(record: Record, made: Edited) -> Row:
    """The row of a changed copy, with what was changed in it."""
    told = [{**change._asdict(), "span": list(change.span)} for change in made.changes]
    return _row(record, "hallucinated", made.text) | {"changes": told}


def _row(record: Record, label: str, text: str, *, question: str = "") -> Row:
    """A row with that label. What it can be checked against is the source, or else the text that
    was given."""
    optional: Mapping[str, str] = {
        "question": question or record.question,
        "subject": record.subject,
    }
    return {
        "id": f"{record.id}-{label}",
        "group": record.group,
        "text": text,
        **{name: value for name, value in optional.items() if value},
        "references": list(record.references) or [record.source or record.text],
        "label": label,
    }


BY_RULES: Final = "changes"
"""The kind that needs no model."""

WITH_MODEL: Final = {
    kind.name: kind
    for kind in (
        Kind("answers", "answers written from a source alone", _answers, lambda r: bool(r.source)),
        Kind("questions", "a question with a right and a wrong answer", _questions, lambda _: 1),
        Kind(
            "hallucinated",
            "answers, and copies with fabrications and changed details",
            _hallucinated,
            lambda r: (2 if r.text else 3) * bool(r.source),
        ),
        Kind("negated", "copies with terms negated or exchanged", _negate, lambda r: bool(r.text)),
    )
}
"""The kinds that a model makes, by name."""


def kind_of(name: str, questions: int = 1) -> Kind:
    """The kind of that name; it makes so many ``questions`` of a record at most."""
    kind = WITH_MODEL[name]
    return kind if questions == 1 else replace(kind, make=partial(_questions, count=questions))
