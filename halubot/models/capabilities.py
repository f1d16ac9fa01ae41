"""The capabilities of a model, learnt from its answers, and kept in a small file for the next
program."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from halubot.models.answer_text import LONGEST_ANSWER
from halubot.models.model import Capabilities, Completion, Parameter, Request
from halubot.work_file import write_whole

DAYS = 30
"""After so many days without news of a model it is tried anew: servers are updated."""


@dataclass(frozen=True, slots=True)
class Learnt:
    """What was learnt of a model at an address, and when (seconds of the epoch)."""

    model: str
    endpoint: str
    capabilities: Capabilities
    at: float


Known = dict[tuple[str, str], Learnt]

_ENTRIES = TypeAdapter(list[Learnt])
_learnt: dict[Path, Known] = {}
_writing = threading.Lock()


def learnt(model: str, endpoint: str) -> Capabilities:
    """Return the abilities of a model at an address that were learnt, by other programs too; all
    None if it was never called."""
    file = _file()
    if file not in _learnt:
        _learnt[file] = _read(file)
    found = _learnt[file].get((model, endpoint))
    return found.capabilities if found else Capabilities()


def remember(model: str, endpoint: str, capabilities: Capabilities) -> None:
    """Keeps what was learnt, and writes it down if it is new, in a thread of its own. A disk that
    does not let it costs nothing: it will be learnt again."""
    if learnt(model, endpoint) == capabilities:
        return
    file = _file()
    known = _learnt[file]
    known[model, endpoint] = Learnt(model, endpoint, capabilities, time.time())
    with suppress(RuntimeError):  # the program is ending
        threading.Thread(target=_write, args=(file, known), name="halubot learning").start()


def after(known: Capabilities, request: Request, completions: Sequence[Completion]) -> Capabilities:
    """Return the abilities after one more call. A False is never taken back."""
    if request.n > 1 and known.n is not False:
        known = replace(known, n=len(completions) >= request.n)
    if request.logprobs and known.logprobs is not False:
        known = replace(known, logprobs=all(one.logprobs for one in completions))
    # An answer that was cut tells nothing of schemas: its keys may be in the part that is missing.
    whole = [one.text for one in completions if one.finish_reason == "stop"]
    if request.schema is not None and whole and known.schema is not False:
        required = request.schema.value.get("required", ())
        known = replace(known, schema=all(_has(text, required) for text in whole))
    return known


def refusing(known: Capabilities, parameter: Parameter) -> Capabilities:
    """Return the abilities after the server turned a parameter down."""
    known = replace(known, refused=known.refused | {parameter})
    return replace(
        known,
        n=False if parameter == "n" else known.n,
        schema=False if parameter == "schema" else known.schema,
        logprobs=False if parameter == "logprobs" else known.logprobs,
    )


def _has(text: str, required: Sequence[str]) -> bool:
    if len(text) > LONGEST_ANSWER:
        return False
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and value.keys() >= set(required)


def _file() -> Path:
    from platformdirs import user_data_path

    return user_data_path("halubot", appauthor=False) / "models.json"


def _read(file: Path) -> Known:
    """Return the entries of the file that are not too old; empty for a file that is missing or
    damaged."""
    try:
        entries = _ENTRIES.validate_json(file.read_bytes())
    except (OSError, ValidationError):
        return {}
    oldest = time.time() - DAYS * 86_400
    return {(one.model, one.endpoint): one for one in entries if one.at >= oldest}


def _write(file: Path, known: Known) -> None:
    """Adds what this program knows to what the file holds, and replaces what that says of the same
    models. What two programs learn at the very same moment, one of them may have to learn
    again."""
    with _writing, suppress(OSError):
        there = _read(file)
        merged = there | dict(known)
        if merged == there:
            return
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_whole(
            file, _ENTRIES.dump_json(list(merged.values()), indent=1).decode(), private=True
        )
