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
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import Any, BinaryIO, Literal

from halubot.checking import check
from halubot.errors import BrokenLineError, HalubotError, InputError, UnreadableError, explain
from halubot.evidence import text_source
from halubot.facts import Report, Source
from halubot.given import DEFAULT_METHOD, Options, sources
from halubot.methods import registry
from halubot.text import clean

_ERROR = b', "error": '


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

    Raises UnreadableError where ``source`` cannot be read; InputError where ``target`` cannot be
    written, or does not belong to ``source`` and these options; UnknownMethodError.
    """
    common = _loaded(options or Options())
    registry.get(common.get("method") or DEFAULT_METHOD)
    seal = _seal(common)
    tally: Counter[str] = Counter()
    with _opened(source) as lines:
        if target.exists() and source.samefile(target):
            raise InputError(f"the output would overwrite the input {source}: name another file")
        try:
            with os.fdopen(os.open(target, os.O_RDWR | os.O_CREAT, 0o666), "r+b") as out:
                place = 0
                for place, message in enumerate(_messages(source, lines), start=1):
                    head = message.head(seal)
                    if done := _done(out, head, target, place):
                        tally["kept"] += 1
                        tally["kept_errors"] += done == "error"
                        continue
                    line = _checked(message, place, common)
                    _append(out, head, line)
                    tally["checked" if line.error is None else "errors"] += 1
                    if watch is not None:
                        watch(line)
                if out.readline():
                    raise _foreign(target, place + 1)
        except OSError as error:
            raise InputError(f"cannot write {target}: {explain(error)}") from error
    return Tally(**tally)


def count(source: Path) -> int:
    """How many messages a file holds. Raises UnreadableError."""
    with _opened(source) as lines:
        return sum(1 for _ in _messages(source, lines))


def _opened(source: Path) -> BinaryIO:
    try:
        if source.exists() and not source.is_file():
            raise UnreadableError(source, "it is not a regular file")
        return source.open("rb")
    except OSError as error:
        raise UnreadableError(source, explain(error)) from error


def _messages(source: Path, lines: Iterable[bytes]) -> Iterator[_Message]:
    for number, raw in enumerate(lines, start=1):
        if raw.strip():
            yield _Message(source, number, raw.strip())


def _done(
    out: BinaryIO, head: bytes, target: Path, place: int
) -> Literal["report", "error"] | None:
    """What the next line of the output holds; None where there is no such line yet, after
    dropping one that was half written."""
    start = out.tell()
    line = out.readline()
    if not (line.startswith(head) or head.startswith(line)):
        raise _foreign(target, place)
    if line.endswith(b"\n"):
        return "error" if line.startswith(_ERROR, len(head)) else "report"
    out.seek(start)
    out.truncate()
    return None


def _foreign(target: Path, place: int) -> InputError:
    return InputError(
        f"{target}, line {place}, was not made from this input with these options:"
        " name another output, or remove this one to begin anew"
    )


def _append(out: BinaryIO, head: bytes, line: Line) -> None:
    if line.report is not None:
        body = b', "report": ' + line.report.to_json(indent=None).encode()
    else:
        body = _ERROR + json.dumps(line.error).encode()
    out.write(head + body + b"}\n")
    out.flush()
    os.fsync(out.fileno())


def _checked(message: _Message, place: int, common: Options) -> Line:
    try:
        text, options = message.request(common)
        return Line(place, message.id, report=check(text, **options))
    except BrokenLineError as error:
        return Line(place, message.id, error=str(error))
    except HalubotError as error:
        return Line(place, message.id, error=str(message.broken(str(error))))
    except Exception as error:  # noqa: BLE001 - a fault in one message must not cost the others
        why = f"a fault of halubot's own: {type(error).__name__}: {error}"
        return Line(place, message.id, error=str(message.broken(why)))


class _Message:
    """A line of the input. Raises BrokenLineError, which names it, for what it should not be."""

    def __init__(self, source: Path, number: int, raw: bytes) -> None:
        self._source = source
        self._number = number
        self._raw = raw
        self._found = _parsed(raw)
        name = self._found.get("id") if isinstance(self._found, dict) else None
        self._named = name is None or _is_name(name)
        self.id: str | int | float = name if name is not None and self._named else number

    def head(self, seal: bytes) -> bytes:
        """How its line of the output begins."""
        key = sha256(seal + self._raw).hexdigest()[:24]
        return json.dumps({"id": self.id, "key": key})[:-1].encode()

    def request(self, common: Options) -> tuple[str, Options]:
        """The text and the options to check it with."""
        if not isinstance(self._found, dict):
            raise self.broken("not JSON" if self._found is None else 'not an object with "text"')
        if not self._named:
            raise self.broken('"id" is neither a string nor a number')
        text = self._text("text")
        if text is None:
            raise self.broken('it has no "text"')
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
            raise self.broken(f'"{name}" is not a string')
        return given

    def _list(self, name: str, *kinds: type) -> list[Any]:
        given = self._found.get(name)
        if given is None:
            return []
        if not isinstance(given, list) or not all(isinstance(item, kinds) for item in given):
            raise self.broken(f'"{name}" is not a list of texts')
        return given

    def _sources(self, name: str, kind: Literal["sample", "reference"]) -> list[Source]:
        made = []
        for number, item in enumerate(self._list(name, str, dict), start=1):
            fields = {"text": item} if isinstance(item, str) else item
            texts = [fields.get(key, "") for key in ("text", "title", "location")]
            if not texts[0] or not all(isinstance(text, str) for text in texts):
                raise self.broken(f'"{name}" holds no text at place {number}')
            text, title, location = (clean(text)[0] for text in texts)
            made.append(text_source(text, kind, number, title=title, location=location))
        return made

    def broken(self, why: str) -> BrokenLineError:
        """The error that names the line."""
        return BrokenLineError(self._source, self._number, why)


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


def _is_name(value: Any) -> bool:
    """Whether a value can be an id: a string or a number that JSON knows."""
    if isinstance(value, float):
        return isfinite(value)
    return isinstance(value, (str, int)) and not isinstance(value, bool)


def _parsed(raw: bytes) -> Any:
    """The value of a JSON line; None where it is not JSON."""
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None
