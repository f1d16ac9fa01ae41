"""What is done for a person who asks: by a command, a menu, a button. Answers are theirs alone."""

from __future__ import annotations

import asyncio
import io
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import discord
from discord import app_commands

from halubot.errors import HalubotError
from halubot.feedback import Feedback
from halubot.render import html
from halubot_bots import cards
from halubot_bots.desk import DeclinedError, Given
from halubot_bots.discord.faults import place_of
from halubot_bots.discord.pacing import Pacer
from halubot_bots.discord.reading import digest_of, text_of
from halubot_bots.discord.rendering import view_of
from halubot_bots.discord.surroundings import may_see
from halubot_bots.inert import inert, inert_line
from halubot_bots.limits import split
from halubot_bots.policy import Ask, Cause
from halubot_bots.remembering import Kept

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from halubot.facts import Report
    from halubot_bots.discord.bot import HalubotClient

LOG: Final = logging.getLogger("halubot.discord")

NO_TEXT: Final = "There is no text in this message that halubot can read."
GONE: Final = "The report of this message is not kept any more: check it again."

Asked = discord.Interaction["HalubotClient"]


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
    kept = None if anew else await stored(interaction, message)
    if kept is None and not anew and (message.id, text) in client.underway:
        with suppress(HalubotError):  # what was refused to one is not refused to the other
            kept = _seen(interaction, await asyncio.shield(client.underway[message.id, text]))
    if kept is None:
        made = asyncio.create_task(_made(interaction, message, text, given))
        if not anew:
            client.underway[message.id, text] = made
        try:
            kept = await made
        finally:
            client.underway.pop((message.id, text), None)
    shown = await heeded(client, kept.report, interaction.user.id)
    await say(interaction, cards.overview(shown, dismissable=False), message.id)


async def _made(interaction: Asked, message: discord.Message, text: str, given: Given) -> Kept:
    """The report of a message, made now and kept."""
    async with progress(interaction) as pacer:
        ask = ask_of(interaction, "menu")
        report = await interaction.client.desk.check(ask, text, given, progress=pacer.hear)
    return await keep(interaction.client, message, report, asked_by=interaction.user.id)


async def say_all(interaction: Asked, report: Report, *, text: bool = False) -> None:
    """Shows a report that belongs to no message: the first card, then all facts; before these,
    where ``text`` is wanted, the text itself."""
    report = await heeded(interaction.client, report, interaction.user.id)
    card = cards.overview(report, dismissable=False)
    if text:
        blocks = (*split(inert(report.text), cards.PAGE)[:1], *card.blocks)
        card = cards.message(card.headline, *blocks, small=card.small, tone=card.tone)
    await say(interaction, card.model_copy(update={"buttons": ()}))
    if len(report.facts) > cards.SHOWN:
        name, page = "report.html", await asyncio.to_thread(html.page, report)
        for pages in cards.facts(report)[:2]:
            await interaction.followup.send(view=view_of(pages, 0), ephemeral=True)
        file = discord.File(io.BytesIO(page.encode("utf-8", "replace")), filename=name)
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


async def stored(interaction: Asked, message: discord.Message) -> Kept | None:
    """The report that is kept of a message as it stands now, where who asks may see it."""
    memory = interaction.client.desk.memory

    def found() -> Kept | None:
        kept = memory.report(message.id)
        same = memory.digest(message.id) == digest_of(text_of(message))
        return kept if same else None

    return _seen(interaction, await asyncio.to_thread(found))


def _seen(interaction: Asked, kept: Kept | None) -> Kept | None:
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
    annotation: int | None = None,
) -> Kept:
    """Keeps the report of a message."""
    server = message.guild.id if message.guild else None
    before = await asyncio.to_thread(client.desk.memory.report, message.id)
    if annotation is None and before is not None:
        annotation = before.annotation
    kept = Kept(
        message.id, message.channel.id, server, message.author.id, asked_by, annotation, report
    )
    digest = digest_of(text_of(message))
    await asyncio.to_thread(client.desk.memory.keep, kept, digest)
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


async def act(interaction: discord.Interaction[Any], action: str, message: int, page: int) -> None:
    """Does what a button says."""
    works: dict[str, Callable[[Asked, int, int], Coroutine[Any, Any, None]]] = {
        "facts": _facts,
        "evidence": _evidence,
        "correct": _correct,
        "dismiss": _dismiss,
        "report": _report,
    }
    work = works.get(action)
    if work is not None:
        await guarded(interaction, work(interaction, message, page))


async def _kept(interaction: Asked, message: int) -> Kept | None:
    """The report a button is about; who may not read its channel is told that it is gone."""
    kept = await asyncio.to_thread(interaction.client.desk.memory.report, message)
    channel = interaction.channel
    parent = channel.parent_id if isinstance(channel, discord.Thread) else None
    here = kept is not None and kept.channel in (interaction.channel_id, parent)
    kept = _seen(interaction, kept)
    if kept is None or not (here or kept.asked_by == interaction.user.id):
        await say(interaction, cards.message("No report", GONE))
        return None
    return kept


async def _leafed(interaction: Asked, message: int, page: int, leaf: str) -> None:
    kept = await _kept(interaction, message)
    if kept is None:
        return
    report = await heeded(interaction.client, kept.report, interaction.user.id)
    pages = cards.facts(report) if leaf == "facts" else cards.evidence(report)
    card = pages[min(page, len(pages)) - 1]
    own = interaction.message is not None and interaction.message.flags.ephemeral
    view = view_of(card, message, leaf=leaf)
    if own:
        await interaction.response.edit_message(view=view)
    else:
        await interaction.response.send_message(view=view, ephemeral=True)


async def _facts(interaction: Asked, message: int, page: int) -> None:
    await _leafed(interaction, message, page, "facts")


async def _evidence(interaction: Asked, message: int, page: int) -> None:
    await _leafed(interaction, message, page, "evidence")


async def _report(interaction: Asked, message: int, page: int) -> None:
    kept = await _kept(interaction, message)
    if kept is not None:
        report = await heeded(interaction.client, kept.report, interaction.user.id)
        await say(interaction, cards.overview(report, dismissable=False), message)


async def _correct(interaction: Asked, message: int, page: int) -> None:
    kept = await _kept(interaction, message)
    if kept is None:
        return
    await thinking(interaction)
    await show_correction(interaction, kept.report, page)


async def show_correction(interaction: Asked, report: Report, page: int = 1) -> None:
    """Corrects a report and shows the changes and the text."""
    ask = ask_of(interaction, "command")
    async with progress(interaction) as pacer:
        corrected = await interaction.client.desk.correct(ask, report, progress=pacer.hear)
    pages = cards.correction(corrected)
    await say(interaction, pages[min(page, len(pages)) - 1])
    for card in pages[1:]:
        await interaction.followup.send(view=view_of(card, 0), ephemeral=True)


async def _dismiss(interaction: Asked, message: int, page: int) -> None:
    """Takes an annotation away: for who wrote the message, who asked, and who manages messages."""
    kept = await _kept(interaction, message)
    if kept is None:
        return
    allowed = interaction.user.id in (kept.author, kept.asked_by)
    if not (allowed or interaction.permissions.manage_messages):
        words = "Only who wrote the message, or who manages messages, can dismiss this."
        await say(interaction, cards.message("Not dismissed", words))
        return
    await interaction.response.defer()
    await interaction.delete_original_response()
