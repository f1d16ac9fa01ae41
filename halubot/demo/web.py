"""Twenty recorded questions with their answers, and the pages that a search finds for them.

All of it is invented and comes with halubot; `RecordedWeb` makes no connection.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

from halubot.errors import HalubotError
from halubot.evidence import text_source
from halubot.evidence.retrieval import Index
from halubot.evidence.web.lookup import Web
from halubot.evidence.web.pages import PageReader, ReadPage
from halubot.evidence.web.providers import Named, Provider, WebSettings
from halubot.evidence.web.search import Answer, Hit

SITES: Final = ("encyclopaedia.example", "local-news.example", "blog.example")
"""The sites of the pages on one subject, in their order."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A question with its answer, which of its sentences are wrong, and the pages on it."""

    subject: str
    pages: tuple[str, ...]
    sentences: tuple[str, ...]
    wrong: tuple[bool, ...]

    @property
    def question(self) -> str:
        """What the answer was asked."""
        return f"What is known about {self.subject}?"

    @property
    def text(self) -> str:
        """The answer."""
        return " ".join(self.sentences)


def parse(text: str) -> tuple[Recorded, ...]:
    """Return what a file records: a subject after "# ", its pages after "A: " to "C: ", the
    sentences of its answer after "+ " if they are right and "- " if not."""
    found = []
    for block in re.split(r"^# ", text, flags=re.MULTILINE)[1:]:
        subject, *lines = block.strip().split("\n")
        said = [line for line in lines if line[0] in "+-"]
        found.append(
            Recorded(
                subject,
                tuple(line[3:] for line in lines if line[0] in "ABC"),
                tuple(line[2:] for line in said),
                tuple(line[0] == "-" for line in said),
            )
        )
    return tuple(found)


def load() -> tuple[Recorded, ...]:
    """Read the recorded questions from the package."""
    text = files("halubot.demo").joinpath("web.txt").read_text(encoding="utf-8")
    return parse(text)


class _Pages(PageReader):
    """Recorded pages in the place of those of sites."""

    def __init__(self, pages: dict[str, ReadPage]) -> None:
        self._pages = pages

    async def read(
        self, addresses: Sequence[str], seconds: float
    ) -> dict[str, ReadPage | HalubotError]:
        """Return the pages; all addresses come from the recorded search."""
        return {address: self._pages[address] for address in addresses}


class RecordedWeb(Web):
    """A web of recorded pages, which one recorded provider searches by their words."""

    def __init__(self, recorded: Sequence[Recorded]) -> None:
        provider = Provider("recorded", "a recorded search", litellm=False)
        super().__init__(WebSettings((Named(provider),)))
        pages = {
            address: ReadPage(one.subject, text, address)
            for one in recorded
            for site, text in zip(SITES, one.pages, strict=True)
            if (address := f"https://{site}/{one.subject.replace(' ', '-').lower()}")
        }
        self.reader = _Pages(pages)
        sources = [
            text_source(f"{page.title}. {page.text}", "knowledge", 1, location=address)
            for address, page in pages.items()
        ]
        self._index = Index(sources, None)

    def find_kept(self, named: Named, query: str) -> Answer | None:
        """Return None: nothing is kept."""
        return None

    async def search(self, named: Named, query: str) -> Answer:
        """Return the recorded pages that share most words with the query."""
        return Answer(
            tuple(
                Hit("", found.source.location, "", None, named.receiver)
                for found in self._index.search(query, 6)
            )
        )
