"""Of whom does a sentence speak: of what a fact is about, or of another that it names?

Samples answer the same question as the message, so what they say is mostly of its subject. A
reference may speak of others too: "the Ostby Bridge was opened in 1900" says nothing of the Kellan
Bridge, nor does "it was opened in 1900" after a sentence on the Ostby Bridge.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from halubot.compare.claim import Claim
from halubot.compare.mentions import Mention, Name
from halubot.compare.relations import ARTICLES, PASSIVE, PREPOSITIONS
from halubot.compare.old_roles import before_verb, pivots, subject_ending_at
from halubot.compare.textindex import OPENING, SentenceIndex, TextIndex

BEFORE: Final = 3
"""Sentences before one without a name, in which the name may stand that it takes up."""

_RELATIVE = frozenset({"which", "who", "that"})
_GERMAN_ARTICLES = "der die das den dem des ein eine einen einem einer"
_GERMAN = frozenset(_GERMAN_ARTICLES.split())
_OBJECTS = frozenset({"him", "them"})
_SAME = frozenset({"as", "by"})  # "known as", "defeated by"
_PERSONS = frozenset({"he", "she"})
# A phrase that opens a sentence and ends with a comma: "In 1900, ...", "Opened in 1900, ...".
_OPENED = re.compile(r"[^\W\d_]+(?:ed|en|t)")
# People by where they are from, and common nouns that open a sentence without an article.
_COMMON = re.compile(r"(?:tion|sion|ing|ment|ness|ity|ance|ence|ism|ics|work|ish|ese|ians?)$")
# What leads to another name of the same, right before that: "known by his pen name".
_ALIAS = re.compile(
    r"(?i)(?:\(|\b(?:known\s(?:as|by|under)|called|named|n[ée]e|born|a\.?k\.?a\.?|formerly|or|name)\b"
    r"|[^\W\d_]:)(?:\s(?:the|his|her|its|pen|stage|birth|real|professional|name))*\s*[\"“(]?$"
)


def speaks_of(claim: Claim, sentence: SentenceIndex, index: TextIndex) -> bool:
    """Whether a sentence may speak of what a claim is about: it names that, in any form, or names
    nobody in its place, and no other is named by the sentences that it takes up; with none named
    there, by the text's first sentence or by its title. Always so where the claim's subject has
    no name."""
    subject = claim.subject
    if not subject.stems:
        return True
    verbs = pivots(claim, sentence)
    done_to = claim.passive and any(_does_to(sentence, at) for at in verbs)
    told = _told(subject, sentence, index, () if done_to else verbs, opens=not done_to)
    if told is not None:
        return told
    number = sentence.number
    described = not subject.stems.isdisjoint(sentence.stems)
    another = False
    for before in (*range(number - 1, max(-1, number - 1 - BEFORE), -1), 0) if number else ():
        told = _told(subject, index.sentences[before], index)
        if told is False and described and not _shares(subject, index.sentences[before]):
            another = True  # "the bridge" is rather one named before that than King Olav
        elif told is not None:
            return told
    return not another and _may_head(index.title, subject, sentence)


def _shares(subject: Name, sentence: SentenceIndex) -> bool:
    """Whether a sentence names something that shares a word with the subject."""
    return any(one.likeness(subject) != "other" for one in sentence.mentions)


def _may_head(title: str, subject: Name, sentence: SentenceIndex) -> bool:
    """Whether a text with this title may speak of the subject where it names nobody."""
    named = Mention.of(title)
    if named is None:
        return True
    likeness = named.likeness(subject)
    person = bool(sentence.tokens) and sentence.tokens[0].text.lower() in _PERSONS
    return likeness != "kind" and not (likeness == "other" and person and named.end > 1)


def _told(
    subject: Name,
    sentence: SentenceIndex,
    index: TextIndex,
    verbs: Sequence[int] = (),
    *,
    opens: bool = True,
) -> bool | None:
    """Whether a sentence speaks of the subject, as far as it tells by itself. The verbs are where
    a claim's relation stands in it; unless ``opens``, the name it opens with tells nothing."""
    doer, relative, helped = _doer(sentence, verbs)
    if doer is not None and relative:
        return _is(doer, subject, index)
    alike = [(one, one.likeness(subject)) for one in sentence.mentions]
    owns = [one for one, likeness in alike if likeness == "own"]
    if owns:
        aside = helped and all(
            _belongs(sentence, one) and _led(sentence, one) not in _SAME for one in owns
        )
        return not (aside and doer is not None and not _is(doer, subject, index))
    kinds = [one for one, likeness in alike if likeness == "kind"]
    if not kinds and subject.stems <= sentence.stems.keys():
        return True
    if doer is not None and doer.likeness(subject) != "part":
        return _is(doer, subject, index)
    parts = [one for one, likeness in alike if likeness == "part"]
    opening = _opening(sentence) if opens else None
    if opening in kinds and all(_belongs(sentence, one) for one in parts):
        return _is(opening, subject, index)  # "the Ostby Bridge in Kellan"
    apart = any(not _belongs(sentence, one) for one in kinds)
    if any((one.sure or not apart) and not _refers_back(sentence, one) for one in parts):
        return True
    if opening is not None and not parts and _OBJECTS.isdisjoint(sentence.stems):
        return _is(opening, subject, index)
    return False if apart and OPENING.isdisjoint(sentence.stems) else None


