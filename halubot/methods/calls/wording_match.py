"""A model's wording of a fact, found again in the sentence that states it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from halubot.compare.tokens import Token, content, is_negative, tokens
from halubot.report import Parts, Span, Triple
from halubot.text import Document, merge_spans

STRETCH: Final = 2
"""The words of a wording may be spread over so many times as many words."""

# Models write typographic quotes and dashes as plain ones, or the reverse. One for one, so that
# places stay.
_SAME: Final = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "‐": "-"})
_EDGES: Final = " \t\r\n.,;:!?"


class Aligned(NamedTuple):
    """The places of a triple: ``spans`` are its words in order, as `Fact.spans`; ``parts`` that are
    not in the sentence are None."""

    spans: tuple[Span, ...]
    parts: Parts
    negated: bool


def align_triple(message: Document, sentence: int, triple: Triple) -> Aligned:
    """The places of a triple in the sentence of that index, taken word for word, else in another
    case, else by the same words in another order.

    If a part stands several times, the place nearest to the other parts counts. A tail that is
    nowhere in the sentence, or the name in place of a pronoun, has no place. If neither
    relation nor tail has one, the whole sentence is the span. Negated is a triple that denies by
    its own words. Never raises for any text; IndexError if there is no such sentence.
    """
    start, end = message.sentences[sentence]
    found = tokens(message.plain, start, end)
    heads, relations, tails = (_places(message.plain, start, end, found, part) for part in triple)
    head = heads[0] if heads else None
    # In this order: of two places the one behind its verb is meant ("born in 1931 and died in
    # 1931").
    relation = _nearest(relations, head)
    tail = _nearest(tails, relation or head, apart_from=[head, relation])
    said = [place for place in (head, relation, tail) if place is not None]
    # A head alone says nothing of the fact.
    known = relation is not None or tail is not None
    return Aligned(
        spans=merge_spans(message.plain, said) if known else ((start, end),),
        parts=Parts(head=head, relation=relation, tail=tail),
        negated=is_negative(f"{triple.relation} {triple.tail}"),
    )


def words_of(message: Document, subject: str = "") -> frozenset[str]:
    """The norms of all words of a text and of its subject, for `is_stated`."""
    plain = message.plain
    found = (*tokens(plain, 0, len(plain)), *tokens(subject, 0, len(subject)))
    return frozenset(token.norm for token in found)


def is_stated(message: Document, sentence: int, triple: Triple, known: frozenset[str]) -> bool:
    """Return True if a triple can have been read in the sentence of that index: the sentence holds
    the numbers of its tail and half of its content words, or the tail is a name that stands for a
    pronoun; its names are ``known`` (`words_of`). What a model copies from an example
    is not stated. If there is no tail the relation takes its place."""
    start, end = message.sentences[sentence]
    own = {token.norm for token in tokens(message.plain, start, end)}
    said = content(triple.tail) or content(triple.relation)
    # Small models answer with facts of the prompt's own example: their names are nowhere in the
    # text.
    names = [token for token in said if token.kind == "name"]
    rest = [token for token in said if token.kind != "name"]
    if any(token.norm not in known for token in names):
        return False
    if any(token.kind == "number" and token.norm not in own for token in rest):
        return False
    return 2 * sum(token.norm in own for token in rest) >= len(rest)


def _places(plain: str, start: int, end: int, found: Sequence[Token], part: str) -> list[Span]:
    """Return the places of a wording in ``plain[start:end]``, by the closest way that finds it."""
    part = " ".join(part.translate(_SAME).split())
    wording = part.strip(_EDGES)
    if not wording:
        return []
    text = plain[start:end].translate(_SAME)
    # With its marks first: "Inc." ends with a full stop that is its own.
    for written in dict.fromkeys((part, wording)):
        pattern = _pattern(written)
        for flags in (0, re.IGNORECASE):
            places = [
                (start + m.start(), start + m.end()) for m in re.finditer(pattern, text, flags)
            ]
            if places:
                return places
    place = _by_words(found, wording)
    return [place] if place else []


def _pattern(wording: str) -> str:
    """The wording with any white space between its words, not inside a longer word or number."""
    words = r"\s+".join(map(re.escape, wording.split()))
    before = after = ""
    if wording[0].isdigit():
        # "15" must not be found in "1815", nor "5" in "2.5".
        before = r"(?<!\d)(?<!\d[.,])"
    # Not in scripts without spaces, where a word stands inside of others.
    elif _has_case(wording[0]):
        before = r"(?<![^\W\d_])"
    if wording[-1].isdigit():
        after = r"(?![.,]?\d)"
    elif _has_case(wording[-1]):
        after = r"(?![^\W\d_])"
    return f"{before}{words}{after}"


def _has_case(letter: str) -> bool:
    """Return True if a letter is of a script that parts its words by spaces and has capitals."""
    return letter.lower() != letter.upper()


def _by_words(found: Sequence[Token], wording: str) -> Span | None:
    """The shortest stretch that holds all content words of the wording, in any order, with those
    of its function words that stand beside it."""
    own = tokens(wording, 0, len(wording))
    wanted = Counter(token.norm for token in own if token.kind != "stop")
    if not wanted:
        return None
    lacking = wanted.copy()
    missing = wanted.total()
    best: tuple[int, int] | None = None
    first = 0
    for last, token in enumerate(found):
        if token.norm in lacking:
            missing -= lacking[token.norm] > 0
            lacking[token.norm] -= 1
        # A window that moves over the sentence once: linear, however long it is.
        while not missing:
            if best is None or last - first < best[1] - best[0]:
                best = first, last
            norm = found[first].norm
            if norm in lacking:
                lacking[norm] += 1
                missing += lacking[norm] > 0
            first += 1
    # Words scattered over a sentence are not its wording.
    if best is None or best[1] - best[0] >= STRETCH * len(own):
        return None
    first, last = best
    function = {token.norm for token in own if token.kind == "stop"}
    while first and found[first - 1].norm in function:
        first -= 1
    while last + 1 < len(found) and found[last + 1].norm in function:
        last += 1
    return found[first].start, found[last].end


def _nearest(
    places: Sequence[Span], anchor: Span | None, *, apart_from: Sequence[Span | None] = ()
) -> Span | None:
    """The place that follows the anchor most closely, else the one before it; one that overlaps
    others only if there is no other."""
    taken = [span for span in apart_from if span is not None]
    free = [p for p in places if not any(p[0] < end and start < p[1] for start, end in taken)]
    near = free or list(places)
    if anchor is None or not near:
        return near[0] if near else None
    at = anchor[1]
    return min(near, key=lambda place: (place[0] < at, abs(place[0] - at)))
