"""Words of the sources beside an entry: the sentences nearest to it, its own words that are likely
to be replaced, and those that can take their place."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from halubot_tui.corrections import doubted_place, entry_key, sentence_at

if TYPE_CHECKING:
    from collections.abc import Mapping

    from halubot.events import Emit
    from halubot.report import Report, Span

CLOSE: Final = 4
"""Sentences of sources of which those are shown first that have something for the place."""
NEAREST: Final = 3
"""Passages whose sentences are compared with one that is edited."""
SHOWN: Final = 2
"""Sentences of sources that are shown beside it."""
HEADING: Final = re.compile(r"(?m)^#+ *\Z")
"""What ends where the words of a Markdown heading begin."""


@dataclass(frozen=True, slots=True)
class Beside:
    """What sources have beside an entry: the sentences ``near`` it, each with its source's id, the
    ``place`` in the text of its words that are likely to be replaced, None if that is not known,
    and the ``values`` of sources that can stand there, the best first."""

    near: tuple[tuple[str, str], ...] = ()
    place: Span | None = None
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FindNear:
    """The order to find what the sources of a report have beside each of its entries that is not
    supported; it comes back by their keys."""

    report: Report

    async def __call__(self, emit: Emit) -> Mapping[str, Beside]:
        """Read the sources and search them, on another thread."""
        return await asyncio.to_thread(self._find)

    def _find(self) -> dict[str, Beside]:
        from halubot.correction.alternatives import in_place, norms, offers
        from halubot.evidence.retrieval import Index
        from halubot.render.items import listing, unmarked
        from halubot.text import read

        report = self.report
        index = Index([one for one in report.sources if one.text])
        sentences = [report.text[one.start : one.end] for one in report.sentences]

        @cache
        def passages(sentence: str) -> Mapping[str, str]:
            """The sentences of the nearest passages, with their sources."""
            near: dict[str, str] = {}
            for passage in index.search(sentence, NEAREST):
                for start, end in read(passage.text).sentences:
                    if not HEADING.search(passage.source.text or "", 0, passage.start + start):
                        words = unmarked(passage.text[start:end])
                        near.setdefault(words, passage.source.id)
            return near

        found: dict[str, Beside] = {}
        for entry in listing(report):
            if entry.verdict == "supported":
                continue
            start, end = sentence_at(report, entry)
            sentence = report.text[start:end]
            near, own, around = passages(sentence), norms(entry.reading), norms(sentence)
            weights = {it: 2 * len(own & (n := norms(it))) + len(around & n) for it in near}
            close = sorted(filter(weights.get, near), key=lambda it: -weights[it])[:CLOSE]
            place, values = None, tuple[str, ...]()
            doubted = doubted_place(report, entry) if entry.is_doubted else None
            if entry.fact is not None:
                tail = entry.fact.parts.tail
                inside = doubted and tail and doubted[0] <= tail[0] and tail[1] <= doubted[1]
                place, values = in_place(
                    entry.fact,
                    (start, end),
                    report.text,
                    marked=tail if inside else doubted,
                    passages=[*near],
                    near=close[:SHOWN],
                    others=sentences,
                )
            if not values:
                place = doubted or place
            if place is not None:
                at = place[0] - start, place[1] - start
                telling = {it for it in close if offers(sentence, at, (), (it,))}
                close.sort(key=lambda it: not (it in telling or any(one in it for one in values)))
            quoted = tuple((near[it], it) for it in close[:SHOWN])
            found[entry_key(entry)] = Beside(quoted, place, values)
        return found
