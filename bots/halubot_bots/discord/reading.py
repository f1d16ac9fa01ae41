"""The words of a Discord message, from all its parts: content, embeds, cards, attachments.

Text is text: names, mentions and markup in it are no instruction, and nothing is fetched but
attachments of Discord's own, within limits.
"""

from __future__ import annotations

import asyncio
import re
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

import discord

from halubot.errors import DocumentLimitError, HalubotError, InputError
from halubot.evidence import files
from halubot.text.files import Limits
from halubot.text.files.reader import AT_ONCE, DocumentReader
from halubot_bots.catalogue import phrase
from halubot_bots.chat_text import clean
from halubot_bots.discord.components import OURS
from halubot_bots.discord.errors import DeclinedError
from halubot_bots.questions import Post

if TYPE_CHECKING:
    from collections.abc import Iterator

    from halubot.report import Source
    from halubot_bots.settings import ServerSettings

_SPOILER: Final = re.compile(r"\|\|.+?\|\|", re.DOTALL)

READABLE: Final = frozenset(
    {".txt", ".md", ".markdown", ".html", ".htm", ".pdf", ".docx", ".json", ".csv"}
)
"""The kinds of attachments that serve as references."""

LARGEST: Final = 1 << 20
"""Bytes of an attachment."""

LIMITS: Final = Limits(
    memory=256 << 20, seconds=2.5, most_seconds=5.0, pages=1_000, characters=1 << 20
)
"""The most that one file may take; seconds are of the processor."""


class Documents:
    """Reads attached files; `close` when the bot ends."""

    def __init__(self) -> None:
        self._reader = DocumentReader(LIMITS)
        # However many slow files somebody sends, threads are left for the bot's other work.
        self._turns = asyncio.Semaphore(AT_ONCE)

    async def read(self, data: bytes, name: str) -> Source:
        """Return a file as a reference. Raises InputError if it cannot be read or takes too much,
        MissingExtraError if its reader is not installed."""
        async with self._turns:
            return await asyncio.to_thread(files.source_of, data, name, reader=self._reader)

    def close(self) -> None:
        """End what is being read."""
        self._reader.close()


def text_of(message: discord.Message | discord.MessageSnapshot) -> str:
    """Return all that its author wrote in a message, part by part; what it forwards if it says
    nothing itself; "" if nothing is left but pictures, or if Discord keeps it from us."""
    parts = [message.content, *_embeds(message), *_components(message.components)]
    text = clean("\n\n".join(part.strip() for part in parts if part and part.strip()))
    if text or isinstance(message, discord.MessageSnapshot):
        return text
    return "\n\n".join(filter(None, (text_of(one) for one in message.message_snapshots)))


def is_card(message: discord.Message) -> bool:
    """Return True if this is a card of a checker, ours or another."""
    ids = (getattr(item, "custom_id", None) or "" for item in _walk(message.components))
    # By the ids of buttons, which people cannot write, and not by words, which they can.
    return any(id.startswith(OURS) for id in ids)


def is_watched(message: discord.Message, settings: ServerSettings) -> bool:
    """Return True if a message is evidence: written by a bot that the moderators chose, itself.

    A webhook has any name that somebody gave it, and an app that a member installed for themselves
    answers as it likes: neither is evidence.
    """
    if not message.author.bot or message.author.id not in settings.bots:
        return False
    # The answer to a command has the id of its application in place of a webhook's.
    if message.webhook_id not in (None, message.application_id):
        return False
    asked = message.interaction_metadata
    return asked is None or asked.is_guild_integration()


def post_of(message: discord.Message, settings: ServerSettings) -> Post:
    """Return a message as far as it matters for what answers what: without what it hides as a
    spoiler, which a card would show to everybody."""
    reference = message.reference
    is_reply = reference is not None and reference.type is discord.MessageReferenceType.reply
    return Post(
        id=message.id,
        author=message.author.id,
        text=_SPOILER.sub("…", text_of(message)),
        at=discord.utils.snowflake_time(message.id).timestamp(),
        answers=is_watched(message, settings),
        reply_to=reference.message_id if reference is not None and is_reply else None,
        mentions=frozenset(message.raw_mentions),
        thread=isinstance(message.channel, discord.Thread),
    )


def parent_of(channel: object) -> int | None:
    """Return the channel that a thread belongs to; None for what is no thread."""
    return channel.parent_id if isinstance(channel, discord.Thread) else None


def parent_of_first(channel: object) -> Any:
    """Return the channel in which the first message of a thread stands: the thread of a forum
    itself, else the channel that it belongs to; None for what is no thread."""
    if not isinstance(channel, discord.Thread):
        return None
    return channel if isinstance(channel.parent, discord.ForumChannel) else channel.parent


async def read_attachment(documents: Documents, attachment: discord.Attachment) -> Source:
    """Return an attachment as a reference. Raises DeclinedError, which says why it cannot be
    used."""
    name = PurePath(attachment.filename).name[:100]
    if PurePath(name).suffix.lower() not in READABLE:
        raise DeclinedError(phrase("declined.file_kind", name=name))
    if attachment.size > LARGEST:
        raise DeclinedError(phrase("declined.file_size", name=name, most=f"{LARGEST:,}"))
    try:
        return await documents.read(await attachment.read(), name)
    except (DocumentLimitError, InputError) as error:
        raise DeclinedError(str(error)) from error
    except (HalubotError, discord.DiscordException) as error:
        raise DeclinedError(phrase("declined.file", name=name)) from error


def _embeds(message: discord.Message | discord.MessageSnapshot) -> Iterator[str]:
    """Yield the texts of the embeds that the author wrote. People cannot write any: theirs are
    previews of links. Those of bots have the type "rich", and never a provider or a video, which
    only Discord sets; a preview may be "rich" too, but then it has its link's address."""
    if isinstance(message, discord.Message) and not (message.author.bot or message.webhook_id):
        return
    for embed in message.embeds:
        if embed.type != "rich" or embed.provider or embed.video:
            continue
        if embed.url and embed.url.partition("://")[2].rstrip("/") in message.content:
            continue
        fields = (part for field in embed.fields for part in (field.name, field.value))
        yield "\n".join(filter(None, (embed.title, embed.description, *fields)))


def _components(components: list[discord.components.MessageComponentType]) -> Iterator[str]:
    for item in components:
        if isinstance(item, discord.components.TextDisplay):
            yield item.content
        hidden = isinstance(item, discord.components.Container) and item.spoiler
        inside = "\n\n".join(_components(getattr(item, "children", None) or []))
        if inside:
            yield f"||{inside}||" if hidden else inside


def _walk(components: object) -> Iterator[object]:
    """Yield all components, nested ones after what holds them."""
    for item in components if isinstance(components, (list, tuple)) else ():
        yield item
        yield from _walk(getattr(item, "children", None))
        yield from _walk(getattr(item, "components", None))
