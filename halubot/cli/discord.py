"""`halubot discord`: the Discord bot."""

from __future__ import annotations

import asyncio
import json
import os
from contextlib import closing
from importlib import import_module
from typing import Any

import click

from halubot import settings
from halubot.cli.parameters import Command, own
from halubot.errors import HalubotError, SettingError
from halubot.options import SWITCH

TOKEN = "HALUBOT_DISCORD_TOKEN"  # noqa: S105 - the variable's name, not a token


@click.command(
    cls=Command,
    params=[
        own(
            "check",
            "Say whether token, intents and permissions are right; print the invite link.",
            SWITCH,
            default=False,
        ),
        own(
            "feedback",
            "Print what people said of verdicts, a JSON line each, without names and texts.",
            SWITCH,
            default=False,
        ),
        own("verbose", "Log more, with ids and numbers.", SWITCH, default=False),
    ],
)
def command(check: bool, feedback: bool, verbose: bool) -> int:
    """Run the Discord bot.

    Its token is read from the variable HALUBOT_DISCORD_TOKEN alone; its owner's limits stand under
    [discord] in the settings file. docs/discord.md leads from nothing to the first card.
    """
    if feedback:
        return _print_feedback()
    token = os.environ.get(TOKEN, "").strip()
    if not token:
        raise SettingError(
            f"the bot needs its token in the variable {TOKEN}: copy it from the application's page"
            " at https://discord.com/developers/applications, under Bot"
        )
    # By name: the core must not import a front end (the import contracts), and this module is a
    # part of it.
    import_module("halubot_bots.process").begin(verbose=verbose)
    owner = import_module("halubot_bots.settings").owner_limits(settings.table("discord"))
    if check:
        return _check_up(token, owner)
    click.echo("halubot is connecting to Discord; ctrl+C stops it", err=True)
    asyncio.run(import_module("halubot_bots.discord.runner").run(token, owner))
    return 0


def _print_feedback() -> int:
    with closing(import_module("halubot_bots.store").Store.open()) as store:
        for word in store.all_words():
            click.echo(json.dumps(word))
    return 0


def _check_up(token: str, owner: Any) -> int:
    import discord

    try:
        found = asyncio.run(import_module("halubot_bots.discord.checkup").check_up(token, owner))
    except discord.LoginFailure as error:
        runner = import_module("halubot_bots.discord.runner")
        raise runner.RefusedError(runner.REFUSALS[type(error)]) from error
    except (discord.DiscordException, OSError) as error:
        raise HalubotError(f"Discord cannot be reached: {type(error).__name__}") from error
    for line in found.lines:
        click.echo(line)
    click.echo(f"invite   {found.invite}")
    return 0 if found.well else 1
