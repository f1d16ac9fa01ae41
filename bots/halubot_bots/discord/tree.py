"""Commands and menus in the languages of people, and what is looked at before each of them."""

from __future__ import annotations

from typing import Any

import discord
from discord import app_commands

from halubot_bots.catalogue import LANGUAGES, catalogue, choose_language
from halubot_bots.discord import actions


def localise(name: str) -> app_commands.locale_str:
    """A phrase as the name or description of a command, which Discord gets in all languages."""
    return app_commands.locale_str(str(catalogue(LANGUAGES[0])[name]), phrase=name)


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


class Tree(app_commands.CommandTree[Any]):
    """The commands and menus. Each speaks the language of who uses it."""

    async def interaction_check(self, interaction: discord.Interaction[Any], /) -> bool:
        """Look at the settings of the server once, for what must not wait later."""
        choose_language(interaction.locale)

        # Once and first: cooldowns are read without waiting, and the first sign must not wait for
        # the disk.
        async def look() -> None:
            await interaction.client.desk.settings(interaction.guild_id)

        return await actions.guard(interaction, look())

    async def on_error(
        self, interaction: discord.Interaction[Any], error: app_commands.AppCommandError, /
    ) -> None:
        """Say what goes wrong before or beside the work of a command."""
        await actions.report_failure(interaction, error)
