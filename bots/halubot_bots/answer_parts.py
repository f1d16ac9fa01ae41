"""The parts of answers and questions that are compared: values, names, the words around them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from importlib import resources
from typing import Final, Literal

from halubot import values
from halubot.compare.tokens import stem
from halubot.report import Span
from halubot.text import Document, read

LONGEST: Final = 6_000
"""Characters of an answer that are compared."""

SENTENCES: Final = 40
"""Sentences of an answer that are compared."""

PARTS: Final = 12
"""Values and names of a sentence that are compared; a longer list is a table."""


@dataclass(frozen=True, slots=True)
class Part:
    """A value or name of a sentence."""

    kind: Literal["value", "name"]
    start: int
    end: int
    text: str
    value: values.Value | None = None


class Sentence:
    """A sentence of an answer: ``answer.text[start:end]``; ``first`` if it opens the answer."""

    def __init__(self, answer: AnswerParts, start: int, end: int, *, first: bool) -> None:
        self.answer = answer
        self.start, self.end, self.first = start, end, first
        self.text = answer.text[start:end].strip()

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The values and names, in order; a name that holds a value is one part."""
        plain = self.answer.document.plain
        found = [
            Part("value", one.start, one.end, plain[one.start : one.end], one)
            for one in self.answer.find_values(self.start, self.end)
        ]
        for match in _VERSION.finditer(plain, self.start, self.end):
            found.append(Part("name", match.start(), match.end(), match[0]))
        taken = [(one.start, one.end) for one in found]
        for match in _NAME.finditer(plain, self.start, self.end):
            start, end = self._name_span(match.start(), match.end(), taken)
            if end - start > 1 and not any(start < b and a < end for a, b in taken):
                found.append(Part("name", start, end, plain[start:end]))
        return tuple(sorted(found, key=lambda part: part.start)[:PARTS])

    def _name_span(self, start: int, end: int, taken: Sequence[Span]) -> Span:
        """Return the part of some words with capitals that is a name; an empty span for none.
        ``taken`` are the places of values."""
        plain = self.answer.document.plain
        for ending in ("'s", "’s", "'ll", "’ll"):
            if plain[start:end].endswith(ending):
                end -= len(ending)
        opens = not _LETTER.search(plain, self.start, start)
        # The first word of a sentence or quotation has a capital in any case.
        while first := _FIRST_WORD.match(plain, start, end):
            if first[0].casefold().partition("'")[0].partition("’")[0] not in _SMALL:
                break
            start, opens = first.end(), False
            while start < end and not plain[start].isalnum():
                start += 1
        if opens and not re.search(r"[\s\d&-]", plain[start:end].strip()):
            words = [one.start() for one in _WORD.finditer(plain, self.start, self.end)]
            alone = sum(not any(a <= at < b for a, b in taken) for at in words) <= 3
            if not (alone or self.repeats_verb(end) or _BEING.match(plain, end, self.end)):
                return (start, start)
        return (start, end)

    def repeats_verb(self, end: int) -> bool:
        """Return True if a word of the question follows a name that ends there ("Athens hosted
        it"): the subject of the question's own verb is what was asked for."""
        word = _WORD.match(self.answer.document.plain, end + 1, self.end)
        return word is not None and _stem(word[0].casefold()) in self.answer.asked

    @cached_property
    def words(self) -> frozenset[str]:
        """The stems of its other words that carry meaning."""
        covered = [(part.start, part.end) for part in self.parts]
        return self._stems(self.start, self.end, covered)

    @cached_property
    def terms(self) -> frozenset[str]:
        """Its words and the words of its names and values."""
        return self.words.union(*(name_words(part.text) for part in self.parts))

    @cached_property
    def is_bare(self) -> bool:
        """True if it is a value or name and nothing else."""
        return len(self.parts) == 1 and not self.words and len(self.answer.sentences) == 1

    def words_near(self, part: Part) -> frozenset[str]:
        """The stems around a part, as far as the next clause."""
        plain = self.answer.document.plain
        start = max((m.end() for m in _CLAUSE.finditer(plain, self.start, part.start)), default=0)
        after = _CLAUSE.search(plain, part.end, self.end)
        end = after.start() if after else self.end
        return self._stems(max(start, self.start), end, [(part.start, part.end)])

    def _stems(self, start: int, end: int, covered: Sequence[Span]) -> frozenset[str]:
        found = set()
        for word in _WORD.finditer(self.answer.document.plain, start, end):
            low = word[0].casefold().replace("’", "'")
            inside = any(a <= word.start() < b for a, b in covered)
            if not (inside or low in _SMALL or _DENIAL.fullmatch(low)):
                found.add(_stem(low))
        return frozenset(found)


