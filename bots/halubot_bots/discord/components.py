"""Cards as messages of Discord (Components V2), with buttons that work after a restart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, Self

import discord
from discord import ui

from halubot_bots.cards import Card, Tone
from halubot_bots.catalogue import phrase
from halubot_bots.chat_text import split_to

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping

    from halubot_bots.discord.client import HalubotClient

Kind = Literal["card", "report"]
"""What a button belongs to: a card in a channel, or a private report."""

COLOURS: Final[Mapping[Tone, int | None]] = {
    "contradicted": 0xD9483B,
    "doubtful": 0xE0A030,
    "not_checked": 0x8A94A3,
    "supported": 0x3E9B5F,
    "plain": None,
}

OURS: Final = "halubot:"
"""How the ids of our buttons begin."""


class CardButton(
    ui.DynamicItem[ui.Button[Any]],
    template=r"halubot:(?P<kind>card|report):(?P<action>[a-z]{1,20}):(?P<of>\d{1,20})"
    r":(?P<page>\d{1,4})(?::(?P<choice>[0-9a-f]{12}))?",
):
    """A button of a card: ``action`` is done for the card or report ``of``; ``page`` is the one it
    leads to, ``choice`` what was chosen before."""

    def __init__(
        self,
        kind: Kind,
        action: str,
        of: int,
        page: int = 1,
        choice: str = "",
        *,
        label: str = "",
    ) -> None:
        style = discord.ButtonStyle.secondary
        if action == "correct":  # what most people want next
            style = discord.ButtonStyle.primary
        mark = f"{OURS}{kind}:{action}:{of}:{page}" + (f":{choice}" if choice else "")
        super().__init__(ui.Button(label=label or action, style=style, custom_id=mark))
        self.kind: Kind = kind
        self.action, self.of, self.page, self.choice = action, of, page, choice

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction[Any], item: ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        kind: Any = match["kind"]
        return cls(
            kind, match["action"], int(match["of"]), int(match["page"]), match["choice"] or ""
        )

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        client: HalubotClient = interaction.client
        await client.press(interaction, self)


class CardSelect(
    ui.DynamicItem[ui.Select[Any]],
    template=r"halubot:menu:(?P<kind>card|report):(?P<action>[a-z]{1,20}):(?P<of>\d{1,20})"
    r":(?P<page>\d{1,4})",
):
    """A menu on a page of a card or report ``of``; its ``action`` is done as that of a button, with
    what is chosen."""

    def __init__(self, button: CardButton, card: Card | None = None) -> None:
        choices, hint = (card.choices, phrase(f"menu.{button.action}")) if card else ((), None)
        options = [
            discord.SelectOption(
                label=split_to(one.label, 100)[0],
                value=one.value,
                description="".join(split_to(one.about, 100)[:1]) or None,
            )
            for one in choices
        ]
        mark = f"{OURS}menu:{button.kind}:{button.action}:{button.of}:{button.page}"
        super().__init__(ui.Select(custom_id=mark, placeholder=hint, options=options))
        self.button = button

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction[Any], item: ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        data: Any = interaction.data
        chosen = str((data.get("values") or [""])[0])[:12]
        kind: Any = match["kind"]
        return cls(CardButton(kind, match["action"], int(match["of"]), int(match["page"]), chosen))

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        await self.button.callback(interaction)


def view_of(card: Card, kind: Kind = "card", of: int = 0, leaf: str = "") -> ui.LayoutView:
    """Return a card as a view that never times out; its buttons are about ``of``. ``leaf`` is what
    the buttons of a card of several pages leaf through, with a choice after a colon."""
    box: ui.Container[ui.LayoutView] = ui.Container(accent_colour=COLOURS[card.tone])
    box.add_item(ui.TextDisplay(card.headline if card.slim else f"### {card.headline}"))
    for block in card.blocks:
        box.add_item(ui.TextDisplay(block))
    if card.small:
        box.add_item(ui.TextDisplay(card.small))
    row: ui.ActionRow[ui.LayoutView] = ui.ActionRow()
    for name in card.buttons:
        row.add_item(CardButton(kind, name, of, label=phrase(f"button.{name}")))
    action, _, choice = leaf.partition(":")
    if leaf and card.page > 1:
        label = f"◀ {phrase('button.previous')}"
        row.add_item(CardButton(kind, action, of, card.page - 1, choice, label=label))
    if leaf and card.page < card.pages:
        label = f"{phrase('button.next')} ▶"
        row.add_item(CardButton(kind, action, of, card.page + 1, choice, label=label))
    if row.children:
        box.add_item(row)
    if card.choices:
        menu: ui.ActionRow[ui.LayoutView] = ui.ActionRow()
        menu.add_item(CardSelect(CardButton(kind, card.menu, of, card.page), card))
        box.add_item(menu)
    # A view that times out is forgotten by the library; what its buttons do stands in their ids.
    view = ui.LayoutView(timeout=None)
    view.add_item(box)
    return view
