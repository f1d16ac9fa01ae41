"""The cards in channels: kept, sent, edited until Discord has them; and their buttons."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any, Final

import discord

from halubot_bots.catalogue import choose_language, phrase
from halubot_bots.corrections import corrections
from halubot_bots.disagreement_cards import channel_card, chooser, chosen, details
from halubot_bots.discord.components import view_of
from halubot_bots.discord.errors import LOG, UNSENT, code_of, outcome_of
from halubot_bots.discord.jobs import Job
from halubot_bots.discord.responding import Reply, message, page_of
from halubot_bots.feedback import mark_difference
from halubot_bots.records import Quoted

if TYPE_CHECKING:
    from halubot_bots.discord.client import HalubotClient
    from halubot_bots.discord.components import CardButton
    from halubot_bots.records import Disagreement, KeptCard, Place

STALE_SECONDS: Final = 3_600.0
"""Seconds after a question for which a card waits for the permission to be sent."""

EDIT_SECONDS: Final = 5.0
"""Seconds between two changes of a card."""


class ChannelCards:
    """Keeps the cards of all channels. ``pause`` is how many seconds lie between two changes of a
    card."""

    def __init__(self, client: HalubotClient, pause: float) -> None:
        self._client, self._store = client, client.store
        self._pause = pause
        self._changed: dict[int, float] = {}
        self.sending = Job(self._flush)

    async def keep(self, question: Quoted, place: Place, what: Disagreement) -> None:
        """Keep a card and have it shown, unless something that it has words of is gone."""
        gone = self._client.deletions.is_gone
        quoted = [Quoted(one.message, one.author) for one in what.answers]
        if gone(question.message, place.channel, place.server or 0) or any(
            gone(one.message, *one) for one in quoted
        ):
            return
        if gone(question.message, *question):
            question, what = question._replace(person=0), what.model_copy(update={"asked": ""})
        await asyncio.to_thread(self._store.keep_card, question, place, what)
        lost = [one.message for one in (question, *quoted) if gone(one.message, *one)]
        if lost:  # deleted while it was written
            await asyncio.to_thread(self._store.forget_messages, lost)
        self.sending.soon()

    async def change_question(self, question: int, text: str) -> None:
        """Keep the new words of a question whose author changed it, and not the old ones."""
        kept = await asyncio.to_thread(self._store.card, question)
        if kept is not None and kept.what.asked and kept.what.asked != text:
            what = kept.what.model_copy(update={"asked": text})
            await asyncio.to_thread(self._store.change_card, question, what)
            await asyncio.to_thread(self._store.base.scrub)
            self.sending.soon()

    # buttons

    async def press(
        self, interaction: discord.Interaction[Any], button: CardButton
    ) -> Reply | None:
        """Answer to a button or a choice of a card; None if the card itself will change."""
        of, person, store = button.of, interaction.user.id, self._store
        kept = await asyncio.to_thread(store.card, of)
        # Discord lets nobody press what they do not see; a forged id is answered nowhere else.
        if kept is None or kept.place.channel != interaction.channel_id:
            return message(phrase("declined.no_report_headline"), phrase("declined.no_card"))
        match button.action:
            case "details" | "none":
                for one in kept.what.differences if button.action == "none" else ():
                    if mark_difference(one) == button.choice:  # the reader says that it is none
                        said = (button.choice, "wrong", {"verdict": "difference", "kind": one.kind})
                        await asyncio.to_thread(store.say, person, kept.place.server, *said)
                words = await asyncio.to_thread(store.words, person)
                pages = details(kept.what, kept.place, words)
                return page_of(pages, "card", of, "details", button.page)
            case "choose":
                return page_of([chooser(kept.what)], "card", of)
            case "chosen":
                pages = chosen(kept.what, button.choice)
                return page_of(pages, "card", of, f"chosen:{button.choice}", button.page)
            case "correct" if corrections(kept.what) and not kept.what.corrected:
                what = kept.what.model_copy(update={"corrected": True})
                await asyncio.to_thread(store.change_card, of, what)
                self._changed.pop(of, None)
                self.sending.soon()
        return None

    # sending

    async def _flush(self) -> None:
        """Send cards and delete messages."""
        await self._client.deletions.retry()
        now, later = time.monotonic(), []
        for kept in await asyncio.to_thread(self._store.dirty_cards):
            wait = self._changed.get(kept.question, -self._pause) + self._pause - now
            if kept.message is not None and wait > 0:
                later.append(wait)  # edits come together, so that a card does not flicker
            elif not self._may_send(kept):
                if _is_old(kept):
                    await asyncio.to_thread(self._store.give_up, kept.question)
            elif not (kept.message or kept.what.differences):
                await asyncio.to_thread(self._store.give_up, kept.question)
            else:
                await self._send(kept)
        if later:
            asyncio.get_running_loop().call_later(min(later), self.sending.soon)

    def _may_send(self, kept: KeptCard) -> bool:
        """Return False if the bot lacks the permission, which may come back."""
        channel = self._client.get_channel(kept.place.channel)
        if not isinstance(channel, (discord.abc.GuildChannel, discord.Thread)):
            return True
        may = channel.permissions_for(channel.guild.me)
        is_thread = isinstance(channel, discord.Thread)
        return may.send_messages_in_threads if is_thread else may.send_messages

    async def _send(self, kept: KeptCard) -> None:
        """Send or edit one card; what may pass is tried again, what will not is given up."""
        settings = self._client.settings(kept.place.server)
        guild = self._client.get_guild(kept.place.server or 0)
        choose_language(settings.language or (guild.preferred_locale if guild else "en"))
        try:
            sent = await self._show(kept)
        except UNSENT as error:
            outcome = outcome_of(error)
            LOG.warning("card %d not shown: %s", kept.question, code_of(error))
            if outcome == "gone" and kept.message is not None:
                # Whoever deleted it did not want it.
                await asyncio.to_thread(self._store.forget_messages, [kept.message])
            elif outcome == "gone":
                await self._client.deletions.channel(kept.place.channel)
            elif outcome == "moderated" or (outcome != "retry" and _is_old(kept)):
                await asyncio.to_thread(self._store.give_up, kept.question)
            return
        self._changed[kept.question] = time.monotonic()
        if len(self._changed) > 5_000:
            self._changed.pop(next(iter(self._changed)))
        await asyncio.to_thread(self._store.note_shown, kept.question, sent, kept.what)

    async def _show(self, kept: KeptCard) -> int:
        """Show a card in its channel. Return the id of its message."""
        view = view_of(channel_card(kept.what, kept.place), "card", kept.question)
        place = kept.place
        channel = self._client.get_partial_messageable(place.channel, guild_id=place.server)
        if kept.message is not None:
            await channel.get_partial_message(kept.message).edit(view=view)
            return kept.message
        reference = discord.MessageReference(
            message_id=kept.question,
            channel_id=place.channel,
            guild_id=place.server,
            fail_if_not_exists=False,
        )
        # Sent again after a crash, it is the same message by its nonce.
        sent = await channel.send(
            view=view,
            reference=reference,
            mention_author=False,
            nonce=kept.question,
            silent=True,
        )
        return sent.id


def _is_old(kept: KeptCard) -> bool:
    """Return True if nobody would look for the card of a question any more."""
    age = discord.utils.utcnow() - discord.utils.snowflake_time(kept.question)
    return age.total_seconds() > STALE_SECONDS
