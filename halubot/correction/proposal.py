"""What to write in the place of doubted words: proposed from the quotes, and proved.

A candidate is a value, a name or a word of opposite meaning in a quote that contradicts the fact.
It is taken if the quote entails the sentence with it and no longer contradicts it, and every value
of the sentence is then in the quote. Of samples most of those that speak of the fact must give it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, NamedTuple

from halubot.compare.tokens import Token, normal, tokens
from halubot.report import Evidence, Fact, Report, SourceKind, Span
from halubot.text import read
from halubot.values import Value, differ, find, same, same_name
from halubot.values.agreement import are_together, is_rival, is_said
from halubot.verifier.claims import clauses_of, words_of
from halubot.verifier.encoder import Verifier
from halubot.verifier.opposites import opposites

ENTAILED: Final = 0.5
"""Least entailment of a corrected clause by its quote."""

MOST_AGAINST: Final = 0.3
"""Most contradiction of it that is let pass."""


class Agreed(NamedTuple):
    """A value that sources agree on, who they are, how many give it, and how many speak."""

    value: str
    by: str
    given: int
    of: int


class Proposal(NamedTuple):
    """Words of the message and what to write in their place."""

    place: Span
    after: str


def agreed_value(fact: Fact, kinds: Mapping[str, SourceKind]) -> Agreed | None:
    """Return the other value that all references give, or most of at least two samples that
    speak of a fact; None if there is none. ``kinds`` tells the kind of each source by its id."""
    heard = [item for item in fact.evidence if item.stance != "silent"]
    references = [item for item in heard if kinds[item.source] != "sample"]
    spoken = references or heard
    spelled = Counter(item.value for item in spoken if item.value)
    if not spelled:
        return None
    ranked = ((sum(n for one, n in spelled.items() if _agree(one, v)), v) for v in spelled)
    count, best = max(ranked, key=lambda one: (one[0], len(one[1]), one[1]))
    if references:
        return Agreed(best, "references", count, count) if count == len(references) else None
    # Two at least: fewer contradict nothing.
    enough = len(heard) > 1 and 2 * count > len(heard)
    return Agreed(best, "samples", count, len(heard)) if enough else None


def propose(
    report: Report, fact: Fact, sentence: Span, verifier: Verifier | None
) -> Proposal | None:
    """Return what to write in the place of a contradicted fact's doubted words; None if nothing is
    proved. Without a verifier only a value or name that the sources agree on is proposed.

    Raises LocalModelError if the verifier fails.
    """
    if fact.verdict != "contradicted" or len(fact.spans) != 1:
        return None
    kinds = {source.id: source.kind for source in report.sources}
    agreed = agreed_value(fact, kinds)
    text = report.text
    place = _whole_name(text, fact.spans[0])
    clause = next(
        (span for span in clauses_of(text, sentence) if span[0] <= place[0] < span[1]), sentence
    )
    against = [one for one in fact.evidence if one.stance == "contradicts" and one.quote]
    references = [one for one in against if kinds[one.source] != "sample"]
    if not references and agreed is None:
        return None
    proved = []
    for one in references or against:
        for candidate in _candidates(text, place, clause, one):
            # What is written is what the reason says that the sources say.
            if agreed and not _agree(agreed.value, candidate.after):
                continue
            if verifier is None and agreed is None:
                continue
            forms = [
                form
                for form in _forms(text, clause, fact, candidate)
                if _is_exact(candidate, form, one.quote)
            ]
            proof = _proof(words_of(one.quote), forms, verifier)
            if proof >= ENTAILED:
                proved.append((proof, candidate))
    if not proved:
        return None
    best = max(proof for proof, _ in proved)
    near = {candidate for proof, candidate in proved if proof >= best - _MARGIN}
    # Two words that would do equally well settle nothing; "164 km" and "164 kilometres" are one.
    if not _all_agree(near):
        near = {one for one in near if agreed and _agree(agreed.value, one.after)}
    if not near or not _all_agree(near):
        return None
    return min(near, key=lambda one: (not agreed or one.after != agreed.value, one))


_MARGIN: Final = 0.05


def _key(text: str) -> str:
    return " ".join(text.casefold().split())


def _all_agree(proposals: Collection[Proposal]) -> bool:
    """Return True if proposals say the same in the same place."""
    return all(
        one.place == other.place and _agree(one.after, other.after)
        for one, other in combinations(proposals, 2)
    )


def _forms(text: str, clause: Span, fact: Fact, one: Proposal) -> Iterator[str]:
    """Yield the corrected clause, and the corrected fact by itself: a clause may say more than a
    quote of one of its facts."""
    start, end = clause
    yield words_of(f"{text[start : one.place[0]]}{one.after}{text[one.place[1] : end]}")
    before, statement = text[slice(*one.place)], " ".join(part for part in fact.triple if part)
    if fact.triple.head and statement.count(before) == 1:
        yield words_of(statement.replace(before, one.after))


def _proof(quote: str, forms: Sequence[str], verifier: Verifier | None) -> float:
    """Return how far a quote entails one of the forms of a correction; 0 of one that it contradicts
    too."""
    if not forms or verifier is None:
        return float(bool(forms))
    found = verifier.judge([(quote, form) for form in forms])
    return max((one.entailment for one in found if one.contradiction <= MOST_AGAINST), default=0.0)


def _candidates(text: str, place: Span, clause: Span, one: Evidence) -> Iterator[Proposal]:
    """Yield the words of a quote that may stand in the place of some words of the message."""
    before = text[slice(*place)]
    own = find(text, *place)
    if one.value and not own and not before[:1].isupper():
        yield Proposal(place, " ".join(one.value.split()))
    if len(own) == 1 and own[0].span == place:
        if not _has_twin(text, clause, own[0]):
            yield from _values(text, place, own[0], one.quote)
        return
    mine, theirs = tokens(text, *place), tokens(one.quote, 0, len(one.quote))
    known = {token.norm for token in tokens(text, *clause)}
    if mine and any(token.kind == "name" for token in mine):
        names = [one.quote[start:end] for start, end in _name_runs(one.quote, theirs)]
        alike = [
            name
            for name in names
            if (len(name.split()) > 1) == (len(before.split()) > 1)
            and not same_name(name, before)
            and normal(name.split()[-1]) not in known
        ]
        # Of several names none is the one, unless the comparison found it in this place.
        chosen = alike if len(set(alike)) == 1 else [one.value] if one.value in alike else []
        owned = _OWNED.search(before)
        for name in chosen[:1]:
            yield Proposal(place, _OWNED.sub("", name) + (owned.group() if owned else ""))
        return
    table = opposites()
    for token in mine:
        for other in theirs:
            opposed = other.norm in table.get(token.norm, frozenset())
            opposed = opposed and "stop" not in (token.kind, other.kind)
            if opposed and other.norm not in known and _ending(token.text) == _ending(other.text):
                yield Proposal((token.start, token.end), other.text)


def _values(text: str, place: Span, value: Value, quote: str) -> Iterator[Proposal]:
    written = text[slice(*place)]
    for other in find(quote):
        # A span of years says when something began or ended, and not which of both.
        if not is_rival(value, other) or (value.ends is None) != (other.ends is None):
            continue
        after = quote[slice(*other.span)]
        # A bare number counts what stands behind it.
        if value.kind in ("number", "ordinal"):
            counted = _counted(text, place)
            if counted is None or counted != _counted(quote, other.span):
                continue
        # A year in the place of a day would say less, and a day in that of a year more.
        if value.kind == "date" and len(written.split()) != len(after.split()):
            continue
        yield Proposal(place, after)


_OWNED: Final = re.compile(r"['’]s?$")


def _counted(text: str, place: Span) -> str | None:
    """Return the word behind a number, in the form in which words compare; None if it is none that
    can be counted."""
    after = tokens(text, place[1], min(len(text), place[1] + _LONGEST_WORD))
    return after[0].norm if after and after[0].kind == "word" else None


def _has_twin(text: str, clause: Span, value: Value) -> bool:
    """Return True if the clause gives a value twice, in another unit: "74 °C (165 °F)"."""
    others = [one for one in find(text, *clause) if one.span != value.span]
    return any(one.kind == value.kind and not differ(one, value) for one in others)


def _whole_name(text: str, place: Span) -> Span:
    """Return words of a message with the rest of the name that they are a part of."""
    if find(text, *place) or not text[place[0] : place[0] + 1].isupper():
        return place
    start, end = place
    while (before := _NAME_BEFORE.search(text, max(0, start - _LONGEST_WORD), start)) is not None:
        start = before.start()
    while (after := _NAME_AFTER.match(text, end)) is not None:
        end = after.end()
    return start, end


_LONGEST_WORD: Final = 40
_NAME_BEFORE: Final = re.compile(r"(?<![^\s(\"“])[A-Z][\w'’.]*(?:\s|[-–])$")
_NAME_AFTER: Final = re.compile(r"(?:\s|[-–])[A-Z][\w'’]*(?=\W|$)")


_JOINT: Final = re.compile(r"\.?[ –-]|\s(?:de|du|des|von|van|der|den|of|la|le|di|da)\s(?:la\s)?")
"""What may stand between two words of one name."""


def _name_runs(quote: str, found: Sequence[Token]) -> Iterator[Span]:
    """Yield the names of a quote, each whole."""
    start = end = -1
    for token in found:
        named = token.kind == "name"
        if named and start >= 0 and _JOINT.fullmatch(quote, end, token.start):
            end = token.end
        elif named:
            if start >= 0:
                yield start, end
            start, end = token.start, token.end
    if start >= 0:
        yield start, end


def _is_exact(one: Proposal, corrected: str, quote: str) -> bool:
    """Return True if a quote has every value of the corrected clause, and its other words keep
    company with the new one there: a value of another condition stands in another clause."""
    given = find(quote)
    values = find(corrected)
    if not all(is_said(value, given) for value in values) or not are_together(values, quote):
        return False
    if not find(one.after):
        return True
    document = read(quote)
    new = {token.norm for token in tokens(one.after, 0, len(one.after))}
    rest = {
        token.norm
        for token in tokens(corrected, 0, len(corrected))
        if token.kind != "stop" and token.norm not in new
    }
    at = quote.find(one.after)
    spans = [part for span in document.sentences for part in clauses_of(quote, span) or [span]]
    shares = {span: len(rest & {token.norm for token in tokens(quote, *span)}) for span in spans}
    own = next((shares[span] for span in spans if span[0] <= at < span[1]), 0)
    return 2 * own >= len(rest) > 0 and own >= max(shares.values(), default=0)


def _ending(word: str) -> str:
    return next((end for end in ("ing", "ed", "er", "est", "ly", "s") if word.endswith(end)), "")


def _agree(one: str, other: str) -> bool:
    """Return True if two writings give the same value or name."""
    mine, theirs = find(one), find(other)
    if len(mine) == 1 and len(theirs) == 1:
        return same(mine[0], theirs[0]) or same(theirs[0], mine[0])
    return not mine and not theirs and (_key(one) == _key(other) or same_name(one, other))
