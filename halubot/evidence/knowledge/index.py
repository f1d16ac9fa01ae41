"""The index of a base on disk: its passages, found by their words, and which files they came from.

Both are documents of one tantivy index, so that one commit makes both last, or neither: a base that
is killed at any moment opens as it was at the last commit.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from halubot.errors import KnowledgeError
from halubot.evidence.retrieval import split_words, terms

if TYPE_CHECKING:
    import tantivy

HEAP: Final = 128_000_000
"""Bytes of memory in which a writer gathers passages before it writes them."""

PLACES: Final = 1_000_000
"""Occurrences of its words that a query is looked up by at most, which bounds the time it takes
however large the base. Below 4,000 passages every word of every query counts."""

_THREADS: Final = 2
_WORDS: Final = r"[\p{L}\p{N}\p{M}]+"
_RECORD: Final = "record"
_SAID: Final = ("text", "title", "location", "place", "date")


@dataclass(frozen=True, slots=True)
class Piece:
    """A passage as it is kept."""

    text: str
    title: str
    location: str
    place: str = ""
    date: str | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """The record of a file that was read: its size in bytes, when it was changed (nanoseconds), its
    SHA-256 ("" of a file of lines), and how many passages came of it."""

    path: str
    size: int
    changed: int
    sha256: str
    passages: int


class Hit(NamedTuple):
    """A piece that was found, with its BM25, above 0."""

    piece: Piece
    score: float


class PassageIndex:
    """An index as it stood when it was opened; searching is safe from any thread. ``name`` is what
    errors call its base."""

    def __init__(self, index: tantivy.Index, name: str) -> None:
        self._index = index
        self._name = name
        with guard_engine(name):
            self._analyzer = _analyzer()
            index.register_tokenizer("words", self._analyzer)
            # A search sees the base as it was opened, whatever another process adds meanwhile.
            index.config_reader("manual")
            index.reload()
            self._searcher = index.searcher()

    @classmethod
    def open(cls, folder: Path, name: str) -> PassageIndex:
        """The index in a folder. Raises KnowledgeError if it cannot be read."""
        import tantivy

        with guard_engine(name):
            return cls(tantivy.Index.open(str(folder)), name)

    @classmethod
    def create(cls, folder: Path, name: str) -> PassageIndex:
        """The index in a folder, an empty one if there is none. Raises KnowledgeError."""
        import tantivy

        with guard_engine(name):
            folder.mkdir(parents=True, exist_ok=True)
            return cls(tantivy.Index(_schema(), str(folder)), name)

    @staticmethod
    def exists(folder: Path) -> bool:
        """Return True if there is an index in the folder, whole or damaged."""
        return (folder / "meta.json").exists()

    def search(self, query: str, k: int) -> tuple[Hit, ...]:
        """The ``k`` pieces (at least 1) nearest to a query, nearest first; fewer or none if no
        more share a word with it. Raises KnowledgeError if the index is damaged."""
        with guard_engine(self._name):
            words = list(dict.fromkeys(self._analyzer.analyze(" ".join(terms(query)))))
            telling = self._telling(words)
            found = self._nearest(telling, k)
            # The rarest words may stand in fewer passages than were asked for.
            if len(found) < k and len(telling) < len(words):
                found = self._nearest(words, k)
            return tuple(Hit(self._piece(address), score) for score, address in found)

    def _nearest(self, words: Sequence[str], k: int) -> list[tuple[float, tantivy.DocAddress]]:
        from tantivy import Occur, Query

        schema = self._index.schema
        wanted = [(Occur.Should, Query.term_query(schema, "words", word, "freq")) for word in words]
        most = min(k, self._searcher.num_docs)
        if not wanted or not most:
            return []
        # Counting all that match would mean looking at all of it.
        return self._searcher.search(Query.boolean_query(wanted), most, count=False).hits

    def _telling(self, words: Sequence[str]) -> list[str]:
        """The rarest of the words, so many that at most `PLACES` are looked at, and one at least:
        the commonest say least of where to look, and cost most."""
        counted = sorted((self._searcher.doc_freq("words", word), word) for word in words)
        sums = accumulate(count for count, _ in counted)
        within = [word for (_, word), so_far in zip(counted, sums, strict=True) if so_far <= PLACES]
        return within or [word for _, word in counted[:1]]

    def records(self) -> dict[str, Record]:
        """The files that were read, by their paths. Raises KnowledgeError."""
        from tantivy import Query

        with guard_engine(self._name):
            most = self._searcher.doc_freq("kind", _RECORD)
            query = Query.term_query(self._index.schema, "kind", _RECORD, "basic")
            found = self._searcher.search(query, max(1, most), count=False)
            said = [self._read_document(address) for _, address in found.hits]
        # Earlier versions kept how far a file was read; one that was not read whole is read anew.
        whole = (one for one in said if one.pop("done", one["size"]) == one["size"])
        return {one["path"]: Record(**one) for one in whole}

    def writer(self) -> Writer:
        """Writes to the index; one writer at a time. Raises KnowledgeError."""
        with guard_engine(self._name):
            return Writer(self._index.writer(HEAP, _THREADS), self._name)

    def _piece(self, address: tantivy.DocAddress) -> Piece:
        return Piece(**self._read_document(address))

    def _read_document(self, address: tantivy.DocAddress) -> dict[str, Any]:
        kept: dict[str, Any] = json.loads(bytes(self._searcher.doc(address)["kept"][0]))
        return kept


class Writer:
    """Writes that last from the next `commit` on. Every method raises KnowledgeError if the
    disk is full, or the index damaged."""

    def __init__(self, writer: tantivy.IndexWriter, name: str) -> None:
        self._writer = writer
        self._name = name

    def add(self, path: str, pieces: Sequence[Piece]) -> None:
        """Adds pieces of a file."""
        from tantivy import Document

        with guard_engine(self._name):
            for piece in pieces:
                document = Document()
                document.add_text("file", path)
                document.add_text("words", split_words(f"{piece.title}\n{piece.text}"))
                kept = {name: getattr(piece, name) for name in _SAID}
                document.add_bytes("kept", json.dumps(kept, ensure_ascii=False).encode())
                self._writer.add_document(document)

    def know(self, record: Record) -> None:
        """Keeps what is known of a file, in the same commit as its pieces: a base never knows of a
        file that it does not hold."""
        from tantivy import Document

        with guard_engine(self._name):
            self._writer.delete_documents_by_term("record", record.path)
            document = Document()
            document.add_text("record", record.path)
            document.add_text("kind", _RECORD)
            document.add_bytes("kept", json.dumps(asdict(record)).encode())
            self._writer.add_document(document)

    def drop(self, path: str) -> None:
        """Drops all pieces of a file, and what is known of it."""
        with guard_engine(self._name):
            self._writer.delete_documents_by_term("file", path)
            self._writer.delete_documents_by_term("record", path)

    def commit(self) -> None:
        """Makes everything so far last."""
        with guard_engine(self._name):
            self._writer.commit()

    def rollback(self) -> None:
        """Forgets everything since the last commit."""
        with guard_engine(self._name):
            self._writer.rollback()

    def close(self, *, wait: bool = True) -> None:
        """Ends the writing, by default once what is written has been put in order. Of no further
        use."""
        if wait:
            with guard_engine(self._name):
                self._writer.wait_merging_threads()
        del self._writer  # its lock goes with it


@contextmanager
def guard_engine(name: str) -> Iterator[None]:
    """Turns what the engine raises into a KnowledgeError that says what to do with the base."""
    try:
        yield
    except (ValueError, OSError, KeyError, TypeError, RuntimeError) as error:
        raise KnowledgeError(f"the base {name!r} {_trouble(name, str(error))}") from error
    except BaseException as error:
        # The engine panics on some damage; that class is no Exception, and has no name to import.
        if type(error).__name__ != "PanicException":
            raise
        raise KnowledgeError(f"the base {name!r} {_trouble(name, '')}") from error


def _trouble(name: str, said: str) -> str:
    if "No space left" in said:
        return "cannot be written: the disk is full; make room, and run the same command again"
    if "Permission denied" in said or "Read-only file system" in said:
        return "cannot be used: permission denied; its files must be yours to read and write"
    if "LockBusy" in said:
        return "cannot be written: another program writes to it; wait until it is done"
    return damage_hint(name)


def damage_hint(name: str) -> str:
    """Return the remedy for a damaged base, to end a sentence that begins with its name."""
    again = f"halubot knowledge remove {name}, then halubot knowledge add {name} PATH"
    return f"is damaged or cut off; build it again: {again}"


def _schema() -> tantivy.Schema:
    from tantivy import SchemaBuilder

    schema = SchemaBuilder()
    schema.add_text_field("file", tokenizer_name="raw", index_option="basic")
    schema.add_text_field("record", tokenizer_name="raw", index_option="basic")
    schema.add_text_field("kind", tokenizer_name="raw", index_option="basic")
    schema.add_text_field("words", tokenizer_name="words", index_option="freq")
    schema.add_bytes_field("kept", stored=True, indexed=False)
    schema.add_bytes_field("vector", stored=True, indexed=False)  # of bases of earlier versions
    return schema.build()


def _analyzer() -> tantivy.TextAnalyzer:
    """Return the analyzer of words that `split_words` parted; English words count by stem."""
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

    return TextAnalyzerBuilder(Tokenizer.regex(_WORDS)).filter(Filter.stemmer("english")).build()
