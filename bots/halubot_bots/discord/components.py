"""Cards as messages of Discord (Components V2), with buttons that work after a restart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Self

import discord
from discord import ui

from halubot_bots.cards import Button, Card, Tone
from halubot_bots.catalogue import phrase

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping

    from halubot_bots.discord.bot import HalubotClient
    from halubot_bots.entries import Kind


CHOICES: Final = 25
"""Choices that a select menu of Discord takes."""


class Act(
    ui.DynamicItem[ui.Button[Any]],
    template=r"halubot:(?P<action>[a-z]{1,20}):(?P<message>\d{1,20}):(?P<page>\d{1,4})"
    r"(?::(?P<kind>public|facts|these))?",
):
    """A button of a card: ``action`` is done for the report of ``kind`` of ``message``; ``page`` is
    the one it leads to."""

    def __init__(
        self,
        action: str,
        message: int,
        page: int = 1,
        *,
        kind: Kind = "public",
        label: str = "",
        style: discord.ButtonStyle = discord.ButtonStyle.secondary,
    ) -> None:
        super().__init__(
            ui.Button(
                label=label or action,
                style=style,
                custom_id=f"halubot:{action}:{message}:{page}:{kind}",
            )
        )
        self.action = action
        self.message = message
        self.page = page
        self.kind = kind

    @classmethod
    async def from_custom_id(
        cls,
        interaction: discord.Interaction[Any],
        item: ui.Item[Any],
        match: re.Match[str],
        /,
    ) -> Self:
        # Cards that were sent before there were kinds have buttons without one.
        kind: Any = match["kind"] or "public"
        return cls(match["action"], int(match["message"]), int(match["page"]), kind=kind)

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        client: HalubotClient = interaction.client
        await client.act(interaction, self.action, self.message, self.page, self.kind)


COLOURS: Final[Mapping[Tone, int | None]] = {
    "contradicted": 0xD9483B,
    "doubtful": 0xE0A030,
    "not_checked": 0x8A94A3,
    "supported": 0x3E9B5F,
    "plain": None,
}


def view_of(card: Card, message: int, *, leaf: str = "", kind: Kind = "public") -> ui.LayoutView:
    """A card as a view that never times out; its buttons are about the report of ``kind`` of
    ``message``. ``leaf`` is what the buttons of a card of several pages leaf through."""
    box: ui.Container[ui.LayoutView] = ui.Container(accent_colour=COLOURS[card.tone])
    box.add_item(ui.TextDisplay(f"### {card.headline}"))
    for block in card.blocks:
        box.add_item(ui.TextDisplay(block))
    if card.small:
        box.add_item(ui.Separator(visible=False))
        box.add_item(ui.TextDisplay(card.small))
    row: ui.ActionRow[ui.LayoutView] = ui.ActionRow()
    for button in card.buttons:
        row.add_item(_act(button, message, 1, kind))
    if leaf and card.pages > 1:
        if card.page > 1:
            back = Button(action="previous", label=f"◀ {phrase('button.previous')}")
            row.add_item(_act(back, message, card.page - 1, kind, leaf))
        if card.page < card.pages:
            forth = Button(action="next", label=f"{phrase('button.next')} ▶")
            row.add_item(_act(forth, message, card.page + 1, kind, leaf))
    # A view that times out is forgotten by the library; what its buttons do stands in their ids.
    view = ui.LayoutView(timeout=None)
    view.add_item(box)
    if row.children:
        box.add_item(row)
    return view


def _act(button: Button, message: int, page: int, kind: Kind, leaf: str = "") -> Act:
    style = discord.ButtonStyle.primary if button.strong else discord.ButtonStyle.secondary
    return Act(leaf or button.action, message, page, kind=kind, label=button.label, style=style)
