"""Reading files and folders into a knowledge base, file after file: their passages, each with its
place in the document."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal

from halubot.errors import HalubotError, InputError, MissingExtraError, UnreadableError, explain
from halubot.evidence import HEADING
from halubot.evidence.files import contents_of, files_below, is_folder, leaves
from halubot.evidence.knowledge.bases import Home
from halubot.evidence.knowledge.local import LocalBase, Piece, Record
from halubot.evidence.retrieval import passages
from halubot.text import Document, Span, read
from halubot.text.files import PAGE_BREAK, is_docx, is_pdf
from halubot.text.files.encodings import read_bytes
from halubot.text.markdown import blank_marks


@dataclass(frozen=True, slots=True)
class Added:
    """The result of adding: how many files are new, changed and unchanged; the paths of those that
    are gone, with their passages; what was left out, and why; and what the base holds now."""

    new: int
    changed: int
    unchanged: int
    gone: tuple[str, ...]
    left_out: tuple[HalubotError, ...]
    files: int
    passages: int


Watch = Callable[[int, int, int], object]
"""Hears how many files are read, of how many, and how many passages there are so far."""


def add(
    home: Home,
    paths: Sequence[str | os.PathLike[str]],
    *,
    watch: Watch = lambda done, of, passages: None,
) -> Added:
    """Adds files, and folders with every readable file below them that is not hidden, to a base,
    which is made if there is none and one of the paths exists. Files below a folder that are
    gone are dropped.

    Whatever ends this early, the files that were read by then last, and the same call completes
    it. Raises KnowledgeError if the base is damaged or cannot be written.
    """
    # Without following links: one that a person names is known by the name that they gave.
    roots = [Path(os.path.abspath(Path(path).expanduser())) for path in paths]
    new = not home.exists()
    try:
        with LocalBase(home, write=True) as base:
            base.add_roots(str(root) for root in roots if _is_utf8(root))
            return _read(base, roots, watch)
    finally:
        # A mistyped path leaves no empty base behind.
        if new and not any(map(os.path.lexists, roots)):
            with suppress(HalubotError):
                home.remove()


def _read(base: LocalBase, roots: Sequence[Path], watch: Watch) -> Added:
    known = base.records()
    left_out: list[HalubotError] = []
    files, gone = _look(roots, known, left_out)
    for lost in gone:
        base.drop(lost)
        del known[lost]
    outcomes: Counter[str] = Counter()
    passages = 0
    for done, path in enumerate(files):
        watch(done, len(files), passages)
        try:
            if not _is_utf8(path):
                raise UnreadableError(ascii(str(path)), "its name is not UTF-8; rename it")
            outcome, record = _file(base, path, known.get(str(path)))
        except (InputError, MissingExtraError) as error:
            left_out.append(error)
            # What the base held of it is no longer what the file says.
            if known.pop(str(path), None) is not None:
                base.drop(str(path))
            continue
        known[record.path] = record
        outcomes[outcome] += 1
        passages += record.passages if outcome != "unchanged" else 0
    return Added(
        outcomes["new"],
        outcomes["changed"],
        outcomes["unchanged"],
        tuple(gone),
        tuple(left_out),
        len(known),
        sum(record.passages for record in known.values()),
    )


def _look(
    roots: Sequence[Path], known: dict[str, Record], left_out: list[HalubotError]
) -> tuple[list[Path], list[str]]:
    """The files at and below the roots, each once; and the paths of known ones that are gone."""
    files: dict[Path, None] = {}
    gone: set[str] = set()
    for root in roots:
        if str(root) in known and _is_gone(root):
            gone.add(str(root))
        elif not is_folder(root):
            files[root] = None
        else:
            try:
                files.update(dict.fromkeys(files_below(root, left_out)))
            except UnreadableError as error:
                left_out.append(error)
                continue
            for path in map(Path, known):
                if path.is_relative_to(root) and path not in files:
                    # A link that was read may lead out of the folder now.
                    out = path.is_symlink() and leaves(path, root.resolve())
                    if out or _is_gone(path):
                        gone.add(str(path))
    return list(files), sorted(gone)


def _file(
    base: LocalBase, path: Path, record: Record | None
) -> tuple[Literal["new", "changed", "unchanged"], Record]:
    """File what is new in a file. Raises InputError if it cannot be read or holds nothing."""
    # Looked at before it is read: if it changes meanwhile, the next time it is read again.
    try:
        status = path.stat()
    except (OSError, ValueError) as error:
        raise UnreadableError(path, explain(error)) from error
    if not stat.S_ISREG(status.st_mode):
        raise UnreadableError(path, "it is not a regular file")
    size, changed = status.st_size, status.st_mtime_ns
    # Unchanged by size and time: it is not even opened.
    if record and (record.size, record.changed) == (size, changed):
        return "unchanged", record
    if path.suffix.lower() == ".jsonl":
        raise UnreadableError(path, "it holds JSON lines: write each document to its own file")
    data = read_bytes(path)
    digest = hashlib.sha256(data).hexdigest()
    if record and record.sha256 == digest:
        # Touched, and not changed: its new time is kept, so that it is not read next time.
        touched = replace(record, size=size, changed=changed)
        base.put(touched)
        return "unchanged", touched
    pieces = pieces_of(data, path, changed)
    if not pieces:
        raise InputError(f"{path} holds no text")
    fresh = Record(str(path), size, changed, digest, len(pieces))
    base.put(fresh, pieces)
    return "new" if record is None else "changed", fresh


def _is_gone(path: Path) -> bool:
    """Return True if a file is surely gone, and not merely out of reach."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def _is_utf8(path: Path) -> bool:
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True


