"""The check-up before the start: the token, the intent, and the permissions in each server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import discord

if TYPE_CHECKING:
    from collections.abc import Iterator

    from halubot_bots.settings import OwnerLimits

PERMISSIONS: Final = discord.Permissions(
    view_channel=True,
    send_messages=True,
    send_messages_in_threads=True,
    read_message_history=True,
)
"""All permissions that the bot needs in a server."""

MOST: Final = 200
"""Servers that Discord names at once."""


@dataclass(frozen=True, slots=True)
class Checkup:
    """The findings of a check-up: lines for people, the invite link, and whether all is well."""

    lines: tuple[str, ...]
    invite: str
    well: bool


async def check_up(token: str, owner: OwnerLimits, **options: Any) -> Checkup:
    """Log in, look, and log out; nothing is registered or sent. Raises discord.LoginFailure for
    a wrong token, discord.HTTPException if Discord cannot be reached."""
    client = discord.Client(intents=discord.Intents(guilds=True), **options)
    try:
        await client.login(token)
        application = await client.application_info()
        # Over REST: a connection would use up a session.
        guilds: list[Any] = list(await client.http.get_guilds(MOST))
        lines = [f"ok       token: it is that of {application.name} ({application.id})"]
        lines += _intent(application, owner)
        lines += _public(application, owner)
        lines += [line for guild in guilds for line in _permissions(guild)]
        if len(guilds) == MOST:
            lines.append(f"note     servers: only {MOST} of them were looked at")
        if not guilds:
            lines.append("to do    servers: none yet; open the link below")
        link = discord.utils.oauth_url(
            application.id, permissions=PERMISSIONS, scopes=("bot", "applications.commands")
        )
        well = not any(line.startswith("missing") for line in lines)
        return Checkup(tuple(lines), link, well)
    finally:
        await client.close()


def _page(application: discord.AppInfo, name: str) -> str:
    return f"https://discord.com/developers/applications/{application.id}/{name}"


def _intent(application: discord.AppInfo, owner: OwnerLimits) -> Iterator[str]:
    flags = application.flags
    if flags.gateway_message_content or flags.gateway_message_content_limited:
        yield "ok       message content intent: switched on"
    elif owner.reads_content:
        yield (
            "missing  message content intent: cards need it: switch it on at"
            f" {_page(application, 'bot')}, or set reads_content = false"
        )
    else:
        yield "ok       message content intent: switched off, and not needed as it is set"


def _public(application: discord.AppInfo, owner: OwnerLimits) -> Iterator[str]:
    """Warn of a bot that anybody can invite and that spends its owner's money there."""
    if not application.bot_public or owner.servers:
        where = "named in servers" if owner.servers else "only those you invite it to"
        yield f"ok       servers that may use it: {where}"
    elif owner.models:
        yield (
            "missing  anybody can invite this bot, and your models pay: switch Public Bot off at"
            f" {_page(application, 'bot')}, or name your servers: servers = [ids]"
        )
    else:
        yield (
            "note     anybody can invite this bot; switch Public Bot off at"
            f" {_page(application, 'bot')} if that is not meant"
        )


def _permissions(guild: Any) -> Iterator[str]:
    """Name what the bot's roles in a server lack. A channel may still take some away, which
    `/settings` says there."""
    allowed = discord.Permissions(int(guild.get("permissions") or 0))
    if allowed.administrator:
        yield f"note     server {guild['id']}: the bot is an administrator and need not be"
        return
    names = [name for name, needed in PERMISSIONS if needed and not getattr(allowed, name)]
    if names:
        shown = ", ".join(name.replace("_", " ").title() for name in names)
        yield f"missing  server {guild['id']}: {shown}: invite it again, or give its role these"
    else:
        yield f"ok       server {guild['id']}: permissions"
