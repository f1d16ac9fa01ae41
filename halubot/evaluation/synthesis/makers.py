"""Makers of data: from records of texts and sources to rows for benchmarks and calibration."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any, Final

from halubot.errors import BrokenLineError, UnreadableError, explain
from halubot.evaluation.synthesis.data_calls import (
    NotMadeError,
    mistakes,
    opposites,
    pairs,
    regenerate_answer,
)
from halubot.evaluation.synthesis.text_changes import Change, Edited, apply_planted, change_text
from halubot.extract import extract
from halubot.llm_calls.extraction import extract_with_judge
from halubot.llm_calls.talk import Talk
from halubot.report import Fact
from halubot.text import clean, read


@dataclass(frozen=True, slots=True)
class Record:
    """One line. ``text`` is a right answer, ``source`` what it goes by: the references, or else the
    record; both are empty if the line has none. ``raw`` is the line."""

    id: str
    group: str
    text: str
    question: str
    subject: str
    references: tuple[str, ...]
    source: str
    raw: bytes

    def key(self, seal: bytes) -> str:
        """A digest of the line and of how it is used."""
        return sha256(seal + self.raw).hexdigest()[:24]


def records(path: Path) -> Iterator[Record]:
    """The lines of a file as records; blank lines are passed over.

    A line is an object with ``text``, ``references`` (a list of texts) or ``record`` (any value),
    and if wanted ``id``, ``group``, ``question``, ``subject``. Raises UnreadableError for the file,
    BrokenLineError for a line that is no such object.
    """
    try:
        with path.open("rb") as lines:
            for number, raw in enumerate(lines, start=1):
                if raw.strip():
                    yield _record(path, number, raw.strip())
    except OSError as error:
        raise UnreadableError(path, explain(error)) from error


def _record(path: Path, number: int, raw: bytes) -> Record:
    try:
        fields = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise BrokenLineError(path, number, "not JSON") from error
    if not isinstance(fields, dict):
        raise BrokenLineError(path, number, "not an object")
    given = fields.get("references")
    if not (given is None or (isinstance(given, list) and all(map(_is_text, given)))):
        raise BrokenLineError(path, number, '"references" is not a list of texts')
    references = tuple(clean(one)[0] for one in given or ())
    record = fields.get("record")
    written = record if isinstance(record, str) else json.dumps(record, ensure_ascii=False)
    text = _text(fields, "text", path, number)
    if not text and not references and record is None:
        raise BrokenLineError(path, number, 'it has neither "text", "references" nor "record"')
    name = fields.get("id", number)
    if not isinstance(name, (str, int)) or isinstance(name, bool):
        raise BrokenLineError(path, number, '"id" is neither a text nor a whole number')
    return Record(
        id=str(name),
        group=_text(fields, "group", path, number) or str(name),
        text=text,
        question=_text(fields, "question", path, number),
        subject=_text(fields, "subject", path, number),
        references=references,
        source="\n\n".join(references) if references or record is None else clean(written)[0],
        raw=raw,
    )


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _text(fields: Mapping[str, Any], name: str, path: Path, number: int) -> str:
    value = fields.get(name)
    if name == "group" and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if value is not None and not _is_text(value):
        raise BrokenLineError(path, number, f'"{name}" is no text')
    return clean(value)[0] if value is not None else ""


Row = dict[str, Any]
"""One line of the output, its key left out."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of maker. ``make`` makes the rows of a record, and raises NotMadeError if it
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


async def _make_hallucination(record: Record, talk: Talk) -> list[Row]:
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
            _make_hallucination,
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
