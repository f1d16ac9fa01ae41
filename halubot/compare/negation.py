"""Negation: does a text deny something?"""

from __future__ import annotations

import re
from typing import Final

NEGATION: Final = re.compile(
    r"(?i)\b(?:not|never|no|none|neither|nor|nobody|nothing|nowhere|without|cannot|\w+n['’]t|unable"
    r"|lack(?:s|ed|ing)?|fail(?:s|ed)?|avoid(?:s|ed)?|except|unless|rather\sthan|instead\sof"
    r"|nicht|kein\w*|nie|ohne|ne|pas|jamais|sans|aucun\w*|nunca|sin|ningun\w*|jamás)\b"
    r"|[不没無无未非]|\b(?:لا|لم|لن|ليس|بدون|غير)\b"
)
"""A word that denies, in the six languages of the verifier."""

_HARMLESS: Final = re.compile(
    r"(?i)\b(?:not\s+(?:only|just|merely|simply|solely|least)|nothing\s+but|no\s+doubt|no\s+matter"
    r"|no\s+(?:fewer|less|more|later|earlier|sooner)(?:\s+than)?|whether\s+or\s+not|no\.\s?\d"
    r"|nicht\s+nur|never\s*theless)\b"
)
"""These look like negations and deny nothing."""


def is_negative(text: str) -> bool:
    """Return True if a short text, such as a relation, denies: an odd number of negations."""
    return len(NEGATION.findall(_HARMLESS.sub(" ", text))) % 2 == 1
