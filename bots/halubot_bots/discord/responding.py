"""Answers to interactions: deferred at once, cooled down, and shown in the end whatever happens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from discord.app_commands import Cooldown
from discord.ext.commands import CooldownMapping
from discord.ui import LayoutView

from halubot_bots.cards import Card
from halubot_bots.catalogue import choose_language, phrase
from halubot_bots.discord.components import Kind, view_of
from halubot_bots.discord.errors import LOG, UNSENT, code_of, explain, outcome_of, persist

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    import discord

USES: Final = 8
SECONDS: Final = 10.0
"""So many uses of buttons and commands a person has in so many seconds."""

FLOOD: Final = 2 * USES
"""Uses in those seconds from which on a person is not even told to wait: that takes requests which
others wait for."""


Reply = LayoutView
"""What somebody is shown."""


def page_of(
    pages: Sequence[Card], kind: Kind = "report", of: int = 0, leaf: str = "", page: int = 1
) -> Reply:
    """Return a page (the nearest there is) of some cards, whose buttons are about ``of``."""
    return view_of(pages[min(max(page, 1), len(pages)) - 1], kind, of, leaf)


def message(headline: str, *blocks: str) -> Reply:
    """Return a reply of our own words; texts of others in it must be inert already."""
    return page_of([Card(headline=headline, blocks=blocks)])


class Cooldowns:
    """How often each person may use what answers them."""

    def __init__(self) -> None:
        self._uses, self._flood = (
            CooldownMapping[Any](Cooldown(count, SECONDS), lambda interaction: interaction.user.id)
            for count in (USES, FLOOD)
        )

    def wait(self, interaction: discord.Interaction[Any]) -> float | None:
        """Count a use; return the seconds that the person has to wait, 0 if none; None if they use
        so much that it is left unanswered."""
        if self._flood.update_rate_limit(interaction) is not None:
            return None
        return self._uses.update_rate_limit(interaction) or 0.0


async def respond(
    interaction: discord.Interaction[Any],
    cooldowns: Cooldowns,
    work: Callable[[], Awaitable[Reply | None]],
    *,
    update: bool = False,
) -> None:
    """Show a person, and nobody else, what ``work`` returns, or why it failed. With ``update`` it
    takes the place of the message whose button was pressed; None leaves that as it is."""
    choose_language(interaction.locale)
    wait = cooldowns.wait(interaction)
    if wait is None:
        return
    try:
        if wait:
            await _refuse(interaction, wait)
            return
        await interaction.response.defer(ephemeral=True, thinking=not update)
    except UNSENT as error:
        # Older than three seconds, or Discord is not to be reached: there is nobody to answer.
        LOG.warning("an interaction was not answered: %s", code_of(error))
        return
    follow_up = False
    try:
        reply = await work()
    except Exception as error:  # noqa: BLE001 - whatever it is, somebody waits for an answer
        reply, follow_up = message(*explain(error)), update
    if reply is not None:
        await show(interaction, reply, follow_up=follow_up)


async def show(
    interaction: discord.Interaction[Any], reply: Reply, *, follow_up: bool = False
) -> None:
    """Show a reply in the place of what was deferred, or after it."""

    async def send() -> None:
        if follow_up:
            await interaction.followup.send(view=reply, ephemeral=True)
        else:
            await interaction.edit_original_response(view=reply)

    try:
        await persist(send)
    except UNSENT as error:
        LOG.warning("an answer was not shown: %s", code_of(error))
        if outcome_of(error) == "moderated":
            await show(interaction, message(*explain(error)), follow_up=follow_up)


async def _refuse(interaction: discord.Interaction[Any], wait: float) -> None:
    """Say that somebody is too quick."""
    words = phrase("declined.cooldown", seconds=f"{wait:.0f}")
    reply = message(phrase("declined.headline"), words)
    await interaction.response.send_message(view=reply, ephemeral=True)
