"""A base on this machine: searched by words, and by vectors where it has them."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

from halubot.errors import HalubotError, KnowledgeError, LocalModelError, MissingExtraError
from halubot.evidence.retrieval import Passage
from halubot.knowledge.bases import Home
from halubot.knowledge.index import Hit, PassageIndex
from halubot.knowledge.vectors import cosine, fuse_orders, pack_vector, unpack_vector
from halubot.report import Source

if TYPE_CHECKING:
    from halubot.models.model import LanguageModel

CANDIDATES: Final = 200
"""Passages that share most with the query by their words, among which the vectors choose."""


class LocalBase:
    """A `Knowledge` of passages that were read from files.

    With a ``model``, the one that made the vectors of the base, its `CANDIDATES` by words are put
    in the order of words and vectors together (reciprocal rank fusion); a passage that shares no
    word with the query is not found. Where the model fails, words alone decide; ``notes`` tells
    what failed, each thing once.
    """

    def __init__(self, home: Home, index: PassageIndex, model: LanguageModel | None = None) -> None:
        from halubot.models.published import is_local

        self.name = home.name
        self.online = model is not None and not is_local(model.endpoint)
        self._index = index
        self._model = model
        self.notes: list[str] = []

    async def search(self, query: str, k: int) -> tuple[Passage, ...]:
        """The ``k`` passages (at least 1) nearest to the query, nearest first. ``score`` is their
        BM25, or the sum of their reciprocal ranks where vectors had a say. Raises KnowledgeError
        where the base is damaged, ValueError where ``k`` is below 1."""
        from halubot.concurrency import aside

        if k < 1:
            raise ValueError(f"k must be at least 1, not {k}")
        vector = await self._vector(query) if self._model is not None else None
        if vector is None:
            hits = await aside(lambda: self._index.search(query, k))
        else:
            asked = vector
            hits = await aside(lambda: self._nearest(query, asked, k))
        return tuple(_passage(hit) for hit in hits)

    def close(self) -> None:
        """Nothing is held that needs to be let go of."""

    async def _vector(self, query: str) -> tuple[float, ...] | None:
        assert self._model is not None  # noqa: S101 - for types
        try:
            (given,) = await self._model.embed([query])
            return unpack_vector(pack_vector(given))
        except (HalubotError, ValueError) as error:
            note = f"{self.name} was searched by words alone: {error}"
            if note not in self.notes:
                self.notes.append(note)
            return None

    def _nearest(self, query: str, vector: tuple[float, ...], k: int) -> tuple[Hit, ...]:
        hits = self._index.search(query, max(k, CANDIDATES))
        near = [
            cosine(vector, unpack_vector(hit.piece.vector)) if hit.piece.vector else None
            for hit in hits
        ]
        return tuple(Hit(hits[at].piece, score) for at, score in fuse_orders(near)[:k])


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


def open_local(home: Home, *, offline: bool = False) -> LocalBase:
    """Opens a base. With ``offline`` no hosted model is asked for vectors, and ``notes`` says so.
    Raises KnowledgeError where it is damaged, or holds nothing yet."""
    about = home.about()
    if not PassageIndex.exists(home.index):
        raise KnowledgeError(
            f"the base {home.name!r} holds nothing yet: halubot knowledge add {home.name} PATH"
        )
    index = PassageIndex.open(home.index, home.name)
    if not about.embedding_model:
        return LocalBase(home, index)
    from halubot.models import open_model
    from halubot.models.published import is_local

    try:
        model = open_model(about.embedding_model, about.api_base or None)
    except (LocalModelError, MissingExtraError) as error:
        base = LocalBase(home, index)
        base.notes.append(f"{home.name} was searched by words alone: {error}")
        return base
    if offline and not is_local(model.endpoint):
        base = LocalBase(home, index)
        base.notes.append(
            f"{home.name} was searched by words alone: {model.name}, which made its vectors, is a"
            " hosted model"
        )
        return base
    return LocalBase(home, index, model)
