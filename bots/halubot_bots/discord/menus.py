"""The menus of a message, the buttons of a card, and the form for a wrong verdict."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import discord
from discord import app_commands, ui

from halubot.errors import HalubotError
from halubot.feedback import Feedback, Says
from halubot.render.inert import crop
from halubot.render.items import listing
from halubot.report import DOUBTED, Report
from halubot_bots import cards
from halubot_bots.catalogue import choose_language, phrase
from halubot_bots.checks import namespace_of
from halubot_bots.desk import Given
from halubot_bots.discord import actions, kept_reports
from halubot_bots.discord.components import CHOICES, view_of
from halubot_bots.discord.error_words import error_text
from halubot_bots.discord.surroundings import parent_of, siblings, surroundings
from halubot_bots.discord.tree import localise
from halubot_bots.report_words import name_verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from halubot_bots.discord.actions import Asked
    from halubot_bots.discord.bot import HalubotClient
    from halubot_bots.entries import Kept, Key, Kind, Quoted


def register(tree: app_commands.CommandTree[HalubotClient]) -> None:
    """Add the menus, for servers and for people, wherever one writes."""
    for name, work in (
        ("facts", check_facts),
        ("these", check_against),
        ("correct", correct_this),
        ("wrong", wrong_verdict),
    ):
        menu = app_commands.ContextMenu(name=localise(f"menu.{name}"), callback=work)
        menu.allowed_installs = app_commands.AppInstallationType(guild=True, user=True)
        menu.allowed_contexts = app_commands.AppCommandContext(
            guild=True, dm_channel=True, private_channel=True
        )
        tree.add_command(menu)


async def check_facts(interaction: Asked, message: discord.Message) -> None:
    """Show what to doubt in this message."""
    await actions.guard(interaction, _facts_checked(interaction, message))


async def _facts_checked(interaction: Asked, message: discord.Message) -> None:
    begun = interaction.client.desk.memory.forgettings
    await actions.thinking(interaction)
    given = await surroundings(interaction.client, message, reader=interaction.user)
    await actions.check_message(interaction, message, given, kind="facts", begun=begun)


async def check_against(interaction: Asked, message: discord.Message) -> None:
    """Show what to doubt in this message by other answers to the same: no model is asked."""

    async def work() -> None:
        begun = interaction.client.desk.memory.forgettings
        await actions.thinking(interaction)
        others = await siblings(interaction.client, message)
        if not others:
            headline = phrase("declined.no_others_headline")
            await actions.say(interaction, cards.message(headline, phrase("declined.no_others")))
            return
        given = Given(
            samples=tuple(one.text for one in others),
            modelless=True,
            quoted=tuple(one.quoted for one in others),
        )
        await actions.check_message(interaction, message, given, kind="these", begun=begun)

    await actions.guard(interaction, work())


async def correct_this(interaction: Asked, message: discord.Message) -> None:
    """Show a corrected version of this message."""

    async def work() -> None:
        begun = interaction.client.desk.memory.forgettings
        await actions.thinking(interaction)
        kept = await kept_reports.find_stored_report(interaction, message, own=True)
        if kept is None:
            await _facts_checked(interaction, message)
            kept = await kept_reports.find_stored_report(interaction, message, own=True)
        if kept is not None:
            await actions.show_correction(interaction, kept, begun=begun)

    await actions.guard(interaction, work())


async def wrong_verdict(interaction: Asked, message: discord.Message) -> None:
    """Let a person say that a verdict is wrong."""

    async def work() -> None:
        memory = interaction.client.desk.memory
        begun = memory.forgettings
        kept = await kept_reports.find_stored_report(interaction, message, own=True)
        quoted = await asyncio.to_thread(memory.quotes_in, kept.key) if kept is not None else ()
        if kept is None or not quoted or not kept.report.facts:
            headline = phrase("wrong.no_verdict_headline")
            await actions.say(interaction, cards.message(headline, phrase("wrong.no_verdict")))
            return
        report = await kept_reports.with_own_words(
            interaction.client, kept.report, interaction.user.id
        )
        # A form can only be the first response: hence no sign of thinking before.
        await interaction.response.send_modal(WrongVerdict(report, kept.key, quoted, begun))

    await actions.guard(interaction, work())


class WrongVerdict(ui.Modal):
    """The form for a wrong verdict: the fact, and why. Nothing is kept if who is ``quoted`` was
    forgotten since ``begun``."""

    def __init__(self, report: Report, key: Key, quoted: tuple[Quoted, ...], begun: int) -> None:
        super().__init__(title=phrase("wrong.title"), timeout=600)
        self._report = report
        self._key = key
        self._quoted = quoted
        self._begun = begun
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
        # The form only says that the verdict is wrong, so the opposite is meant.
        says: Says = "right" if fact.verdict in DOUBTED else "wrong"
        note, owner = str(self._note.value or ""), namespace_of(interaction.user.id)

        memory = interaction.client.desk.memory

        def keep() -> bool:
            person, quoted, begun = interaction.user.id, self._quoted, self._begun
            with Feedback.open() as feedback:
                word = feedback.add(self._report, fact.index, says, note=note, owner=owner)
                kept = memory.note_word(word.id, person, self._key, quoted=quoted, begun=begun)
                # Added first, because `note_word` needs its id.
                if not kept:
                    feedback.remove(word.id, owner=owner)
            return kept

        async def work() -> None:
            try:
                if await asyncio.to_thread(keep):
                    card = cards.message(phrase("wrong.noted_headline"), phrase("wrong.noted"))
                else:
                    card = cards.message(phrase("wrong.not_noted"), phrase("declined.no_report"))
            except HalubotError as error:
                card = cards.message(phrase("wrong.not_noted"), error_text(error))
            await actions.say(interaction, card)

        await actions.guard(interaction, work())


async def act(
    interaction: discord.Interaction[Any], action: str, message: int, page: int, kind: Kind
) -> None:
    """Do what a button says."""
    works: dict[str, Callable[[Asked, _Place], Coroutine[Any, Any, None]]] = {
        "facts": partial(_turn_page, leaf="facts"),
        "evidence": partial(_turn_page, leaf="evidence"),
        "correct": _correct,
        "dismiss": _dismiss,
        "report": _report,
    }
    work = works.get(action)
    if work is None:
        return

    async def whole() -> None:
        await interaction.client.desk.settings(interaction.guild_id)  # what must not wait later
        await work(interaction, _Place(message, page, kind))

    await actions.guard(interaction, whole())


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
    places = (interaction.channel_id, parent_of(interaction.channel))
    here = kept is not None and kept.channel in places
    kept = kept_reports.find_visible_report(interaction, kept)
    if kept is None or not (here or kept.asked_by == asker):
        card = cards.message(phrase("declined.no_report_headline"), phrase("declined.no_report"))
        await actions.say(interaction, card)
        return None
    return kept


async def _turn_page(interaction: Asked, place: _Place, leaf: str) -> None:
    kept = await _find_kept(interaction, place)
    if kept is None:
        return
    report = await kept_reports.with_own_words(interaction.client, kept.report, interaction.user.id)
    pages = cards.facts(report) if leaf == "facts" else cards.evidence(report)
    card = pages[min(place.page, len(pages)) - 1]
    own = interaction.message is not None and interaction.message.flags.ephemeral
    view = view_of(card, place.message, leaf=leaf, kind=place.kind)
    # A page of somebody's own takes the place of the one before; a public card stays for all.
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
        await actions.show_report(interaction, report, place.message, kind=place.kind)


async def _correct(interaction: Asked, place: _Place) -> None:
    begun = interaction.client.desk.memory.forgettings
    kept = await _find_kept(interaction, place)
    if kept is None:
        return
    await actions.thinking(interaction)
    await actions.show_correction(interaction, kept, place.page, begun=begun)


async def _dismiss(interaction: Asked, place: _Place) -> None:
    """Take an annotation away: for who wrote the message, who asked, and who manages messages."""
    kept = await _find_kept(interaction, place)
    if kept is None:
        return
    allowed = interaction.user.id in (kept.author, kept.asked_by)
    if not (allowed or interaction.permissions.manage_messages):
        card = cards.message(phrase("declined.dismiss_headline"), phrase("declined.dismiss"))
        await actions.say(interaction, card)
        return
    # After a deferred response, the "original response" is the message with the button: the
    # annotation.
    await interaction.response.defer()
    await interaction.delete_original_response()
