"""Annotation of replies, once each after their edits have settled, in a reply, thread or
reaction."""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import discord

from halubot.errors import HalubotError
from halubot.render.captions import glyph
from halubot_bots import cards
from halubot_bots.catalogue import choose_language, phrase
from halubot_bots.checks import FaultError
from halubot_bots.desk import About, BusyError, DeclinedError, Given, UsedUpError
from halubot_bots.discord import kept_reports, permissions
from halubot_bots.discord.components import view_of
from halubot_bots.discord.error_words import MODERATED, UNSENT, place_of, unless_moderated
from halubot_bots.discord.message_content import digest_of, looks_annotated, text_of
from halubot_bots.discord.surroundings import parent_of, siblings, surroundings
from halubot_bots.entries import Key, Shown, Work
from halubot_bots.policy import Ask, Pace, Written, annotates

if TYPE_CHECKING:
    from collections.abc import Iterable

    from halubot_bots.discord.bot import HalubotClient
    from halubot_bots.entries import Quoted
    from halubot_bots.settings import ServerSettings, Style

LOG: Final = logging.getLogger("halubot.discord")

SETTLED_SECONDS: Final = 4.0
"""How long a message must have stayed as it is: bots stream by editing."""

BUSY_TRIES: Final = 10
BUSY_SECONDS: Final = 20.0
"""How often, and after how long, a check is tried again while others hold the quota."""

LONELY: Final = 20
"""Messages of a channel that wait for another answer to be compared with."""

SHORTEST: Final = 20
"""Characters of a message that is worth a check."""


@dataclass(frozen=True, slots=True)
class Unsettled:
    """A message of which nothing could be said; ``compared`` are the authors of the answers that it
    was compared with, and ``checked`` says whether that was a check that counted."""

    message: discord.Message
    text: str
    compared: frozenset[int] = frozenset()
    checked: bool = False

    def may_answer_with(self, other: discord.Message) -> bool:
        """Return True if another message may be a new answer to the same question: a reply to the
        same message, or where nobody replied one that stands beside it."""
        if other.author.id in {self.message.author.id, *self.compared}:
            return False
        return _replied_to(self.message) == _replied_to(other)


