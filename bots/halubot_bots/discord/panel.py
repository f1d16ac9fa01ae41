"""`/settings`: a panel in which those who manage a server set what halubot does there.

All that a control needs stands in its id, so a panel works after a restart too. Who may manage the
server is looked at with every use.
"""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any, Final, Self

import discord
from discord import ui

from halubot_bots.catalogue import LANGUAGES, choose_language, money, number, phrase
from halubot_bots.chat_text import inert_line
from halubot_bots.discord import actions, panel_forms
from halubot_bots.discord.annotation import SETTLED_SECONDS
from halubot_bots.discord.components import CHOICES
from halubot_bots.discord.tree import localise
from halubot_bots.settings import Quota, ServerSettings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from halubot_bots.discord.actions import Asked
    from halubot_bots.discord.bot import HalubotClient
    from halubot_bots.entries import Change
    from halubot_bots.settings import OwnerLimits

PAGES: Final = ("annotation", "checks", "people", "limits", "changes")

CHANGES: Final = 15
"""Changes that the last page shows."""

VOICES: Final = 2
"""Answers that it takes at least to compare one with another."""

WATCHABLE: Final = [
    discord.ChannelType.text,
    discord.ChannelType.news,
    discord.ChannelType.forum,
    discord.ChannelType.voice,
    discord.ChannelType.stage_voice,
    discord.ChannelType.public_thread,
    discord.ChannelType.private_thread,
    discord.ChannelType.news_thread,
]

SWITCHES: Final[Mapping[str, str]] = {
    "annotate": "on",
    "commands": "commands",
    "answers": "answers",
}
"""The setting that each button switches."""

ROLES: Final[Mapping[str, str]] = {
    "role_check": "checkers",
    "role_ask": "askers",
    "role_correct": "correctors",
}


@discord.app_commands.command(
    name=localise("command.settings.name"), description=localise("command.settings.description")
)
@discord.app_commands.guild_only()
@discord.app_commands.default_permissions(manage_guild=True)
# default_permissions only hides the command, and whoever manages a server's integrations can lift
# that; this is looked at with every call.
@discord.app_commands.checks.has_permissions(manage_guild=True)
async def settings(interaction: Asked) -> None:
    """Show the panel."""

    async def work() -> None:
        view = await view_of_page(interaction, PAGES[0])
        await interaction.response.send_message(view=view, ephemeral=True)

    await actions.guard(interaction, work())


class Control(
    ui.DynamicItem[Any],
    template=r"halubot-settings:(?P<what>[a-z_]{1,30}):(?P<place>\d{1,20})",
):
    """A button or a select menu of the panel: ``what`` it sets, and in which channel (0: in the
    server)."""

    def __init__(self, item: ui.Item[Any], what: str, place: int) -> None:
        super().__init__(item)
        self.what = what
        self.place = place

    @classmethod
    async def from_custom_id(
        cls,
        interaction: discord.Interaction[Any],
        item: ui.Item[Any],
        match: re.Match[str],
        /,
    ) -> Self:
        return cls(item, match["what"], int(match["place"]))

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        choose_language(interaction.locale)
        await actions.guard(interaction, self._use(interaction))

    async def _use(self, interaction: Asked) -> None:
        """Do what the control says, and show the panel as it is then."""
        # Who opened the panel may have lost the right since.
        if interaction.guild_id is None or not interaction.permissions.manage_guild:
            await actions.refuse(interaction)
            return
        group, _, name = self.what.partition("_")
        if group == "page":
            await _show(interaction, name, self.place)
        elif group == "form":
            now = await interaction.client.desk.settings(interaction.guild_id)
            owner = interaction.client.desk.owner
            form = panel_forms.form_of(name, now, owner, self.place, change)
            # A form can only be the first response: nothing is shown before.
            await interaction.response.send_modal(form)
        elif self.what == "scope":
            chosen = self.item.values
            await _show(interaction, "checks", chosen[0].id if chosen else 0)
        else:
            await self._set(interaction)

    async def _set(self, interaction: Asked) -> None:
        desk, server = interaction.client.desk, interaction.guild_id
        assert server is not None  # noqa: S101 - it was looked at before
        now = await desk.settings(server)
        if self.what in SWITCHES:
            field = SWITCHES[self.what]
            switched = not getattr(now, field)
            # Nothing would ever be annotated, and nobody would know why.
            if field == "on" and switched and not await _comparable(interaction, now):
                words = phrase("settings.not_on")
                await actions.note(interaction, "settings.not_on_headline", words)
                return
            await change(interaction, {field: switched}, "annotation")
        elif self.what in ("channels", "authors"):
            chosen = frozenset(one.id for one in self.item.values)
            await change(interaction, {self.what: chosen}, "annotation")
        elif self.what == "language":
            (language,) = self.item.values
            chosen_language = language if language in LANGUAGES else ""
            await change(interaction, {"language": chosen_language}, "annotation")
        elif self.what in ROLES:
            chosen = frozenset(one.id for one in self.item.values)
            await change(interaction, {ROLES[self.what]: chosen}, "people")


