"""A fact said the other way round: the negation taken out of its clause, or put into it."""

from __future__ import annotations

import re

from halubot.facts import Span

_NEGATED = re.compile(
    r"\b(?:(?P<whole>cannot|can't|can’t|won't|won’t|shan't|shan’t)"
    r"|(?P<verb>\w+)n['’]t|\s*(?:not|never|no longer))\b",
    re.IGNORECASE,
)
_WHOLE = {"cannot": "can", "can't": "can", "won't": "will", "shan't": "shall"}
_AUXILIARY = re.compile(
    r"\b(?:is|are|was|were|has|have|had|can|could|will|would|did|does|do|may|might|must|should"
    r"|shall)\b",
    re.IGNORECASE,
)


def affirmed(text: str, span: Span) -> tuple[int, int, str] | None:
    """The edit (start, end, new words) that takes the first negation out of ``text[span]``;
    None where there is none.

    >>> affirmed("It was not planned.", (0, 18))
    (6, 10, '')
    """
    found = _NEGATED.search(text, *span)
    if found is None:
        return None
    if found["whole"]:
        return found.start(), found.end(), _WHOLE[found["whole"].lower().replace("’", "'")]
    if found["verb"]:
        return found.start(), found.end(), found["verb"]
    start = found.start()
    while start > span[0] and text[start - 1] == " ":
        start -= 1
    return start, found.end(), ""


def denied(text: str, span: Span) -> tuple[int, int, str] | None:
    """The edit that puts "not" behind the first auxiliary of ``text[span]``; None where it has
    none, for then the verb itself would have to change.

    >>> denied("It was planned.", (0, 14))
    (6, 6, ' not')
    """
    found = _AUXILIARY.search(text, *span)
    return None if found is None else (found.end(), found.end(), " not")
