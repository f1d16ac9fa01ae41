"""How many tokens a text is, about, without the tokenizer of any model, and how many a model reads.

A token is a word of up to 8 letters a to z, or so many letters of a longer one; three letters of a
word with accents, two of another alphabet, one sign of a script without spaces; up to three digits;
up to three marks in a row. On halubot's prompts and on English prose this is within a sixth of what
two usual tokenizers (cl100k_base, o200k_base) count; on other languages these two differ by up to
half from each other, and the estimate lies between them or near.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import Any, Final

from halubot.models.model import Request, Schema, TokenUsage
from halubot.models.model_errors import ContextTooLongError

AROUND_MESSAGE = 4
"""Tokens that chat templates put around a message."""

KEY = 4
"""Tokens of a key of JSON with its marks."""
ITEMS = 3
"""Items that a list of an answer usually has."""
DEEPEST = 8
"""Levels of a shape that are looked at: some hold themselves."""
PHRASE = 10
"""Tokens of a text in a shaped answer, usually."""

_PIECE = re.compile(r"[^\W\d_]+|\d{1,3}|\n+|[^\w\s]+|_+")
_LETTERS = ((0x80, 8), (0x250, 3), (0x1100, 2))
"""How many letters of a word are a token, by the bound below which all of them lie."""


@lru_cache(maxsize=1000)
def estimate_tokens(text: str) -> int:
    """About how many tokens a text is; 0 for none."""
    # Each word is looked at once however often it comes: long sources repeat theirs.
    return sum(_of_piece(piece) * times for piece, times in Counter(_PIECE.findall(text)).items())


def prompt_tokens(request: Request) -> int:
    """About how many tokens the messages of a request are, the schema left out."""
    return sum(estimate_tokens(one.content) + AROUND_MESSAGE for one in request.messages)


@lru_cache(maxsize=256)
def usual_tokens(schema: Schema) -> int:
    """About how many tokens an answer of that shape usually has: lists have three items, texts the
    length of a short phrase."""
    value = schema.value
    return _usual(value, value.get("$defs", {}), DEEPEST)


def _usual(shape: dict[str, Any], kinds: dict[str, Any], deep: int) -> int:
    if not deep:
        return 1
    if "$ref" in shape:
        return _usual(kinds[shape["$ref"].rpartition("/")[2]], kinds, deep - 1)
    if "properties" in shape:
        return 2 + sum(KEY + _usual(one, kinds, deep - 1) for one in shape["properties"].values())
    if "items" in shape:
        few: int = min(ITEMS, shape.get("maxItems", ITEMS))
        return 2 + few * (1 + _usual(shape["items"], kinds, deep - 1))
    words = [one for one in (shape.get("const"), *shape.get("enum", ())) if one is not None]
    if words:
        return 1 + max(estimate_tokens(str(word)) for word in words)
    return PHRASE if shape.get("type") == "string" else 1


@lru_cache(maxsize=1 << 12)
def _of_piece(piece: str) -> int:
    first = piece[0]
    if first == "\n" or first.isdecimal():
        return 1
    if not first.isalnum():
        return -(-len(piece) // 3)
    highest = ord(max(piece))
    letters = next((count for bound, count in _LETTERS if highest < bound), 1)
    return -(-len(piece) // letters)


COUNTED: Final = 100
"""Tokens of a prompt, by our estimate, from which on a server's count corrects the estimate."""

SLACK: Final = 1.02
"""By how much a prompt may be longer than the one before, in tokens for the same estimate."""

LEAST_ANSWER: Final = 64
"""Tokens that are always left for an answer."""

# In the words of llama-server (n_ctx, "available context size") and of OpenAI, vLLM and those who
# copy them ("maximum context length"). Every repetition has a bound, so that a long error takes no
# longer than its length.
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
        """Return True if a prompt and its usual answer fit, as far as that is known."""
        space = self.space(model, request)
        return space is None or space >= max(LEAST_ANSWER, request.room or 0)

    def _note(self, model: str, request: Request, counted: int) -> None:
        estimate = prompt_tokens(request)
        if estimate >= COUNTED and counted:
            # Within bounds, so that one wrong count of a server does not have every prompt look too
            # long or none.
            self._ratios[model] = min(4.0, max(0.5, counted / estimate))
