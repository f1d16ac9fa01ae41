"""Who is meant: a pronoun stands for a subject of its paragraph, if no other one fits; dates in
brackets behind the name of a person tell of birth and death."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Final

from halubot.claims.clauses import Tree
from halubot.claims.parser import Token, usual_tag
from halubot.text import Span
from halubot.values.names import TITLES

PRONOUNS: Final = frozenset({"he", "she", "it", "they"})
OWNERS: Final = {"his": "he", "her": "she", "its": "it", "their": "they"}
_LIKE_PERSONS: Final = frozenset({"by", "with"})


@dataclass(slots=True)
class _Subject:
    """A subject of the text; ``pronoun`` is the one it was called by, "" before any."""

    text: str
    name: bool
    plural: bool
    nouns: set[str] = field(default_factory=set)  # what it was called: "film", "city"
    pronoun: str = ""


class Mentions:
    """The subjects of a paragraph. ``topic`` is what the text is about: the one given, or a title
    that is a name; pronouns look back to it over paragraphs."""

    def __init__(self, topic: str | None = None) -> None:
        self.topic: str | None = None
        self._topic: _Subject | None = None
        self._subjects: list[_Subject] = []
        self._others: set[str] = set()  # names that are no subjects
        self._names: set[str] = set()  # of persons in the whole text
        if topic and topic.strip():
            self.new_topic(" ".join(topic.split()))

    def new_topic(self, text: str) -> None:
        """Note what the text is about from here on."""
        self.topic = text
        self._topic = _Subject(text, name=True, plural=False)
        self._names.add(text)
        self._subjects = [self._topic]
        self._others.clear()

    def new_paragraph(self) -> None:
        """Forget all subjects but the topic and the persons who were called "he" or "she"."""
        known = [one for one in self._subjects if one.pronoun in ("he", "she")]
        own = [self._topic] if self._topic and self._topic not in known else []
        self._subjects = own + known
        self._others.clear()

    def before_list(self) -> list[_Subject]:
        """Return the subjects so far, for `in_list`."""
        return list(self._subjects)

    def in_list(self, subjects: list[_Subject]) -> None:
        """Look back to the subjects before a list, over its other items."""
        self._subjects = list(subjects)
        self._others.clear()

    def label(self, text: str) -> None:
        """Note the label of a line ("Ferry: It takes 40 minutes"), of which the line tells."""
        self._subjects = [_Subject(text, name=False, plural=False)]
        self._others.clear()

    def subject(self, text: str, *, name: bool, plural: bool) -> None:
        self._others.discard(text)
        known = next((one for one in self._subjects if one.text == text), None)
        if known is None:
            self._subjects.append(_Subject(text, name, plural))
            if name and is_person(text.split()):
                self._names.add(text)
        else:
            self._subjects.remove(known)
            self._subjects.append(known)

    def describe(self, text: str, noun: str) -> None:
        """Note that what is called ``text`` is a ``noun``."""
        for one in self._subjects:
            if one.text == text:
                one.nouns.add(noun)

    def full_name(self, word: str) -> str | None:
        """Return the one longer name that ends in a word: "Lovelace" is "Ada Lovelace"."""
        known = {name for name in self._names if name.endswith(f" {word}")}
        return known.pop() if len(known) == 1 else None

    def definite(self, noun: str) -> str | None:
        """Return the one name that "the film" stands for; None if none or several may be meant."""
        fitting = [one.text for one in self._subjects if one.name and noun in one.nouns]
        return fitting[0] if len(fitting) == 1 else None

    def others(self, tree: Tree, tokens: Iterable[int]) -> None:
        """Note the names among tokens that may be a person's and are no subject."""
        for k in tokens:
            token = tree.tokens[k]
            if token.kind == "PROPN" and (k == 0 or tree.tokens[k - 1].kind != "PROPN"):
                words = [one.text for one in takewhile(_is_named, tree.tokens[k:])]
                if len(words) > 1 and is_person(words):
                    self._names.add(" ".join(words))
            if token.kind != "PROPN" or tree.base(k) not in ("obj", "iobj", "obl"):
                continue
            cases = {tree.tokens[c].low for c in tree.having(k, "case")}
            name = [tree.tokens[c].text for c in (k, *tree.having(k, "flat", "compound"))]
            likely = is_person(name) and not tree.having(k, "det")  # not "the Jockey Cup"
            if likely and (not cases or cases & _LIKE_PERSONS):
                self._others.add(token.text)

    def resolve(self, pronoun: str) -> str | None:
        """Return the subject that a pronoun stands for; None if none or several may be meant."""
        called = [one for one in self._subjects if one.pronoun == pronoun]
        free = [one for one in self._subjects if not one.pronoun and _fits(one, pronoun)]
        last = self._subjects[-1:]
        if pronoun in ("he", "she"):
            return self._person(pronoun, called, free)
        if pronoun == "they" and not called and not free:
            free = [one for one in last if one.name]  # a company, a band
        # "The bridge has two towers. It ...": of things, the last subject is meant.
        fitting = [one for one in last if one in called or one in free] or called
        if pronoun == "they" and not called:
            fitting = free
        if len(fitting) != 1:
            return None
        fitting[0].pronoun = pronoun
        return fitting[0].text

    def _person(self, pronoun: str, called: list[_Subject], free: list[_Subject]) -> str | None:
        fitting = called or free
        rivals = [name for name in self._others if name not in " ".join(o.text for o in called)]
        if rivals and not (called and called[0] is self._subjects[-1]):
            return None
        if called and free and called[0] is not self._subjects[-1]:
            return None
        if not fitting and len(self._names) == 1:
            name = next(iter(self._names))
            return name if is_person(name.split()) else None
        if len(fitting) != 1:
            return None
        fitting[0].pronoun = pronoun
        return fitting[0].text


