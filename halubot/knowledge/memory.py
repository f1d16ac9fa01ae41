"""Texts in memory as knowledge: for a notebook, and for tests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from halubot.concurrency import aside
from halubot.evidence.retrieval import Index, Passage
from halubot.evidence.sources import text_source
from halubot.report import Source

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
                one if isinstance(one, Source) else _untitled(one, number)
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


def _untitled(text: str, number: int) -> Source:
    return text_source(text, "knowledge", number).model_copy(update={"title": ""})


def _alone(passage: Passage) -> Passage:
    """A passage whose source is the passage itself."""
    update = {"id": "", "kind": "knowledge", "text": passage.text}
    source = passage.source.model_copy(update=update)
    return Passage(source, 0, len(passage.text), passage.text, passage.score)
