"""Completions as JSON lines, to carry from one store to another.

A line is an object: ``schema`` (1), ``endpoint``, ``model``, ``messages`` (SHA-256),
``parameters``, ``index`` (from 0) and ``completion``; ``namespace`` and ``owner`` where the line
says whose it is, both or neither.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from halubot_cache.disk import DamagedRowError, as_text, from_text
from halubot_cache.errors import RecordError, UnstorableError
from halubot_cache.request import Key, Request, name
from halubot_cache.secret import without_secrets

SCHEMA = 1
Record = dict[str, object]


def key_and_entry(
    request: Request, index: int, completion: Mapping[str, object], *, namespace: str, owner: str
) -> tuple[str, Record]:
    """The key and the entry under which the store keeps a completion.

    Raises `UnstorableError` for an index that is not 0 or more.
    """
    if isinstance(index, bool) or not isinstance(index, int) or index < 0:
        raise UnstorableError(f"the index of a sample is 0 or more, not {index!r}")
    key = Key(namespace, owner, request.model, request.digest, index).text
    kept = without_secrets(completion, answer=True)
    return key, {"key": key, "request": request.record, "completion": kept}


def record(key: Key, entry: Mapping[str, object], *, scoped: bool) -> Record | None:
    """The line of an entry, with its namespace and owner if ``scoped``; None if it is damaged."""
    found = entry.get("request")
    if not isinstance(found, dict) or not isinstance(entry.get("completion"), dict):
        return None
    whose = {"namespace": key.namespace, "owner": key.owner} if scoped else {}
    return {
        "schema": SCHEMA,
        **whose,
        **found,
        "index": key.place,
        "completion": entry["completion"],
    }


def write(path: Path, records: Iterable[Record]) -> int:
    """Write ``path`` whole or not at all, for its owner's eyes only; how many lines.

    Raises `RecordError` where the operating system does not let it.
    """
    count = 0
    try:
        # It is made with mode 0600.
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
                for line in records:
                    file.write(f"{as_text(line)}\n")
                    count += 1
            os.replace(draft, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(draft)
            raise
    except OSError as error:
        raise RecordError(path, None, f"it cannot be written: {_why(error)}") from error
    return count


def read(path: Path, *, namespace: str, owner: str) -> Iterator[tuple[str, Record]]:
    """Keys and entries of the lines of ``path``; lines without a namespace get the given one.

    Raises `RecordError` with the number of the line that is not what it should be.
    """
    number = 0
    try:
        with path.open("rb") as file:
            for raw in file:
                number += 1
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
                if line.strip():
                    yield _entry(line, namespace, owner)
    except (DamagedRowError, UnicodeDecodeError) as error:
        raise RecordError(path, number, "not a JSON object in UTF-8") from error
    except UnstorableError as error:
        raise RecordError(path, number, str(error)) from error
    except OSError as error:
        raise RecordError(path, None, f"it cannot be read: {_why(error)}") from error


def _why(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _entry(line: str, namespace: str, owner: str) -> tuple[str, Record]:
    match from_text(line):
        case {"schema": int(schema)} if schema > SCHEMA:
            raise UnstorableError("it was written by a newer halubot: update halubot")
        case {"schema": 1, "index": int(index), "completion": dict(completion), **rest}:
            whose = rest.get("namespace", namespace), rest.get("owner", owner)
            match whose:
                case str(), str() if ("namespace" in rest) == ("owner" in rest):
                    spaces = {"namespace": name(whose[0]), "owner": name(whose[1])}
                case _:
                    raise UnstorableError("namespace and owner are two names, or both are missing")
            return key_and_entry(Request.from_record(rest), index, completion, **spaces)
        case _:
            raise UnstorableError("schema, index or completion is missing or wrong")
