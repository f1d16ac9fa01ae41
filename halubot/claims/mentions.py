"""Mentions of a text: pronouns and "the band" resolved to the running subject if that is safe."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from halubot.claims import english_words as lex

_SETTLED: Final = 2  # clauses in a row after which "he" means their subject
_REMEMBERED: Final = 12  # mentions kept, so that looking back is of bounded length


@dataclass(slots=True)
class Mention:
    """Something spoken of. None if nothing told yet."""

    text: str
    name: bool = False  # a capital alone tells little: each sentence opens with one
    nouns: set[str] = field(default_factory=set)
    plural: bool | None = None
    person: bool | None = None
    female: bool | None = None
    unlikely: bool = False  # described as what persons seldom are ("is a partnership")

    def describe(self, noun: str) -> None:
        """Learn from a noun that names it ("is a painter")."""
        self.nouns.add(noun)
        if (
            noun in lex.PERSON_NOUNS
            or noun in lex.FEMALE
            or noun in lex.MALE
            or (self.person is None and noun.endswith(("ist", "ian", "man", "woman")))
        ):
            self.person = True
        elif self.person is None and (
            noun in lex.THINGS or noun in lex.WORKS or noun in lex.GROUP_NOUNS
        ):
            self.person = False
        self.unlikely |= not self.person and not _may_be_person(noun)
        if noun in lex.FEMALE:
            self.female = True
        elif noun in lex.MALE:
            self.female = False
        if noun in lex.GROUP_NOUNS:
            self.plural = None


class Mentions:
    """The subjects of a text so far, in order; the first, or the given one, is its topic."""

    def __init__(self, subject: str | None = None) -> None:
        subject = " ".join(subject.split()) if subject else None
        self._topic: Mention | None = Mention(subject, name=True) if subject else None
        self._last: Mention | None = self._topic
        self._turns = 0  # clauses in a row about the last
        self._told = self._topic is not None  # whether this paragraph is known to be about it
        self._given = self._told  # by the question or a heading
        self._known: list[Mention] = [self._topic] if self._topic else []

    @property
    def topic(self) -> str | None:
        """The text's own subject; None before anything was said."""
        return self._topic.text if self._topic else None

    def find(self, text: str) -> Mention | None:
        """The mention of that text."""
        folded = text.casefold()
        for mention in reversed(self._known):
            if mention.text.casefold() == folded:
                return mention
        return None

    def subject(
        self, text: str, head: str, *, name: bool, plural: bool | None, turns: bool = True
    ) -> Mention:
        """Take note of a clause's subject and return its mention. With ``turns`` the text is now
        about it."""
        mention = self.find(text)
        if mention is None:
            mention = Mention(text, name)
            if not name:
                mention.describe(head)
                if mention.person is None:
                    mention.person = False
            self._known.append(mention)
            if len(self._known) > _REMEMBERED:
                del self._known[1]
        mention.plural = plural if plural is not None else mention.plural
        if turns:
            self._turn_to(mention)
        if self._topic is None and name:
            self._topic = mention
        self._told |= mention is self._topic
        return mention

    def _turn_to(self, mention: Mention) -> None:
        self._turns = self._turns + 1 if mention is self._last else 1
        self._last = mention

    def new_paragraph(self) -> None:
        """No pronoun looks back over a paragraph, but to a topic that was given."""
        self._last, self._turns = None, 0
        self._told = self._given

    def new_topic(self, text: str) -> None:
        """A heading: what follows is about it."""
        mention = self.find(text) or Mention(text, name=True)
        if mention not in self._known:
            self._known.append(mention)
        self._topic = self._last = mention
        self._given = self._told = True

    def describe(self, text: str, noun: str) -> None:
        """Note that what is called ``text`` is a ``noun``."""
        mention = self.find(text)
        if mention is not None:
            mention.describe(noun)

    def thing(self, text: str) -> None:
        """Note that what is called ``text`` is no person."""
        mention = self.find(text)
        if mention is not None and mention.person is None:
            mention.person = False

    def pronoun(self, low: str) -> str | None:
        """The name a pronoun stands for; None if that is not safe."""
        candidates = [self._last, self._topic]
        fitting = [mention for mention in candidates if mention and _fits(mention, low)]
        if not fitting:
            return None
        likely = [mention for mention in fitting if mention.person or not mention.unlikely]
        if low in _PERSONAL:
            fitting = likely or fitting
        first = fitting[0]
        if low in _PERSONAL and any(other is not first for other in fitting):
            certain = [
                mention for mention in fitting if mention.person and mention.female is not None
            ]
            unsure = [mention for mention in fitting if mention not in certain]
            if len(certain) == 1 and not unsure:
                first = certain[0]
            elif first is not self._last or self._turns < _SETTLED:
                return None
        if first is self._topic is not self._last and not self._told:
            return None
        # "The bridge ... The motorway opened. It ..." may mean either.
        either = len(fitting) > 1 and not first.name and fitting[1].name and self._told
        if either and low in ("it", "its") and self._turns < _SETTLED:
            return None
        if low in _PERSONAL:
            first.person = True
            first.female = low in lex.FEMALE
        self._turn_to(first)
        return first.text

    def definite(self, noun: str) -> str | None:
        """The name behind "the band": the one mention known to be a band, by what was said
        of it or by its own name."""
        like = lex.SAME_KIND.get(noun, frozenset({noun}))
        fitting = [
            mention
            for mention in self._known
            if mention.name
            and (
                not like.isdisjoint(mention.nouns)
                or mention.text.casefold().split()[-1] == noun
                or (mention is self._topic and _names_kind(mention.text.casefold().split(), noun))
            )
        ]
        return fitting[0].text if len(fitting) == 1 else None

    def full_name(self, text: str) -> str | None:
        """The full name of which ``text`` is the end; None if several have it."""
        fitting = {
            mention.text
            for mention in self._known
            if mention.name
            and not mention.plural
            and mention.person is not False
            and _without_suffix(mention.text).endswith(" " + text)
        }
        return fitting.pop() if len(fitting) == 1 else None


