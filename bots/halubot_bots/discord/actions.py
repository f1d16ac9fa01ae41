"""The actions for a person who asks, by a command, a menu, a button. Answers are theirs alone."""

from __future__ import annotations

import asyncio
import io
import logging
import math
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import aiohttp
import discord
from discord import app_commands

from halubot.errors import HalubotError
from halubot.render import html
from halubot_bots import cards
from halubot_bots.catalogue import get_language, phrase
from halubot_bots.chat_text import CARD, inert_line, length, split_to, tame
from halubot_bots.checks import FaultError
from halubot_bots.desk import About, BusyError, DeclinedError, Given, GoneError
from halubot_bots.discord import kept_reports
from halubot_bots.discord.components import view_of
from halubot_bots.discord.error_words import (
    EXPIRED,
    MODERATED,
    UNSENT,
    as_sentence,
    code_of,
    error_text,
    place_of,
    unless_moderated,
)
from halubot_bots.discord.live_answer import Pacer
from halubot_bots.discord.message_content import text_of
from halubot_bots.discord.surroundings import parent_of
from halubot_bots.entries import Key, Waiting
from halubot_bots.policy import Ask, Cause

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from halubot.report import Report
    from halubot_bots.discord.bot import HalubotClient
    from halubot_bots.entries import Kept, Kind, Quoted

LOG: Final = logging.getLogger("halubot.discord")

LONGEST_SECONDS: Final = 14 * 60.0
"""Seconds after which an answer is given up: Discord takes none after 15 minutes."""

NOTING_SECONDS: Final = 0.3
"""Seconds that the first sign waits for the disk at most: Discord wants it within 3 s, and what
comes at once with hundreds of others takes some of them."""

MOST_AT_ONCE: Final = 4
"""Answers that one person may wait for at once."""

MOST_PARTS: Final = 8
"""Parts of a long answer that are shown; a longer one is attached whole as well."""

AT_ONCE: Final = 10
"""Checks of one person that may come at once, before the pause between two of them counts."""

LONG: Final = 4
"""Pages of facts above which the whole report is attached as a file."""

Asked: TypeAlias = "discord.Interaction[HalubotClient]"


def ask_of(interaction: Asked, cause: Cause, *, corrects: bool = False) -> Ask:
    """Return the wish of who asks here; ``corrects`` is for a correction."""
    here = interaction.guild_id
    # If both the server and the person installed it, the settings and quotas of the server hold.
    installed = here is not None and not interaction.is_guild_integration()
    return Ask(
        cause,
        interaction.user.id,
        interaction.channel_id or 0,
        server=here,
        parent=parent_of(interaction.channel),
        installed=installed,
        corrects=corrects,
        roles=_roles(interaction),
    )


def _roles(interaction: Asked) -> frozenset[int] | None:
    """The roles of who asks in a server; None elsewhere, and for who manages it."""
    member = interaction.user
    if not isinstance(member, discord.Member) or interaction.permissions.manage_guild:
        return None
    return frozenset(role.id for role in member.roles)


def cooldown_of(interaction: Asked) -> app_commands.Cooldown | None:
    """Return the rate at which this person may ask here; None for no limit."""
    _, _, pause = place_of_cooldown(interaction)
    return app_commands.Cooldown(AT_ONCE, AT_ONCE * pause) if pause else None


def place_of_cooldown(interaction: Asked) -> tuple[int, int, float]:
    """Return the key of a cooldown: server (0 for none), person, and the pause in seconds as it is
    set now."""
    server = interaction.guild_id if interaction.is_guild_integration() else None
    pause = interaction.client.desk.known_settings(server).cooldown
    # The pause is part of the key: discord.py keeps a bucket with the pause that it was made with,
    # so a changed setting would not hold for who asked before.
    return server or 0, interaction.user.id, pause


async def say(
    interaction: Asked,
    card: cards.Card,
    message: int = 0,
    *,
    leaf: str = "",
    kind: Kind = "public",
) -> None:
    """Show a card to who asked, alone; in place of what was shown before, if anything was."""
    view = view_of(card, message, leaf=leaf, kind=kind)
    if interaction.response.is_done():
        await interaction.edit_original_response(view=view)
    else:
        await interaction.response.send_message(view=view, ephemeral=True)


