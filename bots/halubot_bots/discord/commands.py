"""The slash commands."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any

import discord
from discord import app_commands

from halubot.errors import InputError
from halubot_bots import cards
from halubot_bots.desk import Given
from halubot_bots.discord import actions, kept_reports, settings_command
from halubot_bots.inert import inert_line
from halubot_bots.recipients import receivers

if TYPE_CHECKING:
    from halubot_bots.discord.actions import Asked
    from halubot_bots.discord.bot import HalubotClient
    from halubot_bots.store import Use

LONGEST = 6_000
"""Characters of an option of a command."""

QUOTINGS = 5
"""Places where a person was quoted that `/privacy` names."""

COMPARED = ("consensus", "selfcheck-ngram", "ensemble")
"""Methods that `/compare` sets side by side where none are named."""


def register(tree: app_commands.CommandTree[HalubotClient]) -> None:
    """Adds the commands."""
    everywhere: list[app_commands.Command[Any, Any, None]] = [
        *(check, ask, correct, compare, usage, status, privacy, forget_me, help_)
    ]
    for command in everywhere:
        command.allowed_installs = app_commands.AppInstallationType(guild=True, user=True)
        command.allowed_contexts = app_commands.AppCommandContext(
            guild=True, dm_channel=True, private_channel=True
        )
        tree.add_command(command)
    tree.add_command(settings_command.settings)


@app_commands.command(name="check", description="What to doubt in a text")
@app_commands.describe(
    text="The text to check",
    question="What the text answers",
    reference="A file to be taken at its word",
    others="Other answers to the same question, parted by ---",
)
async def check(
    interaction: Asked,
    text: app_commands.Range[str, 1, LONGEST],
    question: app_commands.Range[str, 0, 1000] = "",
    reference: discord.Attachment | None = None,
    others: app_commands.Range[str, 0, LONGEST] = "",
) -> None:
    """Checks a text that a person gives."""

    async def work() -> None:
        await actions.thinking(interaction)
        given = await _read_given(interaction, question, reference, others)
        wanted = actions.ask_of(interaction, "command")
        async with actions.progress(interaction) as pacer:
            desk = interaction.client.desk
            report = await desk.check(wanted, text, given, progress=pacer.hear)
        await actions.say_all(interaction, report)

    await actions.guard(interaction, work())


@app_commands.command(name="ask", description="Ask the model, and see what to doubt in its answer")
@app_commands.describe(question="The question")
async def ask(interaction: Asked, question: app_commands.Range[str, 1, 2000]) -> None:
    """Answers a question and checks the answer."""

    async def work() -> None:
        await actions.thinking(interaction)
        wanted = actions.ask_of(interaction, "answer")
        async with actions.progress(interaction) as pacer:
            desk = interaction.client.desk
            report = await desk.answer(wanted, question, "", progress=pacer.hear)
        await actions.say_all(interaction, report, text=True)

    await actions.guard(interaction, work())


@app_commands.command(name="correct", description="A corrected version of a text")
@app_commands.describe(
    text="The text to correct",
    reference="A file to be taken at its word",
    others="Other answers to the same question, parted by ---",
)
async def correct(
    interaction: Asked,
    text: app_commands.Range[str, 1, LONGEST],
    reference: discord.Attachment | None = None,
    others: app_commands.Range[str, 0, LONGEST] = "",
) -> None:
    """Checks and corrects a text that a person gives."""

    async def work() -> None:
        await actions.thinking(interaction)
        given = await _read_given(interaction, "", reference, others)
        wanted = actions.ask_of(interaction, "command")
        report = await interaction.client.desk.check(wanted, text, given)
        await actions.show_corrected(interaction, report)

    await actions.guard(interaction, work())


@app_commands.command(name="compare", description="The same text by several methods")
@app_commands.describe(
    text="The text to check",
    others="Other answers to the same question, parted by ---",
    reference="A file to be taken at its word",
    methods="Names of methods, parted by commas",
)
async def compare(
    interaction: Asked,
    text: app_commands.Range[str, 1, LONGEST],
    others: app_commands.Range[str, 0, LONGEST] = "",
    reference: discord.Attachment | None = None,
    methods: str = "",
) -> None:
    """Sets methods side by side."""

    async def work() -> None:
        await actions.thinking(interaction)
        given = await _read_given(interaction, "", reference, others)
        named = [name.strip() for name in methods.split(",") if name.strip()] or list(COMPARED)
        wanted = actions.ask_of(interaction, "command")
        found = await interaction.client.desk.compare(wanted, text, given, named[:5])
        await actions.say(interaction, cards.comparison(found))

    await actions.guard(interaction, work())


@app_commands.command(name="usage", description="What was used today, and what is left")
async def usage(interaction: Asked) -> None:
    """What a person used; for managers the server's use too."""
    await actions.guard(interaction, actions.show_usage(interaction))


