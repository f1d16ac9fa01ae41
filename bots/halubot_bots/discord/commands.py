"""The slash commands."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any

import discord
from discord import app_commands

from halubot.errors import InputError
from halubot_bots import cards
from halubot_bots.catalogue import money, phrase
from halubot_bots.chat_text import inert_line
from halubot_bots.desk import Given
from halubot_bots.discord import actions, kept_reports, panel
from halubot_bots.discord.tree import localise
from halubot_bots.policy import limits_of
from halubot_bots.recipients import receivers

if TYPE_CHECKING:
    from halubot_bots.discord.actions import Asked
    from halubot_bots.discord.bot import HalubotClient
    from halubot_bots.entries import Use
    from halubot_bots.quotas import Use as Used
    from halubot_bots.settings import Quota

LONGEST = 6_000
"""Characters of an option of a command."""

QUOTINGS = 5
"""Places where a person was quoted that `/privacy` names."""

COMPARED = ("consensus", "selfcheck-ngram", "ensemble")
"""Methods that `/compare` sets side by side if none are named."""


def register(tree: app_commands.CommandTree[HalubotClient]) -> None:
    """Add the commands."""
    everywhere: list[app_commands.Command[Any, Any, None]] = [
        *(check, ask, correct, compare, usage, status, privacy, forget_me, help_)
    ]
    # For people who installed it for themselves too; `/settings` below is of servers alone.
    for command in everywhere:
        command.allowed_installs = app_commands.AppInstallationType(guild=True, user=True)
        command.allowed_contexts = app_commands.AppCommandContext(
            guild=True, dm_channel=True, private_channel=True
        )
        tree.add_command(command)
    tree.add_command(panel.settings)


@app_commands.command(
    name=localise("command.check.name"), description=localise("command.check.description")
)
@app_commands.describe(
    text=localise("command.check.text"),
    question=localise("command.check.question"),
    reference=localise("command.check.reference"),
    others=localise("command.check.others"),
)
async def check(
    interaction: Asked,
    text: app_commands.Range[str, 1, LONGEST],
    question: app_commands.Range[str, 0, 1000] = "",
    reference: discord.Attachment | None = None,
    others: app_commands.Range[str, 0, LONGEST] = "",
) -> None:
    """Check a text that a person gives."""

    async def work() -> None:
        await actions.thinking(interaction)
        given = await _read_given(interaction, question, reference, others)
        wanted = actions.ask_of(interaction, "command")
        async with actions.progress(interaction) as pacer:
            desk = interaction.client.desk
            report = await desk.check(wanted, text, given, progress=pacer.hear)
        await actions.say_all(interaction, report)

    await actions.guard(interaction, work())


@app_commands.command(
    name=localise("command.ask.name"), description=localise("command.ask.description")
)
@app_commands.describe(question=localise("command.ask.question"))
async def ask(interaction: Asked, question: app_commands.Range[str, 1, 2000]) -> None:
    """Answer a question and check the answer."""

    async def work() -> None:
        await actions.thinking(interaction)
        wanted = actions.ask_of(interaction, "answer")
        async with actions.progress(interaction) as pacer:
            desk = interaction.client.desk
            report = await desk.answer(wanted, question, "", progress=pacer.hear)
        await actions.say_all(interaction, report, text=True)

    await actions.guard(interaction, work())


@app_commands.command(
    name=localise("command.correct.name"), description=localise("command.correct.description")
)
@app_commands.describe(
    text=localise("command.correct.text"),
    reference=localise("command.correct.reference"),
    others=localise("command.correct.others"),
)
async def correct(
    interaction: Asked,
    text: app_commands.Range[str, 1, LONGEST],
    reference: discord.Attachment | None = None,
    others: app_commands.Range[str, 0, LONGEST] = "",
) -> None:
    """Check and correct a text that a person gives."""

    async def work() -> None:
        await actions.thinking(interaction)
        given = await _read_given(interaction, "", reference, others)
        wanted = actions.ask_of(interaction, "command", corrects=True)
        report = await interaction.client.desk.check(wanted, text, given)
        await actions.show_corrected(interaction, report)

    await actions.guard(interaction, work())


@app_commands.command(
    name=localise("command.compare.name"), description=localise("command.compare.description")
)
@app_commands.describe(
    text=localise("command.compare.text"),
    others=localise("command.compare.others"),
    reference=localise("command.compare.reference"),
    methods=localise("command.compare.methods"),
)
async def compare(
    interaction: Asked,
    text: app_commands.Range[str, 1, LONGEST],
    others: app_commands.Range[str, 0, LONGEST] = "",
    reference: discord.Attachment | None = None,
    methods: str = "",
) -> None:
    """Set methods side by side."""

    async def work() -> None:
        await actions.thinking(interaction)
        given = await _read_given(interaction, "", reference, others)
        named = [name.strip() for name in methods.split(",") if name.strip()] or list(COMPARED)
        wanted = actions.ask_of(interaction, "command")
        # Five at most: each method is a check of its own, and paid for.
        found = await interaction.client.desk.compare(wanted, text, given, named[:5])
        await actions.say(interaction, cards.comparison(found))

    await actions.guard(interaction, work())


@app_commands.command(
    name=localise("command.usage.name"), description=localise("command.usage.description")
)
async def usage(interaction: Asked) -> None:
    """Show the use of a person; to managers that of the channel and the server too."""
    await actions.guard(interaction, _show_usage(interaction))


@app_commands.command(
    name=localise("command.status.name"), description=localise("command.status.description")
)
async def status(interaction: Asked) -> None:
    """Say if the bot is connected, how busy it is, and what checks are made with."""

    async def work() -> None:
        client = interaction.client
        desk, now = client.desk, client.pulse
        wanted = actions.ask_of(interaction, "command")
        settings = (await desk.settings(wanted.server)).in_channel(wanted.channel, wanted.parent)
        model = desk.owner.model(settings.model)
        beat = phrase("status.no_beat")
        if now.latency is not None:
            beat = phrase("status.beat", milliseconds=f"{now.latency * 1000:.0f}")
        hours, rest = divmod(int(desk.activity.up_seconds), 3600)
        made = sum(desk.activity.checks.values())
        card = cards.message(
            phrase("status.headline"),
            phrase("status.connected", beat=beat, hours=hours, minutes=rest // 60),
            phrase("status.checks", running=now.running, waiting=now.waiting, made=made),
            phrase("status.model", model=inert_line(model) or phrase("status.no_model")),
        )
        await actions.say(interaction, card)

    await actions.guard(interaction, work())


@app_commands.command(
    name=localise("command.privacy.name"), description=localise("command.privacy.description")
)
@app_commands.describe(leave_out=localise("command.privacy.leave_out"))
async def privacy(interaction: Asked, leave_out: bool | None = None) -> None:
    """Say what is kept, and let a person opt out or in."""

    async def work() -> None:
        desk = interaction.client.desk
        memory, person = desk.memory, interaction.user.id
        await actions.thinking(interaction)
        # Before anything is deleted: a check that begins in between would keep something again.
        if leave_out is not None:
            await asyncio.to_thread(partial(memory.opt_out, person, out=leave_out))
        if leave_out:
            await _forgotten(interaction)
        out = await asyncio.to_thread(memory.opted_out, person)
        used = await asyncio.to_thread(memory.quotings, person)
        here = actions.ask_of(interaction, "command")
        # As a check asked for here has them, so that no receiver is left out.
        settings = (await desk.settings(here.server)).in_channel(here.channel, here.parent)
        goes = receivers(settings, desk.owner)
        kept = phrase("privacy.kept", days=desk.owner.days_kept)
        lines = "\n".join(f"- {inert_line(to)}" for to in goes)
        choice = phrase("privacy.out" if out else "privacy.in")
        card = cards.message(
            phrase("privacy.headline"),
            kept,
            f"{phrase('privacy.receivers')}\n{lines}",
            _quotings(used),
            f"{phrase('privacy.forget')} {choice}",
        )
        await actions.say(interaction, card)

    await actions.guard(interaction, work())


@app_commands.command(
    name=localise("command.forget-me.name"), description=localise("command.forget-me.description")
)
async def forget_me(interaction: Asked) -> None:
    """Delete a person's texts, reports, words on verdicts and stored answers."""

    async def work() -> None:
        await actions.thinking(interaction)
        # Deleting waits until running checks that use their words have stopped. That may take
        # longer than the three seconds that Discord gives: hence the sign before.
        count = await _forgotten(interaction)
        card = cards.message(phrase("forgotten.headline"), phrase("forgotten.done", count=count))
        await actions.say(interaction, card)

    await actions.guard(interaction, work())


