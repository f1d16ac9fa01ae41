"""Spans that could be cut out of a sentence: a clause between its joints, a detail with its
preposition, the detail that opens it, an item of a list."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from halubot.correction import seams
from halubot.report import Fact, Span


@dataclass(frozen=True, slots=True)
class Cut:
    """``text[start:end]`` gives way to ``after``; ``facts`` go with it."""

    start: int
    end: int
    after: str = ""
    facts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Clauses:
    """A sentence, ``text[start:end]``, its facts, and the joints of its clauses."""

    text: str
    start: int
    end: int
    doubted: tuple[Fact, ...]
    kept: tuple[Fact, ...]
    joints: tuple[re.Match[str], ...]

    @property
    def facts(self) -> tuple[Fact, ...]:
        """All facts of the sentence."""
        return self.doubted + self.kept


def clauses(text: str, sentence: Span, doubted: Sequence[Fact], kept: Sequence[Fact]) -> Clauses:
    """A sentence to cut from."""
    joints = tuple(_JOINT.finditer(text, *sentence))
    return Clauses(text, *sentence, tuple(doubted), tuple(kept), joints)


_JOINT = re.compile(
    r"(?P<comma>,)?\s+(?:(?:and|but|or|while|whereas|although|who|which|where|when|until)\b\s*)"
    r"|,\s+|;\s+(?:(?:and|but)\b\s*)?|\s*[—–]\s*(?=\D)|\s*\(|\)"
)
_DETAIL = re.compile(
    r"\s+(?:in|on|at|by|from|for|with|near|during|after|before|since|until|as|to|between)"
    r"(?:\s+(?:the|a|an|his|her|its|their))?\s+$"
)
_NAMING = re.compile(r"\s+(?:on|at|by|for|with|as|to|between)\b")
_BEFORE_DETAIL = re.compile(r"\s*,?\s+(?:and|or|but)$", re.IGNORECASE)
_LEADING = re.compile(r"(?:In|On|At|By|From|During|After|Before|Since|Until|With|For)\b")
_SUBJECT = re.compile(r"(?:he|she|it|they|we|I|you|the|this|these|his|her|its|their|there)\b")
_BETWEEN_ITEMS = re.compile(r"\s*,\s*(?:and|or)?\s*|\s+(?:and|or)\s+", re.IGNORECASE)
_LAST_LINK = re.compile(r"\s*,?\s*\b(?:and|or)\b\s*", re.IGNORECASE)
_ORDINAL = re.compile(r"\d(?:st|nd|rd|th)$", re.IGNORECASE)
_ARTICLE = re.compile(r"\ban?\s+$", re.IGNORECASE)
_LONGEST_LINK = 40


def core(fact: Fact) -> list[Span]:
    """Return the places of the fact's relation and tail: what must stay for it to be said."""
    parts = [fact.parts.relation, fact.parts.tail]
    return [span for span in parts if span is not None] or list(fact.spans)


def overlap(span: Span, others: Iterable[Span]) -> bool:
    """Return whether the span shares a character with any of the others."""
    return any(span[0] < end and start < span[1] for start, end in others)


def are_joined(text: str, sentence: Span, a: int, b: int) -> bool:
    """Return whether no joint of the sentence stands between two places in it."""
    first, last = sorted((a, b))
    return not any(first <= joint.start() < last for joint in _JOINT.finditer(text, *sentence))


def stretches(sentence: Clauses, fact: Fact) -> Iterator[Cut]:
    """The cuts that would take a fact out of the sentence and nothing of a kept one, the best
    first."""
    yield from _between_joints(sentence, fact)
    yield from _openings(sentence, fact)
    yield from _details(sentence, fact)


def _between_joints(sentence: Clauses, fact: Fact) -> Iterator[Cut]:
    tail = fact.parts.tail or fact.spans[-1]
    relation = fact.parts.relation or tail
    first, last = min(relation[0], tail[0]), max(relation[1], tail[1])
    needed = _find_needed(sentence.kept)
    right = next((joint for joint in sentence.joints if joint.start() >= last), None)
    end = _stop(sentence) if right is None else right.start()
    for left in reversed([joint for joint in sentence.joints if joint.end() <= first]):
        if overlap((left.end(), end), needed):
            return
        yield from _with_joints(left, right, end)


def _find_needed(kept: Iterable[Fact]) -> list[Span]:
    """Return what must stay for these facts to be said."""
    needed = [span for fact in kept for span in core(fact)]
    return needed + [fact.parts.head for fact in kept if fact.parts.head is not None]


def _with_joints(left: re.Match[str], right: re.Match[str] | None, end: int) -> Iterator[Cut]:
    """The cuts from one joint to the next, with the joints that may go with them."""
    start = left.start()
    opened, closed = left.group().endswith("("), right is not None and right.group() == ")"
    if opened or closed:
        if opened and closed:
            yield Cut(start, end + 1)
        return
    if right is not None and right.group().strip() == "," and left.group().strip() == ",":
        # An aside between two commas takes both with it.
        yield Cut(start, right.start() + 1)
    yield Cut(start, end)


