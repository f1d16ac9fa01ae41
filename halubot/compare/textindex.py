"""A text made ready to be asked about facts: words, values and life dates, by sentence.

Built once a text, in time linear in its length. A fact then looks only at the sentences that
share a word or a value with it.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cached_property
from typing import NamedTuple

from halubot.compare.forms import CHANGING, initials, name_runs, other_stems
from halubot.compare.mentions import Mention, mentions
from halubot.compare.names import same_name
from halubot.compare.negation import Denial, denials
from halubot.compare.relations import BIRTH, DEATH, PREPOSITIONS
from halubot.compare.units import CARDINALS, MONTHS, ORDINALS, SCALES
from halubot.compare.values import Key, Value, compatible, find, keys
from halubot.compare.tokens import Token, Worded, normal, tokens
from halubot.text import Span

_BIRTH_OR_DEATH = re.compile(
    r"(?i)(?<![^\W_])(?P<birth>born|b\.|geboren|née?)(?![^\W_])"
    r"|(?<![^\W_])(?P<death>died|d\.|dies|death|gestorben|starb)(?![^\W_])|(?P<star>\*)|(?P<cross>†)"
)
# What may stand before a range of dates that is a life: "(1828-1896)", "(born Ada Weir; 1828-".
_LIFE_OPENING = re.compile(r"(?i)\((?:[^()]*;)?\s*(?:born|b\.|c\.|ca\.|circa)?\s*$")
# Between "born" and its date may stand a place and a name, but nobody else's life.
_REACH = 60
_FARTHEST = 200  # how far back kin and brackets are looked for, in characters
# The stems of the words with which a value may begin; else it begins with a digit.
_NUMERIC = frozenset(
    normal(word) for word in (*CARDINALS, *ORDINALS, *MONTHS, *SCALES, "early", "mid", "late")
)
OPENING = frozenset({"he", "she", "it", "they"})
_HEADINGS = 4  # lines at the top of a text of which the last may be its first sentence
_ENDED = re.compile(r"[.!?…。！？][\"'”’)\]]*\s*$")
KIN = re.compile(
    r"(?i)\b(?:father|mother|brother|sister|son|daughter|wife|husband|child(?:ren)?|parents?|uncle"
    r"|aunt|cousin|nephew|niece|grand\w+|widow|family|twins?)\b|,\s(?:his|her|their)\s\w+,"
)


class SentenceIndex:
    """One sentence of a text: its place, tokens, values and, when asked for, denials."""

    __slots__ = ("__dict__", "end", "number", "plain", "start", "stems", "tokens", "values")

    def __init__(self, plain: str, number: int, span: Span, found: tuple[Token, ...]) -> None:
        self.plain = plain
        self.number = number
        self.start, self.end = span
        self.tokens = found
        self.stems: dict[str, list[int]] = {}
        changing = []
        numeric = False
        for at, token in enumerate(found):
            norm = token.norm
            self.stems.setdefault(norm, []).append(at)
            if norm in CHANGING:
                changing.append(at)
            if token.kind == "number" or norm in _NUMERIC:
                numeric = True
        self.values: tuple[Value, ...] = find(plain, *span) if numeric else ()
        for at in changing:
            for stem in other_stems(found, at):
                self.add(stem, at)

    def add(self, stem: str, at: int) -> None:
        """Finds the word at a place under another stem too."""
        places = self.stems.setdefault(stem, [])
        if at not in places:
            places.append(at)
            places.sort()

    @cached_property
    def denials(self) -> tuple[Denial, ...]:
        """The negations in this sentence."""
        return denials(self.plain, self.start, self.end)

    @cached_property
    def words(self) -> dict[str, float]:
        """The content stems of this sentence, outside its values."""
        values = self.values
        return {
            token.norm: 1.0
            for token in self.tokens
            if token.kind != "stop"
            and not any(value.start <= token.start < value.end for value in values)
        }

    @property
    def continues(self) -> bool:
        """Whether this sentence opens with a pronoun, and so speaks of whom the last one did."""
        return bool(self.tokens) and self.tokens[0].text.lower() in OPENING

    @cached_property
    def takes_up(self) -> bool:
        """Whether a pronoun stands before any name of this sentence but one that a preposition
        leads to: "In Paris he"."""
        at = min((self.stems[one][0] for one in OPENING if one in self.stems), default=None)
        if at is None or self.continues:
            return at is not None
        return all(
            any(token.text.lower() in PREPOSITIONS for token in self.tokens[: one.first])
            for one in self.mentions
            if one.first < at
        )

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        """The names in this sentence as those of somebody or something, months left out."""
        return mentions(self.plain, self.tokens, self.names, self.values)

    @cached_property
    def names(self) -> tuple[Span, ...]:
        """The names in this sentence: its runs of capitalised words."""
        return name_runs(self.plain, self.tokens)

    def named(self, name: str) -> bool:
        """Whether this sentence holds that name in some form."""
        return any(same_name(name, self.plain[start:end]) for start, end in self.names)

    @property
    def text(self) -> str:
        """The words of the sentence, markup blanked."""
        return self.plain[self.start : self.end]


class Life:
    """The birth and death dates that a text gives its main subject."""

    __slots__ = ("births", "deaths")

    def __init__(self) -> None:
        self.births: list[tuple[Value, SentenceIndex]] = []
        self.deaths: list[tuple[Value, SentenceIndex]] = []

    def holds(self, value: Value, events: Collection[str] = (BIRTH, DEATH)) -> bool:
        """Whether this very value is one of the dates of these events."""
        told = (self.births if BIRTH in events else [], self.deaths if DEATH in events else [])
        return any(
            date.start >= value.start and date.end <= value.end
            for dates in told
            for date, _ in dates
        )


class Asked(NamedTuple):
    """The names that facts ask for: the stems of those that have an acronym, under it, and those
    that are acronyms themselves."""

    spelt: dict[str, frozenset[str]]
    short: frozenset[str]


class TextIndex:
    """The sentences of a document, and where each stem stands. Names asked for in full are
    found by their acronyms, and the other way round. ``title`` is what the text calls itself."""

    def __init__(self, text: Worded, asked: Asked, title: str = "") -> None:
        plain = text.document.plain
        self.title = title
        self.sentences = [
            SentenceIndex(plain, number, span, found)
            for number, (span, found) in enumerate(
                zip(text.document.sentences, text.tokens, strict=True)
            )
        ]
        self.where: dict[str, list[int]] = {}
        self._holders: dict[str, frozenset[int]] = {}
        self._values: list[tuple[Value, int]] = []
        self._loose: list[tuple[Value, int]] = []
        self._marked: dict[Key, list[tuple[Value, int]]] = {}
        for sentence in self.sentences:
            for stem in sentence.stems:
                self.where.setdefault(stem, []).append(sentence.number)
            for value in sentence.values:
                self._add(value, sentence.number)
        self._find_names(asked)

    def _find_names(self, asked: Asked) -> None:
        added: dict[str, set[int]] = {}
        for acronym, stems in asked.spelt.items():
            for number in self.where.get(acronym, ()):
                sentence = self.sentences[number]
                for at in sentence.stems[acronym]:
                    if sentence.tokens[at].text.isupper():
                        for stem in stems:
                            sentence.add(stem, at)
                            added.setdefault(stem, set()).add(number)
        missing = {acronym for acronym in asked.short if acronym not in self.where}
        for sentence in self.sentences if missing else ():
            for start, end in sentence.names:
                acronym = initials(sentence.plain[start:end])
                if acronym in missing:
                    at = next(i for i, token in enumerate(sentence.tokens) if token.start == start)
                    sentence.add(acronym, at)
                    added.setdefault(acronym, set()).add(sentence.number)
        for stem, numbers in added.items():
            self.where[stem] = sorted(numbers.union(self.where.get(stem, ())))

    def _add(self, value: Value, number: int) -> None:
        place = value, number
        self._values.append(place)
        marks = keys(value, asked=False)
        if marks is None:
            self._loose.append(place)
        else:
            for mark in marks:
                self._marked.setdefault(mark, []).append(place)

    def holders(self, stem: str) -> frozenset[int]:
        """The numbers of the sentences that hold a stem."""
        if stem not in self._holders:
            self._holders[stem] = frozenset(self.where.get(stem, ()))
        return self._holders[stem]

    def holding(self, value: Value) -> list[int]:
        """The numbers of the sentences that hold a value compatible with this one, in order."""
        marks = keys(value, asked=True)
        if marks is None:
            near = self._values
        else:
            near = [
                *self._loose,
                *(place for mark in marks for place in self._marked.get(mark, ())),
            ]
        return sorted({number for other, number in near if compatible(value, other)})

    @cached_property
    def heading(self) -> frozenset[str]:
        """The stems of the title."""
        return frozenset(token.norm for token in tokens(self.title, 0, len(self.title)))

    @cached_property
    def taken_up(self) -> list[int]:
        """Of each sentence the number of the one that its pronoun goes back to, over others that
        take it up; its own where it takes nothing up, -1 where it goes back to the title. A text
        without a title answers what the message does, and its pronouns go back nowhere: they
        stand for the subject of the message."""
        if not self.title:
            return [sentence.number for sentence in self.sentences]
        found: list[int] = []
        for sentence in self.sentences:
            before = found[-1] if found else -1
            found.append(before if sentence.takes_up else sentence.number)
        return found

    @cached_property
    def opening(self) -> int:
        """The number of the first sentence below the headings."""
        ended = (s.number for s in self.sentences[:_HEADINGS] if _ENDED.search(s.text))
        return next(ended, 0)

    @cached_property
    def life(self) -> Life:
        """Dates in "(1828-1896)", "(born 1828)", "was born in Ulm on 3 May 1828", "died in 1896".
        A sentence that speaks of kin before the date is left out: it may be theirs."""
        life = Life()
        for sentence in self.sentences:
            for value in sentence.values:
                if value.kind == "date":
                    _add(life, sentence, value, opens=sentence.number == self.opening)
        return life


def _add(life: Life, sentence: SentenceIndex, value: Value, *, opens: bool) -> None:
    before = sentence.plain[max(sentence.start, value.start - _FARTHEST) : value.start]
    verbs = list(_BIRTH_OR_DEATH.finditer(before, max(0, len(before) - _REACH)))
    if value.ends is not None:
        if opens and _LIFE_OPENING.search(before):
            life.births.append((value.ends[0], sentence))
            life.deaths.append((value.ends[1], sentence))
        return
    if not verbs or KIN.search(before):
        return
    verb = verbs[-1]
    if re.search(r"[.;](?=\s)", before[verb.end() :]) or _counts_dates(before[verb.end() :]):
        return
    birth = verb.lastgroup in {"birth", "star"}
    (life.births if birth else life.deaths).append((value, sentence))


def _counts_dates(between: str) -> bool:
    """Whether another date stands between the verb and this one."""
    return bool(re.search(r"\d{4}", between))