@app_commands.command(
    name=localise("command.help.name"), description=localise("command.help.description")
)
async def help_(interaction: Asked) -> None:
    """Show the menus and commands."""
    parts = (phrase(f"help.{name}") for name in ("menus", "commands", "agreement"))
    card = cards.message(phrase("help.headline"), *parts)
    await actions.guard(interaction, actions.say(interaction, card))


async def _forgotten(interaction: Asked) -> int:
    """Delete all that is of a person, and take back what was shown of it. Return the number of
    reports that were deleted."""
    found = await interaction.client.desk.forget(interaction.user.id)
    await kept_reports.take_back(interaction.client, found.shown)
    return found.reports


async def _show_usage(interaction: Asked) -> None:
    """Show the use of today and the rest of the quotas: of the person, and of the channel and the
    server for who manages it. The keys are those under which a check asked for here counts."""
    desk, ask = interaction.client.desk, actions.ask_of(interaction, "command")
    manages = interaction.guild_id is not None and interaction.permissions.manage_guild
    names = {"user": "you", "installed": "you"}
    # Only those who can change the quotas see what others used.
    names |= {"channel": "channel", "server": "server"} if manages else {}
    blocks = []
    settings = (await desk.settings(ask.server)).in_channel(ask.channel, ask.parent)
    for key, quota in limits_of(ask, settings, desk.owner).items():
        name = names.get(key.partition(":")[0])
        if name is None:
            continue
        today = await asyncio.to_thread(desk.quotas.use_of, key)
        month = await asyncio.to_thread(desk.quotas.use_of, key, days=30)
        who, left = phrase(f"usage.{name}"), _rest(quota, today)
        blocks.append(
            f"{phrase('usage.line', who=who, use=_use(today), left=left)}\n"
            f"-# {phrase('usage.month', use=_use(month))}"
        )
    small = f"-# {phrase('usage.days')}"
    await actions.say(interaction, cards.message(phrase("usage.headline"), *blocks, small=small))