class AnswerParts:
    """An answer, read: its sentences and what they hold."""

    def __init__(self, text: str, index: int, question: Question | None = None) -> None:
        self.index = index
        self.asked = question.words if question else frozenset[str]()
        self._asks_bound = question is not None and question.asks_bound
        self.document: Document = read(text[:LONGEST])
        self.text: str = self.document.text
        spans = self.document.sentences[:SENTENCES]
        self.sentences = [Sentence(self, *span[:2], first=at == 0) for at, span in enumerate(spans)]

    def find_values(self, start: int, end: int) -> list[values.Value]:
        """Return the values between two places, in order. To a question that asks for a minimum,
        "at least 2" says 2."""
        found = values.find(self.document.plain, start, end)
        return [replace(one, bound="") for one in found] if self._asks_bound else list(found)

    @cached_property
    def _values(self) -> tuple[values.Value, ...]:
        return tuple(p.value for s in self.sentences for p in s.parts if p.value is not None)

    @cached_property
    def words(self) -> frozenset[str]:
        """The stems of the words of the whole text."""
        return frozenset(_stem(word.casefold()) for word in _WORD.findall(self.document.plain))

    def has_value(self, value: values.Value) -> bool:
        """Return True if it says a value, or a range that it lies in."""
        return any(
            values.same(value, one) or values.same(one, value) or _overlap(value, one)
            for one in self._values
        )

    def has_name(self, own: frozenset[str]) -> bool:
        """Return True if one of the words of a name stands in the text."""
        # "India" is said by "Indians": names of places and of their people begin alike.
        begins = {word[:5] for word in own if len(word) > 4}
        return not own.isdisjoint(self.words) or any(word[:5] in begins for word in self.words)

    @cached_property
    def opening(self) -> str:
        """ "yes" or "no" if the answer begins so, else ""."""
        first = _FIRST_WORD.search(self.document.plain[:40])
        word = first[0].casefold() if first else ""
        return "yes" if word in _YES else "no" if word in _NO else ""


class Question:
    """A question. It ``asks`` for a value ("value"), a name ("name"), either ("any", and "bare" for
    an answer of one word), or something else (""); ``asks_some`` if for some of many, of which each
    answer may name others, ``asks_bound`` if for the least or most of something, ``asks_kind`` if
    it names the kind ("which river"), ``is_closed`` if it wants yes or no."""

    def __init__(self, text: str) -> None:
        self._parts = AnswerParts(text, -1)
        self.words = content_words(text)
        plain = _MENTION.sub(" ", self._parts.document.plain).replace("’", "'")
        self.asks_some = _ASKS_SOME.search(plain) is not None
        self.asks_bound = _ASKS_BOUND.search(plain) is not None
        self.asks_kind = "welche" in plain.casefold()
        self.is_closed = _CLOSED.match(plain.strip()) is not None
        found = (kind for kind, pattern in _ASKS if pattern.search(plain))
        self.asks = "" if self.asks_some else next(found, "bare" if "?" in plain else "")

    def side(self, answer: AnswerParts) -> str:
        """Return "yes" or "no" if an answer says so: by its first word or, to a question that wants
        one of them, by repeating all its words with a denial or without; else ""."""
        if answer.opening or not (self.is_closed and len(self.words) > 1 and answer.sentences):
            return answer.opening
        first = answer.sentences[0].text
        return ("no" if is_denial(first) else "yes") if self.words <= content_words(first) else ""

    def names(self, part: Part) -> bool:
        """Return True if the question itself has the value or name."""
        if part.value is not None:
            return self._parts.has_value(part.value)
        own = name_words(part.text)
        return bool(own) and own <= self._parts.words

    def is_said(self, part: Part, answer: AnswerParts) -> bool:
        """Return True if an answer says a value or name of another."""
        if part.value is not None:
            return answer.has_value(part.value)
        # Beside "Jane Eyre" the "Jane" of an author tells nothing.
        own = name_words(part.text)
        return answer.has_name(own - self._parts.words or own)

    def is_answered_alike(self, one: AnswerParts, other: AnswerParts) -> bool:
        """Return True if two answers give the same value or name that it asks for."""
        kinds = ("value", "name") if self.asks == "any" else (self.asks,)
        return any(
            part.kind in kinds and not self.names(part) and self.is_said(part, other)
            for sentence in one.sentences
            for part in sentence.parts
        )