def _is_named(token: Token) -> bool:
    return token.kind == "PROPN" and token.text[:1].isupper()


def _fits(subject: _Subject, pronoun: str) -> bool:
    if pronoun == "they":
        return subject.plural
    if subject.plural:
        return False
    return pronoun == "it" or (subject.name and is_person(subject.text.split()))


_DATE: Final = (
    r"(?:(?:c|ca|circa)\.? ?)?(?:\d{1,2} )?(?:[A-Z][a-z]+\.? )?(?:\d{1,2}, )?\d{3,4}"
    r"(?: (?:BCE?|CE|AD))?"
)
_LIFE: Final = re.compile(
    rf"(?:(?:born|b\.)(?: on| in)? )?(?P<born>{_DATE})?"
    rf"(?:\s*[–—-]\s*(?:present)?|[;,] )?(?:(?:died|d\.)(?: on| in)? )?(?P<died>{_DATE})?"
)
_SAYS_WHICH: Final = re.compile(r"[–—-]|\b(?:born|died|[bd]\.)")


def read_lifespan(plain: str, span: Span, name: Sequence[str]) -> Iterator[tuple[str, Span]]:
    """Yield what brackets with the text at ``span`` tell of a name, each with the place of its
    date: "born in", "died on" or the like, "years" of what is no person; nothing if there is more
    in them than dates."""
    match = _LIFE.fullmatch(plain, *span)
    if match is None or not _SAYS_WHICH.search(plain, *span):
        return
    if not is_person(name):
        yield "years", span
        return
    for what in ("born", "died"):
        if match[what]:
            day = any(letter.isalpha() for letter in match[what].replace("c", ""))
            yield f"{what} {'on' if day else 'in'}", match.span(what)


def is_person(name: Sequence[str]) -> bool:
    """Return True if no word of a name is one of a thing: "war", "dynasty"."""
    words = [word for word in name if word[:1].isalpha() and word.lower() not in TITLES]
    return all(word[:1].isupper() and usual_tag(word) != "NOUN" for word in words)
