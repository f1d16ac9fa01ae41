"""Vectors of texts, by a model or by words, and passages ranked by words and vectors together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from halubot.compare import support
from halubot.concurrency import aside, every
from halubot.events import Note
from halubot.evidence.knowledge.local import cosine, fuse_orders
from halubot.evidence.retrieval import Passage
from halubot.methods.calls.talk import Talk
from halubot.models.model import LanguageModel
from halubot.models.model_errors import ModelError

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
    """The vectors of these texts by ``embedder`` (the judge if it is None), of length 1, by one
    call; by more, at once, if they are many; by none if there are none. If any of it
    fails, or what came is no use, all are lexical (`halubot.compare.support`), and a note says
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
    # All of them, since a cosine between vectors of two makers says nothing.
    of = await aside(lambda: {text: support.vector(text) for text in wanted})
    return Vectors(of, LEXICAL, support.DIMENSIONS)


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


CANDIDATES: Final = 50
"""Passages that share most with a query by their words, among which the vectors choose."""


class VectorRanking:
    """The vectors of a model beside the words of queries and passages; each text is sent once."""

    def __init__(self, talk: Talk, model: LanguageModel) -> None:
        self._talk = talk
        self._model = model
        self._known: dict[str, Sequence[float]] = {}
        self._failed = False

    async def rank(self, query: str, found: Sequence[Passage]) -> tuple[Passage, ...]:
        """Return passages, which come in the order of their words, in that of words and vectors
        together (reciprocal rank fusion). If the model gives no vectors they stay in their order,
        and a note says so once."""
        texts = [one for one in dict.fromkeys((query, *(one.text for one in found))) if one.strip()]
        if missing := [text for text in texts if text not in self._known and not self._failed]:
            given = await given_vectors(self._talk, self._model, missing)
            if given is None:
                self._failed = True
                why = f"{self._model.name} gave no vectors"
                self._talk.emit(Note(what="passages were found by their words alone", why=why))
            else:
                self._known |= given
        asked = self._known.get(query)
        if self._failed or asked is None:
            return tuple(found)
        own = (self._known.get(one.text) for one in found)
        near = [None if vector is None else cosine(asked, vector) for vector in own]
        return tuple(found[at] for at, _ in fuse_orders(near))
