"""What in another text stands against a fact: a rival value in its place, or its opposite."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from halubot.match.claims import PREPOSITIONS, Claim
from halubot.match.meeting import Meeting, share
from halubot.match.names import same_name
from halubot.match.negation import OPPOSITES
from halubot.match.textindex import KIN, SentenceIndex, TextIndex
from halubot.match.values import Value, compatible, rivals
from halubot.match.words import Token
from halubot.text import Span

# The share of a relation that a sentence must hold before its value can rival the fact's.
SAME_RELATION = 0.75
# The share of the words of the fact's sentence that makes it the same event, and the least number
# of them.
SAME_EVENT = 0.8
EVENT_WORDS = 4
# The share of a fact's words of which a sentence may say the opposite.
SAME_WORDS = 0.85
# How many words may lie between a value and its relation.
NEAR = 10
OPPOSITE = "says the opposite"
_BEGIN = frozenset({"from", "since", "after"})
_ABOUT = frozenset({"about", "around", "circa", "c", "ca", "early", "late", "born", "died", "and"})
_WORD_BEFORE = re.compile(r"([^\W\d_]+|[^\w\s])\.?\s*$")
_FINISH = frozenset({"to", "until", "till", "through", "by", "before"})


Run = tuple[tuple[Token, ...], int, int]  # tokens, and the first and last of a run of them


class Rival(NamedTuple):
    """A sentence against the fact, how sure that is, the value there in place of the fact's
    (None where it denies, or where another part of the fact differs), and a note for people."""

    strength: float
    sentence: SentenceIndex
    value: Span | None
    note: str = ""


def rival(claim: Claim, met: Iterable[Meeting], index: TextIndex) -> Rival | None:
    """The strongest rival of a claim that the text does not support; None where there is none."""
    found: list[Rival | None] = []
    if claim.life:
        found.extend(_other_life(claim, index))
    for meeting in met:
        if meeting.headed:
            found.append(_denial(meeting))
        if claim.denied or meeting.opposed:
            continue
        if meeting.headed:
            found += [_other_value(meeting, index), _other_name(meeting)]
        if _same_event(meeting):
            found += [_exchanged_value(meeting), _exchanged_name(meeting)]
    rivals_found = [other for other in found if other is not None]
    return max(rivals_found, key=lambda other: other.strength, default=None)


def _other_life(claim: Claim, index: TextIndex) -> Iterable[Rival]:
    dates = index.life.births if claim.life == "birth" else index.life.deaths
    for value, sentence in dates:
        if rivals(claim.values[0], value):
            yield Rival(0.9, sentence, (value.start, value.end))


def _denial(meeting: Meeting) -> Rival | None:
    """The same words with the opposite polarity, or with one word's opposite in its place."""
    claim, sentence = meeting.claim, meeting.sentence
    words = {**claim.relation, **claim.tail}
    if meeting.wording >= SAME_WORDS and len(words) + len(claim.head) + len(claim.values) >= 2:
        bare = not claim.relation and not claim.clause and bool(claim.context)
        if not meeting.missing and meeting.opposed and not (bare and meeting.context() < 0.5):
            return Rival(0.8, sentence, None, OPPOSITE)
        return None
    absent = [stem for stem in words if stem not in sentence.stems]
    if len(absent) == 1 and len(words) >= 3 and not meeting.missing and not meeting.opposed:
        for opposite in OPPOSITES.get(absent[0], ()):
            if opposite in sentence.stems and opposite not in claim.context:
                return Rival(0.7, sentence, None, OPPOSITE)
    return None


def _same_event(meeting: Meeting) -> bool:
    """Whether the sentence shares nearly all the words of the fact's sentence, apart from the
    names that might be exchanged."""
    claim = meeting.claim
    names = claim.required | claim.titled
    words = {stem: weight for stem, weight in claim.around.words.items() if stem not in names}
    held = share(words, meeting.sentence)
    return (len(words) >= EVENT_WORDS and held >= SAME_EVENT) or (len(words) == 3 and held == 1.0)


def _exchanged_value(meeting: Meeting) -> Rival | None:
    """In the same event another value stands next to the same word, one that the fact's sentence
    lacks."""
    claim, sentence = meeting.claim, meeting.sentence
    missing = [
        value
        for value in (*claim.values, *claim.settings)
        if not any(compatible(value, other) for other in sentence.values)
    ]
    if len(missing) != 1:
        return None
    own = missing[0]
    others = [
        other
        for other in sentence.values
        if _is_another(own, other)
        and _aligned(claim, own, sentence, other)
        and not any(compatible(known, other) for known in claim.around.values)
    ]
    if len(others) != 1:
        return None
    span = others[0].start, others[0].end
    if own in claim.values:
        return Rival(0.75, sentence, span)
    return Rival(0.75, sentence, None, f"says {sentence.plain[slice(*span)]}")


def _aligned(claim: Claim, own: Value, sentence: SentenceIndex, other: Value) -> bool:
    """Whether two values stand next to the same word, before or after them."""
    for value in claim.around.values:
        if value.canonical == own.canonical:
            mine, theirs = (
                [at for at, token in enumerate(found) if one.start <= token.start < one.end]
                for found, one in ((claim.around.tokens, value), (sentence.tokens, other))
            )
            if mine and theirs:
                run = claim.around.tokens, mine[0], mine[-1]
                if _neighbours(run, (sentence.tokens, theirs[0], theirs[-1])):
                    return True
    return False


