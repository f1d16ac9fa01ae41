"""Many messages: a JSON line in, a JSON line out, in the same order; resumable.

A line of the input is an object: ``text``, and where known ``id``, ``question``, ``context``,
``samples``, ``references``, ``sentences``, ``subject``. Samples and references are texts, as
strings or as ``{"text": ..., "title": ..., "location": ...}``; other names are passed over. Blank
lines are no lines.

A line of the output is ``{"id", "key", "report"}``, or ``{"id", "key", "error"}`` for a line that
could not be checked; a line without an id has its number for one. ``key`` is a digest of the
input line and of the options: by it a second run finds what is done, and refuses an output that
belongs to something else.

With a model, all lines share one budget, one store and one record. Where no further call can
succeed - what may be spent is spent, the key is refused, nobody answers - the work stops before
that line is written: what it took is in the store, and the same command goes on there.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

from halubot.batch.message import Message
from halubot.checking import check
from halubot.errors import BrokenLineError, HalubotError, InputError, UnreadableError, explain
from halubot.facts import Report, Source
from halubot.formats.decoding import is_open_pipe
from halubot.given import DEFAULT_METHOD, Options, open_bases, open_models
from halubot.material import sources
from halubot.methods import registry
from halubot.resuming import opened

if TYPE_CHECKING:
    from halubot.models.errors import ModelError
    from halubot.models.model import LanguageModel
    from halubot.panel import Panel
    from halubot.rehearsal import Plan

STANDARD_INPUT = "standard input"
STANDARD_OUTPUT = "standard output"
"""What streams are called in messages."""

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
    ``kept_errors`` errors; ``checked`` and ``errors`` are those of this run. ``left`` lines were
    not begun or not finished, because of ``stopped``, the failure of a model; None at the end."""

    checked: int = 0
    errors: int = 0
    kept: int = 0
    kept_errors: int = 0
    left: int = 0
    stopped: ModelError | None = None


def check_file(
    source: Path | BinaryIO,
    target: Path | BinaryIO,
    *,
    options: Options | None = None,
    watch: Callable[[Line], None] | None = None,
) -> Tally:
    """Checks each message of ``source`` and appends its line to ``target``.

    ``options`` hold for every line; a line's own question and subject come first, and its
    samples and references join the common ones. Each line is on the disk before the next is
    begun, so stopping at any moment loses at most the message in hand. A message that cannot
    be checked becomes an error line and the work goes on. Either may be a stream, which is read or
    written once: what was written to a stream is not looked for.

    Raises UnreadableError where ``source`` cannot be read; InputError where ``target`` cannot be
    written, or does not belong to ``source`` and these options; UnknownMethodError.
    """
    common = _loaded(options or Options())
    registry.get(common.get("method") or DEFAULT_METHOD)
    tally: Counter[str] = Counter()
    stopped: ModelError | None = None
    with ExitStack() as stack:
        _open_bases(common, stack)
        seal = _seal(common)
        lines = stack.enter_context(_opened(source))
        if isinstance(source, Path) and isinstance(target, Path) and _same(source, target):
            raise InputError(f"the output would overwrite the input {source}: name another file")
        panel = _panel(common, stack)
        before = panel.budget.failure if panel is not None else None
        try:
            with _target(target) as out:
                place = 0
                for place, message in enumerate(_messages(source, lines), start=1):
                    head = message.head(seal)
                    if stopped is not None:
                        tally["left"] += 1
                        continue
                    if isinstance(target, Path) and (done := _done(out, head, target, place)):
                        tally["kept"] += 1
                        tally["kept_errors"] += done == "error"
                        continue
                    line = _checked(message, place, common)
                    if panel is not None and panel.budget.failure is not before:
                        stopped = panel.budget.failure
                        tally["left"] += 1
                        continue
                    _append(out, head, line)
                    if isinstance(target, Path):
                        os.fsync(out.fileno())
                    tally["checked" if line.error is None else "errors"] += 1
                    if watch is not None:
                        watch(line)
                if isinstance(target, Path) and out.readline():
                    raise _foreign(target, place + 1)
        except BrokenPipeError:  # its reader has what it wanted
            raise
        except OSError as error:
            name = target if isinstance(target, Path) else STANDARD_OUTPUT
            raise InputError(f"cannot write {name}: {explain(error)}") from error
    return Tally(**tally, stopped=stopped)


