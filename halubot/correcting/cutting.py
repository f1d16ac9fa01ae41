"""Cutting a doubted clause out of a sentence so that what is left still reads as one.

Three cuts are known: an item out of a list, a clause between its joints (commas, "and", "but",
"who", brackets), a detail with its preposition. Where none fits, nothing is cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from halubot.facts import Fact, Span


@dataclass(frozen=True, slots=True)
class Cut:
    """``text[start:end]`` gives way to ``after``; ``facts`` go with it."""

    start: int
    end: int
    after: str
    facts: tuple[int, ...]


_JOINT = re.compile(
    r"(?P<comma>,)?\s+(?:(?:and|but|or|while|whereas|although|who|which|where|when|until)\b\s*)"
    r"|,\s+|;\s+(?:(?:and|but)\b\s*)?|\s*[—–]\s*(?=\D)|\s*\(|\)"
)
_DETAIL = re.compile(
    r"\s+(?:in|on|at|by|from|for|with|near|during|after|before|since|until|as|to|between)"
    r"(?:\s+(?:the|a|an|his|her|its|their))?\s+$"
)
_LEADING = re.compile(r"(?:In|On|At|By|From|During|After|Before|Since|Until|With|For)\b")
_BETWEEN_ITEMS = re.compile(r"\s*,\s*(?:and|or)?\s*|\s+(?:and|or)\s+", re.IGNORECASE)
_LAST_LINK = re.compile(r"\s*,?\s*\b(?:and|or)\b\s*", re.IGNORECASE)


def cut(text: str, sentence: Span, doubted: Sequence[Fact], kept: Sequence[Fact]) -> list[Cut]:
    """The cuts that take the doubted facts out of a sentence and leave the kept ones whole.

    Facts that no cut fits are in none of them. A sentence that holds nothing but doubted facts
    goes as a whole, with the white space behind it, or its line where it is all that the line
    holds.
    """
    if not kept:
        start, end = _line(text, sentence)
        return [Cut(start, end, "", tuple(fact.index for fact in doubted))]
    cuts: list[Cut] = []
    done: set[int] = set()
    for group in _lists(text, doubted, kept):
        cuts.append(group)
        done.update(group.facts)
    for fact in doubted:
        if fact.index in done:
            continue
        others = [*kept, *(other for other in doubted if other.index in done)]
        found = _clause(text, sentence, fact, others) or _detail(text, sentence, fact, others)
        if found is not None and all(_apart(found, other) for other in cuts):
            gone = [other for other in doubted if _inside(other, found) and other.index not in done]
            cuts.append(replace(found, facts=tuple(other.index for other in gone)))
            done.update(other.index for other in gone)
    return cuts


def same_clause(text: str, sentence: Span, a: int, b: int) -> bool:
    """Whether no joint of the sentence stands between two places in it."""
    first, last = sorted((a, b))
    return not any(first <= joint.start() < last for joint in _JOINT.finditer(text, *sentence))


def _inside(fact: Fact, cut: Cut) -> bool:
    tail = fact.parts.tail or fact.spans[-1]
    return cut.start <= tail[0] and tail[1] <= cut.end


def _line(text: str, sentence: Span) -> Span:
    start, end = sentence
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end + 1
    before, behind = text[line_start:start], text[end:line_end]
    if not behind.strip() and re.fullmatch(r"\s*(?:[-*+>#]+|\d+[.)])?\s*", before):
        return (line_start, line_end)
    while end < len(text) and text[end] in " \t":
        end += 1
    if not behind.strip():
        while start > line_start and text[start - 1] in " \t":
            start -= 1
    return (start, end)


def _core(fact: Fact) -> list[Span]:
    """Where the fact's relation and tail stand: what must stay for it to be said."""
    parts = [fact.parts.relation, fact.parts.tail]
    return [span for span in parts if span is not None] or list(fact.spans)


def _overlap(span: Span, others: Iterable[Span]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in others)


def _apart(a: Cut, b: Cut) -> bool:
    return a.end <= b.start or b.end <= a.start


