"""Vectors of texts: those of a named model or of the judge's provider, else lexical ones."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from halubot.compare import lexical
from halubot.concurrency import aside, every
from halubot.events import Note
from halubot.llm_calls.talk import Talk
from halubot.models.errors import ModelError
from halubot.models.model import LanguageModel

TOGETHER: Final = 80
"""Texts that are sent in one call at most: 4,096 numbers each come to 7.5 MB, and an answer may
have 8 MB (`halubot.network`)."""

LEXICAL: Final = "halubot's lexical vectors"


@dataclass(frozen=True)
class Vectors:
    """The vector of each text, all of the same ``dimensions``; ``by`` says whose they are."""

    of: Mapping[str, Sequence[float]]
    by: str
    dimensions: int


async def vectors(
    talk: Talk, texts: Iterable[str], embedder: LanguageModel | None = None
) -> Vectors:
    """The vectors of these texts by ``embedder`` (the judge where it is None), of length 1, by one
    call; by more, at once, where they are many; by none where there are none. Where any of it
    fails, or what came is no use, all are lexical (`halubot.compare.lexical`), and a note says
    so."""
    wanted = list(dict.fromkeys(texts))
    model = embedder or talk.judge
    given = await given_vectors(talk, model, [text for text in wanted if text])
    if given is not None:
        size = max((len(vector) for vector in given.values()), default=0)
        of = {text: given.get(text) or (0.0,) * size for text in wanted}
        return Vectors(of, model.name, size)
    # Why it gave none is left out: a record holds no failures, and a replay is to say the same.
    why = f"{model.name} gave no vectors, as many models that answer give none"
    talk.emit(Note(what="relations and entities were compared by their words and letters", why=why))
    of = await aside(lambda: {text: lexical.vector(text) for text in wanted})
    return Vectors(of, LEXICAL, lexical.DIMENSIONS)


async def given_vectors(
    talk: Talk, model: LanguageModel, texts: Sequence[str]
) -> dict[str, Sequence[float]] | None:
    """Return the model's vectors, of length 1; None if it gives none that can be compared."""
    portions = [texts[at : at + TOGETHER] for at in range(0, len(texts), TOGETHER)]
    try:
        rows = await every(model.embed(portion) for portion in portions)
    except ModelError:
        return None
    finally:
        talk.account()
    found = [vector for row in rows for vector in row]
    if len(found) != len(texts) or len({len(vector) for vector in found}) > 1:
        return None
    lengths = [math.hypot(*vector) for vector in found]
    if not all(math.isfinite(length) and length > 0 for length in lengths):
        return None
    return {
        text: [one / length for one in vector]
        for text, vector, length in zip(texts, found, lengths, strict=True)
    }
