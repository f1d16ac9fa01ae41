"""A ZIM file: Wikipedia, or another collection of pages, offline (https://wiki.openzim.org).

A ZIM's own search wants all words of a query in one page. It is asked for all of them, for each
name, and if that finds few pages for the words that the fewest pages have; the best pages of
each are taken in turn.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from datetime import date
from functools import lru_cache, partial
from itertools import chain, zip_longest
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import quote

from halubot.concurrency import aside
from halubot.errors import KnowledgeError, MissingExtraError, UnreadableError, explain
from halubot.evidence.knowledge.articles import Article, Section, nearest, terms
from halubot.evidence.retrieval import Passage
from halubot.text.files.reader import read_document

if TYPE_CHECKING:
    from libzim.reader import Archive

ARTICLES: Final = 8
"""Pages that are read for a query, at most."""

CHECKED: Final = 128 * 1024 * 1024
"""The most bytes of a file that is compared with its checksum when it is opened: a search in a
damaged one may end the process, and reading all of a larger one would take long."""

LARGEST: Final = 8 * 1024 * 1024
"""The most bytes of a page; a larger one is passed over."""

_REMEMBERED: Final = 64
"""Pages that are not read a second time."""

_MOST_WORDS: Final = 16
"""Words of a query of which the rarest are looked for, at most."""

_RAREST: Final = 3
"""Words of a query that are looked for by themselves."""

_DAMAGE: Final = (RuntimeError, LookupError, ValueError, ArithmeticError, MemoryError, OSError)
"""What the errors of libzim, which is written in C++, become."""

_SIGNATURE: Final = b"ZIM\x04"
"""The first bytes of a ZIM file (https://wiki.openzim.org/wiki/ZIM_file_format)."""


class _Found(NamedTuple):
    """The number of pages of a search, as its index reckons, and the paths of the best."""

    pages: int
    paths: tuple[str, ...]


class Zim:
    """The pages of a ZIM file as a knowledge base. They are found by the full-text index of the
    file, or by their titles if it has none.

    Raises MissingExtraError without libzim; KnowledgeError if there is no such file, if it
    is cut off, damaged (larger ones than `CHECKED` are not read for that) or no ZIM, and if it
    has no index.
    """

    online = False

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self.name = self._path.name
        self._lock = threading.Lock()
        archive, self._date = _open(self._path)
        self._archive: Archive | None = archive
        # Several queries of one message find the same pages.
        self._article = lru_cache(maxsize=_REMEMBERED)(partial(self._read, archive))

    async def search(self, query: str, k: int) -> tuple[Passage, ...]:
        """The ``k`` passages (at least 1) nearest to the query, of the pages found for it.

        ``location`` is the file and the path of the page in it, ``date`` that of the file,
        ``place`` the section. Raises KnowledgeError if the file is damaged or was closed.
        """
        return await aside(partial(self._search, query, k))

    def close(self) -> None:
        """Lets go of the file; may be called more than once."""
        with self._lock:
            self._archive = None

    def _search(self, query: str, k: int) -> tuple[Passage, ...]:
        with self._lock:
            if self._archive is None:
                raise KnowledgeError(f"{self._path} was closed")
            try:
                paths = _pages(self._archive, query)
                articles = [self._article(path) for path in paths]
            except _DAMAGE as error:
                raise KnowledgeError(f"{self._path} is damaged: fetch it again") from error
        return nearest([article for article in articles if article is not None], query, k)

    def _read(self, archive: Archive, path: str) -> Article | None:
        """A page as an article; None for what is no page, and for one that is too large."""
        item = archive.get_entry_by_path(path).get_item()
        if not item.mimetype.startswith("text/html") or item.size > LARGEST:
            return None
        try:
            page = read_document(bytes(item.content), "html", item.path)
        except UnreadableError:  # one page of millions, which may be made to harm
            return None
        location = f"{self._path}#{quote(item.path, safe='/')}"
        sections = tuple(_sections(page.text, page.headings))
        return Article(item.title or page.title, location, self._date, sections)


def _open(path: Path) -> tuple[Archive, str | None]:
    try:
        from libzim.reader import Archive
    except ImportError as error:
        raise MissingExtraError(f"{path}, a ZIM file,", "zim") from error
    try:
        with path.open("rb") as file:
            signature, size = file.read(len(_SIGNATURE)), os.fstat(file.fileno()).st_size
    except (OSError, ValueError) as error:
        why = "it is a folder" if path.is_dir() else explain(error)
        raise KnowledgeError(f"cannot read {path}: {why}") from error
    if signature != _SIGNATURE:
        raise KnowledgeError(f"{path} is not a ZIM file: fetch one from library.kiwix.org")
    try:
        archive = Archive(path)
        whole = size > CHECKED or archive.check()
        indexed = archive.has_fulltext_index or archive.has_title_index
        made = archive.get_metadata("Date") if "Date" in archive.metadata_keys else b""
    except _DAMAGE as error:
        raise KnowledgeError(f"{path} is damaged or cut off: fetch it again") from error
    if not whole:
        raise KnowledgeError(f"{path} is damaged: fetch it again")
    if not indexed:
        raise KnowledgeError(
            f"{path} cannot be searched, for it has no index: fetch an edition with one"
        )
    return archive, _date(made)


def _date(made: bytes) -> str | None:
    """The day on which a file was made, if it says so in the way that the format asks for."""
    try:
        return date.fromisoformat(made.decode("ascii")).isoformat()
    except ValueError:
        return None


def _pages(archive: Archive, query: str) -> list[str]:
    """The paths of the pages found for a query, each once, best first."""
    words, names = terms(query)
    if not words:
        return []
    found = [_find_files(archive, whole) for whole in dict.fromkeys([" ".join(words), *names])]
    if len({path for one in found for path in one.paths}) < ARTICLES:
        alone = (_find_files(archive, word) for word in words[:_MOST_WORDS] if word not in names)
        found += sorted(filter(attrgetter("pages"), alone), key=attrgetter("pages"))[:_RAREST]
    turns = chain.from_iterable(zip_longest(*(one.paths for one in found)))
    return list(dict.fromkeys(path for path in turns if path is not None))[:ARTICLES]


def _find_files(archive: Archive, words: str) -> _Found:
    """The pages that hold all words, or whose titles do if there is no full-text index."""
    from libzim.search import Query, Searcher
    from libzim.suggestion import SuggestionSearcher

    if archive.has_fulltext_index:
        search = Searcher(archive).search(Query().set_query(words))
    else:
        search = SuggestionSearcher(archive).suggest(words)
    results = search.getResults(0, ARTICLES)
    # A page may lead to another one.
    paths = (str(archive.get_entry_by_path(path).get_item().path) for path in results)
    return _Found(search.getEstimatedMatches(), tuple(paths))


def _sections(text: str, headings: AbstractSet[str]) -> Iterator[Section]:
    """A page's text, whose blocks are parted by blank lines, cut at the headings."""
    heading, blocks = "", list[str]()
    for block in re.split(r"\n{2,}", text):
        if block not in headings:
            blocks.append(block)
            continue
        if blocks:
            yield Section(heading, "\n\n".join(blocks))
        heading, blocks = block, []
    if blocks:
        yield Section(heading, "\n\n".join(blocks))
