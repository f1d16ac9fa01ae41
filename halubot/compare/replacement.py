"""Which words of a source can stand in the place that it contradicts.

Only words of one kind and one form take each other's place: a value, a whole name, a modal, a verb
group with the same verb, a direction, a noun or an opposite of the same form. Anything else is left
to a person.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from halubot.compare import lexicon
from halubot.compare.alignment import Alignment
from halubot.compare.alternatives import Conflict, excludes
from halubot.compare.analysis import PRONOUNS, Analysis, Term
from halubot.compare.occasions import are_dated_apart, is_of_one_occasion
from halubot.compare.tokens import word_set
from halubot.text import Span
from halubot.values.comparison import Value, same


class Replacement(NamedTuple):
    """The place in the message, and that of the words in the source that can stand there."""

    claim: Span
    source: Span


_LONGEST_NAME: Final = 3
_SURE_CONTEXT: Final = 0.5
_SURE_SHARE: Final = 0.6
_NOUN_CONTEXT: Final = 0.6
_MODALS: Final = word_set(
    "can cannot can't must mustn't may should shouldn't needn't always never before after above"
    " below with without until"
)
_SINGLE: Final = (word_set("more less"), word_set("mandatory voluntary compulsory optional"))
"""Links and modals that take the place of their like alone."""
_DIRECTIONS: Final = (
    word_set("north south east west"),
    word_set("northern southern eastern western"),
    word_set("northwards southwards eastwards westwards"),
    word_set("left right"),
    word_set("clockwise anticlockwise counterclockwise"),
    word_set("upstairs downstairs"),
)
"""Words that always fit in each other's place."""
_LEADING_ON: Final = word_set("than down up off out away back")
"""What belongs to the word before it, besides prepositions: "larger than", "shut down"."""
_TAKING_FROM: Final = word_set("hinder prevent discourage stop keep deter")
"""Verbs that build their sentence otherwise than their opposites: "hinder them from managing"."""
_IDIOM: Final = re.compile(r"(?:cannot|can't|can’t|can not)\s+(?:help|but)\b", re.IGNORECASE)
"""What denies nothing: "I cannot help but notice"."""
_LONGEST_GROUP: Final = 4
_ENDINGS: Final = ("er", "est", "ly", "ing", "ed", "s")


def find_replacement(
    found: Alignment, conflict: Conflict, plain: str, other: str
) -> Replacement | None:
    """Return what can stand in the place of a conflict; None if nothing can. ``plain`` and
    ``other`` are the texts of the message and of the source."""
    match conflict.kind:
        case "value" | "unit":
            return _value(found, conflict, plain, other)
        case "name":
            return _name(found, conflict, plain, other)
        case "modal" | "link":
            mine, theirs = plain[slice(*conflict.claim)], other[slice(*conflict.source)]
            fits = mine.lower() in _MODALS and theirs.lower() in _MODALS
            fits = fits or (_are_sure(found, conflict) and _are_of_one(_SINGLE, mine, theirs))
            if _IDIOM.match(other, conflict.source[0]) or _IDIOM.match(plain, conflict.claim[0]):
                return None
            return Replacement(conflict.claim, conflict.source) if fits else None
        case "polarity":
            return _verb_group(conflict, plain, other)
        case "opposite":
            return _word(found, conflict)
        case "noun":
            return _noun(found, conflict, other)
        case "roles":
            return _exchanged_direction(found, conflict)
    return None


def _value(found: Alignment, conflict: Conflict, plain: str, other: str) -> Replacement | None:
    """The whole value; of a range of which the source has one end, the other end ("from €44 to
    €46" beside "to €49 from €44"). "About" goes with its date."""
    mine = found.claim.terms[conflict.term].value
    theirs = found.source.terms[conflict.other].value
    if mine is not None and theirs is not None and mine.ends is not None and theirs.ends is None:
        end = _other_end(found, mine.ends, theirs)
        return Replacement((end.start, end.end), conflict.source) if end is not None else None
    if not is_of_one_occasion(found, conflict, plain, other):
        return None
    if mine is not None and mine.kind == "date":
        return Replacement(_with_about(plain, conflict.claim), _with_about(other, conflict.source))
    return Replacement(conflict.claim, conflict.source)


