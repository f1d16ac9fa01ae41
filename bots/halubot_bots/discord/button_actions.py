"""What the buttons of a card do. What they show is for who pressed them, alone."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import discord

from halubot_bots import cards
from halubot_bots.catalogue import phrase
from halubot_bots.discord import actions, kept_reports
from halubot_bots.discord.components import view_of

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from halubot_bots.discord.actions import Asked
    from halubot_bots.store import Kept, Kind


async def act(
    interaction: discord.Interaction[Any], action: str, message: int, page: int, kind: Kind
) -> None:
    """Does what a button says."""
    works: dict[str, Callable[[Asked, _Place], Coroutine[Any, Any, None]]] = {
        "facts": partial(_leafed, leaf="facts"),
        "evidence": partial(_leafed, leaf="evidence"),
        "correct": _correct,
        "dismiss": _dismiss,
        "report": _report,
    }
    work = works.get(action)
    if work is not None:
        await actions.guard(interaction, work(interaction, _Place(message, page, kind)))


class _Place(NamedTuple):
    """The page of a report that a button leads to."""

    message: int
    page: int
    kind: Kind


async def _find_kept(interaction: Asked, place: _Place) -> Kept | None:
    """The report a button is about; who may not read its channel is told that it is gone."""
    memory, asker = interaction.client.desk.memory, interaction.user.id
    whose = None if place.kind == "public" else asker
    kept = await asyncio.to_thread(memory.report, place.message, place.kind, whose)
    if kept is None and place.kind == "facts":  # one that was made for somebody else, and shared
        kept = await asyncio.to_thread(memory.report, place.message, place.kind)
    channel = interaction.channel
    parent = channel.parent_id if isinstance(channel, discord.Thread) else None
    here = kept is not None and kept.channel in (interaction.channel_id, parent)
    kept = kept_reports.find_visible_report(interaction, kept)
    if kept is None or not (here or kept.asked_by == asker):
        card = cards.message(phrase("declined.no_report_headline"), phrase("declined.no_report"))
        await actions.say(interaction, card)
        return None
    return kept


async def _leafed(interaction: Asked, place: _Place, leaf: str) -> None:
    kept = await _find_kept(interaction, place)
    if kept is None:
        return
    report = await kept_reports.with_own_words(interaction.client, kept.report, interaction.user.id)
    pages = cards.facts(report) if leaf == "facts" else cards.evidence(report)
    card = pages[min(place.page, len(pages)) - 1]
    own = interaction.message is not None and interaction.message.flags.ephemeral
    view = view_of(card, place.message, leaf=leaf, kind=place.kind)
    if own:
        await interaction.response.edit_message(view=view)
    else:
        await interaction.response.send_message(view=view, ephemeral=True)
        await actions.attach_long(interaction, report)


async def _report(interaction: Asked, place: _Place) -> None:
    kept = await _find_kept(interaction, place)
    if kept is not None:
        report = await kept_reports.with_own_words(
            interaction.client, kept.report, interaction.user.id
        )
        card = cards.overview(report, dismissable=False)
        await actions.say(interaction, card, place.message, kind=place.kind)


async def _correct(interaction: Asked, place: _Place) -> None:
    kept = await _find_kept(interaction, place)
    if kept is None:
        return
    await actions.thinking(interaction)
    await actions.show_correction(interaction, kept, place.page)


async def _dismiss(interaction: Asked, place: _Place) -> None:
    """Takes an annotation away: for who wrote the message, who asked, and who manages messages."""
    kept = await _find_kept(interaction, place)
    if kept is None:
        return
    allowed = interaction.user.id in (kept.author, kept.asked_by)
    if not (allowed or interaction.permissions.manage_messages):
        card = cards.message(phrase("declined.dismiss_headline"), phrase("declined.dismiss"))
        await actions.say(interaction, card)
        return
    await interaction.response.defer()
    await interaction.delete_original_response()
