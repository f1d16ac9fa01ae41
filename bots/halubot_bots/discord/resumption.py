"""Going on, after a start, with what a crash or a stop broke off; the list of who waits, so that
they can be told."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import discord
from discord.http import Route

from halubot.errors import HalubotError
from halubot_bots import cards
from halubot_bots.catalogue import choose_language, phrase
from halubot_bots.discord.components import view_of
from halubot_bots.discord.error_words import UNSENT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from halubot_bots.discord.bot import HalubotClient
    from halubot_bots.entries import Waiting
    from halubot_bots.store import Memory

MOST: Final = 200
"""Messages of a channel that are looked at for what was written meanwhile."""

APOLOGY_SECONDS: Final = 0.05
"""Pause between two people who are told that their answer was broken off: of the 50 requests a
second that Discord allows, most are for those who ask now."""

LOG: Final = logging.getLogger("halubot.discord")


class WaitingList:
    """Notes who waits. While one note is written others gather, and are written together: of
    hundreds who ask at once each has its first sign in time."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._gathered: list[tuple[Waiting, asyncio.Future[None]]] = []
        self._writing: asyncio.Task[None] | None = None

    def note(self, waiting: Waiting) -> asyncio.Future[None]:
        """Done when it is noted, or could not be."""
        noted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._gathered.append((waiting, noted))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())
        return noted

    async def _write(self) -> None:
        while self._gathered:
            gathered, self._gathered = self._gathered, []
            try:
                await asyncio.to_thread(self._memory.wait, *(one for one, _ in gathered))
            except HalubotError as error:
                LOG.warning("who waits is not noted: %s", type(error).__name__)
            for _, noted in gathered:
                if not noted.done():
                    noted.set_result(None)


async def resume(client: HalubotClient) -> None:
    """Take up every message in work, the oldest first; one that is gone is forgotten, one that
    cannot be looked at now is left for the next start."""
    memory = client.desk.memory
    for work in await asyncio.to_thread(memory.in_work):
        # Discord has sent it again since the connection, and it was taken up then.
        if client.annotator.has(work.message) or client.answerer.has(work.message):
            continue
        try:
            found = client.get_channel(work.channel)
            channel: Any = found or await client.fetch_channel(work.channel)
            message: discord.Message = await channel.fetch_message(work.message)
        # Gone for good: unlike after the errors below, another start would not find it either.
        except (discord.NotFound, discord.Forbidden):
            await asyncio.to_thread(memory.end, work.message)
        except discord.HTTPException:
            LOG.info("message %d cannot be looked at: after the next start", work.message)
        else:
            if client.answerer.for_us(message):
                client.answerer.start(message, work.reply)
            else:
                client.annotator.start(message, work.reply)


async def catch_up(client: HalubotClient) -> None:
    """Take up what was written in watched channels while the bot was not connected."""
    for channel, last in (await asyncio.to_thread(client.desk.memory.last_heard)).items():
        place: Any = client.get_channel(channel)
        if place is None or not hasattr(place, "history"):
            continue
        after = discord.Object(last)
        try:
            async for message in place.history(limit=MOST, after=after, oldest_first=True):
                if not client.annotator.has(message.id) and not client.answerer.has(message.id):
                    await client.on_message(message)
        except discord.HTTPException as error:
            LOG.info("channel %d cannot be looked at: %d", channel, error.status)
        except HalubotError as error:  # the other channels are looked at all the same
            LOG.warning("channel %d is not caught up: %s", channel, type(error).__name__)


async def apologise(client: HalubotClient, waiting: Iterable[Waiting]) -> None:
    """Tell those whose answers a stop broke off that none will come; one after the other, for
    others ask at the same time."""
    for one in waiting:
        # It may be older than 15 minutes, or the bot may be stopped again meanwhile.
        with suppress(*UNSENT):
            await _apologise_to(client, one)
        with suppress(HalubotError):
            await asyncio.to_thread(client.desk.memory.note_answer, one.interaction)
        await asyncio.sleep(APOLOGY_SECONDS)


async def _apologise_to(client: HalubotClient, one: Waiting) -> None:
    choose_language(one.language)
    headline, words = phrase("failed.broken_off_headline"), phrase("failed.broken_off")
    view: Any = view_of(cards.message(headline, words), 0)
    # By the stored token: the library knows nothing of interactions from before a restart.
    route = Route(
        "PATCH",
        "/webhooks/{webhook_id}/{webhook_token}/messages/@original",
        webhook_id=one.application,
        webhook_token=one.token,
    )
    body = {
        "flags": discord.MessageFlags(components_v2=True).value,
        "components": view.to_components(),
        # This request bypasses the allowed mentions of the client.
        "allowed_mentions": {"parse": []},
    }
    await client.http.request(route, json=body)