@app_commands.command(name="status", description="How halubot is")
async def status(interaction: Asked) -> None:
    """Says whether it is connected, how busy it is, and what checks are made with."""

    async def work() -> None:
        client = interaction.client
        desk, now = client.desk, client.pulse
        wanted = actions.ask_of(interaction, "command")
        model = desk.owner.model((await desk.settings(wanted.server)).model)
        beat = "not known yet" if now.latency is None else f"{now.latency * 1000:.0f} ms"
        hours, rest = divmod(int(desk.activity.up_seconds), 3600)
        made = sum(desk.activity.checks.values())
        card = cards.message(
            "halubot is here",
            f"**Connected**, its heartbeat takes {beat}; running for {hours} h {rest // 60} min",
            f"**Checks**: {now.running} under way, {now.waiting} waiting, {made} since the start",
            f"**Model**: {inert_line(model) or 'none: the embedded engine compares'}",
        )
        await actions.say(interaction, card)

    await actions.guard(interaction, work())


@app_commands.command(name="privacy", description="What halubot keeps, and who receives texts")
@app_commands.describe(leave_out="Leave me out: nothing that I write is checked or kept")
async def privacy(interaction: Asked, leave_out: bool | None = None) -> None:
    """Says what is kept, and lets a person opt out or in."""

    async def work() -> None:
        desk = interaction.client.desk
        memory, person = desk.memory, interaction.user.id
        await actions.thinking(interaction)
        if leave_out is not None:
            await asyncio.to_thread(partial(memory.opt_out, person, out=leave_out))
        if leave_out:
            await _forgotten(interaction)
        out = await asyncio.to_thread(memory.opted_out, person)
        used = await asyncio.to_thread(memory.quotings, person)
        installed = actions.ask_of(interaction, "command").installed
        server = None if installed else interaction.guild_id
        goes = receivers(await desk.settings(server), desk.owner)
        await actions.say(
            interaction,
            cards.message(
                "Privacy",
                f"**Kept**: texts that were checked, with their reports, for {desk.owner.days_kept}"
                " days; how much was used, for 62 days; what you said of verdicts, until you take"
                " it back.",
                "**Texts are received here by**\n"
                + "\n".join(f"- {inert_line(to)}" for to in goes),
                _quotings(used, interaction.guild_id),
                "`/forget-me` deletes what you wrote or asked for, and all that quotes you. "
                + (
                    "You are left out: nothing you write is checked."
                    if out
                    else "`/privacy leave_out:True` leaves you out."
                ),
            ),
        )

    await actions.guard(interaction, work())


@app_commands.command(name="forget-me", description="Delete what you wrote or asked for")
async def forget_me(interaction: Asked) -> None:
    """Deletes a person's texts, reports, words on verdicts and stored answers."""

    async def work() -> None:
        await actions.thinking(interaction)
        count = await _forgotten(interaction)
        await actions.say(
            interaction,
            cards.message(
                "Forgotten",
                f"{count} reports were deleted for good: what you wrote or asked for, and all that"
                " quoted you. How much you used today is kept until 0:00 UTC.",
            ),
        )

    await actions.guard(interaction, work())


@app_commands.command(name="help", description="What halubot does, and how")
async def help_(interaction: Asked) -> None:
    """What can be done."""
    card = cards.message(
        "halubot says what to doubt, and why",
        "**On a message**, in its menu under Apps: *Check facts*, *Check against these* (other"
        " answers to the same question, no model needed), *Correct this*, *Wrong verdict*.",
        "**Commands**: `/check`, `/ask`, `/correct`, `/compare`, `/usage`, `/status`,"
        " `/privacy`, `/forget-me`; `/settings` for those who manage the server.",
        "Agreement is not truth: halubot says how many other answers or which references say so.",
    )
    await actions.guard(interaction, actions.say(interaction, card))


async def _forgotten(interaction: Asked) -> int:
    """Deletes all that is of a person, takes back what was shown of it; how many reports."""
    found = await interaction.client.desk.forget(interaction.user.id)
    await kept_reports.take_back(interaction.client, found.shown)
    return found.reports


def _quotings(used: tuple[Use, ...], server: int | None) -> str:
    """Which messages of a person served in checks of others."""
    if not used:
        return "**Your messages** served in no check of another message that is kept."
    places = [
        f"https://discord.com/channels/{server}/{one.channel}/{one.message}"
        for one in used[:QUOTINGS]
    ]
    shown = "\n".join(f"- {place}" for place in places) if server is not None else ""
    return f"**Your messages** served in {len(used)} checks of other messages.\n{shown}".rstrip()


async def _read_given(
    interaction: Asked, question: str, reference: discord.Attachment | None, others: str
) -> Given:
    """What a person gave beside the text. Raises HalubotError for a file that cannot be used."""
    references: tuple[Any, ...] = ()
    if reference is not None:
        from halubot_bots.discord.message_content import read_all

        client = interaction.client
        most = client.desk.owner.attachment_bytes
        found = await read_all(client.documents, [reference], most)
        if found.left_out:
            raise InputError(found.left_out[0])
        references = found.sources
    samples = tuple(part.strip() for part in others.split("---") if part.strip())
    return Given(question=question, samples=samples, references=references)
