"""Where another text says the opposite of a fact: the same words denied, or one word's opposite."""

from __future__ import annotations

from halubot.compare.exchanges import Rival
from halubot.compare.meeting import Meeting
from halubot.compare.negation import OPPOSITES

# The share of a fact's words of which a sentence may say the opposite.
SAME_WORDS = 0.85
# How many words may lie between "has" and what is had.
NEAR_VERB = 4
HAD = frozenset({"has", "have", "had"})
OPPOSITE = "says the opposite"


def denial(meeting: Meeting) -> Rival | None:
    """The same words with the opposite polarity, or with one word's opposite in its place."""
    claim, sentence = meeting.claim, meeting.sentence
    words = claim.words
    if words and not claim.head and not claim.values and len(words) == 1 and not meeting.missing:
        return _lack(meeting)
    if meeting.wording >= SAME_WORDS and len(words) + len(claim.head) + len(claim.values) >= 2:
        bare = not claim.relation and not claim.clause and bool(claim.context)
        if not meeting.missing and meeting.opposed and not (bare and meeting.context() < 0.5):
            return Rival(0.8, sentence, None, OPPOSITE)
        return None
    absent = [stem for stem in words if stem not in sentence.stems]
    if len(absent) != 1 or absent[0] not in OPPOSITES or meeting.missing or meeting.opposed:
        return None
    named = any(stem in sentence.stems for stem in claim.head or claim.own)
    headed = named and meeting.here
    enough = (
        len(words) + headed >= 3
        or (len(words) == 2 and bool(claim.name))
        or (headed and not claim.relation)
    )
    if enough:
        for opposite in OPPOSITES[absent[0]]:
            if opposite in sentence.stems and opposite not in claim.context:
                return Rival(0.7, sentence, None, OPPOSITE)
    return None


def _lack(meeting: Meeting) -> Rival | None:
    """What one has here and has not there: "had no children", "had three children"."""
    claim, sentence = meeting.claim, meeting.sentence
    places = sentence.stems.get(next(iter(claim.tail), ""), [])
    if not meeting.opposed:
        return None
    had = any(
        token.text.lower() in HAD
        for at in places
        for token in sentence.tokens[max(0, at - NEAR_VERB) : at]
    )
    return Rival(0.7, sentence, None, OPPOSITE) if had else None
