"""What is done for a person who asks: by a command, a menu, a button. Answers are theirs alone."""

from __future__ import annotations

import asyncio
import io
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import discord
from discord import app_commands

from halubot.errors import HalubotError
from halubot.render import html
from halubot_bots import cards
from halubot_bots.desk import DeclinedError, Given
from halubot_bots.discord import keeping
from halubot_bots.discord.faults import place_of
from halubot_bots.discord.pacing import Pacer
from halubot_bots.discord.reading import text_of
from halubot_bots.discord.rendering import view_of
from halubot_bots.inert import inert, inert_line
from halubot_bots.limits import split
from halubot_bots.policy import Ask, Cause

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from halubot.facts import Report
    from halubot_bots.discord.bot import HalubotClient
    from halubot_bots.remembering import Kept

LOG: Final = logging.getLogger("halubot.discord")

NO_TEXT: Final = "There is no text in this message that halubot can read."

LONG: Final = 4
"""Pages of facts above which the whole report is attached as a file."""

Asked: TypeAlias = "discord.Interaction[HalubotClient]"


def ask_of(interaction: Asked, cause: Cause) -> Ask:
    """Who asks, and where."""
    channel = interaction.channel
    parent = channel.parent_id if isinstance(channel, discord.Thread) else None
    here = interaction.guild_id
    installed = here is not None and not interaction.is_guild_integration()
    return Ask(
        cause,
        interaction.user.id,
        interaction.channel_id or 0,
        server=here,
        parent=parent,
        installed=installed,
    )


async def say(interaction: Asked, card: cards.Card, message: int = 0, *, leaf: str = "") -> None:
    """Shows a card to who asked, alone; in place of what was shown before, where anything was."""
    view = view_of(card, message, leaf=leaf)
    if interaction.response.is_done():
        await interaction.edit_original_response(view=view)
    else:
        await interaction.response.send_message(view=view, ephemeral=True)


def progress(interaction: Asked) -> Pacer:
    """Shows what is being done to who asked, while it is done."""
    return Pacer(lambda card: say(interaction, card), pace=interaction.client.pace)


async def guarded(interaction: Asked, work: Coroutine[Any, Any, None]) -> None:
    """Does the work; what goes wrong is said to who asked."""
    try:
        await work
    except DeclinedError as error:
        await say(interaction, cards.message("Not checked", inert_line(str(error))))
    except HalubotError as error:
        await say(interaction, cards.message("That did not work", inert_line(str(error), 600)))
    except discord.NotFound:
        LOG.info("who asked, or what they asked about, is gone")
    except discord.HTTPException as error:
        LOG.warning("Discord did not take an answer: %d, code %d", error.status, error.code)
        words = "Discord did not take the answer; what was checked is kept: try again in a minute."
        with suppress(discord.HTTPException):
            await say(interaction, cards.message("That did not work", words))
    except Exception as error:  # noqa: BLE001 - the last resort: a button has no other
        await _own_fault(interaction, error)


async def _own_fault(interaction: Asked, error: BaseException) -> None:
    """A fault of our own is said, and logged without any text."""
    LOG.error("what was asked for failed: %s", place_of(error))
    words = "A fault of halubot's own; it was written to its log."
    with suppress(discord.HTTPException):
        await say(interaction, cards.message("That did not work", words))


async def failed(interaction: Asked, error: app_commands.AppCommandError) -> None:
    """What goes wrong before or beside the work of a command."""
    if not isinstance(error, app_commands.CheckFailure):
        await _own_fault(interaction, error.__cause__ or error)
        return
    words = "You may not do this here: it takes the right to manage the server."
    with suppress(discord.HTTPException):
        await say(interaction, cards.message("That did not work", words))


async def thinking(interaction: Asked) -> None:
    """Shows at once that work has begun; only who asked sees it."""
    if not interaction.response.is_done():
        await interaction.response.defer(ephemeral=True, thinking=True)