Kind = Literal["pdf", "text", "converted"]
"""How a document came to be text: page by page, as it stood, or from HTML or DOCX, whose lines are
not those of the file."""


def places(document: Document, spans: tuple[Span, ...], kind: Kind) -> list[str]:
    """The place of each span: the pages of a PDF; of other text the heading above it, or else its
    lines; of what was converted, which part of how many. "" if there is one span, and nothing
    to tell."""
    if kind == "pdf":
        return _number(document.text, spans, PAGE_BREAK, "page", "pages")
    if len(spans) == 1 and kind == "converted":
        return [""]
    if kind == "converted":
        return [f"part {number} of {len(spans)}" for number in range(1, len(spans) + 1)]
    headings = _headings(document)
    starts = [start for start, _ in headings]
    lines = _number(document.text, spans, "\n", "line", "lines")
    if not headings:
        return lines if len(spans) > 1 else [""] * len(spans)
    found = []
    for (start, end), line in zip(spans, lines, strict=True):
        first, last = bisect_right(starts, start), bisect_right(starts, end - 1)
        titles = [title for _, title in headings[max(0, first - 1) : last]]
        if len(titles) > 1:
            found.append(f"sections {titles[0]} to {titles[-1]}")
        else:
            found.append(f"section {titles[0]}" if titles else line)
    return found


def _headings(document: Document) -> list[tuple[int, str]]:
    """The headings of a Markdown text with their beginnings; what looks like one in code is none,
    for code is blank in ``plain``."""
    found = []
    for heading in HEADING.finditer(document.text):
        # As it is read: emphasis and links in a heading are no part of its name.
        title = " ".join(blank_marks(heading[1]).split())
        if title and document.plain[heading.start(1) : heading.end(1)].strip():
            found.append((heading.start(), title))
    return found


def _number(text: str, spans: tuple[Span, ...], mark: str, one: str, many: str) -> list[str]:
    """From which to which line or page spans go, counted by the marks between them."""
    ends = [found.start() for found in re.finditer(re.escape(mark), text)]
    number: Callable[[int], int] = lambda at: bisect_right(ends, at - 1) + 1  # noqa: E731
    found = []
    for start, end in spans:
        first, last = number(start), number(end - 1)
        found.append(f"{one} {first}" if first == last else f"{many} {first} to {last}")
    return found


_CONVERTED: Final = {".html", ".htm", ".xhtml"}


def pieces_of(data: bytes, path: Path, changed: int) -> list[Piece]:
    """The passages of a file of any kind that is read as evidence, with their places; their date
    is the day on which the file was changed last (``changed``, in nanoseconds). Raises what
    `contents_of` raises."""
    text, title = contents_of(data, path)
    document = read(text)
    spans = passages(document)
    title, location = _clean(title or path.name), _clean(str(path))
    day = datetime.fromtimestamp(changed / 1e9, UTC).date().isoformat()
    kind: Kind = "text"
    if is_pdf(data):
        kind = "pdf"
    elif path.suffix.lower() in _CONVERTED or data.lstrip()[:1] == b"<" or is_docx(data):
        kind = "converted"
    return [
        Piece(document.text[start:end], title, location, place, day)
        for (start, end), place in zip(spans, places(document, spans, kind), strict=True)
    ]


def _clean(words: str) -> str:
    """Words in one line that can be written anywhere."""
    return " ".join(words.encode("utf-8", "replace").decode().split())
