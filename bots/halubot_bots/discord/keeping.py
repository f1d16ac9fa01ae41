"""Reports of messages: kept, found again, and shown to none who may not read what is in them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from halubot.errors import HalubotError
from halubot.feedback import Feedback
from halubot_bots.discord.reading import digest_of, text_of
from halubot_bots.discord.surroundings import may_see
from halubot_bots.remembering import Kept

if TYPE_CHECKING:
    import discord

    from halubot.facts import Report
    from halubot_bots.discord.acting import Asked
    from halubot_bots.discord.bot import HalubotClient


async def stored(interaction: Asked, message: discord.Message) -> Kept | None:
    """The report that is kept of a message as it stands now, where who asks may see it."""
    memory = interaction.client.desk.memory

    def found() -> Kept | None:
        kept = memory.report(message.id)
        same = memory.digest(message.id) == digest_of(text_of(message))
        return kept if same else None

    return seen(interaction, await asyncio.to_thread(found))


def seen(interaction: Asked, kept: Kept | None) -> Kept | None:
    """A report, where who asks may read all the messages it has as references."""
    if kept is None or not may_see(kept.report, interaction.user, interaction.guild):
        return None
    return kept


async def keep(
    client: HalubotClient,
    message: discord.Message,
    report: Report,
    *,
    asked_by: int,
    begun: int,
    annotation: int | None = None,
) -> Kept:
    """Keeps the report of a message. ``begun`` is `Memory.forgettings` of when its check began:
    nothing is kept of who was forgotten since."""
    server = message.guild.id if message.guild else None
    before = await asyncio.to_thread(client.desk.memory.report, message.id)
    if annotation is None and before is not None:
        annotation = before.annotation
    kept = Kept(
        message.id, message.channel.id, server, message.author.id, asked_by, annotation, report
    )
    digest = digest_of(text_of(message))
    await asyncio.to_thread(client.desk.memory.keep, kept, digest, begun=begun)
    return kept


async def heeded(client: HalubotClient, report: Report, person: int) -> Report:
    """The report as a person sees it: with their own word on its facts."""
    from halubot.feedback import applied

    def read() -> Report:
        with Feedback.open() as feedback:
            return applied(report, feedback.words(owner=f"discord-{person}", text=report.text))

    try:
        return await asyncio.to_thread(read)
    except HalubotError:
        return report
