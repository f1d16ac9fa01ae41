"""The commands and the menus of messages, in the languages of people."""

from __future__ import annotations

import asyncio
from functools import partial, wraps
from typing import TYPE_CHECKING, Any

import discord
from discord import app_commands

from halubot_bots.catalogue import LANGUAGES, catalogue, money, phrase
from halubot_bots.check_options import budgets_of, receivers
from halubot_bots.discord.responding import Reply, message, respond
from halubot_bots.discord.settings_panel import open_panel
from halubot_bots.records import Place

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from halubot_bots.discord.client import HalubotClient

TEXT = app_commands.Range[str, 1, 6000]


class Translator(app_commands.Translator):
    """Finds the names and descriptions of commands in the catalogues."""

    async def translate(
        self,
        string: app_commands.locale_str,
        locale: discord.Locale,
        context: app_commands.TranslationContextTypes,
    ) -> str | None:
        """Return the phrase in a locale; None if it is English, as everywhere else."""
        language = str(locale).partition("-")[0]
        name = string.extras.get("phrase")
        if name is None or language not in LANGUAGES[1:]:
            return None
        found = catalogue(language).get(name)
        return found if isinstance(found, str) else None


def register(client: HalubotClient) -> None:
    """Add all commands and menus to the client's tree."""
    checks = client.private_checks

    def add(made: Any, *, everywhere: bool = True) -> None:
        """Let a command be used where a server or a person installed the bot, or in servers alone,
        by who manages them."""
        made.allowed_installs = app_commands.AppInstallationType(guild=True, user=everywhere)
        made.allowed_contexts = app_commands.AppCommandContext(
            guild=True, dm_channel=everywhere, private_channel=everywhere
        )
        if not everywhere:
            made.default_permissions = discord.Permissions(manage_guild=True)
        client.tree.add_command(made)

    def answering(work: Callable[..., Awaitable[Reply]]) -> Any:
        """Return the callback of a command that answers with what ``work`` returns."""

        @wraps(work)
        async def callback(
            interaction: discord.Interaction[Any], *given: Any, **named: Any
        ) -> None:
            answer = partial(work, interaction, *given, **named)
            await respond(interaction, client.cooldowns, answer)

        return callback

    def command(name: str, *options: str) -> Callable[[Any], None]:
        """Add a command of this name in the catalogues, with its options."""

        def register_it(work: Callable[..., Awaitable[Reply]]) -> None:
            made: app_commands.Command[Any, Any, Any] = app_commands.Command(
                name=_said(f"command.{name}.name"),
                description=_said(f"command.{name}.description"),
                callback=answering(work),
            )
            if options:
                described = {key: _said(f"command.{name}.{key}") for key in options}
                app_commands.describe(**described)(made)
                app_commands.rename(**{key: _said(f"option.{key}") for key in options})(made)
            add(made, everywhere=name != "settings")

        return register_it

    def menu(name: str) -> Callable[[Any], None]:
        entry = partial(app_commands.ContextMenu, name=_said(f"menu.{name}"))
        return lambda work: add(entry(callback=answering(work)))

    @command("check", "text", "question", "others", "reference")
    async def check(
        interaction: discord.Interaction[Any],
        text: TEXT,
        question: str = "",
        others: str = "",
        reference: discord.Attachment | None = None,
    ) -> Reply:
        material = await checks.attached(text, question, others, reference)
        return await checks.check(interaction, material)

    @command("status")
    async def status(interaction: discord.Interaction[Any]) -> Reply:
        return await _status(client, interaction)

    @command("privacy", "leave_out")
    async def privacy(
        interaction: discord.Interaction[Any], leave_out: bool | None = None
    ) -> Reply:
        return await _privacy(client, interaction, leave_out)

    @command("forget-me")
    async def forget_me(interaction: discord.Interaction[Any]) -> Reply:
        count = await client.deletions.person(interaction.user.id)
        return message(phrase("forgotten.headline"), phrase("forgotten.done", count=count))

    @command("help")
    async def help_(interaction: discord.Interaction[Any]) -> Reply:
        names = ("cards", "menus", "commands", "agreement")
        return message(phrase("help.headline"), *(phrase(f"help.{name}") for name in names))

    @menu("facts")
    async def check_facts(interaction: discord.Interaction[Any], about: discord.Message) -> Reply:
        return await checks.of_message(interaction, about, correct=False)

    @menu("correct")
    async def correct_this(interaction: discord.Interaction[Any], about: discord.Message) -> Reply:
        return await checks.of_message(interaction, about, correct=True)

    @command("settings")
    async def settings(interaction: discord.Interaction[Any]) -> Reply:
        return open_panel(client, interaction)


def _said(name: str) -> app_commands.locale_str:
    """Return a phrase as a name or description, which Discord gets in all languages."""
    return app_commands.locale_str(str(catalogue(LANGUAGES[0])[name]), phrase=name)


async def _status(client: HalubotClient, interaction: discord.Interaction[Any]) -> Reply:
    """Say how busy the bot is, and what of the model's budgets was used today."""
    place = Place(interaction.channel_id or 0, interaction.guild_id)
    queue, owner = client.queue, client.owner
    blocks = [
        phrase("status.checks", running=queue.running, waiting=queue.waiting),
        phrase("status.free"),
    ]
    if owner.models:
        for key, quota in budgets_of(owner, place, interaction.user.id).items():
            if key == "all":
                continue  # how much others use is not theirs to know
            used = await asyncio.to_thread(client.budgets.used, key)
            parts = []
            for name in ("checks", "calls"):
                if (of := getattr(quota, name)) is not None:
                    parts.append(phrase(f"status.used_{name}", used=getattr(used, name), of=of))
            if quota.dollars is not None and quota.dollars != float("inf"):
                spent, most = money(used.dollars), money(quota.dollars)
                parts.append(phrase("status.used", used=spent, of=most))
            if parts:
                who = phrase(f"status.{key.partition(':')[0]}")
                blocks.append(f"**{who}**: {', '.join(parts)}")
        blocks.append(f"-# {phrase('status.days')}")
    return message(phrase("status.headline"), "\n".join(blocks))


async def _privacy(
    client: HalubotClient, interaction: discord.Interaction[Any], leave_out: bool | None
) -> Reply:
    """Say what is kept and who receives texts; leave somebody out or let them in again."""
    person, store = interaction.user.id, client.store
    if leave_out is not None:
        await asyncio.to_thread(store.leave_out, person, out=leave_out)
        if leave_out:
            await client.deletions.person(person)
    settings = client.settings(interaction.guild_id)
    messages, reports = await asyncio.to_thread(store.count_kept, person)
    out = store.left_out(person)
    receiving = "\n".join(f"- {line}" for line in receivers(settings, client.owner))
    return message(
        phrase("privacy.headline"),
        phrase("privacy.kept", days=client.owner.days_kept),
        f"{phrase('privacy.receivers')}\n{receiving}",
        phrase("privacy.used", messages=messages, reports=reports),
        f"{phrase('privacy.forget')}\n{phrase('privacy.out' if out else 'privacy.in')}",
    )
