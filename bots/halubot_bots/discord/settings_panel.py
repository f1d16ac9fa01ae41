"""The settings of a server, on one page that only its moderators see."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import discord
from discord import ui

from halubot_bots.catalogue import LANGUAGES, phrase
from halubot_bots.disagreement_cards import CHOICES
from halubot_bots.discord.checkup import PERMISSIONS
from halubot_bots.discord.errors import LOG, DeclinedError
from halubot_bots.discord.responding import Reply, respond

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Iterator

    from halubot_bots.discord.client import HalubotClient
    from halubot_bots.settings import ServerSettings

    Act = Callable[[discord.Interaction[Any], list[Any]], Awaitable[Reply]]

SECONDS: Final = 840.0
"""Seconds for which a panel works: Discord lets a message of an interaction be changed for 15
minutes."""

WATCHED: Final = [
    discord.ChannelType.text,
    discord.ChannelType.news,
    discord.ChannelType.forum,
    discord.ChannelType.voice,
]


def open_panel(client: HalubotClient, interaction: discord.Interaction[Any]) -> Reply:
    """Return the page for somebody who may manage the server. Raises DeclinedError if they may
    not."""
    guild = interaction.guild
    if guild is None or not interaction.permissions.manage_guild:
        raise DeclinedError(phrase("declined.manage"))
    if not client.owner.serves(guild.id):
        raise DeclinedError(phrase("declined.server"))
    return Panel(client, guild, client.settings(guild.id))


class Panel(ui.LayoutView):
    """What is compared where, with what else, and in which language."""

    def __init__(
        self, client: HalubotClient, guild: discord.Guild, settings: ServerSettings, note: str = ""
    ) -> None:
        super().__init__(timeout=SECONDS)
        self._client, self._guild, self._settings = client, guild, settings
        box: ui.Container[Panel] = ui.Container()
        box.add_item(ui.TextDisplay(f"### {phrase('settings.headline')}"))
        self._left: list[str] = []
        menus: list[ui.ActionRow[Panel]] = [
            ui.ActionRow(self._channels()),
            ui.ActionRow(self._bots()),
        ]
        evidence = list(self._evidence())
        lines = filter(None, (note, *self._lines(), *self._left))
        box.add_item(ui.TextDisplay("\n".join(lines)))
        for menu in menus:
            box.add_item(menu)
        languages = {code: phrase(f"language.{code}") for code in LANGUAGES}
        box.add_item(self._choose("language", languages, phrase("settings.server_language")))
        if evidence:
            box.add_item(ui.TextDisplay(phrase("settings.evidence")))
            for row in evidence:
                box.add_item(row)
        names = ("on", "web") if client.owner.web else ("on",)
        box.add_item(ui.ActionRow(*map(self._switch, names)))
        self.add_item(box)

    async def _change(
        self, interaction: discord.Interaction[Any], changed: dict[str, Any], note: str = ""
    ) -> Reply:
        """Keep some settings and show the page again, with a note."""
        if not interaction.permissions.manage_guild:
            raise DeclinedError(phrase("declined.manage"))
        client, guild = self._client, self._guild
        async with client.setting:
            # Read again: something else may have been changed since this page was shown.
            now = client.settings(guild.id)
            settings = type(now).model_validate(now.model_dump() | changed)
            if why_not := settings.on and self._why_not(settings):
                settings = settings.model_copy(update={"on": False})
                note = "\n".join(filter(None, (note, why_not)))
            if settings != now:
                await asyncio.to_thread(client.store.set_settings, guild.id, settings)
                LOG.info("server %d: settings changed", guild.id)
        return Panel(client, guild, settings, note)

    def _why_not(self, settings: ServerSettings) -> str:
        """Return why cards cannot be switched on; "" if they can."""
        if not any(map(self._guild.get_channel, settings.channels)):
            return phrase("settings.needs_channel")
        other = self._client.owner.model(settings.model) or settings.knowledge or settings.web
        return "" if len(settings.bots) >= (1 if other else 2) else phrase("settings.needs_bots")

    def _lines(self) -> Iterator[str]:
        """Yield what the page says above its menus: the state, and what keeps cards away."""
        settings, owner = self._settings, self._client.owner
        yield phrase("settings.on" if settings.on else "settings.off")
        if settings.on:
            yield self._why_not(settings)  # a channel or a bot may have gone since
        if not owner.reads_content:
            yield f"⚠ {phrase('settings.no_content')}"
        failed = self._client.queue.model_failed
        if failed is not None and owner.model(settings.model):
            when = f"<t:{int(failed)}:R>"
            yield f"⚠ {phrase('settings.model_failed', model=settings.model, when=when)}"
        for channel in settings.channels:
            found = self._guild.get_channel(channel)
            if found is None:
                continue
            allowed = found.permissions_for(self._guild.me)
            lacks = [one for one, needed in PERMISSIONS if needed and not getattr(allowed, one)]
            if getattr(found, "slowmode_delay", 0) and not allowed.bypass_slowmode:
                lacks.append("bypass_slowmode")
            if lacks:
                names = ", ".join(one.replace("_", " ").title() for one in lacks)
                yield f"⚠ {phrase('settings.lacks', channel=f'<#{channel}>', names=names)}"

    def _channels(self) -> ui.Item[Any]:
        chosen = sorted(self._settings.channels)
        found = [one for one in map(self._guild.get_channel, chosen) if one is not None]
        here = [one.id for one in found]
        gone, further = set(chosen).difference(here), here[CHOICES:]
        self._left += [_line("gone", "#", gone), _line("further", "#", further)]
        menu: ui.ChannelSelect[Any] = ui.ChannelSelect(
            placeholder=phrase("settings.channels"),
            min_values=0,
            max_values=CHOICES,
            channel_types=WATCHED,
            default_values=found[:CHOICES],
        )

        async def choose(interaction: discord.Interaction[Any], values: list[Any]) -> Reply:
            channels = {one.id for one in values}.union(further)
            return await self._change(interaction, {"channels": channels})

        return self._acting(menu, choose)

    def _bots(self) -> ui.Item[Any]:
        chosen = sorted(self._settings.bots)
        further = chosen[CHOICES:]
        self._left.append(_line("further", "@", further))
        menu: ui.UserSelect[Any] = ui.UserSelect(
            placeholder=phrase("settings.bots"),
            min_values=0,
            max_values=CHOICES,
            default_values=[discord.Object(one, type=discord.Member) for one in chosen[:CHOICES]],
        )

        async def choose(interaction: discord.Interaction[Any], values: list[Any]) -> Reply:
            found, left = {one.id: one for one in values}, defaultdict[str, list[int]](list)
            data: Any = interaction.data
            for id in map(int, data["values"]):
                # A bot that is no member was not let in by anybody who manages the server.
                member = isinstance(found.get(id), discord.Member)
                why = "" if member and found[id].bot else "no_bot" if member else "no_member"
                left["itself" if id == self._guild.me.id else why].append(id)
            bots = {*further, *left.pop("", ())}
            lines = [_line(why, "@", ids) for why, ids in left.items()]
            return await self._change(interaction, {"bots": bots}, "\n".join(lines))

        return self._acting(menu, choose)

    def _evidence(self) -> Iterator[ui.ActionRow[Any]]:
        """Yield a menu for each kind of evidence that the owner offers."""
        owner, none = self._client.owner, phrase("settings.none")
        for name, offered in (("model", owner.models), ("knowledge", owner.knowledge)):
            if offered:
                yield self._choose(name, {one: one for one in offered}, none)

    def _choose(self, name: str, entries: dict[str, str], nothing: str) -> ui.ActionRow[Any]:
        """Return a menu of one choice for a setting; its first entry stands for ""."""
        label, value = phrase(f"settings.{name}"), getattr(self._settings, name)
        value = value if value in entries else ""
        options = [
            discord.SelectOption(
                label=f"{label}: {shown}"[:100], value=entry or "-", default=entry == value
            )
            for entry, shown in {"": nothing, **entries}.items()
        ]

        async def choose(interaction: discord.Interaction[Any], values: list[Any]) -> Reply:
            return await self._change(interaction, {name: values[0].removeprefix("-")})

        return ui.ActionRow(self._acting(ui.Select(options=options), choose))

    def _switch(self, name: str) -> ui.Item[Any]:
        value = getattr(self._settings, name)
        strong = name == "on" and not value
        style = discord.ButtonStyle.primary if strong else discord.ButtonStyle.secondary
        label = phrase(f"settings.switch_{name}{'_off' if value else ''}")

        async def press(interaction: discord.Interaction[Any], _: list[Any]) -> Reply:
            return await self._change(interaction, {name: not value})

        return self._acting(ui.Button(label=label, style=style), press)

    def _acting(self, item: Any, act: Act) -> ui.Item[Any]:
        """Return a button or menu that calls a function with what was chosen."""

        async def callback(interaction: discord.Interaction[Any]) -> None:
            work = partial(act, interaction, list(getattr(item, "values", ())))
            await respond(interaction, self._client.cooldowns, work, update=True)

        item.callback = callback
        made: ui.Item[Any] = item
        return made


def _line(name: str, sign: str, ids: Collection[int]) -> str:
    """Return what is to be said of channels ("#") or users ("@"); "" if there are none."""
    names = ", ".join(f"<{sign}{one}>" for one in sorted(ids))
    return phrase(f"settings.{name}", names=names) if ids else ""
