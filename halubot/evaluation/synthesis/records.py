"""What data is made from: JSON lines of texts, sources and records."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from halubot.errors import BrokenLineError, UnreadableError, explain
from halubot.text import clean


@dataclass(frozen=True, slots=True)
class Record:
    """One line. ``text`` is a right answer, ``source`` what it goes by: the references, or else the
    record; both are empty where the line has none. ``raw`` is the line."""

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
