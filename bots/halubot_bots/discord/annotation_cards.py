"""Where an annotation stands: in a reply, in a thread, or in a bare reaction."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import discord

from halubot.render.captions import glyph
from halubot_bots.catalogue import phrase
from halubot_bots.discord.components import view_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from halubot_bots import cards
    from halubot_bots.discord.bot import HalubotClient
    from halubot_bots.settings import Style
    from halubot_bots.store import Quoted

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
    """Annotates a message; the id of what holds the annotation, the message's own for a reaction.
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
    await asyncio.to_thread(memory.replied, message.id, sent.id)
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
    """The thread at a message, a new one where there is none."""
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
