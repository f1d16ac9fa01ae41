"""`halubot discord --check`: whether the token, the intents and the permissions are right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import discord

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
        link = discord.utils.oauth_url(
            application.id, permissions=PERMISSIONS, scopes=("bot", "applications.commands")
        )
        return Checkup(tuple(lines), link, bool(has) or not reads_content)
    finally:
        await client.close()
