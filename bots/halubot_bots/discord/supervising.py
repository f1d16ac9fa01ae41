"""Keeping the bot connected: whatever breaks the connection, it is made anew."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Final

import discord

from halubot.errors import HalubotError

if TYPE_CHECKING:
    from collections.abc import Callable

    from halubot_bots.discord.bot import HalubotClient

LOG: Final = logging.getLogger("halubot.discord")

FIRST_SECONDS: Final = 1.0
LONGEST_SECONDS: Final = 120.0


class TokenError(HalubotError):
    """Discord refuses the token."""

    def __init__(self) -> None:
        super().__init__(
            "Discord refuses the token: copy it anew from the application's page, under Bot, and"
            " put it in the variable HALUBOT_DISCORD_TOKEN"
        )


class IntentError(HalubotError):
    """Discord refuses an intent."""

    def __init__(self) -> None:
        super().__init__(
            "Discord refuses the message content intent: switch on MESSAGE CONTENT INTENT on the"
            " application's page, under Bot, or set reads_content = false under [discord] in the"
            " settings file; menus and commands work without it"
        )


async def serve(
    make: Callable[[], HalubotClient], token: str, *, first: float = FIRST_SECONDS
) -> None:
    """Runs the bot until it is cancelled. Raises TokenError and IntentError, which no second try
    mends."""
    pause = first
    while True:
        client = make()
        try:
            async with client:
                await client.start(token)
            return
        except discord.LoginFailure as error:
            raise TokenError from error
        except discord.PrivilegedIntentsRequired as error:
            raise IntentError from error
        except Exception as error:  # noqa: BLE001 - a broken frame of Discord's may raise anything
            LOG.warning("the connection broke (%s): again in %.0f s", type(error).__name__, pause)
        if client.is_ready():
            pause = first
        await asyncio.sleep(pause)
        pause = min(2 * pause, LONGEST_SECONDS)
