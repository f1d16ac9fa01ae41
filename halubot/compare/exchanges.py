"""The same event told with one value or name exchanged: "won in 1985" beside "won in 1986"."""

from __future__ import annotations

import re
from typing import NamedTuple

from halubot.compare.claim import Claim, share
from halubot.compare.dates import Date
from halubot.compare.meeting import Meeting
from halubot.compare.names import same_name
from halubot.compare.relations import COPULAS
from halubot.compare.textindex import SentenceIndex
from halubot.compare.values import Value, compatible, rivals
from halubot.compare.tokens import Token, tokens
from halubot.text import Span

# The share of the words of the fact's sentence that makes it the same event, and the least number
# of them.
SAME_EVENT = 0.8
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
EVENT_WORDS = 4
# The share of a sentence's words that make the same frame when all words of the fact are there.
FRAMED = 0.6
# The words of a clause, which must all be there.
CLAUSE_WORDS = 3
Run = tuple[tuple[Token, ...], int, int]  # tokens, and the first and last of a run of them


class Rival(NamedTuple):
    """A sentence against the fact, how sure that is, the value there in place of the fact's
    (None where it denies, or where another part of the fact differs), and a note for people."""

    strength: float
    sentence: SentenceIndex
    value: Span | None
    note: str = ""


def same_event(meeting: Meeting) -> bool:
    """Whether the sentence shares nearly all the words of the fact's sentence, apart from the
    names that might be exchanged."""
    claim, words = meeting.claim, meeting.claim.event
    if len(words) < CLAUSE_WORDS and not claim.clause:
        return False
    held = share(words, meeting.sentence.stems)
    if claim.clause and held == 1.0:
        named = sum(stem in meeting.sentence.stems for stem in claim.around.words) - len(words)
        if claim.once or len(words) + named >= CLAUSE_WORDS:
            return True
    return (len(words) >= EVENT_WORDS and held >= SAME_EVENT) or (len(words) == 3 and held == 1.0)


def same_frame(meeting: Meeting) -> bool:
    """Whether the sentence says of the fact's own head, with all its other words and few more,
    what cannot well be said of it twice."""
    claim, sentence = meeting.claim, meeting.sentence
    if claim.clause or claim.listed:
        return False
    if any(stem not in sentence.stems and stem not in claim.required for stem in claim.words):
        return False
    if not meeting.here:
        return False
    if not claim.head and ((not claim.specific and not claim.tail) or _is_elsewhere(meeting)):
        return False
    said = {stem: weight for stem, weight in sentence.words.items() if stem not in claim.own}
    known = claim.around.stems | claim.required
    return sum(stem in known for stem in said) >= FRAMED * len(said)


def exchanged_value(meeting: Meeting, *, framed: bool = False) -> Rival | None:
    """In the same event another value stands next to the same word, one that the fact's sentence
    lacks. In the same frame it stands after the same word, and no other date does."""
    claim, sentence = meeting.claim, meeting.sentence
    missing = [
        value
        for value in (*claim.values, *claim.settings)
        if not any(compatible(value, other) for other in sentence.values)
    ]
    names = claim.required | claim.titled
    dated = any(value.kind == "date" for value in missing)
    if dated and claim.often and _is_common(claim):
        return None
    if len(missing) != 1 or not names <= sentence.stems.keys():
        return None
    own = missing[0]
    # Another date elsewhere in the sentence makes it another event.
    if any(
        value.kind == "date"
        and value.canonical != own.canonical
        and not any(compatible(value, other) for other in sentence.values)
        for value in claim.around.values
    ):
        return None
    others = [
        other
        for other in sentence.values
        if _is_another(own, other)
        and _aligned(claim, own, sentence, other, after=framed)
        and not any(compatible(known, other) for known in claim.around.values)
    ]
    if len(others) != 1:
        return None
    if framed and own.kind != "date" and any(_is_new_date(claim, v) for v in sentence.values):
        return None
    span = place(own, others[0], sentence)
    if own in claim.values:
        return Rival(0.75, sentence, span)
    return Rival(0.75, sentence, None, f"says {sentence.plain[slice(*span)]}")


def place(own: Value, other: Value, sentence: SentenceIndex) -> Span:
    """Where the rival stands: only the year of a fuller date, where the fact gives but a year."""
    first = own.readings[0] if own.readings else None
    if isinstance(first, Date) and first.month is None and first.year and other.ends is None:
        year = _YEAR.search(sentence.plain, other.start, other.end)
        if year is not None:
            return year.span()
    return other.start, other.end


