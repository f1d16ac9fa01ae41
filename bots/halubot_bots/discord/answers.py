"""Answering if halubot is mentioned or replied to: with the model, by edits, and annotated."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import discord

from halubot.errors import HalubotError
from halubot.events import Answered, AnswerToken, Event
from halubot_bots import cards
from halubot_bots.catalogue import choose_language, phrase
from halubot_bots.chat_text import MESSAGE, cut_to, plain, split_to, tame
from halubot_bots.desk import About, DeclinedError
from halubot_bots.discord import kept_reports, permissions
from halubot_bots.discord.components import view_of
from halubot_bots.discord.error_words import (
    MODERATED,
    UNSENT,
    code_of,
    error_text,
    place_of,
    unless_moderated,
)
from halubot_bots.discord.live_answer import PACE_SECONDS
from halubot_bots.discord.message_content import text_of
from halubot_bots.discord.surroundings import parent_of, replied_to
from halubot_bots.entries import Key, Quoted, Work
from halubot_bots.policy import Ask, Pace, Written, answers

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from halubot.report import Report
    from halubot_bots.discord.bot import HalubotClient

LOG: Final = logging.getLogger("halubot.discord")

BEFORE: Final = 6
"""Messages of a chain of replies that are the context of an answer."""

LONGEST_CONTEXT: Final = 6_000
"""Characters of the context; the oldest go first."""

MENTION: Final = re.compile(r"<@!?\d+>")


class Answerer:
    """Answers people, never bots. A question is in work until it is answered: a crash does not
    forget it."""

    def __init__(self, client: HalubotClient, *, pace: float = PACE_SECONDS) -> None:
        self._client = client
        self._pace = pace
        self._often = Pace(client.desk.owner.per_minute)
        self._closed = False
        self._answering: dict[int, tuple[asyncio.Task[None], Stream]] = {}

    @property
    def busy(self) -> list[asyncio.Task[None]]:
        """The tasks of questions that are being answered."""
        return [task for task, _ in self._answering.values()]

    def has(self, message: int) -> bool:
        """Return True if a message is being answered."""
        return message in self._answering

    async def hear(self, message: discord.Message) -> bool:
        """Return True if a message is for us; then it is answered later."""
        if not self.for_us(message):
            return False
        us = self._client.user
        server = message.guild.id if message.guild else None
        settings = await self._client.desk.settings(server)
        written = Written(
            author=message.author.id,
            bot=message.author.bot,
            webhook=message.webhook_id is not None,
            ours=us is not None and message.author.id == us.id,
        )
        # In a direct message there is nothing to switch on: whoever writes there means the bot.
        wanted = answers(written, settings) if server else not written.bot and not written.ours
        if not wanted or not self._question(message):
            return False
        pause = self._often.slot(message.channel.id, time.monotonic())
        if pause is None:
            await permissions.note_crowding(self._client, message)
            return True
        work = Work(message.id, message.channel.id, server, message.author.id, None)
        if await asyncio.to_thread(self._client.desk.memory.begin, work):
            self.start(message, pause=pause)
        return True

    def start(
        self, message: discord.Message, reply: int | None = None, *, pause: float = 0.0
    ) -> None:
        """Answer a message that is in work, after a pause; ``reply`` is what was shown of the
        answer before a crash."""
        memory = self._client.desk.memory
        if self._closed:
            return

        async def began(sent: int, first: bool) -> None:
            # After a crash the first message is edited; all are noted, because all are deleted with
            # the question.
            if first:
                await asyncio.to_thread(memory.note_reply, message.id, sent)
            await asyncio.to_thread(memory.show, message.id, message.channel.id, sent)

        stream = Stream(message, self._pace, before=reply, began=began)
        task = asyncio.create_task(
            self._answer(message, stream, pause), name=f"answer {message.id}"
        )
        self._answering[message.id] = task, stream
        task.add_done_callback(lambda done: self._note_end(message.id, done))

    def _note_end(self, message: int, task: asyncio.Task[None]) -> None:
        self._answering.pop(message, None)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            # Otherwise asyncio logs it when the task is collected, with a traceback and its words.
            LOG.error("message %d was not answered: %s", message, place_of(error))

    async def note_deletion(self, message: int) -> None:
        """A question was deleted: so is what was answered by then."""
        task, stream = self._answering.get(message, (None, None))
        if task is not None and stream is not None:
            task.cancel()
            # It may be sending just now: that must be taken back too.
            await asyncio.wait([task])
            await stream.take_back()

    async def close(self) -> None:
        """Break off all answers; they are known after the next start."""
        self._closed = True
        tasks = self.busy
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=5)

    def for_us(self, message: discord.Message) -> bool:
        """Return True if a message mentions or replies to halubot, or was written to it
        directly."""
        us = self._client.user
        if us is None or message.author.id == us.id:
            return False
        if message.guild is None or any(user.id == us.id for user in message.mentions):
            return True
        reference = message.reference.resolved if message.reference else None
        return isinstance(reference, discord.Message) and reference.author.id == us.id

    def _question(self, message: discord.Message) -> str:
        return MENTION.sub("", text_of(message)).strip()

    async def _answer(self, message: discord.Message, stream: Stream, pause: float) -> None:
        await asyncio.sleep(pause)
        server = message.guild.id if message.guild else None
        roles = None
        if isinstance(message.author, discord.Member):
            manages = message.author.guild_permissions.manage_guild
            roles = None if manages else frozenset(role.id for role in message.author.roles)
        ask = Ask(
            "answer",
            message.author.id,
            message.channel.id,
            server=server,
            parent=parent_of(message.channel),
            roles=roles,
        )
        if message.guild is not None:
            settings = await self._client.desk.settings(server)
            choose_language(settings.language or message.guild.preferred_locale)
        memory = self._client.desk.memory
        # Until it is sent the answer has no id: the question's stands for it.
        about = About(Key(message.id), message.author.id, memory.forgettings)
        sent: discord.Message | None = None
        try:
            try:
                context, quoted = await self._context(message)
                async with stream:
                    report = await self._client.desk.answer(
                        ask,
                        self._question(message),
                        context,
                        progress=stream.hear,
                        quoted=quoted,
                        about=about,
                    )
            except DeclinedError as error:
                await stream.end(f"{plain(str(error))}.")
            except HalubotError as error:
                LOG.warning("message %d was not answered: %s", message.id, type(error).__name__)
                await stream.end(phrase("failed.answer", why=error_text(error)))
            else:
                if report.text.strip():
                    sent = await stream.end(report.text)
                    await self._annotate(message, sent, report, about, quoted)
                else:
                    why = "; ".join(plain(problem.why) for problem in report.problems)
                    why = why or phrase("failed.speechless")
                    await stream.end(phrase("failed.answer", why=why))
        except UNSENT as error:
            await self._note_unsent(message, error, None if sent is not None else stream)
        await asyncio.to_thread(self._client.desk.memory.end, message.id)

    async def _note_unsent(
        self, message: discord.Message, error: Exception, stream: Stream | None
    ) -> None:
        """An answer, or the card below it (no ``stream``), could not be shown: it is said instead,
        in public, or to the owner of the server."""
        what = "card of the answer" if stream is None else "answer"
        moderated = isinstance(error, discord.HTTPException) and error.code in MODERATED
        level = logging.WARNING if moderated else logging.INFO
        LOG.log(level, "the %s to %d could not be shown: %s", what, message.id, code_of(error))
        if moderated and stream is not None:
            with suppress(*UNSENT):
                await stream.end(phrase("failed.moderated"))
        elif isinstance(error, discord.Forbidden):
            await permissions.tell(self._client, message, "reply")

    async def _annotate(
        self,
        message: discord.Message,
        sent: discord.Message,
        report: Report,
        asked: About,
        quoted: tuple[Quoted, ...],
    ) -> None:
        """Put the card of an answer below it."""
        client, memory = self._client, self._client.desk.memory
        about = About(Key(sent.id), sent.author.id, asked.begun)
        named = {Quoted(message.id, message.author.id), *quoted}
        server = message.guild.id if message.guild else None
        noted = await asyncio.to_thread(
            partial(
                memory.quote,
                about.key,
                named,
                asked_by=message.author.id,
                channel=sent.channel.id,
                server=server,
                begun=asked.begun,
            )
        )
        if not noted:
            return
        keep = partial(
            kept_reports.keep,
            client,
            sent,
            report,
            about,
            asked_by=message.author.id,
            text=text_of(sent),
        )
        await keep()
        show = partial(
            sent.channel.send, reference=sent, mention_author=False, silent=True, nonce=sent.id
        )
        # AutoMod may let the answer pass and block the card, which repeats words of its sources.
        card = await unless_moderated(
            show(view=view_of(cards.overview(report), sent.id)),
            lambda: show(view=view_of(cards.without_quotes(report), sent.id)),
            "the card of an answer",
        )
        await asyncio.to_thread(memory.show, sent.id, card.channel.id, card.id)
        await keep(annotation=card.id)
        if await asyncio.to_thread(memory.report, sent.id) is None:  # forgotten meanwhile
            await kept_reports.take_back(
                client, (await client.desk.drop(message.id, sent.id)).shown
            )

    async def _context(self, message: discord.Message) -> tuple[str, tuple[Quoted, ...]]:
        """The chain of messages that this one replies to, oldest first, and whose they are; those
        of who opted out are left out."""
        found: list[str] = []
        quoted: list[Quoted] = []
        one: discord.Message | None = message
        us = self._client.user
        for _ in range(BEFORE):
            one = await replied_to(one) if one is not None else None
            if one is None:
                break
            if await asyncio.to_thread(self._client.desk.memory.opted_out, one.author.id):
                continue
            ours = us is not None and one.author.id == us.id
            # No names: people choose them, and could use them to give orders to the model.
            found.append(f"{'Answer' if ours else 'Question'}: {text_of(one)}")
            quoted.append(Quoted(one.id, one.author.id))
        return "\n\n".join(reversed(found))[-LONGEST_CONTEXT:], tuple(quoted)


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
            with suppress(*UNSENT):  # the whole answer is shown by `end`
                await self._task

    async def end(self, text: str) -> discord.Message:
        """Show the whole text, in as many messages as it takes. Return the first. Raises
        discord.HTTPException."""
        first, *rest = split_to(tame(text), MESSAGE) or [phrase("failed.empty_answer")]
        sent = await self._show(first)
        send = partial(
            self._message.channel.send, reference=sent, mention_author=False, silent=True
        )
        for part in rest:
            more = await unless_moderated(
                send(part), lambda: send(phrase("failed.moderated_part")), "a part of an answer"
            )
            await self._began(more.id, False)
        return sent

    async def take_back(self) -> None:
        """Delete what was shown: what it answered is gone."""
        if self._sent is not None:
            with suppress(*UNSENT):
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
                    # Not a sleep: a short answer would be held up by the pace of its edits.
                    await asyncio.wait_for(self._over.wait(), self._pace)

    async def _show(self, text: str) -> discord.Message:
        if self._sent is not None:
            # Somebody deleted it meanwhile: then it is sent again.
            with suppress(discord.NotFound):
                return await self._edit_message(text)
        self._sent = await self._message.channel.send(
            text, reference=self._message, mention_author=False, nonce=self._message.id
        )
        await self._began(self._sent.id, True)
        if self._sent.content != text:  # it was sent before a crash: its nonce tells
            return await self._edit_message(text)
        sent: discord.Message = self._sent
        return sent

    async def _edit_message(self, text: str) -> discord.Message:
        self._sent = await self._sent.edit(content=text)
        sent: discord.Message = self._sent
        return sent
