"""The forms of the settings panel: values that are typed or chosen together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, get_args

import discord
from discord import ui

from halubot import methods
from halubot.errors import HalubotError, SettingError
from halubot.render.inert import crop
from halubot_bots.catalogue import choose_language, phrase
from halubot_bots.chat_text import inert_line
from halubot_bots.discord import actions
from halubot_bots.discord.components import CHOICES
from halubot_bots.settings import ChannelSettings, Quota, Style

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from halubot_bots.discord.actions import Asked
    from halubot_bots.discord.bot import HalubotClient
    from halubot_bots.settings import OwnerLimits, ServerSettings

    Changes = dict[str, Any]
    Change = Callable[[Asked, Changes, str, int], Awaitable[None]]

# Discord refuses a choice with an empty value.
USUAL: Final = "-"
"""The value of the choice that stands for the usual one."""

MOST: Final = CHOICES - 1
"""Choices of a list beside the usual one."""

LABEL: Final = 45
"""Characters of a label at most."""


def form_of(
    name: str, now: ServerSettings, owner: OwnerLimits, place: int, change: Change
) -> ui.Modal:
    """The form of a name. ``change`` is called with what is sent: the changes, the page of the
    panel to be shown then, and the channel (0 for the server)."""
    made: _Form
    if name == "checks":
        made = _ChecksForm(now, owner, place)
    elif name == "method":
        made = _MethodForm(now)
    elif name == "webhook":
        made = _WebhookForm(now)
    elif name.startswith("quota_"):
        made = _QuotaForm(now, name.removeprefix("quota_"))
    else:
        made = _CooldownForm(now)
    made.change = change
    return made


class _Form(ui.Modal):
    """A form that changes settings: `changes` reads it, and raises SettingError."""

    change: Change
    page = "limits"
    place = 0

    def __init__(self, title: str) -> None:
        super().__init__(title=crop(title, LABEL), timeout=840)

    def changes(self, now: ServerSettings) -> Changes:
        """Read the fields. Raises SettingError."""
        raise NotImplementedError

    def line(
        self, name: str, default: object, *, about: str = "", long: bool = False
    ) -> ui.TextInput[Any]:
        """A field for a text, with what is set now."""
        field: ui.TextInput[Any] = ui.TextInput(
            custom_id=name,
            style=discord.TextStyle.paragraph if long else discord.TextStyle.short,
            default="" if default is None else str(default),
            required=False,
            max_length=600 if long else 60,
        )
        text = crop(phrase(f"panel.{name}"), LABEL)
        self.add_item(ui.Label(text=text, component=field, description=about or None))
        return field

    def choice(self, name: str, labels: Sequence[tuple[str, str]], default: str) -> ui.Select[Any]:
        """A field for one of some values, each with its label."""
        field: ui.Select[Any] = ui.Select(
            custom_id=name,
            required=False,
            options=[
                discord.SelectOption(label=crop(label, 95), value=value, default=value == default)
                for value, label in labels
            ],
        )
        self.add_item(ui.Label(text=crop(phrase(f"panel.{name}"), LABEL), component=field))
        return field

    async def on_submit(self, interaction: discord.Interaction[HalubotClient]) -> None:  # type: ignore[override]
        choose_language(interaction.locale)

        async def work() -> None:
            # The right may have been lost while the form was open.
            if not interaction.permissions.manage_guild:
                await actions.refuse(interaction)
                return
            # Read again: somebody else may have changed them while the form was open.
            now = await interaction.client.desk.settings(interaction.guild_id)
            try:
                changes = self.changes(now)
            except SettingError as error:
                await actions.note(interaction, "settings.refused_headline", str(error))
                return
            await self.change(interaction, changes, self.page, self.place)

        await actions.guard(interaction, work())


class _ChecksForm(_Form):
    """Style, model, knowledge, threshold and settling time, of a server or of one channel."""

    page = "checks"

    def __init__(self, now: ServerSettings, owner: OwnerLimits, place: int) -> None:
        super().__init__(phrase("panel.edit_checks_title"))
        self.place = place
        self._models, self._bases = owner.models[:MOST], owner.knowledge[:MOST]
        own = now.apart.get(place, ChannelSettings()) if place else now
        styles = [(name, phrase(f"settings.{name}")) for name in get_args(Style)]
        if place:
            styles.insert(0, (USUAL, phrase("panel.as_server")))
        self._style = self.choice("style", styles, own.style or USUAL)
        usual = phrase("panel.as_server" if place else "settings.usual")
        none = phrase("panel.as_server" if place else "settings.none")
        self._model = self.choice("model", *_list_choices(self._models, own.model, usual))
        self._base = self.choice("knowledge", *_list_choices(self._bases, own.knowledge, none))
        about = phrase("panel.empty")
        self._threshold = self.line("threshold", own.threshold, about=about)
        self._settled = self.line("settled", own.settled, about=about)

    def changes(self, now: ServerSettings) -> Changes:
        """Read the fields; of a channel those that are as in the server are left out. Raises
        SettingError."""
        found: Changes = {
            "model": _find_choice(self._model, self._models),
            "knowledge": _find_choice(self._base, self._bases),
            "threshold": _number(self._threshold, 0, 1, float),
            "settled": _number(self._settled, 1, 600, float),
        }
        style = _value(self._style)
        if not self.place:
            # A server says "" for the usual one; None is for channels, and means as in the server.
            found = {name: "" if value is None else value for name, value in found.items()}
            for name in ("threshold", "settled"):
                found[name] = None if found[name] == "" else found[name]
            return found | {"style": style or now.style}
        apart = ChannelSettings(style=style, **found)
        others = {id: one for id, one in now.apart.items() if id != self.place}
        # A channel with nothing of its own would still be listed as set apart.
        if apart != ChannelSettings():
            others[self.place] = apart
        return {"apart": {id: one.model_dump() for id, one in others.items()}}


class _MethodForm(_Form):
    """The method, and how many other answers are drawn."""

    page = "checks"

    def __init__(self, now: ServerSettings) -> None:
        super().__init__(phrase("panel.edit_method_title"))
        about = phrase("panel.empty")
        self._method = self.line("method", now.method, about=about)
        self._samples = self.line("samples", now.samples, about=about)

    def changes(self, now: ServerSettings) -> Changes:
        """Read the fields. Raises SettingError."""
        name = self._method.value.strip()
        if name:
            try:
                methods.get(name)
            except HalubotError as error:
                known = ", ".join(sorted(methods.method_names()))
                words = phrase("settings.method", method=inert_line(name, 60), known=known)
                raise SettingError(words) from error
        return {"method": name, "samples": _number(self._samples, 1, 100, int)}


class _WebhookForm(_Form):
    """The webhooks that are watched."""

    page = "annotation"

    def __init__(self, now: ServerSettings) -> None:
        super().__init__(phrase("panel.webhook_title"))
        about = phrase("panel.webhook_help")
        ids = "\n".join(map(str, sorted(now.webhooks)))
        self._ids = self.line("webhook_id", ids, about=about, long=True)

    def changes(self, now: ServerSettings) -> Changes:
        """Read the fields. Raises SettingError."""
        ids = self._ids.value.replace(",", " ").split()
        for one in ids:
            # Ids are times since 2015 in 64 bits: 20 digits at most, and 15 in the first hours.
            if not one.isascii() or not one.isdecimal() or not 15 <= len(one) <= 20:
                words = phrase("panel.webhook_wrong", value=inert_line(one, 40))
                raise SettingError(words)
        return {"webhooks": frozenset(map(int, ids))}


class _QuotaForm(_Form):
    """The quota of a day: of each user, of each channel, or of the server."""

    def __init__(self, now: ServerSettings, whose: str) -> None:
        title = f"{phrase('panel.edit_quota_title')}: {phrase(f'panel.of_{whose}')}"
        super().__init__(title)
        self._field = f"of_{whose}"
        quota: Quota = getattr(now, self._field)
        about = phrase("panel.no_limit")
        self._checks = self.line("quota_checks", quota.checks, about=about)
        self._calls = self.line("quota_calls", quota.calls, about=about)
        self._dollars = self.line("quota_dollars", quota.dollars, about=about)

    def changes(self, now: ServerSettings) -> Changes:
        """Read the fields. Raises SettingError."""
        return {
            self._field: {
                "checks": _number(self._checks, 0, 1_000_000, int),
                "calls": _number(self._calls, 0, 100_000_000, int),
                "dollars": _number(self._dollars, 0, 1_000_000, float),
            }
        }


class _CooldownForm(_Form):
    """The pause between two checks of one person."""

    def __init__(self, now: ServerSettings) -> None:
        super().__init__(phrase("panel.edit_cooldown_title"))
        self._seconds = self.line("cooldown", f"{now.cooldown:g}")

    def changes(self, now: ServerSettings) -> Changes:
        """Read the fields. Raises SettingError."""
        return {"cooldown": _number(self._seconds, 0, 3600, float) or 0}


def _list_choices(
    names: Sequence[str], now: str | None, usual: str
) -> tuple[list[tuple[str, str]], str]:
    """The choices of a list and the one that is set, by their numbers; the usual one first."""
    # By number, since a value may have 100 characters, and a name of a model more.
    labels = [(USUAL, usual), *((str(at), name) for at, name in enumerate(names))]
    return labels, str(names.index(now)) if now in names else USUAL


def _value(field: ui.Select[Any]) -> str | None:
    """Return the value that was chosen; None for the usual one."""
    return field.values[0] if field.values and field.values[0] != USUAL else None


def _find_choice(field: ui.Select[Any], names: Sequence[str]) -> str | None:
    """The name that was chosen of a list; None for the usual one."""
    chosen = _value(field)
    if chosen is None:
        return None
    if not chosen.isdecimal() or int(chosen) >= len(names):
        raise SettingError(phrase("settings.gone"))
    return names[int(chosen)]


def _number(
    field: ui.TextInput[Any], least: float, most: float, kind: Callable[[str], float]
) -> Any:
    """The number of a field; None if it is empty. Raises SettingError."""
    # In German people write 0,5.
    text = field.value.strip().replace(",", ".")
    if not text:
        return None
    try:
        number = kind(text)
    except ValueError:
        number = most + 1
    if not least <= number <= most:
        label = field.parent.text if isinstance(field.parent, ui.Label) else field.custom_id
        shown = inert_line(field.value, 40)
        raise SettingError(
            phrase("settings.number", field=label, value=shown, least=least, most=most)
        )
    return number
