"""Subjects of clauses: pronouns, relative clauses, and subjects that only stand for what
follows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from halubot.claims import english_words as lex
from halubot.claims.attachment import group
from halubot.claims.mentions import AGENTS, Mentions
from halubot.claims.nouns import Item, Nouns
from halubot.claims.predicates import Draft

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
    """Take the topic from words that announce it: "Here are some facts about the Nile"."""
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
    """A pronoun, "the band" or a last name by its full name, if that is safe; else the
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
        return item._replace(text=f"{genitive(owner)} {rest}", resolved=True) if owner else item
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


def genitive(owner: str) -> str:
    """An owner as English writes it: "the bank's", "the trees'"."""
    plural = (
        owner.endswith("s")
        and lex.is_plural(_head(owner))
        and owner.rsplit(maxsplit=1)[-1].islower()
    )
    return f"{owner}'" if plural else f"{owner}'s"


def _mean(nouns: Nouns, mentions: Mentions, low: str) -> str | None:
    """Whom a pronoun means: within a sentence the same each time."""
    base = _SAME.get(low, low)
    # Whom "he" means must not change in mid-sentence, although its subjects are noted as it is
    # read.
    name = nouns.meant.get(base) or mentions.pronoun(low)
    if name:
        nouns.meant[base] = name
    return name


def _head(name: str) -> str:
    """The head noun of a mention ("Passage 8" is a passage)."""
    parts = name.casefold().split()
    return parts[0] if parts[-1].isdigit() else parts[-1]


_SUBORDINATORS: Final = lex.words(
    "after before when while because since once until till although though if as whereas unless"
)


def follows_subordinator(nouns: Nouns, subject: Item) -> bool:
    """Return True if "after", "because" or the like opens the clause of a subject."""
    before = nouns.words[max(0, subject.first - 2) : subject.first]
    return any(word.low in _SUBORDINATORS for word in before)


def register(
    nouns: Nouns, mentions: Mentions, subjects: Sequence[Item], verb: int, *, turns: bool = True
) -> None:
    """Take note of a clause's subjects, and of the number that its verb gives them. With ``turns``
    a pronoun may mean them."""
    item = subjects[-1]
    # "The number of vehicles rose. It is open": a number is not what is open.
    turns = turns and item.head not in lex.MEASURES
    if len(subjects) > 1:
        text = " and ".join(each.text for each in subjects[:_MAX_JOINED])
        mentions.subject(text, item.head, name=item.name, plural=True, turns=turns)
    elif item.resolved or nouns.words[item.first].tag not in ("PR", "DT"):
        # The verb first: nouns such as "series" or "police" do not tell their number.
        plural = _number(nouns, verb)
        if plural is None and not item.name:
            plural = lex.is_plural(item.head)
        name = item.name and item.head not in lex.SOURCES
        mentions.subject(item.text, item.head, name=name, plural=plural, turns=turns)


def is_singular(nouns: Nouns, verb: int) -> bool:
    """Return True if the verb group at ``verb`` agrees with one thing alone."""
    return _number(nouns, verb) is False


def _number(nouns: Nouns, verb: int) -> bool | None:
    phrase = nouns.phrases[verb]
    for word in nouns.words[phrase.first : phrase.last]:
        if word.low in ("are", "were", "have", "do") or word.tag == "VB":
            return True
        if word.low in ("is", "was", "has", "does") or word.tag == "VZ":
            return False
        # Past and modal verbs are the same for one and for many.
        if word.tag in ("VD", "MD"):
            return None
    return None


def may_be_people(item: Item) -> bool:
    """Return True if "who" can mean it."""
    if item.name or item.resolved or lex.is_plural(item.head):
        return True
    return item.head in lex.PERSON_NOUNS | lex.GROUP_NOUNS or item.head.endswith(AGENTS)


def says_nothing(nouns: Nouns, subject: Item) -> bool:
    """Return True if a clause is about the speaker, the reader or the text itself."""
    if subject.head in lex.SOURCES:
        return True
    if subject.resolved or subject.last == subject.first:
        return False
    low = nouns.words[subject.first].low
    return low in lex.SPEAKERS or low in ("here", "others")


def speaks(nouns: Nouns, subject: Item) -> bool:
    """Return True if the subject is the speaker ("I", "my opinion")."""
    if subject.resolved or subject.last == subject.first:
        return False
    return nouns.words[subject.first].low in _SPEAKING