def _neighbours(own: Run, there: Run) -> bool:
    """Whether the words before two runs of tokens are the same, or those after them, or both
    open their sentence."""
    (mine, first, last), (theirs, start, stop) = own, there
    if first == start == 0:
        return True
    before = first > 0 and start > 0 and mine[first - 1].norm == theirs[start - 1].norm
    return before or (
        last + 1 < len(mine)
        and stop + 1 < len(theirs)
        and mine[last + 1].norm == theirs[stop + 1].norm
    )


def _is_another(own: Value, other: Value) -> bool:
    if rivals(own, other):
        return True
    bounded = own.bound == other.bound != "" and own.kind == other.kind
    return bounded and not compatible(own, other)


def _exchanged_name(meeting: Meeting) -> Rival | None:
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
    if same_name(written, claim.fact.triple.tail):
        return None
    if claim.named and missing <= claim.required:
        return Rival(0.65, sentence, strangers[0])
    return Rival(0.65, sentence, None, f"says {written}")


def _other_value(meeting: Meeting, index: TextIndex) -> Rival | None:
    """Another value in the place of the claim's, after the same relation."""
    claim, sentence = meeting.claim, meeting.sentence
    if len(meeting.missing) != 1 or meeting.relation < SAME_RELATION or claim.listed:
        return None
    own = meeting.missing[0]
    alone = claim.specific >= 2 and not claim.often and meeting.relation == 1.0
    if not (claim.once or alone) or (claim.vital and claim.head) or not claim.relation:
        return None
    if not meeting.settled or KIN.search(sentence.text):
        return None
    other = [
        value
        for value in meeting.bound()
        if rivals(own, value)
        and _in_slot(claim, sentence, value, strict=not claim.once)
        and _counts_alike(claim, sentence, value)
        and _is_near(claim, sentence, value)
        and (claim.vital or not index.life.holds(value))
    ]
    if len(other) != 1:
        return None
    value = _end_of(claim, other[0])
    if not rivals(own, value):
        return None
    return Rival(0.85 if claim.once else 0.7, sentence, (value.start, value.end))


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
    if not claim.named or not claim.slot or not claim.once or claim.listed:
        return None
    if meeting.relation < SAME_RELATION or (claim.vital and claim.head):
        return None
    span = None if KIN.search(sentence.text) else _named_slot(claim, sentence)
    if span is None:
        return None
    name = sentence.plain[slice(*span)]
    there = [token for token in sentence.tokens if span[0] <= token.start < span[1]]
    if any(token.norm in claim.tail for token in there) or same_name(name, claim.fact.triple.tail):
        return None
    if _broad(name) != _broad(claim.fact.triple.tail):
        return None
    return Rival(0.7, sentence, span)


def _named_slot(claim: Claim, sentence: SentenceIndex) -> Span | None:
    """The name after the claim's preposition after its relation: "born on 3 May in Romsey"."""
    places = [at for stem in claim.relation for at in sentence.stems.get(stem, ())]
    if not places:
        return None
    first = max(places)
    for at in range(first + 1, min(first + 8, len(sentence.tokens) - 1)):
        if sentence.tokens[at].text.lower() == claim.slot:
            after = at + 1
            while after < len(sentence.tokens) and sentence.tokens[after].text in _BEFORE_PLACES:
                after += 1
            if after < len(sentence.tokens) and sentence.tokens[after].kind == "number":
                continue
            return _run(sentence, after)
    return None


_PLACE_WORDS = "the a small city town village suburb parish county district borough port of near"
_BEFORE_PLACES = frozenset(_PLACE_WORDS.split())


def _run(sentence: SentenceIndex, at: int) -> Span | None:
    """A run of capitalised words from a token on, over commas: "Romsey, Hampshire"."""
    words: list[Token] = []
    for token in sentence.tokens[at : at + 8]:
        gap = sentence.plain[words[-1].end : token.start] if words else " "
        if not token.text[0].isupper() or not re.fullmatch(r",?\s?|\.\s|-", gap):
            break
        words.append(token)
    return (words[0].start, words[-1].end) if words else None


_COUNTRIES = """
England|Scotland|Wales|Ireland|Britain|Great Britain|United Kingdom|UK|United States|USA|US
America|France|Germany|Italy|Spain|Portugal|Netherlands|Belgium|Switzerland|Austria|Poland|Russia
Soviet Union|Ukraine|Sweden|Norway|Denmark|Finland|Greece|Turkey|Hungary|Romania|Bulgaria|Serbia
Croatia|Czech Republic|China|Japan|India|Pakistan|Bangladesh|Sri Lanka|Iran|Iraq|Israel|Egypt
Nigeria|Kenya|Ghana|South Africa|Australia|New Zealand|Canada|Mexico|Brazil|Argentina|Chile|Colombia|Cuba|Jamaica|Indonesia|Philippines
Vietnam|Thailand|Korea|South Korea|Malaysia|Singapore|Europe|Asia|Africa
"""
_BROAD = frozenset(name.casefold() for name in re.split(r"[|\n]", _COUNTRIES.strip()))


def _broad(name: str) -> bool:
    """Whether a place is a country or wider, so that a town beside it is no rival."""
    return name.casefold().removeprefix("the ") in _BROAD