async def change(interaction: Asked, changes: dict[str, Any], page: str, place: int = 0) -> None:
    """Change some settings of a server, and show a page of the panel."""
    desk, server = interaction.client.desk, interaction.guild_id
    assert server is not None  # noqa: S101 - the panel is of servers alone
    now = await desk.settings(server)
    # Not model_copy, which takes any value unchecked.
    new = ServerSettings.model_validate(now.model_dump() | changes)
    if new != now:
        await desk.set(server, new, person=interaction.user.id)
        # Ids of Discord grow with time: this interaction's id parts earlier messages from later
        # ones.
        for channel in new.channels - now.channels if new.on == now.on else new.channels:
            # What is written from now on is taken up, even if the bot is down then.
            watch = desk.memory.watch_from
            await asyncio.to_thread(watch, channel, server, interaction.id)
    await _show(interaction, page, place)


async def _show(interaction: Asked, page: str, place: int = 0) -> None:
    """Show a page in place of what the panel shows."""
    view = await view_of_page(interaction, page if page in PAGES else PAGES[0], place)
    await interaction.response.edit_message(view=view)


async def view_of_page(interaction: Asked, page: str, place: int = 0) -> ui.LayoutView:
    """A page of the panel as a view; ``place`` is a channel whose settings it shows, 0 the
    server."""
    client = interaction.client
    now = await client.desk.settings(interaction.guild_id)
    headline = "settings.headline_channel" if place else "settings.headline"
    box: ui.Container[ui.LayoutView] = ui.Container()
    box.add_item(ui.TextDisplay(f"### {phrase(headline, channel=f'<#{place}>')}"))
    tabs: ui.ActionRow[ui.LayoutView] = ui.ActionRow()
    for name in PAGES:
        strong = discord.ButtonStyle.primary if name == page else discord.ButtonStyle.secondary
        tabs.add_item(_button(f"page_{name}", name, style=strong))
    box.add_item(tabs)
    if page == "changes":
        assert interaction.guild_id is not None  # noqa: S101 - the panel is of servers alone
        memory = client.desk.memory
        made = await asyncio.to_thread(memory.changes, interaction.guild_id, CHANGES)
        words = "\n".join(map(describe_change, made)) or phrase("panel.log_empty")
        box.add_item(ui.TextDisplay(words))
    else:
        for line in describe_page(page, now, client.desk.owner, place):
            box.add_item(ui.TextDisplay(line))
    for item in _controls(page, now, place):
        row: ui.ActionRow[ui.LayoutView] = ui.ActionRow()
        for one in item if isinstance(item, tuple) else (item,):
            row.add_item(one)
        box.add_item(row)
    box.add_item(ui.TextDisplay(f"-# {phrase('settings.owner_allows')}"))
    view = ui.LayoutView(timeout=None)
    view.add_item(box)
    return view


