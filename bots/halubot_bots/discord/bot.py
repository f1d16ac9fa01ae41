"""The client: connects, registers what can be asked for, and hands everything to the desk."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import math
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import discord
from discord.ext.commands import DynamicCooldownMapping

from halubot.errors import HalubotError
from halubot_bots import process
from halubot_bots.catalogue import choose_language
from halubot_bots.discord import actions, commands, kept_reports, menus, resumption
from halubot_bots.discord.annotation import SETTLED_SECONDS, Annotator
from halubot_bots.discord.answers import Answerer
from halubot_bots.discord.components import Act
from halubot_bots.discord.error_words import place_of
from halubot_bots.discord.live_answer import PACE_SECONDS, FirstSigns
from halubot_bots.discord.message_content import is_unfurled, text_of
from halubot_bots.discord.panel import Control
from halubot_bots.discord.tree import Translator, Tree
from halubot_bots.documents import Documents
from halubot_bots.health import Pulse

if TYPE_CHECKING:
    from halubot_bots.desk import Desk
    from halubot_bots.entries import Kept, Kind

LOG: Final = logging.getLogger("halubot.discord")
"""Holds ids and lengths, never texts, tokens or keys."""

# It never joins a voice channel: the library need not say what it lacks for that.
discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False

HOUR: Final = 3_600.0
"""Seconds between two looks for what has expired."""

LOOKS: Final = 4
"""Messages whose surroundings are read at the same time."""

LONGEST_WAIT: Final = 60.0
"""Seconds that Discord may have a request wait, for slow mode say: a longer wait is refused."""


class HalubotClient(discord.AutoShardedClient):
    """halubot on Discord. Nothing it sends ever mentions anybody.

    ``settled`` is how many seconds a message must have stayed as it is before it is annotated,
    ``pace`` how many at least lie between two edits of one message of ours.
    """

    def __init__(
        self,
        desk: Desk,
        *,
        reads_content: bool = True,
        settled: float = SETTLED_SECONDS,
        pace: float = PACE_SECONDS,
        **options: Any,
    ) -> None:
        super().__init__(
            intents=intents(reads_content=reads_content),
            allowed_mentions=discord.AllowedMentions.none(),
            max_messages=200,
            max_ratelimit_timeout=LONGEST_WAIT,
            **options,
        )
        self.desk = desk
        self.reads_content = reads_content
        self.pace = pace
        self.tree = Tree(self)
        self.cooldowns = DynamicCooldownMapping(actions.cooldown_of, actions.place_of_cooldown)
        """How often each person may have something checked."""
        self.annotator = Annotator(self, settled=settled)
        self.answerer = Answerer(self, pace=pace)
        self.documents = Documents()
        self.looking = asyncio.Semaphore(LOOKS)
        """Limits for how many messages at once their surroundings are read: hundreds took 600
        MB."""
        self.waiting = resumption.WaitingList(desk.memory)
        self.first_signs = FirstSigns()
        self.asking: Counter[int] = Counter()
        """How many answers each person waits for."""
        self.underway: dict[tuple[int, str], asyncio.Task[Kept]] = {}
        """Messages that are being checked for somebody: who asks meanwhile waits for the same."""
        self._housekeeping: asyncio.Task[None] | None = None
        self._pulsing: asyncio.Task[None] | None = None
        self._resumed = False
        self._catching_up: asyncio.Task[None] | None = None
        self._apologising: asyncio.Task[None] | None = None

    async def setup_hook(self) -> None:
        self.add_dynamic_items(Act, Control)
        menus.register(self.tree)
        commands.register(self.tree)
        await self.tree.set_translator(Translator())
        # Who waited is known before anybody else can ask, and told while others ask already.
        waiting = await asyncio.to_thread(self.desk.memory.waiting)
        self._apologising = asyncio.create_task(resumption.apologise(self, waiting))
        await self._sync()
        self._housekeeping = asyncio.create_task(self._keep_house())
        seconds = process.watchdog_seconds()
        if seconds is not None and self._pulsing is None:
            self._pulsing = asyncio.create_task(self._beat(seconds / 2))

    async def _sync(self) -> None:
        """Register the commands if they are others than last time: Discord lets an application
        make only so many a day, and a restart need not ask."""
        translator, commands = self.tree.translator, self.tree.get_commands()
        assert translator is not None  # noqa: S101 - it was set before
        payload = [
            await command.get_translated_payload(self.tree, translator) for command in commands
        ]
        made = json.dumps([self.application_id, payload], sort_keys=True, default=str)
        digest = hashlib.sha256(made.encode()).hexdigest()
        memory = self.desk.memory
        if await asyncio.to_thread(memory.read_note, "commands") != digest:
            await self.tree.sync()
            await asyncio.to_thread(memory.note, "commands", digest)

    async def close(self) -> None:
        tasks = (self._housekeeping, self._catching_up, self._pulsing, self._apologising)
        for task in tasks:
            if task is not None:
                task.cancel()
        await self.annotator.close()
        await self.answerer.close()
        self.documents.close()
        await super().close()

    async def on_error(self, event_method: str, /, *args: Any, **kwargs: Any) -> None:
        """A fault of our own: its place is logged, its words are not, for they may be a text."""
        error = sys.exception()
        LOG.error("%s failed: %s", event_method, place_of(error) if error else "unknown")

    async def act(
        self,
        interaction: discord.Interaction[Any],
        action: str,
        message: int,
        page: int,
        kind: Kind,
    ) -> None:
        """A button was pressed."""
        choose_language(interaction.locale)
        await menus.act(interaction, action, message, page, kind)

    @property
    def pulse(self) -> Pulse:
        """The present state of the bot."""
        latency = self.latency if self.is_ready() and not self.is_closed() else None
        if latency is not None and not math.isfinite(latency):
            latency = None  # no heartbeat was answered yet
        checks = self.desk.checks
        return Pulse(latency, len(self.guilds), checks.running, checks.waiting)

    async def _beat(self, seconds: float) -> None:
        """Tell systemd that the loop goes on. A connection that is lost is made again here, and is
        no reason to be killed."""
        while True:
            process.notify(process.ALIVE)
            await asyncio.sleep(seconds)

    async def on_ready(self) -> None:
        process.notify(process.READY)
        count = len(self.guilds)
        process.START.info("connected as %s; servers: %d", self.user, count)
        if not count:
            process.START.info("open the link that halubot discord --check prints to invite it")
        if not self._resumed:
            self._resumed = True
            await resumption.resume(self)
        # A new session, too, knows nothing of what was written before it.
        if self._catching_up is None or self._catching_up.done():
            self._catching_up = asyncio.create_task(resumption.catch_up(self))

    async def on_message(self, message: discord.Message) -> None:
        text = text_of(message)
        if not await self.answerer.hear(message):
            await self.annotator.hear(message, text)

    async def on_raw_message_edit(self, payload: discord.RawMessageUpdateEvent) -> None:
        if not is_unfurled(payload.cached_message, payload.message):
            await self.annotator.hear(payload.message, text_of(payload.message))

    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        await self._forget_messages(payload.message_id)

    async def on_raw_bulk_message_delete(self, payload: discord.RawBulkMessageDeleteEvent) -> None:
        await self._forget_messages(*payload.message_ids)

    async def _forget_messages(self, *messages: int) -> None:
        """Messages are gone: so is all that quotes them."""
        # Stop answers and annotations first: otherwise they would be shown after their reports are
        # gone.
        for message in messages:
            await self.answerer.note_deletion(message)
            await self.annotator.note_deletion(message)
        await kept_reports.take_back(self, (await self.desk.drop(*messages)).shown)

    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        await self._forget_channel(channel.id)

    async def on_raw_thread_delete(self, payload: discord.RawThreadDeleteEvent) -> None:
        await self._forget_channel(payload.thread_id)

    async def _forget_channel(self, channel: int) -> None:
        """A channel is gone with all messages in it: Discord does not name them."""
        messages = await asyncio.to_thread(self.desk.memory.checked_in, channel)
        if messages:
            await self._forget_messages(*messages)

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        LOG.info("server %d: the bot was removed", guild.id)
        for message in await asyncio.to_thread(self.desk.memory.work_in, guild.id):
            await self.answerer.note_deletion(message)
            await self.annotator.note_deletion(message)
        await self.desk.leave(guild.id)

    async def _keep_house(self) -> None:
        """Delete what has expired, once an hour."""
        while True:
            days = self.desk.owner.days_kept
            try:
                gone = await asyncio.to_thread(self.desk.memory.expire, days)
                await asyncio.to_thread(self.desk.quotas.expire)
            except HalubotError as error:
                # A base that cannot be reached now is tried again: without this nothing would
                # expire any more until the next start.
                LOG.warning("nothing expired: %s", type(error).__name__)
            else:
                if gone:
                    LOG.info("%d reports expired", gone)
            await asyncio.sleep(HOUR)


def intents(*, reads_content: bool) -> discord.Intents:
    """Return the events that the bot listens to: servers and messages; what others write in them
    only if annotations or answers are wanted, for that is privileged."""
    found = discord.Intents.none()
    found.guilds = found.guild_messages = found.dm_messages = True
    found.message_content = reads_content
    return found
