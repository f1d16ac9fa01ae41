"""Errors as members and the log may see them, without paths of the host or private text."""

from __future__ import annotations

import traceback
from pathlib import PurePath
from typing import Final

from halubot.errors import (
    HalubotError,
    InputError,
    KnowledgeError,
    MissingExtraError,
    SettingError,
    StateError,
)
from halubot.models.model_errors import ModelError
from halubot_bots.catalogue import phrase
from halubot_bots.chat_text import plain
from halubot_bots.checks import FaultError
from halubot_bots.desk import DeclinedError

MODERATED: Final = frozenset({200000, 200001})
"""Discord's codes of what a server's AutoMod blocks:
https://docs.discord.com/developers/topics/opcodes-and-status-codes#json-json-error-codes"""

DEEPEST: Final = 4
"""Places in the code that are named, from the innermost."""


def place_of(error: BaseException) -> str:
    """The kind of an error, and where it came from."""
    frames = traceback.extract_tb(error.__traceback__)[-DEEPEST:]
    places = " < ".join(f"{PurePath(one.filename).name}:{one.lineno}" for one in reversed(frames))
    return f"{type(error).__name__} at {places}" if places else type(error).__name__


def as_sentence(text: str) -> str:
    """Return a text with a capital at its beginning and a full stop at its end."""
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '!', '?')) else '.'}"


def error_text(error: HalubotError) -> str:
    """Return what a member is told of an error."""
    match error:
        case DeclinedError() | InputError():
            return plain(str(error))
        case ModelError():
            return phrase("failed.model", later=phrase("failed.later"))
        case KnowledgeError():
            return phrase("failed.knowledge", later=phrase("failed.later"))
        case MissingExtraError():
            return phrase("failed.extra", later=phrase("failed.later"))
        case StateError() | SettingError() | FaultError():
            return phrase("failed.own", later=phrase("failed.later"))
        case _:
            return plain(str(error))
