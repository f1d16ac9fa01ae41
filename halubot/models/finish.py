"""Why an answer ended, where that was not because it was whole."""

from __future__ import annotations

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