class Annotator:
    """Watches what is written if a server wants it checked. A message is in work from when it is
    heard until it is annotated; what a crash breaks off is taken up after the next start."""

    def __init__(self, client: HalubotClient, *, settled: float = SETTLED_SECONDS) -> None:
        self._client = client
        self.settled = settled
        self.again = BUSY_SECONDS
        self._waiting: dict[int, asyncio.Task[None]] = {}
        self._begun: set[int] = set()
        self.pace = Pace(client.desk.owner.per_minute)
        self._lonely: dict[int, dict[int, Unsettled]] = {}
        """Messages of which nothing could be said, by channel: the last of each."""
        self._settling_now: set[int] = set()

    @property
    def busy(self) -> list[asyncio.Task[None]]:
        """The tasks of messages that wait or are in work."""
        return list(self._waiting.values())

    async def hear(self, message: discord.Message, text: str) -> None:
        """A message was written or edited, and says this: it waits until its edits have settled.
        The library changes the message itself when Discord puts previews of links below it."""
        if message.guild is None:
            return
        if await self._is_wanted(message):
            self._start(message, text)
        if message.author.bot or message.webhook_id is not None:
            self._compare_again(message)
        elif not isinstance(message.channel, discord.Thread):
            # What bots write from now on answers this person, unless it replies to another message.
            self._lonely[message.channel.id] = {
                id: one
                for id, one in self._lonely.get(message.channel.id, {}).items()
                if _replied_to(one.message) is not None
            }

    def _compare_again(self, message: discord.Message) -> None:
        """An answer by a bot came: others to the same question are compared with it, once."""
        for one in self._lonely.get(message.channel.id, {}).values():
            waits = one.message.id in self._waiting
            # An answer that is streamed by edits is waited for.
            if waits and one.message.id not in self._settling_now:
                continue
            if one.message.id != message.id and one.may_answer_with(message):
                self._start(one.message, one.text, again=one)

    async def note_deletion(self, message: int) -> None:
        """A message was deleted: its check is broken off."""
        task = self._waiting.pop(message, None)
        if task is not None:
            task.cancel()
        self._begun.discard(message)
        for others in self._lonely.values():
            others.pop(message, None)

    async def close(self) -> None:
        """Stop all that waits; what was begun is known after the next start."""
        tasks = list(self._waiting.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=5)

    def has(self, message: int) -> bool:
        """Return True if a message waits or is in work here."""
        return message in self._waiting

    def start(self, message: discord.Message, reply: int | None) -> None:
        """Take up a message that was in work before a crash; ``reply`` is what was sent then."""
        self._begun.add(message.id)
        self._start(message, text_of(message), reply)

    def _start(
        self,
        message: discord.Message,
        text: str,
        reply: int | None = None,
        again: Unsettled | None = None,
    ) -> None:
        before = self._waiting.get(message.id)
        task = asyncio.create_task(
            self._later(message, text, before, reply, again), name=f"annotate {message.id}"
        )
        self._waiting[message.id] = task
        task.add_done_callback(lambda done: self._note_end(message.id, done))

    def _note_end(self, message: int, task: asyncio.Task[None]) -> None:
        if self._waiting.get(message) is task:
            del self._waiting[message]
        error = None if task.cancelled() else task.exception()
        if error is not None:
            # Otherwise asyncio logs it when the task is collected, with a traceback and its words.
            LOG.error("message %d was not annotated: %s", message, place_of(error))

    async def _is_wanted(self, message: discord.Message) -> bool:
        server, channel = await self._settings(message), message.channel
        return annotates(self._read_message(message), channel.id, parent_of(channel), server)

    async def _settings(self, message: discord.Message) -> ServerSettings:
        """The settings as they are where a message stands."""
        channel = message.channel
        found = await self._client.desk.settings(message.guild.id if message.guild else None)
        return found.in_channel(channel.id, parent_of(channel))

    def _read_message(self, message: discord.Message) -> Written:
        us = self._client.user.id if self._client.user else 0
        reference = message.reference.resolved if message.reference else None
        to_us = isinstance(reference, discord.Message) and reference.author.id == us
        return Written(
            author=message.webhook_id or message.author.id,
            bot=message.author.bot,
            webhook=message.webhook_id is not None,
            ours=message.author.id == us,
            marked=looks_annotated(message),
            to_us=to_us,
        )

    async def _later(
        self,
        message: discord.Message,
        text: str,
        before: asyncio.Task[None] | None,
        reply: int | None,
        again: Unsettled | None,
    ) -> None:
        """Annotate a message once it has settled; ``before`` is the work on an earlier version of
        it, which ends. Cancelled, it stays in work. ``again`` is what is known of it if only the
        answers beside it are new."""
        memory = self._client.desk.memory
        if before is not None:
            before.cancel()
            # Two tasks for one message would race for its row of work and its reply.
            await asyncio.wait([before])
        if await asyncio.to_thread(memory.opted_out, message.author.id):
            return
        server = message.guild.id if message.guild else None
        work = Work(message.id, message.channel.id, server, message.author.id, reply)
        begun = await asyncio.to_thread(memory.begin, work, digest_of(text))
        # Another process, or this one before a restart, may have taken it: the base decides, not
        # memory.
        if not begun and message.id not in self._begun:
            return  # annotated as it stands, or in work elsewhere
        self._begun.add(message.id)
        # Bots stream their answers by edits: a check of half an answer would be wrong and paid for.
        self._settling_now.add(message.id)
        try:
            await asyncio.sleep(await self._settling(message))
        finally:
            self._settling_now.discard(message.id)
        free = again is not None and again.checked
        if len(text) >= SHORTEST and (free or await self._in_turn(message)):
            await self._annotate(message, text, reply, again)
        self._begun.discard(message.id)
        await asyncio.to_thread(memory.end, message.id)

    async def _settling(self, message: discord.Message) -> float:
        """Return the seconds that a message must stay as it is there."""
        settled = (await self._settings(message)).settled
        return self.settled if settled is None else settled

    async def _in_turn(self, message: discord.Message) -> bool:
        """Wait until there is room for one more annotation in the channel; False if there are far
        too many."""
        pause = self.pace.slot(message.channel.id, time.monotonic())
        if pause is None:
            await permissions.note_crowding(self._client, message)
            return False
        await asyncio.sleep(pause)
        return True

    async def _annotate(
        self, message: discord.Message, text: str, reply: int | None, again: Unsettled | None
    ) -> None:
        """Check a message and show the result as the server wants it. While others hold the
        quota, it is tried again."""
        settings = await self._settings(message)
        style = settings.style
        if message.guild is not None:
            # Each task has its own context, so this language holds for this message alone.
            choose_language(settings.language or message.guild.preferred_locale)
        try:
            for _ in range(BUSY_TRIES):
                try:
                    await self._check(message, text, style, reply, again)
                except BusyError:
                    await asyncio.sleep(self.again)
                else:
                    return
            LOG.warning("message %d not annotated: other checks hold the quota", message.id)
        except UsedUpError as error:
            await permissions.used_up(self._client, message, error)
        except DeclinedError as error:
            LOG.info("message %d: %s", message.id, error)
        except FaultError as error:
            what = error.what.partition(":")[0]
            LOG.error("message %d could not be checked: %s", message.id, what)
        except HalubotError as error:
            LOG.warning("message %d could not be checked: %s", message.id, type(error).__name__)
        except discord.Forbidden:
            await permissions.tell(self._client, message, style)
        except discord.NotFound:
            LOG.info("message %d or its channel is gone", message.id)
        except discord.HTTPException as error:
            LOG.warning("message %d not annotated: %d, %d", message.id, error.status, error.code)
            if error.code in MODERATED:
                await permissions.note_refusal(self._client, message, "moderated")
        except discord.RateLimited as error:
            LOG.warning("message %d not annotated: wait %.0f s", message.id, error.retry_after)
            if getattr(message.channel, "slowmode_delay", 0):
                await permissions.note_refusal(self._client, message, "slow")
        except UNSENT as error:
            LOG.warning("message %d not annotated: %s", message.id, type(error).__name__)

    async def _check(
        self,
        message: discord.Message,
        text: str,
        style: Style,
        reply: int | None,
        again: Unsettled | None,
    ) -> None:
        client, channel = self._client, message.channel
        memory = client.desk.memory
        about = About(Key(message.id), message.author.id, memory.forgettings)
        given, authors = await self._collect_given(message)
        known = again or Unsettled(message, text)
        seen = replace(known, compared=known.compared | authors)
        if again is not None and again.compared >= authors:
            return  # what came answers something else
        parent = parent_of(channel)
        server = message.guild.id if message.guild else None
        ask = Ask("watch", message.author.id, channel.id, server=server, parent=parent)
        elsewhere = await client.desk.looks_elsewhere(server, channel.id, parent)
        if not (given.samples or given.references or elsewhere):
            await self._say_nothing(seen, reply)
            return
        # What was checked before is compared with the new answer by words alone, which costs
        # nothing, and counts as nothing.
        given = replace(given, modelless=known.checked)
        report = await client.desk.check(ask, text, given, about=about, counted=not known.checked)
        # A public card that says only "not checked" would be noise under every message.
        if all(fact.verdict == "not_checked" for fact in report.facts):
            await self._say_nothing(replace(seen, checked=True), reply)
            return
        self._lonely.get(channel.id, {}).pop(message.id, None)
        keep = partial(
            kept_reports.keep, client, message, report, about, asked_by=message.author.id, text=text
        )
        # Before it is shown: its buttons look the report up.
        kept = await keep()
        before = kept.annotation if kept.annotation != message.id else None
        card = with_voices(cards.overview(kept.report), given.quoted, message)
        annotate = partial(show, client, message, style=style, before=reply or before)
        shown = await unless_moderated(
            annotate(card=card),
            lambda: annotate(card=cards.without_quotes(kept.report)),
            "an annotation",
        )
        await keep(annotation=shown)
        if await asyncio.to_thread(memory.report, message.id) is None:  # forgotten meanwhile
            await kept_reports.take_back(client, (await client.desk.drop(message.id)).shown)
        await permissions.note_mended(client, channel.id)

    async def _collect_given(self, message: discord.Message) -> tuple[Given, frozenset[int]]:
        """Return the surroundings of a message, with the answers of other bots to the same, and the
        authors of these."""
        given = await surroundings(self._client, message)
        others = await siblings(self._client, message, by_bots=True)
        quoted = (*given.quoted, *(one.quoted for one in others))
        given = replace(given, samples=tuple(one.text for one in others), quoted=quoted)
        return given, frozenset(one.quoted.person for one in others)

    async def _say_nothing(self, seen: Unsettled, reply: int | None) -> None:
        """Say nothing in public of a message that has nothing to be compared with. An annotation of
        an earlier version is taken back. Who manages the server is told, once."""
        client, message = self._client, seen.message
        channel = self._lonely.setdefault(message.channel.id, {})
        channel[message.id] = seen
        while len(channel) > LONELY:
            channel.pop(next(iter(channel)))
        shown = await asyncio.to_thread(client.desk.memory.withdraw, message.id)
        await kept_reports.take_back(client, shown)
        if reply is not None:
            await kept_reports.take_back(client, [Shown(message.channel.id, reply)])
        await permissions.nothing_to_compare(client, message)


