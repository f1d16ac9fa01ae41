"""Courtesies and questions to the reader of an answer."""

from __future__ import annotations

import re
from typing import Final, Literal

_CALLS: Final = (
    r"sure|sure thing|certainly|absolutely|of course|yes, of course|no problem|okay|ok|alright"
    r"|got it|understood|hello|hi|hey|greetings|hello there|hi there|welcome"
    r"|(?:thanks|thank you)(?: (?:so|very) much)?(?: for (?:asking|your question|reaching out))?"
    r"|(?:that(?:'s| is) )?(?:a )?(?:good|great|excellent|interesting) question"
    r"|you(?:'re| are) welcome|(?:i(?:'d| would) be |i(?:'m| am) )?(?:happy|glad) to help"
    r"(?: you)?(?: with that)?"
)
_OPENINGS: Final = (
    r"(?:i|we) hope (?:this|that|it|you|the above)\b"
    r"|(?:please )?(?:let me know|feel free|(?:do not|don't) hesitate)\b"
    r"|if (?:you(?: have any|(?: would|'d)? (?:like|want|need) (?:any|more|further|to know|me to))"
    r"|there(?:'s| is) anything else)\b"
    r"|as an? (?:ai|artificial intelligence|(?:large )?language model)\b[^,]*,"
    r" i (?:cannot|can't|can not|do not|don't|am not|am unable)\b"
    r"|i(?:'m| am) (?:(?:just )?an? (?:ai|language model)|unable to|not able to)\b"
    r"|(?:(?:i(?:'m| am) )?(?:very |so )?sorry,? (?:but )?|i apologi[sz]e,? (?:but )?"
    r"|unfortunately,? )?"
    r"i(?: cannot| can't| am unable to|'m unable to| am not able to|'m not able to)"
    r" (?:help|assist)\b"
    r"|i (?:cannot|can't|do not|don't) (?:browse|access|verify|have (?:access|real-time))\b"
    r"|here(?:'s| is| are) what (?:i|we)\b"
)
_COURTESY: Final = re.compile(rf"\W*(?:(?:{_CALLS})[^\w]*$|(?:{_OPENINGS})[^\d]*$)", re.IGNORECASE)
_OPEN: Final = re.compile(
    r"\W*(?:(?:and|but|so|now|then|well),? )*(?:who|whom|whose|what|when|where|which|why|how)\b",
    re.IGNORECASE,
)
_OFFER: Final = re.compile(
    r"\W*(?:and |but |so )?(?:(?:would|do|will|can|could|are|have|shall|should|may) (?:you|i|we)\b"
    r"|is there (?:anything|something|any)\b|any (?:other |more |further )?questions?\b"
    r"|anything else\b|does (?:this|that) (?:help|make sense|answer)\b)",
    re.IGNORECASE,
)
_TITLE: Final = re.compile(r"\b[A-Z][\w'’]* [A-Z][\w'’]*\?[\"'”’)*_]*$")
_CURLY: Final = str.maketrans("’", "'")


def is_courtesy(said: str) -> bool:
    """Return True for a sentence that only speaks to the reader: "I hope this helps!"."""
    return _COURTESY.match(" ".join(said.translate(_CURLY).split())) is not None


def asks(said: str) -> Literal["", "open", "implying"]:
    """Return what a question does: "open" ones and offers to the reader state nothing, all others,
    and all with a number, may imply something. "" is returned for what is no question; a statement
    may end in the title of a film that is one ("Who Framed Roger Rabbit?")."""
    said = " ".join(said.translate(_CURLY).split())
    if not said.rstrip("\"')*_ ").endswith("?"):
        return ""
    led = _OPEN.match(said) or _OFFER.match(said)
    if (
        _TITLE.search(said)
        and not led
        and said[:1].isupper()
        and " " in said
        and not _inverted(said)
    ):
        return ""
    return "open" if led and not any(letter.isdigit() for letter in said) else "implying"


_INVERTED: Final = re.compile(
    r"\W*(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|shall|should|may|might"
    r"|must|isn't|aren't|wasn't|don't|doesn't|didn't)\b",
    re.IGNORECASE,
)


def _inverted(said: str) -> bool:
    return _INVERTED.match(said) is not None
