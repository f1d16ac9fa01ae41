"""What a base of knowledge is: something that passages can be looked up in."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from halubot.evidence.retrieval import Passage


@runtime_checkable
class Knowledge(Protocol):
    """Passages found by a query.

    Each passage found has a `Source` of its own, of kind "knowledge", whose ``text`` is the
    passage, ``title`` the document's, ``location`` its file or address, ``place`` where in it, and
    ``date`` from when it is, where that is known; its id is "" until it is used.

    A base may have ``notes``, a list of texts like "what failed: why", each told once in a check.
    """

    name: str
    online: bool
    """Whether a query leaves this machine."""

    async def search(self, query: str, k: int) -> tuple[Passage, ...]:
        """The ``k`` passages nearest to the query, nearest first; fewer or none where no more
        share a word with it. Never blocks the loop. Raises KnowledgeError where the base cannot
        be searched now."""
        ...

    def close(self) -> None:
        """Lets go of files and connections; may be called more than once."""
        ...
