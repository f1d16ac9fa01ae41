"""Discord's permissions: bits by name, and who may do what where."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import discord

if TYPE_CHECKING:
    from tests.discord_peer.world import Channel, Guild, User

ALL: Final = (1 << 53) - 1


def bits(*names: str) -> int:
    """The permissions of these names; an unknown one is a TypeError."""
    return discord.Permissions(**dict.fromkeys(names, True)).value


EVERYONE: Final = bits(
    "view_channel",
    "send_messages",
    "read_message_history",
    "use_application_commands",
    "create_public_threads",
    "send_messages_in_threads",
    "use_external_apps",
)
"""What everybody may do in a new server."""


def in_guild(user: User, guild: Guild) -> int:
    """What a user may do in a server by their roles, before its channels are looked at."""
    held = guild.everyone.permissions
    for role in guild.members[user.id].roles:
        held |= role.permissions
    return ALL if user is guild.owner else held


def allowed(user: User, channel: Channel) -> int:
    """What a user may do in a channel; in a thread its parent counts. Nothing for one who is not
    there."""
    guild = channel.guild
    if guild is None:
        return EVERYONE if user in channel.recipients else 0
    if user.id not in guild.members:
        return 0
    held = in_guild(user, guild)
    overwrites = (channel.parent or channel).overwrites
    for one in (guild.id, *(role.id for role in guild.members[user.id].roles), user.id):
        allow, deny = overwrites.get(one, (0, 0))
        held = held & ~deny | allow
    return held if held & bits("view_channel") else 0


def may(user: User, channel: Channel, *names: str) -> bool:
    """Whether a user may do all of these in a channel."""
    wanted = bits(*names)
    return allowed(user, channel) & wanted == wanted
