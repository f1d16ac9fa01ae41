"""What keeps annotations away, said to who can change it: a missing permission, once and again when
it went anew; a quota that is used up, once a day."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import discord

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
    the channel where Discord greets new members."""
    guild = message.guild
    if guild is None:
        return
    channel: Any = message.channel
    if not await asyncio.to_thread(client.desk.memory.tell_once, TOLD, channel.id):
        return
    lacks = ", ".join(lacking(channel, guild.me, style)) or "a permission"
    LOG.warning("channel %d: permission missing: %s", channel.id, lacks)
    words = (
        f"halubot may not annotate in <#{channel.id}>: it needs {lacks}. Give its role these in the"
        " channel's settings, or take the channel out by /settings channel."
    )
    await _say(client, guild, words)


async def used_up(client: HalubotClient, message: discord.Message, error: UsedUpError) -> None:
    """Says, once a day for each server, that a quota is used up and replies go unannotated."""
    guild = message.guild
    if guild is None:
        return
    if not await asyncio.to_thread(client.desk.memory.tell_today, USED_UP, guild.id):
        return
    LOG.warning("server %d: %s", guild.id, error)
    change = (
        "It is set by /settings quota." if error.who == "manager" else "The bot's owner sets it."
    )
    words = (
        f"halubot did not annotate a reply in <#{message.channel.id}>: {error}. Replies whose check"
        f" it would pay for go without annotation until then. {change}"
    )
    await _say(client, guild, words)


async def note_crowding(client: HalubotClient, message: discord.Message) -> None:
    """Says, once a day for each server, that more is written than is annotated."""
    guild = message.guild
    if guild is None:
        return
    LOG.warning("channel %d: too many messages to annotate", message.channel.id)
    if not await asyncio.to_thread(client.desk.memory.tell_today, CROWDED, guild.id):
        return
    words = (
        f"More is written in <#{message.channel.id}> than halubot may annotate:"
        f" {client.desk.owner.per_minute} messages a minute. Some go without annotation."
    )
    await _say(client, guild, words)


async def nothing_to_compare(client: HalubotClient, message: discord.Message) -> None:
    """Says, once for each channel, that replies there have nothing to be compared with."""
    guild = message.guild
    if guild is None:
        return
    LOG.info("message %d: nothing to compare with", message.id)
    if not await asyncio.to_thread(client.desk.memory.tell_once, NOTHING, message.channel.id):
        return
    words = (
        f"halubot watches <#{message.channel.id}>, but found nothing to compare a reply with: no"
        " other bot answered the same question there, and no file or message was linked. Let a"
        " second bot answer there too, or choose a base by /settings knowledge."
    )
    await _say(client, guild, words)


async def _say(client: HalubotClient, guild: discord.Guild, words: str) -> None:
    """Says something to the owner of a server, else where Discord greets new members."""
    with suppress(discord.HTTPException):
        owner = guild.owner or await client.fetch_user(guild.owner_id or 0)
        await owner.send(words)
        return
    system = guild.system_channel
    if system is not None and system.permissions_for(guild.me).send_messages:
        with suppress(discord.HTTPException):
            await system.send(words)


async def note_mended(client: HalubotClient, channel: int) -> None:
    """A channel could be annotated: what is missing there later is said anew."""
    await asyncio.to_thread(client.desk.memory.tell_again, TOLD, channel)


def lacking(channel: Any, me: discord.Member, style: Style) -> list[str]:
    """The permissions that a style needs and the bot lacks in a channel, by Discord's names."""
    allowed: discord.Permissions = channel.permissions_for(me)
    needed = list(NEEDED[style])
    if style == "reply" and isinstance(channel, discord.Thread):
        needed[1] = "send_messages_in_threads"
    return [name.replace("_", " ").title() for name in needed if not getattr(allowed, name)]
