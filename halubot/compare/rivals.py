"""What in another text stands against a fact: a rival value in its place, or its opposite."""

from __future__ import annotations

import re
from collections.abc import Iterable

from halubot.compare.claim import Claim
from halubot.compare.exchanges import (
    Rival,
    exchanged_name,
    exchanged_value,
    is_later,
    place,
    same_event,
    same_frame,
    widened,
)
from halubot.compare.meeting import Meeting, is_life
from halubot.compare.names import IMPERSONAL, same_name
from halubot.compare.opposites import NEAR_VERB, OPPOSITE, denial
from halubot.compare.places import may_hold, named_slot
from halubot.compare.relations import HAVING, MADE, MEASURED, PREPOSITIONS
from halubot.compare.old_roles import holder, is_single, is_swapped
from halubot.compare.subjects import speaks_of
from halubot.compare.textindex import KIN, SentenceIndex, TextIndex
from halubot.compare.values import Value, rivals

__all__ = ["OPPOSITE", "rival"]

# The share of a relation that a sentence must hold before its value can rival the fact's.
SAME_RELATION = 0.75
# The share of the words around a fact that a sentence must hold where its relation alone does
# not say that there is one value only.
SAME_CONTEXT = 0.6
# How many words may lie between a value and its relation.
NEAR = 10
_BEGIN = frozenset({"from", "since", "after"})
_ABOUT = frozenset({"about", "around", "circa", "c", "ca", "early", "late", "born", "died", "and"})
_WORD_BEFORE = re.compile(r"([^\W\d_]+|[^\w\s])\.?\s*$")
_FINISH = frozenset({"to", "until", "till", "through", "by", "before"})


def rival(claim: Claim, met: Iterable[Meeting], index: TextIndex) -> Rival | None:
    """The strongest rival of a claim that the text does not support, in a sentence that speaks of
    the same; None where there is none."""
    found: list[Rival | None] = []
    if claim.life:
        found += [
            other for other in _other_life(claim, index) if speaks_of(claim, other.sentence, index)
        ]
    for meeting in met:
        others = _in_place(meeting, index) if not (claim.denied or meeting.opposed) else []
        opposite = denial(meeting) if meeting.headed else None
        if opposite is not None:
            others.append(opposite)
        if others and not claim.agent and meeting.foreign is not None:
            others = []  # said of somebody else
        if others and not speaks_of(claim, meeting.sentence, index):
            others = []
        found += others
        if claim.name and meeting.headed and not claim.denied and not meeting.opposed:
            found.append(_other_holder(meeting))
        if claim.exclusive and not claim.denied and not meeting.opposed:
            found.append(_other_doer(meeting))
    rivals_found = [other for other in found if other is not None]
    return max(rivals_found, key=lambda other: other.strength, default=None)


def _in_place(meeting: Meeting, index: TextIndex) -> list[Rival]:
    """What stands in the place of the claim's value or name."""
    claim, stems = meeting.claim, meeting.sentence.stems.keys()
    found: list[Rival | None] = []
    # Another thing may have another value, so a named head must stand in the sentence itself.
    if meeting.headed and (claim.titled <= stems or meeting.here):
        if meeting.missing:
            found.append(_other_value(meeting, index) or _other_measure(meeting))
        if claim.name:
            found.append(_other_name(meeting))
    valued = not meeting.missing and meeting.settled
    if valued != (claim.exact <= stems):
        # Either a value is exchanged or a name; what lacks both tells of something else.
        if same_event(meeting):
            found.append(exchanged_name(meeting) if valued else exchanged_value(meeting))
        elif not valued and same_frame(meeting):
            found.append(exchanged_value(meeting, framed=True))
    return [other for other in found if other is not None]


def _other_life(claim: Claim, index: TextIndex) -> Iterable[Rival]:
    dates = index.life.births if claim.life == "birth" else index.life.deaths
    for value, sentence in dates:
        if rivals(claim.values[0], value) and is_life(claim, sentence, index):
            yield Rival(0.9, sentence, place(claim.values[0], value, sentence))


def _other_value(meeting: Meeting, index: TextIndex) -> Rival | None:
    """Another value in the place of the claim's, after the same relation."""
    claim, sentence = meeting.claim, meeting.sentence
    if len(meeting.missing) != 1 or meeting.relation < SAME_RELATION or claim.listed:
        return None
    own = meeting.missing[0]
    alone = (
        claim.specific >= 2
        and not claim.often
        and meeting.relation == 1.0
        and meeting.context() >= SAME_CONTEXT
    )
    # "has three bridges": what is counted stands in for the relation.
    counts = not claim.relation and bool(claim.counted)
    if not (claim.once or alone or counts) or (claim.vital and claim.head):
        return None
    if not meeting.settled or (claim.vital and KIN.search(sentence.text)):
        return None
    other = [
        value
        for value in meeting.bound()
        if rivals(own, value)
        and _in_slot(claim, sentence, value, strict=not claim.once)
        and _counts_alike(claim, sentence, value)
        and _is_near(claim, sentence, value)
        and (not counts or _is_had(sentence, value))
        and (claim.vital or not index.life.holds(value))
    ]
    if len(other) != 1:
        return None
    value = _end_of(claim, other[0])
    if not rivals(own, value):
        return None
    return Rival(0.85 if claim.once else 0.7, sentence, place(own, value, sentence))


