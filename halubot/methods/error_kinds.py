"""What kind of error a doubted fact is: from its values, and from the words in which it and the
quote against it differ.

Kinds name an error for people and for counts. They decide nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from halubot.compare.tokens import STOP_WORDS, is_negative
from halubot.events import Emit, Event, FactJudged, FactsExtracted
from halubot.report import DOUBTED, ErrorKind, Evidence, Fact
from halubot.text import Document, word_set
from halubot.values import Value, differ, find

_WORD: Final = re.compile(r"[^\W_]+(?:[’'\-][^\W_]+)*")
_QUANTITY: Final = word_set(
    """all any some most many few every each only always usually often sometimes rarely seldom
    mostly half both several nearly almost may might must can could should will would possibly
    probably certainly likely"""
)
_CAUSE: Final = word_set(
    """because since due owing thanks caused causes cause led leads therefore so hence result
    resulted reason"""
)
_COMPARISON: Final = re.compile(
    r"(?i)^(?:more|less|than|most|least|as|larger|smaller|\w{3,}(?:er|est))$"
)
_PLACE_BEFORE: Final = word_set(
    """in at near from to into towards through across over under off of on around between beside
    outside inside"""
)
_PAIRS: Final = word_set(
    """north/south east/west northern/southern eastern/western left/right first/last before/after
    above/below over/under up/down inside/outside early/late open/closed hot/cold old/new
    large/small high/low long/short fast/slow heavy/light safe/dangerous rise/fall rose/fell
    increase/decrease increased/decreased grew/shrank gained/lost won/lost begin/end
    began/ended opened/closed accept/refuse accepted/rejected allowed/forbidden public/private
    male/female mother/father son/daughter brother/sister husband/wife buyer/seller
    bought/sold true/false cheap/expensive"""
)
_OPPOSITES: Final = frozenset(frozenset(pair.split("/")) for pair in _PAIRS)


def kind_of(claim: str, evidence: Sequence[Evidence], words: str = "") -> ErrorKind:
    """Return the kind of error of a doubted claim. ``words`` are those of it that are in doubt, ""
    if that is not known; ``evidence`` is what sources say. Without a quote against it, a value or a
    name is an invented detail, and anything else another kind."""
    against = next((one for one in evidence if one.stance == "contradicts" and one.quote), None)
    if against is None:
        specific = any(map(str.isdigit, words or claim)) or _names(words or claim)
        return "invented detail" if specific else "other"
    quote, value = against.quote, against.value or ""
    if (found := _by_values(words or claim, value or quote)) is not None:
        return found
    own, theirs = _words(claim), _words(quote)
    mine = [word for word in own if word.casefold() not in _folded(theirs)]
    other = [word for word in theirs if word.casefold() not in _folded(own)]
    if is_negative(claim) != is_negative(quote):
        return "negation"
    pairs = {frozenset((a.casefold(), b.casefold())) for a in mine for b in other}
    if pairs & _OPPOSITES:
        return "opposite"
    if _is_exchanged(own, theirs):
        return "role"
    doubted = _words(words) if words else mine
    if any(word.casefold() in _QUANTITY for word in [*mine, *other]) and not _names(words):
        return "quantity or modality"
    if _CAUSE & _folded(own) and _CAUSE & _folded(theirs):
        return "cause"
    names = [word for word in doubted if word[:1].isupper() and [word] != own[:1]]
    if names or (value and value[:1].isupper()):
        return _name_or_place(claim, names[0] if names else "")
    if any(map(_COMPARISON.match, [*mine, *other])):
        return "comparison"
    return "other"


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


def _is_exchanged(own: Sequence[str], theirs: Sequence[str]) -> bool:
    """Return True if two names stand in both, in the other order."""
    names = [word for word in own if word[:1].isupper() and word in theirs]
    names = list(dict.fromkeys(names))
    order = [theirs.index(name) for name in names]
    return len(names) >= 2 and order != sorted(order)


def _name_or_place(claim: str, name: str) -> ErrorKind:
    before = claim[: claim.find(name)].split() if name else []
    return "place" if before and before[-1].casefold() in _PLACE_BEFORE else "name"


def _names(words: str) -> bool:
    found = [word for word in _words(words) if word.casefold() not in _QUANTITY]
    return any(word[:1].isupper() for word in found[1:]) or (
        len(found) == 1 and found[0][:1].isupper()
    )


def _words(text: str) -> list[str]:
    kept = _QUANTITY | _CAUSE
    return [
        word
        for word in _WORD.findall(text)
        if word.casefold() not in STOP_WORDS or word.casefold() in kept
    ]


def _folded(words: Sequence[str]) -> set[str]:
    return {word.casefold() for word in words}


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
