"""What stands around a message: the question it answers, and the references that came with it."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Final

import discord

from halubot.report import Source
from halubot_bots.desk import Given
from halubot_bots.discord.message_content import read_all, text_of
from halubot_bots.store import Quoted

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from halubot.report import Report
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
    """The question a message replies to, and as references its attachments and the messages it
    links to: those that ``reader`` may read, without one those that all may read who read the
    message."""
    question = ""
    quoted: list[Quoted] = []
    asked = await replied_to(message) or await _posted(message)
    if asked is not None and not await _opted_out(client, asked.author.id):
        question = text_of(asked)[:LONGEST_QUESTION]
        quoted.append(Quoted(asked.id, asked.author.id))
    most = client.desk.owner.attachment_bytes
    found = await read_all(client.documents, message.attachments, most)
    references: list[Source | str] = [*found.sources]
    async for source, whose in _link(client, message, reader):
        references.append(source)
        quoted.append(whose)
    return Given(question=question, references=tuple(references), quoted=tuple(quoted))


async def _opted_out(client: HalubotClient, person: int) -> bool:
    return await asyncio.to_thread(client.desk.memory.opted_out, person)


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


async def _posted(message: discord.Message) -> discord.Message | None:
    """The first message of the post of a forum, which the others answer."""
    post = message.channel
    if not isinstance(post, discord.Thread) or post.id == message.id:
        return None
    if not isinstance(post.parent, discord.ForumChannel):
        return None
    try:
        return post.starter_message or await post.fetch_message(post.id)
    except discord.HTTPException:
        return None


async def _link(
    client: HalubotClient, message: discord.Message, reader: discord.abc.User | None
) -> AsyncIterator[tuple[Source, Quoted]]:
    """The messages of the same server that a message links to and that may be read."""
    guild = message.guild
    for number, found in enumerate(list(LINK.finditer(message.content))[:LINKS], start=1):
        if guild is None or found[1] != str(guild.id):
            continue
        channel = guild.get_channel_or_thread(int(found[2]))
        if not isinstance(channel, discord.abc.Messageable):
            continue
        here = channel.id == message.channel.id
        if not (here or (may_read(channel, reader) if reader else _as_open(channel, message))):
            continue
        try:
            linked = await channel.fetch_message(int(found[3]))
        except discord.HTTPException:
            continue
        text = text_of(linked)
        if text and not await _opted_out(client, linked.author.id):
            source = Source(
                kind="reference",
                id=f"m{number}",
                title=f"message in #{channel}",
                location=linked.jump_url,
                text=text,
            )
            yield source, Quoted(linked.id, linked.author.id)


def _as_open(channel: object, message: discord.Message) -> bool:
    """Whether all who read a message may read a channel too: that of its thread, or one open to
    all."""
    parent = getattr(message.channel, "parent_id", None)
    if getattr(channel, "id", 0) == parent:
        return True
    return message.guild is not None and _is_allowed(channel, message.guild.default_role)


def may_read(channel: object, member: object) -> bool:
    """Whether a member may read what was written in a channel."""
    return isinstance(member, discord.Member) and _is_allowed(channel, member)


def _is_allowed(channel: object, whom: discord.Member | discord.Role) -> bool:
    permissions = getattr(channel, "permissions_for", None)
    if permissions is None:
        return False
    allowed: discord.Permissions = permissions(whom)
    if isinstance(channel, discord.Thread) and channel.is_private():
        # Who was let in is not told to bots without another privileged intent.
        return allowed.manage_threads
    return allowed.view_channel and allowed.read_message_history


def may_see(
    report: Report, member: object, guild: discord.Guild | None, here: int | None = None
) -> bool:
    """Whether somebody who is in the channel ``here`` may read all the messages that a report has
    as its references."""
    for source in report.sources:
        found = LINK.fullmatch(source.location or "")
        if found is None or int(found[2]) == here:
            continue
        channel = guild.get_channel_or_thread(int(found[2])) if guild else None
        if channel is None or not may_read(channel, member):
            return False
    return True
