"""Details after a preposition, inspected before they are read: the kind of a detail, and how far
it goes."""

from __future__ import annotations

from typing import Final, NamedTuple

from halubot.extract import english_words as lex
from halubot.extract.coordination import group
from halubot.extract.nouns import Item, Nouns

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


class Before(NamedTuple):
    """The words before a detail: the noun, the last word of its relation, whether that noun is a
    verb's one object, whether the verb is "to be", and the prepositions that go with it."""

    item: Item
    slot: str
    whole: bool
    copula: bool
    attach: frozenset[str]


def belongs(nouns: Nouns, i: int, before: Before) -> bool:
    """Return whether the detail at ``i`` belongs to the noun before it."""
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
    """Return whether the detail at ``i`` names the text that is read, not the world."""
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
    """Return what follows the detail at ``i`` in the same form: "(stars A as B,) C as D and E as
    F", each as object, preposition and detail; and the phrase after them."""
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
    """Return whether the detail at ``i`` is part of what ``verb`` means: "came into effect in"."""
    phrase = nouns.phrases[i + 1]
    bare = phrase.last - phrase.first == 1 and nouns.words[phrase.first].tag == "NN"
    known = nouns.low(i) == "into" and verb in _MOVING
    return known and bare and nouns.kind(i + 2) == "prep"


def _is_plain(nouns: Nouns, i: int, thing: Item) -> bool:
    """Return whether the detail at ``i`` and the ``thing`` before it are common nouns, and so told
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
    """Return whether "to" at ``i`` joins two numbers to one value: "of 2 kg to 4 kg"."""
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
    """Return whether a further detail follows the comma at ``i``, and no clause of its own."""
    if nouns.kind(i + 1) != "prep" or nouns.kind(i + 2) != "noun":
        return False
    _, end = group(nouns, i + 2)
    end = nouns.skip_attached(end)
    return not (
        nouns.kind(end) == "," and nouns.kind(end + 1) == "noun" and nouns.starts_clause(end + 1)
    )
