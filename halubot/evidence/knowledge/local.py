"""A knowledge base on this machine: searched by words, and by vectors if it has them."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

from halubot.concurrency import aside
from halubot.errors import HalubotError, KnowledgeError, LocalModelError, MissingExtraError
from halubot.evidence.knowledge.bases import Home
from halubot.evidence.knowledge.index import Hit, PassageIndex
from halubot.evidence.retrieval import Passage
from halubot.report import Source

if TYPE_CHECKING:
    from halubot.models.model import LanguageModel

import asyncio
import math
import struct
from collections.abc import Callable, Sequence
from operator import mul

from halubot.models.model import LanguageModel

TOGETHER: Final = 64
"""Texts whose vectors are asked for in one call: 4,096 numbers each come to 6 MB, and an answer may
have 8 MB."""


_CONSTANT: Final = 60
"""Of reciprocal rank fusion, as its authors set it (Cormack, Clarke and Buettcher 2009)."""


Embed = Callable[[Sequence[str]], list[bytes]]
"""The packed vectors of texts, one each; a call of a model, so it takes its time."""


def embedder(model: LanguageModel) -> Embed:
    """The vectors of a model, for callers without a loop. Raises ModelError if it gives none,
    KnowledgeError if what it gives is no use."""
    from halubot.models.loop import own_loop

    def embed(texts: Sequence[str]) -> list[bytes]:
        made: list[bytes] = []
        for at in range(0, len(texts), TOGETHER):
            asked = texts[at : at + TOGETHER]
            # On the loop of all models: their clients cannot be used from two loops.
            work = asyncio.run_coroutine_threadsafe(model.embed(asked), own_loop())
            try:
                given = work.result()
            except BaseException:
                work.cancel()
                raise
            # A vector too few would put all that follow beside the wrong texts.
            if len(given) != len(asked):
                raise KnowledgeError(
                    f"{model.name} gave {len(given)} vectors of {len(asked)} texts: use a model"
                    " that is made for embeddings"
                )
            made += [pack_vector(vector) for vector in given]
        return made

    return embed


def pack_vector(vector: Sequence[float]) -> bytes:
    """A vector at length 1, as 32-bit floats. Raises KnowledgeError if it has no direction."""
    length = math.hypot(*vector)
    if not (math.isfinite(length) and length > 0):
        raise KnowledgeError("the model gave a vector without direction: use another")
    return struct.pack(f"<{len(vector)}f", *(one / length for one in vector))


def unpack_vector(data: bytes) -> tuple[float, ...]:
    """The numbers of a packed vector."""
    return struct.unpack(f"<{len(data) // 4}f", data)


def fuse_orders(nearness: Sequence[float | None]) -> list[tuple[int, float]]:
    """Of things in the order of their words, with how near the vector of each is (None if
    nothing is known): their places in the order of both, with the sum of their reciprocal ranks,
    the larger the nearer. Equals stay in their order; what has no vector counts by its words."""
    known = [(at, near) for at, near in enumerate(nearness) if near is not None]
    scores = [1 / (_CONSTANT + rank) for rank in range(1, len(nearness) + 1)]
    by_vector = sorted(known, key=lambda one: (-one[1], one[0]))
    for rank, (at, _) in enumerate(by_vector, 1):
        scores[at] += 1 / (_CONSTANT + rank)
    return sorted(enumerate(scores), key=lambda one: (-one[1], one[0]))


def cosine(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Return the cosine of two vectors of length 1; None if they cannot be compared."""
    return sum(map(mul, one, other)) if len(one) == len(other) else None


CANDIDATES: Final = 200
"""Passages that share most with the query by their words, among which the vectors choose."""


class LocalBase:
    """A `Knowledge` of passages that were read from files.

    With a ``model``, the one that made the vectors of the base, its `CANDIDATES` by words are put
    in the order of words and vectors together (reciprocal rank fusion); a passage that shares no
    word with the query is not found. If the model fails, words alone decide; ``notes`` tells
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
        BM25, or the sum of their reciprocal ranks if vectors had a say. Raises KnowledgeError
        if the base is damaged, ValueError if ``k`` is below 1."""
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
            # Words still find passages, so a server that is away does not end the check.
            note = f"{self.name} was searched by words alone: {error}"
            if note not in self.notes:
                self.notes.append(note)
            return None

    def _nearest(self, query: str, vector: tuple[float, ...], k: int) -> tuple[Hit, ...]:
        # Vectors choose among more than are shown, or they could only put these in another order.
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
    Raises KnowledgeError if it is damaged, or holds nothing yet."""
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
    # The base is whole without its vectors' model: only the order of passages is worse.
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
