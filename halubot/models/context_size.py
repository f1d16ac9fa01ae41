"""How much a model can read, as its server's own errors and counts tell it."""

from __future__ import annotations

import re
from typing import Final

from halubot.models.errors import ContextTooLongError
from halubot.models.model import Request, TokenUsage
from halubot.models.token_count import prompt_tokens

COUNTED: Final = 100
"""Tokens of a prompt, by our estimate, from which on a server's count corrects the estimate."""

SLACK: Final = 1.02
"""By how much a prompt may be longer than the one before, in tokens for the same estimate."""

LEAST_ANSWER: Final = 64
"""Tokens that are always left for an answer."""

_CONTEXT: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"n_ctx['\"]?\s{0,3}[:=]\s{0,3}(\d{2,8})",
        r"(?:maximum|available) context (?:length|size|window)\D{0,20}(\d{2,8})",
        r"context (?:length|size|window) (?:is|of|\()\D{0,10}(\d{2,8})",
    )
)
_PROMPT: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"n_prompt_tokens['\"]?\s{0,3}[:=]\s{0,3}(\d{1,8})",
        r"request \((\d{1,8}) tokens\)",
        r"\((\d{1,8}) in the messages",
    )
)


def read_sizes(words: str) -> tuple[int | None, int | None]:
    """Return the context and the length of the prompt, in tokens, that a server's refusal tells;
    None if it does not."""
    return _find(_CONTEXT, words), _find(_PROMPT, words)


def _find(patterns: tuple[re.Pattern[str], ...], words: str) -> int | None:
    found = (pattern.search(words) for pattern in patterns)
    return next((int(one[1]) for one in found if one is not None), None)


class ContextSizes:
    """The contexts of the models of one server, by their names, for as long as the program runs: a
    server may be started again with another."""

    def __init__(self) -> None:
        self._contexts: dict[str, int] = {}
        self._ratios: dict[str, float] = {}

    def note_refusal(self, model: str, request: Request, error: ContextTooLongError) -> None:
        """Learn from a prompt that was refused as too long."""
        if error.context is not None:
            self._contexts[model] = error.context
        if error.prompt_tokens is not None:
            self._note(model, request, error.prompt_tokens)

    def note_usage(self, model: str, request: Request, usage: TokenUsage | None) -> None:
        """Learn from the tokens that a server counted in a prompt."""
        if usage is not None:
            self._note(model, request, usage.prompt)

    def space(self, model: str, request: Request) -> int | None:
        """Return the tokens that are left for the answer, less than 0 if the prompt alone is too
        long; None if the context is not known."""
        context = self._contexts.get(model)
        if context is None:
            return None
        ratio = self._ratios.get(model, 1.0) * SLACK
        return context - round(prompt_tokens(request) * ratio)

    def fits(self, model: str, request: Request) -> bool:
        """Return whether a prompt and its usual answer fit, as far as that is known."""
        space = self.space(model, request)
        return space is None or space >= max(LEAST_ANSWER, request.room or 0)

    def _note(self, model: str, request: Request, counted: int) -> None:
        estimate = prompt_tokens(request)
        if estimate >= COUNTED and counted:
            self._ratios[model] = min(4.0, max(0.5, counted / estimate))
