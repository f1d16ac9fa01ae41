"""Cards as messages of Discord: containers of text displays and buttons (Components V2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import discord
from discord import ui

from halubot_bots.cards import Button, Card, Tone
from halubot_bots.catalogue import phrase
from halubot_bots.discord.buttons import Act

if TYPE_CHECKING:
    from collections.abc import Mapping

    from halubot_bots.store import Kind

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
    view = ui.LayoutView(timeout=None)
    view.add_item(box)
    if row.children:
        box.add_item(row)
    return view


def _act(button: Button, message: int, page: int, kind: Kind, leaf: str = "") -> Act:
    style = discord.ButtonStyle.primary if button.strong else discord.ButtonStyle.secondary
    return Act(leaf or button.action, message, page, kind=kind, label=button.label, style=style)
