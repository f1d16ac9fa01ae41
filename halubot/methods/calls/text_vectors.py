"""Vectors of texts, by a model."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final

from halubot.concurrency import every
from halubot.methods.calls.session import ModelSession
from halubot.models.model import LanguageModel
from halubot.models.model_errors import ModelError

TOGETHER: Final = 80
"""Texts that are sent in one call at most: 4,096 numbers each come to 7.5 MB, and an answer may
have 8 MB (`halubot.network`)."""


async def vectors(
    session: ModelSession, model: LanguageModel, texts: Iterable[str]
) -> dict[str, Sequence[float]] | None:
    """Return the model's vectors of these texts, all of one length, by one call; by more, at once,
    if they are many. None if it gives none that can be compared."""
    wanted = list(dict.fromkeys(texts))
    portions = [wanted[at : at + TOGETHER] for at in range(0, len(wanted), TOGETHER)]
    try:
        rows = await every(model.embed(portion) for portion in portions)
    except ModelError:
        return None
    finally:
        session.account()
    found = [vector for row in rows for vector in row]
    numbers = (number for vector in found for number in vector)
    if len(found) != len(wanted) or len({len(one) for one in found}) > 1:
        return None
    return dict(zip(wanted, found, strict=True)) if all(map(math.isfinite, numbers)) else None
