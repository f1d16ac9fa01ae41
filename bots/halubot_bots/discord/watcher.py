"""Watches answers: waits until the last one to a question has settled, compares them once, and
keeps the card of the question."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import discord
from discord.app_commands import Cooldown
from discord.ext.commands import CooldownMapping

from halubot.errors import HalubotError
from halubot_bots.answer_parts import LONGEST
from halubot_bots.check_options import budgets_unasked, evidence_options
from halubot_bots.check_queue import Request
from halubot_bots.differences import ANSWERS, find_differences
from halubot_bots.discord.errors import LOG, UNSENT, code_of, place_of
from halubot_bots.discord.reading import is_card, parent_of, parent_of_first, post_of
from halubot_bots.questions import POSTS, Channels, Post
from halubot_bots.records import Answer, Disagreement, Place, Quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halubot_bots.differences import Difference
    from halubot_bots.discord.client import HalubotClient
    from halubot_bots.settings import ServerSettings

SETTLED_SECONDS: Final = 4.0
"""Seconds for which the answers to a question must have stayed as they are."""

LONGEST_SECONDS: Final = 30.0
"""Seconds after which answers are compared although one of them is still being edited."""

QUESTIONS: Final = 2_000
"""Questions that are remembered."""

BEFORE_SECONDS: Final = 90.0
"""Seconds before the last message that was heard which are looked at too."""

MISSED: Final = 200
"""Messages of a channel that are looked at after a time without connection."""

A_MINUTE: Final = 20
"""Comparisons of what one person asked in a minute; more wait."""


@dataclass(eq=False, slots=True)
class _Question:
    """A question whose answers are watched. ``compared`` are the answers as they were compared
    last, ``since`` is when the first change after that came, ``due`` when they are compared again
    (0: they need not be), and ``moved`` is set if that was put off or brought forward."""

    place: Place
    asked: Post
    compared: tuple[tuple[int, str], ...] = ()
    since: float = 0.0
    due: float = 0.0
    moved: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None


class Watcher:
    """Hears messages and their edits. ``settled`` is how long answers must stay as they are."""

    def __init__(self, client: HalubotClient, *, settled: float = SETTLED_SECONDS) -> None:
        self._client, self._store = client, client.store
        self._settled = settled
        self.channels = Channels()
        self._noting = asyncio.Lock()
        self._questions: OrderedDict[int, _Question] = OrderedDict()
        pace = Cooldown(A_MINUTE, 60.0)
        self._paces = CooldownMapping[_Question](pace, lambda question: question.asked.author)

    async def hear(self, message: discord.Message, *, edited: bool = False) -> None:
        """Take note of a message, or of its new version; answers of watched bots are compared."""
        self._client.deletions.hear(message.id)
        # In the order in which they came, or an old version might follow a new one.
        async with self._noting:
            noted = await self._note(message, edited=edited)
        if noted is None or message.guild is None:
            return
        post, settings = noted
        if not edited and self._client.is_ready():  # else older ones are still to be heard
            heard = (message.channel.id, message.guild.id, message.id)
            try:
                await asyncio.to_thread(self._store.hear, *heard)
            except HalubotError as error:  # a full disk: the message is compared all the same
                LOG.warning("not noted: %s", type(error).__name__)
        if post.answers:
            await self._fetch_question(message, post, settings)
            self._schedule(Place(message.channel.id, message.guild.id), post)

    async def _note(
        self, message: discord.Message, *, edited: bool
    ) -> tuple[Post, ServerSettings] | None:
        """Remember a message that matters; None if it does not, or is remembered as it is."""
        guild, channel = message.guild, message.channel
        if guild is None or is_card(message):
            return None
        settings = self._client.settings(guild.id)
        if not settings.watches(channel.id, parent_of(channel)):
            return None
        post = post_of(message, settings)
        if message.author.bot and not post.answers:
            return None  # what other bots, webhooks and apps of members write is nobody's answer
        if not post.answers and (edited or self._store.left_out(post.author)):
            if edited:
                await self._client.cards.change_question(post.id, post.text[:LONGEST])
                if self.channels.has(channel.id, post.id):
                    self.channels.note(channel.id, post)
            return None
        if self.channels.has_same(channel.id, post):
            return None  # heard before, or changed in what is no text
        self.channels.note(channel.id, post)
        return post, settings

    async def catch_up(self) -> None:
        """Hear what was written in watched channels while there was no connection, and what was
        heard but not compared before a restart."""
        for channel_id, last in (await asyncio.to_thread(self._store.heard)).items():
            channel: Any = self._client.get_channel(channel_id)
            if channel is None:
                continue
            try:
                # A few messages before the last one, for the question that they answer.
                after = discord.Object(max(0, last - (int(BEFORE_SECONDS * 1000) << 22)))
                async for message in channel.history(limit=MISSED, after=after, oldest_first=True):
                    await self.hear(message)
            except UNSENT as error:
                LOG.warning("channel %d was not caught up: %s", channel_id, code_of(error))

    async def close(self) -> None:
        """Stop all work."""
        tasks = [one.task for one in self._questions.values() if one.task is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=5)

    async def _fetch_question(
        self, message: discord.Message, post: Post, settings: ServerSettings
    ) -> None:
        """Look up what an answer replies to, or the first message of its thread, if it is not
        remembered, and the answers to it."""
        channel: Any = message.channel
        wanted = post.reply_to or (channel.id if post.thread else None)
        for _ in range(3):
            if wanted is None or self.channels.has(message.channel.id, wanted):
                return
            home = parent_of_first(channel) if wanted == channel.id else channel
            if home is None:
                return
            try:
                asked = post_of(await home.fetch_message(wanted), settings)
                if self._store.left_out(asked.author):
                    return
                self.channels.note(channel.id, asked)
                async for one in channel.history(limit=POSTS // 2, after=discord.Object(wanted)):
                    other = await self._note(one, edited=False)
                    if other is not None and other[0].answers:
                        self.channels.question_of(channel.id, other[0])
            except UNSENT:
                return
            wanted = asked.reply_to if asked.answers else None

    def _schedule(self, place: Place, post: Post) -> None:
        """Have the answers to a question compared once they have settled."""
        asked = self.channels.question_of(place.channel, post)
        if asked is None or not post.text.strip():
            return
        question = self._questions.setdefault(asked.id, _Question(place, asked))
        self._questions.move_to_end(asked.id)
        if len(self._questions) > QUESTIONS:
            self._questions.popitem(last=False)
        now = time.monotonic()
        question.since = question.since or now
        question.due = min(now + self._settled, question.since + LONGEST_SECONDS)
        question.moved.set()
        # One at a time: whoever edits an answer without end must not break off each comparison.
        if question.task is None:
            work = self._compare_when_due(question)
            question.task = asyncio.create_task(work, name=f"compare {asked.id}")

    async def _compare_when_due(self, question: _Question) -> None:
        while question.due:
            question.moved.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(question.moved.wait(), question.due - time.monotonic())
                continue
            question.due = question.since = 0.0
            try:
                await self._compare_once(question)
            except Exception as error:  # noqa: BLE001 - asyncio would log its words: maybe a text
                LOG.error("question %d was not compared: %s", question.asked.id, place_of(error))
        question.task = None

    async def _compare_once(self, question: _Question) -> None:
        """Compare the answers to a question unless they were compared as they are."""
        channel, asked = question.place.channel, question.asked.id
        answers = self.channels.answers_to(channel, asked)
        if kept := await asyncio.to_thread(self._store.card, asked):
            # Those that its card quotes may be remembered no more.
            known = {one.author for one in answers}
            left = [one for one in kept.what.answers if one.author not in known]
            answers += [Post(one.message, one.author, one.text, at=0.0) for one in left]
        answers = sorted(answers, key=lambda one: one.id)[-ANSWERS:]
        state = tuple((one.id, one.text) for one in answers)
        if state == question.compared:
            return
        # Nothing announces the end of a cooldown: it tells how long it lasts.
        while turn := self._paces.update_rate_limit(question):  # noqa: ASYNC110 - a known length
            await asyncio.sleep(turn)
        await self._compare(question, answers)
        question.compared = state

    async def _compare(self, question: _Question, posts: Sequence[Post]) -> None:
        settings, asked = self._client.settings(question.place.server), question.asked.text
        # Read again: the bot may have been taken out of the watched ones meanwhile.
        posts = [one for one in posts if one.author in settings.bots]
        extra = evidence_options(settings, self._client.owner)
        texts = [one.text[:LONGEST] for one in posts]
        found = await asyncio.to_thread(find_differences, texts, asked)
        if extra and texts:
            if found:
                await self._keep(question, posts, found)  # nobody waits for a model to see these
            found = await self._look_closer(question, posts, texts, extra)
        await self._keep(question, posts, found)

    async def _keep(
        self, question: _Question, posts: Sequence[Post], differences: tuple[Difference, ...]
    ) -> None:
        """Keep the card of a question; nothing is said where all is clear."""
        asked = question.asked
        kept = await asyncio.to_thread(self._store.card, asked.id)
        if not differences and kept is None:
            return
        # Of answers that no longer differ no words are kept.
        posts = posts if differences else ()
        what = Disagreement(
            asked=asked.text[:LONGEST] if differences else "",
            answers=tuple(
                Answer(message=p.id, author=p.author, text=p.text[:LONGEST]) for p in posts
            ),
            differences=differences,
            corrected=kept is not None and kept.what.corrected,
        )
        if kept is None or kept.what != what:
            await self._client.cards.keep(Quoted(asked.id, asked.author), question.place, what)

    async def _look_closer(
        self,
        question: _Question,
        posts: Sequence[Post],
        texts: Sequence[str],
        extra: dict[str, Any],
    ) -> tuple[Difference, ...]:
        """Return the differences with those that a check of each answer finds."""
        place, asked = question.place, question.asked
        ids = {asked.id, place.channel, place.server or 0, *(one.id for one in posts)}
        requests = [
            Request(
                "check",
                text,
                {
                    "question": asked.text or None,
                    "samples": [*texts[:at], *texts[at + 1 :]],
                    **extra,
                },
                server=place.server or 0,
                budgets=budgets_unasked(self._client.owner, place, asked.author),
                optional=True,
                ids=frozenset(ids),
            )
            for at, text in enumerate(texts)
        ]
        reports = await asyncio.gather(*map(self._client.queue.run, requests))
        return await asyncio.to_thread(find_differences, texts, asked.text, reports)
