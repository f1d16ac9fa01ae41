"""Subjects of clauses: who is meant, and whether the clause says anything of the world."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from halubot.extract import english_words as lex
from halubot.extract.coordination import group
from halubot.extract.drafts import Draft
from halubot.extract.mentions import AGENTS, Mentions
from halubot.extract.nouns import Item, Nouns

_SPEAKING: Final = lex.SPEAKERS - {"you", "your"}
_SAME: Final = {
    "his": "he",
    "him": "he",
    "her": "she",
    "its": "it",
    "their": "they",
    "them": "they",
}
_OPENING: Final = 12  # phrases in which a topic is announced
_ABOUT: Final = lex.words("about of on for regarding")
_RESTRICTING: Final = 15  # words of a subject with its relative clause
_MAX_JOINED: Final = 8


def introduce(nouns: Nouns, mentions: Mentions) -> None:
    """Takes the topic from words that announce it: "Here are some facts about the Nile"."""
    if mentions.topic is not None:
        return
    for i, phrase in enumerate(nouns.phrases[:_OPENING]):
        head = nouns.words[phrase.head].low
        about = nouns.low(i + 1) in _ABOUT and nouns.kind(i + 2) == "noun"
        if head in lex.OVERVIEWS and about:
            item, _ = nouns.of_chain(i + 2)
            name = nouns.trailing(item)
            if name.name:
                mentions.new_topic(name.text)
                mentions.describe(name.text, nouns.words[name.first - 1].low if name.first else "")
            return


def resolve_subject(nouns: Nouns, mentions: Mentions, item: Item) -> Item:
    """A pronoun, "the band" or a last name by its full name, where that is safe; else the
    item itself."""
    if item.resolved or item.last == item.first:
        return item
    words = nouns.words
    word = words[item.first]
    single = item.last - item.first == 1
    if item.name and (single or word.tag == "NP") and word.tag != "PR":
        name = mentions.full_name(item.text)
    elif word.tag == "PS" and not single:
        owner = _mean(nouns, mentions, word.low)
        rest = nouns.text(item.first + 1, item.last)
        return item._replace(text=f"{owner}'s {rest}", resolved=True) if owner else item
    elif not single:
        return item
    elif word.tag == "PR":
        name = _mean(nouns, mentions, word.low)
    else:
        pointed = item.first > 0 and words[item.first - 1].low in ("the", "this")
        name = mentions.definite(item.head) if pointed else None
    if not name:
        return item
    return item._replace(text=name, head=_head(name), name=name[:1].isupper(), resolved=True)


def _mean(nouns: Nouns, mentions: Mentions, low: str) -> str | None:
    """Whom a pronoun means: within a sentence the same each time."""
    base = _SAME.get(low, low)
    name = nouns.meant.get(base) or mentions.pronoun(low)
    if name:
        nouns.meant[base] = name
    return name


def _head(name: str) -> str:
    """The head noun of a mention ("Passage 8" is a passage)."""
    parts = name.casefold().split()
    return parts[0] if parts[-1].isdigit() else parts[-1]


def register(nouns: Nouns, mentions: Mentions, subjects: Sequence[Item], verb: int) -> None:
    """Takes note of a clause's subjects, and of the number that its verb gives them."""
    item = subjects[-1]
    if len(subjects) > 1:
        text = " and ".join(each.text for each in subjects[:_MAX_JOINED])
        mentions.subject(text, item.head, name=item.name, plural=True)
    elif item.resolved or nouns.words[item.first].tag not in ("PR", "DT"):
        plural = _number(nouns, verb)
        if plural is None and not item.name:
            plural = lex.is_plural(item.head)
        name = item.name and item.head not in lex.SOURCES
        mentions.subject(item.text, item.head, name=name, plural=plural)


def is_singular(nouns: Nouns, verb: int) -> bool:
    """Whether the verb group at ``verb`` agrees with one thing alone."""
    return _number(nouns, verb) is False


def _number(nouns: Nouns, verb: int) -> bool | None:
    phrase = nouns.phrases[verb]
    for word in nouns.words[phrase.first : phrase.last]:
        if word.low in ("are", "were", "have", "do") or word.tag == "VB":
            return True
        if word.low in ("is", "was", "has", "does") or word.tag == "VZ":
            return False
        if word.tag in ("VD", "MD"):
            return None
    return None


def may_be_people(item: Item) -> bool:
    """Whether "who" can mean it."""
    if item.name or item.resolved or lex.is_plural(item.head):
        return True
    return item.head in lex.PERSON_NOUNS | lex.GROUP_NOUNS or item.head.endswith(AGENTS)


def says_nothing(nouns: Nouns, subject: Item) -> bool:
    """Whether a clause is about the speaker, the reader or the text itself."""
    if subject.head in lex.SOURCES:
        return True
    if subject.resolved or subject.last == subject.first:
        return False
    low = nouns.words[subject.first].low
    return low in lex.SPEAKERS or low in ("here", "others")


def speaks(nouns: Nouns, subject: Item) -> bool:
    """Whether the subject is the speaker ("I", "my opinion")."""
    if subject.resolved or subject.last == subject.first:
        return False
    return nouns.words[subject.first].low in _SPEAKING


def named_relatives(nouns: Nouns, mentions: Mentions) -> Iterator[Draft]:
    """ "His wife Anna" names somebody: (X's wife, is, Anna)."""
    words = nouns.words
    for item in list(nouns.items.values()):
        name = nouns.named(item)
        if name is item or words[item.first].tag != "PS" or name.first <= item.first + 1:
            continue
        relative = words[name.first - 1].low
        if relative in lex.PERSON_NOUNS:
            head = resolve_subject(
                nouns, mentions, nouns.span_item(item.first, name.first, relative)
            )
            if head.resolved:
                yield Draft(head, (), name, False, "is")


def with_details(nouns: Nouns, items: list[Item], end: int) -> tuple[list[Item], int]:
    """Subjects with the prepositional phrases of the last one ("impact on supply and
    stability")."""
    after = nouns.attached(end)
    while (
        after > end
        and nouns.kind(after) == "and"
        and nouns.kind(after + 1) == "noun"
        and nouns.words[nouns.phrases[after + 1].first].tag != "PR"
    ):
        after = nouns.attached(group(nouns, after + 1, subject=True)[1])
    if after > end:
        last = items[-1]
        place = nouns.phrases[after - 1].last
        items = [*items[:-1], nouns.span_item(last.first, place, last.head, last.name)]
    return items, after


def restrict_subject(nouns: Nouns, main: Sequence[Item], verb: int) -> Item:
    """A main subject with the words up to its verb that tell which one is meant: "the god who
    flew"."""
    subject, end = main[0], nouns.phrases[verb].first
    if len(main) > 1 or subject.name or subject.resolved or end - subject.first > _RESTRICTING:
        return subject
    return nouns.span_item(subject.first, end, subject.head)
