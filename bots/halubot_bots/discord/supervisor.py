"""Keeping the bot connected: whatever breaks the connection, it is made anew."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING, Final

import discord

from halubot.errors import HalubotError

if TYPE_CHECKING:
    from collections.abc import Callable

    from halubot_bots.discord.bot import HalubotClient

LOG: Final = logging.getLogger("halubot.discord")

FIRST_SECONDS: Final = 1.0
LONGEST_SECONDS: Final = 900.0
STEADY_SECONDS: Final = 300.0
"""After so long a connection counts as good: the next pause is short again."""

FEW: Final = 5
"""Sessions that are left to begin today below which the bot waits for the next day's: Discord
takes the token back from who begins more than it allows."""

REFUSED: Final = 78
"""The exit status (EX_CONFIG) after which a service must not be restarted: deploy/ has it."""


class TokenError(HalubotError):
    """Discord refuses the token."""

    exit_status = REFUSED

    def __init__(self) -> None:
        super().__init__(
            "Discord refuses the token: copy it anew from the application's page, under Bot, and"
            " put it in the variable HALUBOT_DISCORD_TOKEN"
        )


class IntentError(HalubotError):
    """Discord refuses an intent."""

    exit_status = REFUSED

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
        begun = None
        try:
            async with client:
                await client.login(token)
                await _sessions_left(client)
                begun = time.monotonic()
                await client.connect()
            return
        except discord.LoginFailure as error:
            raise TokenError from error
        except discord.PrivilegedIntentsRequired as error:
            raise IntentError from error
        except Exception as error:  # noqa: BLE001 - a broken frame of Discord's may raise anything
            LOG.warning("the connection broke (%s): again in %.0f s", type(error).__name__, pause)
        if begun is not None and time.monotonic() - begun > STEADY_SECONDS:
            pause = first
        await asyncio.sleep(pause)
        pause = min(2 * pause, LONGEST_SECONDS)


async def _sessions_left(client: HalubotClient) -> None:
    """Waits until Discord lets the bot begin a session without coming near the limit of a day."""
    limits = await client.fetch_session_start_limits()
    if limits.remaining >= min(FEW, limits.total):
        return
    wait = limits.reset_after / 1000
    LOG.warning(
        "Discord allows %d more sessions of %d today: waiting %.0f s",
        limits.remaining,
        limits.total,
        wait,
    )
    await asyncio.sleep(wait)
