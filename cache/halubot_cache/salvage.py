"""Entries of a damaged database, read page by page: SQLite stops at the first fault.

Rows of tables are read as https://www.sqlite.org/fileformat2.html describes them, and only those
that the store itself would have written. Deleted rows are overwritten, and are not found.
"""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from halubot_cache.disk import RAW, DamagedRowError, from_text
from halubot_cache.errors import UnstorableError
from halubot_cache.request import Key, Request

_PAGE = 4096
"""The size of pages, if the file does not say it."""
_LEAF = 13
"""The first byte of a page that holds rows of a table."""
_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
_COLUMNS = 12
_COUNT = "count"
"""The setting in which diskcache counts its rows."""

Entry = dict[str, object]


class _UnreadableError(Exception):
    """A row whose bytes are no row."""


@dataclass(slots=True)
class Damaged:
    """The database in a file. ``count`` is how many entries it had, None until `entries` has met
    the number."""

    path: Path
    count: int | None = None

    def entries(self) -> Iterator[tuple[str, Entry]]:
        """The keys and entries that can be read. Raises OSError."""
        with self.path.open("rb") as file:
            head = file.read(100)
            size = int.from_bytes(head[16:18]) if len(head) == 100 else 0
            size = 65536 if size == 1 else size
            size = size if size in {1 << bits for bits in range(9, 17)} else _PAGE
            pages = _Pages(file, size, size - (head[20] if len(head) == 100 else 0))
            for row in pages.rows():
                match row:
                    case [str(key), int(value)] if key == _COUNT:
                        self.count = value
                    case _ if (found := _entry(row)) is not None:
                        yield found


@dataclass(slots=True)
class _Pages:
    """The pages of a file, each ``size`` bytes of which ``usable`` hold something."""

    file: BinaryIO
    size: int
    usable: int

    def rows(self) -> Iterator[list[object]]:
        """The rows of all tables, less those that cannot be read."""
        number = 1
        while page := self._page(number):
            start = 100 if number == 1 else 0
            number += 1
            if len(page) < self.size or page[start] != _LEAF:
                continue
            for place in range(int.from_bytes(page[start + 3 : start + 5])):
                with contextlib.suppress(_UnreadableError, IndexError, UnicodeDecodeError):
                    at = start + 8 + 2 * place
                    yield _values(self._payload(page, int.from_bytes(page[at : at + 2])))

    def _page(self, number: int) -> bytes:
        self.file.seek((number - 1) * self.size)
        return self.file.read(self.size)

    def _payload(self, page: bytes, at: int) -> bytes:
        """The bytes of the row that begins there, also those that lie on other pages."""
        length, at = _varint(page, at)
        _, at = _varint(page, at)
        most, least = self.usable - 35, (self.usable - 12) * 32 // 255 - 23
        if length <= most:
            here = length
        else:
            here = least + (length - least) % (self.usable - 4)
            here = here if here <= most else least
        parts = [page[at : at + here]]
        left, link = length - here, page[at + here : at + here + 4]
        while left > 0:
            # The length bounds the loop: each page must bring its whole share.
            more = self._page(int.from_bytes(link)) if any(link) else b""
            if len(more) < self.size:
                raise _UnreadableError
            parts.append(more[4 : 4 + min(left, self.usable - 4)])
            left, link = left - (self.usable - 4), more[:4]
        payload = b"".join(parts)
        if len(payload) != length:
            raise _UnreadableError
        return payload


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """The whole number that begins there, and where it ends."""
    value = 0
    for _ in range(8):
        byte = data[at]
        at += 1
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at
    return value << 8 | data[at], at + 1


def _values(payload: bytes) -> list[object]:
    """The values of a row."""
    end, at = _varint(payload, 0)
    kinds = []
    while at < end:
        kind, at = _varint(payload, at)
        kinds.append(kind)
    if at != end or len(kinds) not in (2, _COLUMNS):
        raise _UnreadableError
    values: list[object] = []
    for kind in kinds:
        length = _INTEGERS.get(kind, 8 if kind == 7 else max(0, kind - 12) // 2)
        piece, at = payload[at : at + length], at + length
        if len(piece) != length:
            raise _UnreadableError
        values.append(_value(kind, piece))
    return values


def _value(kind: int, piece: bytes) -> object:
    match kind:
        case 0:
            return None
        case 7:
            return struct.unpack(">d", piece)[0]
        case 8 | 9:
            return kind - 8
        case kind if kind in _INTEGERS:
            return int.from_bytes(piece, signed=True)
        case kind if kind >= 13 and kind % 2:
            return piece.decode()
    return piece


def _entry(row: list[object]) -> tuple[str, Entry] | None:
    """The key and the entry of a row that the store wrote; None for any other row."""
    match row:
        case [_, str(text), 1, _, _, _, _, _, _, mode, None, str(value)] if mode == RAW:
            pass
        case _:
            return None
    key = Key.read(text)
    try:
        entry = from_text(value)
        match entry:
            case {"key": str(named), "request": dict(request), "completion": dict()}:
                # The request names its key, so a request with a wrong byte has another one.
                whole = Request.from_record(request)
            case _:
                return None
    except (DamagedRowError, UnstorableError):
        return None
    if key is None or named != text or (whole.model, whole.digest) != (key.model, key.digest):
        return None
    return text, entry
