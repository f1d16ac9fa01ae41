"""What to write in the place of doubted words: proposed by the sources, and proved.

A proposal is the other value, name or word of opposite meaning that all references give, or most
of the samples that speak of the fact. It is taken if the sentence with it, compared like any other
with what was quoted, is supported clearly. So a text that was corrected holds when it is checked
again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Final, NamedTuple

from halubot.claims import extract, read_message
from halubot.compare.tokens import content, content_norms, with_tokens
from halubot.correction.alternatives import are_as_exact, is_stated
from halubot.report import DOUBTED, Evidence, Fact, Report, Source, SourceKind, Span
from halubot.text import read
from halubot.values import Value, differ, find, same, same_name
from halubot.values.amounts import Amount
from halubot.values.comparison import is_comparable, is_rival
from halubot.values.names import is_name
from halubot.verifier.encoder import Verifier
from halubot.verifier.reading import SourceText
from halubot.verifier.signals import DIFFERS
from halubot.verifier.stances import PROVES, Clause, Comparer

PROVED: Final = 0.7
"""How far a source must back a corrected clause (`Shares.backing`). Of 152 contradicted facts with
another value (six sets of chat answers) this put 84 right and 29 wrong or less well, about half of
these with the same quantity in another unit, or an opposite. At .8 it were 73 and 24."""

GAINED: Final = 0.4
SAME_PLACE: Final = 0.5
"""A second proof, for the first one leans on values that were compared and not on who has them: the
quote entails the clause with the change by `GAINED` more than as it was, or by `PROVES` in the
sentence that gives the value, or this share of the clause's other words stands beside the value
there. Of 61 proposals with the first proof (seven sets of chat answers) 51 were right; of the 53
with both 49."""

MOST_AGAINST: Final = 0.1
"""The highest probability with which the source may still contradict it."""

_LONGEST_OFFER: Final = 50
"""Characters of a value that can be offered in the place of another."""

_CONTEXT: Final = 600
"""Characters of a source around a quote that are read with it: who "she" is stands there."""


class Agreed(NamedTuple):
    """A value that sources agree on, who they are, how many give it, and how many speak."""

    value: str
    by: str
    given: int
    of: int


def agreed_value(fact: Fact, kinds: Mapping[str, SourceKind], fewest: int = 2) -> Agreed | None:
    """Return the other value that all references give, or most of at least ``fewest`` samples that
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
    enough = len(heard) >= fewest and 2 * count > len(heard)
    return Agreed(best, "samples", count, len(heard)) if enough else None


def suggest(report: Report, fact: Fact) -> tuple[Span, str] | None:
    """Return the place of a doubted value, name or word of a fact and what its sources give for it,
    unproved: for a person who sees their quotes. None if they give nothing that could stand there,
    or if a quote of any has what the text has."""
    agreed = agreed_value(fact, _kinds(report), fewest=1) if fact.verdict in DOUBTED else None
    found = None if agreed is None else _fit(report, fact, agreed.value)
    if found is None:
        return None
    (start, end), after = found
    begin, stop = _sentence_of(report, fact)
    quotes = [one.quote for one in fact.evidence]
    if is_stated(report.text[begin:stop], (start - begin, end - begin), quotes):
        return None
    before = report.text[start:end]
    alike = bool(find(before)) == bool(find(after)) and before != after
    alike = alike and are_as_exact(before, after)
    written = find(before) or is_name(before) or _are_one_form(before, after)
    return found if alike and written and len(after) <= _LONGEST_OFFER else None


_ENDING: Final = re.compile(r"ing$|ed$|s$|$")


def _are_one_form(before: str, after: str) -> bool:
    """Whether both are single words with one ending: what sources give for a word is its opposite,
    in a form that need not fit ("climb", "declines")."""
    endings = {found[0] for word in (before, after) if (found := _ENDING.search(word))}
    return before.isalpha() and after.isalpha() and len(endings) == 1


