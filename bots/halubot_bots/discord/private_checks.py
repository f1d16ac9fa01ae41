"""Checks that somebody asks for: allowed, run, kept for their buttons, and shown to them alone."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from halubot_bots import report_cards
from halubot_bots.catalogue import phrase
from halubot_bots.chat_text import clean
from halubot_bots.check_options import budgets_of, evidence_options
from halubot_bots.check_queue import Request, StoppedError
from halubot_bots.corrections import corrections
from halubot_bots.differences import differing_from_others
from halubot_bots.disagreement_cards import corrected_pages
from halubot_bots.discord.errors import UNSENT, DeclinedError, T
from halubot_bots.discord.reading import is_card, is_watched, post_of, read_attachment, text_of
from halubot_bots.discord.responding import Reply, message, page_of
from halubot_bots.feedback import apply_words, contradict
from halubot_bots.questions import Channels
from halubot_bots.records import Answer, Disagreement, Place, Quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import discord

    from halubot.report import Report, Source
    from halubot_bots.cards import Card
    from halubot_bots.discord.client import HalubotClient
    from halubot_bots.discord.components import CardButton
    from halubot_bots.settings import ServerSettings

AROUND: Final = 60
"""Messages around a message that are looked at for other answers."""

_EVIDENCE: Final = ("samples", "references", "knowledge", "web")
"""The options beside a model that a text can be compared with."""

AT_ONCE: Final = 3
"""Checks and comparisons that one person can wait for."""


@dataclass(frozen=True, slots=True)
class Material:
    """A text that somebody wants checked, and what it is compared with. ``quoted`` are the messages
    it has words of."""

    text: str
    question: str = ""
    samples: tuple[str, ...] = ()
    references: tuple[Source, ...] = ()
    quoted: tuple[Quoted, ...] = ()


class PrivateChecks:
    """Answers those who ask for a check."""

    def __init__(self, client: HalubotClient) -> None:
        self._client = client
        self._asking: Counter[int] = Counter()
        self._comparing = asyncio.Semaphore()  # of long texts it takes all of a processor

    async def check(
        self, interaction: discord.Interaction[Any], material: Material, *, correct: bool = False
    ) -> Reply:
        """Check a text and show its report; with ``correct`` its correction."""
        settings = self._allow(interaction)
        options = evidence_options(settings, self._client.owner) | {
            "question": material.question or None,
            "samples": list(material.samples),
            "references": list(material.references),
        }
        report = await self._run(interaction, material, options)
        number = await self._keep(interaction, material, report)
        if correct:
            return await self._correct(interaction, number, report, material)
        return await self._overview(interaction, number, report)

    async def of_message(
        self, interaction: discord.Interaction[Any], about: discord.Message, *, correct: bool
    ) -> Reply:
        """Check a message beside the other answers to the same question."""
        text = text_of(about)
        if not text or is_card(about):
            return message(phrase("declined.no_text_headline"), phrase("declined.no_text"))
        if self._client.store.left_out(about.author.id):
            raise DeclinedError(phrase("declined.author_left_out"))
        material = await self._surroundings(about, text)
        return await self.check(interaction, material, correct=correct)

    async def attached(
        self, text: str, question: str, others: str, reference: discord.Attachment | None
    ) -> Material:
        """Return what somebody typed and attached. Raises DeclinedError for a file that cannot be
        used."""
        samples = (one.strip() for one in clean(others).split("---"))
        files = self._client.documents
        references = (await read_attachment(files, reference),) if reference else ()
        return Material(clean(text), clean(question), tuple(filter(None, samples)), references)

    async def press(self, interaction: discord.Interaction[Any], button: CardButton) -> Reply:
        """Show a page of a report that was asked for."""
        store, number = self._client.store, button.of
        kept = await asyncio.to_thread(store.report, number)
        if kept is None or kept.asker != interaction.user.id:
            return message(phrase("declined.no_report_headline"), phrase("declined.no_report"))
        if button.action == "wrong" and (said := contradict(kept.report, button.choice)):
            server = kept.place.server
            await asyncio.to_thread(store.say, kept.asker, server, button.choice, *said)
        match button.action:
            case "facts" | "wrong":
                words = await asyncio.to_thread(store.words, kept.asker)
                pages = report_cards.facts(apply_words(kept.report, words))
                return page_of(pages, "report", number, "facts", button.page)
            case "corrected":
                pages = report_cards.correction(kept.report)
                return page_of(pages, "report", number, "corrected", button.page)
            case "correct":
                self._allow(interaction)
                quoted = await asyncio.to_thread(store.quoted_by, number)
                material = Material(kept.report.text, quoted=quoted)
                return await self._correct(interaction, number, kept.report, material)
            case _:
                return await self._overview(interaction, number, kept.report, button.page)

    async def _overview(
        self, interaction: discord.Interaction[Any], number: int, report: Report, page: int = 1
    ) -> Reply:
        """Show the first card of a report, as somebody sees it who said that verdicts are wrong."""
        words = await asyncio.to_thread(self._client.store.words, interaction.user.id)
        differing = await self._compare(interaction, differing_from_others, report)
        pages = report_cards.overview(apply_words(report, words), differing)
        return page_of(pages, "report", number, "overview", page)

    async def _correct(
        self,
        interaction: discord.Interaction[Any],
        number: int,
        report: Report,
        material: Material,
    ) -> Reply:
        """Show the correction of a report, kept under a number; what other answers agree on is put
        in if the check itself replaces nothing."""
        made = report
        if made.correction is None:
            options = evidence_options(self._allow(interaction), self._client.owner)
            options.pop("knowledge", None)  # what it brought stands among the sources
            made = await self._run(interaction, material, options, kind="correct", of=report)
            number = await self._keep(interaction, material, made)
        if made.correction is None or made.correction.text == made.text:
            pages = await self._compare(interaction, _correct_by_answers, report)
            if pages:
                return page_of(pages, "report", number)
        return page_of(report_cards.correction(made), "report", number, "corrected")

    def _allow(self, interaction: discord.Interaction[Any]) -> ServerSettings:
        """Return the settings that hold where somebody asks. Raises DeclinedError if
        they may not."""
        server = _place(interaction).server
        if not self._client.owner.serves(server):
            raise DeclinedError(phrase("declined.direct" if server is None else "declined.server"))
        if self._client.store.left_out(interaction.user.id):
            raise DeclinedError(phrase("declined.left_out"))
        return self._client.settings(server)

    async def _run(
        self,
        interaction: discord.Interaction[Any],
        material: Material,
        options: dict[str, Any],
        *,
        kind: Any = "check",
        of: Report | None = None,
    ) -> Report:
        person, place = interaction.user.id, _place(interaction)
        budgets = budgets_of(self._client.owner, place, person) if "model" in options else {}
        ids = {id for one in material.quoted for id in one} | {place.channel, place.server or 0}
        request = Request(
            kind,
            of or material.text,
            options,
            server=place.server or 0,
            person=person,
            budgets=budgets,
            optional=any(options.get(name) for name in _EVIDENCE),
            ids=frozenset(ids),
        )
        with self._waiting(person):
            return await self._client.queue.run(request)

    async def _compare(
        self, interaction: discord.Interaction[Any], work: Callable[[Report], T], report: Report
    ) -> T:
        """Return what ``work`` makes of a report: one such comparison after another."""
        with self._waiting(interaction.user.id):
            async with self._comparing:
                return await asyncio.to_thread(work, report)

    @contextmanager
    def _waiting(self, person: int) -> Iterator[None]:
        """Count a person as waiting. Raises DeclinedError if they wait for enough."""
        if self._asking[person] >= AT_ONCE:
            raise DeclinedError(phrase("declined.at_once", count=AT_ONCE))
        self._asking[person] += 1
        try:
            yield
        finally:
            self._asking[person] -= 1
            self._asking += Counter()  # drops those that wait for nothing

    async def _keep(
        self, interaction: discord.Interaction[Any], material: Material, report: Report
    ) -> int:
        """Keep a report for its buttons. Raises StoppedError if something that it has words of was
        deleted meanwhile."""
        person, place = interaction.user.id, _place(interaction)
        number = await asyncio.to_thread(
            self._client.store.keep_report, person, place, material.quoted, report
        )
        quoted = [id for one in material.quoted for id in one]
        if self._client.deletions.is_gone(interaction.id, person, *quoted):
            await asyncio.to_thread(self._client.store.drop_report, number)
            raise StoppedError("something that it has words of was deleted")
        return number

    async def _surroundings(self, about: discord.Message, text: str) -> Material:
        """Return a message with its question and the other answers to that, of watched bots."""
        guild = about.guild.id if about.guild else None
        settings = self._client.settings(guild)
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
            if not self._client.store.left_out(one.author.id):
                channels.note(channel, post_of(one, settings))
        channels.note(channel, own)
        channels.find_questions(channel)
        asked = channels.question_of(channel, own)
        if asked is None:
            return Material(text, quoted=tuple(quoted))
        quoted.append(Quoted(asked.id, asked.author))
        others = [o for o in channels.answers_to(channel, asked.id) if o.author != own.author]
        quoted += [Quoted(one.id, one.author) for one in others]
        samples = tuple(one.text for one in others)
        return Material(text, asked.text[:4_000], samples, (), tuple(quoted))


def _correct_by_answers(report: Report) -> tuple[Card, ...]:
    """Return the pages of a text with what other answers agree on in the place of what differs;
    empty if they settle nothing."""
    texts = [report.text, *(one.text or "" for one in report.sources if one.kind == "sample")]
    answers = tuple(Answer(message=at, author=0, text=text) for at, text in enumerate(texts))
    differences = differing_from_others(report)
    asked = report.question.text if report.question else ""
    made = corrections(Disagreement(asked=asked, answers=answers, differences=differences))
    own = [one for one in made if one.answer is answers[0]]
    headline = phrase("differ.by_answers")
    return corrected_pages(own, headline, buttons=("overview",)) if own else ()


def _place(interaction: discord.Interaction[Any]) -> Place:
    """Return where somebody asks; a server counts only if it has the bot, and not they alone."""
    server = interaction.guild_id if interaction.is_guild_integration() else None
    return Place(interaction.channel_id or 0, server)