def _overlap(one: values.Value, other: values.Value) -> bool:
    """Return True if one of two values is a range that the other lies in or overlaps."""
    if one.ends is None and other.ends is None:
        return False
    mine, theirs = _borders(one), _borders(other)
    return bool(mine and theirs and mine[0] <= theirs[1] and theirs[0] <= mine[1])


def _borders(value: values.Value) -> tuple[Decimal, Decimal] | None:
    ends = value.ends or (value, value)
    low, high = (getattr(next(iter(end.readings), None), "number", None) for end in ends)
    return None if low is None or high is None else (Decimal(low), Decimal(high))


def is_denial(quote: str) -> bool:
    """Return True if a sentence denies something."""
    first = _FIRST_WORD.search(quote[:40])
    if first and first[0].casefold() in _NO:
        return True
    return _DENIAL.search(quote.replace("’", "'")) is not None


def name_words(name: str) -> frozenset[str]:
    """Return the stems of the words of a name; empty if it has only small ones."""
    return frozenset(
        _stem(word.casefold())
        for word in _WORD.findall(name)
        if word.casefold() not in _SMALL and len(word) > 1
    )


def content_words(text: str) -> frozenset[str]:
    """Return the stems of the words of a text that carry meaning; empty for none."""
    words = (word.casefold() for word in _WORD.findall(text[:LONGEST]))
    return frozenset(_stem(word) for word in words if len(word) > 2 and word not in _SMALL)


def telling_span(sentence: str, others: Sequence[str], most: int) -> Span:
    """Return the place in a sentence, of at most ``most`` characters or one word, with most of the
    words that other sentences lack; the whole sentence if they have all of its words."""
    known = {_stem(word.casefold()) for other in others for word in _WORD.findall(other)}
    own = [
        found.span()
        for found in _WORD.finditer(sentence)
        if _stem(low := found[0].casefold()) not in known and (low not in _SMALL or low in _SIDES)
    ]
    near = [[two for two in own if one <= two and two[1] <= one[0] + most] or [one] for one in own]
    # Of places that tell as much the last: what is new stands at the end.
    best = max(near, key=lambda some: (len(some), some), default=[(0, len(sentence))])
    return best[0][0], best[-1][1]


def _stem(word: str) -> str:
    return stem(word.removesuffix("'s").removesuffix("’s"))


def _any_of(patterns: Sequence[str]) -> re.Pattern[str]:
    """Return what finds one of some patterns as whole words."""
    return re.compile(rf"(?i)(?<!\w)(?:{'|'.join(patterns)})(?!\w)")


_TABLES: Final = tomllib.loads(
    (resources.files("halubot_bots") / "words.toml").read_text(encoding="utf-8")
)
_SMALL: Final = frozenset(_TABLES["small"].split())
_YES: Final = frozenset(_TABLES["yes"].split())
_NO: Final = frozenset(_TABLES["no"].split())
_SIDES: Final = _YES | _NO
DAYS: Final = frozenset(_TABLES["days"].split())
_DENIAL: Final = _any_of(_TABLES["denial"])
_ASKS_SOME: Final = _any_of(_TABLES["asks"].pop("some"))
_ASKS_BOUND: Final = _any_of(_TABLES["asks"].pop("bound"))
_CLOSED: Final = _any_of(_TABLES["asks"].pop("closed"))
_ASKS: Final = [(kind, _any_of(patterns)) for kind, patterns in _TABLES["asks"].items()]

_WORD: Final = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_FIRST_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
# Words with a capital, joined by small words of names: "University of Oxford", "J. R. R. Tolkien".
_NAME: Final = re.compile(
    r"(?<![\w'’])[A-ZÀ-ÖØ-Þ][\w'’.&+#-]*(?:(?: (?:of|the|de|la|du|von|van|der|da|di|and) | )"
    r"[A-ZÀ-ÖØ-Þ0-9][\w'’&+#-]*)*(?<![.'’])"
)
# Three numbers or more, which no value has: "1.21.4", an address.
_VERSION: Final = re.compile(r"(?<![\w.])v?\d+(?:\.\d+){2,}(?![\w.]*\w)")
_LETTER: Final = re.compile(r"\w")
_MENTION: Final = re.compile(r"<@[^<>\s]{1,25}>|@\w+")
_BEING: Final = re.compile(r"(?:['’]s)? (?:is|was|are|were|has|had|ist|war|hat|hatte)\b")
_CLAUSE: Final = re.compile(
    r"[;:()]|, (?:and|but|while|which|who)\b|\b(?:but|while|whereas|aber)\b"
)