def _other_measure(meeting: Meeting) -> Rival | None:
    """Another measure right before the same word: "412 metres long" beside "421 metres long"."""
    claim, sentence = meeting.claim, meeting.sentence
    if claim.relation or claim.listed or len(claim.values) != 1 or len(claim.tail) != 1:
        return None
    (word,) = claim.tail
    own = claim.values[0]
    if word not in MEASURED or not meeting.here or not meeting.settled:
        return None
    after = {sentence.tokens[at].start for at in sentence.stems.get(word, ())}
    for other in sentence.values:
        if rivals(own, other) and after & {other.end, other.end + 1}:
            return Rival(0.7, sentence, place(own, other, sentence))
    return None


def _other_doer(meeting: Meeting) -> Rival | None:
    """Somebody else does what one alone can have done, or does it to the one who did it."""
    claim, sentence = meeting.claim, meeting.sentence
    if meeting.missing or meeting.relation < 1.0 or not meeting.settled:
        return None
    name = meeting.foreign
    if name is None:
        return None
    note = f"says {sentence.plain[slice(*name)]}"
    if is_swapped(claim, sentence, name) and not is_later(claim, sentence):
        return Rival(0.7, sentence, None, note)
    if claim.listed or not is_single(claim, sentence):
        return None
    if claim.agent:
        return Rival(0.7, sentence, widened(claim, sentence, name), note)
    if meeting.tail < 1.0:
        return None
    return Rival(0.65, sentence, None, note)


def _other_holder(meeting: Meeting) -> Rival | None:
    """Somebody else is said to be what the claim's head names."""
    claim, sentence = meeting.claim, meeting.sentence
    if not claim.name or not (claim.role or claim.once) or not claim.slot_is_copula:
        return None
    name = holder(claim, sentence)
    if name is None:
        return None
    return Rival(0.65, sentence, name, f"says {sentence.plain[slice(*name)]}")


def _before(sentence: SentenceIndex, at: int) -> str:
    """The word or sign before a place in the sentence, in lower case."""
    match = _WORD_BEFORE.search(sentence.plain, max(sentence.start, at - 14), at)
    return match.group(1).lower() if match else ""


def _side(word: str) -> str:
    return "begin" if word in _BEGIN else "finish" if word in _FINISH else ""


def _is_near(claim: Claim, sentence: SentenceIndex, value: Value) -> bool:
    """Whether each word of the relation that is there stands close to the value."""
    place = sum(token.start < value.start for token in sentence.tokens)
    return all(
        min(abs(place - at) for at in sentence.stems[stem]) <= NEAR
        for stem in claim.relation
        if stem in sentence.stems
    )


def _is_had(sentence: SentenceIndex, value: Value) -> bool:
    """Whether "has", "was" or their like stands shortly before the value."""
    before = [token for token in sentence.tokens if token.start < value.start][-NEAR_VERB:]
    return any(token.text.lower() in HAVING for token in before)


def _in_slot(claim: Claim, sentence: SentenceIndex, value: Value, *, strict: bool) -> bool:
    """Whether a date stands after a preposition like the claim's; unless ``strict``, it may also
    stand alone, in brackets or after a comma."""
    if value.kind not in {"date", "time"}:
        return True
    word = _before(sentence, value.start)
    if value.ends is not None:
        return bool(_side(claim.slot)) or claim.values[0].ends is not None
    if word in PREPOSITIONS:
        return _side(word) == _side(claim.slot)
    return not strict and (not word or not word.isalpha() or word in _ABOUT)


def _end_of(claim: Claim, value: Value) -> Value:
    if value.ends is None or claim.values[0].ends is not None:
        return value
    return value.ends[0] if _side(claim.slot) == "begin" else value.ends[1]


def _counts_alike(claim: Claim, sentence: SentenceIndex, value: Value) -> bool:
    if value.kind not in {"number", "ordinal"}:
        return True
    after = [token for token in sentence.tokens if token.start >= value.end][:2]
    if not claim.counted:
        return not after or after[0].kind == "stop"
    return any(token.norm == claim.counted for token in after)


def _other_name(meeting: Meeting) -> Rival | None:
    """Another name after the same relation and preposition, where there can be one only."""
    claim, sentence = meeting.claim, meeting.sentence
    single = (
        claim.once
        or (claim.agent and meeting.relation == 1.0 and not MADE.isdisjoint(claim.relation))
        or (claim.located and meeting.here)
        or (claim.role and claim.slot in sentence.stems)
    )
    if not claim.name or not claim.slot or not single or claim.listed:
        return None
    if meeting.relation < SAME_RELATION or (claim.vital and claim.head):
        return None
    span = None if claim.vital and KIN.search(sentence.text) else named_slot(claim, sentence)
    if span is None:
        return None
    name = sentence.plain[slice(*span)]
    there = [token for token in sentence.tokens if span[0] <= token.start < span[1]]
    if any(token.norm in claim.tail and token.norm not in IMPERSONAL for token in there):
        return None
    if same_name(name, claim.name) or may_hold(name, claim.name):
        return None
    return Rival(0.7, sentence, widened(claim, sentence, span), f"says {name}")
