"""Triples before they are facts: in words of a sentence, with their joined places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from halubot.extract import english_words as lex
from halubot.extract.nouns import Item, Nouns
from halubot.extract.verbs import Phrase
from halubot.report import Span

_CARRIED: Final = 6  # words of an object that a leading detail's relation may carry


class Draft(NamedTuple):
    """A triple in words: ``relation`` are their indexes; ``implied`` are a relation's words
    that do not stand in the sentence."""

    head: Item
    relation: tuple[int, ...]
    tail: Item | None
    negated: bool
    implied: str = ""


def relation_words(nouns: Nouns, verb: Phrase) -> tuple[int, ...]:
    """The words of a verb group that a relation keeps: no auxiliaries of tense or voice, no
    "also" or "then"; a negated verb keeps all."""
    words = nouns.words
    indexes = tuple(range(verb.first, verb.last))
    if verb.negated:
        return indexes
    kept = []
    for k in indexes:
        word = words[k]
        rest = {other.tag for other in words[k + 1 : verb.last]}
        infinite = k > 0 and words[k - 1].tag == "TO"
        tense = word.tag in ("HV", "DO") and not infinite and rest & {"VN", "VD", "VB", "VG"}
        voice = word.tag == "BE" and word.low != "be" and "VN" in rest
        said = word.tag == "RB" and word.low in lex.DISCOURSE
        if not (tense or voice or said or (k == verb.first and word.tag == "TO")):
            kept.append(k)
    return tuple(kept) or indexes


class Lead(NamedTuple):
    """A detail before its clause: "In 1997, ..."."""

    preposition: int
    item: Item


def worth(nouns: Nouns, drafts: list[Draft]) -> list[Draft]:
    """Without those whose tail is a bare pronoun, if others say more."""
    words = nouns.words
    telling = [
        draft
        for draft in drafts
        if draft.tail is None
        or draft.tail.last - draft.tail.first > 1
        or words[draft.tail.first].tag not in ("PR", "DT")
    ]
    return telling or drafts


def leading(
    leads: Sequence[Lead], drafts: Sequence[Draft], relation: tuple[int, ...], negated: bool
) -> list[Draft]:
    """The details before a clause, as details of its verb, whose ``drafts`` are told."""
    found: list[Draft] = []
    for lead in leads:
        for draft in drafts:
            if draft.relation[: len(relation)] != relation:
                continue
            tail = draft.tail
            carried = relation
            if tail and draft.relation == relation and tail.last - tail.first <= _CARRIED:
                carried = (*relation, *range(tail.first, tail.last))
            found.append(Draft(draft.head, (*carried, lead.preposition), lead.item, negated))
            break
    return found


def merge_spans(plain: str, places: Sequence[Span]) -> tuple[Span, ...]:
    """Places in order, joined if they overlap or only white space lies between."""
    joined: list[Span] = []
    for start, end in sorted(places):
        if joined and (start <= joined[-1][1] or not plain[joined[-1][1] : start].strip()):
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)
