"""Words of the sources beside a sentence that is edited: the sentences nearest to it, its own words
that are likely to be replaced, and those that can take their place."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from halubot.compare.tokens import Token
    from halubot.events import Emit
    from halubot.report import Report, Span

NEAREST: Final = 3
"""Passages whose sentences are compared with one that is edited."""
SHOWN: Final = 2
"""Sentences of sources that are shown beside it."""
LONGEST: Final = 4
"""Words that are offered in one piece."""
OFFERED: Final = 8
"""Pieces that are offered one after the other."""


@dataclass(frozen=True, slots=True)
class Near:
    """A sentence of a source that is near one of the text: its source, by its id, and its words."""

    source: str
    text: str


@dataclass(frozen=True, slots=True)
class FindNear:
    """The order to find the sentences of ``sources`` that are nearest to each of these sentences of
    a text; they come back by its index. ``sources`` are texts by their ids."""

    sources: Mapping[str, str]
    sentences: Mapping[int, str]

    @classmethod
    def of(cls, report: Report) -> Self:
        """The order for the sentences of a report with a fact that is not supported."""
        wanted = {n for fact in report.facts if fact.verdict != "supported" for n in fact.sentences}
        sentences = {n: report.sentences[n] for n in sorted(wanted)}
        return cls(
            {one.id: one.text for one in report.sources if one.text},
            {n: report.text[one.start : one.end] for n, one in sentences.items()},
        )

    async def __call__(self, emit: Emit) -> Mapping[int, tuple[Near, ...]]:
        """Read the sources and search them, on another thread."""
        return await asyncio.to_thread(self._find)

    def _find(self) -> dict[int, tuple[Near, ...]]:
        from halubot.evidence.retrieval import Index
        from halubot.report import Source
        from halubot.text import read

        given = self.sources.items()
        index = Index([Source(id=name, kind="reference", text=text) for name, text in given])
        found: dict[int, tuple[Near, ...]] = {}
        for number, own in self.sentences.items():
            norms = {token.norm for token in _tokens(own) if token.kind != "stop"}
            near: dict[str, str] = {}
            for passage in index.search(own, NEAREST):
                for span in read(passage.text).sentences:
                    text = " ".join(passage.text[slice(*span)].split())
                    near.setdefault(text, passage.source.id)
            common = {one: len(norms & {token.norm for token in _tokens(one)}) for one in near}
            nearest = sorted(filter(common.get, common), key=lambda one: -common[one])
            found[number] = tuple(Near(near[one], one) for one in nearest[:SHOWN])
        return found


def to_replace(text: str, quotes: Sequence[str], fact: str = "") -> Span | None:
    """The place of words in a text that no quote has: of several such runs of words one in the
    words of the ``fact``, then one with a number or a name, else the longest. None without quotes,
    or if they have all words."""
    known = {token.norm for quote in quotes for token in _tokens(quote)}
    own = {token.norm for token in _tokens(fact)}

    def is_new(token: Token) -> bool:
        return token.kind != "stop" and token.norm not in known

    def weight(run: Sequence[Token]) -> tuple[bool, bool, int]:
        named = any(one.kind != "word" for one in run)
        return any(one.norm in own for one in run), named, _place(run)[2]

    runs = [[*run] for new, run in groupby(_tokens(text), key=is_new) if new] if known else []
    return _place(max(runs, key=weight))[:2] if runs else None


def offers(text: str, place: Span, values: Iterable[str], quotes: Sequence[str]) -> tuple[str, ...]:
    """The words that can take the place of ``text[start:end]``: first the ``values`` that sources
    give for it, then what the quotes have and the text has not, nearest first by the words on
    either side and by whether it is a number. Never the words that stand there."""
    own = text[slice(*place)]
    before, after = text[: place[0]].split()[-1:], text[place[1] :].split()[:1]
    beside = {word.casefold().strip(".,;:") for word in (*before, *after)}
    digits = any(map(str.isdigit, own))

    def far(piece: tuple[str, frozenset[str]]) -> int:
        same = any(map(str.isdigit, piece[0])) == digits
        return -len(beside & piece[1]) - 2 * same

    have = {token.norm for token in _tokens(text)}
    pieces = [piece for quote in quotes for piece in _pieces(quote, have)]
    known = dict.fromkeys((*values, *(words for words, _ in sorted(pieces, key=far))))
    return tuple(one for one in known if one and one != own)[:OFFERED]


def _pieces(quote: str, have: set[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield runs of words of a quote that a text does not have, each with its neighbours."""
    found, at = _tokens(quote), 0
    for new, run in groupby(found, key=lambda one: one.kind != "stop" and one.norm not in have):
        words = [*run]
        at += len(words)
        if new and len(words) <= LONGEST:
            beside = (*found[: at - len(words)][-1:], *found[at : at + 1])
            start, end, _ = _place(words)
            yield quote[start:end], frozenset(one.text.casefold() for one in beside)


def _place(run: Sequence[Token]) -> tuple[int, int, int]:
    """The beginning, the end and the length of a run of words."""
    return run[0].start, run[-1].end, run[-1].end - run[0].start


def _tokens(text: str) -> tuple[Token, ...]:
    from halubot.compare.tokens import tokens

    return tokens(text, 0, len(text))
