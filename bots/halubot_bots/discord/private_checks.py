"""Checks that somebody asks for: allowed, run, kept for their buttons, and shown to them alone."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from halubot_bots import cards, report_cards
from halubot_bots.catalogue import phrase
from halubot_bots.check_options import budgets_of, evidence_options
from halubot_bots.check_queue import Request, StoppedError
from halubot_bots.corrections import corrections
from halubot_bots.differences import find_differences
from halubot_bots.disagreement_cards import corrected_pages
from halubot_bots.discord.errors import UNSENT, DeclinedError
from halubot_bots.discord.reading import (
    is_card,
    is_watched,
    post_of,
    read_attachment,
    text_of,
)
from halubot_bots.discord.responding import Reply, message
from halubot_bots.feedback import apply_words, contradict
from halubot_bots.questions import Channels
from halubot_bots.records import Answer, Disagreement, KeptReport, Place, Quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    import discord

    from halubot.report import Report, Source
    from halubot_bots.discord.client import HalubotClient
    from halubot_bots.discord.components import CardButton
    from halubot_bots.settings import ServerSettings

AROUND: Final = 60
"""Messages around a message that are looked at for other answers."""

SEPARATOR: Final = "---"
"""The line between other answers that are typed."""

AT_ONCE: Final = 3
"""Checks that one person can wait for."""


@dataclass(frozen=True, slots=True)
class Material:
    """A text that somebody wants checked, and what it is compared with. ``quoted`` are the messages
    it has words of, ``message`` the one it is."""

    text: str
    question: str = ""
    samples: tuple[str, ...] = ()
    references: tuple[Source, ...] = ()
    quoted: tuple[Quoted, ...] = ()
    message: int | None = None


class PrivateChecks:
    """Answers those who ask for a check."""

    def __init__(self, client: HalubotClient) -> None:
        self._client = client
        self._asking: dict[int, int] = {}

    async def check(
        self, interaction: discord.Interaction[Any], material: Material, *, correct: bool = False
    ) -> Reply:
        """Check a text and show its report; with ``correct`` its correction."""
        settings = await self._allow(interaction)
        options: dict[str, Any] = evidence_options(settings, self._client.owner)
        if not _may_use_model(interaction, settings):
            options.pop("model", None)
        options |= {
            "question": material.question or None,
            "samples": list(material.samples),
            "references": list(material.references),
        }
        report = await self._run(interaction, material, options, settings)
        if correct:
            return await self._correct(interaction, report, material, settings)
        number = await self._keep(interaction, material, report)
        seen = await self._with_words(interaction, report)
        return Reply([report_cards.overview(seen)], "report", number)

    async def ask(self, interaction: discord.Interaction[Any], question: str) -> Reply:
        """Answer a question with the model, and check the answer."""
        settings = await self._allow(interaction)
        owner = self._client.owner
        model = owner.model(settings.model) or (owner.models[0] if owner.models else "")
        if not model:
            raise DeclinedError(phrase("declined.model"))
        if not _may_use_model(interaction, settings):
            raise DeclinedError(phrase("declined.role"))
        options = {**evidence_options(settings, owner), "model": model}
        material = Material(question)
        report = await self._run(interaction, material, options, settings, kind="ask")
        number = await self._keep(interaction, material, report)
        first = report_cards.overview(report)
        pages = report_cards.answer(report, first)
        return Reply(pages, "report", number, leaf="answer")

    async def of_message(
        self, interaction: discord.Interaction[Any], about: discord.Message, *, correct: bool
    ) -> Reply:
        """Check a message beside the other answers to the same question."""
        text = text_of(about)
        if not text or is_card(about):
            return message(phrase("declined.no_text_headline"), phrase("declined.no_text"))
        if await self._client.is_left_out(about.author.id):
            raise DeclinedError(phrase("declined.author_left_out"))
        material = await self._surroundings(about, text)
        return await self.check(interaction, material, correct=correct)

    async def attached(
        self, text: str, question: str, others: str, reference: discord.Attachment | None
    ) -> Material:
        """Return what somebody typed and attached. Raises DeclinedError for a file that cannot be
        used."""
        samples = [one.strip() for one in f"\n{others}\n".split(f"{SEPARATOR}")]
        references: tuple[Source, ...] = ()
        if reference is not None:
            most = self._client.owner.attachment_bytes
            references = (await read_attachment(self._client.documents, reference, most),)
        return Material(text, question, tuple(filter(None, samples)), references)

    async def press(self, interaction: discord.Interaction[Any], button: CardButton) -> Reply:
        """Show a page of a report that was asked for."""
        store, number, page = self._client.store, button.of, button.page
        kept = await asyncio.to_thread(store.report, number)
        if kept is None or kept.asker != interaction.user.id:
            return message(phrase("declined.no_report_headline"), phrase("declined.no_report"))
        if button.action == "wrong" and (said := contradict(kept.report, button.choice)):
            server = kept.place.server
            await asyncio.to_thread(store.say, kept.asker, server, button.choice, *said)
        kept = kept._replace(report=await self._with_words(interaction, kept.report))
        match button.action:
            case "facts" | "wrong":
                pages = with_way_back(report_cards.facts(kept.report))
                return Reply(pages, "report", number, "facts", page)
            case "answer":
                pages = report_cards.answer(kept.report, report_cards.overview(kept.report))
                return Reply(pages, "report", number, "answer", page)
            case "corrected":
                pages = with_way_back(report_cards.correction(kept.report))
                return Reply(pages, "report", number, "corrected", page)
            case "correct":
                return await self._correct_again(interaction, kept)
            case _:
                return Reply([report_cards.overview(kept.report)], "report", number)

    async def _with_words(self, interaction: discord.Interaction[Any], report: Report) -> Report:
        """Return a report as somebody sees it who said that verdicts in it are wrong."""
        person = interaction.user.id
        return apply_words(report, await asyncio.to_thread(self._client.store.words, person))

    async def _correct_again(
        self, interaction: discord.Interaction[Any], kept: KeptReport
    ) -> Reply:
        settings = await self._allow(interaction)
        if kept.report.correction is not None:
            pages = with_way_back(report_cards.correction(kept.report))
            return Reply(pages, "report", kept.id, "corrected")
        quoted = await asyncio.to_thread(self._client.store.quoted_by, kept.id)
        material = Material(kept.report.text, quoted=quoted, message=kept.message)
        return await self._correct(interaction, kept.report, material, settings)

    async def _correct(
        self,
        interaction: discord.Interaction[Any],
        report: Report,
        material: Material,
        settings: ServerSettings,
    ) -> Reply:
        options = evidence_options(settings, self._client.owner)
        options.pop("knowledge", None)  # what it brought stands among the sources
        if not _may_use_model(interaction, settings):
            options.pop("model", None)
        made = await self._run(interaction, material, options, settings, kind="correct", of=report)
        if made.correction is None or made.correction.text == made.text:
            pages = await asyncio.to_thread(_correct_by_answers, material, report)
            if pages:
                number = await self._keep(interaction, material, report)
                return Reply(with_way_back(pages), "report", number)
        number = await self._keep(interaction, material, made)
        pages = with_way_back(report_cards.correction(made))
        return Reply(pages, "report", number, "corrected")

    async def _allow(self, interaction: discord.Interaction[Any]) -> ServerSettings:
        """Return the settings that hold where somebody asks. Raises DeclinedError if
        they may not."""
        owner, server = self._client.owner, interaction.guild_id
        if not owner.serves(server):
            name = "declined.direct" if server is None else "declined.server"
            raise DeclinedError(phrase(name))
        if await self._client.is_left_out(interaction.user.id):
            raise DeclinedError(phrase("declined.left_out"))
        if not interaction.is_guild_integration() and server is not None:
            if not owner.installs:
                raise DeclinedError(phrase("declined.installed"))
            return await self._client.settings(None)  # the server's settings are not theirs
        settings = await self._client.settings(server)
        if not settings.members and not _manages(interaction):
            raise DeclinedError(phrase("declined.members"))
        return settings

    async def _run(
        self,
        interaction: discord.Interaction[Any],
        material: Material,
        options: dict[str, Any],
        settings: ServerSettings,
        *,
        kind: Any = "check",
        of: Report | None = None,
    ) -> Report:
        person, place = interaction.user.id, _place(interaction)
        if self._asking.get(person, 0) >= AT_ONCE:
            raise DeclinedError(phrase("declined.at_once", count=AT_ONCE))
        self._asking[person] = self._asking.get(person, 0) + 1
        ids = {id for one in material.quoted for id in one} | {place.channel, place.server or 0}
        guest = not interaction.is_guild_integration()
        pays = place._replace(server=None) if guest else place
        budgets = budgets_of(settings, self._client.owner, pays, person)
        request = Request(
            kind,
            of or material.text,
            options,
            server=place.server or 0,
            person=person,
            budgets=budgets if "model" in options else {},
            ids=frozenset(ids),
        )
        try:
            return await self._client.queue.run(request)
        finally:
            self._asking[person] -= 1
            if not self._asking[person]:
                del self._asking[person]

    async def _keep(
        self, interaction: discord.Interaction[Any], material: Material, report: Report
    ) -> int:
        """Keep a report for its buttons. Raises StoppedError if something that it has words of was
        deleted meanwhile."""
        person, place = interaction.user.id, _place(interaction)
        number = await asyncio.to_thread(
            self._client.store.keep_report, person, place, material.message, material.quoted, report
        )
        quoted = [id for one in material.quoted for id in one]
        if self._client.deletions.is_gone(person, *quoted):
            await asyncio.to_thread(self._client.store.drop_report, number)
            raise StoppedError("something that it has words of was deleted")
        return number

    async def _surroundings(self, about: discord.Message, text: str) -> Material:
        """Return a message with its question and the other answers to that, of watched bots."""
        guild = about.guild.id if about.guild else None
        settings = await self._client.settings(guild)
        # Whoever wrote it: here it is the answer.
        own = replace(post_of(about, settings), answers=True)
        channels, channel = Channels(), about.channel.id
        quoted = [Quoted(about.id, about.author.id)]
        try:
            around = [one async for one in about.channel.history(limit=AROUND, around=about)]
        except (*UNSENT, AttributeError):
            around = []
        for one in around:
            if is_card(one) or (one.author.bot and not is_watched(one, settings)):
                continue
            if not await self._client.is_left_out(one.author.id):
                channels.note(channel, post_of(one, settings))
        channels.note(channel, own)
        channels.find_questions(channel)
        asked = channels.question_of(channel, own)
        if asked is None:
            return Material(text, quoted=tuple(quoted), message=about.id)
        quoted.append(Quoted(asked.id, asked.author))
        others = [o for o in channels.answers_to(channel, asked.id) if o.author != own.author]
        quoted += [Quoted(one.id, one.author) for one in others]
        samples = tuple(one.text for one in others)
        return Material(text, asked.text[:4_000], samples, (), tuple(quoted), about.id)


def _correct_by_answers(material: Material, report: Report) -> tuple[cards.Card, ...]:
    """Return a text with what at least two other answers agree on in the place of what differs;
    empty if they settle nothing."""
    samples = material.samples or [s.text or "" for s in report.sources if s.kind == "sample"]
    texts = [material.text, *samples]
    asked = material.question or (report.question.text if report.question else "")
    found = find_differences(texts, asked)
    settled = [one for one in found if one.settled and all(s.answer for s in one.settled)]
    answers = tuple(Answer(message=at, author=0, text=text) for at, text in enumerate(texts))
    made = corrections(Disagreement(answers=answers, differences=tuple(settled)))
    own = [one for one in made if one.answer.message == 0]
    return corrected_pages(own, phrase("differ.by_answers")) if own else ()


def with_way_back(pages: Sequence[cards.Card]) -> tuple[cards.Card, ...]:
    """Return pages with a button that leads to the first card of their report."""
    back = cards.button("overview")
    return tuple(one.model_copy(update={"buttons": (*one.buttons, back)}) for one in pages)


def _place(interaction: discord.Interaction[Any]) -> Place:
    return Place(interaction.channel_id or 0, interaction.guild_id)


def _manages(interaction: discord.Interaction[Any]) -> bool:
    return bool(interaction.guild_id and interaction.permissions.manage_guild)


def _may_use_model(interaction: discord.Interaction[Any], settings: ServerSettings) -> bool:
    roles = {role.id for role in getattr(interaction.user, "roles", ())}
    return not settings.model_roles or bool(roles & settings.model_roles) or _manages(interaction)
