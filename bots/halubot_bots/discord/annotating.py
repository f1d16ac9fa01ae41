"""Annotating replies by themselves: once their edits have settled, once each, never a loop."""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import discord

from halubot.errors import HalubotError
from halubot.render.words import glyph
from halubot_bots import cards
from halubot_bots.desk import DeclinedError
from halubot_bots.discord import acting
from halubot_bots.discord.reading import marked, text_of
from halubot_bots.discord.rendering import view_of
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

REACTIONS: Final = {"contradicted": "❌", "doubtful": "❓", "not_checked": "⚪", "supported": "✅"}


class Annotator:
    """Watches what is written where a server wants it checked."""

    def __init__(self, client: HalubotClient, *, settled: float = SETTLED_SECONDS) -> None:
        self._client = client
        self.settled = settled
        self._waiting: dict[int, asyncio.Task[None]] = {}
        self._pace = Pace(client.desk.owner.per_minute)
        self.resumed = False

    @property
    def busy(self) -> list[asyncio.Task[None]]:
        """What waits or is in work."""
        return list(self._waiting.values())

    async def heard(self, message: discord.Message) -> None:
        """A message was written or edited: it waits until its edits have settled."""
        if message.guild is None or not await self._wanted(message):
            return
        before = self._waiting.pop(message.id, None)
        if before is not None:
            before.cancel()
        task = asyncio.create_task(self._later(message), name=f"annotate {message.id}")
        self._waiting[message.id] = task
        task.add_done_callback(lambda done: self._forget(message.id, done))

    async def deleted(self, message: int) -> None:
        """A message was deleted: its report is forgotten."""
        task = self._waiting.pop(message, None)
        if task is not None:
            task.cancel()
        await asyncio.to_thread(self._client.desk.memory.drop, message)

    async def resume(self) -> None:
        """Goes on, once after a start, with what a crash broke off."""
        if self.resumed:
            return
        self.resumed = True
        for work in await asyncio.to_thread(self._client.desk.memory.in_work):
            await asyncio.to_thread(self._client.desk.memory.end, work.message)
            channel: Any = self._client.get_channel(work.channel)
            if channel is None:
                continue
            try:
                message = await channel.fetch_message(work.message)
            except discord.HTTPException:
                continue
            task = asyncio.create_task(self._annotate(message, reply=work.reply))
            self._waiting[message.id] = task
            task.add_done_callback(lambda done, id=message.id: self._forget(id, done))  # type: ignore[misc]

    async def close(self) -> None:
        """Stops all that waits; what was begun is known after the next start."""
        tasks = list(self._waiting.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=5)

    def _forget(self, message: int, task: asyncio.Task[None]) -> None:
        if self._waiting.get(message) is task:
            del self._waiting[message]
        if not task.cancelled() and task.exception() is not None:
            error = task.exception()
            LOG.error("message %d was not annotated: %s", message, type(error).__name__)

    async def _wanted(self, message: discord.Message) -> bool:
        server = await self._settings(message)
        channel = message.channel
        parent = channel.parent_id if isinstance(channel, discord.Thread) else None
        return annotates(await self._written(message), channel.id, parent, server)

    async def _settings(self, message: discord.Message) -> ServerSettings:
        return await self._client.desk.settings(message.guild.id if message.guild else None)

    async def _written(self, message: discord.Message) -> Written:
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

    async def _later(self, message: discord.Message) -> None:
        await asyncio.sleep(self.settled)
        await self._annotate(message)

    async def _annotate(self, message: discord.Message, *, reply: int | None = None) -> None:
        """Checks a message and shows the result as the server wants it."""
        client, memory = self._client, self._client.desk.memory
        text = text_of(message)
        if len(text) < SHORTEST or await asyncio.to_thread(memory.opted_out, message.author.id):
            return
        if not self._pace.allows(message.channel.id, time.monotonic()):
            LOG.info("channel %d: too many messages to annotate", message.channel.id)
            return
        guild = message.guild
        server = guild.id if guild else None
        work = Work(message.id, message.channel.id, server, message.author.id, reply)
        if not await asyncio.to_thread(memory.begin, work):
            return
        try:
            given = await surroundings(client, message)
            channel = message.channel
            parent = channel.parent_id if isinstance(channel, discord.Thread) else None
            ask = Ask("watch", message.author.id, channel.id, server=server, parent=parent)
            report = await client.desk.check(ask, text, given)
            kept = await acting.keep(client, message, report, asked_by=message.author.id)
            settings = await self._settings(message)
            shown = await self._show(message, cards.overview(kept.report), settings, reply)
            if shown is not None:
                await acting.keep(
                    client, message, report, asked_by=message.author.id, annotation=shown
                )
        except DeclinedError as error:
            LOG.info("message %d: %s", message.id, error)
        except HalubotError as error:
            LOG.warning("message %d could not be checked: %s", message.id, type(error).__name__)
        except discord.Forbidden:
            await self._tell_lack(message)
        except discord.NotFound:
            LOG.info("message %d or its channel is gone", message.id)
        finally:
            await asyncio.shield(asyncio.to_thread(memory.end, message.id))

    async def _show(
        self,
        message: discord.Message,
        card: cards.Card,
        settings: ServerSettings,
        reply: int | None,
    ) -> int | None:
        """Shows a card as a server wants it; the id of what was sent, the message's own for a
        reaction."""
        view = view_of(card, message.id)
        if settings.style == "reaction":
            tone = card.tone if card.tone in REACTIONS else "not_checked"
            await message.add_reaction(REACTIONS[tone])
            return message.id
        channel: Any = message.channel
        if reply is not None:
            with suppress(discord.NotFound):
                await channel.get_partial_message(reply).edit(view=view)
                return reply
        if settings.style == "thread" and isinstance(channel, discord.TextChannel):
            thread = message.thread
            if thread is None:
                name = f"{glyph('doubtful')} halubot"
                thread = await message.create_thread(name=name, auto_archive_duration=1440)
            sent = await thread.send(view=view, nonce=message.id)
        else:
            sent = await channel.send(
                view=view, reference=message, mention_author=False, nonce=message.id, silent=True
            )
        await asyncio.to_thread(self._client.desk.memory.replied, message.id, sent.id)
        return int(sent.id)

    async def _tell_lack(self, message: discord.Message) -> None:
        """Says once, to whoever looks after the server, which permission is missing."""
        guild = message.guild
        if guild is None or guild.me is None:
            return
        channel: Any = message.channel
        allowed = channel.permissions_for(guild.me)
        needed = {
            "View Channel": allowed.view_channel,
            "Send Messages": allowed.send_messages,
            "Read Message History": allowed.read_message_history,
            "Add Reactions": allowed.add_reactions,
            "Create Public Threads": allowed.create_public_threads,
        }
        lacking = (
            ", ".join(name for name, there in needed.items() if not there) or "some permission"
        )
        once = await asyncio.to_thread(
            self._client.desk.memory.tell_once, f"lacking {lacking}", channel.id
        )
        if not once:
            return
        LOG.warning("channel %d: permission missing: %s", channel.id, lacking)
        words = (
            f"halubot may not annotate in <#{channel.id}>: it needs {lacking}. Give its role these"
            " in the channel's settings, or take the channel out by /settings."
        )
        owner = guild.owner
        system = guild.system_channel
        if system is not None and not system.permissions_for(guild.me).send_messages:
            system = None
        for place in (system, owner):
            if place is None:
                continue
            with suppress(discord.HTTPException):
                await place.send(words)
                return
