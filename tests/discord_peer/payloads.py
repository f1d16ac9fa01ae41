"""What there is, as Discord writes it in JSON."""

from __future__ import annotations

from tests.discord_peer.clock import written
from tests.discord_peer.permissions import allowed
from tests.discord_peer.world import (
    Channel,
    Guild,
    Member,
    Message,
    Payload,
    Role,
    User,
    World,
)

JOINED = "2025-01-02T03:04:05.000000+00:00"


def of_user(user: User) -> Payload:
    """A user."""
    return {
        "id": str(user.id),
        "username": user.name,
        "discriminator": "0000",
        "global_name": user.shown or None,
        "avatar": None,
        "bot": user.bot or user.webhook,
        "public_flags": 0,
        "flags": 0,
    }


def of_member(member: Member, *, with_user: bool = True) -> Payload:
    """A member of a server, within a message without the user."""
    made: Payload = {
        "roles": [str(role.id) for role in member.roles],
        "nick": member.nick,
        "avatar": None,
        "joined_at": JOINED,
        "premium_since": None,
        "deaf": False,
        "mute": False,
        "pending": False,
        "flags": 0,
        "communication_disabled_until": None,
    }
    if with_user:
        made["user"] = of_user(member.user)
    return made


def of_role(role: Role, position: int) -> Payload:
    """A role."""
    return {
        "id": str(role.id),
        "name": role.name,
        "permissions": str(role.permissions),
        "position": position,
        "color": 0,
        "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
        "hoist": False,
        "managed": False,
        "mentionable": False,
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
    if channel.is_thread:
        assert channel.owner is not None
        return made | {
            "owner_id": str(channel.owner.id),
            "message_count": len(channel.messages),
            "total_message_sent": len(channel.messages),
            "member_count": 1,
            "thread_metadata": {
                "archived": channel.archived,
                "locked": channel.locked,
                "auto_archive_duration": 1440,
                "archive_timestamp": JOINED,
                "create_timestamp": JOINED,
            },
        }
    return made | {
        "position": 0,
        "topic": None,
        "nsfw": False,
        "permission_overwrites": [
            {
                "id": str(one),
                "type": 0 if any(role.id == one for role in channel.guild.roles) else 1,
                "allow": str(allow),
                "deny": str(deny),
            }
            for one, (allow, deny) in channel.overwrites.items()
        ],
    }


def of_guild(guild: Guild, me: User, *, with_members: bool) -> Payload:
    """A server as GUILD_CREATE tells it: of its members only the bot, unless it may know more."""
    members = [one for one in guild.members.values() if with_members or one.user is me]
    channels = list(guild.channels.values())
    return {
        "id": str(guild.id),
        "name": guild.name,
        "owner_id": str(guild.owner.id),
        "icon": None,
        "splash": None,
        "features": [],
        "emojis": [],
        "stickers": [],
        "roles": [of_role(role, place) for place, role in enumerate(guild.roles)],
        "members": [of_member(one) for one in members],
        "member_count": len(guild.members),
        "channels": [of_channel(one) for one in channels if not one.is_thread],
        "threads": [_thread_of(one, me) for one in channels if _is_told(one, me)],
        "voice_states": [],
        "presences": [],
        "stage_instances": [],
        "guild_scheduled_events": [],
        "soundboard_sounds": [],
        "joined_at": JOINED,
        "large": False,
        "unavailable": False,
        "verification_level": 0,
        "default_message_notifications": 0,
        "explicit_content_filter": 0,
        "mfa_level": 0,
        "nsfw_level": 0,
        "premium_tier": 0,
        "premium_progress_bar_enabled": False,
        "preferred_locale": guild.locale,
        "afk_channel_id": None,
        "afk_timeout": 300,
        "system_channel_id": None,
        "system_channel_flags": 0,
        "rules_channel_id": None,
        "public_updates_channel_id": None,
        "vanity_url_code": None,
        "description": None,
        "banner": None,
        "application_id": None,
    }


def _is_told(channel: Channel, me: User) -> bool:
    """Whether a thread is told of with its server: not one that is archived, or private and closed
    to the bot."""
    return channel.is_thread and not channel.archived and bool(allowed(me, channel))


def _thread_of(channel: Channel, me: User) -> Payload:
    """A thread, with the bot's own membership where it is in it."""
    made = of_channel(channel)
    if me in channel.joined:
        made["member"] = {"join_timestamp": JOINED, "flags": 0, "user_id": str(me.id)}
    return made


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
        "mention_everyone": message.mention_everyone,
        "mentions": [_mentioned(user, message.channel.guild) for user in message.mentions],
        "mention_roles": [str(one) for one in message.mention_roles],
        "attachments": message.attachments,
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
    if message.forwarded:
        kept = ("type", "content", "embeds", "attachments", "components", "timestamp")
        shown = of_message(message.forwarded, nested=False)
        copied = {key: shown[key] for key in (*kept, "edited_timestamp", "flags", "mentions")}
        made["message_reference"] = _reference(message.forwarded, 1)
        made["message_snapshots"] = [{"message": copied}]
    if message.reply_to:
        made["message_reference"] = _reference(message.reply_to, 0)
        if nested:
            made["referenced_message"] = (
                None if message.reply_to.deleted else of_message(message.reply_to, nested=False)
            )
    return made


def _reference(message: Message, kind: int) -> Payload:
    """Where a message is that is replied to (0) or forwarded (1)."""
    guild = message.channel.guild
    return {
        "type": kind,
        "message_id": str(message.id),
        "channel_id": str(message.channel.id),
        **({"guild_id": str(guild.id)} if guild else {}),
    }


def _asked(message: Message) -> Payload:
    asked = message.interaction
    assert asked is not None
    meta = {
        "id": str(asked.id),
        "type": asked.kind,
        "user": of_user(asked.user),
        "authorizing_integration_owners": asked.owners,
    }
    made: Payload = {
        "application_id": str(message.author.id),
        "webhook_id": str(message.author.id),
        "interaction_metadata": meta,
    }
    if asked.kind == 2:
        made["interaction"] = {
            "id": str(asked.id),
            "type": 2,
            "name": asked.data["name"],
            "user": of_user(asked.user),
        }
    return made


def _mentioned(user: User, guild: Guild | None) -> Payload:
    made = of_user(user)
    if guild and user.id in guild.members:
        made["member"] = of_member(guild.members[user.id], with_user=False)
    return made


def in_gateway(message: Message) -> Payload:
    """A message as the gateway tells it, with its author's membership."""
    made = of_message(message)
    guild = message.channel.guild
    if guild is not None:
        made["guild_id"] = str(guild.id)
        member = guild.members.get(message.author.id)
        if member and not message.author.webhook:
            made["member"] = of_member(member, with_user=False)
    made["channel_type"] = message.channel.kind
    return made


def without_content(payload: Payload, bot: User) -> Payload:
    """What a bot without the intent for contents gets to read of a message: nothing, unless it
    wrote it, is mentioned in it, or it is a direct message."""
    mentioned = any(one["id"] == str(bot.id) for one in payload["mentions"])
    if "guild_id" not in payload or payload["author"]["id"] == str(bot.id) or mentioned:
        return payload
    bare = payload | {"content": "", "embeds": [], "attachments": [], "components": []}
    bare.pop("message_snapshots", None)
    if bare.get("referenced_message"):
        inner = bare["referenced_message"] | {"guild_id": payload["guild_id"]}
        bare["referenced_message"] = without_content(inner, bot)
    return bare


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
        "owner": of_user(world.developer),
        "team": None,
        "summary": "",
        "bot": of_user(world.bot),
        "integration_types_config": {"0": {}, "1": {}},
        "approximate_guild_count": len(world.guilds),
        "redirect_uris": [],
        "interactions_endpoint_url": None,
    }


def permissions_of(user: User, channel: Channel) -> str:
    """What a user may do in a channel, as interactions carry it."""
    return str(allowed(user, channel))
