"""The sentence of another text that says the same in nearly the same words, and its values.

Facts hold what a sentence states of its subject; a number that stands beside it in brackets, in a
subject or in a sentence without a fact is in none of them. So each sentence of the message is
also laid as a whole beside its counterpart: the sentence of the other text that shares most of
its words. Their values are paired off. A value without a partner, where the counterpart has one of
the same kind left over, was exchanged for it. Where names differ, or too few words agree, there
is no counterpart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from halubot.match.amounts import Amount
from halubot.match.claim import Part, share
from halubot.match.meeting import holding
from halubot.match.textindex import SentenceIndex, TextIndex
from halubot.match.values import Value, compatible, rivals
from halubot.match.words import Token

SAME: Final = 0.6
"""The share of a sentence's words, by weight, that its counterpart holds at least."""
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


def counterpart(own: Part, index: TextIndex) -> Counterpart | None:
    """The counterpart of a sentence with values; None where it has no value, and where the text
    has no such sentence. Of several alike, the one that agrees most."""
    words = own.weights()
    if not 0 < len(own.values) <= MOST or len(words) < FEWEST:
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
        _paired(own, index.sentences[number])
        for number, held_here in sorted(held.items())
        if held_here == best
        and named <= index.sentences[number].stems.keys()
        and len(index.sentences[number].values) <= MOST
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


def _paired(own: Part, sentence: SentenceIndex) -> Counterpart:
    """The sentence with what is left over when the values of both are paired off."""
    left = list(_singles(sentence.values))
    alone = _unpaired(list(_singles(own.values)), left, compatible)
    alone = _unpaired(alone, left, _same_figure)
    exchanges, unmet = [], []
    same = share(sentence.words, own.weights()) >= ENOUGH
    for value in alone:
        others = [other for other in left if _may_replace(value, other)]
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


def _alike(tokens: Sequence[Token], value: Value, sentence: SentenceIndex, other: Value) -> int:
    """How many of the two words before and the two after two values are the same."""
    pairs = zip(_around(tokens, value), _around(sentence.tokens, other), strict=True)
    return sum(len(mine & theirs) for mine, theirs in pairs)


def _around(tokens: Sequence[Token], value: Value) -> tuple[set[str], set[str]]:
    before = [token.norm for token in tokens if token.end <= value.start][-2:]
    after = [token.norm for token in tokens if token.start >= value.end][:2]
    return set(before), set(after)
