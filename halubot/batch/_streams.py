"""Batches as streams: lines read as they come, and files compressed with Zstandard (extra
``zst``)."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, BinaryIO

from halubot.errors import InputError, MissingExtraError, UnreadableError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_CHUNK = 1 << 16


def is_zstd(path: Path) -> bool:
    """Return True if the name says that the file is compressed."""
    return path.suffix == ".zst"


def open_compressed(path: Path) -> BinaryIO:
    """Open a compressed file to read its text. Raises OSError and MissingExtraError here, and
    UnreadableError while it is read if it is damaged or cut off."""
    library = _library(path)
    file = path.open("rb")
    return io.BufferedReader(PieceReader(_inflate(path, file, library), file.close), _CHUNK)


class Frames:
    """A compressed output: what `check_file` needs of a file, in frames of one line.

    Offsets are those of the compressed file. Raises MissingExtraError.
    """

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self._path = path
        self._file = file
        self._library = _library(path)
        self._place = 0

    def tell(self) -> int:
        """Return the place at which the next frame begins."""
        return self._place

    def seek(self, place: int) -> int:
        """Go to the beginning of a frame."""
        self._place = self._file.seek(place)
        return self._place

    def truncate(self) -> int:
        """Drop what follows."""
        return self._file.truncate(self._place)

    def readline(self) -> bytes:
        """Return the next line; of a frame that was half written, what can be read of it. Raises
        InputError if another program wrote the file."""
        self._file.seek(self._place)
        inflate = self._library.ZstdDecompressor().decompressobj()
        line = b""
        while not inflate.eof:
            data = self._file.read(_CHUNK)
            if not data:
                return line
            try:
                line += inflate.decompress(data)
            except self._library.ZstdError:
                return data  # no frame: it belongs to something else
        if b"\n" in line[:-1]:
            why = "another program wrote it, in frames of several lines: name another output"
            raise InputError(f"cannot go on with {self._path}: {why}")
        # The block that was read reaches into the next frame.
        self._place = self._file.tell() - len(inflate.unused_data)
        return line

    def write(self, line: bytes) -> int:
        """Write a line as a frame."""
        self._file.seek(self._place)
        self._place += self._file.write(self._library.ZstdCompressor().compress(line))
        return len(line)

    def flush(self) -> None:
        """Hand over what was written to the system."""
        self._file.flush()

    def fileno(self) -> int:
        """Return the descriptor of the file."""
        return self._file.fileno()


class PieceReader(io.RawIOBase):
    """Pieces of bytes as one stream. Reading raises what making the pieces raises."""

    def __init__(self, pieces: Iterator[bytes], close: Callable[[], None]) -> None:
        self._pieces = pieces
        self._end = close
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        while not self._rest:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._rest = memoryview(piece)
        target = memoryview(buffer).cast("B")
        count = min(len(target), len(self._rest))
        target[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count

    def close(self) -> None:
        self._end()
        super().close()


def _inflate(path: Path, file: BinaryIO, library: ModuleType) -> Iterator[bytes]:
    """The text of a compressed file; all its frames, as one."""
    data = file.read(_CHUNK)
    while data:
        inflate = library.ZstdDecompressor().decompressobj()
        while not inflate.eof:
            if not data:
                raise UnreadableError(path, "it ends in the middle: it was cut off")
            try:
                yield inflate.decompress(data)
            except library.ZstdError as error:
                raise UnreadableError(path, f"it is damaged: {error}") from error
            data = b"" if inflate.eof else file.read(_CHUNK)
        # Another frame may follow: zstd itself joins files by putting them one behind the other.
        data = inflate.unused_data or file.read(_CHUNK)


def _library(path: Path) -> ModuleType:
    try:
        import zstandard
    except ImportError as error:
        raise MissingExtraError(f"{os.fspath(path)}, a compressed file,", "zst") from error
    return zstandard
