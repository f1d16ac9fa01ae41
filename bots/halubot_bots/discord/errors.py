"""What happens after an error: for Discord's refusals, and in words for members and the log."""

from __future__ import annotations

import asyncio
import logging
import traceback
from pathlib import PurePath
from typing import TYPE_CHECKING, Final, Literal, TypeVar

import aiohttp
import discord

from halubot.errors import (
    HalubotError,
    KnowledgeError,
    MissingExtraError,
    SettingError,
    StateError,
)
from halubot.models.model_errors import ModelError
from halubot.render.inert import crop
from halubot_bots.budgets import BudgetError
from halubot_bots.catalogue import phrase
from halubot_bots.chat_text import plain
from halubot_bots.check_queue import StoppedError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

T = TypeVar("T")

LOG: Final = logging.getLogger("halubot.discord")
"""Holds ids and lengths, never texts, tokens or keys."""

Outcome = Literal["retry", "gone", "forbidden", "moderated", "refused"]
"""What Discord's error means for what was tried: try it again later; the message or channel is
gone; a permission is missing; AutoMod blocks the words; it will never be taken."""

UNSENT: Final = (discord.DiscordException, aiohttp.ClientError, OSError, RuntimeError)
"""The errors of a request that Discord does not take, or that does not reach it."""

# https://docs.discord.com/developers/topics/opcodes-and-status-codes#json-json-error-codes
_MODERATED: Final = frozenset({200000, 200001})
_SLOW_MODE: Final = 20016
_TRIES: Final = 6
_DEEPEST: Final = 4


class DeclinedError(HalubotError):
    """What was asked for is not allowed here; the words are for the person who asked."""


def outcome_of(error: BaseException) -> Outcome:
    """Return what an error of Discord, or on the way to it, means."""
    match error:
        case discord.HTTPException(code=code) if code in _MODERATED:
            return "moderated"
        case discord.NotFound():
            return "gone"
        case discord.HTTPException(status=status, code=code) if (
            status == 429 or status >= 500 or code == _SLOW_MODE
        ):
            return "retry"
        case discord.Forbidden() | discord.HTTPException(code=50083 | 160002):
            return "forbidden"
        # aiohttp says by a RuntimeError that the client was closed meanwhile.
        case discord.HTTPException() | discord.ClientException() | RuntimeError():
            return "refused"
        case _:  # a connection that broke, a rate limit that lasts too long
            return "retry"


def code_of(error: BaseException) -> str:
    """Return Discord's number of a refusal, else the kind of an error: what a log may hold."""
    known = isinstance(error, discord.HTTPException)
    return f"code {error.code}" if known else type(error).__name__  # type: ignore[attr-defined]


def place_of(error: BaseException) -> str:
    """Return the kind of an error and where it came from, without its words: they may be a text."""
    frames = traceback.extract_tb(error.__traceback__)[-_DEEPEST:]
    places = " < ".join(f"{PurePath(one.filename).name}:{one.lineno}" for one in reversed(frames))
    return f"{type(error).__name__} at {places}" if places else type(error).__name__


async def persist(sending: Callable[[], Awaitable[T]], *, first: float = 1.0) -> T:
    """Await what ``sending`` makes, again after each error that may pass, for about a minute.
    Raises the last error."""
    for tries in range(_TRIES):
        try:
            return await sending()
        except UNSENT as error:
            if outcome_of(error) != "retry" or tries == _TRIES - 1:
                raise
            LOG.info("trying again in %.0f s: %s", first * 2**tries, code_of(error))
        await asyncio.sleep(first * 2**tries)
    raise AssertionError("the last try returns or raises")


def explain(error: BaseException) -> tuple[str, str]:
    """Return a headline and a sentence for the person who asked, without paths, addresses and names
    of the host. A fault of halubot's own is logged."""
    error = getattr(error, "original", error)  # of a command's error
    declined, failed = phrase("declined.headline"), phrase("failed.headline")
    match error:
        case DeclinedError():
            return declined, _as_sentence(str(error))
        case BudgetError(busy=True):
            return declined, phrase("budget.busy")
        case BudgetError():
            whose = phrase(f"budget.whose.{error.whose.partition(':')[0]}")
            return declined, phrase("budget.used_up", whose=whose)
        case StoppedError():
            return declined, phrase("declined.stopped")
    # Errors of these kinds name servers, files and packages of the host, which do not concern
    # members of a chat; its owner finds them in the log.
    if name := next((name for kind, name in _OWNERS.items() if isinstance(error, kind)), ""):
        LOG.warning("not done: %s", place_of(error))
        return failed, phrase(f"failed.{name}", later=phrase("failed.later"))
    if isinstance(error, HalubotError):
        return failed, _as_sentence(str(error))
    if isinstance(error, UNSENT):
        LOG.warning("not done: %s", place_of(error))
        name = "moderated" if outcome_of(error) == "moderated" else "discord"
        return failed, phrase(f"failed.{name}")
    LOG.error("a fault: %s", place_of(error))
    return failed, phrase("failed.own", later=phrase("failed.later"))


_OWNERS: Final[dict[type[HalubotError], str]] = {
    ModelError: "model",
    KnowledgeError: "knowledge",
    MissingExtraError: "extra",
    StateError: "own",
    SettingError: "own",
}


def _as_sentence(words: str) -> str:
    text = crop(plain(words), 1_000)
    first = text[:1] if "." in text.partition(" ")[0] else text[:1].upper()  # the name of a file
    return f"{first}{text[1:]}{'' if text.endswith(('.', '!', '?')) else '.'}"