def _other_end(found: Alignment, ends: tuple[Value, Value], theirs: Value) -> Value | None:
    """The end of a range that a value of the source excludes, if the source has the other end."""
    if theirs.kind == "date":
        return None
    held = [found.source.terms[at].value for at in found.source.values]
    has = [any(one is not None and same(end, one) for one in held) for end in ends]
    if has[0] == has[1]:
        return None
    end = ends[has[0]]
    return end if excludes(end, theirs) else None


_ABOUT: Final = re.compile(r"(?<!\w)(?:c\.|ca\.?|circa|about|around)\s?$", re.IGNORECASE)
_LONGEST_ABOUT: Final = len("around ")


def _with_about(text: str, place: Span) -> Span:
    """A date with the "ca." before it."""
    start, end = place
    found = _ABOUT.search(text, max(0, start - _LONGEST_ABOUT), start)
    return (found.start() if found is not None else start, end)


def _name(found: Alignment, conflict: Conflict, plain: str, other: str) -> Replacement | None:
    """The whole name; of two names that share a word ("United States", "United Kingdom") the word
    in which they differ. The same preposition must lead to both, or the same noun: "the architect
    Charles Garnier", "the architect Stephen Sauvestre". A pronoun that stands for the source's name
    can replace nothing."""
    if other[slice(*conflict.source)].lower() in PRONOUNS:
        return None
    mine, theirs = _run(found.claim, conflict.term), _run(found.source, conflict.other)
    if are_dated_apart(found, conflict):
        return None
    if conflict.alike:
        if not _are_placed_alike(found, conflict, mine, theirs):
            return None
        # "Ashdown Hill" gives way whole to "Bridgeford" in "Pell of Ashdown Hill".
        place = _free_part(found.claim, found.pairs, mine, conflict.term)
        return Replacement(place, _free_part(found.source, found.back, theirs, conflict.other))
    if found.claim.slot(mine[-1]) == "'s" and not _own_the_same(found, mine[-1], theirs[-1]):
        return None
    if not conflict.slot and not _are_led_alike(found, mine, theirs):
        return None
    if any(found.pairs[one] >= 0 for one in mine) or any(found.back[one] >= 0 for one in theirs):
        return None
    if _is_one_of_two(other, found.source.terms[theirs[-1]].end) and not (
        _is_one_of_two(plain, found.claim.terms[mine[-1]].end)
    ):
        return None
    if max(len(mine), len(theirs)) > _LONGEST_NAME or abs(len(mine) - len(theirs)) > 1:
        return None
    claim, source = found.claim.terms, found.source.terms
    place = _bare(plain, claim[mine[0]].start, claim[mine[-1]].end)
    start, end = _bare(other, source[theirs[0]].start, source[theirs[-1]].end)
    article = other[max(0, start - 4) : start].lower() == "the "
    if article and plain[max(0, place[0] - 4) : place[0]].lower() != "the ":
        start -= 4
    return Replacement(place, (start, end))


def _free_part(found: Analysis, pairs: Sequence[int], run: Sequence[int], at: int) -> Span:
    """The place of the words of a name around one of them that have no counterpart."""
    first = last = at
    while first - 1 in run and pairs[first - 1] < 0:
        first -= 1
    while last + 1 in run and pairs[last + 1] < 0:
        last += 1
    return found.terms[first].start, found.terms[last].end


_OR: Final = re.compile(r"\s(?:or|and|&)\s[A-Z]")


def _is_one_of_two(text: str, end: int) -> bool:
    """Return True if a name goes on with another one: "Physiology or Medicine"."""
    return _OR.match(text, end) is not None


def _are_placed_alike(
    found: Alignment, conflict: Conflict, mine: list[int], theirs: list[int]
) -> bool:
    """Return True if two names that share a word stand in the same place: behind the same word or
    preposition, or before the same word. Of two that open their sentences the last words must
    differ: "Jack Straw" and "John Straw" are one person."""
    if mine[0] == theirs[0] == 0:
        return conflict.term == mine[-1]
    if not mine[0] or not theirs[0]:
        return False
    if conflict.slot or _own_the_same(found, mine[-1], theirs[-1]):
        return True
    return _follow_one_word(found, mine[0], theirs[0])