async def checked(
    interaction: Asked, message: discord.Message, given: Given, *, anew: bool = False
) -> None:
    """Checks a message and shows the report, the one that is kept where the text is the same."""
    client = interaction.client
    await thinking(interaction)
    text = text_of(message)
    if not text:
        await say(interaction, cards.message("Nothing to check", NO_TEXT))
        return
    if await asyncio.to_thread(client.desk.memory.opted_out, message.author.id):
        raise DeclinedError("who wrote this asked halubot to leave them out")
    kept = None if anew else await keeping.stored(interaction, message)
    if kept is None and not anew and (message.id, text) in client.underway:
        with suppress(HalubotError):  # what was refused to one is not refused to the other
            found = await asyncio.shield(client.underway[message.id, text])
            kept = keeping.seen(interaction, found)
    if kept is None:
        made = asyncio.create_task(_made(interaction, message, text, given))
        if not anew:
            client.underway[message.id, text] = made
        try:
            kept = await made
        finally:
            client.underway.pop((message.id, text), None)
    shown = await keeping.heeded(client, kept.report, interaction.user.id)
    await say(interaction, cards.overview(shown, dismissable=False), message.id)
    await attach_long(interaction, shown)


async def _made(interaction: Asked, message: discord.Message, text: str, given: Given) -> Kept:
    """The report of a message, made now and kept."""
    begun = interaction.client.desk.memory.forgettings
    async with progress(interaction) as pacer:
        ask = ask_of(interaction, "menu")
        report = await interaction.client.desk.check(ask, text, given, progress=pacer.hear)
    return await keeping.keep(
        interaction.client, message, report, asked_by=interaction.user.id, begun=begun
    )


async def say_all(interaction: Asked, report: Report, *, text: bool = False) -> None:
    """Shows a report that belongs to no message: the first card, then all facts; before these,
    where ``text`` is wanted, the text itself."""
    report = await keeping.heeded(interaction.client, report, interaction.user.id)
    card = cards.overview(report, dismissable=False)
    if text:
        blocks = (*split(inert(report.text), cards.PAGE)[:1], *card.blocks)
        card = cards.message(card.headline, *blocks, small=card.small, tone=card.tone)
    await say(interaction, card.model_copy(update={"buttons": ()}))
    if len(report.facts) > cards.SHOWN:
        for pages in cards.facts(report)[:2]:
            await interaction.followup.send(view=view_of(pages, 0), ephemeral=True)
        await _attach(interaction, report)


async def attach_long(interaction: Asked, report: Report) -> None:
    """Attaches a report that is too long to leaf through, for who asked alone."""
    if len(cards.facts(report)) > LONG or len(cards.evidence(report)) > LONG:
        await _attach(interaction, report)


async def _attach(interaction: Asked, report: Report) -> None:
    page = await asyncio.to_thread(html.page, report)
    file = discord.File(io.BytesIO(page.encode("utf-8", "replace")), filename="report.html")
    await interaction.followup.send(file=file, ephemeral=True)


async def show_usage(interaction: Asked) -> None:
    """What was used today: of the person, and of the server for who manages it."""
    desk, server = interaction.client.desk, interaction.guild_id
    keys = {
        "You": f"user:{server}:{interaction.user.id}" if server else f"user:{interaction.user.id}"
    }
    if server is not None and interaction.permissions.manage_guild:
        keys |= {
            "This channel": f"channel:{interaction.channel_id}",
            "This server": f"server:{server}",
        }
    blocks = []
    for name, key in keys.items():
        today = await asyncio.to_thread(desk.quotas.used, key)
        month = await asyncio.to_thread(desk.quotas.used, key, days=30)
        blocks.append(
            f"**{name}** today: {today.checks} checks, {today.calls} calls, ${today.dollars:.2f};"
            f" in 30 days: {month.checks} checks, {month.calls} calls, ${month.dollars:.2f}"
        )
    settings = await desk.settings(server)
    limit = settings.of_user if server else desk.owner.of_installed
    left = "no limit" if limit.checks is None else f"{limit.checks} checks a day"
    await say(interaction, cards.message("Usage", *blocks, small=f"-# Your quota: {left}"))


async def show_correction(interaction: Asked, report: Report, page: int = 1) -> None:
    """Corrects a report and shows the changes and the text."""
    ask = ask_of(interaction, "command")
    async with progress(interaction) as pacer:
        corrected = await interaction.client.desk.correct(ask, report, progress=pacer.hear)
    pages = cards.correction(corrected)
    await say(interaction, pages[min(page, len(pages)) - 1])
    for card in pages[1:]:
        await interaction.followup.send(view=view_of(card, 0), ephemeral=True)
