"""Attachment: what "and" or a comma lists together, and what a preposition adds to a noun.

Which "and" joins items, and which is inside one name or noun; the kind of a detail after a
preposition, and how far it goes. Details are inspected here before they are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from halubot.claims import english_words as lex
from halubot.claims.nouns import Item, Nouns

_MAX_LIST: Final = 200  # items of one list; what follows is left out
_TITLES: Final = lex.words(
    "duke margrave king queen earl count countess prince princess bishop archbishop baron lord lady"
    " marquess elector duchess emperor sultan viscount landgrave"
)

EXAMPLES: Final = lex.words("including such like")
# After these "to" belongs to their noun: "known for her reaction to".
_WITH_TO: Final = lex.words("for of about with despite without")
_WITH_NAME: Final = lex.words("of in")
# "5 cm in length", "three in total" are one value.
_MEASURES: Final = lex.words("length height width diameter depth size weight total area value")
# Of motion: "came into effect" is one verb.
_MOVING: Final = lex.words("come comes came coming go goes went gone put puts enter")
# These bring details told apart from the noun before them.
_APART: Final = lex.words("by as to from including such like since until after before during")
_MAX_PAIRS: Final = 50


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
    """Return True if "and", not "or", stands before the last of several items."""
    return any(word.low in ("and", "&") for word in nouns.words[items[-2].last : items[-1].first])


def _goes_on(nouns: Nouns, items: list[Item], i: int) -> bool:
    """Return True if a list of names goes on, and is closed, after what seemed its last."""
    j, last = _next_item(nouns, i)
    if not j or last or not (items[-1].name and items[-2].name):
        return False
    k, closing = _next_item(nouns, j + 1)
    return bool(k) and closing and nouns.words[nouns.phrases[j].head].tag == "NP"


def _is_name(nouns: Nouns, item: Item, *, whole: bool) -> bool:
    """Return True if an item is a name, wholly or at its end."""
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
    """Return True if a name is followed by what no list of names holds: "Paris, the son"."""
    phrase = nouns.phrases[i]
    article = nouns.words[phrase.first].low in ("a", "an", "the")
    return item.name and article and nouns.words[phrase.head].tag == "NN"


def _title(nouns: Nouns, items: list[Item]) -> list[Item]:
    """Join "Albert I" and "Margrave of Meissen" again."""
    joined: list[Item] = []
    for item in items:
        whole = item
        if joined and item.name and joined[-1].name and nouns.words[item.first].low in _TITLES:
            before = joined.pop()
            whole = nouns.span_item(before.first, item.last, before.head, True)
        joined.append(whole)
    return joined


def _modify(nouns: Nouns, items: list[Item]) -> bool:
    """Return True if all but the last are adjectives of its noun: "federal, state and local
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
    """Return True if a name's word tells where from: "African", "Greek"."""
    return (
        lex.is_adjective(low) or low.endswith("an") or low in ("greek", "arab", "french", "dutch")
    )


def _is_agent(noun: str) -> bool:
    return noun in lex.PERSON_NOUNS or noun.endswith(
        ("er", "or", "ist", "ian", "man", "ant", "ess")
    )


class Before(NamedTuple):
    """The words before a detail: the noun, the last word of its relation, whether that noun is a
    verb's one object, whether the verb is "to be", and the prepositions that go with it."""

    item: Item
    slot: str
    whole: bool
    copula: bool
    attach: frozenset[str]


def belongs(nouns: Nouns, i: int, before: Before) -> bool:
    """Return True if the detail at ``i`` belongs to the noun before it."""
    item, low = before.item, nouns.low(i)
    if nouns.kind(i - 1) == "," or nouns.words[item.first].tag == "PR":
        return False
    if low == "to":
        common = nouns.words[item.last - 1].tag == "NN"
        governed = before.slot in _WITH_TO and common
        return governed or _is_range(nouns, i, item, copula=before.copula)
    if item.name and low not in _WITH_NAME:
        return False
    if low == "in" and nouns.words[nouns.phrases[i + 1].head].low in _MEASURES:
        return True
    if before.whole and not (low == "of" and before.copula) and _is_plain(nouns, i, item):
        return True
    if low not in before.attach or nouns.is_time(nouns.phrases[i + 1]):
        return False
    return not (low == "in" and nouns.words[item.last - 1].tag in ("CD", "DA"))


def is_of_the_text(nouns: Nouns, i: int) -> bool:
    """Return True if the detail at ``i`` names the text that is read, not the world."""
    head = nouns.words[nouns.phrases[i + 1].head]
    numbered = head.tag == "CD" and nouns.words[nouns.phrases[i + 1].first].low in lex.TEXTS
    return (head.low in lex.TEXTS or numbered) and nouns.low(i + 2) != "of"


