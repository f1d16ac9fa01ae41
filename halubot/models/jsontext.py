"""JSON read out of a model's answer: its syntax is mended, its content never guessed."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from halubot.models.answer_text import MOST_KEPT, without_thought

LONGEST = MOST_KEPT - 1
"""Characters of an answer beyond which it is not read: some take 600 bytes each when parsed."""

LONGEST_VALUE = 100_000
"""The same of what is left when thoughts are taken out: a check has many answers under way, and no
question asks for so much."""

LONGEST_MENDED = 10_000
"""Characters beyond which broken JSON is not mended."""

MOST_TO_MEND = 4_000_000
"""Characters times quotes beyond which broken JSON is not mended: the time it takes grows with
them, to half a second here. Each stray quote has the rest of the text looked through."""

DEEPEST_MENDED = 50
"""Levels of nesting beyond which broken JSON is not mended."""

_BEGIN = re.compile(r"^[ \t]*(?:```\w*\s*)?(?=[{\[])", re.M)
_AFTER = " \t\r\n`"


@dataclass(frozen=True, slots=True)
class Read:
    """A value, and whether the text held all of it: False if it was cut off."""

    value: Any
    whole: bool


def read(text: str, *, cut: bool = False) -> Read:
    """The one JSON object or list that the text is, or holds on lines of its own, as in a fenced
    block. A key given twice with different values has the value None. ``cut`` tells that the server
    stopped the answer: what then ends with a bracket need not be whole.

    Raises ValueError, with a reason for people, for prose, for several values, and for nothing.
    """
    if len(text) > LONGEST:
        raise ValueError("the answer was too long to read")
    text = without_thought(text).strip()
    if len(text) > LONGEST_VALUE:
        raise ValueError("the answer was too long to read")
    if not text:
        raise ValueError("the answer was empty")
    begin = _BEGIN.search(text)
    if begin is None:
        raise ValueError("the answer was prose, not JSON")
    body = text[begin.end() :]
    try:
        value, end = _DECODER.raw_decode(body)
    except (ValueError, RecursionError):
        return _mend(body, cut)
    if _BEGIN.search(body[end:].lstrip(_AFTER)):
        raise ValueError("the answer held several JSON values")
    return Read(value, whole=True)


def _mend(body: str, cut: bool) -> Read:
    quotes = sum(map(body.count, "\"'“”"))
    if len(body) > LONGEST_MENDED or len(body) * quotes > MOST_TO_MEND:
        raise ValueError("the answer was broken JSON, too long to mend")
    if _depth(body) > DEEPEST_MENDED:
        raise ValueError("the answer was nested too deep")
    import json_repair

    try:
        value = json_repair.loads(body, skip_json_loads=True)
    except Exception as error:  # its assertions fail too, as for '{"0": {"```json\\n[```json\\n'
        raise ValueError("the answer was broken JSON") from error
    if not isinstance(value, dict | list):
        raise ValueError("the answer was broken JSON")
    return Read(value, whole=not cut and body.rstrip(_AFTER).endswith(("}", "]")))


def _depth(body: str) -> int:
    """Return how deep a text may be nested, those brackets counted that stand in its strings: of
    broken JSON nobody knows where these end."""
    signs = (1 if sign in "[{" else -1 for sign in body if sign in "[]{}")
    return max(accumulate(signs), default=0)


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        found[key] = value if found.get(key, value) == value else None
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_no_constant)
