"""Cutting doubted facts out of a sentence so that what is left still reads as one.

A stretch that could go is a clause between its joints, a detail with its preposition, the detail
that opens the sentence, or an item of a list (`stretches`, `lists`). Of these the first is taken
that leaves good seams (`halubot.correction.seams`). If none does, nothing is cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
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
    """Return True if the span shares a character with any of the others."""
    return any(span[0] < end and start < span[1] for start, end in others)


def are_joined(text: str, sentence: Span, a: int, b: int) -> bool:
    """Return True if no joint of the sentence stands between two places in it."""
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
        # Joints farther left would take still more of a kept fact with them.
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
    # Half of a pair of brackets is never cut.
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
        # What follows opens the sentence now.
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
    # Without a kept fact that says the verb, the detail is all that the clause says.
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
    """Return True if a preposition may stand inside a name ("The War on Drugs")."""
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
    """Return True if these may be items of one list: all names, or none, and none a bare ordinal
    that leaves its noun to the last ("the 16th and 17th centuries")."""
    # "Rome and singing" are no items of one list.
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
    # Two items have no comma before the "and".
    if len(items) == 2:
        return items[0] + last.replace(",", "") + items[1]
    return ", ".join(items[:-1]) + last + items[-1] if len(items) > 1 else items[0]


_RELATIVE = re.compile(
    r"[,;]\s+(?:which|who|whom|whose|where|when|while|whereas|although|though|as|since|because"
    r"|until|and|but)\b",
    re.IGNORECASE,
)
_SERIES = re.compile(r",?\s+(?:and|or)\s", re.IGNORECASE)


def cut_facts(
    text: str, sentence: Span, doubted: Sequence[Fact], kept: Sequence[Fact]
) -> list[Cut]:
    """The cuts that take the doubted facts out of a sentence and leave the kept ones whole.

    Facts that no cut fits are in none of them. A sentence that holds nothing but doubted facts
    goes as a whole.
    """
    if not kept:
        return [Cut(*sentence, "", tuple(fact.index for fact in doubted))]
    whole = clauses(text, sentence, doubted, kept)
    cuts = [one for one in lists(whole) if seams.whole(text, one.start, one.end)]
    more = True
    while more:  # a cut may make room for another beside it
        more = False
        for fact in doubted:
            found = _first(whole, fact, cuts)
            if found is not None:
                cuts.append(found)
                more = True
    return _sound(whole, cuts)


def _first(sentence: Clauses, fact: Fact, cuts: Sequence[Cut]) -> Cut | None:
    """The first cut that takes the fact out and leaves a sentence; None if none does, and
    for a fact that is out already."""
    done = {index for made in cuts for index in made.facts}
    if fact.index in done:
        return None
    left = [other for other in sentence.doubted if other.index not in done]
    for found in stretches(sentence, fact):
        gone = tuple(other.index for other in left if _inside(other, found))
        torn = (other for other in left if other.index not in gone)
        if (
            gone
            and all(made.end <= found.start or found.end <= made.start for made in cuts)
            and not any(overlap((found.start, found.end), core(other)) for other in torn)
        ):
            made = replace(found, facts=gone)
            if _reads(sentence, [*cuts, made], made):
                return made
    return None


def _inside(fact: Fact, cut: Cut) -> bool:
    tail = fact.parts.tail or fact.spans[-1]
    return cut.start <= tail[0] and tail[1] <= cut.end


def _sound(sentence: Clauses, cuts: list[Cut]) -> list[Cut]:
    """The cuts without those that read badly beside the others; if no verb would be left,
    only those that need none."""
    # A cut that is given up may have held another one up.
    while True:
        sound = [one for one in cuts if _reads(sentence, cuts, one)]
        if len(sound) == len(cuts):
            break
        cuts = sound
    gone = {index for made in cuts for index in made.facts}
    verbs = [fact.parts.relation for fact in sentence.facts if fact.index not in gone]
    if any(verb is not None and _outside(sentence, verb) for verb in verbs):
        return cuts
    return [one for one in cuts if one.after or _is_bracketed(sentence, one)]


def _reads(sentence: Clauses, cuts: Sequence[Cut], one: Cut) -> bool:
    """Return True if the sentence reads on where this cut of all the cuts was made."""
    text = sentence.text
    if one.after:  # lists and openings, which were made to fit
        return True
    if not seams.whole(text, one.start, one.end):
        return False
    if _is_bracketed(sentence, one):
        return text[one.start - 1 : one.start] != "]"  # the address of a link
    lead, place = _around(sentence, cuts, one)
    if seams.hangs(lead) or seams.empty(lead, text, place, sentence.end):
        return False
    gone = {index for made in cuts for index in made.facts}
    starts = {
        span[0]
        for fact in sentence.facts
        if fact.index not in gone
        for span in (fact.parts.head, fact.parts.relation)
        if span is not None
    }
    if _tears(sentence, one, lead, place, starts):
        return False
    return seams.goes_on(text, place, sentence.end, starts)


def _tears(sentence: Clauses, one: Cut, lead: str, place: int, starts: set[int]) -> bool:
    """Return True if the cut tears a series, a subject from its further verbs, or a clause from its
    opening."""
    text = sentence.text
    inside = [fact.parts for fact in sentence.facts if fact.index in one.facts]
    relations = [parts.relation for parts in inside if parts.relation is not None]
    says = bool(relations) and min(relations)[0] >= one.start
    heads = [parts.head for parts in inside if parts.head is not None]
    subject = any(head[0] >= one.start for head in heads)
    subject = subject or (says and seams.pronoun(text[one.start : min(relations)[0]]))
    if _SERIES.match(text, one.start):
        bare = text[one.start] != ","
        if seams.announces_pair(lead) or (says and subject and bare):
            return True
        if _ends_series(sentence, one.start, starts) or (not says and "," in lead):
            return True
    elif (
        text[one.start] in ",;"
        and not _RELATIVE.match(text, one.start)
        and (seams.opens(lead) or (says and subject))
    ) or seams.ranges(lead, text[one.start : one.end]):
        return True
    return subject and seams.carries(text, place, starts)


def _around(sentence: Clauses, cuts: Sequence[Cut], one: Cut) -> tuple[str, int]:
    """Return what is left of the sentence before a cut, and the place at which it goes on behind
    it."""
    lead, at, place = "", sentence.start, one.end
    for made in sorted(cuts, key=lambda made: made.start):
        if made.end <= one.start:
            lead += sentence.text[at : made.start] + made.after
            at = made.end
        elif made.start == place and not made.after:
            place = made.end
    return lead + sentence.text[at : one.start], place


def _ends_series(sentence: Clauses, end: int, starts: set[int]) -> bool:
    """Return True if what ends here is a series of clauses ("sang, danced"), which needs its
    "and"."""
    comma = sentence.text.rfind(", ", sentence.start, end)
    return comma + 2 in starts and not _SERIES.search(sentence.text, comma, end)


def _is_bracketed(sentence: Clauses, cut: Cut) -> bool:
    inside = sentence.text[cut.start : cut.end]
    return inside.lstrip().startswith("(") and inside.endswith(")")


def _outside(sentence: Clauses, place: Span) -> bool:
    """Return True if a place stands outside all brackets of its sentence."""
    lead = sentence.text[sentence.start : place[0]]
    return lead.count("(") == lead.count(")")
