"""Obstacles to annotations, told to those who can remove them: a missing permission once, and again
after it was granted and lost; a quota that is used up, once a day."""

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
"""The permissions that annotating needs, by its style."""


async def tell(client: HalubotClient, message: discord.Message, style: Style) -> None:
    """Say, once for each channel, which permission is missing there."""
    channel: Any = message.channel
    guild = await _find_untold(client, message, TOLD)
    if guild is None:
        return
    lacks = ", ".join(lacking(channel, guild.me, style)) or phrase("manager.permission")
    LOG.warning("channel %d: permission missing: %s", channel.id, lacks)
    words = phrase("manager.lacking", channel=f"<#{channel.id}>", permissions=lacks)
    await _say(client, guild, words)


async def used_up(client: HalubotClient, message: discord.Message, error: UsedUpError) -> None:
    """Say, once a day for each server, that a quota is used up and replies go unannotated."""
    guild = await _find_untold(client, message, USED_UP, daily=True)
    if guild is None:
        return
    LOG.warning("server %d: %s", guild.id, error)
    change = phrase(f"manager.used_up_{'manager' if error.who == 'manager' else 'owner'}")
    channel = f"<#{message.channel.id}>"
    words = phrase("manager.used_up", channel=channel, why=str(error), change=change)
    await _say(client, guild, words)


async def note_crowding(client: HalubotClient, message: discord.Message) -> None:
    """Say, once a day for each server, that more is written than is annotated."""
    LOG.warning("channel %d: too many messages to annotate", message.channel.id)
    guild = await _find_untold(client, message, CROWDED, daily=True)
    if guild is None:
        return
    most = client.desk.owner.per_minute
    words = phrase("manager.crowded", channel=f"<#{message.channel.id}>", count=most)
    await _say(client, guild, words)


async def nothing_to_compare(client: HalubotClient, message: discord.Message) -> None:
    """Say, once for each channel, that replies there have nothing to be compared with."""
    LOG.info("message %d: nothing to compare with", message.id)
    guild = await _find_untold(client, message, NOTHING)
    if guild is not None:
        words = phrase("manager.nothing", channel=f"<#{message.channel.id}>")
        await _say(client, guild, words)


async def note_refusal(
    client: HalubotClient, message: discord.Message, why: Literal["moderated", "slow"]
) -> None:
    """Say, once for each channel, that AutoMod or slow mode keeps annotations away."""
    LOG.warning("channel %d: annotations are refused: %s", message.channel.id, why)
    guild = await _find_untold(client, message, why)
    if guild is not None:
        await _say(client, guild, phrase(f"manager.{why}", channel=f"<#{message.channel.id}>"))


async def _find_untold(
    client: HalubotClient, message: discord.Message, what: str, *, daily: bool = False
) -> discord.Guild | None:
    """Return the server of a message if it is yet to be told something, which counts as told then:
    once for each channel, or ``daily`` for each server. Its language is spoken from then on. None
    for a direct message, and for a server that the bot was removed from."""
    guild = message.guild
    if guild is None or client.get_guild(guild.id) is None:
        return None
    memory = client.desk.memory
    tell, whom = (memory.tell_today, guild.id) if daily else (memory.tell_once, message.channel.id)
    if not await asyncio.to_thread(tell, what, whom):
        return None
    choose_language(guild.preferred_locale)
    return guild


async def _say(client: HalubotClient, guild: discord.Guild, words: str) -> None:
    """Say something to the owner of a server, else in the channel in which Discord greets new
    members."""
    with suppress(*UNSENT):
        owner = guild.owner or await client.fetch_user(guild.owner_id or 0)
        await owner.send(words)
        return
    # The owner takes no direct messages: many people do not.
    system = guild.system_channel
    if system is not None and system.permissions_for(guild.me).send_messages:
        with suppress(*UNSENT):
            await system.send(words)


async def note_mended(client: HalubotClient, channel: int) -> None:
    """Note that a channel could be annotated: what is missing there later is said again."""
    await asyncio.to_thread(client.desk.memory.tell_again, TOLD, channel)


def lacking(channel: Any, me: discord.Member, style: Style) -> list[str]:
    """The permissions that a style needs and the bot lacks in a channel, by Discord's names."""
    allowed: discord.Permissions = channel.permissions_for(me)
    voice = isinstance(channel, (discord.VoiceChannel, discord.StageChannel))
    if voice and style == "thread":
        style = "reply"  # there are no threads in a voice channel
    needed = list(NEEDED[style]) + (["connect"] if voice else [])
    if style == "reply" and isinstance(channel, discord.Thread):
        # There Discord asks for this right in place of send_messages.
        needed[1] = "send_messages_in_threads"
    return [name.replace("_", " ").title() for name in needed if not getattr(allowed, name)]