def _lists(text: str, doubted: Sequence[Fact], kept: Sequence[Fact]) -> list[Cut]:
    """Lists "A, B and C" of tails under one head and relation, without their doubted items."""
    cuts: list[Cut] = []
    out = {fact.index for fact in doubted}
    families: dict[tuple[str, str], list[Fact]] = {}
    for fact in [*doubted, *kept]:
        if fact.parts.tail is not None:
            families.setdefault(fact.triple[:2], []).append(fact)
    for family in families.values():
        for items in _runs(text, family):
            stay = [item for item in items if item.index not in out]
            gone = tuple(item.index for item in items if item.index in out)
            if stay and gone:
                spans = [span for item in items if (span := item.parts.tail) is not None]
                after = _listed(text, spans, [item.index not in out for item in items])
                cuts.append(Cut(spans[0][0], spans[-1][1], after, gone))
    return cuts


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


def _listed(text: str, spans: Sequence[Span], stays: Sequence[bool]) -> str:
    """The items that stay, joined as the list was joined."""
    links = [text[a[1] : b[0]] for a, b in pairwise(spans)]
    last = next((link for link in reversed(links) if _LAST_LINK.fullmatch(link)), links[-1])
    items = [text[a:b] for (a, b), stay in zip(spans, stays, strict=True) if stay]
    if len(items) == 2:
        return items[0] + last.replace(",", "") + items[1]
    return ", ".join(items[:-1]) + last + items[-1] if len(items) > 1 else items[0]


def _clause(text: str, sentence: Span, fact: Fact, kept: Sequence[Fact]) -> Cut | None:
    """The stretch between two joints that holds the fact and nothing of a kept one."""
    tail = fact.parts.tail or fact.spans[-1]
    relation = fact.parts.relation or tail
    first, last = min(relation[0], tail[0]), max(relation[1], tail[1])
    joints = list(_JOINT.finditer(text, *sentence))
    needed = [span for other in kept for span in _core(other)]
    needed += [other.parts.head for other in kept if other.parts.head is not None]
    before = [joint for joint in joints if joint.end() <= first]
    behind = [joint for joint in joints if joint.start() >= last]
    right = behind[0] if behind else None
    end = _stop(text, sentence) if right is None else right.start()
    for left in reversed(before):
        if not _overlap((left.end(), end), needed):
            return _between(left, right, end, fact)
    return _opening(text, sentence, fact, joints[0], needed) if joints else None


def _opening(
    text: str, sentence: Span, fact: Fact, comma: re.Match[str], needed: list[Span]
) -> Cut | None:
    """A detail that opens the sentence ("In 1816, ..."), with its comma."""
    start, end = sentence[0], comma.start()
    tail = fact.parts.tail or fact.spans[-1]
    if comma.group().strip() != "," or tail[1] > end or not _LEADING.match(text, start):
        return None
    if _overlap((start, end), needed):
        return None
    first = comma.end()
    return Cut(start, first + 1, text[first : first + 1].upper(), (fact.index,))


def _between(left: re.Match[str], right: re.Match[str] | None, end: int, fact: Fact) -> Cut | None:
    """The cut from one joint to the next, with the joints that go with it."""
    start = left.start()
    facts = (fact.index,)
    opened, closed = left.group().endswith("("), right is not None and right.group() == ")"
    if opened or closed:
        return Cut(start, end + 1, "", facts) if opened and closed else None
    if right is not None and right.group().strip() == "," and left.group().strip() == ",":
        # An aside between two commas takes both with it.
        return Cut(start, right.start() + 1, "", facts)
    return Cut(start, end, "", facts)


def _detail(text: str, sentence: Span, fact: Fact, kept: Sequence[Fact]) -> Cut | None:
    """A tail with the preposition before it, where a kept fact still says the verb."""
    tail = fact.parts.tail
    if tail is None:
        return None
    link = _DETAIL.search(text, sentence[0], tail[0])
    if link is None:
        return None
    needed = [span for other in kept for span in _core(other)]
    if _overlap(tail, (other.parts.tail for other in kept if other.parts.tail is not None)):
        return None
    relations = [other.parts.relation for other in kept if other.parts.relation is not None]
    mine = fact.parts.relation
    if mine is not None and not _overlap(mine, relations):
        return None
    if _overlap((link.start() + 1, tail[1]), [s for s in needed if s not in relations]):
        return None
    return Cut(link.start(), tail[1], "", (fact.index,))


def _stop(text: str, sentence: Span) -> int:
    """Where the sentence's words end and its closing signs begin."""
    end = sentence[1]
    while end > sentence[0] and text[end - 1] in ".!?…\"'”’»)":
        end -= 1
    return end
