"""`halubot discord`: the Discord bot."""

from __future__ import annotations

import asyncio
import os
from importlib import import_module

import click

from halubot.cli.option_types import Setting
from halubot.errors import HalubotError, SettingError

TOKEN = "HALUBOT_DISCORD_TOKEN"  # noqa: S105 - the variable's name, not a token


@click.command(
    params=[
        Setting(
            ["--check"],
            is_flag=True,
            help="Say whether token, intents and permissions are right; print the invite link.",
        ),
        Setting(
            ["--log"],
            type=click.Choice(["text", "json"]),
            default="text",
            show_default=True,
            help="How what happens is written to standard error.",
        ),
        Setting(["--verbose"], is_flag=True, help="Log each check too, with ids and numbers."),
    ]
)
def command(check: bool, log: str, verbose: bool) -> int:
    """Run the Discord bot.

    Its token is read from the variable HALUBOT_DISCORD_TOKEN alone; its owner's limits stand under
    [discord] in the settings file. docs/discord.md leads from nothing to an annotated reply.
    """
    token = os.environ.get(TOKEN, "").strip()
    if not token:
        raise SettingError(
            f"the bot needs its token in the variable {TOKEN}: copy it from the application's page"
            " at https://discord.com/developers/applications, under Bot"
        )
    # By name: the core must not import a front end (the import contracts), and this module is a
    # part of it.
    import_module("halubot_bots.process").begin(log, verbose=verbose)
    owner = import_module("halubot_bots.settings").owner_limits(_table())
    if owner.judge:  # one that cannot be used would fail in every check, before strangers
        import_module("halubot.models.local.encoder_judge").open_judge(owner.judge)
    if check:
        return _check_up(token, reads_content=owner.reads_content)
    click.echo("halubot is connecting to Discord; ctrl+C stops it", err=True)
    asyncio.run(import_module("halubot_bots.discord.runner").run(token, owner))
    return 0


def _table() -> dict[str, object]:
    from halubot import settings

    return settings.table("discord")


def _check_up(token: str, *, reads_content: bool) -> int:
    import discord

    runner = import_module("halubot_bots.discord.runner")
    try:
        found = asyncio.run(runner.check_up(token, reads_content=reads_content))
    except discord.LoginFailure as error:
        raise runner.TokenError from error
    except (discord.DiscordException, OSError) as error:
        raise HalubotError(f"Discord cannot be reached: {type(error).__name__}") from error
    for line in found.lines:
        click.echo(line)
    click.echo(f"invite: {found.invite}")
    return 0 if found.well else 1
