"""Knowledge bases: the protocol of one, texts in memory as one, and bases opened by the names a
person gives and searched as one.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from itertools import zip_longest
from pathlib import Path
from typing import Protocol, runtime_checkable

from halubot.concurrency import aside
from halubot.errors import HalubotError, KnowledgeError, SettingError
from halubot.events import Emit, Note
from halubot.evidence import text_source
from halubot.evidence.knowledge.bases import WIKIPEDIA, find_home, is_file
from halubot.evidence.retrieval import WORDS, Index, Passage
from halubot.report import Source


@runtime_checkable
class Knowledge(Protocol):
    """The protocol of a knowledge base: passages that are found by a query.

    Each passage found has a `Source` of its own, of kind "knowledge". Its ``text`` is the passage,
    ``title`` the title of the document, ``location`` its file or address, ``place`` the place in
    the document, and ``date`` its date if that is known. Its ``id`` is "" until it is used.
    """

    name: str
    """What reports and errors call it."""
    online: bool
    """True if a query leaves this machine; ``--offline`` refuses such a base."""

    async def search(self, query: str, k: int) -> tuple[Passage, ...]:
        """Return the ``k`` passages nearest to the query, nearest first; fewer, or none, if no more
        share a word with it. Must not block the loop: file and CPU work belongs on a thread
        (`halubot.concurrency.aside`). Raises KnowledgeError if the base cannot be searched now."""
        ...

    def close(self) -> None:
        """Close files and connections; may be called more than once."""
        ...


class InMemory:
    """A knowledge base of texts in memory, whose passages are found by their words.

    >>> base = InMemory("bridges", ["The Kellan Bridge was opened in 1931."])
    >>> import halubot
    >>> halubot.check("The Kellan Bridge was opened in 1932.", knowledge=[base]).facts[0].verdict
    'contradicted'
    """

    online = False

    def __init__(self, name: str, texts: Iterable[str | Source], *, words: int = WORDS) -> None:
        """Cut the texts into passages of at most ``words`` words; a text without words has none."""
        self.name = name
        untitled = {"title": ""}
        sources = (
            text_source(one, "knowledge", 1).model_copy(update=untitled)
            if isinstance(one, str)
            else one
            for one in texts
        )
        self._index = Index(list(sources), words)

    async def search(self, query: str, k: int) -> tuple[Passage, ...]:
        """Return the ``k`` passages nearest to the query, nearest first; empty if none shares a
        word with it."""

        def alone(found: Passage) -> Passage:
            update = {"id": "", "kind": "knowledge", "text": found.text}
            source = found.source.model_copy(update=update)
            return Passage(source, 0, len(found.text), found.text, found.score)

        return tuple(map(alone, await aside(lambda: self._index.search(query, k))))

    def close(self) -> None:
        """Do nothing: no file is open."""


Named = str | Path | Knowledge
"""A base by its name, the path of a ZIM file, or a base that is open."""


def join(
    named: Named | Iterable[Named] | None, *, offline: bool = False, folder: Path | None = None
) -> Joined | None:
    """Open the bases that are named, join them with those given, each once, and return them as one
    base; None if there are none. `Joined.close` closes only those that were opened here.

    ``folder`` holds the built bases, if it is not the usual folder. Raises SettingError for an
    unknown name, and with ``offline`` for a base that needs the network; KnowledgeError for a base
    that cannot be opened.
    """
    if named is None:
        return None
    if isinstance(named, str | os.PathLike | Knowledge):
        named = [named]
    bases: list[Knowledge] = []
    with ExitStack() as own:
        for one in named:
            if isinstance(one, Joined):
                bases += one.bases
            elif isinstance(one, Knowledge):
                bases.append(one)
            elif isinstance(one, str | os.PathLike):
                bases.append(open_knowledge(os.fspath(one), offline=offline, folder=folder))
                # Closed at the end; those that were handed in open may serve other checks.
                own.callback(bases[-1].close)
            else:
                raise SettingError(f"knowledge is {type(one).__name__}, not a name, and no base")
        return Joined(tuple(dict.fromkeys(bases)), own=own.pop_all()) if bases else None


class Joined:
    """Several bases as one `Knowledge`.

    A base that fails is not searched again, and ``emit`` gets a note of it; the others go on.
    ``own`` has what `close` closes.
    """

    def __init__(
        self,
        bases: Sequence[Knowledge],
        *,
        own: ExitStack | None = None,
        emit: Emit = lambda _: None,
    ) -> None:
        self.bases = tuple(bases)
        self.name = ", ".join(base.name for base in self.bases)
        self.online = any(base.online for base in self.bases)
        self._own = own or ExitStack()
        self._emit = emit
        self._failed: dict[str, HalubotError | OSError] = {}

    async def search(self, query: str, k: int) -> tuple[Passage, ...]:
        """Return the ``k`` passages of all bases that are nearest to the query: the nearest of each
        base in turn, each text once. Raises KnowledgeError if every base has failed."""
        # A server that is away is not waited for with every query.
        left = [base for base in self.bases if base.name not in self._failed]
        rows = await asyncio.gather(*(self._of(base, query, k) for base in left))
        if len(self._failed) == len({base.name for base in self.bases}):
            whys = "; ".join(map(str, self._failed.values()))
            raise KnowledgeError(f"no knowledge could be searched: {whys}")
        found: dict[str, Passage] = {}
        # In turn: scores of two bases cannot be compared, since BM25 depends on all passages of a
        # base.
        for turn in zip_longest(*rows):
            for passage in turn:
                if passage is not None:
                    # Two bases may hold the same article.
                    found.setdefault(passage.text, passage)
        return tuple(found.values())[:k]

    async def _of(self, base: Knowledge, query: str, k: int) -> tuple[Passage, ...]:
        """Return the passages of one base; empty if it fails."""
        try:
            found = await base.search(query, k)
        except (HalubotError, OSError) as error:
            if base.name not in self._failed:
                self._failed[base.name] = error
                self._emit(Note(what=f"{base.name} could not be searched", why=str(error)))
            return ()
        return found

    def close(self) -> None:
        """Close the bases that were opened for it."""
        self._own.close()


def open_knowledge(name: str, *, offline: bool = False, folder: Path | None = None) -> Knowledge:
    """Open the knowledge base that ``--knowledge NAME`` means.

    A name is that of a base that was built, ``wikipedia`` or, in another language,
    ``wikipedia:de``, or the path of a ZIM file. ``folder`` holds the built bases, by default
    `halubot.evidence.knowledge.bases.bases_folder`.

    Raises SettingError for an unknown name, with the nearest known one, and for Wikipedia if
    ``offline``; KnowledgeError if a base or a file is damaged or missing.
    """
    if not name.strip():
        raise SettingError("a knowledge base has a name: halubot knowledge list shows them")
    kind, _, language = name.partition(":")
    if kind.lower() == WIKIPEDIA:
        if offline:
            raise SettingError(
                f"{name} is looked up online, and --offline lets nothing out of this machine: use"
                " a base of your own, or a ZIM file of Wikipedia"
            )
        from halubot.evidence.knowledge.wikipedia import Wikipedia

        return Wikipedia(language or "en")
    if is_file(name):
        from halubot.evidence.knowledge.zim import Zim

        return Zim(Path(name).expanduser())
    from halubot.evidence.knowledge.local import LocalBase

    return LocalBase(find_home(name, folder))