def rehearse_file(
    source: Path | BinaryIO, target: Path | BinaryIO, *, options: Options | None = None
) -> list[Plan]:
    """What it would take to check each message of ``source`` that ``target`` does not hold yet;
    broken lines are left out. Nothing is called or written. Raises UnreadableError."""
    from halubot.rehearsal import rehearse

    common = _loaded(options or Options())
    plans = []
    with ExitStack() as stack:
        _open_bases(common, stack)
        lines = stack.enter_context(_opened(source))
        written = _written(target) if isinstance(target, Path) else 0
        for message in islice(_messages(source, lines), written, None):
            with suppress(HalubotError):
                text, own = message.request(common)
                plans.append(rehearse(text, **own))
    return plans


def count(source: Path) -> int:
    """How many messages a file holds. Raises UnreadableError."""
    with _opened(source) as lines:
        return sum(1 for _ in _messages(source, lines))


def _panel(common: Options, stack: ExitStack) -> Panel | None:
    """The models of all lines, put into ``common``; those opened here are closed with ``stack``."""
    panel = open_models(common)
    if panel is not None and common.get("panel") is None:
        common["panel"] = stack.enter_context(panel)
    return panel


def _open_bases(common: Options, stack: ExitStack) -> None:
    """Opens the knowledge of all lines; what was opened here is closed with ``stack``."""
    bases = open_bases(common)
    if bases is not None:
        stack.callback(bases.close)
        common["knowledge"] = bases.bases


def _written(target: Path) -> int:
    """How many lines of the output are whole."""
    try:
        with target.open("rb") as out:
            return sum(line.endswith(b"\n") for line in out)
    except OSError:
        return 0


def _same(source: Path, target: Path) -> bool:
    try:
        return source.samefile(target)
    except OSError:  # there is no such output yet
        return False


def _opened(source: Path | BinaryIO) -> AbstractContextManager[BinaryIO]:
    if not isinstance(source, Path):
        return nullcontext(source)
    try:
        if source.exists() and not source.is_file() and not is_open_pipe(source):
            raise UnreadableError(source, "it is not a regular file")
        return source.open("rb")
    except OSError as error:
        raise UnreadableError(source, explain(error)) from error


def _target(target: Path | BinaryIO) -> AbstractContextManager[BinaryIO]:
    return opened(target) if isinstance(target, Path) else nullcontext(target)


def _messages(source: Path | BinaryIO, lines: Iterable[bytes]) -> Iterator[Message]:
    name = source if isinstance(source, Path) else STANDARD_INPUT
    for number, raw in enumerate(lines, start=1):
        if raw.strip():
            yield Message(name, number, raw.strip())


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


def _checked(message: Message, place: int, common: Options) -> Line:
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


def _loaded(options: Options) -> Options:
    """The options with their common samples and references read, once for all lines."""
    loaded = options.copy()
    loaded["samples"] = sources(options.get("samples", ()), "sample")
    loaded["references"] = sources(options.get("references", ()), "reference")
    return loaded


def _name(model: str | LanguageModel | None) -> str | None:
    return model if model is None or isinstance(model, str) else model.name


def _seal(options: Options) -> bytes:
    """A digest of all that decides what a report says, the message itself left out."""
    plain = ("question", "context", "subject", "method", "threshold", "n_samples")
    decisive: list[Any] = [options.get(name) for name in (*plain, "as_published", "api_base")]
    decisive += [_name(options.get("model")), _name(options.get("judge_model"))]
    decisive.append(bool(options.get("replay")))
    if panel := options.get("panel"):
        decisive += [panel.answer.name, panel.judge.name]
    decisive.append(sorted((options.get("options") or {}).items()))
    decisive += [getattr(base, "name", base) for base in options.get("knowledge") or ()]
    for name in ("samples", "references"):
        given = options["samples"] if name == "samples" else options["references"]
        decisive.append([source.text for source in given if isinstance(source, Source)])
    return sha256(json.dumps(decisive, default=str).encode()).digest()
