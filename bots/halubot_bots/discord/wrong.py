"""A form in which a person says that a verdict is wrong."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import discord
from discord import ui

from halubot.errors import HalubotError
from halubot.feedback import Feedback, Says
from halubot.render.inert import crop
from halubot.render.items import listing
from halubot.report import DOUBTED, Report
from halubot_bots import cards
from halubot_bots.catalogue import choose_language, phrase
from halubot_bots.discord.components import view_of
from halubot_bots.discord.words import error_text
from halubot_bots.report_words import name_verdict

if TYPE_CHECKING:
    from halubot_bots.discord.bot import HalubotClient
    from halubot_bots.store import Key

CHOICES = 25
"""Facts that can be chosen from: as many as a list of Discord holds."""


class WrongVerdict(ui.Modal):
    """Which fact, and why."""

    def __init__(self, report: Report, key: Key) -> None:
        super().__init__(title=phrase("wrong.title"), timeout=600)
        self._report = report
        self._key = key
        entries = [entry for entry in listing(report) if entry.fact is not None][:CHOICES]
        self._fact: ui.Select[Any] = ui.Select(
            custom_id="fact",
            placeholder=phrase("wrong.fact"),
            options=[
                discord.SelectOption(
                    label=crop(entry.reading, 95),
                    description=name_verdict(entry.verdict),
                    value=str(entry.fact.index),
                )
                for entry in entries
                if entry.fact is not None
            ],
        )
        self._note: ui.TextInput[Any] = ui.TextInput(
            custom_id="note",
            style=discord.TextStyle.paragraph,
            required=False,
            max_length=500,
        )
        self.add_item(ui.Label(text=phrase("wrong.which"), component=self._fact))
        self.add_item(ui.Label(text=phrase("wrong.why"), component=self._note))

    async def on_submit(self, interaction: discord.Interaction[HalubotClient]) -> None:  # type: ignore[override]
        choose_language(interaction.locale)
        fact = self._report.facts[int(self._fact.values[0])]
        says: Says = "right" if fact.verdict in DOUBTED else "wrong"
        note, owner = str(self._note.value or ""), f"discord-{interaction.user.id}"

        memory = interaction.client.desk.memory

        def kept() -> None:
            with Feedback.open() as feedback:
                word = feedback.add(self._report, fact.index, says, note=note, owner=owner)
            memory.said(word.id, interaction.user.id, self._key)

        try:
            await asyncio.to_thread(kept)
            card = cards.message(phrase("wrong.noted_headline"), phrase("wrong.noted"))
        except HalubotError as error:
            card = cards.message(phrase("wrong.not_noted"), error_text(error))
        await interaction.response.send_message(view=view_of(card, 0), ephemeral=True)
