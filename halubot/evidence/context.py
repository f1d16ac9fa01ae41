"""What a judge is shown of references where it reads all of them at once, as one text."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from halubot.evidence.excerpts import LEFT_OUT, LONGEST
from halubot.evidence.retrieval import Index
from halubot.report import Source

_PASSAGE: Final = 300
"""Characters that a passage seldom has fewer than: so many are looked for as could fit."""


class Part(NamedTuple):
    """A piece of a source that is shown: ``source.text[start:end]``."""

    source: Source
    start: int
    end: int


class Context(NamedTuple):
    """The text that is shown, and the parts it was put together from, in their order."""

    text: str
    parts: tuple[Part, ...]

    def find(self, quote: str) -> Part | None:
        """Where the first part that holds a quote has it, apart from case and white space; None
        for a quote that is blank or stands nowhere."""
        words = [re.escape(word) for word in quote.split()]
        if not words:
            return None
        wanted = re.compile(r"\s+".join(words), re.IGNORECASE)
        for source, start, end in self.parts:
            found = wanted.search(source.text or "", start, end)
            if found is not None:
                return Part(source, *found.span())
        return None


NO_CONTEXT: Final = Context("", ())


class Contexts:
    """The contexts that some references make. ``of`` may be called from any thread, and reads long
    references when it first needs to: call it off the loop."""

    def __init__(self, references: Sequence[Source]) -> None:
        self._references = [source for source in references if (source.text or "").strip()]
        self.length = sum(len(source.text or "") for source in self._references)
        """Characters of all of them."""
        self._index: Index | None = None
        self._made: dict[tuple[tuple[str, ...], int], Context] = {}
        self._lock = threading.Lock()

    def of(self, wanted: Sequence[str], longest: int = LONGEST) -> Context:
        """The references whole, where they are short. Else their passages that are nearest to each
        thing wanted, in turn, as many as fit into ``longest`` characters, in the order of the
        references; the beginnings of the references where no passage shares a word with any. Where
        there are several references each is headed by its title. Empty without references."""
        key = (tuple(wanted), longest)
        with self._lock:
            if key not in self._made:
                self._made[key] = self._written(self._parts(wanted, longest))
            return self._made[key]

    def _parts(self, wanted: Sequence[str], longest: int) -> list[Part]:
        whole = [Part(source, 0, len(source.text or "")) for source in self._references]
        if self.length <= longest:
            return whole
        if self._index is None:
            self._index = Index(self._references)
        rows = [self._index.search(one, max(1, longest // _PASSAGE)) for one in wanted]
        chosen: set[tuple[int, int, int]] = set()
        places = {id(source): place for place, source in enumerate(self._references)}
        room = longest
        for turn in range(max(map(len, rows), default=0)):
            for row in rows:
                if turn >= len(row):
                    continue
                found = row[turn]
                passage = (places[id(found.source)], found.start, found.end)
                size = found.end - found.start + len(LEFT_OUT)
                if passage not in chosen and size <= room:
                    chosen.add(passage)
                    room -= size
        if not chosen:
            share = longest // len(whole)
            return [Part(one.source, 0, min(one.end, share)) for one in whole if share]
        return [Part(self._references[at], start, end) for at, start, end in sorted(chosen)]

    def _written(self, parts: Sequence[Part]) -> Context:
        pieces: list[str] = []
        for _, group in groupby(parts, key=lambda part: id(part.source)):
            own = list(group)
            title = own[0].source.title if len(self._references) > 1 else ""
            pieces.append("".join([f"{title}\n" if title else "", *_join(own)]))
        return Context("\n\n".join(pieces), tuple(parts))


def _join(parts: Sequence[Part]) -> Iterator[str]:
    """The parts of one source, with a sign where something was left out between two of them."""
    text = parts[0].source.text or ""
    done = parts[0].start
    for _, start, end in parts:
        yield LEFT_OUT if text[done:start].strip() else text[done:start]
        yield text[start:end]
        done = end
