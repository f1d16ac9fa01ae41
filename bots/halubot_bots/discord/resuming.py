"""Going on, after a start, with what a crash or a stop broke off."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, Final

import discord

if TYPE_CHECKING:
    from halubot_bots.discord.bot import HalubotClient

LOG: Final = logging.getLogger("halubot.discord")


async def resume(client: HalubotClient) -> None:
    """Takes up every message in work, the oldest first; one that is gone is forgotten, one that
    cannot be looked at now is left for the next start."""
    memory = client.desk.memory
    for work in await asyncio.to_thread(memory.in_work):
        if client.annotator.has(work.message) or client.answerer.has(work.message):
            continue
        try:
            found = client.get_channel(work.channel)
            channel: Any = found or await client.fetch_channel(work.channel)
            message: discord.Message = await channel.fetch_message(work.message)
        except (discord.NotFound, discord.Forbidden):
            await asyncio.to_thread(memory.end, work.message)
        except discord.HTTPException:
            LOG.info("message %d cannot be looked at: after the next start", work.message)
        else:
            if client.answerer.for_us(message):
                client.answerer.start(message, work.reply)
            else:
                client.annotator.start(message, work.reply)
