"""Sources from files: text, Markdown, HTML, PDF and DOCX, told apart by content and suffix, and
samples one a line."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from halubot.errors import (
    BrokenLineError,
    HalubotError,
    InputError,
    MissingExtraError,
    UnreadableError,
    explain,
)
from halubot.evidence import MOST_CHARACTERS, heading, text_source
from halubot.report import Source, SourceKind
from halubot.text.files import Format, is_docx, is_old_word, is_pdf
from halubot.text.files.encodings import decode, read_bytes

if TYPE_CHECKING:
    from halubot.text.files.reader import DocumentReader

_HTML_START = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*<(?:!doctype\s+html|html)\b", re.I | re.S
)
_HTML_SUFFIXES = {".html", ".htm", ".xhtml"}
_PLAIN_SUFFIXES = {".md", ".markdown", ".txt"}


def contents_of(
    data: bytes,
    name: str | os.PathLike[str],
    *,
    format: Literal["html"] | None = None,
    reader: DocumentReader | None = None,
) -> tuple[str, str]:
    """The text of a file as it stands there, before it is cleaned, and its own title ("" if it has
    none), from its bytes. ``name`` is what errors call it; its suffix tells what it is if neither
    the bytes nor ``format`` do. ``reader`` has other limits than the usual one.

    Raises UnreadableError if it is binary, or a broken or encrypted PDF or DOCX; InputError if it
    holds no text; MissingExtraError if reading it needs an extra.
    """
    if not data.strip():
        raise InputError(f"{os.fspath(name)} is empty")
    suffix = Path(name).suffix.lower()
    found = format or _format_of(data, suffix)
    if is_old_word(data):
        why = "it is an old Word document, or an encrypted one; save it as a DOCX with no password"
        raise UnreadableError(name, why)
    if found is None:
        text = decode(data, name)
        title = heading(text)
    else:
        # Late: plain text needs no other process.
        from halubot.text.files.reader import read_document

        read = read_document if reader is None else reader.read
        text, title = read(data, found, name)[:2]
    if not text.strip():
        raise InputError(f"{os.fspath(name)} holds no text")
    return text, title


def _format_of(data: bytes, suffix: str) -> Format | None:
    """What a file is that is no plain text; None for plain text."""
    if is_pdf(data):
        return "pdf"
    if suffix == ".docx" or is_docx(data):
        return "docx"
    start = data[:4096].removeprefix(b"\xef\xbb\xbf")
    page = suffix not in _PLAIN_SUFFIXES and _HTML_START.match(start)
    return "html" if page or suffix in _HTML_SUFFIXES else None


def load(path: str | os.PathLike[str], *, kind: SourceKind = "reference") -> Source:
    """A file as a source, as `source_of` makes it. Raises what that raises, and UnreadableError if
    it is missing, forbidden, not a file, or too large."""
    return source_of(read_bytes(path), path, kind=kind)


def source_of(
    data: bytes,
    name: str | os.PathLike[str],
    *,
    kind: SourceKind = "reference",
    index: int = 1,
    reader: DocumentReader | None = None,
) -> Source:
    """A file as a source from its bytes; ``location`` is its name, ``title`` what it calls itself,
    else its name. ``reader`` and what it raises are as in `contents_of`."""
    text, title = contents_of(data, name, reader=reader)
    title = title or Path(name).name
    return text_source(text, kind, index, title=title, location=os.fspath(name))


def load_all(
    path: str | os.PathLike[str],
    *,
    kind: SourceKind = "reference",
    left_out: list[HalubotError] | None = None,
) -> list[Source]:
    """The sources at ``path``: of a file itself (each line of samples in a ``.jsonl`` file), of a
    folder every readable file below it in the order of their names. In a folder, hidden files are
    passed over, and files that cannot be read or hold no text, and links that leave the folder, are
    left out: why is added to ``left_out``. Ids count from 1.

    Raises what `load` raises, InputError if a folder holds nothing readable, or too much.
    """
    if not is_folder(path):
        if kind == "sample" and Path(path).suffix.lower() == ".jsonl":
            return samples_of(read_bytes(path), path)
        return [load(path, kind=kind)]
    found: list[Source] = []
    size = 0
    for file in files_below(Path(path), left_out):
        try:
            source = source_of(read_bytes(file), file, kind=kind, index=len(found) + 1)
        except (InputError, MissingExtraError) as error:
            if left_out is not None:
                left_out.append(error)
            continue
        size += len(source.text or "")
        if size > MOST_CHARACTERS:
            raise InputError(
                f"{os.fspath(path)} holds more than {MOST_CHARACTERS:,} characters of text: put it"
                " into a base with `halubot knowledge add` and name it with --knowledge"
            )
        found.append(source)
    if not found:
        kinds = "text, Markdown, HTML, PDF or DOCX"
        raise InputError(f"{os.fspath(path)} holds no readable {kinds} file")
    return found


def is_folder(path: str | os.PathLike[str]) -> bool:
    try:
        return Path(path).is_dir()
    except OSError:  # a name too long, say; reading it as a file tells why
        return False


def files_below(
    folder: Path, left_out: list[HalubotError] | None = None, *, root: Path | None = None
) -> Iterator[Path]:
    """Yield every file below a folder that is not hidden, sorted. Links to folders are not
    followed, nor are links to anything outside the folder, or its ``root``: those are added to
    ``left_out``."""
    root = root or folder.resolve()
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        raise UnreadableError(folder, explain(error)) from error
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_symlink() and leaves(entry, root):
            # A folder from elsewhere may hold a link to a private key, which would go to a model.
            if left_out is not None:
                left_out.append(UnreadableError(entry, "it is a link that leaves the folder"))
        elif entry.is_dir() and not entry.is_symlink():
            with suppress(UnreadableError):
                yield from files_below(entry, left_out, root=root)
        elif entry.is_file():
            yield entry


def leaves(link: Path, folder: Path) -> bool:
    """Return True if a link leads out of a folder; ``folder`` is resolved."""
    try:
        return not link.resolve().is_relative_to(folder)
    except (OSError, RuntimeError):  # a circle of links
        return True


def samples_of(data: bytes, path: str | os.PathLike[str]) -> list[Source]:
    """The samples in the bytes of a JSON-lines file: each line a JSON string, or an object with a
    string ``text``. Blank lines are skipped. ``location`` is the path and the line number.

    Raises BrokenLineError for any other line and for an empty sample, InputError if there is
    none at all, UnreadableError if it is no text.
    """
    found: list[Source] = []
    # Only a line feed ends a line: JSON strings may hold other line breaks.
    for number, line in enumerate(decode(data, path).split("\n"), 1):
        if line.strip():
            try:
                text = _sample(line)
            except ValueError as error:
                raise BrokenLineError(path, number, str(error)) from error
            location = f"{os.fspath(path)}:{number}"
            found.append(text_source(text, "sample", len(found) + 1, location=location))
    if not found:
        raise InputError(f'{os.fspath(path)} is empty: a line is a JSON string or {{"text": ...}}')
    return found


def _sample(line: str) -> str:
    """The text of a line. Raises ValueError with what is wrong."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError("not valid JSON") from error
    if isinstance(value, dict):
        if "text" not in value:
            raise ValueError('the object has no "text"')
        value = value["text"]
    if not isinstance(value, str):
        raise ValueError('must be a JSON string or {"text": "..."}')
    if not value.strip():
        raise ValueError("the sample is empty")
    return value


def chats_of(
    data: bytes, path: str | os.PathLike[str], *, question: str = "", message: str = ""
) -> list[Source]:
    """Return the other answers to a question as samples, from the bytes of a file that ChatGPT,
    Claude or Open WebUI exported. Without a ``question``, it is the one that ``message`` answers
    there, or the only one there is. Raises UnreadableError if that does not tell which, and if
    there are none."""
    from halubot.text.files.chats import fingerprint
    from halubot.text.files.reader import read_document

    given = {"question": fingerprint(question), "message": fingerprint(message)}
    answers = json.loads(read_document(data, "chats", path, **given).text)
    return [
        text_source(text, "sample", number, title=chat, location=os.fspath(path))
        for number, (_, text, chat) in enumerate(answers, 1)
    ]
