"""The client: connects, registers what can be asked for, and keeps the cards of its channels."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import sys
import time
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import discord
from discord.ext import tasks

from halubot.errors import HalubotError
from halubot_bots import process
from halubot_bots.catalogue import choose_language, phrase
from halubot_bots.corrections import corrections
from halubot_bots.disagreement_cards import channel_card, chooser, chosen, details
from halubot_bots.discord import commands
from halubot_bots.discord.components import CardButton, CardSelect, view_of
from halubot_bots.discord.deletions import Deletions
from halubot_bots.discord.errors import UNSENT, code_of, outcome_of, place_of
from halubot_bots.discord.private_checks import PrivateChecks
from halubot_bots.discord.responding import Cooldowns, Reply, message, respond
from halubot_bots.discord.watcher import SETTLED_SECONDS, Watcher
from halubot_bots.documents import Documents
from halubot_bots.feedback import mark_difference
from halubot_bots.settings import ServerSettings

if TYPE_CHECKING:
    from collections.abc import Callable

    from halubot_bots.budgets import Budgets
    from halubot_bots.check_queue import CheckQueue
    from halubot_bots.discord.errors import Outcome
    from halubot_bots.records import Disagreement, KeptCard, Place, Quoted
    from halubot_bots.settings import OwnerLimits
    from halubot_bots.store import Store

LOG: Final = logging.getLogger("halubot.discord")

# It never joins a voice channel: the library need not say what it lacks for that.
discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False

LONGEST_WAIT: Final = 60.0
"""Seconds that Discord may have a request wait, for slow mode say: a longer wait is refused."""

STALE_SECONDS: Final = 3_600.0
"""Seconds after a question for which a card waits for the permission to be sent."""

EDITS: Final = 15
"""Times that a card is changed at most: bots that keep editing their answers move it no more."""

REFUSALS: Final = 3
"""Refusals without a known reason after which a card is given up."""

EDIT_SECONDS: Final = 5.0
"""Seconds between two changes of a card."""


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
        self.reads_content = owner.reads_content
        self.tree = commands.Tree(self)
        self.cooldowns = Cooldowns()
        self.documents = Documents()
        self.watcher = Watcher(self, settled=settled)
        self.deletions = Deletions(self)
        self.private_checks = PrivateChecks(self)
        self._pause = pause
        self._changed: dict[int, float] = {}
        self._refusals: Counter[int] = Counter()
        self._settings: dict[int, ServerSettings] = {}
        self._left_out: dict[int, bool] = {}
        self._flushing = asyncio.Lock()
        self._flush = asyncio.Event()
        self._jobs: list[asyncio.Task[None]] = []

    async def setup_hook(self) -> None:
        self.add_dynamic_items(CardButton, CardSelect)
        commands.register(self)
        await self.tree.set_translator(commands.Translator())
        await self._sync()
        await self.watcher.begin()
        self._keep_house.start()
        self._try_again.start()
        self._look_for_people.start()
        self._jobs.append(asyncio.create_task(self._flush_when_told(), name="flush"))
        seconds = process.watchdog_seconds()
        if seconds is not None:
            self._beat.change_interval(seconds=seconds / 2)
            self._beat.start()

    async def close(self) -> None:
        for loop in (self._keep_house, self._try_again, self._look_for_people, self._beat):
            loop.cancel()
        for job in self._jobs:
            job.cancel()
        await self.watcher.close()
        await self.deletions.close()
        self.documents.close()
        await super().close()

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
        await self._begin_session()

    async def on_resumed(self) -> None:
        await self._begin_session()

    async def on_shard_resumed(self, shard_id: int) -> None:
        self.deletions.sweep_soon()

    async def _begin_session(self) -> None:
        """Look for what came and what was deleted while there was no connection."""
        self.deletions.sweep_soon()
        await self.watcher.catch_up()

    async def on_message(self, message: discord.Message) -> None:
        await self.watcher.hear(message)

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

    # buttons

    async def press(self, interaction: discord.Interaction[Any], button: CardButton) -> None:
        """Answer to a button or a choice of a card."""
        # A page takes the place of the one before it; everything else is shown anew.
        private = interaction.message is not None and interaction.message.flags.ephemeral
        update = private or (button.action == "correct" and button.kind == "card")

        async def work() -> Reply | None:
            if button.kind == "report":
                return await self.private_checks.press(interaction, button)
            return await self._press_card(interaction, button)

        await respond(interaction, self.cooldowns, work, update=update)

    async def _press_card(
        self, interaction: discord.Interaction[Any], button: CardButton
    ) -> Reply | None:
        of, person = button.of, interaction.user.id
        kept = await asyncio.to_thread(self.store.card, of)
        # Discord lets nobody press what they do not see; a forged id is answered nowhere else.
        if kept is None or kept.place.channel != interaction.channel_id:
            return message(phrase("declined.no_report_headline"), phrase("declined.no_card"))
        match button.action:
            case "details" | "none":
                for one in kept.what.differences if button.action == "none" else ():
                    if mark_difference(one) == button.choice:  # the reader says that it is none
                        said = (button.choice, "wrong", {"verdict": "difference", "kind": one.kind})
                        await asyncio.to_thread(self.store.say, person, kept.place.server, *said)
                words = await asyncio.to_thread(self.store.words, person)
                pages = details(kept.what, kept.place, words)
                return Reply(pages, "card", of, "details", button.page)
            case "choose":
                return Reply([chooser(kept.what)], "card", of)
            case "chosen":
                made = chosen(kept.what, button.choice)
                if made is None:
                    return Reply([chooser(kept.what)], "card", of)
                return Reply(made, "card", of, f"chosen:{button.choice}", button.page)
            case "correct":
                if corrections(kept.what) and not kept.what.corrected:
                    update = {"corrected": True, "corrector": person}
                    what = kept.what.model_copy(update=update)
                    await asyncio.to_thread(self.store.change_card, of, what)
                    self._changed.pop(of, None)
                    self.flush_soon()
                return None
            case _:
                return None

    # what the parts share

    async def settings(self, server: int | None) -> ServerSettings:
        """Return the settings of a server; those of a direct message are the usual ones."""
        if server is None:
            return ServerSettings(model=self.owner.models[0] if self.owner.models else "")
        if server not in self._settings:
            self._settings[server] = await asyncio.to_thread(self.store.settings, server)
        found = self._settings[server]
        return found if self.owner.serves(server) else ServerSettings(members=False)

    async def set_settings(self, server: int, settings: ServerSettings) -> None:
        """Keep the settings of a server."""
        await asyncio.to_thread(self.store.set_settings, server, settings)
        self._settings[server] = settings

    def drop_settings(self, server: int) -> None:
        """Read the settings of a server again when they are needed."""
        self._settings.pop(server, None)

    async def is_left_out(self, person: int) -> bool:
        """Return True if a person asked for nothing of theirs to be used."""
        if person not in self._left_out:
            if len(self._left_out) > 50_000:
                self._left_out.clear()
            self._left_out[person] = await asyncio.to_thread(self.store.left_out, person)
        return self._left_out[person]

    def drop_left_out(self, person: int) -> None:
        """Look again if a person is left out."""
        self._left_out.pop(person, None)

    async def hear(self, channel: int, server: int, message: int) -> None:
        """Note the last message of a channel that was looked at."""
        try:
            await asyncio.to_thread(self.store.hear, channel, server, message)
        except HalubotError as error:  # a full disk: the message is compared all the same
            LOG.warning("not noted: %s", type(error).__name__)

    async def heard(self) -> dict[int, int]:
        """Return the last message that was looked at, by channel."""
        return await asyncio.to_thread(self.store.heard)

    async def card(self, question: int) -> KeptCard | None:
        """Return the card of a question."""
        return await asyncio.to_thread(self.store.card, question)

    async def change_question(self, question: int, text: str) -> None:
        """Keep the new words of a question whose author changed it, and not the old ones."""
        kept = await self.card(question)
        if kept is not None and kept.what.asked and kept.what.asked != text:
            what = kept.what.model_copy(update={"asked": text})
            await asyncio.to_thread(self.store.change_card, question, what)
            await asyncio.to_thread(self.store.base.scrub)
            self.flush_soon()

    async def keep_card(self, question: Quoted, place: Place, what: Disagreement) -> None:
        """Keep a card and have it shown, unless something that it has words of is gone."""
        gone = self.deletions
        words = [one.message for one in what.answers] + [one.author for one in what.answers]
        if gone.is_gone(place.channel, place.server or 0, *words):
            return
        asked = not gone.is_gone(question.message, question.person)
        asked = asked and bool(what.asked)
        if not asked:
            what = what.model_copy(update={"asked": ""})
        await asyncio.to_thread(self.store.keep_card, question, place, what, asked=asked)
        lost = [id for id in (question.message, *words) if gone.is_gone(id)]
        if lost:  # deleted while it was written
            await asyncio.to_thread(self.store.forget_messages, lost)
        self.flush_soon()

    # sending

    def flush_soon(self) -> None:
        """Have cards sent and messages deleted. Returns at once."""
        self._flush.set()

    @property
    def idle(self) -> bool:
        """True if nothing is being compared, sent or deleted."""
        return not (
            self.watcher.busy
            or self._flush.is_set()
            or self._flushing.locked()
            or self.deletions.sweeping
        )

    async def _flush_when_told(self) -> None:
        while True:
            await self._flush.wait()
            async with self._flushing:
                self._flush.clear()
                await self._flush_now()

    async def _flush_now(self) -> None:
        try:
            await self.deletions.retry()
            now, later = time.monotonic(), []
            for kept in await asyncio.to_thread(self.store.dirty_cards):
                wait = self._changed.get(kept.question, -self._pause) + self._pause - now
                if kept.message is not None and wait > 0:
                    later.append(wait)  # edits come together, so that a card does not flicker
                else:
                    await self._send(kept)
            if later:
                asyncio.get_running_loop().call_later(min(later), self.flush_soon)
        except HalubotError as error:
            LOG.warning("cards wait for the store: %s", type(error).__name__)

    async def _send(self, kept: KeptCard) -> None:
        """Send or edit one card; what may pass is tried again, what will not is given up."""
        settings = await self.settings(kept.place.server)
        guild = self.get_guild(kept.place.server or 0)
        choose_language(settings.language or (guild.preferred_locale if guild else "en"))
        if kept.message is None and not kept.what.differences:
            await asyncio.to_thread(self.store.give_up, kept.question)
            return
        if kept.edits >= EDITS:
            await asyncio.to_thread(self.store.give_up, kept.question)
            return
        channel = self.get_channel(kept.place.channel)
        if guild and isinstance(channel, (discord.abc.GuildChannel, discord.Thread)):
            may = channel.permissions_for(guild.me)
            is_thread = isinstance(channel, discord.Thread)
            if not (may.send_messages_in_threads if is_thread else may.send_messages):
                if self._is_old(kept):
                    await asyncio.to_thread(self.store.give_up, kept.question)
                return  # the permission may come back
        for quotes in (True, False):
            try:
                sent = await self._show(kept, quotes=quotes)
            except UNSENT as error:
                outcome = outcome_of(error)
                LOG.warning("card %d not shown: %s", kept.question, code_of(error))
                if outcome == "moderated" and quotes:
                    continue
                if outcome == "gone" and kept.message is not None:
                    # Whoever deleted it did not want it.
                    await asyncio.to_thread(self.store.forget_messages, [kept.message])
                elif outcome == "gone":
                    await self.deletions.channel(kept.place.channel)
                elif self._is_hopeless(kept, outcome):
                    await asyncio.to_thread(self.store.give_up, kept.question)
                return
            self._refusals.pop(kept.question, None)
            self._changed[kept.question] = time.monotonic()
            if len(self._changed) > 5_000:
                self._changed.pop(next(iter(self._changed)))
            await asyncio.to_thread(self.store.note_shown, kept.question, sent, kept.what)
            return

    def _is_hopeless(self, kept: KeptCard, outcome: Outcome) -> bool:
        """Return True if a card that was not taken is not to be tried again."""
        if outcome == "retry":
            return False
        if outcome == "refused":
            self._refusals[kept.question] += 1
            if self._refusals[kept.question] < REFUSALS:
                return False
            del self._refusals[kept.question]
        return outcome != "forbidden" or self._is_old(kept)

    @staticmethod
    def _is_old(kept: KeptCard) -> bool:
        """Return True if nobody would look for the card of a question any more."""
        age = discord.utils.utcnow() - discord.utils.snowflake_time(kept.question)
        return age.total_seconds() > STALE_SECONDS

    async def _show(self, kept: KeptCard, *, quotes: bool) -> int:
        """Show a card in its channel. Return the id of its message."""
        view = view_of(channel_card(kept.what, kept.place, quotes=quotes), "card", kept.question)
        place = kept.place
        channel = self.get_partial_messageable(place.channel, guild_id=place.server)
        if kept.message is not None:
            await channel.get_partial_message(kept.message).edit(view=view)
            return kept.message
        reference = discord.MessageReference(
            message_id=kept.question,
            channel_id=place.channel,
            guild_id=place.server,
            fail_if_not_exists=False,
        )
        # Sent again after a crash, it is the same message by its nonce.
        sent = await channel.send(
            view=view,
            reference=reference,
            mention_author=False,
            nonce=kept.question,
            silent=True,
        )
        return sent.id

    # what is done again and again

    @tasks.loop(hours=1)
    async def _keep_house(self) -> None:
        """Delete what has expired."""
        try:
            gone = await asyncio.to_thread(self.store.expire, self.owner.days_kept)
        except HalubotError as error:
            LOG.warning("nothing expired: %s", type(error).__name__)
        else:
            if gone:
                LOG.info("%d texts expired", gone)

    @tasks.loop(seconds=30)
    async def _try_again(self) -> None:
        """Send and delete what could not be sent or deleted before."""
        if self.is_ready():
            self.flush_soon()

    @tasks.loop(hours=24)
    async def _look_for_people(self) -> None:
        """Forget people who are gone."""
        await self.wait_until_ready()
        try:
            await self.deletions.sweep_people()
        except HalubotError as error:
            LOG.warning("nobody was looked for: %s", type(error).__name__)

    @tasks.loop(seconds=60)
    async def _beat(self) -> None:
        """Tell systemd that the loop goes on."""
        process.notify(process.ALIVE)

    async def _sync(self) -> None:
        """Register the commands if they are others than last time: Discord lets an application
        make only so many a day, and a restart need not ask."""
        translator, all_commands = self.tree.translator, self.tree.get_commands()
        assert translator is not None  # noqa: S101 - it was set before
        payload = [
            await command.get_translated_payload(self.tree, translator) for command in all_commands
        ]
        made = json.dumps([self.application_id, payload], sort_keys=True, default=str)
        digest = hashlib.sha256(made.encode()).hexdigest()
        if await asyncio.to_thread(self.store.read_note, "commands") != digest:
            await self.tree.sync()
            await asyncio.to_thread(self.store.note, "commands", digest)


def _parse(name: str, parse: Callable[[Any], None], data: Any) -> None:
    try:
        parse(data)
    except Exception as error:  # noqa: BLE001 - whatever Discord left out or made otherwise
        LOG.warning("%s was passed over: %s", name, place_of(error))
