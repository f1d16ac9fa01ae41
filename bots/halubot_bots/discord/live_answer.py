"""A text that is shown while it is written, by edits no faster than Discord allows."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import discord

from halubot.events import Answered, AnswerToken, Event
from halubot_bots.catalogue import phrase
from halubot_bots.inert import tame
from halubot_bots.limits import MESSAGE, cut_to, split_to

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

ROOM: Final = MESSAGE - 2
"""Characters of what is shown of a text that is still written."""


class Stream:
    """The reply to a message while it is written. ``before`` is one that was begun before a crash:
    it is changed. ``began`` is told the id of each message that is sent, and
    whether it is the first."""

    def __init__(
        self,
        message: discord.Message,
        pace: float,
        *,
        before: int | None = None,
        began: Callable[[int, bool], Awaitable[None]],
    ) -> None:
        channel: Any = message.channel
        self._message = message
        self._pace = pace
        self._began = began
        self._sent: Any = channel.get_partial_message(before) if before is not None else None
        self._text = ""
        self._news, self._over = asyncio.Event(), asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def hear(self, event: Event) -> None:
        """One more event of the answer, on the loop."""
        if isinstance(event, AnswerToken):
            self._text += event.text
        elif isinstance(event, Answered):
            self._text = event.text
        else:
            return
        self._news.set()

    async def __aenter__(self) -> Stream:
        self._task = asyncio.create_task(self._work())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._over.set()
        self._news.set()
        if self._task is not None:  # never broken off while it sends: it would send twice
            with suppress(discord.HTTPException):
                await self._task

    async def end(self, text: str) -> discord.Message:
        """Shows the whole text, in as many messages as it takes; the first of them. Raises
        discord.HTTPException."""
        first, *rest = split_to(tame(text), MESSAGE) or [phrase("failed.empty_answer")]
        sent = await self._show(first)
        for part in rest:
            more = await self._message.channel.send(
                part, reference=sent, mention_author=False, silent=True
            )
            await self._began(more.id, False)
        return sent

    async def take_back(self) -> None:
        """Deletes what was shown: what it answered is gone."""
        if self._sent is not None:
            with suppress(discord.HTTPException):
                await self._sent.delete()

    async def _work(self) -> None:
        async with self._message.channel.typing():
            while True:
                await self._news.wait()
                if self._over.is_set():
                    return
                self._news.clear()
                shown = cut_to(tame(self._text), ROOM)
                if shown.strip():
                    await self._show(f"{shown} …")
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._over.wait(), self._pace)

    async def _show(self, text: str) -> discord.Message:
        if self._sent is not None:
            with suppress(discord.NotFound):
                return await self._edited(text)
        self._sent = await self._message.channel.send(
            text, reference=self._message, mention_author=False, nonce=self._message.id
        )
        await self._began(self._sent.id, True)
        if self._sent.content != text:  # it was sent before a crash: its nonce tells
            return await self._edited(text)
        sent: discord.Message = self._sent
        return sent

    async def _edited(self, text: str) -> discord.Message:
        self._sent = await self._sent.edit(content=text)
        sent: discord.Message = self._sent
        return sent
