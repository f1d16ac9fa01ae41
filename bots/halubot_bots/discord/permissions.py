"""Obstacles to annotations, told to those who can remove them: a missing permission, once and again
when it went anew; a quota that is used up, once a day."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Literal

import discord

from halubot_bots.catalogue import choose_language, phrase
from halubot_bots.discord.error_words import UNSENT

if TYPE_CHECKING:
    from halubot_bots.desk import UsedUpError
    from halubot_bots.discord.bot import HalubotClient
    from halubot_bots.settings import Style

LOG: Final = logging.getLogger("halubot.discord")

TOLD: Final = "lacking"
USED_UP: Final = "used up"

CROWDED: Final = "crowded"
NOTHING: Final = "nothing to compare with"

NEEDED: Final[dict[Style, tuple[str, ...]]] = {
    "reply": ("view_channel", "send_messages", "read_message_history"),
    "thread": ("view_channel", "create_public_threads", "send_messages_in_threads"),
    "reaction": ("view_channel", "read_message_history", "add_reactions"),
}
"""What annotating takes, by its style."""


async def tell(client: HalubotClient, message: discord.Message, style: Style) -> None:
    """Says, once for each channel, which permission is missing: to the owner of the server, else in
    the channel if Discord greets new members."""
    guild = message.guild
    if guild is None or client.get_guild(guild.id) is None:
        return  # removed from a server, it lacks no permission there
    channel: Any = message.channel
    if not await asyncio.to_thread(client.desk.memory.tell_once, TOLD, channel.id):
        return
    _speak_to(guild)
    lacks = ", ".join(lacking(channel, guild.me, style)) or phrase("manager.permission")
    LOG.warning("channel %d: permission missing: %s", channel.id, lacks)
    words = phrase("manager.lacking", channel=f"<#{channel.id}>", permissions=lacks)
    await _say(client, guild, words)


async def used_up(client: HalubotClient, message: discord.Message, error: UsedUpError) -> None:
    """Says, once a day for each server, that a quota is used up and replies go unannotated."""
    guild = message.guild
    if guild is None:
        return
    if not await asyncio.to_thread(client.desk.memory.tell_today, USED_UP, guild.id):
        return
    LOG.warning("server %d: %s", guild.id, error)
    _speak_to(guild)
    change = phrase(f"manager.used_up_{'manager' if error.who == 'manager' else 'owner'}")
    channel = f"<#{message.channel.id}>"
    words = phrase("manager.used_up", channel=channel, why=str(error), change=change)
    await _say(client, guild, words)


async def note_crowding(client: HalubotClient, message: discord.Message) -> None:
    """Says, once a day for each server, that more is written than is annotated."""
    guild = message.guild
    if guild is None:
        return
    LOG.warning("channel %d: too many messages to annotate", message.channel.id)
    if not await asyncio.to_thread(client.desk.memory.tell_today, CROWDED, guild.id):
        return
    _speak_to(guild)
    most = client.desk.owner.per_minute
    words = phrase("manager.crowded", channel=f"<#{message.channel.id}>", count=most)
    await _say(client, guild, words)


async def nothing_to_compare(client: HalubotClient, message: discord.Message) -> None:
    """Says, once for each channel, that replies there have nothing to be compared with."""
    guild = message.guild
    if guild is None:
        return
    LOG.info("message %d: nothing to compare with", message.id)
    if not await asyncio.to_thread(client.desk.memory.tell_once, NOTHING, message.channel.id):
        return
    _speak_to(guild)
    words = phrase("manager.nothing", channel=f"<#{message.channel.id}>")
    await _say(client, guild, words)


async def note_refusal(
    client: HalubotClient, message: discord.Message, why: Literal["moderated", "slow"]
) -> None:
    """Says, once for each channel, that AutoMod or slow mode keeps annotations away."""
    guild = message.guild
    if guild is None:
        return
    LOG.warning("channel %d: annotations are refused: %s", message.channel.id, why)
    if not await asyncio.to_thread(client.desk.memory.tell_once, why, message.channel.id):
        return
    _speak_to(guild)
    await _say(client, guild, phrase(f"manager.{why}", channel=f"<#{message.channel.id}>"))


def _speak_to(guild: discord.Guild) -> None:
    """Whoever manages a server is spoken to in the server's language."""
    choose_language(guild.preferred_locale)


async def _say(client: HalubotClient, guild: discord.Guild, words: str) -> None:
    """Says something to the owner of a server, else if Discord greets new members."""
    with suppress(*UNSENT):
        owner = guild.owner or await client.fetch_user(guild.owner_id or 0)
        await owner.send(words)
        return
    system = guild.system_channel
    if system is not None and system.permissions_for(guild.me).send_messages:
        with suppress(*UNSENT):
            await system.send(words)


async def note_mended(client: HalubotClient, channel: int) -> None:
    """A channel could be annotated: what is missing there later is said anew."""
    await asyncio.to_thread(client.desk.memory.tell_again, TOLD, channel)


def lacking(channel: Any, me: discord.Member, style: Style) -> list[str]:
    """The permissions that a style needs and the bot lacks in a channel, by Discord's names."""
    allowed: discord.Permissions = channel.permissions_for(me)
    voice = isinstance(channel, (discord.VoiceChannel, discord.StageChannel))
    if voice and style == "thread":
        style = "reply"  # there are no threads in a voice channel
    needed = list(NEEDED[style]) + (["connect"] if voice else [])
    if style == "reply" and isinstance(channel, discord.Thread):
        needed[1] = "send_messages_in_threads"
    return [name.replace("_", " ").title() for name in needed if not getattr(allowed, name)]
