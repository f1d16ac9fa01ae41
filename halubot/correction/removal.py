"""Cutting doubted facts out of a sentence so that what is left still reads as one.

Of what could be cut (`stretches`) the first is taken that leaves good seams (`seams`). If
none does, nothing is cut.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from halubot.correction import seams
from halubot.correction.removable_spans import (
    Clauses,
    Cut,
    clauses,
    core,
    lists,
    overlap,
    stretches,
)
from halubot.report import Fact, Span

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
    """Return whether the sentence reads on where this cut of all the cuts was made."""
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
    """Return whether the cut tears a series, a subject from its further verbs, or a clause from its
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
    """Return whether what ends here is a series of clauses ("sang, danced"), which needs its
    "and"."""
    comma = sentence.text.rfind(", ", sentence.start, end)
    return comma + 2 in starts and not _SERIES.search(sentence.text, comma, end)


def _is_bracketed(sentence: Clauses, cut: Cut) -> bool:
    inside = sentence.text[cut.start : cut.end]
    return inside.lstrip().startswith("(") and inside.endswith(")")


def _outside(sentence: Clauses, place: Span) -> bool:
    """Return whether a place stands outside all brackets of its sentence."""
    lead = sentence.text[sentence.start : place[0]]
    return lead.count("(") == lead.count(")")
