"""Discord's permissions: bits by name, and who may do what where."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.discord_peer.kinds import PRIVATE_THREAD

if TYPE_CHECKING:
    from tests.discord_peer.world import Channel, Guild, User

BITS: Final = {
    name: 1 << place
    for name, place in {
        "create_instant_invite": 0,
        "kick_members": 1,
        "ban_members": 2,
        "administrator": 3,
        "manage_channels": 4,
        "manage_guild": 5,
        "add_reactions": 6,
        "view_channel": 10,
        "send_messages": 11,
        "manage_messages": 13,
        "embed_links": 14,
        "attach_files": 15,
        "read_message_history": 16,
        "connect": 20,
        "mention_everyone": 17,
        "use_external_emojis": 18,
        "manage_roles": 28,
        "manage_webhooks": 29,
        "use_application_commands": 31,
        "manage_threads": 34,
        "create_public_threads": 35,
        "create_private_threads": 36,
        "send_messages_in_threads": 38,
        "use_external_apps": 50,
        "bypass_slowmode": 52,
    }.items()
}
ALL: Final = (1 << 53) - 1


def bits(*names: str) -> int:
    """The permissions of these names; an unknown one is a KeyError."""
    return sum(BITS[name] for name in set(names))


EVERYONE: Final = bits(
    "add_reactions",
    "view_channel",
    "send_messages",
    "embed_links",
    "attach_files",
    "read_message_history",
    "connect",
    "use_external_emojis",
    "use_application_commands",
    "create_public_threads",
    "send_messages_in_threads",
    "use_external_apps",
)
"""What everybody may do in a new server."""


def in_guild(user: User, guild: Guild) -> int:
    """What a user may do in a server by their roles, before its channels are looked at."""
    member = guild.members.get(user.id)
    if member is None:
        return 0
    held = guild.everyone.permissions
    for role in member.roles:
        held |= role.permissions
    return ALL if user is guild.owner or held & BITS["administrator"] else held


def allowed(user: User, channel: Channel) -> int:
    """What a user may do in a channel; in a thread its parent counts, in a direct message all but
    managing. Nothing for one who is not there."""
    guild = channel.guild
    if guild is None:
        return EVERYONE if user in channel.recipients else 0
    member = guild.members.get(user.id)
    if member is None:
        return 0
    held = in_guild(user, guild)
    if held == ALL:
        return ALL
    place = channel.parent or channel
    order = [{guild.id}, {role.id for role in member.roles}, {user.id}]
    for ids in order:
        found = [place.overwrites[one] for one in ids if one in place.overwrites]
        for _, deny in found:
            held &= ~deny
        for allow, _ in found:
            held |= allow
    if not held & BITS["view_channel"]:
        return 0
    if channel.kind == PRIVATE_THREAD and user not in channel.joined:
        return held if held & BITS["manage_threads"] else 0
    return held


def may(user: User, channel: Channel, *names: str) -> bool:
    """Whether a user may do all of these in a channel."""
    wanted = bits(*names)
    return allowed(user, channel) & wanted == wanted