def _use(used: Used) -> str:
    """Return a use in words."""
    checks = phrase("quota.checks", count=used.checks)
    calls = phrase("quota.calls", count=used.calls)
    return phrase("usage.use", checks=checks, calls=calls, dollars=money(used.dollars))


def _rest(quota: Quota, used: Used) -> str:
    """Return the rest of a quota today in words."""
    parts = []
    for name, limit, has in (
        ("checks", quota.checks, used.checks),
        ("calls", quota.calls, used.calls),
    ):
        if limit is not None:
            shown = phrase(f"quota.{name}", count=limit)
            parts.append(phrase("usage.left_of", left=max(0, limit - has), limit=shown))
    if quota.dollars is not None:
        left = money(max(0.0, quota.dollars - used.dollars))
        parts.append(phrase("usage.left_of", left=left, limit=money(quota.dollars)))
    return ", ".join(parts) or phrase("quota.none")


def _quotings(used: tuple[Use, ...]) -> str:
    """Say which messages of a person served in checks of others."""
    if not used:
        return phrase("privacy.unused")
    # Each in the server where it was quoted, which need not be the one in which they ask.
    shown = "\n".join(
        f"- https://discord.com/channels/{one.server or '@me'}/{one.channel}/{one.message}"
        for one in used[:QUOTINGS]
    )
    return f"{phrase('privacy.used', count=len(used))}\n{shown}"


async def _read_given(
    interaction: Asked, question: str, reference: discord.Attachment | None, others: str
) -> Given:
    """Return the material that a person gave beside the text. Raises InputError for a file that
    cannot be used."""
    references: tuple[Any, ...] = ()
    if reference is not None:
        from halubot_bots.discord.message_content import read_all

        client = interaction.client
        most = client.desk.owner.attachment_bytes
        found = await read_all(client.documents, [reference], most)
        # A file given on purpose must not be skipped silently, unlike one attached to a message.
        if found.left_out:
            raise InputError(found.left_out[0])
        references = found.sources
    # An option of a command is one text: a line of dashes parts the answers.
    samples = tuple(part.strip() for part in others.split("---") if part.strip())
    return Given(question=question, samples=samples, references=references)
