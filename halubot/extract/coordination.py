"""Nouns listed together: which "and" joins items, and which is inside one name or noun."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from halubot.extract import english_words as lex
from halubot.extract.nouns import Item, Nouns

_MAX_LIST: Final = 200  # items of one list; what follows is left out
_TITLES: Final = lex.words(
    "duke margrave king queen earl count countess prince princess bishop archbishop baron lord lady"
    " marquess elector duchess emperor sultan viscount landgrave"
)


def group(
    nouns: Nouns, i: int, *, split: bool = True, of: bool = True, subject: bool = False
) -> tuple[list[Item], int]:
    """The nouns listed together from ``i`` on, and the phrase after them. Without
    ``split`` they are one item; without ``of`` a noun goes without what "of" adds. Of a
    ``subject`` the last noun may have a verb after it; elsewhere that begins a clause."""
    item, i = nouns.of_chain(i, of)
    items = [item]
    ends = [i]
    closed = False
    while len(items) < _MAX_LIST and not closed:
        j, last = _next_item(nouns, i)
        comma = nouns.kind(i) == ","
        if not j or (not subject and nouns.starts_clause(j, across=comma)):
            break
        if not last and (nouns.apposition(items[-1], j) or _is_described(nouns, items[-1], j)):
            break
        dated = nouns.words[items[-1].last - 1].tag in ("DA", "CD")
        if dated and nouns.words[nouns.phrases[j].head].tag not in ("DA", "CD", "NN"):
            break
        item, i = nouns.of_chain(j, of)
        items.append(item)
        ends.append(i)
        closed = last
        if closed and not comma and _goes_on(nouns, items, i):
            # "Bosnia and Herzegovina, Georgia, and Ukraine"
            both = nouns.span_item(items[-2].first, item.last, items[-2].head, True)
            items[-2:] = [both]
            ends[-2:] = [i]
            closed = False
    if len(items) == 1:
        return items, i
    if not closed and len(items) < 4:
        # "Malvern, England" is one place; other pairs without "and" are no list
        names = 0
        while names < len(items) and _is_name(nouns, items[names], whole=names > 0):
            names += 1
        if names > 1:
            head = items[0]
            place = nouns.span_item(head.first, items[names - 1].last, head.head, head.name)
            return [place], ends[names - 1]
        return items[:1], ends[0]
    if not split or _one_noun(nouns, items) or _modify(nouns, items):
        head = items[-1] if split else items[0]
        final = nouns.items[items[-1].last]
        joined = nouns.span_item(items[0].first, items[-1].last, head.head, head.name)
        if not split:
            nouns.items[final.last] = final  # what stands in parentheses is said of the last
        return [joined], i
    items = _title(nouns, items)
    return [item for item in items if item.head != "etc"] or items, i


def joined_by_and(nouns: Nouns, items: Sequence[Item]) -> bool:
    """Return whether "and", not "or", stands before the last of several items."""
    return any(word.low in ("and", "&") for word in nouns.words[items[-2].last : items[-1].first])


def _goes_on(nouns: Nouns, items: list[Item], i: int) -> bool:
    """Return whether a list of names goes on, and is closed, after what seemed its last."""
    j, last = _next_item(nouns, i)
    if not j or last or not (items[-1].name and items[-2].name):
        return False
    k, closing = _next_item(nouns, j + 1)
    return bool(k) and closing and nouns.words[nouns.phrases[j].head].tag == "NP"


def _is_name(nouns: Nouns, item: Item, *, whole: bool) -> bool:
    """Return whether an item is a name, wholly or at its end."""
    tags = [word.tag for word in nouns.words[item.first : item.last]]
    if whole:
        return all(tag in ("NP", "IN") for tag in tags)
    described = item.first > 0 and nouns.words[item.first - 1].low in ("a", "an")
    return tags[-1:] == ["NP"] and not described


def _next_item(nouns: Nouns, i: int) -> tuple[int, bool]:
    """Return the place at which a list goes on after the phrase ``i``, and whether that item is its
    last."""
    j, last = i + 1, nouns.kind(i) == "and"
    if nouns.kind(i) == "," and nouns.kind(j) == "and":
        j, last = j + 1, True
    listed = nouns.kind(i) in (",", "and") and nouns.kind(j) == "noun"
    if not listed or (last and nouns.low(j - 1) in ("but", "yet", "nor")):
        return 0, False
    return j, last


def _is_described(nouns: Nouns, item: Item, i: int) -> bool:
    """Return whether a name is followed by what no list of names holds: "Paris, the son"."""
    phrase = nouns.phrases[i]
    article = nouns.words[phrase.first].low in ("a", "an", "the")
    return item.name and article and nouns.words[phrase.head].tag == "NN"


def _title(nouns: Nouns, items: list[Item]) -> list[Item]:
    """Joins "Albert I" and "Margrave of Meissen" again."""
    joined: list[Item] = []
    for item in items:
        whole = item
        if joined and item.name and joined[-1].name and nouns.words[item.first].low in _TITLES:
            before = joined.pop()
            whole = nouns.span_item(before.first, item.last, before.head, True)
        joined.append(whole)
    return joined


def _modify(nouns: Nouns, items: list[Item]) -> bool:
    """Return whether all but the last are adjectives of its noun: "federal, state and local
    laws", "Greek and Roman gods"."""
    last = items[-1]
    noun, opening = nouns.words[last.last - 1], nouns.words[last.first]
    if noun.tag != "NN" or last.last - last.first < 2 or noun.low == '"':
        return False
    if nouns.words[items[0].last - 1].tag == "JJ":
        return True
    adjectives = [nouns.words[item.last - 1] for item in items[:-1]]
    return all(word.tag == "NP" and _is_origin(word.low) for word in (*adjectives, opening))


def _one_noun(nouns: Nouns, items: list[Item]) -> bool:
    """ "Johnson and Johnson", "Royal Signals and Radar Establishment", "science fiction
    and fantasy writer"."""
    if len(items) != 2:
        return False
    left, right = items
    if not (left.name and right.name):
        return (
            right.head in lex.PERSON_NOUNS
            and not left.name
            and not _is_agent(left.head)
            and nouns.words[right.first].tag not in ("DT", "PS")
        )
    if nouns.name_in(left).text == right.text:
        return True
    if nouns.words[right.last - 1].low == '"':
        return False
    before = [word.low for word in nouns.words[max(0, left.first - 1) : left.last]]
    if any(low in lex.WORKS for low in before):
        return True
    organised = right.head in lex.ORGANISATION_NOUNS and right.last - right.first < 4
    return organised and left.head not in lex.ORGANISATION_NOUNS and " of " not in left.text


def _is_origin(low: str) -> bool:
    """Return whether a name's word tells where from: "African", "Greek"."""
    return (
        lex.is_adjective(low) or low.endswith("an") or low in ("greek", "arab", "french", "dutch")
    )


def _is_agent(noun: str) -> bool:
    return noun in lex.PERSON_NOUNS or noun.endswith(
        ("er", "or", "ist", "ian", "man", "ant", "ess")
    )
