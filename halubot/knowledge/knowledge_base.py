"""The protocol of a knowledge base, and texts in memory as one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Protocol, runtime_checkable

from halubot.concurrency import aside
from halubot.evidence.retrieval import Index, Passage
from halubot.evidence.sources import text_source
from halubot.report import Source


@runtime_checkable
class Knowledge(Protocol):
    """The protocol of a knowledge base: passages that are found by a query.

    Each passage found has a `Source` of its own, of kind "knowledge". Its ``text`` is the passage,
    ``title`` the title of the document, ``location`` its file or address, ``place`` the place in
    the document, and ``date`` its date if that is known. Its ``id`` is "" until it is used.

    A base may have ``notes``, a list of texts like "what failed: why". A check lists each of them
    once under its problems.
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


WORDS: Final = 120
"""The most words of a passage."""


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
        self._index = Index(
            [
                one if isinstance(one, Source) else _make_untitled(one, number)
                for number, one in enumerate(texts, start=1)
            ],
            words,
        )

    async def search(self, query: str, k: int) -> tuple[Passage, ...]:
        """Return the ``k`` passages nearest to the query, nearest first; empty if none shares a
        word with it."""
        found = await aside(lambda: self._index.search(query, k))
        return tuple(_alone(passage) for passage in found)

    def close(self) -> None:
        """Do nothing: no file is open."""


def _make_untitled(text: str, number: int) -> Source:
    return text_source(text, "knowledge", number).model_copy(update={"title": ""})


def _alone(passage: Passage) -> Passage:
    """A passage whose source is the passage itself."""
    update = {"id": "", "kind": "knowledge", "text": passage.text}
    source = passage.source.model_copy(update=update)
    return Passage(source, 0, len(passage.text), passage.text, passage.score)