def widened(claim: Claim, sentence: SentenceIndex, name: Span) -> Span | None:
    """A name with the words that the claim's tail has before its own ("the architect Ada Weir",
    "choir of Lund"), so that it can stand in the tail's place; the bare name where a title is
    missing, None where more is."""
    tail = claim.fact.triple.tail
    prefix = tokens(tail, 0, len(tail) - len(claim.name))
    before = [token for token in sentence.tokens if token.end <= name[0]][-len(prefix) :]
    if not prefix or all(
        mine.norm == theirs.norm for mine, theirs in zip(prefix, before, strict=False)
    ):
        return (before[0].start if prefix and before else name[0]), name[1]
    return None if any(token.kind == "stop" for token in prefix) else name


def _is_common(claim: Claim) -> bool:
    """Whether the claim's sentence says too little to tell one event from the next: no name
    beside the subject's, and few words."""
    return not claim.required and len(claim.around.words.keys() - claim.own.keys()) <= EVENT_WORDS


def _is_elsewhere(meeting: Meeting) -> bool:
    """Whether the sentence lacks what the claim's sentence says beside the claim."""
    return bool(meeting.claim.context) and meeting.context() < FRAMED


def is_later(claim: Claim, sentence: SentenceIndex) -> bool:
    """Whether the sentence has another date than the claim's, and so tells of another event."""
    dated = any(value.kind == "date" for value in claim.around.values)
    return dated and any(_is_new_date(claim, value) for value in sentence.values)


def _is_new_date(claim: Claim, value: Value) -> bool:
    return value.kind == "date" and not any(
        compatible(known, value) for known in claim.around.values
    )


def _aligned(
    claim: Claim, own: Value, sentence: SentenceIndex, other: Value, *, after: bool = False
) -> bool:
    """Whether two values stand next to the same word, before or after them; only ``after`` it."""
    for value in claim.around.values:
        if value.canonical == own.canonical:
            mine, theirs = (
                [at for at, token in enumerate(found) if one.start <= token.start < one.end]
                for found, one in ((claim.around.tokens, value), (sentence.tokens, other))
            )
            if mine and theirs:
                run = claim.around.tokens, mine[0], mine[-1]
                there = sentence.tokens, theirs[0], theirs[-1]
                if _follows_alike(run, there) or (not after and _neighbours(run, there)):
                    return True
    return False


def _neighbours(own: Run, there: Run) -> bool:
    """Whether the words before two runs of tokens are the same, or those after them, or both
    open their sentence."""
    (mine, _, last), (theirs, _, stop) = own, there
    return _follows_alike(own, there) or (
        last + 1 < len(mine)
        and stop + 1 < len(theirs)
        and mine[last + 1].norm == theirs[stop + 1].norm
    )


def _follows_alike(own: Run, there: Run) -> bool:
    """Whether the words before two runs of tokens are the same, or both open their sentence."""
    (mine, first, _), (theirs, start, _) = own, there
    first, start = (
        at - 1 if at and found[at - 1].norm == "the" else at
        for found, at in ((mine, first), (theirs, start))
    )
    if not first or not start:
        return first == start
    before, other = mine[first - 1].norm, theirs[start - 1].norm
    return before == other or {before, other} <= COPULAS


def _is_another(own: Value, other: Value) -> bool:
    if rivals(own, other):
        return True
    bounded = own.bound == other.bound != "" and own.kind == other.kind
    return bounded and not compatible(own, other)


def exchanged_name(meeting: Meeting) -> Rival | None:
    """In the same event one name stands in place of another, that the fact's sentence lacks."""
    claim, sentence = meeting.claim, meeting.sentence
    required = claim.required | claim.titled
    missing = {stem for stem in required if stem not in sentence.stems}
    if not missing or meeting.missing or claim.listed:
        return None
    own = [at for at, token in enumerate(claim.around.tokens) if token.norm in missing]
    strangers = [
        (start, end)
        for start, end in sentence.names
        if any(
            start <= token.start < end
            and token.kind == "name"
            and token.norm not in claim.around.stems
            for token in sentence.tokens
        )
    ]
    if len(strangers) != 1 or not own:
        return None
    there = [
        at
        for at, token in enumerate(sentence.tokens)
        if strangers[0][0] <= token.start < strangers[0][1] and token.norm not in claim.around.stems
    ]
    run = claim.around.tokens, own[0], own[-1]
    if not _neighbours(run, (sentence.tokens, there[0], there[-1])):
        return None
    written = sentence.plain[slice(*strangers[0])]
    if same_name(written, claim.name):
        return None
    if claim.name and missing <= claim.required:
        return Rival(0.65, sentence, widened(claim, sentence, strangers[0]), f"says {written}")
    return Rival(0.65, sentence, None, f"says {written}")