def propose(report: Report, fact: Fact, verifier: Verifier | None) -> tuple[Span, str] | None:
    """Return the place of a contradicted fact's doubted words and what to write there; None if
    nothing is proved.

    Raises LocalModelError if the verifier fails.
    """
    if fact.verdict != "contradicted":
        return None
    agreed = agreed_value(fact, _kinds(report))
    found = None if agreed is None else _fit(report, fact, agreed.value)
    if agreed is None or found is None:
        return None
    place, after = found
    start, end = _sentence_of(report, fact)
    before = report.text[start:end]
    at = place[0] - start
    changed = f"{before[:at]}{after}{report.text[place[1] : end]}"
    sources = {source.id: source for source in report.sources}
    proved = any(
        _is_proved(before, changed, at, _around(one, sources[one.source]), verifier)
        for one in fact.evidence
        if one.stance == "contradicts" and one.value and _agree(one.value, agreed.value)
    )
    return found if proved else None


def _kinds(report: Report) -> dict[str, SourceKind]:
    return {source.id: source.kind for source in report.sources}


def _sentence_of(report: Report, fact: Fact) -> Span:
    sentence = report.sentences[fact.sentences[0]]
    return sentence.start, sentence.end


def _fit(report: Report, fact: Fact, value: str) -> tuple[Span, str] | None:
    """Return the place of a fact's doubted words and a value as it can stand there."""
    if len(fact.spans) != 1 or not fact.sentences:
        return None
    (place,), tail = fact.spans, fact.parts.tail
    if tail is not None and place[0] <= tail[0] and tail[1] <= place[1]:
        place = tail
    given = find(value)
    rivals = [one for one in find(report.text, *place) if given and is_rival(one, given[0])]
    place = rivals[0].span if len(rivals) == 1 else _whole_name(report.text, place)
    after = _fitting(report.text, _sentence_of(report, fact), place, " ".join(value.split()))
    return None if after is None else (place, after)


def _around(one: Evidence, source: Source) -> SourceText:
    """Return a quote with the words of its source around it."""
    start, end = one.start or 0, one.end or 0
    quoted = (source.text or "")[max(0, start - _CONTEXT) : end + _CONTEXT] or one.quote
    return SourceText(with_tokens(read(quoted)))


def _is_proved(
    before: str, after: str, at: int, quoted: SourceText, verifier: Verifier | None
) -> bool:
    """Return True if what was quoted supports the clause of a corrected sentence that holds the
    place ``at``, and rather than the clause as it was."""
    changed = _clauses_at(after, at, quoted, verifier)
    if not any(
        clause.shares.backing >= PROVED and clause.shares.contradicts <= MOST_AGAINST
        for clause in changed
    ):
        return False
    old = _clauses_at(before, at, quoted, verifier)
    gain = _entailment(changed) - _entailment(old)
    return gain >= GAINED or any(
        clause.signals.values[DIFFERS] >= SAME_PLACE
        or (clause.signals.counter is not None and clause.signals.counter.gain >= PROVES)
        for clause in old
    )


def _clauses_at(
    sentence: str, at: int, source: SourceText, verifier: Verifier | None
) -> list[Clause]:
    """Return the clauses of a sentence that hold a place, beside a source."""
    message = read_message(sentence)
    comparer = Comparer(message, extract(message), verifier)
    return [
        clause
        for clauses in comparer.clauses(source)
        for clause in clauses
        if any(first <= at < last for first, last in clause.read.unit.spans)
    ]


def _entailment(clauses: Iterable[Clause]) -> float:
    return max((clause.read.entailment for clause in clauses), default=0.0)


def _fitting(text: str, sentence: Span, place: Span, value: str) -> str | None:
    """Return a value or name as it can stand in a place; None if it cannot, as another kind of
    value, or one of a pair such as "74 °C (165 °F)"."""
    own, others = find(text, *place), find(value)
    if not own:
        new = _without_neighbours(text, sentence, place, _OWNED.sub("", value))
        owned = _OWNED.search(text, *place)
        return new and new + (owned.group() if owned else "")
    if len(own) != 1 or len(others) != 1 or not is_rival(own[0], others[0]):
        return None
    # A span of years says when something began or ended, and not which of both.
    if (own[0].ends is None) != (others[0].ends is None) or _has_twin(text, sentence, own[0]):
        return None
    words = len(text[slice(*place)].split())
    if own[0].kind != "date" or len(value.split()) == words:
        return _in_own_words(text[slice(*place)], value)
    return _less_exact(value, words, own[0])


