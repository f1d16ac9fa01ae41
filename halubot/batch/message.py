"""One message of a batch: its line of the input, its check, and the line of the output that it
becomes; and what all messages have in common."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from itertools import accumulate, takewhile
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from halubot.api import acheck
from halubot.errors import BrokenLineError, HalubotError, SettingError
from halubot.evidence import text_source
from halubot.inputs import (
    Options,
    default_method,
    join_options,
    own_options,
    sources,
    web_settings,
)
from halubot.render.captions import counts
from halubot.render.inert import one_line
from halubot.report import Fact, Report, Source
from halubot.verifier.encoder import VERIFIER, named_verifier

if TYPE_CHECKING:
    from halubot.models.budget import Budget
    from halubot.models.model_errors import ModelError
    from halubot.models.panel import Panel


Detail = Literal["full", "brief"]
"""What a line holds of a report: all of it, or what a reader acts on in less than 1.5 KB."""


def load_common(options: Options) -> Options:
    """Return the options with their common samples and references read, once for all lines."""
    loaded = options.copy()
    loaded["samples"] = sources(options.get("samples", ()), "sample")
    loaded["references"] = sources(options.get("references", ()), "reference")
    return loaded


def by_name(options: Options) -> Options:
    """Return the options as another process can have them: the web and knowledge by their names.
    Raises SettingError."""
    named = options.copy()
    named.pop("watch", None)
    web = web_settings(options)
    if web is not None:
        if options.get("max_cost") is not None and web.cost_usd:
            raise SettingError("--max-cost counts paid searches in one process: leave one out")
        named["web"] = web.names
    bases = options.get("knowledge")
    if bases:
        named["knowledge"] = [base if isinstance(base, str) else base.name for base in bases]
    return named


def make_seal(options: Options, detail: Detail) -> bytes:
    """Return a digest of all that decides what a line says, the message itself left out."""
    texts = ("question", "context", "subject")
    # Left out or None or False or the default is the same: the command line passes every option.
    decisive: list[Any] = [options.get(name) or None for name in texts]
    # The place of the server's address, in outputs that were begun before it was left out: a server
    # may move.
    decisive.append(None)
    # By name, whether it was named or is the default: the same check from Python and from the
    # command line has the same key.
    decisive.append(options.get("method") or default_method(options))
    decisive += [options.get("threshold"), options.get("n_samples")]
    decisive.append(bool(options.get("as_published")))
    for model in (options.get("model"), options.get("judge_model")):
        decisive.append(model if model is None or isinstance(model, str) else model.name)
    decisive.append(bool(options.get("replay")))
    if panel := options.get("panel"):
        decisive += [panel.answer.name, panel.judge.name]
    own = own_options(options)
    # The command line reads the variable as an option, and `consensus` reads it by itself.
    verifier = named_verifier(own.pop(VERIFIER, None))
    decisive.append(sorted(own.items()))
    # Not what a base holds: that may be Wikipedia.
    decisive += [getattr(base, "name", base) for base in options.get("knowledge") or ()]
    web = web_settings(options)
    if web is not None:
        decisive.append([web.names, web.queries, web.allow, web.deny])
    for given in (options["samples"], options["references"]):
        decisive.append([source.text for source in given if isinstance(source, Source)])
    # Added only if it is another, so that outputs begun before briefs existed go on.
    if detail != "full":
        decisive.append(detail)
    if verifier:
        decisive.append(["verifier", verifier])
    return sha256(json.dumps(decisive, default=str).encode()).digest()


class Message:
    """A line of the input. Raises BrokenLineError, which names it, for what it should not be."""

    def __init__(self, source: Path | str, number: int, raw: bytes) -> None:
        self._source = source
        self._number = number
        self._raw = raw

    @cached_property
    def _fields(self) -> Any:
        """The value of the line; None if it is not JSON."""
        # Parsed when it is needed: counting and resuming look at the bytes alone.
        try:
            return json.loads(self._raw)
        except (ValueError, RecursionError):
            return None

    @cached_property
    def _name(self) -> Any:
        return self._fields.get("id") if isinstance(self._fields, dict) else None

    @property
    def id(self) -> str | int | float:
        """Its own id, else its number."""
        name: Any = self._name
        return name if _is_name(name) else self._number

    def key(self, seal: bytes) -> str:
        """A digest of the line and of what ``seal`` is a digest of."""
        # 96 bits: below 10^13 lines two are hardly ever alike.
        return sha256(seal + self._raw).hexdigest()[:24]

    def head(self, seal: bytes) -> bytes:
        """Return the beginning of its line of the output."""
        return json.dumps({"id": self.id, "key": self.key(seal)})[:-1].encode()

    def request(self, common: Options) -> tuple[str, Options]:
        """The text and the options to check it with."""
        if not isinstance(self._fields, dict):
            raise self.make_error(
                "not JSON" if self._fields is None else 'not an object with "text"'
            )
        if self._name is not None and not _is_name(self._name):
            raise self.make_error('"id" is neither a string nor a number')
        text = self._text("text")
        if text is None:
            raise self.make_error('it has no "text"')
        own: dict[str, Any] = {n: self._text(n) for n in ("question", "context", "subject")}
        if self._fields.get("sentences") is not None:
            own["sentences"] = self._list("sentences", str)
        samples = self._sources("samples", "sample")
        references = self._sources("references", "reference")
        return text, join_options(common, own, samples, references)

    def _text(self, name: str) -> str | None:
        given = self._fields.get(name)
        if given is not None and not isinstance(given, str):
            raise self.make_error(f'"{name}" is not a string')
        return given

    def _list(self, name: str, *kinds: type) -> list[Any]:
        given = self._fields.get(name)
        if given is None:
            return []
        if not isinstance(given, list) or not all(isinstance(item, kinds) for item in given):
            raise self.make_error(f'"{name}" is not a list of texts')
        return given

    def _sources(self, name: str, kind: Literal["sample", "reference"]) -> list[Source]:
        made = []
        for number, item in enumerate(self._list(name, str, dict), start=1):
            fields = {"text": item} if isinstance(item, str) else item
            texts = [fields.get(key, "") for key in ("text", "title", "location")]
            if not texts[0] or not all(isinstance(text, str) for text in texts):
                raise self.make_error(f'"{name}" holds no text at place {number}')
            text, title, location = texts
            made.append(text_source(text, kind, number, title=title, location=location))
        return made

    def make_error(self, why: str) -> BrokenLineError:
        """The error that names the line."""
        return BrokenLineError(self._source, self._number, why)


def _is_name(value: Any) -> bool:
    """Return True if a value can be an id: a string or a number that JSON knows."""
    # Python reads NaN and Infinity from JSON and would write them back as no JSON.
    if isinstance(value, float):
        return isfinite(value)
    return isinstance(value, (str, int)) and not isinstance(value, bool)


ERROR = b', "error": '

LARGEST: Final = 1400
"""Bytes of a brief report; with its id and its key a line stays below 1.5 KB."""

_LONGEST: Final = 160
"""Bytes of a reason, of a label and of a problem; longer ones end with an ellipsis."""

_PROBLEMS: Final = 2

OF_STORES = "the store in "
"""How problems begin that say what is kept, not what was found. They are told as the batch runs."""


@dataclass(frozen=True, slots=True)
class Line:
    """The result of a message: a report, or an error. ``place`` counts the messages of the
    file from 1."""

    place: int
    id: str | int | float
    report: Report | None = None
    error: str | None = None


Check = Callable[..., Awaitable[Report]]
"""What checks a text: `halubot.acheck`, or the same in another process."""


class WorkersLostError(HalubotError):
    """Processes died over and over; the same command goes on there."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A message that was checked. ``body`` is its line of the output behind the head, without the
    line feed; ``failure`` that of a model after which no further call would succeed."""

    message: Message
    line: Line
    body: bytes
    failure: ModelError | None = None


async def check_message(
    place: int,
    message: Message,
    common: Options,
    *,
    panel: Panel | None,
    budget: Budget | None,
    detail: Detail,
    check: Check = acheck,
) -> Checked:
    """Check a message; ``budget`` is that of all messages. Raises WorkersLostError, and nothing
    else but when cancelled."""
    own = None
    if panel is not None and budget is not None:
        # A budget of its own says whether this message was touched by a failure.
        own = budget.part()
        common = common.copy()
        common["panel"] = replace(panel, budget=own)
    line = await _check_message(place, message, common, check)
    failure = own.failure if own is not None else None
    return Checked(message, line, _body(line, detail), failure)


async def _check_message(place: int, message: Message, common: Options, check: Check) -> Line:
    try:
        text, options = message.request(common)
        return Line(place, message.id, report=await check(text, **options))
    except WorkersLostError as error:
        raise WorkersLostError(f"message {place}: {error}") from error
    except BrokenLineError as error:
        return Line(place, message.id, error=str(error))
    except HalubotError as error:
        return Line(place, message.id, error=str(message.make_error(str(error))))
    except Exception as error:  # noqa: BLE001 - a fault in one message must not cost the others
        why = f"a fault of halubot's own: {type(error).__name__}: {error}"
        return Line(place, message.id, error=str(message.make_error(why)))


def _body(line: Line, detail: Detail) -> bytes:
    if line.report is None:
        return ERROR + json.dumps(line.error).encode() + b"}"
    # A usage of null and no trouble of a store: what a report took differs from run to run.
    problems = tuple(one for one in line.report.problems if not one.what.startswith(OF_STORES))
    report = line.report.model_copy(update={"problems": problems})
    if detail == "brief":
        return b', "brief": ' + brief(report).encode() + b"}"
    # Left out and written as null by hand: a reader finds the field, and the bytes do not depend on
    # how long it took.
    rest = report.model_dump_json(by_alias=True, exclude={"usage"})
    return f', "report": {rest[:-1]},"usage":null}}}}'.encode()


def brief(report: Report) -> str:
    """Return the brief report as one line of JSON: ``label``, ``score``, how many ``facts`` there
    are and how many are ``not_checked``, the ``doubted`` facts with their verdicts, spans and
    reasons, how many of them are ``left_out``, and the first ``problems``.

    If not all doubted facts fit, the contradicted and those of the highest rank are there. Lists
    are empty, never absent.
    """
    problems = [_cut_text(f"{one.what}: {one.why}") for one in report.problems[:_PROBLEMS]]
    if len(report.problems) > _PROBLEMS:
        problems.append(f"and {len(report.problems) - _PROBLEMS} more")
    found: dict[str, Any] = {
        "label": report.label and _cut_text(report.label),
        "score": report.score,
        "facts": len(report.facts),
        "not_checked": len(report.unchecked()),
        "doubted": [],
        "left_out": len(report.doubted()),
        "problems": problems,
    }
    shown: list[tuple[int, dict[str, Any]]] = []
    room = LARGEST - len(_json(found))
    for fact in sorted(report.doubted(), key=_urgency):
        # Without a reason of its own, who says what of it.
        reason = _cut_text(fact.reason or counts(fact, report))
        told = {"verdict": fact.verdict, "spans": fact.spans, "reason": reason}
        size = len(_json(told)) + 1
        if size <= room:
            room -= size
            shown.append((fact.index, told))
    # Chosen by urgency and shown in the order of the text.
    shown.sort(key=lambda one: one[0])
    found["doubted"] = [told for _, told in shown]
    found["left_out"] -= len(shown)
    return _json(found).decode()


def _urgency(fact: Fact) -> tuple[bool, float, int]:
    """The order in which facts are shown while there is room."""
    return fact.verdict != "contradicted", -(fact.rank or 0.0), fact.index


def _cut_text(text: str) -> str:
    """The text on one line, cut to so many bytes as JSON writes them: a character has up to six."""
    line = one_line(text)
    sizes = accumulate(len(_json(character)) - 2 for character in line)
    kept = sum(1 for _ in takewhile(lambda size: size <= _LONGEST - 3, sizes))
    return line if kept == len(line) else f"{line[:kept]}…"


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
