"""Who does it, in a sentence that holds the words of a fact: the fact's own head, or another?

A name before the verb does it, or the name after "by" where the verb is passive. Only what is
plain is told: where no name stands there, nobody knows who does it.
"""

from __future__ import annotations

import re

from halubot.compare.claim import Claim, Weights, share
from halubot.compare.names import same_name
from halubot.compare.relations import COPULAS, MADE, PASSIVE, PREPOSITIONS
from halubot.compare.textindex import SentenceIndex
from halubot.text import Span

# What may stand between a name and the verb it does, or the word that is said of it.
_HELPERS = """
has have had did does do will would also then later once first never not no the a an
"""
_BETWEEN = PASSIVE | frozenset(_HELPERS.split())
_ADVERB = re.compile(r"[a-z]+ly")
_AGENT_WITHIN = 6  # words between a passive verb and its "by"


def other_doer(claim: Claim, sentence: SentenceIndex) -> Span | None:
    """The name of somebody else who does, or is, what the claim says, by this sentence; None
    where it is the claim's own head, or where that is not plainly told."""
    if not claim.head and sentence.continues:
        return None  # "He" is whom the text is about
    if not (claim.agent or claim.name or claim.ordered) and _is_named(claim, sentence):
        return None
    told = [_doer(claim, sentence, at) for at in pivots(claim, sentence)]
    found = [name for name in told if name is not None]
    return found[0] if found and len(found) == len(told) else None


def _doer(claim: Claim, sentence: SentenceIndex, at: int) -> Span | None:
    first = before_verb(sentence, at)
    helped = any(token.text.lower() in PASSIVE for token in sentence.tokens[first + 1 : at])
    passive = helped and _by(sentence, at) is not None
    name = _agent(sentence, at) if passive else subject_ending_at(sentence, first)
    if name is None and not passive and claim.ordered:
        name = _other_before(claim, sentence, first)
    if name is None:
        return None
    there = _stems(sentence, name)
    own = claim.tail if claim.agent else claim.head or claim.own
    if not own or not there or not there.isdisjoint(own):
        return None
    if claim.agent and same_name(sentence.plain[slice(*name)], claim.name):
        return None
    if there <= _others(claim).keys():
        # "Signed with the club" is much the same as "was signed by the club".
        return name if passive == claim.agent or claim.ordered else None
    # Where its own head is named too, it may be the same by another name.
    return None if any(stem in sentence.stems for stem in own) else name


def _other_before(claim: Claim, sentence: SentenceIndex, at: int) -> Span | None:
    """The word at a place where it is one to which the claim's head is compared."""
    token = sentence.tokens[at] if at >= 0 else None
    return (token.start, token.end) if token is not None and token.norm in claim.tail else None


def is_unsaid(claim: Claim, sentence: SentenceIndex) -> bool:
    """Whether the sentence says that it was done to the claim's tail, and nobody knows by whom:
    "The club was founded in 1900"."""
    if claim.agent or claim.passive or claim.clause or _is_named(claim, sentence):
        return False
    for at in pivots(claim, sentence):
        first = before_verb(sentence, at)
        helped = any(token.text.lower() in PASSIVE for token in sentence.tokens[first + 1 : at])
        if helped and first >= 0 and sentence.tokens[first].norm in claim.tail:
            return True
    return False


def _is_named(claim: Claim, sentence: SentenceIndex) -> bool:
    return any(stem in sentence.stems for stem in claim.head or claim.own)


def _others(claim: Claim) -> Weights:
    return (claim.head or claim.own) if claim.agent else claim.words


def is_swapped(claim: Claim, sentence: SentenceIndex, name: Span) -> bool:
    """Whether the one that does it here is the one that it is done to in the claim, which
    cannot be both: "Brazil beat Italy", "Italy beat Brazil"."""
    own = claim.tail if claim.agent else claim.head or claim.own
    return (
        claim.ordered
        and _stems(sentence, name) <= _others(claim).keys()
        and any(stem in sentence.stems for stem in own)
    )


def is_single(claim: Claim, sentence: SentenceIndex) -> bool:
    """Whether only one can be, or have done, what the claim says and the sentence says of
    another: who made a certain thing, "the capital of", "the highest"."""
    own = claim.tail if claim.agent else claim.head or claim.own
    if any(stem in sentence.stems for stem in own):
        return False
    if MADE.isdisjoint(claim.relation):
        return claim.predicate != "" and claim.predicate == predicate(sentence, claim)
    if claim.agent:
        return share(claim.head or claim.own, sentence.stems) == 1.0
    return bool(claim.required) or len(claim.tail) > 1 or _is_definite(claim, sentence)


