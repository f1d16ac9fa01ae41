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
    """Passages found by a query.

    Each passage found has a `Source` of its own, of kind "knowledge", whose ``text`` is the
    passage, ``title`` the document's, ``location`` its file or address, ``place`` where in it, and
    ``date`` from when it is, if that is known; its id is "" until it is used.

    A base may have ``notes``, a list of texts like "what failed: why", each told once in a check.
    """

    name: str
    online: bool
    """Whether a query leaves this machine."""

    async def search(self, query: str, k: int) -> tuple[Passage, ...]:
        """The ``k`` passages nearest to the query, nearest first; fewer or none if no more
        share a word with it. Never blocks the loop. Raises KnowledgeError if the base cannot
        be searched now."""
        ...

    def close(self) -> None:
        """Lets go of files and connections; may be called more than once."""
        ...


WORDS: Final = 120
"""Words of a passage at most."""


class InMemory:
    """The passages of some texts, found by their words; a
    `halubot.knowledge.knowledge_base.Knowledge`.

    >>> base = InMemory("bridges", ["The Kellan Bridge was opened in 1931."])
    >>> import halubot
    >>> halubot.check("The Kellan Bridge was opened in 1932.", knowledge=[base]).facts[0].verdict
    'contradicted'
    """

    online = False

    def __init__(self, name: str, texts: Iterable[str | Source], *, words: int = WORDS) -> None:
        """Cuts the texts into passages; a text without words has none."""
        self.name = name
        self._index = Index(
            [
                one if isinstance(one, Source) else _make_untitled(one, number)
                for number, one in enumerate(texts, start=1)
            ],
            words,
        )

    async def search(self, query: str, k: int) -> tuple[Passage, ...]:
        """The ``k`` passages nearest to the query, nearest first."""
        found = await aside(lambda: self._index.search(query, k))
        return tuple(_alone(passage) for passage in found)

    def close(self) -> None:
        """Nothing is held."""


def _make_untitled(text: str, number: int) -> Source:
    return text_source(text, "knowledge", number).model_copy(update={"title": ""})


def _alone(passage: Passage) -> Passage:
    """A passage whose source is the passage itself."""
    update = {"id": "", "kind": "knowledge", "text": passage.text}
    source = passage.source.model_copy(update=update)
    return Passage(source, 0, len(passage.text), passage.text, passage.score)
