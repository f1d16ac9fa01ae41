"""Knowledge bases for tests: some that fail, some that count what they are asked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from halubot.errors import KnowledgeError
from halubot.evidence.knowledge.named_bases import InMemory
from halubot.evidence.retrieval import Passage
from halubot.report import Source

KELLAN = "The Kellan Bridge was opened in 1931. It links Osby and Varn."
OSTBY = "The Ostby Bridge was opened in 1900. It links Ostby and Lund."


class Asked(InMemory):
    """Keeps its queries; ``online`` may be set, and from query ``fails_at`` on it fails."""

    def __init__(
        self,
        name: str,
        texts: Iterable[str | Source],
        *,
        online: bool = False,
        fails_at: int | None = None,
    ) -> None:
        super().__init__(name, texts)
        self.online = online
        self.queries: list[str] = []
        self.closed = 0
        self._fails_at = fails_at

    async def search(self, query: str, k: int) -> tuple[Passage, ...]:
        self.queries.append(query)
        if self._fails_at is not None and len(self.queries) >= self._fails_at:
            raise KnowledgeError(f"{self.name} is down: try again later")
        return await super().search(query, k)

    def close(self) -> None:
        self.closed += 1


def article(
    title: str, text: str, *, place: str = "", location: str = "", date: str | None = None
) -> Source:
    """A document of a base."""
    return Source(
        id="", kind="knowledge", title=title, text=text, place=place, location=location, date=date
    )


def quoted(texts: Sequence[Source]) -> list[str]:
    """The texts of sources."""
    return [source.text or "" for source in texts]
