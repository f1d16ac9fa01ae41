"""What kind of error a doubted fact is, where its values and names tell it.

Kinds name an error for people and for counts. They decide nothing. Of the kinds that words seemed
to tell ("negation", "comparison", "cause") 21 of 98 were right on 200 answers; they went.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from halubot.compare.tokens import STOP_WORDS
from halubot.events import Emit, Event, FactJudged, FactsExtracted
from halubot.report import DOUBTED, ErrorKind, Evidence, Fact
from halubot.text import Document, word_set
from halubot.values import Value, differ, find

_WORD: Final = re.compile(r"[^\W_]+(?:[’'\-][^\W_]+)*")
_PLACE_BEFORE: Final = word_set(
    """in at near from to into towards through across over under off of on around between beside
    outside inside"""
)


def kind_of(claim: str, evidence: Sequence[Evidence], words: str = "") -> ErrorKind | None:
    """Return the kind of error of a doubted claim; None if neither values nor names tell it.
    ``words`` are those of it that are in doubt, "" if that is not known; ``evidence`` is what
    sources say. Without a quote against it, a value or a name is an invented detail."""
    against = next((one for one in evidence if one.stance == "contradicts" and one.quote), None)
    if against is None:
        specific = any(map(str.isdigit, words or claim)) or _names(words or claim)
        return "invented detail" if specific else None
    quote, value = against.quote, against.value or ""
    if (found := _by_values(words or claim, value or quote)) is not None:
        return found
    named = _names(words)
    return _name_or_place(claim, named[0]) if named else None


def _by_values(words: str, other: str) -> ErrorKind | None:
    """The kind of two values that differ, None if there are none."""
    for own in find(words):
        for theirs in find(other):
            if own.kind == theirs.kind and differ(own, theirs):
                return _kind_of_values(own, theirs, words, other)
            measures = {own.kind, theirs.kind} <= {"quantity", "money", "percent"}
            if measures and _same_digits(words, own, other, theirs):
                return "unit"
    return None


def _kind_of_values(own: Value, theirs: Value, words: str, other: str) -> ErrorKind:
    if own.kind in ("date", "time"):
        return "date"
    if own.kind == "number" and _is_year(words, own) and _is_year(other, theirs):
        return "date"
    return "unit" if _same_digits(words, own, other, theirs) else "number"


def _is_year(text: str, value: Value) -> bool:
    return bool(re.fullmatch(r"1\d{3}|20\d{2}", text[value.start : value.end]))


def _same_digits(words: str, own: Value, other: str, theirs: Value) -> bool:
    digits = re.sub(r"\D", "", words[own.start : own.end])
    return bool(digits) and digits == re.sub(r"\D", "", other[theirs.start : theirs.end])


def _name_or_place(claim: str, name: str) -> ErrorKind:
    before = claim[: claim.find(name)].split()
    return "place" if before and before[-1].casefold() in _PLACE_BEFORE else "name"


def _names(words: str) -> list[str]:
    """The words written as names; a first word is one if it stands alone."""
    found = [word for word in _WORD.findall(words) if word.casefold() not in STOP_WORDS]
    return [one for one in (found[1:] or found) if one[:1].isupper()]


def name_kinds(message: Document, emit: Emit) -> Emit:
    """Return what passes on the events of a method, the doubted facts among them with their
    kind."""
    facts: tuple[Fact, ...] = ()

    def hear(event: Event) -> None:
        nonlocal facts
        if isinstance(event, FactsExtracted):
            facts = event.facts
        elif (
            isinstance(event, FactJudged) and event.verdict in DOUBTED and event.index < len(facts)
        ):
            fact = facts[event.index]
            spans = fact.spans if event.spans is None else event.spans
            # All of its words in doubt tell no more than the fact itself.
            whole = spans == fact.spans
            words = "" if whole else " ".join(message.text[a:b] for a, b in spans)
            claim = message.text[fact.spans[0][0] : fact.spans[-1][1]]
            kind = kind_of(claim, event.evidence, words)
            event = event.model_copy(update={"error": kind})
        emit(event)

    return hear
