"""What somebody who means harm tries from inside a server, against the bot as it is installed: a
process of its own, Discord's clock, and nothing to reach it by but what every member has."""

from __future__ import annotations

import io
import threading
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.discord_peer import Channel, Guild, Interaction, Message, Peer, User
from tests.halubot_bots.discord.apart import Apart, member, run_apart, waited
from tests.halubot_bots.discord.scene import RIGHT, WRONG, has_card
from tests.halubot_bots.discord.test_attacks import files, slow_pdf
from tests.judge import Judge
from tests.loopback import Body, Reply, loopback

pytestmark = pytest.mark.slow

FIRST_SIGN = 3.0
"""Seconds that Discord waits for a first answer."""

SECRET = b"quokkawombat"
VAULT = f"Ada Lovelace was born in 1815, and the vault's code is {SECRET.decode()}."
ENDS = "Forgotten", "left out"


class Mallory:
    """The attacker's script: what one member does with commands, menus and messages."""

    def __init__(self, peer: Peer, guild: Guild, place: Channel) -> None:
        self.peer = peer
        self.place = place
        self.user = peer.member(guild, "Mallory")

    async def sends_files(self, *sent: tuple[str, bytes]) -> list[Interaction]:
        """Has each file read as a reference, all at once."""
        return [
            await self.peer.uses_command(
                self.user, self.place, "check", text=WRONG, reference=one, wait=False
            )
            for one in sent
        ]

    async def quotes(self, *messages: Message) -> list[Interaction]:
        """Has the words of others put into reports of their own."""
        uses = []
        for message in messages:
            for menu in ("Check facts", "Check against these"):
                use = await self.peer.uses_menu(self.user, message, menu)
                await self.peer.until(partial(_ended, use), menu)
                uses.append(use)
        return uses

    async def bends(self, asked: Message, message: Message) -> Interaction:
        """Answers the question as the wrong answer does, four times, and checks it by that."""
        for at in range(4):
            await self.peer.says(self.user, self.place, f"{WRONG} So {at}.", reply_to=asked)
        use = await self.peer.uses_menu(self.user, message, "Check against these")
        await self.peer.until(partial(_ended, use), "the card")
        return use

    async def spends(self, texts: int) -> list[Interaction]:
        """Asks for as many checks with the model as there are texts, and waits for none."""
        return [
            await self.peer.uses_command(
                self.user, self.place, "check", text=f"{WRONG} {at}", question="Who?"
            )
            for at in range(texts)
        ]


def _ended(use: Interaction) -> bool:
    return bool(use.text) and "Checking" not in use.text


def _says(use: Interaction, *words: str) -> bool:
    return any(one in use.text for one in words)