def progress(interaction: Asked) -> Pacer:
    """Show what is being done to who asked, while it is done."""
    client = interaction.client
    return Pacer(
        lambda card: say(interaction, card),
        pace=client.pace,
        crowd=lambda: client.desk.checks.waiting,
    )


async def guard(interaction: Asked, work: Coroutine[Any, Any, None]) -> bool:
    """Do the work; what goes wrong is said to who asked. Return True if nothing did."""
    try:
        # All work goes through here: discord.py logs an exception of a button or a form with its
        # words, and tells the person nothing.
        async with asyncio.timeout(LONGEST_SECONDS) as limit:
            await work
    except TimeoutError as error:
        # The work may raise a TimeoutError of its own.
        if limit.expired():
            await _tell(interaction, "failed.slow_headline", phrase("failed.slow"))
        else:
            await _own_fault(interaction, error)
    except DeclinedError as error:
        await _tell(interaction, "declined.headline", inert_line(as_sentence(str(error))))
    except FaultError as error:
        LOG.error("what was asked for failed: %s", error.what.partition(":")[0])
        await _tell(interaction, "failed.headline", inert_line(error_text(error)))
    except HalubotError as error:
        LOG.info("what was asked for failed: %s", type(error).__name__)
        await _tell(interaction, "failed.headline", inert_line(error_text(error), 600))
    except (discord.DiscordException, aiohttp.ClientError, ConnectionError) as error:
        await _unsent(interaction, error)
    except Exception as error:  # noqa: BLE001 - the last resort: a button has no other
        await _own_fault(interaction, error)
    else:
        return True
    finally:
        await _let_go(interaction)
    return False


async def _tell(interaction: Asked, headline: str, words: str) -> None:
    """Say what went wrong: below what was shown already, which stays; else in its place."""
    card = _note(headline, words)
    with suppress(*UNSENT):
        if interaction.extras.get("shown"):
            await interaction.followup.send(view=view_of(card, 0), ephemeral=True)
        else:
            await say(interaction, card)


async def _unsent(interaction: Asked, error: Exception) -> None:
    """Discord did not take an answer, or something that it needed is gone."""
    code = error.code if isinstance(error, discord.HTTPException) else 0
    if code in EXPIRED:
        LOG.warning("Discord did not take an answer: it came too late (%s)", code_of(error))
        return  # nor would it take another
    if isinstance(error, discord.NotFound):
        LOG.info("who asked, or what they asked about, is gone (%s)", code_of(error))
        await _tell(interaction, "declined.headline", as_sentence(phrase("declined.gone")))
        return
    LOG.warning("Discord did not take an answer: %s", code_of(error))
    words = phrase("failed.moderated" if code in MODERATED else "failed.discord")
    await _tell(interaction, "failed.headline", words)


async def _own_fault(interaction: Asked, error: BaseException) -> None:
    """A fault of our own is said, and logged without any text."""
    if interaction.client.is_closed():
        # Its session is gone: who waits is told after the next start.
        LOG.info("stopped before an answer was shown")
        return
    LOG.error("what was asked for failed: %s", place_of(error))
    await _tell(interaction, "failed.headline", phrase("failed.own", later=phrase("failed.later")))


def _note(headline: str, words: str) -> cards.Card:
    """A card whose headline is a phrase of this name."""
    return cards.message(phrase(headline), words)


async def note(interaction: Asked, headline: str, words: str) -> None:
    """Say something to who asked, below a headline that is a phrase of this name."""
    await say(interaction, _note(headline, words))


async def refuse(interaction: Asked) -> None:
    """Say that it takes the right to manage the server."""
    await say(interaction, _note("failed.headline", phrase("failed.manage")))


async def report_failure(interaction: Asked, error: app_commands.AppCommandError) -> None:
    """Report a failure before or beside the work of a command."""
    if not isinstance(error, app_commands.CheckFailure):
        await _own_fault(interaction, error.__cause__ or error)
        return
    with suppress(*UNSENT):
        await refuse(interaction)