def _controls(
    page: str, now: ServerSettings, place: int
) -> Iterator[Control | tuple[Control, ...]]:
    """The controls of a page, a row each."""
    if page == "annotation":
        yield tuple(
            _button(
                name, f"{name}_{'on' if getattr(now, field) else 'off'}", on=getattr(now, field)
            )
            for name, field in SWITCHES.items()
        )
        channels = ui.ChannelSelect[Any](
            custom_id=_id("channels"),
            channel_types=WATCHABLE,
            placeholder=phrase("panel.channels"),
            min_values=0,
            max_values=CHOICES,
            default_values=[_default(id, "channel") for id in sorted(now.channels)[:CHOICES]],
        )
        yield Control(channels, "channels", 0)
        authors = ui.UserSelect[Any](
            custom_id=_id("authors"),
            placeholder=phrase("panel.authors"),
            min_values=0,
            max_values=CHOICES,
            default_values=[_default(id, "user") for id in sorted(now.authors)[:CHOICES]],
        )
        yield Control(authors, "authors", 0)
        language = ui.Select[Any](
            custom_id=_id("language"),
            placeholder=phrase("panel.language"),
            options=[
                discord.SelectOption(
                    label=f"{phrase('panel.language')}: {_language(code)}",
                    value=code or "server",
                    default=now.language == code,
                )
                for code in ("", *LANGUAGES)
            ],
        )
        yield Control(language, "language", 0)
        yield _button("form_webhook", "webhook")
    elif page == "checks":
        scope = ui.ChannelSelect[Any](
            custom_id=_id("scope", place),
            channel_types=WATCHABLE,
            placeholder=phrase("panel.scope"),
            min_values=0,
            max_values=1,
            default_values=[_default(place, "channel")] if place else [],
        )
        yield Control(scope, "scope", place)
        buttons = (_button("form_checks", "edit_checks", place),)
        # Method and samples are of the server: `ChannelSettings` has neither.
        yield buttons if place else (*buttons, _button("form_method", "edit_method"))
    elif page == "people":
        for name, field in ROLES.items():
            chosen = sorted(getattr(now, field))[:CHOICES]
            roles = ui.RoleSelect[Any](
                custom_id=_id(name),
                placeholder=phrase(f"panel.{name}"),
                min_values=0,
                max_values=CHOICES,
                default_values=[_default(id, "role") for id in chosen],
            )
            yield Control(roles, name, 0)
    elif page == "limits":
        yield tuple(
            _button(
                f"form_quota_{whose}",
                label=phrase("panel.quota_of", whose=phrase(f"panel.of_{whose}")),
            )
            for whose in ("user", "channel", "server")
        )
        yield _button("form_cooldown", "edit_cooldown")


def _language(code: str) -> str:
    return phrase(f"language.{code}") if code else phrase("settings.server_language")


def _id(what: str, place: int = 0) -> str:
    return f"halubot-settings:{what}:{place}"


def _default(id: int, kind: str) -> discord.SelectDefaultValue:
    return discord.SelectDefaultValue(id=id, type=discord.SelectDefaultValueType[kind])


def _button(
    what: str,
    words: str = "",
    place: int = 0,
    *,
    label: str = "",
    on: bool = False,
    style: discord.ButtonStyle = discord.ButtonStyle.secondary,
) -> Control:
    button: ui.Button[Any] = ui.Button(
        label=label or phrase(f"panel.{words}"),
        style=discord.ButtonStyle.success if on else style,
        custom_id=_id(what, place),
    )
    return Control(button, what, place)


async def _comparable(interaction: Asked, now: ServerSettings) -> bool:
    """Return True if a reply could be compared with anything in this server."""
    if await interaction.client.desk.looks_elsewhere(interaction.guild_id):
        return True
    watched = now.authors | now.webhooks
    return len(watched | _bots(interaction.guild, interaction.client)) >= VOICES


def _bots(guild: discord.Guild | None, client: HalubotClient) -> frozenset[int]:
    """The other bots of a server, as far as its roles tell: Discord makes one for each."""
    # Only bots with a privileged intent see the members; roles come with the server.
    tags = [role.tags for role in guild.roles] if guild is not None else []
    us = client.user.id if client.user else 0
    found = {tag.bot_id for tag in tags if tag is not None and tag.bot_id is not None}
    return frozenset(found - {us})


LONGEST = 200
"""Characters of a change that are shown."""


