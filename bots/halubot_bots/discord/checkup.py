"""`halubot discord --check`: whether the token, the intents and the permissions are right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import discord

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

PERMISSIONS: Final = discord.Permissions(
    view_channel=True,
    send_messages=True,
    send_messages_in_threads=True,
    create_public_threads=True,
    read_message_history=True,
    add_reactions=True,
    attach_files=True,
)
"""What the bot needs in a server, and nothing else."""


@dataclass(frozen=True, slots=True)
class Checkup:
    """What was found: lines for people, the invite link, and whether all is well."""

    lines: tuple[str, ...]
    invite: str
    well: bool


async def check_up(token: str, *, reads_content: bool, **options: Any) -> Checkup:
    """Logs in, looks, and logs out; nothing is registered or sent. Raises discord.LoginFailure for
    a wrong token, discord.HTTPException where Discord cannot be reached."""
    client = discord.Client(intents=discord.Intents.none(), **options)
    try:
        await client.login(token)
        application = await client.application_info()
        lines = [f"token: it is that of {application.name} ({application.id})"]
        flags = application.flags
        has = flags.gateway_message_content or flags.gateway_message_content_limited
        if has:
            lines.append("message content intent: switched on")
        elif reads_content:
            lines.append(
                "message content intent: switched off; annotations and answers need it: switch it"
                " on at https://discord.com/developers/applications/"
                f"{application.id}/bot, or set reads_content = false"
            )
        else:
            lines.append("message content intent: switched off, and not needed as it is set")
        lacks = [line async for line in _lacking(client)]
        lines += lacks
        link = discord.utils.oauth_url(
            application.id, permissions=PERMISSIONS, scopes=("bot", "applications.commands")
        )
        return Checkup(tuple(lines), link, (bool(has) or not reads_content) and not lacks)
    finally:
        await client.close()


async def _lacking(client: discord.Client) -> AsyncIterator[str]:
    """A line for each server where the bot's roles lack a permission."""
    after: int | None = None
    while True:
        found: list[Any] = list(await client.http.get_guilds(200, after=after, with_counts=False))
        for guild in found:
            allowed = discord.Permissions(int(guild.get("permissions") or 0))
            if allowed.administrator or guild.get("owner"):
                continue
            names = [name for name, needed in PERMISSIONS if needed and not getattr(allowed, name)]
            if names:
                shown = ", ".join(name.replace("_", " ").title() for name in names)
                yield f"server {guild['id']}: the bot's role lacks {shown}: invite it again"
        if len(found) < 200:
            return
        after = int(found[-1]["id"])
