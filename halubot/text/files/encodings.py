"""From a file to its bytes, and from bytes to text, or the refusal of what is no text."""

from __future__ import annotations

import codecs
import os
import re
import stat

from halubot.errors import UnreadableError, explain

LARGEST = 64 * 1024 * 1024
"""The most bytes that are read of one file, or of one folder."""

LARGEST_TEXT = LARGEST // 2
"""The same of a file that is text: one rare sign in it makes each character take four bytes."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
# The largest share of control characters in a text: surely UTF-8 may hold a few strays.
_MOST_IN_UNICODE = 0.1
_MOST_IN_GUESSED = 0.01


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return the content of a regular file, or of a pipe that the shell opened (``<(...)``), of at
    most `LARGEST` bytes."""
    try:
        status = os.stat(path)
        if stat.S_ISDIR(status.st_mode):
            raise UnreadableError(path, "it is a folder")
        if not stat.S_ISREG(status.st_mode) and not is_open_pipe(path):
            raise UnreadableError(path, "it is not a regular file; use - to read standard input")
        # Of some files in /proc nothing comes for ever; a pipe is meant to be waited for.
        waits = 0 if stat.S_ISFIFO(status.st_mode) else getattr(os, "O_NONBLOCK", 0)
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | waits)) as file:
            data: bytes | None = file.read(LARGEST + 1)
        if data is None:
            raise UnreadableError(path, "nothing comes of it")
    except (OSError, ValueError) as error:
        raise UnreadableError(path, explain(error)) from error
    if len(data) > LARGEST:
        raise UnreadableError(path, f"it is larger than {LARGEST >> 20} MiB; give a part of it")
    return data


def is_open_pipe(path: str | os.PathLike[str]) -> bool:
    """Return True if a path is a pipe that is open already, as ``<(...)`` and /dev/stdin are. A
    named pipe anywhere else may have nobody who writes to it, and is not waited for."""
    try:
        return os.fspath(path).startswith(("/dev/fd/", "/dev/std", "/proc/")) and stat.S_ISFIFO(
            os.stat(path).st_mode
        )
    except (OSError, ValueError):
        return False


def decode(data: bytes, path: str | os.PathLike[str], *, declared: str | None = None) -> str:
    """``data`` as text: by its byte-order mark, by the ``declared`` character set, as UTF-8, or
    else as Windows-1252. A few broken bytes become U+FFFD.

    Raises UnreadableError if it looks like a binary file, or is larger than `LARGEST_TEXT`.
    """
    if len(data) > LARGEST_TEXT:
        why = f"it is a text larger than {LARGEST_TEXT >> 20} MiB; give a part of it"
        raise UnreadableError(path, why)
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _check(data[len(mark) :].decode(encoding, "replace"), path)
    try:
        return _check(data.decode("utf-8"), path)
    except UnicodeDecodeError:
        pass
    if declared:
        try:
            return _check(data.decode(declared), path)
        except (LookupError, ValueError):
            pass
    text = data.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    right = sum(character > "\x7f" for character in text) - broken
    if right <= broken:
        if b"\x00" in data:
            raise _binary(path)
        # Windows-1252 leaves five bytes undefined, which Latin-1 has.
        return _check(data.decode("cp1252", "replace"), path, _MOST_IN_GUESSED)
    return _check(text, path)


def _check(text: str, path: str | os.PathLike[str], most: float = _MOST_IN_UNICODE) -> str:
    """The text, unless more than that share of it are control characters."""
    # Counted one by one: a list of them would take eight times the memory of the file.
    if sum(1 for _ in _CONTROLS.finditer(text)) > most * len(text):
        raise _binary(path)
    return text


def _binary(path: str | os.PathLike[str]) -> UnreadableError:
    why = "it looks like a binary file; give text, Markdown, HTML, PDF or DOCX"
    return UnreadableError(path, why)
