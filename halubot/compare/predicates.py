"""What one thing alone can be: "the capital of Norway", "the highest mountain"."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from halubot.facts import Fact
from halubot.compare.claim import Around, Part
from halubot.compare.names import is_name
from halubot.compare.relations import COPULAS
from halubot.compare.tokens import Token

NOW = frozenset({"is", "are"})
_UNIQUE = re.compile(r"\b(?:\w{2,}est|most|first|last|only|capital|\d+(?:st|nd|rd|th))\b")


def is_role(fact: Fact, head: Part, tail: Part, around: Around) -> bool:
    """Whether a fact says who is "the" something, as its head, by name."""
    place = fact.parts.head
    if fact.triple.relation not in NOW or place is None or not is_name(tail.text):
        return False
    at = bisect_left(around.tokens, place[0], key=lambda token: token.start)
    led = around.tokens[max(0, at - 1) : at + 1]
    return not is_name(head.text) and any(token.norm == "the" for token in led)


def predicate(fact: Fact, inside: Sequence[Token], around: Around) -> str:
    """The copula before "the" and the fact's words, where it holds of one thing only: now, or
    by a superlative or a number ("the 16th president")."""
    words = [token.text.lower() for token in around.tokens]
    first = fact.parts.relation[0] if fact.parts.relation else -1
    for token in inside:
        if token.start < first or token.kind == "stop":
            continue
        at = around.tokens.index(token)
        if at < 2 or words[at - 1] != "the" or words[at - 2] not in COPULAS:
            return ""
        told = f"{fact.triple.relation} {fact.triple.tail}"
        return words[at - 2] if words[at - 2] in NOW or _UNIQUE.search(told) else ""
    return ""
