"""Words of the sources beside a sentence that is edited: the sentences nearest to it, its own words
that are likely to be replaced, and those that can take their place."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Final, Self

from halubot_tui.corrections import entry_key, sentence_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from halubot.compare.tokens import Token
    from halubot.events import Emit
    from halubot.render.items import Entry
    from halubot.report import Report, Span

NEAREST: Final = 3
"""Passages whose sentences are compared with one that is edited."""
SHOWN: Final = 2
"""Sentences of sources that are shown beside it."""
OFFERED: Final = 8
"""Pieces that are offered one after the other."""


@dataclass(frozen=True, slots=True)
class Near:
    """A sentence of a source that is near a statement of the text: its source, by its id, and its
    words."""

    source: str
    text: str


@dataclass(frozen=True, slots=True)
class FindNear:
    """The order to find the sentences of ``sources`` that are nearest to each of these statements,
    which come with the sentence that they stand in; they come back by the same keys. ``sources``
    are texts by their ids."""

    sources: Mapping[str, str]
    statements: Mapping[str, tuple[str, str]]

    @classmethod
    def of(cls, report: Report, entries: Iterable[Entry]) -> Self:
        """The order for the entries of a report that are not supported."""
        wanted = [one for one in entries if one.verdict != "supported"]
        return cls(
            {one.id: one.text for one in report.sources if one.text},
            {
                entry_key(one): (one.reading, report.text[slice(*sentence_at(report, one))])
                for one in wanted
            },
        )

    async def __call__(self, emit: Emit) -> Mapping[str, tuple[Near, ...]]:
        """Read the sources and search them, on another thread."""
        return await asyncio.to_thread(self._find)

    def _find(self) -> dict[str, tuple[Near, ...]]:
        from halubot.evidence.retrieval import Index
        from halubot.report import Source
        from halubot.text import read

        given = self.sources.items()
        index = Index([Source(id=name, kind="reference", text=text) for name, text in given])

        @cache
        def passages(sentence: str) -> Mapping[str, str]:
            """The sentences of the nearest passages, with their sources."""
            near: dict[str, str] = {}
            for passage in index.search(sentence, NEAREST):
                for span in read(passage.text).sentences:
                    near.setdefault(" ".join(passage.text[slice(*span)].split()), passage.source.id)
            return near

        found: dict[str, tuple[Near, ...]] = {}
        for key, (statement, sentence) in self.statements.items():
            near, own, around = passages(sentence), _norms(statement), _norms(sentence)
            weights = {one: 2 * len(own & (n := _norms(one))) + len(around & n) for one in near}
            nearest = sorted(filter(weights.get, near), key=lambda one: -weights[one])[:SHOWN]
            found[key] = tuple(Near(near[one], one) for one in nearest)
        return found


@lru_cache(maxsize=1000)
def _norms(text: str) -> frozenset[str]:
    """The words of a text that tell something, as they are compared."""
    from halubot.compare.tokens import content_norms

    return content_norms(_tokens(text))


def to_replace(text: str, quotes: Sequence[str], fact: str = "") -> Span | None:
    """The place of words in a text that no quote has: a value, a name or a single word; of several
    one in the words of the ``fact``, then a value or a name, else the longest. None without quotes,
    or if they have all words."""
    known = {token.norm for quote in quotes for token in _tokens(quote)}
    own = {token.norm for token in _tokens(fact)}
    tokens = _tokens(text)
    places: dict[Span, bool] = {}

    def is_new(token: Token) -> bool:
        return token.kind != "stop" and token.norm not in known

    for span in _pieces(text):
        if any(is_new(one) for one in tokens if span[0] <= one.start < span[1]):
            places[span] = True
    for new, run in groupby(tokens, key=is_new):
        words = [*run]
        if new and len(words) == 1:
            places.setdefault((words[0].start, words[0].end), False)

    def weight(span: Span) -> tuple[bool, bool, int]:
        held = any(one.norm in own for one in tokens if span[0] <= one.start < span[1])
        return held, places[span], span[1] - span[0]

    return max(places, key=weight) if known and places else None


def whole(text: str, place: Span) -> Span:
    """The value or the name that holds a place in a text; else that place."""
    holds = (one for one in _pieces(text) if one[0] <= place[0] and place[1] <= one[1])
    return next(holds, place)


def offers(text: str, place: Span, values: Iterable[str], quotes: Sequence[str]) -> tuple[str, ...]:
    """The words of quotes that can take the place of the value or the name ``text[start:end]``:
    values of the same kind and unit, or whole names, that the text does not have; first those among
    the ``values`` that sources give for it, then the nearest by the words on either side. Nothing
    in the place of other words: they would not fit."""
    kind = _pieces(text).get(place)
    before, after = text[: place[0]].split()[-1:], text[place[1] :].split()[:1]
    beside = {word.casefold().strip(".,;:") for word in (*before, *after)}
    wanted, found = {*values}, dict[str, tuple[bool, int]]()
    for quote in quotes if kind else ():
        for (start, end), other in _pieces(quote).items():
            words = quote[start:end]
            if other == kind and words.casefold() not in text.casefold():
                near = (*quote[:start].split()[-1:], *quote[end:].split()[:1])
                alike = len(beside & {one.casefold().strip(".,;:") for one in near})
                found.setdefault(words, (words not in wanted, -alike))
    return tuple(sorted(found, key=lambda words: found[words]))[:OFFERED]


@lru_cache(maxsize=100)
def _pieces(text: str) -> Mapping[Span, str]:
    """The values and the whole names in a text by their places. What is alike can stand in the
    place of each other: values of one kind and unit, names with an article or without."""
    from halubot.values import find

    tokens = _tokens(text)
    found: dict[Span, str] = {}
    for value in find(text):
        counted = next((one.norm for one in tokens if one.start >= value.end), "")
        shape = re.sub(r"\d[\d.]*", "0", value.canonical)
        found[value.span] = f"{value.kind} {shape} {counted if value.kind == 'number' else ''}"
    start, end = 0, -1
    for one in tokens:
        if one.kind != "name" or any(a < one.end and one.start < b for a, b in found):
            continue
        if end >= 0 and _JOINS.fullmatch(text, end, one.start):
            del found[start, end]
        else:
            start = one.start
        end = one.end
        found[start, end] = f"name {text[:start].casefold().endswith('the ')}"
    return found


_JOINS: Final = re.compile(r"[ -](?:(?:of|de|du|da|van|von|der|la|le) )*|['’]")
"""What stands between the words of one name."""


def _tokens(text: str) -> tuple[Token, ...]:
    from halubot.compare.tokens import tokens

    return tokens(text, 0, len(text))
