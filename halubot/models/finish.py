"""Why an answer ended, if not because it was whole; and the end of one that repeats itself."""

from __future__ import annotations

import re
from typing import Final

from halubot.models.model import Completion
from halubot.models.thought import without_thought

LOOP: Final = "loop"
"""The reason of an answer that halubot stopped, since the model repeated itself."""

CUT: Final = "the answer was cut off: it reached the most tokens that the server gives"
REPEATED: Final = "the model repeated itself without end and was stopped"
IN_THOUGHT: Final = (
    "the model's thoughts took all tokens of its answer: lower --reasoning-effort, or turn them"
    " off with --no-think"
)
FILTERED: Final = "the provider's content filter withheld the answer"
REFUSED: Final = "the model refused to answer"
TOOL: Final = "the model called a tool in place of an answer"

REASONS: Final = {
    "content_filter": FILTERED,
    "refusal": REFUSED,
    "tool_calls": TOOL,
    "function_call": TOOL,
}
"""By the reason that a server gives, or that its answer shows."""


def find_fault(completion: Completion) -> str | None:
    """Return why there is no answer in a completion; None if there is one, or nothing is said."""
    said = without_thought(completion.text).strip()
    reason = completion.finish_reason or ""
    if reason in ("refusal", "content_filter") or (reason in REASONS and not said):
        return REASONS[reason]
    return IN_THOUGHT if reason == "length" and not said else None


def find_cut(completion: Completion) -> str | None:
    """Return why the end of an answer is missing; None if it is there."""
    return {"length": CUT, LOOP: REPEATED}.get(completion.finish_reason or "")


SHORTEST: Final = 240
"""Characters that must repeat what stands before them."""

TIMES: Final = 4
"""How often the same must stand in a row at least."""

LONGEST: Final = 800
"""Characters of what is repeated at most."""

NEEDLE: Final = 48
"""Characters at the end by which the repetition is found."""

_END: Final = re.compile(r"[.!?。！？\n]")

STEP: Final = 64
"""Characters after which a text that grows is looked at again."""


def repeated_from(text: str) -> int | None:
    """Return where the repetition at the end of a text begins, behind its first occurrence and the
    sentence that ends there; None if its end is not the same again and again."""
    needle = text[-NEEDLE:]
    if len(text) < SHORTEST or not needle:
        return None
    before = text.rfind(needle, max(0, len(text) - NEEDLE - LONGEST), len(text) - 1)
    period = len(text) - NEEDLE - before
    if before < 0 or period <= 0:
        return None
    reach = max(SHORTEST, (TIMES - 1) * period)
    begin = len(text) - reach - period
    if begin < 0 or text[begin:-period] != text[begin + period :]:
        return None
    while begin > 0 and text[begin - 1] == text[begin - 1 + period]:
        begin -= 1
    end = _END.search(text, begin + period, begin + 2 * period)
    return begin + period if end is None else end.end()


class RepetitionWatch:
    """Hears a text piece by piece, and tells once it repeats itself."""

    def __init__(self) -> None:
        self._tail = ""
        self._dropped = 0
        self._unread = 0

    def hear(self, piece: str) -> int | None:
        """Return how many characters of the text so far are no repetition; None while it goes on
        well."""
        self._tail += piece
        self._unread += len(piece)
        if self._unread < STEP:
            return None
        self._unread = 0
        longest = SHORTEST + (TIMES + 1) * LONGEST
        if len(self._tail) > 2 * longest:
            self._dropped += len(self._tail) - longest
            self._tail = self._tail[-longest:]
        place = repeated_from(self._tail)
        return None if place is None else self._dropped + place