def named_relatives(nouns: Nouns, mentions: Mentions) -> Iterator[Draft]:
    """ "His wife Anna" names somebody: (X's wife, is, Anna)."""
    words = nouns.words
    for item in list(nouns.items.values()):
        name = nouns.name_in(item)
        if name is item or words[item.first].tag != "PS" or name.first <= item.first + 1:
            continue
        relative = words[name.first - 1].low
        if relative in lex.PERSON_NOUNS:
            head = resolve_subject(
                nouns, mentions, nouns.span_item(item.first, name.first, relative)
            )
            if head.resolved:
                yield Draft(head, (), name, False, "is")


def with_denial(nouns: Nouns, subjects: Sequence[Item]) -> list[Item]:
    """Subjects with the "no" before them, which denies the whole clause: "no trains run"."""
    found: list[Item] = []
    for item in subjects:
        before = nouns.words[item.first - 1].low if item.last > item.first > 0 else ""
        if item.resolved or (before != "no" and not (before == "or" and _is_denied(found))):
            found.append(item)
        elif before == "no":
            found.append(item._replace(text=f"no {item.text}", first=item.first - 1))
        else:
            found.append(item._replace(text=f"no {item.text}"))
    return found


def _is_denied(subjects: Sequence[Item]) -> bool:
    return bool(subjects) and subjects[-1].text.startswith("no ")


def with_details(nouns: Nouns, items: list[Item], end: int) -> tuple[list[Item], int]:
    """Subjects with the prepositional phrases of the last one ("impact on supply and
    stability")."""
    after = nouns.skip_attached(end)
    while (
        after > end
        and nouns.kind(after) == "and"
        and nouns.kind(after + 1) == "noun"
        # A pronoun behind "and" begins a clause: "fell on Oslo and he left".
        and nouns.words[nouns.phrases[after + 1].first].tag != "PR"
    ):
        after = nouns.skip_attached(group(nouns, after + 1, subject=True)[1])
    if after > end:
        last = items[-1]
        place = nouns.phrases[after - 1].last
        items = [*items[:-1], nouns.span_item(last.first, place, last.head, last.name)]
    return items, after


def restrict_subject(nouns: Nouns, main: Sequence[Item], verb: int) -> Item:
    """A main subject with the words up to its verb that tell which one is meant: "the god who
    flew"."""
    subject, end = main[0], nouns.phrases[verb].first
    # A name needs no telling which one is meant, and of several subjects it is not said which.
    if len(main) > 1 or subject.name or subject.resolved or end - subject.first > _RESTRICTING:
        return subject
    return nouns.span_item(subject.first, end, subject.head)


_SEEMING: Final = lex.words("seems seemed appears appeared")


_ADVISED: Final = lex.words("recommended advised advisable")


# Of the weather and the hour "it" means nothing that was named before.
_WEATHER: Final = lex.words("hot cold warm cool dark light late early windy sunny cloudy foggy")
_RAINING: Final = lex.words("rain rains rained raining snow snows snowed snowing hails freezes")


def is_expletive(nouns: Nouns, i: int) -> bool:
    """Return True if "it" with the verb at ``i`` stands for what follows: "it is possible that",
    "it's best to", "it is recommended to", "it seems that", "it was Frisch who", "it
    is hot"."""
    verb = nouns.phrases[i]
    words = nouns.words[verb.first : verb.last]
    if any(word.low in _RAINING for word in words):
        return True
    if any(word.tag == "JJ" or word.low in _ADVISED for word in words):
        return True
    if nouns.words[verb.head].tag != "BE" and nouns.words[verb.head].low not in _SEEMING:
        return False
    after = i + 1 + (nouns.kind(i + 1) == "adv")
    if nouns.kind(after) == "adj" and nouns.low(after) in _WEATHER:
        return True
    named = nouns.kind(after) == "noun" and nouns.item(nouns.phrases[after]).name
    if named and nouns.low(after + 1) in ("who", "that"):
        return True
    if nouns.kind(after) == "noun" and nouns.low(past_rather(nouns, after + 1)) == "who":
        return past_rather(nouns, after + 1) > after + 1  # "it is A rather than B who ..."
    if nouns.kind(after) in ("sub", "rel"):
        return True
    brings = nouns.kind(after + 1) in ("sub", "rel", "noun", "verb")
    infinite = nouns.kind(after + 1) != "verb" or nouns.phrases[after + 1].mood in (
        "inf",
        "ing",
    )
    return nouns.kind(after) == "adj" and brings and infinite