def _openings(sentence: Clauses, fact: Fact) -> Iterator[Cut]:
    """A detail that opens the sentence ("In 1816, ..."), with its comma."""
    if not sentence.joints or sentence.joints[0].group().strip() != ",":
        return
    text, start, comma = sentence.text, sentence.start, sentence.joints[0]
    tail = fact.parts.tail or fact.spans[-1]
    first = comma.end()
    heads = {other.parts.head[0] for other in sentence.facts if other.parts.head is not None}
    if (
        tail[1] <= comma.start()
        and (first in heads or _SUBJECT.match(text, first))
        and _LEADING.match(text, start)
        and not overlap((start, comma.start()), _find_needed(sentence.kept))
    ):
        yield Cut(start, first + 1, text[first : first + 1].upper())


def _details(sentence: Clauses, fact: Fact) -> Iterator[Cut]:
    """A tail with the preposition before it, if a kept fact still says the verb; then the
    same with the "and" before it."""
    tail, kept = fact.parts.tail, sentence.kept
    if tail is None:
        return
    low = max(sentence.start, tail[0] - _LONGEST_LINK)
    link = _DETAIL.search(sentence.text, low, tail[0])
    if link is None or _in_name(sentence.text, link, tail):
        return
    if overlap(tail, (other.parts.tail for other in kept if other.parts.tail is not None)):
        return
    relations = [other.parts.relation for other in kept if other.parts.relation is not None]
    mine = fact.parts.relation
    if mine is not None and not overlap(mine, relations):
        return
    needed = [span for other in kept for span in core(other) if span not in relations]
    if overlap((link.start() + 1, tail[1]), needed):
        return
    yield Cut(link.start(), tail[1])
    before = _BEFORE_DETAIL.search(sentence.text, low, link.start())
    if before is not None:
        yield Cut(before.start(), tail[1])


def _in_name(text: str, link: re.Match[str], tail: Span) -> bool:
    """Return whether a preposition may stand inside a name ("The War on Drugs")."""
    inner, outer = (
        text[tail[0] : tail[1]],
        text[max(0, link.start() - _LONGEST_LINK) : link.start()],
    )
    return (
        _NAMING.match(link.group()) is not None
        and inner[:1].isupper()
        and not re.search(r"\d", inner)
        and re.search(r"(?<!\w)[A-Z][\w'’.-]*$", outer) is not None
    )


def _stop(sentence: Clauses) -> int:
    """Return the end of the sentence's words, at which its closing signs begin."""
    end = sentence.end
    while end > sentence.start and sentence.text[end - 1] in ".!?…\"'”’»)":
        end -= 1
    return end


def lists(sentence: Clauses) -> list[Cut]:
    """Lists "A, B and C" of tails under one head and relation, without their doubted items."""
    text = sentence.text
    cuts: list[Cut] = []
    out = {fact.index for fact in sentence.doubted}
    families: dict[tuple[str, str], list[Fact]] = {}
    for fact in sentence.facts:
        if fact.parts.tail is not None:
            families.setdefault(fact.triple[:2], []).append(fact)
    for family in families.values():
        for items in _runs(text, family):
            stays = [item.index not in out for item in items]
            gone = tuple(item.index for item in items if item.index in out)
            spans = [span for item in items if (span := item.parts.tail) is not None]
            start, end = spans[0][0], spans[-1][1]
            lead = text[max(sentence.start, start - _LONGEST_LINK) : start]
            fits = stays[-1] or seams.goes_on(text, end, sentence.end, ())
            fits = fits and _alike([text[a:b] for a, b in spans]) and not seams.counts(lead)
            fits = fits and (stays[0] or not _ARTICLE.search(lead))
            links = [text[a[1] : b[0]] for a, b in pairwise(spans)]
            fits = fits and sum(_LAST_LINK.fullmatch(link) is not None for link in links) == 1
            if any(stays) and gone and fits:
                cuts.append(Cut(start, end, _list_items(text, spans, stays), gone))
    return cuts


def _alike(items: Sequence[str]) -> bool:
    """Return whether these may be items of one list: all names, or none, and none a bare ordinal
    that leaves its noun to the last ("the 16th and 17th centuries")."""
    names = {item[:1].isupper() for item in items}
    return len(names) == 1 and not any(_ORDINAL.search(item) for item in items)


def _runs(text: str, family: Sequence[Fact]) -> list[list[Fact]]:
    """The family's tails in runs that only commas and a last "and" part."""
    placed = sorted(
        ((fact.parts.tail, fact) for fact in family if fact.parts.tail is not None),
        key=lambda item: item[0],
    )
    runs: list[list[Fact]] = []
    before: Span | None = None
    for span, fact in placed:
        if before is not None and _BETWEEN_ITEMS.fullmatch(text, before[1], span[0]):
            runs[-1].append(fact)
        else:
            runs.append([fact])
        before = span
    return [run for run in runs if len(run) > 1]


def _list_items(text: str, spans: Sequence[Span], stays: Sequence[bool]) -> str:
    """The items that stay, joined as the list was joined."""
    links = [text[a[1] : b[0]] for a, b in pairwise(spans)]
    last = next((link for link in reversed(links) if _LAST_LINK.fullmatch(link)), links[-1])
    items = [text[a:b] for (a, b), stay in zip(spans, stays, strict=True) if stay]
    if len(items) == 2:
        return items[0] + last.replace(",", "") + items[1]
    return ", ".join(items[:-1]) + last + items[-1] if len(items) > 1 else items[0]
