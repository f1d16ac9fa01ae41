"""Other answers to the same question: of several bots or people, that serve as samples."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import discord

from halubot_bots.discord.message_content import looks_annotated, text_of
from halubot_bots.store import Quoted

if TYPE_CHECKING:
    from halubot_bots.discord.bot import HalubotClient

AROUND: Final = 50
"""Messages on each side that are looked at."""

SHORTEST: Final = 20
"""Characters of an answer; a shorter one says too little."""

MOST: Final = 20


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
