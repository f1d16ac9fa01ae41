"""The settings of a server, on two pages that only its moderators see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import discord
from discord import ui

from halubot_bots import cards
from halubot_bots.catalogue import LANGUAGES, choose_language, phrase
from halubot_bots.discord.components import view_of
from halubot_bots.discord.errors import LOG, UNSENT, DeclinedError, code_of, explain

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from halubot_bots.discord.client import HalubotClient
    from halubot_bots.settings import ServerSettings

SECONDS: Final = 840.0
"""Seconds for which a panel works: Discord lets a message of an interaction be changed for 15
minutes."""

CHOICES: Final = 25
"""Entries of a select menu of Discord."""

BUDGETS: Final = {
    "of_person": (0, 1, 3, 5, 10, 20, 50, 100),
    "of_channel": (0, 10, 20, 50, 100, 200, 500, 1000),
}
"""What moderators may choose as the checks with a model in a day."""

NEEDED: Final = ("view_channel", "read_message_history", "send_messages")
IN_THREADS: Final = "send_messages_in_threads"
SLOW: Final = "bypass_slowmode"


async def open_panel(interaction: discord.Interaction[Any]) -> None:
    """Show the first page to somebody who may manage the server."""
    choose_language(interaction.locale)
    client: HalubotClient = interaction.client
    wait = client.cooldowns.wait(interaction)
    await interaction.response.defer(ephemeral=True, thinking=True)
    try:
        if wait:
            raise DeclinedError(phrase("declined.cooldown", seconds=f"{wait:.0f}"))
        if interaction.guild is None or not interaction.permissions.manage_guild:
            raise DeclinedError(phrase("declined.manage"))
        if not client.owner.serves(interaction.guild.id):
            raise DeclinedError(phrase("declined.server"))
        settings = await client.settings(interaction.guild.id)
        view: ui.LayoutView = Panel(client, interaction.guild, settings, interaction.user.id)
    except Exception as error:  # noqa: BLE001 - somebody waits for an answer
        view = view_of(cards.message(*explain(error)))
    await interaction.edit_original_response(view=view)


class Panel(ui.LayoutView):
    """The two pages: what is compared where, and with what else and for whom."""

    def __init__(
        self,
        client: HalubotClient,
        guild: discord.Guild,
        settings: ServerSettings,
        person: int,
        *,
        page: int = 1,
        note: str = "",
    ) -> None:
        super().__init__(timeout=SECONDS)
        self.client, self.guild, self.settings, self.person = client, guild, settings, person
        self.page = page
        box: ui.Container[Panel] = ui.Container()
        box.add_item(ui.TextDisplay(f"### {phrase(f'settings.page_{page}')}"))
        for line in (note, *self._lines()):
            if line:
                box.add_item(ui.TextDisplay(line))
        for row in self._watching() if page == 1 else self._checking():
            box.add_item(ui.ActionRow(*row))
        self.add_item(box)

    async def interaction_check(self, interaction: discord.Interaction[Any], /) -> bool:
        """Let only who opened it use it, and only as long as they may manage the server."""
        choose_language(interaction.locale)
        allowed = interaction.user.id == self.person and interaction.permissions.manage_guild
        if not allowed:
            words = view_of(cards.message(*explain(DeclinedError(phrase("declined.manage")))))
            await interaction.response.send_message(view=words, ephemeral=True)
        return allowed

    async def on_error(
        self, interaction: discord.Interaction[Any], error: Exception, item: ui.Item[Any], /
    ) -> None:
        """Say what failed; the panel stays."""
        try:
            words = view_of(cards.message(*explain(error)))
            if interaction.response.is_done():
                await interaction.followup.send(view=words, ephemeral=True)
            else:
                await interaction.response.send_message(view=words, ephemeral=True)
        except UNSENT as failure:
            LOG.warning("the settings panel did not answer: %s", code_of(failure))

    async def change(self, interaction: discord.Interaction[Any], **changed: Any) -> None:
        """Keep some settings and show the page again."""
        await interaction.response.defer()
        # Read again: another moderator may have changed something since this page was shown.
        now = await self.client.settings(self.guild.id)
        settings = type(now).model_validate({**now.model_dump(), **changed})
        note = ""
        if settings.on and (why := self._why_not(settings)):
            settings, note = settings.model_copy(update={"on": False}), why
        if settings != now:
            await self.client.set_settings(self.guild.id, settings)
            LOG.info("server %d: settings changed", self.guild.id)
        await self._show(interaction, settings, self.page, note)

    async def turn(self, interaction: discord.Interaction[Any]) -> None:
        """Show the other page."""
        await interaction.response.defer()
        settings = await self.client.settings(self.guild.id)
        await self._show(interaction, settings, 3 - self.page)

    async def _show(
        self,
        interaction: discord.Interaction[Any],
        settings: ServerSettings,
        page: int,
        note: str = "",
    ) -> None:
        panel = Panel(self.client, self.guild, settings, self.person, page=page, note=note)
        await interaction.edit_original_response(view=panel)

    def _why_not(self, settings: ServerSettings) -> str:
        """Return why cards cannot be switched on; "" if they can."""
        if not settings.channels:
            return phrase("settings.needs_channel")
        other = self.client.owner.model(settings.model) or settings.knowledge or settings.web
        if len(settings.bots) < (1 if other else 2):
            return phrase("settings.needs_bots")
        return ""

    def _lines(self) -> Iterable[str]:
        """Yield what a page says above its menus."""
        settings = self.settings
        if self.page == 2:
            yield phrase("settings.evidence")
            yield f"-# {phrase('settings.owner')}"
            return
        yield phrase("settings.on" if settings.on else "settings.off")
        if not self.client.reads_content:
            yield f"⚠ {phrase('settings.no_content')}"
        failed = self.client.queue.model_failed
        if failed is not None and self.client.owner.model(settings.model):
            when = f"<t:{int(failed)}:R>"
            yield f"⚠ {phrase('settings.model_failed', model=settings.model, when=when)}"
        for channel in settings.channels:
            found = self.guild.get_channel(channel)
            if found is None:
                continue
            allowed = found.permissions_for(self.guild.me)
            lacks = [one for one in (*NEEDED, IN_THREADS) if not getattr(allowed, one)]
            if getattr(found, "slowmode_delay", 0) and not allowed.bypass_slowmode:
                lacks.append(SLOW)
            if lacks:
                names = ", ".join(one.replace("_", " ").title() for one in lacks)
                yield f"⚠ {phrase('settings.lacks', channel=f'<#{channel}>', names=names)}"

    def _watching(self) -> Iterable[list[ui.Item[Any]]]:
        settings = self.settings
        channels: ui.ChannelSelect[Any] = ui.ChannelSelect(
            placeholder=phrase("settings.channels"),
            min_values=0,
            max_values=CHOICES,
            channel_types=[
                discord.ChannelType.text,
                discord.ChannelType.news,
                discord.ChannelType.forum,
                discord.ChannelType.voice,
            ],
            default_values=[
                discord.SelectDefaultValue(id=one, type=discord.SelectDefaultValueType.channel)
                for one in sorted(settings.channels)[:CHOICES]
                if self.guild.get_channel(one)
            ],
        )
        bots: ui.UserSelect[Any] = ui.UserSelect(
            placeholder=phrase("settings.bots"),
            min_values=0,
            max_values=CHOICES,
            default_values=[
                discord.SelectDefaultValue(id=one, type=discord.SelectDefaultValueType.user)
                for one in sorted(settings.bots)[:CHOICES]
            ],
        )
        languages = [("server", phrase("settings.server_language"))]
        languages += [(code, phrase(f"language.{code}")) for code in LANGUAGES]
        language = self._choose(
            "language", languages, settings.language or "server", {"server": ""}
        )
        yield [_menu(channels, self._set_channels)]
        yield [_menu(bots, self._set_bots)]
        yield [language]
        yield [
            self._switch("on", settings.on, strong=not settings.on),
            _Press(phrase("settings.page_2"), self.turn),
        ]

    def _checking(self) -> Iterable[list[ui.Item[Any]]]:
        settings, owner = self.settings, self.client.owner
        none = [("-", phrase("settings.none"))]
        if owner.models:
            models = none + [(one, one) for one in owner.models]
            yield [self._choose("model", models, owner.model(settings.model) or "-", {"-": ""})]
        if owner.knowledge:
            bases = none + [(one, one) for one in owner.knowledge]
            yield [self._choose("knowledge", bases, settings.knowledge or "-", {"-": ""})]
        roles: ui.RoleSelect[Any] = ui.RoleSelect(
            placeholder=phrase("settings.model_roles"),
            min_values=0,
            max_values=CHOICES,
            default_values=[
                discord.SelectDefaultValue(id=one, type=discord.SelectDefaultValueType.role)
                for one in sorted(settings.model_roles)[:CHOICES]
            ],
        )
        if owner.models:
            yield [_menu(roles, self._set_roles)]
            for name, amounts in BUDGETS.items():
                value = getattr(settings, name)
                entries = [(str(one), str(one)) for one in sorted({*amounts, value})]
                yield [self._choose(name, entries, str(value), {})]
        row: list[ui.Item[Any]] = [_Press(phrase("settings.page_1"), self.turn)]
        row.append(self._switch("members", settings.members))
        if owner.web:
            row.append(self._switch("web", settings.web))
        yield row

    def _switch(self, name: str, value: bool, *, strong: bool = False) -> ui.Item[Any]:
        async def press(interaction: discord.Interaction[Any]) -> None:
            await self.change(interaction, **{name: not value})

        label = phrase(f"settings.switch_{name}{'_off' if value else ''}")
        return _Press(label, press, strong=strong)

    def _choose(
        self, name: str, entries: list[tuple[str, str]], value: str, stands_for: dict[str, str]
    ) -> ui.Item[Any]:
        """Return a menu of one choice; ``stands_for`` are values of entries that mean others."""

        async def choose(interaction: discord.Interaction[Any], values: list[Any]) -> None:
            await self.change(interaction, **{name: stands_for.get(values[0], values[0])})

        label = phrase(f"settings.{name}")
        options = [
            discord.SelectOption(
                label=f"{label}: {shown}"[:100], value=entry, default=entry == value
            )
            for entry, shown in entries[:CHOICES]
        ]
        return _menu(ui.Select(options=options), choose)

    async def _set_channels(self, interaction: discord.Interaction[Any], values: list[Any]) -> None:
        await self.change(interaction, channels=frozenset(one.id for one in values))

    async def _set_bots(self, interaction: discord.Interaction[Any], values: list[Any]) -> None:
        own = self.client.user.id if self.client.user else 0
        chosen = frozenset(one.id for one in values if one.bot and one.id != own)
        # A bot that is not in the server was not let in by anybody who manages it.
        members = frozenset(
            one.id for one in values if one.id in chosen and isinstance(one, discord.Member)
        )
        await self.change(interaction, bots=members)

    async def _set_roles(self, interaction: discord.Interaction[Any], values: list[Any]) -> None:
        await self.change(interaction, model_roles=frozenset(one.id for one in values))


class _Press(ui.Button[Any]):
    """A button that calls a function."""

    def __init__(
        self,
        label: str,
        press: Callable[[discord.Interaction[Any]], Awaitable[None]],
        *,
        strong: bool = False,
    ) -> None:
        style = discord.ButtonStyle.primary if strong else discord.ButtonStyle.secondary
        super().__init__(label=label[:80], style=style)
        self._press = press

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        if wait := interaction.client.cooldowns.wait(interaction):
            raise DeclinedError(phrase("declined.cooldown", seconds=f"{wait:.0f}"))
        await self._press(interaction)


def _menu(
    menu: Any, choose: Callable[[discord.Interaction[Any], list[Any]], Awaitable[None]]
) -> ui.Item[Any]:
    """Return a select menu that calls a function with what was chosen."""

    async def callback(interaction: discord.Interaction[Any]) -> None:
        if wait := interaction.client.cooldowns.wait(interaction):
            raise DeclinedError(phrase("declined.cooldown", seconds=f"{wait:.0f}"))
        await choose(interaction, list(menu.values))

    menu.callback = callback
    item: ui.Item[Any] = menu
    return item