def _replied_to(message: discord.Message) -> int | None:
    """The message that one is a reply to."""
    return message.reference.message_id if message.reference else None


VOICES: Final = 5
"""People that an annotation names whose messages it was compared with."""

REACTIONS: Final = {"contradicted": "❌", "doubtful": "❓", "not_checked": "⚪", "supported": "✅"}
"""The reaction by the tone of the card."""


async def show(
    client: HalubotClient,
    message: discord.Message,
    card: cards.Card,
    style: Style,
    before: int | None = None,
) -> int:
    """Annotate a message. Return the id of what holds the annotation, its own for a reaction.
    ``before`` is an annotation that stands already: it is changed, and nothing is sent. Raises
    discord.HTTPException."""
    if style == "reaction":
        await _react(client, message, card)
        return message.id
    view = view_of(card, message.id)
    channel: Any = message.channel
    place: Any = channel
    if style == "thread" and isinstance(channel, discord.TextChannel):
        place = await _thread(message)
    if before is not None:
        for where in dict.fromkeys((place, channel)):
            with suppress(discord.NotFound):
                await where.get_partial_message(before).edit(view=view)
                return before
    reply: dict[str, Any] = {} if place is not channel else {"reference": message}
    sent = await place.send(
        view=view, mention_author=False, nonce=message.id, silent=True, **reply
    )  # sent again after a crash, it is the same message by its nonce
    memory = client.desk.memory
    await asyncio.to_thread(memory.note_reply, message.id, sent.id)
    await asyncio.to_thread(memory.show, message.id, place.id, sent.id)
    return int(sent.id)