def past_rather(nouns: Nouns, i: int) -> int:
    """Return the place after "rather than B" at ``i``, or ``i`` if there is no such phrase."""
    return i + 2 if nouns.low(i) == "rather" and nouns.kind(i + 1) == "noun" else i


def past_expletive(nouns: Nouns, i: int) -> int:
    """Past the verb at ``i`` and its adjective, to what "it" stands for."""
    i += 1
    while nouns.kind(i) in ("adv", "adj"):
        i += 1
    return i + (nouns.kind(i) == "rel")


def existential(
    nouns: Nouns, i: int, there: Item, relation: tuple[int, ...], negated: bool
) -> tuple[list[Draft], Item, int]:
    """ "There are 22 episodes in season 4" says of season 4 that there are 22: the triples, the
    noun, and the phrase after it. A noun follows the verb at ``i``."""
    phrase = nouns.phrases[i + 1]
    items, end = group(nouns, i + 1)
    if items[0].head in lex.MATTER:
        return [], items[-1], end  # "there is no answer"
    head = there
    negated = negated or phrase.negated
    if phrase.negated and nouns.words[phrase.first].low == "no":
        relation = (*relation, phrase.first)
    if nouns.kind(end) == "prep" and nouns.kind(end + 1) == "noun":
        if nouns.low(end) in ("in", "on", "at", "within"):
            places, end = group(nouns, end + 1, split=False)
            head = places[0]
            relation = (there.first, *relation)
        else:
            end = nouns.skip_attached(end)
            last, place = items[-1], nouns.phrases[end - 1].last
            items[-1] = nouns.span_item(last.first, place, last.head)
    # "There are people who swim": that there are any says little, and the clause behind says the
    # rest.
    told = head is there and not negated and nouns.kind(end) in ("rel", "verb")
    found = [] if told else [Draft(head, relation, item, negated) for item in items]
    return found, items[-1], end


def end_of_reported_clause(nouns: Nouns, start: int) -> int:
    """Return the end of a clause that somebody says, from ``start`` on."""
    end = start
    while end < len(nouns.phrases) and nouns.kind(end) != "mark":
        beside = nouns.kind(end + 1) == "sub" or nouns.low(end + 1) == "according"
        if nouns.kind(end) == "," and beside:
            break
        end += 1
    return end


def past_predicate(nouns: Nouns, i: int) -> int:
    """Past the verb at ``i`` and what follows it, to the next finite verb or mark."""
    i += 1
    while nouns.kind(i) in ("noun", "prep", "adj", "adv", "and", "verb", "to"):
        if nouns.kind(i) == "verb" and nouns.phrases[i].mood == "finite":
            break
        i += 1
    return i


class Latest(NamedTuple):
    """The noun read last, None before any: whether it describes the subjects ("is a *band*"),
    whether "with" governs it, whether it tells where, and whether its verb is "to be"."""

    noun: Item | None = None
    describes: bool = False
    within: bool = False
    placed: bool = False
    copula: bool = False


def antecedent(
    nouns: Nouns, latest: Latest, main: Sequence[Item], subjects: Sequence[Item]
) -> Item | None:
    """Return the antecedent of a relative clause or participle: the noun before it, or the subject
    if that noun describes it ("X is a band that ..."). None if several subjects may be meant."""
    noun = latest.noun
    if noun and noun.last and nouns.words[noun.last - 1].tag in ("DA", "CD"):
        noun = None  # "in 1484, which declared": not the year
    if noun is None:
        meant = subjects if latest.describes or len(main) != 1 else main
        return meant[0] if len(meant) == 1 else None
    if latest.describes and len(subjects) == 1:
        return subjects[0]
    return nouns.name_in(noun)


def who(latest: Latest, meant: Item | None, subjects: Sequence[Item]) -> Item | None:
    """``meant``, or the subject if "who" cannot be that: "born in Paris, who"."""
    if meant is None or len(subjects) != 1:
        return meant
    place = latest.placed and meant.name and may_be_people(subjects[0])
    return subjects[0] if place or not may_be_people(meant) else meant