def is_about(claim: Claim, sentence: SentenceIndex) -> bool:
    """Whether a sentence may be about the subject of the message: it names the subject, or
    opens with no other name."""
    own, opening = claim.own, sentence.tokens[:1]
    named = any(stem in sentence.stems for stem in own)
    return named or not own or not opening or opening[0].kind != "name"


def holder(claim: Claim, sentence: SentenceIndex) -> Span | None:
    """Who is said to be what the claim's head names: "Bern" in "Bern is the capital"; None
    where nobody is."""
    if not claim.head or share(claim.head, sentence.stems) != 1.0:
        return None
    at = min(at for stem in claim.head for at in sentence.stems[stem])
    first = before_verb(sentence, at)
    words = [token.text.lower() for token in sentence.tokens[first + 1 : at]]
    if words[-1:] != ["the"] or COPULAS.isdisjoint(words):
        return None
    name = subject_ending_at(sentence, first)
    if name is None or not _stems(sentence, name).isdisjoint(claim.tail):
        return None
    return None if same_name(sentence.plain[slice(*name)], claim.name) else name


def predicate(sentence: SentenceIndex, claim: Claim) -> str:
    """The copula before the claim's first word here where "the" follows it, else empty."""
    ats = [at for stem in (*claim.relation, *claim.tail) for at in sentence.stems.get(stem, ())]
    for at in range(min(ats, default=0) - 1, 0, -1):
        words = sentence.tokens[at - 1].text.lower(), sentence.tokens[at].text.lower()
        if words[1] == "the" and words[0] in COPULAS:
            return words[0]
    return ""


def _is_definite(claim: Claim, sentence: SentenceIndex) -> bool:
    places = [min(sentence.stems[stem]) for stem in claim.tail if stem in sentence.stems]
    return bool(places) and min(places) > 0 and sentence.tokens[min(places) - 1].norm == "the"


def _stems(sentence: SentenceIndex, name: Span) -> frozenset[str]:
    return frozenset(
        token.norm
        for token in sentence.tokens
        if name[0] <= token.start < name[1] and token.kind != "stop"
    )


def pivots(claim: Claim, sentence: SentenceIndex) -> list[int]:
    """Where the claim's verb stands; a copula before what the head is said to be."""
    verb = next(iter(claim.fact.triple.relation.split()), "")
    if verb not in COPULAS:
        return next((sentence.stems.get(stem, []) for stem in claim.relation), [])
    words = (*claim.relation, *claim.tail)
    least = next((sentence.stems[stem][0] for stem in words if stem in sentence.stems), 0)
    copulas = [at for copula in COPULAS for at in sentence.stems.get(copula, ()) if at < least]
    return [max(copulas)] if copulas else []


def before_verb(sentence: SentenceIndex, at: int) -> int:
    """The place of the last word before the verb and its helpers; -1 where there is none."""
    at -= 1
    while at >= 0 and (
        sentence.tokens[at].text.lower() in _BETWEEN or _ADVERB.fullmatch(sentence.tokens[at].text)
    ):
        at -= 1
    return at


def _by(sentence: SentenceIndex, at: int) -> int | None:
    for place in range(at + 1, min(at + _AGENT_WITHIN, len(sentence.tokens) - 1)):
        if sentence.tokens[place].text == "by":
            return place
    return None


def _agent(sentence: SentenceIndex, at: int) -> Span | None:
    by = _by(sentence, at)
    if by is None:
        return None
    after = sentence.tokens[by + 1 : by + 3]
    return next((run for run in sentence.names for token in after if run[0] == token.start), None)


def subject_ending_at(sentence: SentenceIndex, at: int) -> Span | None:
    """The name whose last word stands at a place, not after a preposition: it is the subject.
    An aside between commas or brackets is passed over where a name opens the sentence."""
    if not 0 <= at < len(sentence.tokens) - 1:
        return None
    end, following = sentence.tokens[at].end, sentence.tokens[at + 1].start
    gap = sentence.plain[end:following].strip()
    opening = next(iter(sentence.names), None)
    if gap in {",", "),", ")"}:
        first = sentence.tokens[0]
        if opening is None or opening[0] != first.start or first.kind != "name":
            return None
        after = sentence.plain[opening[1] : opening[1] + 2].strip()
        return opening if after[:1] in {",", "("} else None
    if gap:
        return None
    if sentence.tokens[at].kind == "stop":
        return None
    for run in sentence.names:
        if run[1] == end:
            before = [token for token in sentence.tokens if token.end <= run[0]][-1:]
            led = bool(before) and before[0].text.lower() in PREPOSITIONS
            return None if led else run
    return None
