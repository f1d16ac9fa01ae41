"""`/settings`: what those who manage a server set, within what the owner allows."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

import discord
from discord import app_commands

from halubot import errors, methods
from halubot_bots import cards
from halubot_bots.discord import actions
from halubot_bots.inert import inert_line
from halubot_bots.settings import Quota, ServerSettings

if TYPE_CHECKING:
    from halubot_bots.discord.actions import Asked
    from halubot_bots.discord.bot import HalubotClient
    from halubot_bots.store import Change

CHANGES: Final = 15
"""Changes that `/settings log` shows."""

VOICES: Final = 2
"""Answers that it takes at least to compare one with another."""

settings: Final = app_commands.Group(
    name="settings",
    description="What halubot does in this server",
    guild_only=True,
    default_permissions=discord.Permissions(manage_guild=True),
)
"""Only who manages the server may use it: Discord hides it from others, and it is checked again."""


async def _manages(interaction: discord.Interaction[Any]) -> bool:
    return interaction.guild_id is not None and interaction.permissions.manage_guild


settings.interaction_check = _manages  # type: ignore[method-assign]


async def _change(interaction: Asked, changes: dict[str, Any]) -> None:
    """Changes some settings of a server and shows all."""

    async def work() -> None:
        server = interaction.guild_id
        assert server is not None  # noqa: S101 - the group is of servers alone
        desk = interaction.client.desk
        now = await desk.settings(server)
        new = ServerSettings.model_validate(now.model_dump() | changes)
        if new != now:
            await desk.set(server, new, person=interaction.user.id)
        await actions.say(interaction, _format(new, interaction))

    await actions.guard(interaction, work())


def _format(now: ServerSettings, interaction: Asked) -> cards.Card:
    owner = interaction.client.desk.owner
    channels = ", ".join(f"<#{id}>" for id in sorted(now.channels)) or "none"
    authors = ", ".join(f"<@{id}>" for id in sorted(now.authors)) or "nobody"
    state = "on" if now.on and now.channels and now.authors else "off"
    lacks = [
        name
        for name, there in (
            ("`/settings on`", now.on),
            ("`/settings channel`", now.channels),
            ("`/settings author`", now.authors),
        )
        if not there
    ]
    needed = f" (it takes {', '.join(lacks)} too)" if state == "off" and lacks else ""
    model = owner.model(now.model) or "none: the embedded engine"
    quotas = "; ".join(
        f"{name} {_quota(quota)}"
        for name, quota in (
            ("user", now.of_user),
            ("channel", now.of_channel),
            ("server", now.of_server),
        )
    )
    return cards.message(
        "Settings of this server",
        f"**Annotation** {state}{needed}, by {now.style}\nin {channels}\nof what {authors} write",
        f"**Commands** {'on' if now.commands else 'off'} · **answers** where mentioned"
        f" {'on' if now.answers else 'off'}",
        f"**Method** {now.method or 'the usual one'} · **model** {inert_line(model)} · **samples**"
        f" {now.samples or 'as usual'} · **threshold** "
        f"{'as fitted' if now.threshold is None else now.threshold} · **knowledge**"
        f" {inert_line(now.knowledge) or 'none'}",
        f"**Quotas a day**: {quotas}",
    )


def _quota(quota: Quota) -> str:
    parts = [f"{quota.checks} checks" if quota.checks is not None else ""]
    parts += [f"{quota.calls} calls" if quota.calls is not None else ""]
    parts += [f"${quota.dollars:.2f}" if quota.dollars is not None else ""]
    return ", ".join(filter(None, parts)) or "no limit"


@settings.command(name="show", description="Show the settings")
async def show(interaction: Asked) -> None:
    """Shows all."""
    await _change(interaction, {})


@settings.command(name="log", description="Who changed what of the settings")
async def log(interaction: Asked) -> None:
    """Shows the last changes."""

    async def work() -> None:
        server = interaction.guild_id
        assert server is not None  # noqa: S101 - the group is of servers alone
        memory = interaction.client.desk.memory
        found = await asyncio.to_thread(memory.changes, server, CHANGES)
        lines = [_line(one) for one in found]
        words = "\n".join(lines) or "Nothing was changed yet."
        await actions.say(interaction, cards.message("Changes of the settings", words))

    await actions.guard(interaction, work())


def _line(change: Change) -> str:
    """A change as a line of the log."""
    who = f"<@{change.person}>" if change.person else "somebody"
    what = ", ".join(f"{name} = {_value(value)}" for name, value in change.what.items())
    return f"<t:{int(change.at)}:f> {who}: {inert_line(what, 200)}"


def _value(value: Any) -> str:
    """A setting in words."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, dict):
        return _quota(Quota.model_validate(value))
    if isinstance(value, list):
        return f"{len(value)} chosen"
    return str(value) if value not in (None, "") else "the usual one"


@settings.command(name="on", description="Annotate watched authors in watched channels, or stop it")
@app_commands.rename(on="annotate")
async def switch(interaction: Asked, on: bool) -> None:
    """Switches annotation on or off; not on where nothing could ever be compared."""
    desk, guild = interaction.client.desk, interaction.guild
    now = await desk.settings(interaction.guild_id)
    if on and not await desk.looks_elsewhere(interaction.guild_id):
        voices = now.authors | _bots(guild, interaction.client)
        if len(voices) < VOICES:
            words = (
                "There would be nothing to compare a reply with. Without a model or knowledge,"
                " halubot compares the answers of several bots to the same question, and here is"
                " one at most. Add a second one (`/settings author` if it is a webhook), or choose"
                " a base by `/settings knowledge`."
            )
            await actions.say(interaction, cards.message("Not switched on", words))
            return
    await _change(interaction, {"on": on})


