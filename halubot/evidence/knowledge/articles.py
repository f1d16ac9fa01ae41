"""Articles of an encyclopedia: what to search for them, and their passages nearest to a query."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from halubot.compare.tokens import Token, tokens
from halubot.evidence import text_source
from halubot.evidence.retrieval import Index, Passage, passages
from halubot.report import Source
from halubot.text import clean, read

_ASIDE: Final = re.compile(r"\([^()]*\)")
"""What tells titles apart: "Mercury (planet)"."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of an article. ``heading`` is "" for what stands before the first one."""

    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class Article:
    """An article. ``location`` is its address; ``date`` (ISO 8601) is from when it is, None if
    that is not known."""

    title: str
    location: str
    date: str | None
    sections: tuple[Section, ...]


class Terms(NamedTuple):
    """The terms of a search: the words of a query without function words, each once, and its
    names, of one word or of several. They hold letters, digits, apostrophes, full stops and commas,
    so that nothing in them is taken for the syntax of a search."""

    words: tuple[str, ...]
    names: tuple[str, ...]


def terms(query: str) -> Terms:
    """The terms of a query, in its order; its function words if it has no others, and nothing
    if it has no letter and no digit. Scripts without spaces give pairs of characters."""
    plain = clean(query)[0]
    found = tokens(plain, 0, len(plain))
    kept = [token for token in found if token.kind != "stop"] or found
    names: list[str] = []
    for token, before in zip(found, [None, *found], strict=False):
        if token.kind != "name":
            continue
        between = plain[before.end : token.start] if before and before.kind == "name" else ""
        # Parts of one name: "Marie Curie", "J. Smith".
        if before and (between == " " or (between == ". " and len(before.text) == 1)):
            names[-1] += f" {_word(token)}"
        else:
            names.append(_word(token))
    return Terms(_once(map(_word, kept)), _once(names))


def nearest(articles: Sequence[Article], query: str, k: int) -> tuple[Passage, ...]:
    """The ``k`` passages of the articles (at least 1) that are nearest to the query, nearest first,
    each with a source of its own that says its article and its section; none if none shares a
    word with it.

    A passage is found by its own words and by the title and the heading above it. Its score counts
    up to double, by the share of the title's words that the query names: what is said in the
    article on a subject comes before the like in an article on another.
    """
    entries = [entry for article in articles for entry in _entries(article)]
    index = Index([entry.worded for entry in entries], words=None)
    by_worded = {id(entry.worded): entry for entry in entries}
    named = _norms(query)
    found = []
    for passage in index.search(query, max(1, len(entries))):
        source, title = by_worded[id(passage.source)][1:]
        text = source.text or ""
        share = len(title & named) / len(title) if title else 0.0
        found.append(Passage(source, 0, len(text), text, passage.score * (1 + share)))
    return tuple(sorted(found, key=lambda passage: -passage.score)[:k])


class _Entry(NamedTuple):
    """A passage: the words it is found by, what is found, and the words of its article's title."""

    worded: Source
    source: Source
    title: frozenset[str]


# Several queries of one message find the same article.
@lru_cache(maxsize=64)
def _entries(article: Article) -> tuple[_Entry, ...]:
    # "planet" of "Mercury (planet)" is seldom in a query, and would halve the share.
    title = _norms(_ASIDE.sub("", article.title))
    headed = any(section.heading for section in article.sections)
    found: list[_Entry] = []
    for section in article.sections:
        document = read(section.text, markdown=False)
        place = "introduction" if headed else ""
        if section.heading:
            place = clean(f"section {section.heading}")[0]
        for start, end in passages(document):
            text = document.text[start:end]
            made = text_source(text, "knowledge", 1, title=article.title, location=article.location)
            source = made.model_copy(update={"id": "", "place": place, "date": article.date})
            # A paragraph rarely names what its article is about.
            above = f"{article.title}. {section.heading}. "
            found.append(_Entry(text_source(above + text, "knowledge", 1), source, title))
    return tuple(found)


def _norms(text: str) -> frozenset[str]:
    """The words of a text, without function words, in one form of each."""
    plain = clean(text)[0]
    found = tokens(plain, 0, len(plain))
    return frozenset(token.norm for token in found if token.kind != "stop")


def _word(token: Token) -> str:
    """A word as it is searched for: without its possessive ending."""
    return re.sub(r"['’]s$", "", token.text)


def _once(texts: Iterable[str]) -> tuple[str, ...]:
    """The texts, each once whatever its case, in their order."""
    found: dict[str, str] = {}
    for text in texts:
        found.setdefault(text.casefold(), text)
    return tuple(found.values())