async def thinking(interaction: Asked) -> None:
    """Show at once that work has begun; only who asked sees it. Raises BusyError for somebody who
    waits for too much already, or asks again too soon."""
    client, person = interaction.client, interaction.user.id
    if interaction.response.is_done():
        return
    if client.asking[person] >= MOST_AT_ONCE:
        raise BusyError(phrase("declined.at_once", count=MOST_AT_ONCE))
    wait = client.cooldowns.update_rate_limit(interaction)
    if wait is not None:
        raise BusyError(phrase("declined.cooldown", seconds=math.ceil(wait)))
    client.asking[person] += 1
    interaction.extras["asking"] = True
    # Noted before it is shown: after a kill nobody else knows that somebody waits.
    waiting = Waiting(interaction.id, interaction.application_id, interaction.token, get_language())
    noted = client.waiting.note(waiting)
    with client.first_signs.owe():
        await asyncio.wait([noted], timeout=NOTING_SECONDS)
        await interaction.response.defer(ephemeral=True, thinking=True)
    # The disk may be slow: the sign does not wait for it, the work does.
    await noted
    await client.first_signs.given()


async def _let_go(interaction: Asked) -> None:
    """Nobody waits for this any more, unless the bot itself is being stopped."""
    if not interaction.extras.pop("asking", False):
        return
    client, person = interaction.client, interaction.user.id
    client.asking[person] -= 1
    if client.asking[person] <= 0:
        del client.asking[person]
    if not client.is_closed():
        with suppress(HalubotError):
            await asyncio.to_thread(client.desk.memory.note_answer, interaction.id)


async def check_message(
    interaction: Asked, message: discord.Message, given: Given, *, kind: Kind, begun: int
) -> None:
    """Check a message and show the report; of ``facts`` the one that is kept if the text is
    the same. ``begun`` is `Memory.forgettings` before anything was read."""
    client = interaction.client
    await thinking(interaction)
    text = text_of(message)
    if not text:
        await say(interaction, _note("declined.no_text_headline", phrase("declined.no_text")))
        return
    if await asyncio.to_thread(client.desk.memory.opted_out, message.author.id):
        raise DeclinedError(phrase("declined.author_opted_out"))
    shared = kind == "facts"
    kept = await kept_reports.find_stored_report(interaction, message) if shared else None
    if kept is None and shared and (message.id, text) in client.underway:
        others = client.underway[message.id, text]
        await asyncio.wait([others])  # what is refused to one, or given up, is not so to the other
        if not others.cancelled() and others.exception() is None:
            kept = kept_reports.find_visible_report(interaction, others.result())
    if kept is None:
        key = Key(message.id, kind, interaction.user.id)
        about = About(key, message.author.id, begun)
        made = asyncio.create_task(_describe_making(interaction, message, text, given, about))
        if shared:
            client.underway[message.id, text] = made
        try:
            kept = await made
        finally:
            # A check against chosen answers, or of who waited in vain, leaves that of others.
            if client.underway.get((message.id, text)) is made:
                del client.underway[message.id, text]
    shown = await kept_reports.with_own_words(client, kept.report, interaction.user.id)
    await show_report(interaction, shown, message.id, kind=kept.kind)
    await attach_long(interaction, shown)


async def show_report(
    interaction: Asked, report: Report, message: int, *, kind: Kind = "public"
) -> None:
    """Show the first card of a report; without a word of the text if AutoMod blocks one."""
    card = cards.overview(report, dismissable=False)
    blocks = (cards.gauge(report), f"-# {phrase('failed.moderated')}")
    wordless = card.model_copy(update={"blocks": blocks})
    show = partial(say, interaction, message=message, kind=kind)
    await unless_moderated(show(card), lambda: show(wordless), "an answer")


async def add(interaction: Asked, card: cards.Card | None = None, **content: Any) -> None:
    """Show more below the first answer, which stays whatever becomes of this. Instead of a part
    that AutoMod blocks it says so."""
    # From here on errors are shown below the answer: in its place they would remove what was paid
    # for.
    interaction.extras["shown"] = True
    if card is not None:
        content["view"] = view_of(card, 0)
    await unless_moderated(
        interaction.followup.send(**content, ephemeral=True),
        lambda: _tell(interaction, "failed.headline", phrase("failed.moderated_part")),
        "a part of an answer",
    )


