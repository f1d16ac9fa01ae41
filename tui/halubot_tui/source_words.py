"""Words of the sources beside a sentence that is edited: the sentences nearest to it, its own words
that are likely to be replaced, and those that can take their place."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Final, Self

from halubot_tui.corrections import entry_key, sentence_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from halubot.compare.tokens import Token
    from halubot.events import Emit
    from halubot.render.items import Entry
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
    """A sentence of a source that is near a statement of the text: its source, by its id, its
    words, and whether it ``differs``: it speaks of the same, with another value, name or word."""

    source: str
    text: str
    differs: bool = False


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
            found[key] = tuple(Near(near[one], one, _differs(statement, one)) for one in nearest)
        return found


def _differs(statement: str, said: str) -> bool:
    """Whether a sentence speaks of the same as a statement, and not of all: a number or a name is
    another, or no more words than they share, or one denies."""
    from halubot.compare.tokens import is_negative

    known = _norms(said)
    own = [one for one in _tokens(statement) if one.kind != "stop"]
    other = [one for one in own if one.norm not in known]
    if len(other) == len(own):
        return False
    named = any(one.kind != "word" for one in other)
    return named or 0 < 2 * len(other) <= len(own) or is_negative(statement) != is_negative(said)


@lru_cache(maxsize=1000)
def _norms(text: str) -> frozenset[str]:
    """The words of a text that tell something, as they are compared."""
    from halubot.compare.tokens import content_norms

    return content_norms(_tokens(text))


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
    give for it, then what the quotes have, the text has not, and is of the same kind, nearest first
    by the words on either side. Never the words that stand there."""
    own = text[slice(*place)]
    before, after = text[: place[0]].split()[-1:], text[place[1] :].split()[:1]
    beside = {word.casefold().strip(".,;:") for word in (*before, *after)}
    found = _tokens(text)
    kind = _kind(own, [one for one in found if place[0] <= one.start < place[1]])
    have = {token.norm for token in found}
    pieces = [piece for quote in quotes for piece in _pieces(quote, have) if _alike(kind, piece[1])]
    pieces.sort(key=lambda piece: -len(beside & piece[2]))
    known = dict.fromkeys((*values, *(words for words, _, _ in pieces)))
    return tuple(one for one in known if one and one != own)[:OFFERED]


def _pieces(quote: str, have: set[str]) -> Iterator[tuple[str, str, frozenset[str]]]:
    """Yield runs of words of a quote that a text does not have, each with its kind and its
    neighbours."""
    found, at = _tokens(quote), 0
    for new, run in groupby(found, key=lambda one: one.kind != "stop" and one.norm not in have):
        words = [*run]
        at += len(words)
        if new and len(words) <= LONGEST:
            beside = (*found[: at - len(words)][-1:], *found[at : at + 1])
            start, end, _ = _place(words)
            piece = quote[start:end]
            yield piece, _kind(piece, words), frozenset(one.text.casefold() for one in beside)


def _kind(words: str, run: Sequence[Token]) -> str:
    """What words are: a value, a name, or their word class, "" if it is not known."""
    from halubot.claims.parser import usual_tag
    from halubot.values import find

    if find(words) or any(one.kind == "number" for one in run):
        return "value"
    if any(one.kind == "name" for one in run):
        return "name"
    return usual_tag(run[-1].text).partition("|")[0] if run else ""


def _alike(kind: str, other: str) -> bool:
    """Whether words of one kind can stand where those of another do."""
    return kind == other or ("" in (kind, other) and not {kind, other} & {"value", "name"})


def _place(run: Sequence[Token]) -> tuple[int, int, int]:
    """The beginning, the end and the length of a run of words."""
    return run[0].start, run[-1].end, run[-1].end - run[0].start


def _tokens(text: str) -> tuple[Token, ...]:
    from halubot.compare.tokens import tokens

    return tokens(text, 0, len(text))
