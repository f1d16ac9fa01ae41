"""The sentence of another text that says the same in nearly the same words, and its values.

Facts hold what a sentence states of its subject; a number that stands beside it in brackets, in a
subject or in a sentence without a fact is in none of them. So each sentence of the message is
also laid as a whole beside its counterpart: the sentence of the other text that shares most of
its words. Their values are paired off. A value without a partner, where the counterpart has one of
the same kind left over, was exchanged for it. Where names differ, or too few words agree, there
is no counterpart; the name that a sentence opens with says nothing, so as many of the other words
must agree, and where it tells when something began or ended the counterpart tells of that too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from halubot.compare.amounts import Amount
from halubot.compare.claim import Part, Weights, share
from halubot.compare.meeting import holding
from halubot.compare.relations import BIRTH, DEATH, EVENTS
from halubot.compare.textindex import Life, SentenceIndex, TextIndex
from halubot.compare.values import Value, compatible, rivals
from halubot.compare.tokens import Token

SAME: Final = 0.6
"""The share of a sentence's words, by weight, that its counterpart holds at least; the same of
those that are not the name it opens with."""
ENOUGH: Final = 0.5
"""The share of the counterpart's words that the sentence holds, from which on both say no more
than each other; below it a value is exchanged only where a word beside it is the same."""
FEWEST: Final = 3
"""By fewer words no sentence is known again."""

MOST: Final = 60
"""More values are a table and no sentence; pairing them off would take time with their square."""


class Exchange(NamedTuple):
    """``own`` in the message stands where the counterpart has ``other``."""

    own: Value
    other: Value


class Counterpart(NamedTuple):
    """A sentence of the other text that says the same, and the values exchanged, in order; empty
    where each value of the message's sentence has its partner. ``unmet`` are values without a
    partner for which nothing stands there."""

    sentence: SentenceIndex
    exchanges: tuple[Exchange, ...]
    unmet: tuple[Value, ...] = ()


def counterpart(
    own: Part, index: TextIndex, may_say: Callable[[SentenceIndex], bool] = bool
) -> Counterpart | None:
    """The counterpart of a sentence with values; None where it has no value, and where the text
    has no such sentence among those that ``may_say`` the same. Of several alike, the one that
    agrees most."""
    words = own.weights()
    said = _said(own, words)
    if not 0 < len(own.values) <= MOST or len(words) < FEWEST or not said:
        return None
    whole = sum(words.values())
    held = {
        number: weight / whole
        for number, weight in holding(words, index, frozenset()).items()
        if weight >= SAME * whole
    }
    if not held:
        return None
    best = max(held.values())
    named = own.named(words, names=True, clause=True)
    alike = [
        _paired(own, index.sentences[number], index.life)
        for number, held_here in sorted(held.items())
        if held_here == best
        and named <= index.sentences[number].stems.keys()
        and len(index.sentences[number].values) <= MOST
        and share(said, index.sentences[number].stems) >= SAME
        and may_say(index.sentences[number])
    ]
    if not alike:
        return None
    found = min(alike, key=lambda one: len(one.exchanges))
    elsewhere = [
        value
        for number in held
        if number != found.sentence.number
        for value in index.sentences[number].values
    ]
    return found._replace(
        exchanges=tuple(
            exchange
            for exchange in found.exchanges
            if not any(compatible(exchange.own, value) for value in elsewhere)
        )
    )


def _said(own: Part, words: Weights) -> Weights:
    """The words beside the name that opens a sentence: what it says of whom that names."""
    name, opening = next(iter(own.names), ""), own.tokens[0].start
    ends = opening + len(name) if own.text.startswith(name, opening) else opening
    said = {token.norm for token in own.tokens if token.start >= ends}
    return {stem: weight for stem, weight in words.items() if stem in said}


def _paired(own: Part, sentence: SentenceIndex, life: Life) -> Counterpart:
    """The sentence with what is left over when the values of both are paired off."""
    left = list(_singles(sentence.values))
    alone = _unpaired(list(_singles(own.values)), left, compatible)
    alone = _unpaired(alone, left, _same_figure)
    exchanges, unmet = [], []
    same = share(sentence.words, own.weights()) >= ENOUGH
    for value in alone:
        others = [
            other
            for other in left
            if _may_replace(value, other) and _same_event(own, value, sentence, other, life)
        ]
        if others:
            nearest = max(others, key=lambda other: _alike(own.tokens, value, sentence, other))
            if not same and not _alike(own.tokens, value, sentence, nearest):
                unmet.append(value)
                continue
            left.remove(nearest)
            exchanges.append(Exchange(value, nearest))
        else:
            unmet.append(value)
    return Counterpart(sentence, tuple(exchanges), tuple(unmet))


def _singles(values: Sequence[Value]) -> Iterator[Value]:
    """The values, a range as its two ends."""
    for value in values:
        yield from value.ends or (value,)


def _unpaired(
    values: list[Value], left: list[Value], same: Callable[[Value, Value], bool]
) -> list[Value]:
    """The values without a partner among ``left``, from which the partners are taken."""
    alone = []
    for value in values:
        partner = next((other for other in left if same(value, other)), None)
        if partner is None:
            alone.append(value)
        else:
            left.remove(partner)
    return alone


def _may_replace(own: Value, other: Value) -> bool:
    """Whether the two cannot both be right: another value, or another bound of the same kind."""
    bounded = own.bound == other.bound != "" and own.kind == other.kind
    return rivals(own, other) or (bounded and not compatible(own, other))


def _same_figure(own: Value, other: Value) -> bool:
    """Whether the bare numbers are the same, whatever each is read to measure."""
    mine = {reading.number for reading in own.readings if isinstance(reading, Amount)}
    return any(isinstance(one, Amount) and one.number in mine for one in other.readings)


def _same_event(own: Part, value: Value, sentence: SentenceIndex, other: Value, life: Life) -> bool:
    """Whether two dates may be those of the same: what happened then and happens once, the other
    sentence tells of it too, or gives the dates of a life. Other values always may."""
    if value.kind != "date":
        return True
    mine, theirs = _event(own.tokens, value), _event(sentence.tokens, other)
    if not mine.isdisjoint(sentence.stems) or life.holds(other, mine):
        return True
    if theirs.isdisjoint((BIRTH, DEATH)):
        return not mine
    return not mine and any(token.norm in theirs for token in own.tokens)


def _event(tokens: Sequence[Token], value: Value) -> frozenset[str]:
    """The words for what happened before a value and happens once, that of its last word of this
    kind; empty where there is none."""
    before = (token.norm for token in reversed(tokens) if token.end <= value.start)
    told = (frozenset().union(*(words for words in EVENTS if stem in words)) for stem in before)
    return next(filter(None, told), frozenset())


def _alike(tokens: Sequence[Token], value: Value, sentence: SentenceIndex, other: Value) -> int:
    """How many of the two words before and the two after two values are the same."""
    pairs = zip(_around(tokens, value), _around(sentence.tokens, other), strict=True)
    return sum(len(mine & theirs) for mine, theirs in pairs)


def _around(tokens: Sequence[Token], value: Value) -> tuple[set[str], set[str]]:
    before = [token.norm for token in tokens if token.end <= value.start][-2:]
    after = [token.norm for token in tokens if token.start >= value.end][:2]
    return set(before), set(after)