async def _describe_making(
    interaction: Asked, message: discord.Message, text: str, given: Given, about: About
) -> Kept:
    """The report of a message, made now and kept."""
    async with progress(interaction) as pacer:
        ask = ask_of(interaction, "menu")
        report = await interaction.client.desk.check(
            ask, text, given, progress=pacer.hear, about=about
        )
    return await kept_reports.keep(
        interaction.client, message, report, about, asked_by=interaction.user.id, text=text
    )


async def say_all(interaction: Asked, report: Report, *, text: bool = False) -> None:
    """Show a report that belongs to no message: the first card, then all facts; before these,
    if ``text`` is wanted, the whole text itself, as its Markdown has it."""
    report = await kept_reports.with_own_words(interaction.client, report, interaction.user.id)
    card = cards.overview(report, dismissable=False).model_copy(update={"buttons": ()})
    parts = split_to(tame(report.text), cards.PAGE) if text else []
    if len(parts) == 1 and length(parts[0]) + card.size <= CARD:
        card = card.model_copy(update={"blocks": (*parts, *card.blocks)})
        parts = []
    for at, part in enumerate(parts[:MOST_PARTS]):
        page = _note("card.answer_continued" if at else "card.answer", part)
        if at == 0:
            await _say_first(interaction, page)
        else:
            await add(interaction, page)
    if len(parts) > MOST_PARTS:
        data = io.BytesIO(report.text.encode("utf-8", "replace"))
        file = discord.File(data, filename="answer.md")
        await add(interaction, content=phrase("card.whole_answer"), file=file)
    if parts:
        await add(interaction, card)
    else:
        await _say_first(interaction, card)
    if len(report.facts) > cards.SHOWN:
        for pages in cards.facts(report)[:2]:
            await add(interaction, pages)
        await _attach(interaction, report)


async def _say_first(interaction: Asked, card: cards.Card) -> None:
    """Show the first part of several. If AutoMod blocks it, the others follow all the same."""
    await unless_moderated(
        say(interaction, card),
        lambda: note(interaction, "failed.headline", phrase("failed.moderated_part")),
        "a part of an answer",
    )


async def attach_long(interaction: Asked, report: Report) -> None:
    """Attach a report that is too long to leaf through, for who asked alone."""
    if len(report.facts) + len(report.sentences) <= LONG:
        return  # none of them takes more than a page
    if len(cards.facts(report)) > LONG or len(cards.evidence(report)) > LONG:
        await _attach(interaction, report)


async def _attach(interaction: Asked, report: Report) -> None:
    # A long report takes long to draw: the loop must answer heartbeats meanwhile.
    page = await asyncio.to_thread(html.page, report)
    file = discord.File(io.BytesIO(page.encode("utf-8", "replace")), filename="report.html")
    await add(interaction, file=file)


async def show_correction(interaction: Asked, kept: Kept, page: int = 1, *, begun: int) -> None:
    """Correct the report of a message and show the changes and the text; ``begun`` is
    `Memory.forgettings` before the report was read. Raises GoneError if it was forgotten since."""
    memory = interaction.client.desk.memory
    key = Key(kept.message, kept.kind, 0 if kept.kind == "public" else kept.asked_by)
    quoted = await asyncio.to_thread(memory.quotes_in, key)
    if not quoted:  # it quotes its own message at least
        raise GoneError
    # Its answers of models quote the same messages, for somebody else perhaps.
    about = About(Key(kept.message, "facts", interaction.user.id), kept.author, begun)
    await show_corrected(interaction, kept.report, page, quoted=quoted, about=about)


async def show_corrected(
    interaction: Asked,
    report: Report,
    page: int = 1,
    *,
    quoted: tuple[Quoted, ...] = (),
    about: About | None = None,
) -> None:
    """Correct a report and show the changes and the text."""
    ask = ask_of(interaction, "command", corrects=True)
    async with progress(interaction) as pacer:
        corrected = await interaction.client.desk.correct(
            ask, report, progress=pacer.hear, quoted=quoted, about=about
        )
    pages = cards.correction(corrected)
    await _say_first(interaction, pages[min(page, len(pages)) - 1])
    for card in pages[1:]:
        await add(interaction, card)