def _bots(guild: discord.Guild | None, client: HalubotClient) -> frozenset[int]:
    """The other bots of a server, as far as its roles tell: Discord makes one for each."""
    tags = [role.tags for role in guild.roles] if guild is not None else []
    us = client.user.id if client.user else 0
    found = {tag.bot_id for tag in tags if tag is not None and tag.bot_id is not None}
    return frozenset(found - {us})


@settings.command(name="channel", description="Watch a channel, or stop it")
async def channel(
    interaction: Asked,
    channel: discord.TextChannel | discord.Thread | discord.ForumChannel | discord.VoiceChannel,
    watch: bool = True,
) -> None:
    """Adds or takes away a channel."""
    now = await interaction.client.desk.settings(interaction.guild_id)
    changed = now.channels | {channel.id} if watch else now.channels - {channel.id}
    await _change(interaction, {"channels": changed})


@settings.command(name="author", description="Watch what somebody writes, or stop it")
@app_commands.describe(author="A bot or a person", webhook="Or the id of a webhook")
async def author(
    interaction: Asked,
    author: discord.User | None = None,
    webhook: str = "",
    watch: bool = True,
) -> None:
    """Adds or takes away an author."""
    chosen = author.id if author is not None else int(webhook) if webhook.isdigit() else None
    if chosen is None:
        words = "Name a bot or a person, or give the id of a webhook."
        await actions.say(interaction, cards.message("Nobody was named", words))
        return
    now = await interaction.client.desk.settings(interaction.guild_id)
    changed = now.authors | {chosen} if watch else now.authors - {chosen}
    await _change(interaction, {"authors": changed})


@settings.command(name="style", description="How messages are annotated")
@app_commands.choices(
    style=[app_commands.Choice(name=name, value=name) for name in ("reply", "thread", "reaction")]
)
async def style(interaction: Asked, style: app_commands.Choice[str]) -> None:
    """A reply, a card in a thread, or a reaction."""
    await _change(interaction, {"style": style.value})


@settings.command(name="commands", description="Let members check by commands and menus")
async def commands_(interaction: Asked, on: bool) -> None:
    """Switches commands and menus."""
    await _change(interaction, {"commands": on})


@settings.command(name="answers", description="Answer where halubot is mentioned or replied to")
async def answers(interaction: Asked, on: bool) -> None:
    """Switches answers."""
    await _change(interaction, {"answers": on})


@settings.command(name="checking", description="Method, model, samples and threshold of checks")
@app_commands.describe(
    method='"usual" for the usual one', model="One that the owner allows", samples="1 to 100"
)
async def checking(
    interaction: Asked,
    method: str | None = None,
    model: str | None = None,
    samples: app_commands.Range[int, 1, 100] | None = None,
    threshold: app_commands.Range[float, 0.0, 1.0] | None = None,
) -> None:
    """Changes how checks are made."""
    changes: dict[str, Any] = {}
    owner = interaction.client.desk.owner
    method = "" if method == "usual" else method
    if method:
        try:
            methods.get(method)
        except errors.HalubotError as error:
            await actions.say(interaction, cards.message("No such method", inert_line(str(error))))
            return
    if model and model not in owner.models:
        allowed = ", ".join(owner.models) or "none"
        words = f"The owner of halubot allows: {inert_line(allowed, 300)}."
        await actions.say(interaction, cards.message("That model is not allowed", words))
        return
    for name, value in (("method", method), ("model", model)):
        changes |= {} if value is None else {name: value}
    for name, number in (("samples", samples), ("threshold", threshold)):
        changes |= {} if number is None else {name: number}
    await _change(interaction, changes)


@settings.command(name="knowledge", description="A base in which checks look facts up")
@app_commands.describe(base='One that the owner allows; "none" for none')
async def knowledge_(interaction: Asked, base: str) -> None:
    """Changes what is known beside samples and references."""
    chosen, owner = "" if base == "none" else base, interaction.client.desk.owner
    if chosen and chosen not in owner.knowledge:
        allowed = ", ".join(owner.knowledge) or "none"
        words = f"The owner of halubot allows: {inert_line(allowed, 300)}."
        await actions.say(interaction, cards.message("That knowledge is not allowed", words))
        return
    await _change(interaction, {"knowledge": chosen})


@settings.command(name="quota", description="What may be used in a day")
@app_commands.choices(
    whose=[
        app_commands.Choice(name="each user", value="of_user"),
        app_commands.Choice(name="each channel", value="of_channel"),
        app_commands.Choice(name="the server", value="of_server"),
    ]
)
@app_commands.describe(checks="-1 for no limit", calls="-1 for no limit", dollars="-1 for no limit")
async def quota(
    interaction: Asked,
    whose: app_commands.Choice[str],
    checks: app_commands.Range[int, -1] | None = None,
    calls: app_commands.Range[int, -1] | None = None,
    dollars: app_commands.Range[float, -1.0] | None = None,
) -> None:
    """Changes a quota."""
    now: Quota = getattr(await interaction.client.desk.settings(interaction.guild_id), whose.value)
    changed = now.model_dump()
    for name, value in (("checks", checks), ("calls", calls), ("dollars", dollars)):
        if value is not None:
            changed[name] = None if value < 0 else value
    await _change(interaction, {whose.value: changed})
