"""The surroundings of a message: its question, references, and other answers to that question."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import discord

from halubot.report import Source
from halubot_bots.desk import Given
from halubot_bots.discord.message_content import looks_annotated, read_all, text_of
from halubot_bots.entries import Quoted

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
"""Characters of a question; the rest is cut."""


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


def parent_of(channel: object) -> int | None:
    """The channel that a thread belongs to; None for what is no thread."""
    return channel.parent_id if isinstance(channel, discord.Thread) else None


async def _opted_out(client: HalubotClient, person: int) -> bool:
    return await asyncio.to_thread(client.desk.memory.opted_out, person)


async def replied_to(message: discord.Message) -> discord.Message | None:
    """The message this one replies to; None if there is none or it is gone."""
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
    """Return True if all who read a message may read a channel too: that of its thread, or one open
    to all."""
    parent = getattr(message.channel, "parent_id", None)
    if getattr(channel, "id", 0) == parent:
        return True
    return message.guild is not None and _is_allowed(channel, message.guild.default_role)


def may_read(channel: object, member: object) -> bool:
    """Return True if a member may read what was written in a channel."""
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
    """Return True if somebody who is in the channel ``here`` may read all the messages that a
    report has as its references."""
    for source in report.sources:
        found = LINK.fullmatch(source.location or "")
        if found is None or int(found[2]) == here:
            continue
        channel = guild.get_channel_or_thread(int(found[2])) if guild else None
        if channel is None or not may_read(channel, member):
            return False
    return True


AROUND: Final = 50
"""Messages on each side that are looked at."""

SHORTEST: Final = 20
"""Characters of an answer; a shorter one says too little."""

MOST: Final = 20
"""Other answers at most."""


class Sibling(NamedTuple):
    """Another answer, and where it is from."""

    text: str
    quoted: Quoted


async def siblings(
    client: HalubotClient, message: discord.Message, *, by_bots: bool = False
) -> list[Sibling]:
    """The other answers to what this message answers: replies to the same message, else, in a
    thread or right after a person's question, what others wrote there; ``by_bots``: those of bots
    and webhooks alone, which no member can bring in. Without the right to read the channel's
    history there are none."""
    channel: Any = message.channel
    try:
        async with client.looking:
            await client.first_signs.given()
            around = [one async for one in channel.history(limit=2 * AROUND, around=message)]
    except (discord.HTTPException, discord.ClientException, AttributeError):
        return []
    own = message.reference.message_id if message.reference else None
    same = [one for one in around if own and one.reference and one.reference.message_id == own]
    if not any(one.id != message.id for one in same):
        same = _answers_nearby(around, message)
    texts: dict[str, Quoted] = {}
    memory, us = client.desk.memory, client.user
    for one in same:
        text = text_of(one)
        ours = us is not None and one.author.id == us.id
        if one.id == message.id or len(text) < SHORTEST or ours or looks_annotated(one):
            continue
        # One author's many answers are one voice: they often repeat each other.
        if by_bots and (not _answers(one) or one.author.id == message.author.id):
            continue
        if not await asyncio.to_thread(memory.opted_out, one.author.id):
            texts.setdefault(text, Quoted(one.id, one.author.id))
    texts.pop(text_of(message), None)
    return [Sibling(*one) for one in texts.items()][:MOST]


def _answers_nearby(
    around: list[discord.Message], message: discord.Message
) -> list[discord.Message]:
    """Answers that stand together: in a thread all messages; elsewhere the run of messages by bots
    and webhooks that this one is part of, each author's last."""
    ordered = sorted(around, key=lambda one: one.id)
    if isinstance(message.channel, discord.Thread):
        # The first message of a forum's post has its id: it is the question.
        return [one for one in ordered if one.id != message.channel.id]
    place = next((at for at, one in enumerate(ordered) if one.id == message.id), None)
    if place is None or not _answers(message):
        return []
    first = last = place
    while first > 0 and _answers(ordered[first - 1]):
        first -= 1
    while last + 1 < len(ordered) and _answers(ordered[last + 1]):
        last += 1
    by_author = {one.author.id: one for one in ordered[first : last + 1]}
    by_author[message.author.id] = message
    return list(by_author.values())


def _answers(message: discord.Message) -> bool:
    return message.author.bot or message.webhook_id is not None