def with_voices(card: cards.Card, quoted: Iterable[Quoted], message: discord.Message) -> cards.Card:
    """The card with a line that names whose messages it was compared with, for them to see."""
    people = dict.fromkeys(one.person for one in quoted if one.person != message.author.id)
    if not people:
        return card
    named = ", ".join(f"<@{id}>" for id in list(people)[:VOICES])
    if len(people) > VOICES:
        named = phrase("card.voices_more", people=named, count=len(people) - VOICES)
    line = f"-# {phrase('card.voices', people=named)}"
    return card.model_copy(update={"small": "\n".join(filter(None, (card.small, line)))})


async def _thread(message: discord.Message) -> discord.Thread:
    """The thread at a message, a new one if there is none."""
    if message.thread is not None:
        return message.thread
    try:
        return await message.create_thread(
            name=f"{glyph('doubtful')} halubot", auto_archive_duration=1440
        )
    except discord.HTTPException as error:
        if error.code != 160004:  # somebody, or we before a crash, opened it meanwhile
            raise
    channel: Any = await message.guild.fetch_channel(message.id) if message.guild else None
    assert isinstance(channel, discord.Thread)  # noqa: S101 - it has the message's id
    return channel


async def _react(client: HalubotClient, message: discord.Message, card: cards.Card) -> None:
    """The reaction that says the result, in place of one of ours that says another."""
    wanted = REACTIONS.get(card.tone, REACTIONS["not_checked"])
    await message.add_reaction(wanted)
    for old in message.reactions:
        if old.me and client.user and str(old.emoji) in REACTIONS.values() and old.emoji != wanted:
            await message.remove_reaction(old.emoji, client.user)
