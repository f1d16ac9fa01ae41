"""What is deleted is gone: heard at once, looked for after each connection, tried until done."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final

import discord

from halubot.errors import HalubotError
from halubot_bots.discord.errors import LOG, UNSENT, code_of, outcome_of
from halubot_bots.discord.jobs import Job
from halubot_bots.discord.reading import parent_of_first

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from halubot_bots.discord.client import HalubotClient
    from halubot_bots.records import Place

PAGE: Final = 100
"""Messages that Discord names at once."""

MOST_GONE: Final = 10_000
"""Ids of what is gone that work under way is compared with."""

PEOPLE_PAUSE: Final = 0.5
"""Seconds between two people who are looked for."""


class Deletions:
    """Forgets what is gone. What the store cannot delete now, on a full disk say, is kept here and
    tried again by `retry`; what is lost here with the process is found again by `sweep`.

    Discord's ids count up: the last one that was heard tells when something was forgotten. People
    and servers come back, and what is written or asked for afterwards is new.
    """

    def __init__(self, client: HalubotClient) -> None:
        self._client, self._store = client, client.store
        self._heard = 0
        self._gone: OrderedDict[int, int] = OrderedDict()
        self._unsaved: list[Callable[[], object]] = []
        self.sweeping = Job(self._sweep)

    def hear(self, id: int) -> None:
        """Note the id of a message or an interaction that came."""
        self._heard = max(self._heard, id)

    def is_gone(self, since: int, *ids: int) -> bool:
        """Return True if one of these messages, people or places was forgotten after the message or
        interaction ``since``."""
        return any(self._gone.get(id, 0) >= since for id in ids)

    async def messages(self, channel: int, *messages: int) -> None:
        """Forget messages that are gone."""
        self._client.watcher.channels.forget(channel, *messages)
        await self._forget(messages, lambda: self._store.forget_messages(messages))

    async def channel(self, channel: int) -> None:
        """Forget a channel that is gone."""
        await self._forget([channel], lambda: self._store.forget_channel(channel))

    async def server(self, server: int) -> None:
        """Forget a server that the bot was removed from."""
        await self._forget([server], lambda: self._store.forget_server(server))

    async def person(self, person: int, server: int | None = None) -> int:
        """Forget what a person wrote or asked for. Return how many reports and cards changed.
        Raises StateError if the store cannot be used; then it is tried again later."""
        self._client.watcher.channels.forget_author(person)
        changed: list[int] = []
        error = await self._forget(
            [person], lambda: changed.append(self._store.forget_person(person, server))
        )
        if server is None:
            await self._client.queue.forget_answers(person)
            if error is not None:
                raise error
        return sum(changed)

    async def retry(self) -> None:
        """Do again what the store could not do, and delete messages of our own that are due."""
        waiting, self._unsaved = self._unsaved, []
        for forget in waiting:
            await self._save(forget)
        for errand in await asyncio.to_thread(self._store.errands):
            channel: Any = self._client.get_partial_messageable(errand.channel)
            try:
                await channel.get_partial_message(errand.message).delete()
            except UNSENT as error:
                if outcome_of(error) != "gone":
                    LOG.warning("message %d not deleted: %s", errand.message, code_of(error))
                    await asyncio.to_thread(self._store.put_off, errand)
                    continue
            await asyncio.to_thread(self._store.end_errand, errand.message)

    async def _sweep(self) -> None:
        """Look for what was deleted while nobody heard of it."""
        await self._sweep_servers()
        kept = await asyncio.to_thread(self._store.kept_messages)
        for place, messages in kept.items():
            await self._sweep_channel(place, messages)

    async def _sweep_servers(self) -> None:
        known = {guild.id for guild in self._client.guilds}
        for server in await asyncio.to_thread(self._store.servers):
            if server not in known:
                await self.server(server)

    async def _sweep_channel(self, place: Place, messages: Sequence[int]) -> None:
        """Forget the messages of a channel that its history no longer has."""
        channel: Any = self._client.get_partial_messageable(place.channel, guild_id=place.server)
        left = list(messages)
        home = parent_of_first(self._client.get_channel(place.channel))
        if left[0] == place.channel and home is not None and home.id != place.channel:
            await self._sweep_first(place, home)
            left = left[1:]
        while left:
            after = discord.Object(left[0] - 1)
            try:
                page = [one.id async for one in channel.history(limit=PAGE, after=after)]
            except UNSENT as error:
                if outcome_of(error) == "gone":
                    await self.channel(place.channel)
                else:
                    # Without the right to look nothing can be told: it stays until it expires.
                    LOG.warning("channel %d not looked at: %s", place.channel, code_of(error))
                return
            seen = max(page) if len(page) == PAGE else left[-1]
            gone = [one for one in left if one <= seen and one not in page]
            if gone:
                await self.messages(place.channel, *gone)
            left = [one for one in left if one > seen]

    async def _sweep_first(self, place: Place, home: Any) -> None:
        """Forget the message that a thread began at if it is gone from its channel."""
        try:
            await home.fetch_message(place.channel)
        except UNSENT as error:
            if outcome_of(error) == "gone":
                await self.messages(place.channel, place.channel)

    async def sweep_people(self) -> None:
        """Forget people who left a server, or whose account is gone; watched bots too."""
        for guild in list(self._client.guilds):
            people = await asyncio.to_thread(self._store.kept_people, guild.id)
            for person in people | self._client.settings(guild.id).bots:
                await asyncio.sleep(PEOPLE_PAUSE)
                try:
                    await guild.fetch_member(person)
                except discord.NotFound:
                    await self.person(person, guild.id)
                    async with self._client.setting:
                        now = self._client.settings(guild.id)
                        left = now.model_copy(update={"bots": now.bots - {person}})
                        if left != now:
                            await asyncio.to_thread(self._store.set_settings, guild.id, left)
                except UNSENT as error:
                    LOG.info("person not looked for: %s", code_of(error))

    async def _forget(
        self, ids: Sequence[int], forget: Callable[[], object]
    ) -> HalubotError | None:
        for id in ids:
            # First, so that work that ends meanwhile keeps nothing of it.
            self._gone[id] = max(self._heard, id)
            self._gone.move_to_end(id)
        while len(self._gone) > MOST_GONE:
            self._gone.popitem(last=False)
        await self._client.queue.stop(ids)
        error = await self._save(forget)
        self._client.cards.sending.soon()
        return error

    async def _save(self, forget: Callable[[], object]) -> HalubotError | None:
        """Delete something from the store, now or, if that fails, later. Return why it failed."""
        try:
            await asyncio.to_thread(forget)
        except HalubotError as error:
            LOG.warning("a deletion waits for the store: %s", type(error).__name__)
            self._unsaved.append(forget)
            return error
        return None
