"""The client: connects, hears, registers what can be asked for, and holds the parts of the bot."""

from __future__ import annotations

import asyncio
import sys
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import discord
from discord import app_commands
from discord.ext import tasks

from halubot.errors import HalubotError
from halubot_bots import process
from halubot_bots.discord import commands
from halubot_bots.discord.channel_cards import EDIT_SECONDS, ChannelCards
from halubot_bots.discord.components import CardButton, CardSelect
from halubot_bots.discord.deletions import Deletions
from halubot_bots.discord.errors import LOG, place_of
from halubot_bots.discord.private_checks import PrivateChecks
from halubot_bots.discord.reading import Documents
from halubot_bots.discord.responding import Cooldowns, respond
from halubot_bots.discord.watcher import SETTLED_SECONDS, Watcher
from halubot_bots.settings import ServerSettings

if TYPE_CHECKING:
    from collections.abc import Callable

    from halubot_bots.budgets import Budgets
    from halubot_bots.check_queue import CheckQueue
    from halubot_bots.settings import OwnerLimits
    from halubot_bots.store import Store

# It never joins a voice channel: the library need not say what it lacks for that.
discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False

LONGEST_WAIT: Final = 60.0
"""Seconds that Discord may have a request wait, for slow mode say: a longer wait is refused."""


class HalubotClient(discord.AutoShardedClient):
    """halubot on Discord. Nothing it sends ever mentions anybody.

    ``settled`` is how many seconds answers must have stayed as they are before they are compared,
    ``pause`` how many lie between two changes of a card.
    """

    def __init__(
        self,
        owner: OwnerLimits,
        store: Store,
        budgets: Budgets,
        queue: CheckQueue,
        *,
        settled: float = SETTLED_SECONDS,
        pause: float = EDIT_SECONDS,
        **options: Any,
    ) -> None:
        intents = discord.Intents.none()
        intents.guilds = intents.guild_messages = intents.dm_messages = True
        intents.message_content = owner.reads_content
        super().__init__(
            intents=intents,
            allowed_mentions=discord.AllowedMentions.none(),
            max_messages=500,
            max_ratelimit_timeout=LONGEST_WAIT,
            **options,
        )
        self._pass_over_broken_events()
        self.owner, self.store, self.budgets, self.queue = owner, store, budgets, queue
        self.tree = app_commands.CommandTree(self)
        self.cooldowns = Cooldowns()
        self.documents = Documents()
        self.watcher = Watcher(self, settled=settled)
        self.cards = ChannelCards(self, pause)
        self.deletions = Deletions(self)
        self.private_checks = PrivateChecks(self)
        self.setting = asyncio.Lock()  # one change of settings after another
        self._loops = [self._keep_house, self._look_for_deleted, self._try_again]

    async def setup_hook(self) -> None:
        self.add_dynamic_items(CardButton, CardSelect)
        commands.register(self)
        await self.tree.set_translator(commands.Translator())
        await self.tree.sync()
        seconds = process.watchdog_seconds()
        if seconds is not None:
            self._beat.change_interval(seconds=seconds / 2)
            self._loops.append(self._beat)
        for loop in self._loops:
            loop.start()

    async def close(self) -> None:
        for loop in self._loops:
            loop.cancel()
        await self.cards.sending.close()
        await self.deletions.sweeping.close()
        await self.watcher.close()
        self.documents.close()
        await super().close()

    def settings(self, server: int | None) -> ServerSettings:
        """Return the settings of a server; those of a direct message are the usual ones."""
        if server is None:
            return ServerSettings(model=next(iter(self.owner.models), ""))
        return self.store.settings(server) if self.owner.serves(server) else ServerSettings()

    async def press(self, interaction: discord.Interaction[Any], button: CardButton) -> None:
        """Answer to a button or a choice of a card."""
        # A page takes the place of the one before it; everything else is shown anew.
        private = interaction.message is not None and interaction.message.flags.ephemeral
        update = private or (button.action == "correct" and button.kind == "card")
        answerer = self.private_checks if button.kind == "report" else self.cards
        work = partial(answerer.press, interaction, button)
        await respond(interaction, self.cooldowns, work, update=update)

    # events

    def _pass_over_broken_events(self) -> None:
        """Have an event that cannot be read passed over: in discord.py it ends the connection."""
        parsers = self._connection.parsers
        for name in parsers.keys() - {"READY", "RESUMED"}:  # without these there is no connection
            parsers[name] = partial(_parse, name, parsers[name])

    async def on_ready(self) -> None:
        process.notify(process.READY)
        count = len(self.guilds)
        process.START.info("connected as %s; servers: %d", self.user, count)
        if not count:
            process.START.info("open the link that halubot discord --check prints to invite it")
        # What came and what was deleted while there was no connection.
        self.deletions.sweeping.soon()
        await self.watcher.catch_up()

    async def on_shard_resumed(self, shard_id: int) -> None:
        self.deletions.sweeping.soon()

    async def on_message(self, message: discord.Message) -> None:
        await self.watcher.hear(message)

    async def on_interaction(self, interaction: discord.Interaction[Any]) -> None:
        self.deletions.hear(interaction.id)

    async def on_raw_message_edit(self, payload: discord.RawMessageUpdateEvent) -> None:
        await self.watcher.hear(payload.message, edited=True)

    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        await self.deletions.messages(payload.channel_id, payload.message_id)

    async def on_raw_bulk_message_delete(self, payload: discord.RawBulkMessageDeleteEvent) -> None:
        await self.deletions.messages(payload.channel_id, *payload.message_ids)

    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        await self.deletions.channel(channel.id)

    async def on_raw_thread_delete(self, payload: discord.RawThreadDeleteEvent) -> None:
        await self.deletions.channel(payload.thread_id)

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        LOG.info("server %d: the bot was removed", guild.id)
        await self.deletions.server(guild.id)

    async def on_error(self, event_method: str, /, *args: Any, **kwargs: Any) -> None:
        """Log the place of a fault, not its words, for they may be a text."""
        error = sys.exception()
        LOG.error("%s failed: %s", event_method, place_of(error) if error else "unknown")

    # what is done again and again

    @tasks.loop(hours=24)
    async def _keep_house(self) -> None:
        """Delete what has expired, and forget people who are gone."""
        await self.wait_until_ready()
        try:
            gone = await asyncio.to_thread(self.store.expire, self.owner.days_kept)
            LOG.info("%d texts expired", gone)
            await self.deletions.sweep_people()
        except HalubotError as error:
            LOG.warning("not cleaned up: %s", type(error).__name__)

    @tasks.loop(hours=1)
    async def _look_for_deleted(self) -> None:
        """Look for what was deleted where the bot was not allowed to look meanwhile."""
        if self.is_ready():
            self.deletions.sweeping.soon()

    @tasks.loop(seconds=30)
    async def _try_again(self) -> None:
        """Send and delete what could not be sent or deleted before."""
        if self.is_ready():
            self.cards.sending.soon()

    @tasks.loop(seconds=60)
    async def _beat(self) -> None:
        """Tell systemd that the loop goes on."""
        process.notify(process.ALIVE)


def _parse(name: str, parse: Callable[[Any], None], data: Any) -> None:
    try:
        parse(data)
    except Exception as error:  # noqa: BLE001 - whatever Discord left out or made otherwise
        LOG.warning("%s was passed over: %s", name, place_of(error))
