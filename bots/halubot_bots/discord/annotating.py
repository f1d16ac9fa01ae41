"""Annotating replies by themselves: once their edits have settled, once each, never a loop."""

from __future__ import annotations

import asyncio
import logging
import time
from functools import partial
from typing import TYPE_CHECKING, Final

import aiohttp
import discord

from halubot.errors import HalubotError
from halubot_bots import cards
from halubot_bots.desk import DeclinedError, UsedUpError
from halubot_bots.discord import keeping, lacking
from halubot_bots.discord.faults import place_of
from halubot_bots.discord.reading import digest_of, marked, text_of
from halubot_bots.discord.showing import show
from halubot_bots.discord.surroundings import surroundings
from halubot_bots.policy import Ask, Pace, Written, annotates
from halubot_bots.remembering import Work

if TYPE_CHECKING:
    from halubot_bots.discord.bot import HalubotClient
    from halubot_bots.settings import ServerSettings

LOG: Final = logging.getLogger("halubot.discord")

SETTLED_SECONDS: Final = 4.0
"""How long a message must have stayed as it is: bots stream by editing."""

SHORTEST: Final = 20
"""Characters of a message that is worth a check."""


class Annotator:
    """Watches what is written where a server wants it checked. A message is in work from when it is
    heard until it is annotated; what a crash breaks off is taken up after the next start."""

    def __init__(self, client: HalubotClient, *, settled: float = SETTLED_SECONDS) -> None:
        self._client = client
        self.settled = settled
        self._waiting: dict[int, asyncio.Task[None]] = {}
        self._begun: set[int] = set()
        self._pace = Pace(client.desk.owner.per_minute)

    @property
    def busy(self) -> list[asyncio.Task[None]]:
        """What waits or is in work."""
        return list(self._waiting.values())

    async def heard(self, message: discord.Message) -> None:
        """A message was written or edited: it waits until its edits have settled."""
        if message.guild is not None and await self._wanted(message):
            self._start(message)

    async def deleted(self, message: int) -> None:
        """A message was deleted: its check is broken off and its report forgotten."""
        task = self._waiting.pop(message, None)
        if task is not None:
            task.cancel()
        self._begun.discard(message)
        await asyncio.to_thread(self._client.desk.memory.drop, message)

    async def close(self) -> None:
        """Stops all that waits; what was begun is known after the next start."""
        tasks = list(self._waiting.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=5)

    def has(self, message: int) -> bool:
        """Whether a message waits or is in work here."""
        return message in self._waiting

    def start(self, message: discord.Message, reply: int | None) -> None:
        """Takes up a message that was in work before a crash; ``reply`` is what was sent then."""
        self._begun.add(message.id)
        self._start(message, reply)

    def _start(self, message: discord.Message, reply: int | None = None) -> None:
        before = self._waiting.get(message.id)
        task = asyncio.create_task(
            self._later(message, before, reply), name=f"annotate {message.id}"
        )
        self._waiting[message.id] = task
        task.add_done_callback(lambda done: self._ended(message.id, done))

    def _ended(self, message: int, task: asyncio.Task[None]) -> None:
        if self._waiting.get(message) is task:
            del self._waiting[message]
        error = None if task.cancelled() else task.exception()
        if error is not None:
            LOG.error("message %d was not annotated: %s", message, place_of(error))

    async def _wanted(self, message: discord.Message) -> bool:
        server = await self._settings(message)
        channel = message.channel
        parent = channel.parent_id if isinstance(channel, discord.Thread) else None
        return annotates(self._written(message), channel.id, parent, server)

    async def _settings(self, message: discord.Message) -> ServerSettings:
        return await self._client.desk.settings(message.guild.id if message.guild else None)

    def _written(self, message: discord.Message) -> Written:
        us = self._client.user.id if self._client.user else 0
        reference = message.reference.resolved if message.reference else None
        to_us = isinstance(reference, discord.Message) and reference.author.id == us
        return Written(
            author=message.webhook_id or message.author.id,
            bot=message.author.bot,
            webhook=message.webhook_id is not None,
            ours=message.author.id == us,
            marked=marked(message),
            to_us=to_us,
        )

    async def _later(
        self, message: discord.Message, before: asyncio.Task[None] | None, reply: int | None
    ) -> None:
        """Annotates a message once it has settled; ``before`` is the work on an earlier version of
        it, which ends. Cancelled, it stays in work."""
        memory = self._client.desk.memory
        if before is not None:
            before.cancel()
            await asyncio.wait([before])
        if await asyncio.to_thread(memory.opted_out, message.author.id):
            return
        server = message.guild.id if message.guild else None
        work = Work(message.id, message.channel.id, server, message.author.id, reply)
        digest = digest_of(text_of(message))
        begun = await asyncio.to_thread(memory.begin, work, digest)
        if not begun and message.id not in self._begun:
            return  # annotated as it stands, or in work elsewhere
        self._begun.add(message.id)
        await asyncio.sleep(self.settled)
        if await self._worth(message):
            await self._annotate(message, reply)
        self._begun.discard(message.id)
        await asyncio.to_thread(memory.end, message.id)

    async def _worth(self, message: discord.Message) -> bool:
        """Whether there is enough to check, and not too much of it in the channel."""
        if len(text_of(message)) < SHORTEST:
            return False
        if self._pace.allows(message.channel.id, time.monotonic()):
            return True
        LOG.info("channel %d: too many messages to annotate", message.channel.id)
        return False

    async def _annotate(self, message: discord.Message, reply: int | None) -> None:
        """Checks a message and shows the result as the server wants it."""
        client = self._client
        channel, server = message.channel, message.guild.id if message.guild else None
        style = (await self._settings(message)).style
        begun = client.desk.memory.forgettings
        try:
            given = await surroundings(client, message)
            parent = channel.parent_id if isinstance(channel, discord.Thread) else None
            ask = Ask("watch", message.author.id, channel.id, server=server, parent=parent)
            report = await client.desk.check(ask, text_of(message), given)
            keep = partial(
                keeping.keep, client, message, report, asked_by=message.author.id, begun=begun
            )
            kept = await keep()
            before = kept.annotation if kept.annotation != message.id else None
            shown = await show(client, message, cards.overview(kept.report), style, reply or before)
            await keep(annotation=shown)
            await lacking.mended(client, channel.id)
        except UsedUpError as error:
            await lacking.used_up(client, message, error)
        except DeclinedError as error:
            LOG.info("message %d: %s", message.id, error)
        except HalubotError as error:
            LOG.warning("message %d could not be checked: %s", message.id, type(error).__name__)
        except discord.Forbidden:
            await lacking.tell(client, message, style)
        except discord.NotFound:
            LOG.info("message %d or its channel is gone", message.id)
        except discord.HTTPException as error:
            LOG.warning("message %d not annotated: %d, %d", message.id, error.status, error.code)
        except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
            LOG.warning("message %d not annotated: %s", message.id, type(error).__name__)