def _own_the_same(found: Alignment, mine: int, theirs: int) -> bool:
    """Return True if the words right behind two names are aligned."""
    return mine + 1 < len(found.pairs) and found.pairs[mine + 1] == theirs + 1


def _are_led_alike(found: Alignment, mine: list[int], theirs: list[int]) -> bool:
    """Return True if two names have one title ("the architect"), follow the same word and an
    aligned one ("found that Ada"), or stand right before an aligned common word ("the Ada
    prize")."""
    first, other = mine[0], theirs[0]
    if _have_one_title(found, first, other):
        return True
    claim, source = found.claim, found.source
    if first and other and found.pairs[first - 1] == other - 1:
        before = claim.terms[first - 1]
        slot = claim.slot(first)
        return before.kind == "word" and slot == source.slot(other) != before.low
    sides = ((claim, mine[-1]), (source, theirs[-1]))
    return _own_the_same(found, mine[-1], theirs[-1]) and all(
        side.terms[at + 1].kind == "word" and side.terms[at + 1].start - side.terms[at].end <= 1
        for side, at in sides
    )


def _have_one_title(found: Alignment, mine: int, theirs: int) -> bool:
    """Return True if the word right before one name is aligned with that before the other."""
    sides = ((found.claim, mine), (found.source, theirs))
    return _follow_one_word(found, mine, theirs) and all(
        side.terms[at - 1].kind == "word" for side, at in sides
    )


def _follow_one_word(found: Alignment, mine: int, theirs: int) -> bool:
    """Return True if the terms right before two names are aligned, with no preposition between."""
    if not mine or not theirs or found.pairs[mine - 1] != theirs - 1:
        return False
    sides = ((found.claim, mine), (found.source, theirs))
    return all(side.slot(at) == side.terms[at - 1].low for side, at in sides)


def _bare(text: str, start: int, end: int) -> Span:
    """A name without its possessive ending."""
    return (start, end - 2) if text[start:end].endswith(("'s", "’s")) else (start, end)


def _run(found: Analysis, at: int) -> list[int]:
    run = found.terms[at].run
    return [i for i, term in enumerate(found.terms) if term.run == run and term.run >= 0]


def _verb_group(conflict: Conflict, plain: str, other: str) -> Replacement | None:
    """ "was planned" for "was not planned": the same first and last word; "executes" for "doesn't
    execute", "guilty" for "not guilty"."""
    mine = plain[slice(*conflict.claim)].lower().replace("’", "'").split()
    theirs = other[slice(*conflict.source)].lower().replace("’", "'").split()
    if max(len(mine), len(theirs)) > _LONGEST_GROUP:
        return None
    if min(len(mine), len(theirs)) < 2:
        # "Not" is taken away so, and never put in.
        same = len(theirs) == 1 and (mine == ["not", *theirs] or _is_full_verb(mine, theirs[0]))
    else:
        same = mine[0].removesuffix("n't") == theirs[0].removesuffix("n't")
        same = same and mine[-1] == theirs[-1]
    return Replacement(conflict.claim, conflict.source) if same else None


_DENIED_BY: Final = {
    "does": {"does not", "doesn't"}, "do": {"do not", "don't"}, "did": {"did not", "didn't"},
}  # fmt: skip


def _is_full_verb(denied: list[str], verb: str) -> bool:
    """Return True if one group denies a verb that stands alone in the same tense and number."""
    *cue, base = denied
    bases = lexicon.lemmas(verb)
    if base not in bases or "v" not in lexicon.parts_of_speech(base):
        return False
    form = "do" if verb == base else "does" if verb.endswith("s") else "did"
    return " ".join(cue) in _DENIED_BY[form]


def _are_sure(found: Alignment, conflict: Conflict) -> bool:
    """Return True if the two sentences say the same but for the conflict, as far as is known."""
    return conflict.context >= _SURE_CONTEXT and found.share >= _SURE_SHARE


def _are_of_one(groups: Iterable[frozenset[str]], mine: str, theirs: str) -> bool:
    return any({mine.lower(), theirs.lower()} <= group for group in groups)


