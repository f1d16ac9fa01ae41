"""What stands around a message: the question it answers, and the references that came with it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import discord

from halubot_bots.desk import Given
from halubot_bots.discord.reading import attached, text_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from halubot.facts import Source
    from halubot_bots.discord.bot import HalubotClient

LINK: Final = re.compile(
    r"https?://(?:\w+\.)?discord(?:app)?\.com/channels/(\d{1,20}|@me)/(\d{1,20})/(\d{1,20})"
)
LINKS: Final = 5
"""Linked messages that are read."""

LONGEST_QUESTION: Final = 4_000


async def surroundings(
    client: HalubotClient, message: discord.Message, *, reader: discord.abc.User | None = None
) -> Given:
    """The question a message replies to, and as references its attachments and, where ``reader``
    may read them, the messages it links to."""
    question = ""
    asked = await replied_to(message)
    if asked is not None:
        question = text_of(asked)[:LONGEST_QUESTION]
    found = await attached(message, client.desk.owner.attachment_bytes)
    references: list[Source | str] = [*found.sources]
    async for linked in _linked(client, message, reader or message.author):
        references.append(linked)
    return Given(question=question, references=tuple(references))


async def replied_to(message: discord.Message) -> discord.Message | None:
    """The message this one replies to; None where there is none or it is gone."""
    reference = message.reference
    if reference is None or reference.type is not discord.MessageReferenceType.reply:
        return None
    if isinstance(reference.resolved, discord.Message):
        return reference.resolved
    if reference.message_id is None or isinstance(
        reference.resolved, discord.DeletedReferencedMessage
    ):
        return None
    try:
        return await message.channel.fetch_message(reference.message_id)
    except (discord.HTTPException, AttributeError, discord.ClientException):
        return None


async def _linked(
    client: HalubotClient, message: discord.Message, reader: discord.abc.User
) -> AsyncIterator[str]:
    """The texts of messages of the same server that a message links to and its reader may read."""
    for found in list(LINK.finditer(message.content))[:LINKS]:
        if message.guild is None or found[1] != str(message.guild.id):
            continue
        channel = message.guild.get_channel_or_thread(int(found[2]))
        member = message.guild.get_member(reader.id) or reader
        if not isinstance(channel, discord.abc.Messageable) or not may_read(channel, member):
            continue
        try:
            text = text_of(await channel.fetch_message(int(found[3])))
        except discord.HTTPException:
            continue
        if text:
            yield text


def may_read(channel: object, member: object) -> bool:
    """Whether a member may read what was written in a channel."""
    permissions = getattr(channel, "permissions_for", None)
    if permissions is None or not isinstance(member, discord.Member):
        return False
    allowed: discord.Permissions = permissions(member)
    return allowed.view_channel and allowed.read_message_history
