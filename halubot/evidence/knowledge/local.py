"""A knowledge base on this machine, searched by words."""

from __future__ import annotations

import hashlib

from halubot.concurrency import aside
from halubot.errors import KnowledgeError
from halubot.evidence.knowledge.bases import Home
from halubot.evidence.knowledge.index import Hit, PassageIndex
from halubot.evidence.retrieval import Passage
from halubot.report import Source


class LocalBase:
    """A `Knowledge` of passages that were read from files."""

    online = False

    def __init__(self, home: Home, index: PassageIndex) -> None:
        self.name = home.name
        self._index = index

    async def search(self, query: str, k: int) -> tuple[Passage, ...]:
        """The ``k`` passages (at least 1) nearest to the query, nearest first; ``score`` is their
        BM25. Raises KnowledgeError if the base is damaged, ValueError if ``k`` is below 1."""
        if k < 1:
            raise ValueError(f"k must be at least 1, not {k}")
        hits = await aside(lambda: self._index.search(query, k))
        return tuple(_passage(hit) for hit in hits)

    def close(self) -> None:
        """Nothing is held that needs to be let go of."""


def _passage(hit: Hit) -> Passage:
    piece = hit.piece
    source = Source(
        id="",
        kind="knowledge",
        title=piece.title,
        location=piece.location,
        place=piece.place,
        date=piece.date,
        text=piece.text,
        hash=hashlib.sha256(piece.text.encode()).hexdigest()[:16],
    )
    return Passage(source, 0, len(piece.text), piece.text, hit.score)


def open_local(home: Home) -> LocalBase:
    """Opens a base. Raises KnowledgeError if it is damaged, or holds nothing yet."""
    home.about()
    if not PassageIndex.exists(home.index):
        raise KnowledgeError(
            f"the base {home.name!r} holds nothing yet: halubot knowledge add {home.name} PATH"
        )
    return LocalBase(home, PassageIndex.open(home.index, home.name))
