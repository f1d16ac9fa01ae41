"""Vectors of passages: packed for the disk, and the order that words and vectors together make."""

from __future__ import annotations

import asyncio
import math
import struct
from collections.abc import Callable, Sequence
from operator import mul
from typing import Final

from halubot.errors import KnowledgeError
from halubot.models.model import LanguageModel

TOGETHER: Final = 64
"""Texts whose vectors are asked for in one call: 4,096 numbers each come to 6 MB, and an answer may
have 8 MB."""

_CONSTANT: Final = 60
"""Of reciprocal rank fusion, as its authors set it (Cormack, Clarke and Buettcher 2009)."""

Embed = Callable[[Sequence[str]], list[bytes]]
"""The packed vectors of texts, one each; a call of a model, so it takes its time."""


def embedder(model: LanguageModel) -> Embed:
    """The vectors of a model, for callers without a loop. Raises ModelError where it gives none,
    KnowledgeError where what it gives is no use."""
    from halubot.models.loop import own_loop

    def embed(texts: Sequence[str]) -> list[bytes]:
        made: list[bytes] = []
        for at in range(0, len(texts), TOGETHER):
            asked = texts[at : at + TOGETHER]
            work = asyncio.run_coroutine_threadsafe(model.embed(asked), own_loop())
            try:
                given = work.result()
            except BaseException:
                work.cancel()
                raise
            if len(given) != len(asked):
                raise KnowledgeError(
                    f"{model.name} gave {len(given)} vectors of {len(asked)} texts: use a model"
                    " that is made for embeddings"
                )
            made += [pack_vector(vector) for vector in given]
        return made

    return embed


def pack_vector(vector: Sequence[float]) -> bytes:
    """A vector at length 1, as 32-bit floats. Raises KnowledgeError where it has no direction."""
    length = math.hypot(*vector)
    if not (math.isfinite(length) and length > 0):
        raise KnowledgeError("the model gave a vector without direction: use another")
    return struct.pack(f"<{len(vector)}f", *(one / length for one in vector))


def unpack_vector(data: bytes) -> tuple[float, ...]:
    """The numbers of a packed vector."""
    return struct.unpack(f"<{len(data) // 4}f", data)


def fuse_orders(nearness: Sequence[float | None]) -> list[tuple[int, float]]:
    """Of things in the order of their words, with how near the vector of each is (None where
    nothing is known): their places in the order of both, with the sum of their reciprocal ranks,
    the larger the nearer. Equals stay in their order; what has no vector counts by its words."""
    known = [(at, near) for at, near in enumerate(nearness) if near is not None]
    scores = [1 / (_CONSTANT + rank) for rank in range(1, len(nearness) + 1)]
    by_vector = sorted(known, key=lambda one: (-one[1], one[0]))
    for rank, (at, _) in enumerate(by_vector, 1):
        scores[at] += 1 / (_CONSTANT + rank)
    return sorted(enumerate(scores), key=lambda one: (-one[1], one[0]))


def cosine(one: Sequence[float], other: Sequence[float]) -> float | None:
    """How near two vectors of length 1 are, in [-1, 1]; None where they cannot be compared."""
    return sum(map(mul, one, other)) if len(one) == len(other) else None