def past_texts(nouns: Nouns, i: int) -> int:
    """Past "the provided passages", "Passage 2, Passage 5 and Passage 9"."""
    _, end = group(nouns, i)
    while nouns.kind(end) in (",", "and"):
        j = end + 1 + (nouns.kind(end + 1) == "and")
        if nouns.kind(j) != "noun" or nouns.low(j) not in lex.TEXTS:
            break
        _, end = group(nouns, j)
    return end


def many_of(nouns: Nouns, i: int) -> tuple[int, ...]:
    """ "Themes of family, ambition and loss" are three themes: the words "themes of"; none if
    no such list follows."""
    if nouns.low(i + 1) != "of" or nouns.kind(i + 1) != "prep" or nouns.kind(i + 2) != "noun":
        return ()
    phrase = nouns.phrases[i]
    if nouns.words[phrase.head].tag != "NN":
        return ()
    items, _ = group(nouns, i + 2, of=False)
    if len(items) < 3 or any(nouns.words[item.first - 1].tag in ("DT", "PS") for item in items):
        return ()
    item = nouns.item(phrase)
    return (*range(item.first, item.last), nouns.phrases[i + 1].first)


def pairs_after(nouns: Nouns, i: int, low: str) -> tuple[list[tuple[Item, int, Item]], int]:
    """Return the pairs that follow the detail at ``i`` in the same form: "(stars A as B,) C as D
    and E as F", each as object, preposition and detail; and the phrase after them."""
    pairs: list[tuple[Item, int, Item]] = []
    _, end = nouns.of_chain(i + 1)
    while len(pairs) < _MAX_PAIRS:
        j = end + (nouns.kind(end) == ",")
        j += nouns.kind(j) == "and"
        if j == end or nouns.kind(j) != "noun":
            break
        item, after = nouns.of_chain(j)
        if nouns.kind(after) != "prep" or nouns.low(after) != low:
            break
        if nouns.kind(after + 1) != "noun" or not item.name:
            break
        detail, end = nouns.of_chain(after + 1)
        pairs.append((item, nouns.phrases[after].first, detail))
    return pairs, end


def is_light(nouns: Nouns, i: int, verb: str) -> bool:
    """Return True if the detail at ``i`` is part of what ``verb`` means: "came into effect in"."""
    phrase = nouns.phrases[i + 1]
    bare = phrase.last - phrase.first == 1 and nouns.words[phrase.first].tag == "NN"
    known = nouns.low(i) == "into" and verb in _MOVING
    return known and bare and nouns.kind(i + 2) == "prep"


def _is_plain(nouns: Nouns, i: int, thing: Item) -> bool:
    """Return True if the detail at ``i`` and the ``thing`` before it are common nouns, and so told
    as one: "dug a tunnel under the wall"."""
    if nouns.low(i) in _APART:
        return False
    object_words = nouns.words[thing.first : thing.last]
    if any(word.tag in ("NP", "CD", "DA") for word in object_words):
        return False
    items, end = group(nouns, i + 1)
    if nouns.low(end + (nouns.kind(end) == ",")) in EXAMPLES:
        return False
    detail = nouns.words[items[0].first : items[0].last]
    return (
        len(items) == 1
        and not nouns.is_time(nouns.phrases[i + 1])
        and not any(word.tag in ("NP", "CD", "DA", "PR") for word in detail)
    )


def _is_range(nouns: Nouns, i: int, item: Item, *, copula: bool) -> bool:
    """Return True if "to" at ``i`` joins two numbers to one value: "of 2 kg to 4 kg"."""
    number = any(word.tag == "CD" for word in nouns.words[item.first : item.last])
    before = nouns.words[max(0, nouns.phrases[i - 1].first - 1)].low
    spans = copula or before in ("between", "of", "at", "within")
    return number and spans and nouns.is_value(i + 1)


def stretch(nouns: Nouns, i: int, items: list[Item], end: int) -> tuple[list[Item], int]:
    """ "from 858 to 867" is one value; "from Paris to Rome" are two."""
    if nouns.kind(end + 1) != "noun" or not (nouns.is_value(i) and nouns.is_value(end + 1)):
        return items, end
    last, end = nouns.of_chain(end + 1)
    return [nouns.span_item(items[0].first, last.last)], end


def doing(nouns: Nouns, i: int) -> tuple[Item, int]:
    """ "by touching your eyes": the whole -ing phrase is the detail."""
    end = i + 2
    while nouns.kind(end) in ("noun", "adj", "prep", "adv"):
        if nouns.kind(end) == "noun" and nouns.starts_clause(end):
            break
        end += 1
    first, last = nouns.phrases[i + 1].first, nouns.phrases[end - 1].last
    return nouns.span_item(first, last), end


def goes_on(nouns: Nouns, i: int) -> bool:
    """Return True if a further detail follows the comma at ``i``, and no clause of its own."""
    if nouns.kind(i + 1) != "prep" or nouns.kind(i + 2) != "noun":
        return False
    _, end = group(nouns, i + 2)
    end = nouns.skip_attached(end)
    return not (
        nouns.kind(end) == "," and nouns.kind(end + 1) == "noun" and nouns.starts_clause(end + 1)
    )