def _word(found: Alignment, conflict: Conflict) -> Replacement | None:
    """A direction, or a word of the same form in a sentence that else says the same."""
    mine, theirs = found.claim.terms[conflict.term], found.source.terms[conflict.other]
    if found.claim.grammar.whole_clauses:
        return None  # whether the endings fit is not known there
    fits = _are_of_one(_DIRECTIONS, mine.low, theirs.low)
    one_form = _have_one_form(mine, theirs) or _are_verbs_alike(found, conflict)
    one_form = one_form and not _TAKING_FROM & (mine.bases | theirs.bases)
    if not fits and one_form and _are_sure(found, conflict):
        after = _next_low(found.claim, mine), _next_low(found.source, theirs)
        led_on = any(low in _LEADING_ON or low in found.claim.grammar.slots for low in after)
        fits = after[0] == after[1] or not led_on  # "far from", "close to"
    return Replacement(conflict.claim, conflict.source) if fits else None


def _are_verbs_alike(found: Alignment, conflict: Conflict) -> bool:
    """Return True for two opposite verbs in the same form, also irregular: "rose", "fell"."""
    claim, source = found.claim, found.source
    mine, theirs = claim.terms[conflict.term], source.terms[conflict.other]
    if (claim.slot_before(conflict.term) in _HELPING) != (
        source.slot_before(conflict.other) in _HELPING
    ):
        return False  # "rose", "has fallen"
    forms = _verb_form(mine), _verb_form(theirs)
    return forms[0] == forms[1] != "" and any(
        other in lexicon.antonyms(one)
        for one in mine.bases - {mine.low}
        for other in theirs.bases - {theirs.low}
    )


_HELPING: Final = word_set("has have had having is are was were be been being")


def _verb_form(term: Term) -> str:
    """The form of a verb that is no base form: "s", "ing" or "past"; "" for other words."""
    if not any("v" in lexicon.parts_of_speech(base) for base in term.bases - {term.low}):
        return ""
    return next((ending for ending in ("ing", "s") if term.low.endswith(ending)), "past")


def _next_low(side: Analysis, term: Term) -> str:
    """The word right behind a term."""
    at = bisect_left(side.starts, term.end)
    return side.lows[at] if at < len(side.lows) else ""


def _noun(found: Alignment, conflict: Conflict, other: str) -> Replacement | None:
    """Another noun of the same form: "butcher" for "baker"."""
    fits = conflict.context >= _NOUN_CONTEXT and is_like_noun(found, conflict, other)
    return Replacement(conflict.claim, conflict.source) if fits else None


def is_like_noun(found: Alignment, conflict: Conflict, other: str) -> bool:
    """Return True for two nouns in the same number. No part of a longer name of a thing is taken:
    "carbon" of "carbon dioxide"."""
    mine, theirs = found.claim.terms[conflict.term], found.source.terms[conflict.other]
    if found.claim.grammar.whole_clauses or not _have_one_form(mine, theirs):
        return False
    if other[conflict.source[0] - 1 : conflict.source[0]] == "-":
        return False
    sides = (
        (found.claim, conflict.term, found.pairs),
        (found.source, conflict.other, found.back),
    )
    return not any(
        at + 1 < len(side.terms)
        and side.terms[at + 1].start - side.terms[at].end <= 1
        and side.terms[at + 1].lore.parts <= {"n"}
        and pairs[at + 1] < 0
        for side, at, pairs in sides
    )


def _exchanged_direction(found: Alignment, conflict: Conflict) -> Replacement | None:
    """ "left" for "right" in a sentence that has both if the other one stands there."""
    mine, theirs = found.claim.terms[conflict.term], found.source.terms[conflict.other]
    fits = _are_of_one(_DIRECTIONS, mine.low, theirs.low) and mine.low != theirs.low
    return Replacement(conflict.claim, conflict.source) if fits else None


def _have_one_form(mine: Term, theirs: Term) -> bool:
    """Return True for two base forms, and for two others with the same ending."""
    plain = mine.low in mine.bases, theirs.low in theirs.bases
    return plain == (True, True) or (
        plain == (False, False) and _ending(mine.low) == _ending(theirs.low)
    )


def _ending(low: str) -> str:
    return next((ending for ending in _ENDINGS if low.endswith(ending)), "")