def _less_exact(value: str, count: int, own: Value) -> str | None:
    """Return a date in so many words, as exact as another one: "January 1985" or "1985" of "1
    January 1985", for the place of "March 1995" or "1995"; None if it has no such words."""
    (whole,) = find(value)
    for words in combinations(value.split(), count):
        written = " ".join(words).strip(",")
        found = find(written)
        if (
            len(found) == 1
            and found[0].span == (0, len(written))
            and _DIGIT.sub("0", found[0].canonical) == _DIGIT.sub("0", own.canonical)
            and whole.canonical.startswith(found[0].canonical)
        ):
            return written
    return None


_DIGIT: Final = re.compile(r"\d")


def _in_own_words(before: str, value: str) -> str:
    """Return a value with unit and figures as the message writes them, if that says the same:
    "4,800 kilometres" of "4,800 km" in the place of "480 kilometres", "6 to 8 weeks" of "six to
    eight weeks" in that of "16 to 18 weeks"."""
    said = [one.canonical for one in find(value)]
    if before[:1].isdigit() and not value[:1].isdigit():
        value = _in_figures(value, said)
    units, numbers = before.split()[1:], value.split()[:-1]
    for first in range(len(units)):
        for last in range(len(numbers), 0, -1):
            written = " ".join([*numbers[:last], *units[first:]])
            if [one.canonical for one in find(written)] == said:
                return written
    return value


def _in_figures(value: str, said: list[str]) -> str:
    """Return a value whose numbers are words with figures instead; itself if these say less."""
    written = value
    for one in reversed([end for whole in find(value) for end in whole.ends or (whole,)]):
        amounts = [own for own in one.readings if isinstance(own, Amount)]
        words = value[one.start : one.end].split()
        for last in range(len(words), 0, -1):
            number = find(" ".join(words[:last]))
            if amounts and [own.kind for own in number] == ["number"]:
                end = one.start + len(" ".join(words[:last]))
                amount = (amounts[0].written or amounts[0].number).normalize()
                figures = f"{amount:{',f' if amount >= _GROUPED else 'f'}}"
                written = f"{written[: one.start]}{figures}{written[end:]}"
                break
    same_value = [one.canonical for one in find(written)] == said
    return written if same_value and written[:1].isdigit() else value


_GROUPED: Final = 10_000
"""The least number whose thousands a comma parts, lest a year has one."""


def _without_neighbours(text: str, sentence: Span, place: Span, value: str) -> str | None:
    """Return words as they can stand in a place: "Oxford" of "University of Oxford" behind
    "University of"; None if the rest of the sentence has one of them."""
    before, after = text[sentence[0] : place[0]].split(), text[place[1] : sentence[1]].split()
    words = value.split()
    for count in range(len(words) - 1, 0, -1):
        if before[-count:] == words[:count]:
            words = words[count:]
            break
    for count in range(len(words) - 1, 0, -1):
        if after[:count] == words[-count:]:
            words = words[:-count]
            break
    kept = " ".join(words)
    around = content_norms([*content(" ".join(before)), *content(" ".join(after))])
    return kept if around.isdisjoint(content_norms(content(kept))) else None


_OWNED: Final = re.compile(r"['’]s?$")


def _has_twin(text: str, clause: Span, value: Value) -> bool:
    """Return True if the clause gives a value twice, in another unit: "74 °C (165 °F)"."""
    others = [one for one in find(text, *clause) if one.span != value.span]
    return any(is_comparable(one, value) and not differ(one, value) for one in others)


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


def _agree(one: str, other: str) -> bool:
    """Return True if two writings give the same value or name."""
    mine, theirs = find(one), find(other)
    if len(mine) == 1 and len(theirs) == 1:
        return same(mine[0], theirs[0]) or same(theirs[0], mine[0])
    return (
        not mine
        and not theirs
        and (one.casefold().split() == other.casefold().split() or same_name(one, other))
    )
