"""Errors as members and the log may see them, without paths of the host or private text."""

from __future__ import annotations

import logging
import traceback
from pathlib import PurePath
from typing import TYPE_CHECKING, Final, TypeVar

import aiohttp
import discord

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

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

T = TypeVar("T")

LOG: Final = logging.getLogger("halubot.discord")

MODERATED: Final = frozenset({200000, 200001})
"""Discord's codes of what a server's AutoMod blocks:
https://docs.discord.com/developers/topics/opcodes-and-status-codes#json-json-error-codes"""

EXPIRED: Final = frozenset({10015, 10062, 50027})
"""Discord's codes of an interaction that was answered too late."""

UNSENT: Final = (discord.DiscordException, aiohttp.ClientError, OSError)
"""The errors of a message that Discord does not take, or that does not reach it."""

DEEPEST: Final = 4
"""Places in the code that are named, from the innermost."""


def place_of(error: BaseException) -> str:
    """The kind of an error, and where it came from."""
    # Only places: the words of an error may repeat a text, and the log holds none. Only the last
    # part of a path: the others name people and folders of the host.
    frames = traceback.extract_tb(error.__traceback__)[-DEEPEST:]
    places = " < ".join(f"{PurePath(one.filename).name}:{one.lineno}" for one in reversed(frames))
    return f"{type(error).__name__} at {places}" if places else type(error).__name__


def code_of(error: BaseException) -> str:
    """The number of Discord's refusal, else the kind of an error: what a log may hold of it."""
    return (
        f"code {error.code}" if isinstance(error, discord.HTTPException) else type(error).__name__
    )


async def unless_moderated(
    sending: Awaitable[T], instead: Callable[[], Awaitable[T]], what: str
) -> T:
    """Await ``sending``; if AutoMod blocks it, await what ``instead`` makes. ``what`` is sent, for
    the log. Raises what both raise, discord.HTTPException for any other refusal among it."""
    try:
        return await sending
    except discord.HTTPException as error:
        if error.code not in MODERATED:
            raise
        LOG.warning("AutoMod blocked %s: %s", what, code_of(error))
    return await instead()


def as_sentence(text: str) -> str:
    """Return a text with a capital at its beginning and a full stop at its end."""
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '!', '?')) else '.'}"


def error_text(error: HalubotError) -> str:
    """Return an error in words for members: without paths, addresses and names of the host."""
    match error:
        case DeclinedError() | InputError():
            return plain(str(error))
        # Errors of these kinds name servers, files and packages of the host, which do not concern
        # members of a chat; its owner finds them in the log.
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
