"""Makers of data: from records of texts and sources to rows for benchmarks and calibration."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any, Final, Literal, TypeVar

from pydantic import BaseModel, Field

from halubot.errors import BrokenLineError, HalubotError, UnreadableError, explain
from halubot.evaluation.synthesis.text_changes import (
    Change,
    Edit,
    Edited,
    apply_planted,
    change_text,
)
from halubot.extract import extract
from halubot.llm_calls.extraction import extract_with_judge
from halubot.llm_calls.talk import Fields, Talk
from halubot.report import Fact
from halubot.text import clean, read

T = TypeVar("T", bound=BaseModel)


MOST_QUESTIONS: Final = 20
"""Questions of one record at most."""


class NotMadeError(HalubotError):
    """A model wrote nothing that could be used, or only what changes nothing."""


class Answered(BaseModel):
    """An answer from a source."""

    answer: str = Field(min_length=1, max_length=20_000)


class Pair(BaseModel):
    """A question with a right and a wrong answer."""

    question: str = Field(min_length=1, max_length=2_000)
    right: str = Field(min_length=1, max_length=4_000)
    wrong: str = Field(min_length=1, max_length=4_000)


class Pairs(BaseModel):
    """Questions of one record."""

    pairs: list[Pair] = Field(min_length=1, max_length=MOST_QUESTIONS)


class _Planted(BaseModel):
    quote: str = Field(min_length=1, max_length=2_000)
    instead: str = Field(min_length=1, max_length=2_000)


class Mistake(_Planted):
    """A mistake of one of the three kinds."""

    kind: Literal["absolute fabrication", "contextual fabrication", "detail modification"]


class Opposite(_Planted):
    """A statement turned into its opposite."""

    kind: Literal["negated", "exchanged"]


class Mistakes(BaseModel):
    """The mistakes to plant in an answer."""

    changes: list[Mistake] = Field(min_length=1, max_length=4)


class Opposites(BaseModel):
    """The opposites to plant in a text."""

    changes: list[Opposite] = Field(min_length=1, max_length=3)


async def regenerate_answer(talk: Talk, question: str, source: str) -> str:
    """An answer from the source alone; a text about it if the question is empty. One call.
    Raises NotMadeError if none came."""
    told = await _ask(talk, "make-answer", Answered, {"question": question, "source": source})
    return told.answer


async def mistakes(talk: Talk, question: str, source: str, answer: str) -> list[Edit]:
    """Edits of a right answer that make it wrong by the source. One call. Raises NotMadeError
    if none fits the answer."""
    fields = {"question": question, "source": source, "answer": answer}
    return place_mistakes(answer, (await _ask(talk, "make-changes", Mistakes, fields)).changes)


async def opposites(talk: Talk, question: str, text: str) -> list[Edit]:
    """Edits that negate or exchange a term in one to three sentences. One call. Raises
    NotMadeError if none fits the text."""
    fields = {"question": question, "text": text}
    return place_mistakes(text, (await _ask(talk, "make-negations", Opposites, fields)).changes)


async def pairs(talk: Talk, record: str, count: int = 1) -> list[Pair]:
    """Up to ``count`` questions from a record, each once, with a right and a wrong answer. One
    call. Raises NotMadeError if none came, or both answers of each are the same."""
    fields: Fields = {"count": count, "record": record}
    told = await _ask(talk, "make-question", Pairs, fields)
    found = {
        " ".join(one.question.split()).casefold(): one
        # Reversed, so that of two equal questions the first is kept.
        for one in reversed(told.pairs)
        if " ".join(one.right.split()) != " ".join(one.wrong.split())
    }
    if not found:
        raise NotMadeError("the wrong answer of the model is the right one")
    return list(reversed(found.values()))[:count]


def place_mistakes(text: str, planted: Sequence[Mistake | Opposite]) -> list[Edit]:
    """The edits of what is to be planted; what quotes no words that stand in the text once, or
    changes nothing, is left out. Raises NotMadeError if nothing is left."""
    edits = [
        Edit(one.kind, text.index(one.quote), text.index(one.quote) + len(one.quote), one.instead)
        for one in planted
        # Words that stand there twice have no one place, and a model often writes the same words
        # with another space.
        if text.count(one.quote) == 1 and one.quote.split() != one.instead.split()
    ]
    if not edits:
        raise NotMadeError("none of the model's changes fits the text")
    return edits


async def _ask(talk: Talk, prompt: str, shape: type[T], fields: Fields) -> T:
    answer = await talk.ask(prompt, shape, fields)
    if answer.value is None or answer.reason is not None:
        raise NotMadeError(f"the model wrote nothing that could be used: {answer.reason}")
    return answer.value


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
    # A generator for each record: rows do not change when records are added before them or work
    # resumes.
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
    # The facts of the changed text, not of the right one: the planted mistakes are among them only
    # there.
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
        # Reversed, so that a fact with two changes has the kind of the first.
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
        # Without a source a text is compared with itself, which its changed copy contradicts.
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
