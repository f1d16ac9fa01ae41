"""What there is, as Discord writes it in JSON: as much of it as discord.py reads."""

from __future__ import annotations

from tests.discord_peer.clock import written
from tests.discord_peer.permissions import allowed
from tests.discord_peer.world import Channel, Guild, Member, Message, Payload, Role, User, World

JOINED = "2025-01-02T03:04:05.000000+00:00"


def of_user(user: User) -> Payload:
    """A user."""
    return {
        "id": str(user.id),
        "username": user.name,
        "discriminator": "0000",
        "global_name": None,
        "avatar": None,
        "bot": user.bot or user.webhook,
        "public_flags": 0,
    }


def of_member(member: Member, *, with_user: bool = True) -> Payload:
    """A member of a server, within a message without the user."""
    made: Payload = {
        "roles": [str(role.id) for role in member.roles],
        "nick": None,
        "joined_at": JOINED,
        "deaf": False,
        "mute": False,
        "flags": 0,
    }
    return made | ({"user": of_user(member.user)} if with_user else {})


def _of_role(role: Role, position: int) -> Payload:
    return {
        "id": str(role.id),
        "name": role.name,
        "permissions": str(role.permissions),
        "position": position,
        "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
        "color": 0,
        "flags": 0,
    }


def of_channel(channel: Channel, me: User | None = None) -> Payload:
    """A channel, a thread, or a direct message as ``me`` sees it."""
    made: Payload = {
        "id": str(channel.id),
        "type": channel.kind,
        "last_message_id": str(max(channel.messages, default=channel.id)),
        "flags": 0,
    }
    if channel.guild is None:
        made["recipients"] = [of_user(one) for one in channel.recipients if one is not me]
        return made
    made |= {
        "guild_id": str(channel.guild.id),
        "name": channel.name,
        "parent_id": str(channel.parent.id) if channel.parent else None,
        "rate_limit_per_user": 0,
    }
    if channel.owner is not None:
        return made | {
            "owner_id": str(channel.owner.id),
            "message_count": len(channel.messages),
            "member_count": 1,
            "thread_metadata": {
                "archived": False,
                "auto_archive_duration": 1440,
                "archive_timestamp": JOINED,
            },
        }
    roles = {role.id for role in channel.guild.roles}
    return made | {
        "position": 0,
        "permission_overwrites": [
            {"id": str(id), "type": int(id not in roles), "allow": str(allow), "deny": str(deny)}
            for id, (allow, deny) in channel.overwrites.items()
        ],
    }


def of_guild(guild: Guild, me: User) -> Payload:
    """A server as GUILD_CREATE tells it: of its members only the bot."""
    channels = list(guild.channels.values())
    return {
        "id": str(guild.id),
        "name": guild.name,
        "owner_id": str(guild.owner.id),
        "roles": [_of_role(role, place) for place, role in enumerate(guild.roles)],
        "members": [of_member(guild.members[me.id])],
        "member_count": len(guild.members),
        "channels": [of_channel(one) for one in channels if not one.is_thread],
        "threads": [of_channel(one) for one in channels if one.is_thread],
        "preferred_locale": guild.locale,
        "joined_at": JOINED,
        **{key: [] for key in ("features", "emojis", "stickers", "voice_states", "presences")},
        **dict.fromkeys(("verification_level", "default_message_notifications"), 0),
        **dict.fromkeys(("explicit_content_filter", "mfa_level", "nsfw_level", "premium_tier"), 0),
        **dict.fromkeys(("system_channel_flags", "afk_timeout"), 0),
    }


def of_message(message: Message, *, nested: bool = True) -> Payload:
    """A message, with the one it replies to unless it is itself shown in another."""
    made: Payload = {
        "id": str(message.id),
        "channel_id": str(message.channel.id),
        "author": of_user(message.author),
        "content": message.content,
        "timestamp": written(message.timestamp),
        "edited_timestamp": None if message.edited is None else written(message.edited),
        "tts": False,
        "mention_everyone": False,
        "mentions": [],
        "mention_roles": [],
        "attachments": [],
        "embeds": message.embeds,
        "components": message.components,
        "pinned": False,
        "type": message.kind,
        "flags": message.flags,
    }
    if message.nonce is not None:
        made["nonce"] = message.nonce
    if message.author.webhook:
        made["webhook_id"] = str(message.author.id)
    if message.thread:
        made["thread"] = of_channel(message.thread)
    if message.interaction:
        made |= _asked(message)
    if message.reply_to:
        replied = message.reply_to
        made["message_reference"] = {
            "type": 0,
            "message_id": str(replied.id),
            "channel_id": str(replied.channel.id),
            **in_guild(replied.channel),
        }
        if nested:
            inner = None if replied.deleted else of_message(replied, nested=False)
            made["referenced_message"] = inner
    return made


def _asked(message: Message) -> Payload:
    asked = message.interaction
    assert asked is not None
    return {
        "application_id": str(message.author.id),
        "webhook_id": str(message.author.id),
        "interaction_metadata": {
            "id": str(asked.id),
            "type": asked.kind,
            "user": of_user(asked.user),
            "authorizing_integration_owners": asked.owners,
        },
    }


def in_guild(channel: Channel) -> dict[str, str]:
    """The server of a channel, as events name it."""
    return {"guild_id": str(channel.guild.id)} if channel.guild else {}


def in_gateway(message: Message) -> Payload:
    """A message as the gateway tells it, with its author's membership."""
    made = of_message(message) | in_guild(message.channel)
    members = message.channel.guild.members if message.channel.guild else {}
    if not message.author.webhook and (member := members.get(message.author.id)):
        made["member"] = of_member(member, with_user=False)
    return made


def without_content(payload: Payload, bot: User) -> Payload:
    """What a bot without the intent for contents gets to read of a message: nothing, unless it
    wrote it, or it is a direct message."""
    if "guild_id" not in payload or payload["author"]["id"] == str(bot.id):
        return payload
    hidden: Payload = {"content": "", "embeds": [], "components": [], "referenced_message": None}
    return payload | hidden


def of_application(world: World, flags: int) -> Payload:
    """The application of the tested bot."""
    return {
        "id": str(world.bot.id),
        "name": world.bot.name,
        "icon": None,
        "description": "",
        "bot_public": True,
        "bot_require_code_grant": False,
        "verify_key": "0" * 64,
        "flags": flags,
        "owner": of_user(world.bot),
        "summary": "",
    }


def permissions_of(user: User, channel: Channel) -> str:
    """What a user may do in a channel, as interactions carry it."""
    return str(allowed(user, channel))
