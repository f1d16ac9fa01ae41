"""Answering where halubot is mentioned or replied to: with the model, by edits, and annotated."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import discord

from halubot.errors import HalubotError
from halubot.events import Answered, AnswerToken, Event
from halubot_bots import cards
from halubot_bots.desk import DeclinedError
from halubot_bots.discord import acting
from halubot_bots.discord.pacing import PACE_SECONDS
from halubot_bots.discord.reading import text_of
from halubot_bots.discord.rendering import view_of
from halubot_bots.discord.surroundings import replied_to
from halubot_bots.limits import MESSAGE, cut, split
from halubot_bots.policy import Ask, Pace, Written, answers

if TYPE_CHECKING:
    from halubot_bots.discord.bot import HalubotClient

LOG: Final = logging.getLogger("halubot.discord")

BEFORE: Final = 6
"""Messages of a chain of replies that are the context of an answer."""

LONGEST_CONTEXT: Final = 6_000
MENTION: Final = re.compile(r"<@!?\d+>")


class Answerer:
    """Answers people, never bots."""

    def __init__(self, client: HalubotClient, *, pace: float = PACE_SECONDS) -> None:
        self._client = client
        self._pace = pace
        self._often = Pace(client.desk.owner.per_minute)

    async def heard(self, message: discord.Message) -> bool:
        """Whether a message was for us, and so was answered."""
        us = self._client.user
        if us is None or not self._for_us(message, us.id):
            return False
        server = message.guild.id if message.guild else None
        settings = await self._client.desk.settings(server)
        written = Written(
            author=message.author.id,
            bot=message.author.bot,
            webhook=message.webhook_id is not None,
            ours=message.author.id == us.id,
        )
        wanted = answers(written, settings) if server else not written.bot and not written.ours
        if not wanted or not self._often.allows(message.channel.id, time.monotonic()):
            return False
        await self._answer(message, server)
        return True

    def _for_us(self, message: discord.Message, us: int) -> bool:
        if message.guild is None:
            return True
        if any(user.id == us for user in message.mentions):
            return True
        reference = message.reference.resolved if message.reference else None
        return isinstance(reference, discord.Message) and reference.author.id == us

    async def _answer(self, message: discord.Message, server: int | None) -> None:
        question = MENTION.sub("", text_of(message)).strip()
        if not question:
            return
        channel = message.channel
        parent = channel.parent_id if isinstance(channel, discord.Thread) else None
        ask = Ask("answer", message.author.id, channel.id, server=server, parent=parent)
        context = await self._context(message)
        stream = _Stream(message, self._pace)
        try:
            async with stream:
                report = await self._client.desk.answer(
                    ask, question, context, progress=stream.hear
                )
        except DeclinedError as error:
            await stream.end(f"{error}.")
            return
        except HalubotError as error:
            LOG.warning("message %d was not answered: %s", message.id, type(error).__name__)
            await stream.end(f"No answer: {error}")
            return
        except discord.HTTPException:
            LOG.info("message %d or its channel is gone", message.id)
            return
        sent = await stream.end(report.text)
        if sent is not None:
            kept = await acting.keep(
                self._client, sent, report, asked_by=message.author.id, annotation=None
            )
            with suppress(discord.HTTPException):
                view = view_of(cards.overview(kept.report), sent.id)
                card = await channel.send(
                    view=view, reference=sent, mention_author=False, silent=True
                )
                await acting.keep(
                    self._client, sent, report, asked_by=message.author.id, annotation=card.id
                )

    async def _context(self, message: discord.Message) -> str:
        """The chain of messages that this one replies to, oldest first."""
        found: list[str] = []
        one: discord.Message | None = message
        for _ in range(BEFORE):
            one = await replied_to(one) if one is not None else None
            if one is None:
                break
            ours = self._client.user is not None and one.author.id == self._client.user.id
            found.append(f"{'Answer' if ours else 'Question'}: {text_of(one)}")
        return "\n\n".join(reversed(found))[-LONGEST_CONTEXT:]


class _Stream:
    """An answer that is shown while it is written, by edits at a rate Discord allows."""

    def __init__(self, message: discord.Message, pace: float) -> None:
        self._message = message
        self._pace = pace
        self._text = ""
        self._sent: discord.Message | None = None
        self._news = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def hear(self, event: Event) -> None:
        if isinstance(event, AnswerToken):
            self._text += event.text
            self._news.set()
        elif isinstance(event, Answered):
            self._text = event.text
            self._news.set()

    async def __aenter__(self) -> _Stream:
        self._task = asyncio.create_task(self._work())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError, discord.HTTPException):
                await self._task

    async def end(self, text: str) -> discord.Message | None:
        """Shows the whole answer, in as many messages as it takes; the first of them."""
        parts = split(text, MESSAGE) or ["(no answer)"]
        try:
            if self._sent is None:
                self._sent = await self._reply(parts[0])
            else:
                self._sent = await self._sent.edit(content=parts[0])
            for part in parts[1:]:
                await self._message.channel.send(part, reference=self._sent, silent=True)
        except discord.HTTPException:
            LOG.info("an answer to %d could not be shown", self._message.id)
            return None
        return self._sent

    async def _work(self) -> None:
        async with self._message.channel.typing():
            while True:
                await self._news.wait()
                self._news.clear()
                shown = cut(self._text, MESSAGE - 2)
                if shown.strip():
                    if self._sent is None:
                        self._sent = await self._reply(f"{shown} …")
                    else:
                        self._sent = await self._sent.edit(content=f"{shown} …")
                await asyncio.sleep(self._pace)

    async def _reply(self, text: str) -> discord.Message:
        return await self._message.channel.send(
            text, reference=self._message, mention_author=False, nonce=self._message.id
        )
