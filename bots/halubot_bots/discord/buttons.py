"""Buttons that work after a restart: what they do and about which message stands in their id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import discord
from discord import ui

if TYPE_CHECKING:
    import re

    from halubot_bots.discord.bot import HalubotClient
    from halubot_bots.store import Kind


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
        kind: Any = match["kind"] or "public"
        return cls(match["action"], int(match["message"]), int(match["page"]), kind=kind)

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        client: HalubotClient = interaction.client
        await client.acted(interaction, self.action, self.message, self.page, self.kind)
