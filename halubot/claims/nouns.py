"""Noun phrases of one sentence: tagged words grouped, lists, names, appositions, new clauses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from halubot.claims import english_words as lex
from halubot.claims.english_words import Word
from halubot.claims.verbs import Kind, Phrase, low_at, tag_at, verb_group

_NOUNS: Final = frozenset({"NN", "NP", "CD", "DA"})


_MODIFIERS: Final = _NOUNS | {"JJ"}


_MONTHS: Final = frozenset(lex.MONTHS.lower().split("|"))
_YEAR: Final = re.compile(r"1\d{3}|20\d\d")
_EXTENTS: Final = lex.words("long wide high tall deep old thick apart")  # "5 metres long"


def phrases(words: Sequence[Word]) -> list[Phrase]:
    """The phrases of a sentence, covering its words in order."""
    found: list[Phrase] = []
    i = 0
    while i < len(words):
        phrase = (
            _set_phrase(words, i) or _noun(words, i) or verb_group(words, i) or _single(words, i)
        )
        found.append(phrase)
        i = phrase.last
    return found


def _set_phrases() -> dict[str, list[tuple[Kind, tuple[str, ...]]]]:
    """Prepositions and adverbs of several words, by their first word, longest first."""
    known: dict[str, list[tuple[Kind, tuple[str, ...]]]] = {}
    kinds: tuple[tuple[Kind, tuple[tuple[str, ...], ...]], ...] = (
        ("prep", lex.COMPOUND_PREPOSITIONS),
        ("adv", lex.ADVERB_PHRASES),
    )
    for kind, group in kinds:
        for parts in sorted(group, key=len, reverse=True):
            known.setdefault(parts[0], []).append((kind, parts))
    return known


_SET_PHRASES: Final = _set_phrases()


def _set_phrase(words: Sequence[Word], i: int) -> Phrase | None:
    for kind, parts in _SET_PHRASES.get(words[i].low, ()):
        if all(low_at(words, i + k) == part for k, part in enumerate(parts)):
            return Phrase(kind, i, i + len(parts), i)
    return None


def _noun(words: Sequence[Word], i: int) -> Phrase | None:
    """A noun phrase: determiner, modifiers, head; possessives chain ("France's capital")."""
    start = i
    if words[i].tag == "PR" or _is_year(words, i):
        return Phrase("noun", i, i + 1, i)
    i = _approximators(words, i)
    negated = False
    if tag_at(words, i) in ("DT", "PS"):
        while tag_at(words, i) in ("DT", "PS"):
            negated |= words[i].low in ("no", "neither")
            i += 1
        if low_at(words, i) == "of":
            return Phrase("noun", start, i, i - 1, negated=negated)
        i = _approximators(words, i)
    head = end = -1
    while i < len(words):
        tag = words[i].tag
        if tag in _NOUNS:
            numbered = tag == "CD" and head >= 0 and words[head].tag in ("NN", "NP")
            head = head if numbered else i
            between = tag == "CD" and low_at(words, i + 1) == "to" and tag_at(words, i + 2) == "CD"
            end = i = i + (3 if between else 1)  # "four to six weeks"
            if low_at(words, i) in _EXTENTS and any(word.tag == "CD" for word in words[start:i]):
                end = i = i + 1
        elif (
            tag == "JJ"
            or (tag == "RB" and head < 0 and _grades(words, i))
            or (tag in ("VG", "VN") and head < 0 and i > start and _inner_participle(words, i))
        ):
            i += 1
        elif tag == "GE" and (head >= 0 or words[start].tag == "PR"):
            i += 1
            if tag_at(words, i) not in _MODIFIERS and tag_at(words, i) not in ("RB", "VG"):
                break
        elif tag in (",", "CC") and head < 0 and _joins_adjectives(words, start, i):
            i += 1
        else:
            break
    if head < 0:
        if i == start:
            return None
        if words[i - 1].tag == "JJ":
            bare = words[start].tag not in ("DT", "PS")
            return Phrase("adj" if bare else "noun", start, i, i - 1, negated=negated)
        if words[start].tag in ("DT", "PS"):
            return Phrase("noun", start, i, i - 1, negated=negated)
        return None
    # adjectives after the head are a predicate of their own ("a diet high in sugar")
    if end < i and words[end].tag == "GE":
        end += 1
    return Phrase("noun", start, end, head, negated=negated)


def _is_year(words: Sequence[Word], i: int) -> bool:
    """Return True for a year or month by itself: "In 1907 severe flooding forced ..."."""
    if not i or words[i - 1].low not in lex.BEFORE_YEARS:
        return False
    month = words[i].low in _MONTHS and tag_at(words, i + 1) == "NP"
    year = bool(_YEAR.fullmatch(words[i].low)) and tag_at(words, i + 1) in ("JJ", "NP")
    return month or year


def _approximators(words: Sequence[Word], i: int) -> int:
    """Past "more than", "about", "at least" if a number follows."""
    for phrase in lex.APPROXIMATORS.get(words[i].low, ()) if i < len(words) else ():
        j = i + len(phrase)
        if tag_at(words, j) in ("CD", "DA") and all(
            words[i + k].low == part for k, part in enumerate(phrase)
        ):
            return j
    return i


def _grades(words: Sequence[Word], i: int) -> bool:
    """Return True if an adverb belongs to the adjective or number after it ("very large")."""
    if words[i].low in lex.DISCOURSE:
        return False
    following = tag_at(words, i + 1)
    if words[i].low == "too" and following == "NN":
        return True  # "too salty": an adjective that no list has
    return following in ("JJ", "CD") or (
        following == "VN" and i > 0 and words[i - 1].tag in ("DT", "PS", "JJ", "RB", "GE")
    )


def _inner_participle(words: Sequence[Word], i: int) -> bool:
    return words[i - 1].tag in ("DT", "PS", "JJ", "CD", "GE", "RB") and tag_at(words, i + 1) in (
        "NN",
        "NP",
        "JJ",
    )


def _joins_adjectives(words: Sequence[Word], start: int, i: int) -> bool:
    """A comma or "and" between two adjectives before one noun."""
    if i == start or words[i - 1].tag not in ("JJ", "CD") or words[i - 1].tag == "CD":
        return False
    j = i + 1
    if words[i].tag == "," and tag_at(words, j) == "CC":
        j += 1
    while tag_at(words, j) == "RB":
        j += 1
    after = tag_at(words, j + 1)
    if words[start].tag in ("DT", "PS") and tag_at(words, j) == "NN" and after == "NN":
        return True
    return tag_at(words, j) == "JJ" and after in ("NN", "JJ", "NP")


_SINGLES: Final[dict[str, Kind]] = {
    "IN": "prep",
    "TO": "prep",
    "CC": "and",
    ",": ",",
    "SB": "sub",
    "RL": "rel",
    "JJ": "adj",
    "RB": "adv",
    "NG": "adv",
}


def _single(words: Sequence[Word], i: int) -> Phrase:
    return Phrase(_SINGLES.get(words[i].tag, "mark"), i, i + 1, i)


_AHEAD: Final = 12  # phrases a look ahead goes, so that time stays linear
_TIMES: Final = lex.words(
    "century centuries decade decades year years month months week weeks day days hour hours minute"
    " minutes season seasons time age night morning summer winter spring autumn"
)
_NOW: Final = lex.words("present now today")


_OPENING: Final = frozenset("\"“«'‘")
_CLOSING: Final = frozenset("\"”»'’")


class Item(NamedTuple):
    """A head or tail: its text, the words it is made of (``last`` exclusive; none if
    ``first == last``), its head noun, whether it is a name, and whether the text is another than
    those words (a pronoun resolved)."""

    text: str
    first: int
    last: int
    head: str = ""
    name: bool = False
    resolved: bool = False


class Nouns:
    """A sentence as words and phrases."""

    def __init__(self, plain: str, words: Sequence[Word]) -> None:
        self.plain = plain
        self.words = words
        self.phrases: list[Phrase] = phrases(words)
        self.meant: dict[str, str] = {}  # pronouns resolved so far
        self.items: dict[int, Item] = {}  # the widest noun found, by the word it ends before

    def kind(self, i: int) -> str:
        """The kind of the phrase at ``i``; empty outside the sentence."""
        return self.phrases[i].kind if 0 <= i < len(self.phrases) else ""

    def low(self, i: int) -> str:
        """The first word of the phrase at ``i`` in lower case."""
        return self.words[self.phrases[i].first].low if 0 <= i < len(self.phrases) else ""

    def place(self, first: int, last: int) -> tuple[int, int]:
        """Return the place of those words, with the quotation mark that belongs to one inside."""
        start, end = self.words[first].start, self.words[last - 1].end
        if self.words[last - 1].low == '"' and last - first > 1:
            end += self.plain[end : end + 1] in _CLOSING
        if self.words[first].low == '"' and last - first > 1 and self.plain[start - 1] in _OPENING:
            start -= start > 0
        return start, end

    def text(self, first: int, last: int) -> str:
        """The text of those words, white space normalised."""
        start, end = self.place(first, last)
        return " ".join(self.plain[start:end].split())

    def span_item(self, first: int, last: int, head: str = "", name: bool = False) -> Item:
        """An item of those words, without the article before it."""
        while (
            last - first > 1
            and self.words[first].tag == "DT"
            and self.words[first].low in ("a", "an", "the", "both", "either", "no")
            and _approximators(self.words, first) == first  # "no more than 30 minutes"
        ):
            first += 1
        item = Item(self.text(first, last), first, last, head or self.words[last - 1].low, name)
        known = self.items.get(last)
        if known is None or known.first > first:
            self.items[last] = item
        return item

    def item(self, phrase: Phrase) -> Item:
        """A phrase as an item."""
        head = self.words[phrase.head]
        return self.span_item(phrase.first, phrase.last, head.low, head.tag == "NP")

    def name_in(self, item: Item) -> Item:
        """The name in "his play The Laramie Project"; the item itself if it holds none."""
        if item.resolved or item.last - item.first < 2:
            return item
        k = item.first
        while k < item.last and self.words[k].tag in ("PS", "DT", "JJ", "NN", "CD"):
            if self.words[k].text[0].isupper() and self.words[k].tag not in ("PS", "DT"):
                return item  # "Low Tide" is a name whole
            k += 1
        rest = {word.tag for word in self.words[k : item.last]}
        if (
            k in (item.first, item.last)
            or self.words[k].tag != "NP"
            or not rest <= {"NP", "IN", "CD", "CC", "GE", "DT"}
        ):
            return item
        return Item(self.text(k, item.last), k, item.last, self.words[item.last - 1].low, True)

    def is_time(self, phrase: Phrase) -> bool:
        """Return True if a noun phrase is a date, year or stretch of time."""
        head = self.words[phrase.head]
        return (
            head.tag == "DA" or head.low in _TIMES or (head.tag == "CD" and head.low[:4].isdigit())
        )

    def is_value(self, i: int) -> bool:
        """Return True if the noun phrase at ``i`` holds a number or date."""
        phrase = self.phrases[i]
        words = self.words[phrase.first : phrase.last]
        return any(word.tag in ("CD", "DA") or word.low in _NOW for word in words)

    def skip_attached(self, i: int) -> int:
        """Past prepositional phrases that follow a noun directly."""
        while self.kind(i) == "prep" and self.kind(i + 1) == "noun":
            i += 2
        return i

    def leads_verb(self, i: int) -> bool:
        """Return True if a detail at ``i`` stands before its verb: "and in 1906 became"."""
        if (self.kind(i), self.kind(i + 1), self.kind(i + 2)) != ("prep", "noun", "verb"):
            return False
        return self.phrases[i + 2].mood == "finite"

    def starts_clause(self, i: int, *, across: bool = False) -> bool:
        """Return True if the noun at ``i`` is the subject of a verb of its own; ``across`` looks
        past an "and" too."""
        j = i + 1
        limit = min(len(self.phrases), i + _AHEAD)
        while j < limit:
            kind = self.kind(j)
            if kind == "verb":
                return self.phrases[j].mood in ("finite", "base")
            linked = kind == "prep" or (across and kind == "and")
            if linked and self.kind(j + 1) == "noun":
                j += 2
            elif kind == "adv":
                j += 1
            else:
                return False
        return False

    def of_chain(self, i: int, of: bool = True) -> tuple[Item, int]:
        """A noun with what "of" adds to it. "A mix of soul and jazz" keeps what is joined
        inside."""
        item = self.item(self.phrases[i])
        of = (
            of
            or self.words[item.last - 1].tag in ("CD", "DT", "PR")
            or item.head in ("one", "some")
        )
        i += 1
        while of and self.low(i) == "of" and self.kind(i) == "prep" and self.kind(i + 1) == "noun":
            last = self.phrases[i + 1].last
            i += 2
            inside = (
                not item.name
                and self.kind(i) == "and"
                and self.kind(i + 1) == "noun"
                and self.words[self.phrases[i + 1].first].tag not in ("DT", "PS")
                and not self.starts_clause(i + 1)
            )
            if inside:
                last = self.phrases[i + 1].last
                i += 2
            item = self.span_item(item.first, last, item.head, item.name)
        return item, i

    def trailing(self, item: Item) -> Item:
        """The name at the end of "the board of Digicel"; the item itself if none is."""
        named = self.name_in(item)
        if named is not item or item.name or item.resolved:
            return named
        k = item.last
        while k > item.first and self.words[k - 1].tag == "NP":
            k -= 1
        if k in (item.first, item.last):
            return item
        return Item(self.text(k, item.last), k, item.last, self.words[item.last - 1].low, True)

    def apposition(self, noun: Item, i: int) -> int:
        """Return the end of an apposition to ``noun`` that begins at ``i``: "John, a lawyer, ..."
        or "his wife, Anna, ..."; 0 if it is none."""
        phrase = self.phrases[i]
        first, head = self.words[phrase.first], self.words[phrase.head]
        described = (
            noun.name and first.low in ("a", "an", "the", "one") and head.tag in ("NN", "CD")
        )
        introduced = (
            not noun.name
            and noun.last > noun.first
            and self.words[noun.first].tag in ("PS", "JJ", "NN")
            and not lex.is_plural(noun.head)
            and all(word.tag == "NP" for word in self.words[phrase.first : phrase.last])
        )
        if not (described or introduced):
            return 0
        _, end = self.of_chain(i)
        end = self.skip_attached(end)
        if self.kind(end) == "and" or (self.kind(end) == "," and self.kind(end + 1) in ("and",)):
            return 0
        if described and self.kind(end) == "," and self.kind(end + 1) == "noun":
            # a list goes on with another described noun, a clause with its verb
            return 0 if self.words[self.phrases[end + 1].first].tag == "DT" else end
        while self.kind(end) == "adv":
            end += 1
        closes = end >= len(self.phrases) or self.kind(end) in (",", "rel", "mark")
        participle = self.kind(end) == "verb" and self.phrases[end].mood in ("part", "ing")
        return end if closes or (described and participle) else 0