def _is(mention: Mention, subject: Name, index: TextIndex) -> bool:
    """Whether a name stands for the subject; by what the text says, it may be its other name."""
    return mention.likeness(subject) in ("own", "part") or _is_alias(mention, subject, index)


def _is_alias(mention: Mention, subject: Name, index: TextIndex) -> bool:
    """Whether some sentence gives one as another name of the other: "Kellan Bridge (Norwegian:
    Storbrua)", "Samuel Clemens, known as Mark Twain"."""
    numbers = {number for stem in subject.stems for number in index.where.get(stem, ())[:BEFORE]}
    for number in sorted(numbers):
        sentence = index.sentences[number]
        for one, other in zip(sentence.mentions, sentence.mentions[1:], strict=False):
            pair = (one, other)
            if not any(m.likeness(subject) in ("own", "part") for m in pair):
                continue
            if not any(m.likeness(mention.name) in ("own", "part") for m in pair):
                continue
            start, end = sentence.tokens[one.end - 1].end, sentence.tokens[other.first].start
            if _ALIAS.search(sentence.plain[start:end]):
                return True
    return False


def _doer(sentence: SentenceIndex, verbs: Sequence[int]) -> tuple[Mention | None, bool, bool]:
    """The name that stands before the verb, whether in a relative clause of its own, and whether
    a form of "be" stands with the verb."""
    for at in verbs:
        first = before_verb(sentence, at)
        words = [token.text.lower() for token in sentence.tokens[first + 1 : at + 1]]
        helped = not PASSIVE.isdisjoint(words)
        relative = first > 0 and sentence.tokens[first].text.lower() in _RELATIVE
        if relative:
            ending = next((one for one in sentence.mentions if one.end == first), None)
            if ending is not None and not _belongs(sentence, ending):
                return ending, True, helped
            continue
        span = subject_ending_at(sentence, first)
        if span is None:
            continue
        for one in sentence.mentions:
            if sentence.tokens[one.end - 1].end == span[1] and _may_do(sentence, one):
                return one, False, helped
    return None, False, False


def _belongs(sentence: SentenceIndex, one: Mention) -> bool:
    """Whether a name stands after a preposition, perhaps with an article between."""
    before = [token.text.lower() for token in sentence.tokens[max(0, one.first - 2) : one.first]]
    led = [word for word in before if word not in ARTICLES][-1:]
    return bool(led) and led[0] in PREPOSITIONS


def _may_do(sentence: SentenceIndex, one: Mention) -> bool:
    """Whether a name may be the subject: "Bolt was", but not "Construction was"."""
    if one.end - one.first > 1:
        return True
    token = sentence.tokens[one.first]
    if _led(sentence, one) in _GERMAN:
        return False  # every noun has a capital there
    return not _COMMON.search(token.text)


def _opening(sentence: SentenceIndex) -> Mention | None:
    """The name with which a sentence opens, after an article, a word and an introductory phrase
    at most: "In 1900, the old Ostby Bridge"."""
    found = sentence.tokens
    pronoun = min((at for word in OPENING for at in sentence.stems.get(word, ())), default=None)
    begin = 0
    if found and (found[0].text.lower() in PREPOSITIONS or _OPENED.fullmatch(found[0].text)):
        begin = next(
            (
                at
                for at in range(1, len(found))
                if "," in sentence.plain[found[at - 1].end : found[at].start]
            ),
            len(found),
        )
    one = next((one for one in sentence.mentions if one.first >= begin), None)
    if pronoun is not None and (begin or one is None or pronoun < one.first):
        return None  # "Born in Oslo, Norway, she"
    if one is None or not one.sure or not _may_do(sentence, one):
        return None
    led = [token.text.lower() for token in found[begin : one.first]]
    content = [word for word in led if word not in ARTICLES]
    if len(content) > 1 or (len(content) == 1 and (led[0] not in ARTICLES or content != led[-1:])):
        return None
    if content and content[0] in PREPOSITIONS:
        return None
    return one


def _does_to(sentence: SentenceIndex, at: int) -> bool:
    """Whether a verb is not passive and has an object: "the club drafted him in 1963"."""
    words = [token.text.lower() for token in sentence.tokens[before_verb(sentence, at) + 1 : at]]
    after = sentence.tokens[at + 1 : at + 2]
    return (
        PASSIVE.isdisjoint(words)
        and bool(after)
        and after[0].text.lower() not in PREPOSITIONS
        and after[0].kind != "number"
    )


def _refers_back(sentence: SentenceIndex, one: Mention) -> bool:
    """Whether a part of the subject's name is but a definite description: "the Bridge"."""
    return one.end - one.first == 1 and _led(sentence, one) in ARTICLES


def _led(sentence: SentenceIndex, one: Mention) -> str:
    """The word before a name, in lower case; empty where it opens the sentence."""
    return sentence.tokens[one.first - 1].text.lower() if one.first else ""
