"""Reports of messages: kept, found again, and shown to none who may not read what is in them."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from halubot.errors import HalubotError
from halubot.feedback import Feedback
from halubot_bots.checks import namespace_of
from halubot_bots.discord.error_words import UNSENT
from halubot_bots.discord.message_content import digest_of, text_of
from halubot_bots.discord.surroundings import may_see
from halubot_bots.entries import Kept

if TYPE_CHECKING:
    from collections.abc import Iterable

    import discord

    from halubot.report import Report
    from halubot_bots.desk import About
    from halubot_bots.discord.actions import Asked
    from halubot_bots.discord.bot import HalubotClient
    from halubot_bots.entries import Kind, Shown


async def find_stored_report(
    interaction: Asked, message: discord.Message, *, own: bool = False
) -> Kept | None:
    """The report that is kept of a message as it stands now, if who asks may see it: the public
    one, else one that was made of the message alone. ``own``: else the asker's own, against answers
    that they chose."""
    memory, digest = interaction.client.desk.memory, digest_of(text_of(message))
    person = interaction.user.id
    wanted: list[tuple[Kind, int | None]] = [("public", None), ("facts", person), ("facts", None)]
    wanted += [("these", person)] if own else []
    # The digest is of the text as it stands now: an edited message is checked again.
    for kind, asker in wanted:
        kept = await asyncio.to_thread(memory.report, message.id, kind, asker, digest=digest)
        kept = find_visible_report(interaction, kept)
        if kept is not None:
            return kept
    return None


def find_visible_report(interaction: Asked, kept: Kept | None) -> Kept | None:
    """A report, if who asks may read all the messages it has as references."""
    if kept is None or not may_see(
        kept.report, interaction.user, interaction.guild, interaction.channel_id
    ):
        return None
    return kept


async def keep(
    client: HalubotClient,
    message: discord.Message,
    report: Report,
    about: About,
    *,
    asked_by: int,
    text: str,
    annotation: int | None = None,
) -> Kept:
    """Keep the report of a ``text`` that a message had when its check began. Nothing is kept that
    quotes who or what was forgotten since."""
    server = message.guild.id if message.guild else None
    memory, kind = client.desk.memory, about.key.kind
    if annotation is None and kind == "public":
        # The annotation that stands keeps its place: it is changed, and none is sent beside it.
        before = await asyncio.to_thread(memory.report, message.id)
        annotation = before.annotation if before is not None else None
    kept = Kept(
        message.id,
        message.channel.id,
        server,
        message.author.id,
        asked_by,
        annotation,
        report,
        kind,
    )
    await asyncio.to_thread(memory.keep, kept, digest_of(text), begun=about.begun)
    return kept


async def take_back(client: HalubotClient, shown: Iterable[Shown]) -> None:
    """Delete what the bot wrote in public about something that was forgotten."""
    # Go on after a failure: the message may be deleted already, or the permission lost.
    for place in shown:
        with suppress(*UNSENT):
            await (
                client.get_partial_messageable(place.channel)
                .get_partial_message(place.message)
                .delete()
            )


async def with_own_words(client: HalubotClient, report: Report, person: int) -> Report:
    """The report as a person sees it: with their own word on its facts."""
    from halubot.feedback import apply_words

    def read() -> Report:
        with Feedback.open() as feedback:
            return apply_words(report, feedback.words(owner=namespace_of(person), text=report.text))

    try:
        return await asyncio.to_thread(read)
    # Their own verdicts are an addition: without them the report is still shown.
    except HalubotError:
        return report