def describe_page(page: str, now: ServerSettings, owner: OwnerLimits, place: int) -> Iterator[str]:
    """The texts of a page of the panel: what is set there."""
    if page == "annotation":
        yield _state(now)
        language = f"language.{now.language}" if now.language else "settings.server_language"
        yield phrase(
            "settings.switches",
            commands=_switch(now.commands),
            answers=_switch(now.answers),
            language=phrase(language),
        )
    elif page == "checks":
        yield _checks(now.in_channel(place) if place else now, owner)
        if not place and now.apart:
            yield phrase("settings.apart", channels=_mentions("#", now.apart))
    elif page == "people":
        roles = {
            name: _mentions("@&", ids) or phrase("settings.everybody")
            for name, ids in (
                ("check", now.checkers),
                ("ask", now.askers),
                ("correct", now.correctors),
            )
        }
        yield phrase("settings.roles", **roles)
    elif page == "limits":
        yield phrase(
            "settings.quotas",
            user=describe_quota(now.of_user),
            channel=describe_quota(now.of_channel),
            server=describe_quota(now.of_server),
        )
        yield phrase("settings.cooldown", seconds=number(now.cooldown))


def describe_quota(quota: Quota) -> str:
    """Return a quota in words."""
    parts = [
        phrase(f"quota.{name}", count=limit)
        for name, limit in (("checks", quota.checks), ("calls", quota.calls))
        if limit is not None
    ]
    parts += [money(quota.dollars)] if quota.dollars is not None else []
    return ", ".join(parts) or phrase("quota.none")


def describe_change(change: Change) -> str:
    """Return a change of the settings as a line of the log."""
    who = f"<@{change.person}>" if change.person else phrase("panel.log_somebody")
    told = (f"{_name(name)} = {_value(name, value)}" for name, value in change.what.items())
    what = inert_line(", ".join(told), LONGEST)
    return phrase("panel.log_line", at=f"<t:{int(change.at)}:f>", who=who, what=what)


def _state(now: ServerSettings) -> str:
    """Return in words if annotation is on, what it lacks, where it watches and whom."""
    authors = now.authors | now.webhooks
    lacks = [
        phrase(f"settings.lack_{name}")
        for name, there in (("on", now.on), ("channels", now.channels), ("authors", authors))
        if not there
    ]
    if not lacks:
        head = phrase("settings.state_on", style=phrase(f"settings.{now.style}"))
    elif len(lacks) < 3:
        head = phrase("settings.lacking", lacks=", ".join(lacks))
    else:
        head = phrase("settings.state_off")
    where = _mentions("#", now.channels) or phrase("settings.nowhere")
    whom = _mentions("@", authors) or phrase("settings.nobody")
    where, whom = phrase("settings.where", channels=where), phrase("settings.whom", authors=whom)
    return f"{head}\n{where}\n{whom}"


def _checks(now: ServerSettings, owner: OwnerLimits) -> str:
    """Return in words how checks are made."""
    usual = phrase("settings.usual")
    settled = SETTLED_SECONDS if now.settled is None else now.settled
    return phrase(
        "settings.checks",
        method=inert_line(now.method) or usual,
        model=inert_line(owner.model(now.model)) or phrase("settings.no_model"),
        samples=now.samples or usual,
        threshold=usual if now.threshold is None else number(now.threshold),
        knowledge=inert_line(now.knowledge) or phrase("settings.none"),
        settled=phrase("settings.seconds", seconds=number(settled)),
    )


def _switch(on: bool) -> str:
    return phrase("settings.on" if on else "settings.off")


def _mentions(sign: str, ids: Iterable[int]) -> str:
    return ", ".join(f"<{sign}{id}>" for id in sorted(ids))


def _name(setting: str) -> str:
    """The word for a setting."""
    return phrase(f"setting.{setting}")


def _value(name: str, value: Any) -> str:
    """A setting in words."""
    if isinstance(value, bool):
        return _switch(value)
    # Before the other dicts: its values are settings of channels, not a quota.
    if name == "apart":
        return phrase("panel.log_set_apart", count=len(value))
    if isinstance(value, dict):
        return describe_quota(Quota.model_validate(value))
    if isinstance(value, list):
        return phrase("panel.log_chosen", count=len(value))
    if value in (None, ""):
        return phrase("settings.usual")
    return phrase("settings.seconds", seconds=number(value)) if name == "cooldown" else str(value)
