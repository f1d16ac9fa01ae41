"""How keys and values lie in diskcache's table: as text, so that nothing read can ever run.

diskcache reads pickles wherever a row says so (CVE-2025-69872), its own JSON disk included,
and opens and deletes the files that rows name. Here a row is a text under a text; whatever
else a row claims to be, it is damaged, and no file is opened or deleted for it.
"""

from __future__ import annotations

import json
from typing import NoReturn

from diskcache import Disk

RAW = 1  # diskcache's mode of values that lie in the row as they are


class DamagedRowError(Exception):
    """A row that the store did not write."""


class TextDisk(Disk):
    """Text keys, JSON objects as text in the row; no pickle and no file."""

    def put(self, key: object) -> tuple[object, bool]:
        """A key for the table; TypeError if it is not text."""
        if not isinstance(key, str):
            raise TypeError(f"a key is text, not {type(key).__name__}")
        return key, True

    def get(self, key: object, raw: bool) -> object:
        """A key from the table; `DamagedRowError` if it is not plain text."""
        if raw != 1 or not isinstance(key, str):
            raise DamagedRowError
        return key

    def store(
        self, value: object, read: bool, key: object = None
    ) -> tuple[int, int, str | None, object]:
        """A JSON object for the table: (size in bytes, mode, no file, text)."""
        if read or not isinstance(value, dict):
            raise TypeError("a value is a JSON object")
        text = as_text(value)
        return len(text.encode()), RAW, None, text

    def fetch(self, mode: int, filename: str | None, value: object, read: bool) -> object:
        """The JSON object of a row; `DamagedRowError` if the row says it is anything else."""
        if read or mode != RAW or filename is not None:
            raise DamagedRowError
        return from_text(value)

    def filename(self, key: object = None, value: object = None) -> NoReturn:
        """No value has a file."""
        raise TypeError("values lie in their rows, not in files")

    def remove(self, file_path: str) -> None:
        """Nothing: a file that a row names is none of ours, wherever it lies."""


def as_text(value: dict[str, object]) -> str:
    """A JSON object on one line, readable where it can be; ValueError or TypeError if it is none.

    Infinities, which some servers give as log-probabilities, are written as Python does.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:  # half a surrogate pair can only be spelled out
        return json.dumps(value, separators=(",", ":"))
    return text


def from_text(text: object) -> dict[str, object]:
    """The object that `as_text` wrote; `DamagedRowError` for anything else."""
    if not isinstance(text, str):
        raise DamagedRowError
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DamagedRowError from error
    if not isinstance(value, dict):
        raise DamagedRowError
    return value
