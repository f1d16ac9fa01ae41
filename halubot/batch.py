"""Many messages: a JSON line in, a JSON line out, in the same order; resumable.

A line of the input is an object: ``text``, and where known ``id``, ``question``, ``context``,
``samples``, ``references``, ``sentences``, ``subject``. Samples and references are texts, as
strings or as ``{"text": ..., "title": ..., "location": ...}``; other names are passed over. Blank
lines are no lines.

A line of the output is ``{"id", "key", "report"}``, or ``{"id", "key", "error"}`` for a line that
could not be checked; a line without an id has its number for one. ``key`` is a digest of the
input line and of the options: by it a second run finds what is done, and refuses an output that
belongs to something else.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, Literal

from halubot.checking import Options, check, sources
from halubot.errors import BrokenLineError, HalubotError, InputError, UnreadableError
from halubot.evidence import text_source
from halubot.facts import Report, Source
from halubot.text import clean


@dataclass(frozen=True, slots=True)
class Line:
    """What became of a message: a report, or an error. ``place`` counts the messages of the
    file from 1."""

    place: int
    id: str | int | float
    report: Report | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Tally:
    """How a batch went. ``kept`` lines had been written by an earlier run, of them
    ``kept_errors`` errors; ``checked`` and ``errors`` are those of this run."""

    checked: int = 0
    errors: int = 0
    kept: int = 0
    kept_errors: int = 0


def check_file(
    source: Path,
    target: Path,
    *,
    options: Options | None = None,
    watch: Callable[[Line], None] | None = None,
) -> Tally:
    """Checks each message of ``source`` and appends its line to ``target``.

    ``options`` hold for every line; a line's own question and subject come first, and its
    samples and references join the common ones. Each line is on the disk before the next is
    begun, so stopping at any moment loses at most the message in hand. A message that cannot
    be checked becomes an error line and the work goes on.

    Raises UnreadableError for files that cannot be read or written, and InputError where
    ``target`` does not belong to ``source`` and these options.
    """
    common = _loaded(options or Options())
    seal = _seal(common)
    try:
        if target.exists() and source.samefile(target):
            raise InputError(f"the output would overwrite the input {source}: name another file")
        with source.open("rb") as lines, _opened(target) as out:
            numbered = _numbered(lines)
            kept, kept_errors = _resume(out, target, source, numbered, seal)
            checked = errors = 0
            for place, (number, raw) in enumerate(numbered, start=kept + 1):
                line = _checked(_Message(source, number, raw), place, common)
                _append(out, line, _key(seal, raw))
                checked += line.error is None
                errors += line.error is not None
                if watch is not None:
                    watch(line)
    except OSError as error:
        raise UnreadableError(error.filename or source, error.strerror or str(error)) from error
    return Tally(checked=checked, errors=errors, kept=kept, kept_errors=kept_errors)


def count(source: Path) -> int:
    """How many messages a file holds. Raises UnreadableError."""
    try:
        with source.open("rb") as lines:
            return sum(1 for _ in _numbered(lines))
    except OSError as error:
        raise UnreadableError(source, error.strerror or str(error)) from error


def _opened(target: Path) -> BinaryIO:
    """The output, made where it is not there, ready to be read and written in place."""
    return os.fdopen(os.open(target, os.O_RDWR | os.O_CREAT, 0o666), "r+b")


def _numbered(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    for number, raw in enumerate(lines, start=1):
        if raw.strip():
            yield number, raw.strip()


def _resume(
    out: BinaryIO, target: Path, source: Path, numbered: Iterator[tuple[int, bytes]], seal: bytes
) -> tuple[int, int]:
    """Passes over the lines that are done, drops a half-written last one, and counts."""
    kept = errors = end = 0
    for done in out:
        if not done.endswith(b"\n"):
            break
        number, raw = next(numbered, (0, b""))
        found = _parsed(done)
        if not number or found.get("key") != _key(seal, raw):
            raise InputError(
                f"{target}, line {kept + 1}, was not made from {source} with these options:"
                " name another output, or remove this one to begin anew"
            )
        kept += 1
        errors += "error" in found
        end += len(done)
    out.seek(end)
    out.truncate()
    return kept, errors


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _append(out: BinaryIO, line: Line, key: str) -> None:
    head = json.dumps({"id": line.id, "key": key})[:-1]
    body = (
        f'"report": {line.report.to_json(indent=None)}'
        if line.report is not None
        else f'"error": {json.dumps(line.error)}'
    )
    out.write(f"{head}, {body}}}\n".encode())
    out.flush()
    os.fsync(out.fileno())


def _checked(message: _Message, place: int, common: Options) -> Line:
    id: str | int | float = message.number
    try:
        id = message.id
        text, options = message.request(common)
        return Line(place, id, report=check(text, **options))
    except HalubotError as error:
        return Line(place, id, error=str(error))
    except Exception as error:  # noqa: BLE001 - a fault in one message must not cost the others
        return Line(place, id, error=f"a fault of halubot's own: {type(error).__name__}: {error}")


class _Message:
    """A line of the input. Raises BrokenLineError, which names it, for what it should not be."""

    def __init__(self, source: Path, number: int, raw: bytes) -> None:
        self._source = source
        self.number = number
        self._raw = raw

    @property
    def id(self) -> str | int | float:
        """Its own id, or else its number."""
        name = self._found.get("id")
        if name is None:
            return self.number
        if not isinstance(name, (str, int, float)):
            raise self._broken('"id" is neither a string nor a number')
        return name

    @cached_property
    def _found(self) -> dict[str, Any]:
        try:
            found = json.loads(self._raw)
        except (ValueError, RecursionError) as error:
            raise self._broken("not JSON") from error
        if not isinstance(found, dict):
            raise self._broken('not an object with "text"')
        return found

    def request(self, common: Options) -> tuple[str, Options]:
        """The text and the options to check it with."""
        text = self._text("text")
        if text is None:
            raise self._broken('it has no "text"')
        options = common.copy()
        for name in ("question", "context", "subject"):
            given = self._text(name)
            if given is not None:
                options[name] = given
        options["samples"] = [*common.get("samples", ()), *self._sources("samples", "sample")]
        options["references"] = [
            *common.get("references", ()),
            *self._sources("references", "reference"),
        ]
        if self._found.get("sentences") is not None:
            options["sentences"] = self._list("sentences", str)
        return text, options

    def _text(self, name: str) -> str | None:
        given = self._found.get(name)
        if given is not None and not isinstance(given, str):
            raise self._broken(f'"{name}" is not a string')
        return given

    def _list(self, name: str, *kinds: type) -> list[Any]:
        given = self._found.get(name)
        if given is None:
            return []
        if not isinstance(given, list) or not all(isinstance(item, kinds) for item in given):
            raise self._broken(f'"{name}" is not a list of texts')
        return given

    def _sources(self, name: str, kind: Literal["sample", "reference"]) -> list[Source]:
        sources = []
        for number, item in enumerate(self._list(name, str, dict), start=1):
            fields = {"text": item} if isinstance(item, str) else item
            texts = [fields.get(key, "") for key in ("text", "title", "location")]
            if not texts[0] or not all(isinstance(text, str) for text in texts):
                raise self._broken(f'"{name}" holds no text at place {number}')
            text, title, location = (clean(text)[0] for text in texts)
            made = text_source(text, kind, number)
            sources.append(
                made.model_copy(update={"title": title or made.title, "location": location})
            )
        return sources

    def _broken(self, why: str) -> BrokenLineError:
        return BrokenLineError(self._source, self.number, why)


def _loaded(options: Options) -> Options:
    """The options with their common samples and references read, once for all lines."""
    loaded = options.copy()
    loaded["samples"] = sources(options.get("samples", ()), "sample")
    loaded["references"] = sources(options.get("references", ()), "reference")
    return loaded


def _seal(options: Options) -> bytes:
    """A digest of all that decides what a report says, the message itself left out."""
    decisive: list[Any] = [
        options.get(name) for name in ("question", "context", "subject", "method", "threshold")
    ]
    decisive.append(sorted((options.get("options") or {}).items()))
    for name in ("samples", "references"):
        given = options["samples"] if name == "samples" else options["references"]
        decisive.append([source.text for source in given if isinstance(source, Source)])
    return sha256(json.dumps(decisive, default=str).encode()).digest()


def _key(seal: bytes, raw: bytes) -> str:
    return sha256(seal + raw).hexdigest()[:24]
