"""Passages in the order of their words and of vectors together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from halubot.events import Note
from halubot.evidence.retrieval import Passage
from halubot.knowledge.vectors import cosine, fuse_orders
from halubot.llm_calls.talk import Talk
from halubot.llm_calls.text_vectors import given_vectors
from halubot.models.model import LanguageModel

CANDIDATES: Final = 50
"""Passages that share most with a query by their words, among which the vectors choose."""


class VectorRanking:
    """The vectors of a model beside the words of queries and passages; each text is sent once."""

    def __init__(self, talk: Talk, model: LanguageModel) -> None:
        self._talk = talk
        self._model = model
        self._known: dict[str, Sequence[float]] = {}
        self._failed = False

    async def ranked(self, query: str, found: Sequence[Passage]) -> tuple[Passage, ...]:
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
