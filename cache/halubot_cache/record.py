"""The record of a run: the completions that it used as JSON lines, from which it is made again."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from halubot_cache.disk import DamagedRowError, as_text, from_text
from halubot_cache.errors import RecordError, UnstorableError
from halubot_cache.request import Request

SCHEMA: Final = 1


def as_line(request: Request, index: int, completion: Mapping[str, object]) -> str:
    """The line of a completion, without its line feed."""
    whole = {"schema": SCHEMA, **request.record, "index": index, "completion": completion}
    return as_text(whole)


class Record:
    """A file that `Store.record` wrote. Completions stay in it until they are asked for: the record
    of a batch does not fit into memory. Threads may share it.

    Raises `RecordError` for a file that cannot be read or holds no completion, and with its number
    for a line that is not what it should be. Where two lines are alike the first counts.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._reading = threading.Lock()
        self._places: dict[tuple[str, int], int] = {}
        self.requests: dict[str, Request] = {}
        """The requests of the record by their digests, in its order."""
        try:
            self._file = path.open("rb")
        except OSError as error:
            raise RecordError(path, None, f"it cannot be read: {why(error)}") from error
        try:
            self._read()
        except BaseException:
            self.close()
            raise

    def get(self, request: Request, index: int) -> dict[str, object] | None:
        """The completion at ``index`` (from 0), or None."""
        place = self._places.get((request.digest, index))
        if place is None:
            return None
        with self._reading:
            self._file.seek(place)
            line = self._file.readline()
        return _parse(line.decode("utf-8-sig"))[2]

    def close(self) -> None:
        """Close the file; a second time does nothing."""
        self._file.close()

    def _read(self) -> None:
        place = number = 0
        try:
            for raw in self._file:
                number += 1
                # An editor may have put a byte order mark at the beginning.
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
                if line.strip():
                    request, index, _ = _parse(line)
                    self.requests.setdefault(request.digest, request)
                    self._places.setdefault((request.digest, index), place)
                place += len(raw)
        except (DamagedRowError, UnicodeDecodeError) as error:
            raise RecordError(self._path, number, "not a JSON object in UTF-8") from error
        except UnstorableError as error:
            raise RecordError(self._path, number, str(error)) from error
        except OSError as error:
            raise RecordError(self._path, None, f"it cannot be read: {why(error)}") from error
        if not self.requests:
            raise RecordError(self._path, None, "it holds no completion")


def why(error: OSError) -> str:
    """What the operating system says, to end a sentence with."""
    return (error.strerror or str(error)).lower()


def _parse(line: str) -> tuple[Request, int, dict[str, object]]:
    match from_text(line):
        # Before all else is looked at: what a newer version writes may lack what this one asks for.
        case {"schema": int(schema)} if schema > SCHEMA:
            raise UnstorableError("it was written by a newer halubot: update halubot")
        case {"schema": 1, "index": int(index), "completion": dict(completion), **rest}:
            if isinstance(index, bool) or index < 0:
                raise UnstorableError(f"the index of a sample is 0 or more, not {index!r}")
            return Request.from_record(rest), index, completion
        case _:
            raise UnstorableError("schema, index or completion is missing or wrong")