def bomb() -> bytes:
    """A DOCX of some 100 KB that unpacks to 100 MB."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("[Content_Types].xml", "<Types/>")
        packed.writestr("word/document.xml", b"<w:t>" + b"a" * (100 << 20))
    return made.getvalue()


def nested() -> bytes:
    """A page of 840 KB in which 120,000 elements stand in each other."""
    return b"<html><body>" + b"<b><i>" * 60_000 + b"Ada" + b"</i></b>" * 60_000


@pytest.mark.faults
def test_hostile_files_hold_up_nobody(tmp_path: Path) -> None:
    async def work(peer: Peer, guild: Guild, bot: Apart) -> None:
        place, ben = guild.channel("general"), peer.member(guild, "Ben")
        before = bot.memory()
        mallory = Mallory(peer, guild, place)
        attack = await mallory.sends_files(
            ("slow.pdf", slow_pdf()), ("bomb.docx", bomb()), ("nested.html", nested())
        )
        for name in ("help", "usage", "status") * 3:
            use = await peer.uses_command(ben, place, name)
            assert waited(use) < FIRST_SIGN
        honest = await peer.uses_command(
            ben, place, "check", text=WRONG, others=f"{RIGHT} --- {RIGHT} Indeed."
        )
        await peer.until(lambda: "1815" in honest.text, "the check of another")
        for one in attack:
            assert waited(one) < FIRST_SIGN
            await peer.until(partial(_ended, one), "its end")
        assert "takes more than" in attack[0].text
        assert bot.memory() < before + 100  # the files were read elsewhere

    run_apart(tmp_path, work)


@pytest.mark.parametrize(
    "how",
    [
        "deletes",
        *(pytest.param(how, marks=pytest.mark.faults) for how in ("forgets", "opts out", "leaves")),
    ],
)
def test_what_others_quote_is_deleted_with_its_author(tmp_path: Path, how: str) -> None:
    """As question, linked reference and other answer; in public and in reports of Mallory's own.
    "leaves": the server removes the bot."""

    async def work(peer: Peer, guild: Guild, bot: Apart) -> None:
        place = guild.channel("answers")
        first, second = member(guild, "First"), member(guild, "Second")
        victim = peer.member(guild, "Vic")
        mallory = Mallory(peer, guild, place)
        said = await peer.says(victim, place, VAULT)
        link = f"https://discord.com/channels/{guild.id}/{place.id}/{said.id}"
        own = await peer.says(mallory.user, place, f"{WRONG} See {link}", reply_to=said)
        wrong = await peer.says(first, place, f"{WRONG} See {link}", reply_to=said)
        beside = await peer.says(victim, place, f"{VAULT} Truly.", reply_to=said)
        await peer.says(second, place, RIGHT, reply_to=said)
        await peer.until(lambda: peer.said(place), "the annotation")
        uses = await mallory.quotes(own, wrong)
        for use in uses:
            if use.response is not None and "Evidence" in use.response.buttons:
                await peer.clicks(mallory.user, use.response, "Evidence")
        assert SECRET in files(tmp_path)
        if how == "deletes":
            await peer.deletes(said)
            await peer.deletes(beside)
        elif how == "leaves":
            await peer.kicks(guild)
        else:
            name, options = ("forget-me", {}) if how == "forgets" else ("privacy", _OUT)
            done = await peer.uses_command(victim, place, name, **options)
            await peer.until(partial(_says, done, *ENDS), "the end")
        await peer.until(lambda: SECRET not in files(tmp_path), "that it is on the disk no more")
        if how != "leaves":  # it may not write there any more
            await peer.until(lambda: not _shown(peer, place), "that it is taken back")
        assert SECRET.decode() not in bot.log()

    run_apart(tmp_path, work, watched=True)


_OUT = {"leave_out": True}


def _shown(peer: Peer, place: Channel) -> list[Message]:
    return [one for one in peer.said(place) if not one.deleted]


def test_what_a_server_published_stays(tmp_path: Path) -> None:
    async def work(peer: Peer, guild: Guild, bot: Apart) -> None:
        place, ada = guild.channel("answers"), guild.owner
        first, second = member(guild, "First"), member(guild, "Second")
        asked = await peer.says(ada, place, "Who was Ada Lovelace?")
        wrong = await peer.says(first, place, WRONG, reply_to=asked)
        await peer.says(second, place, RIGHT, reply_to=asked)
        await peer.until(lambda: peer.said(place), "the annotation")
        (card,) = peer.said(place)
        before = (await peer.clicks(ada, card, "Evidence")).text
        assert "1815" in before
        mallory = Mallory(peer, guild, place)
        own = await mallory.bends(asked, wrong)
        assert "1815" not in own.text.partition("other answer")[0]
        assert own.response is not None
        await peer.clicks(mallory.user, own.response, "All facts")
        for user in (ada, mallory.user):
            assert (await peer.clicks(user, card, "Evidence")).text == before
        fresh = await peer.uses_menu(ada, wrong, "Check facts")
        await peer.until(lambda: "1815" in fresh.text, "the published report")
        assert len(card.versions) == 1
        await bot.kill()
        await bot.start()
        assert (await peer.clicks(ada, card, "Evidence")).text == before

    run_apart(tmp_path, work, watched=True)


@pytest.mark.faults
def test_a_quota_is_locked_by_nobody(tmp_path: Path) -> None:
    """Mallory has checks begun that never end, and the process is killed with them: nothing of
    that was spent, and the next can spend it."""
    going_on = threading.Event()
    judge = Judge(answer=RIGHT, samples=(RIGHT,))

    def reply(body: Body) -> Reply:
        return judge.reply(body) if going_on.is_set() else Reply(hang=True)

    with loopback() as model:
        model.answer(reply)

        async def work(peer: Peer, guild: Guild, bot: Apart) -> None:
            place, ada = guild.channel("general"), guild.owner
            mallory = Mallory(peer, guild, place)
            await mallory.spends(4)
            await peer.until(lambda: len(model.received) >= 2, "that two have begun")
            busy = await _ask(peer, ada, place, _ended_or_waiting)
            assert "used up" not in busy.text
            await bot.kill()
            going_on.set()
            await bot.start()
            use = await _ask(peer, ada, place, _ended)
            assert has_card(use), use.text
            usage = await peer.uses_command(ada, place, "usage")
            await peer.until(lambda: "today" in usage.text, "the use")
            assert "**This server** today: 1 check," in usage.text

        run_apart(
            tmp_path,
            work,
            models=["openai/gpt-4o-mini"],
            api_base=model.url,
            in_all={"dollars": 0.25},
            dollars_a_check=0.10,
            at_once=2,
        )


async def _ask(
    peer: Peer, user: User, place: Channel, ended: Callable[[Interaction], bool]
) -> Interaction:
    use = await peer.uses_command(user, place, "check", text=WRONG, question="Who was Ada?")
    await peer.until(partial(ended, use), "the answer")
    return use


def _ended_or_waiting(use: Interaction) -> bool:
    return _ended(use) or _says(use, "ahead of you", "next", "busy")
