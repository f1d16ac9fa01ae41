"""Sentences in which a text speaks to its reader and claims nothing: questions, courtesies, what
it says of itself ("I hope this helps!", "As an AI, I cannot browse")."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from halubot.extract.languages import has_rules
from halubot.extract.tagger import tag
from halubot.extract.tokenizer import Word
from halubot.text import Document, Span

_LONGEST: Final = 300  # characters of such a sentence
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
    re.I,
)
_OFFER: Final = re.compile(
    r"\W*(?:and |but |so )?(?:(?:would|do|will|can|could|are|have|shall|should|may) (?:you|i|we)\b"
    r"|is there (?:anything|something|any)\b|any (?:other |more |further )?questions?\b"
    r"|anything else\b|does (?:this|that) (?:help|make sense|answer)\b)",
    re.IGNORECASE,
)
_CURLY: Final = str.maketrans("’", "'")


def courtesies(document: Document) -> frozenset[Span]:
    """The sentences of an English document that claim nothing, told by their words. Linear in the
    length of the text."""
    if not has_rules(document):
        return frozenset()
    return frozenset(span for span in document.sentences if _is_courtesy(document, *span))


def implying(document: Document) -> frozenset[Span]:
    """The questions of an English document that may state something: "Was she born in 1816? Yes.",
    "Did you know that ...", any with a number. Linear in the length of the text."""
    if not has_rules(document):
        return frozenset()
    return frozenset(span for span in document.sentences if _implies(document, *span))


def asks(words: Sequence[Word]) -> bool:
    """Whether a sentence is a question; one may end in a title that is ("Where Are You?")."""
    if words[-1].low != "?":
        return False
    titled = len(words) > 2 and words[-2].tag == "NP" and words[-2].text[0].isupper()
    return not titled or words[0].tag in ("BE", "HV", "DO", "MD", "SB", "RL")


def _is_courtesy(document: Document, start: int, end: int) -> bool:
    if end - start > _LONGEST:
        return False
    said = " ".join(document.plain[start:end].translate(_CURLY).split())
    if said.rstrip("\"')*_ ").endswith("?"):
        words = tag(document.plain, start, end)
        return bool(words) and asks(words) and not _states(said, words)
    return _COURTESY.match(said) is not None


def _implies(document: Document, start: int, end: int) -> bool:
    said = " ".join(document.plain[start:end].translate(_CURLY).split())
    if not said.rstrip("\"')*_ ").endswith("?"):
        return False
    words = tag(document.plain, start, end)
    return bool(words) and asks(words) and (end - start > _LONGEST or _states(said, words))


def _states(said: str, words: Sequence[Word]) -> bool:
    """Return whether a question may state something: it does not begin with a question word or
    speak to the reader, or it holds a number."""
    if any(letter.isdigit() for letter in said):
        return True
    if _OFFER.match(said):
        return False
    return not _OPEN.match(said)
