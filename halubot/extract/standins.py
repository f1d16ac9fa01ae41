"""Subjects that only stand for what follows: "it is possible that", "there are"; and where what
somebody says ends."""

from __future__ import annotations

from typing import Final

from halubot.extract import english_words as lex
from halubot.extract.coordination import group
from halubot.extract.drafts import Draft
from halubot.extract.nouns import Item, Nouns

_SEEMING: Final = lex.words("seems seemed appears appeared")
_ADVISED: Final = lex.words("recommended advised advisable")


def is_expletive(nouns: Nouns, i: int) -> bool:
    """Whether "it" with the verb at ``i`` stands for what follows: "it is possible that",
    "it's best to", "it is recommended to", "it seems that"."""
    verb = nouns.phrases[i]
    words = nouns.words[verb.first : verb.last]
    if any(word.tag == "JJ" or word.low in _ADVISED for word in words):
        return True
    if nouns.words[verb.head].tag != "BE" and nouns.words[verb.head].low not in _SEEMING:
        return False
    after = i + 1 + (nouns.kind(i + 1) == "adv")
    if nouns.kind(after) in ("sub", "rel"):
        return True
    brings = nouns.kind(after + 1) in ("sub", "rel", "noun", "verb")
    infinite = nouns.kind(after + 1) != "verb" or nouns.phrases[after + 1].mood in (
        "inf",
        "ing",
    )
    return nouns.kind(after) == "adj" and brings and infinite


def past_expletive(nouns: Nouns, i: int) -> int:
    """Past the verb at ``i`` and its adjective, to what "it" stands for."""
    i += 1
    while nouns.kind(i) in ("adv", "adj"):
        i += 1
    return i + (nouns.kind(i) == "rel")


def existential(
    nouns: Nouns, i: int, there: Item, relation: tuple[int, ...], negated: bool
) -> tuple[list[Draft], Item, int]:
    """ "There are 22 episodes in season 4" says of season 4 that there are 22: the triples, the
    noun, and the phrase after it. A noun follows the verb at ``i``."""
    phrase = nouns.phrases[i + 1]
    items, end = group(nouns, i + 1)
    if items[0].head in lex.MATTER:
        return [], items[-1], end  # "there is no answer"
    head = there
    negated = negated or phrase.negated
    if phrase.negated and nouns.words[phrase.first].low == "no":
        relation = (*relation, phrase.first)
    if nouns.kind(end) == "prep" and nouns.kind(end + 1) == "noun":
        if nouns.low(end) in ("in", "on", "at", "within"):
            places, end = group(nouns, end + 1, split=False)
            head = places[0]
            relation = (there.first, *relation)
        else:
            end = nouns.attached(end)
            last, place = items[-1], nouns.phrases[end - 1].last
            items[-1] = nouns.span_item(last.first, place, last.head)
    told = head is there and not negated and nouns.kind(end) in ("rel", "verb")
    found = [] if told else [Draft(head, relation, item, negated) for item in items]
    return found, items[-1], end


def end_of_reported_clause(nouns: Nouns, start: int) -> int:
    """Where a clause that somebody says, from ``start`` on, ends."""
    end = start
    while end < len(nouns.phrases) and nouns.kind(end) != "mark":
        beside = nouns.kind(end + 1) == "sub" or nouns.low(end + 1) == "according"
        if nouns.kind(end) == "," and beside:
            break
        end += 1
    return end


def past_predicate(nouns: Nouns, i: int) -> int:
    """Past the verb at ``i`` and what follows it, to the next finite verb or mark."""
    i += 1
    while nouns.kind(i) in ("noun", "prep", "adj", "adv", "and", "verb", "to"):
        if nouns.kind(i) == "verb" and nouns.phrases[i].mood == "finite":
            break
        i += 1
    return i
