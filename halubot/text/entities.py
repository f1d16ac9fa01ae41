"""Letters and digits that are written as entities (``&#49;816``), as a reader sees them.

Signs keep their place and are read by `halubot.text.inline`. A letter in the middle of a word
cannot: its word would be torn, so the text itself is changed before it is read.
"""

from __future__ import annotations

import re
import unicodedata
from html import unescape
from typing import Final

_ENTITY: Final = r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});"
_ANY: Final = re.compile(_ENTITY)
# Code shows an entity as it is written, and so does what is escaped.
_SHOWN: Final = re.compile(
    r"^ {0,3}(?P<fence>`{3,}|~{3,})[^\n]*\n.*?(?:^ {0,3}(?P=fence)|\Z)"
    r"|(?<!`)(?P<tick>`{1,3})(?!`).{1,2000}?(?<!`)(?P=tick)(?!`)"
    r"|^(?: {4}|\t)[^\n]*"
    r"|\\&"
    rf"|(?P<entity>{_ENTITY})",
    re.DOTALL | re.MULTILINE,
)


def decode_letters(text: str) -> tuple[str, int]:
    """Return the text with every entity outside code that stands for a letter, a digit or an unseen
    sign written as that, and how many there were. Linear in the length of the text."""
    if not _ANY.search(text):
        return text, 0
    count = 0

    def decode(match: re.Match[str]) -> str:
        nonlocal count
        entity = match["entity"]
        if entity is None:
            return match[0]
        sign = unescape(entity)
        if sign == entity or not all(_belongs_to_words(one) for one in sign):
            return match[0]
        count += 1
        return sign

    return _SHOWN.sub(decode, text), count


def _belongs_to_words(sign: str) -> bool:
    return sign.isalnum() or unicodedata.category(sign) in ("Cf", "Mn", "Mc", "Me")
