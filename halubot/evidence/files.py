"""Sources from files: text, Markdown, HTML, PDF and DOCX, told apart by content and suffix, and
samples one a line."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
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
from halubot.text.files import is_docx, is_old_word, is_pdf
from halubot.text.files.encodings import decode, read_bytes

if TYPE_CHECKING:
    from halubot.text.files.protocol import Content, Format
    from halubot.text.files.reader import DocumentReader

_HTML_START = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*<(?:!doctype\s+html|html)\b", re.I | re.S
)
_HTML_SUFFIXES = {".html", ".htm", ".xhtml"}
_PLAIN_SUFFIXES = {".md", ".markdown", ".txt"}


def contents(path: str | os.PathLike[str]) -> tuple[str, str]:
    """The text of a file as it stands there, before it is cleaned, and its own title ("" if it
    has none).

    Raises UnreadableError if the file is missing, forbidden, not a file, too large, binary, or
    a broken or encrypted PDF or DOCX; InputError if it holds no text; MissingExtraError if
    reading it needs an extra.
    """
    return contents_of(read_bytes(path), path)


def contents_of(
    data: bytes,
    name: str | os.PathLike[str],
    *,
    format: Literal["html"] | None = None,
    reader: DocumentReader | None = None,
) -> tuple[str, str]:
    """Return the text and the title of a file, as `contents` does, from its bytes. ``name`` is what
    errors call it; its suffix tells what it is if neither the bytes nor ``format`` do. ``reader``
    has other limits than the usual one. Raises what `contents` raises for what it holds."""
    if not data.strip():
        raise InputError(f"{os.fspath(name)} is empty")
    suffix = Path(name).suffix.lower()
    if is_pdf(data):
        text, title = _read_document(data, "pdf", name, reader)[:2]
    elif is_old_word(data):
        why = "it is an old Word document, or an encrypted one; save it as a DOCX with no password"
        raise UnreadableError(name, why)
    elif suffix == ".docx" or is_docx(data):
        text, title = _read_document(data, "docx", name, reader)[:2]
    elif (
        format
        or suffix in _HTML_SUFFIXES
        or (
            suffix not in _PLAIN_SUFFIXES
            and _HTML_START.match(data[:4096].removeprefix(b"\xef\xbb\xbf"))
        )
    ):
        text, title = _read_document(data, "html", name, reader)[:2]
    else:
        text = decode(data, name)
        title = heading(text)
    if not text.strip():
        raise InputError(f"{os.fspath(name)} holds no text")
    return text, title


def _read_document(
    data: bytes, format: Format, name: str | os.PathLike[str], reader: DocumentReader | None
) -> Content:
    # Late: plain text needs no other process.
    from halubot.text.files.reader import read_document

    return read_document(data, format, name) if reader is None else reader.read(data, format, name)


def load(
    path: str | os.PathLike[str], *, kind: SourceKind = "reference", id: str | None = None
) -> Source:
    """A file as a source; ``location`` is its path, ``title`` what it calls itself, else its name.
    Raises what `contents` raises."""
    return source_of(read_bytes(path), path, kind=kind, id=id)


def source_of(
    data: bytes,
    name: str | os.PathLike[str],
    *,
    kind: SourceKind = "reference",
    id: str | None = None,
    reader: DocumentReader | None = None,
) -> Source:
    """Return a file as a source, as `load` does, from its bytes, such as those of standard input.
    ``reader`` and what it raises are as in `contents_of`."""
    text, title = contents_of(data, name, reader=reader)
    source = text_source(text, kind, 1, title=title or Path(name).name, location=os.fspath(name))
    return source.model_copy(update={"id": id}) if id else source


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
            text, title = contents(file)
        except (InputError, MissingExtraError) as error:
            if left_out is not None:
                left_out.append(error)
            continue
        index = len(found) + 1
        source = text_source(text, kind, index, title=title or file.name, location=os.fspath(file))
        size += len(text)
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
    """Return True if a folder is there."""
    try:
        return Path(path).is_dir()
    except OSError:  # a name too long, say; reading it as a file tells why
        return False


def files_below(folder: Path, left_out: list[HalubotError] | None = None) -> Iterator[Path]:
    """Yield every file below a folder that is not hidden, sorted. Links to folders are not
    followed, nor are links to anything outside the folder: those are added to ``left_out``."""
    return _files_below(folder, folder.resolve(), left_out)


def _files_below(folder: Path, root: Path, left_out: list[HalubotError] | None) -> Iterator[Path]:
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
            try:
                yield from _files_below(entry, root, left_out)
            except UnreadableError:
                continue
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
        if not line.strip():
            continue
        text = _sample(line, path, number)
        found.append(
            text_source(text, "sample", len(found) + 1, location=f"{os.fspath(path)}:{number}")
        )
    if not found:
        raise InputError(f'{os.fspath(path)} is empty: a line is a JSON string or {{"text": ...}}')
    return found


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


def _sample(line: str, path: str | os.PathLike[str], number: int) -> str:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BrokenLineError(path, number, "not valid JSON") from error
    if isinstance(value, dict):
        if "text" not in value:
            raise BrokenLineError(path, number, 'the object has no "text"')
        value = value["text"]
    if not isinstance(value, str):
        raise BrokenLineError(path, number, 'must be a JSON string or {"text": "..."}')
    if not value.strip():
        raise BrokenLineError(path, number, "the sample is empty")
    return value