# Endings of what somebody does, and nouns that persons and things share.
AGENTS: Final = (
    "er",
    "or",
    "ist",
    "ian",
    "man",
    "woman",
    "ant",
    "ent",
    "ess",
    "eer",
    "ee",
    "ard",
    "ast",
)
_EITHER: Final = lex.words("one favorite favourite hit success example part icon survivor")
_PERSONAL: Final = frozenset({"he", "she", "his", "her", "him"})


def _without_suffix(text: str) -> str:
    parts = text.split()
    while parts and parts[-1].strip(".,") in _SUFFIXES:
        parts.pop()
    return " ".join(parts).rstrip(",")


_SUFFIXES: Final = frozenset({"Jr", "Sr", "I", "II", "III", "IV", "V"})


def _may_be_person(noun: str) -> bool:
    """Return True if a noun may describe a person, by its form."""
    return noun in _EITHER or noun in lex.PERSON_NOUNS or noun.endswith(AGENTS)


def _names_kind(words: list[str], noun: str) -> bool:
    """Return True if a name tells its kind at its head: "University of Ghent", "Route 9"."""
    return any(
        word == noun and (following == "of" or following.isdigit())
        for word, following in pairwise(words)
    )


def _may_be_firm(mention: Mention) -> bool:
    """Return True if a name that no noun describes as another thing may be many people's."""
    known = mention.nouns & (lex.THINGS | lex.WORKS)
    thing = mention.person is False or (mention.unlikely and not mention.person)
    return mention.name and thing and not known


def _fits(mention: Mention, low: str) -> bool:
    if low in _PERSONAL:
        if mention.person is False or mention.plural:
            return False
        if not mention.name and not mention.person:
            return False
        return mention.female is None or mention.female == (low in lex.FEMALE)
    if low in ("it", "its"):
        return mention.person is not True and mention.plural is not True
    if low in ("they", "their"):
        if mention.person and not mention.name:
            return True  # "A doctor can, but they must"
        grouped = bool(mention.nouns & lex.GROUP_NOUNS)
        return mention.plural is True or grouped or _may_be_firm(mention)
    return False
