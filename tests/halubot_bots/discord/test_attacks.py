"""What somebody who means harm can do from inside a server: nothing of this."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Iterable
from functools import partial
from pathlib import Path

import pytest

from halubot.text.files.protocol import Limits
from halubot_bots.discord import annotation
from halubot_bots.documents import Documents
from halubot_bots.quotas import Amount
from halubot_bots.settings import Quota
from tests.discord_peer import Interaction, Message
from tests.halubot_bots.discord.scene import RIGHT, WRONG, Scene, has_card, run
from tests.halubot_bots.discord.test_answers import answering
from tests.judge import Judge

PRIVATE = "The zanzibarite vault opens in 1815 with the code quokkawombat."
FILES = {"ada.txt": RIGHT.encode()}


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-a-test")
    monkeypatch.setenv("HALUBOT_STATE", str(tmp_path / "state"))


def slow_pdf() -> bytes:
    """A PDF of some 20 KB that takes half a minute to read."""
    stream = zlib.compress(b"BT /F1 9 Tf (a b c) Tj ET\n" * 600_000, 9)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources"
        b" << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
        b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(stream), stream),
    ]
    made, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        places.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 5\n0000000000 65535 f \n%strailer << /Size 5 /Root 1 0 R >>\n" % table
    return made + head + b"startxref\n%d\n%%%%EOF" % len(made)


def files(folder: Path) -> bytes:
    """All that lies on the disk."""
    return b"".join(one.read_bytes() for one in folder.rglob("*") if one.is_file())


@pytest.mark.slow
def test_slow_files_hold_up_nobody_else(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        pdf = slow_pdf()
        here.client.documents.close()
        here.client.documents = Documents(Limits(memory=256 << 20, seconds=0.5, most_seconds=0.5))
        assert len(pdf) < 100_000

        async def sends() -> Interaction:
            return await here.peer.uses_command(
                here.ben, here.channel, "check", text=WRONG, reference=("slow.pdf", pdf)
            )

        attack = [await sends() for _ in range(4)]
        refused = await sends()
        await here.peer.until(lambda: bool(refused.text), "the refusal")
        assert "You are already waiting for 4 answers" in refused.text
        # These need the disk, or a thread of the usual ones.
        for name in ("help", "usage", "privacy"):
            use = await here.peer.uses_command(here.ada, here.channel, name)
            await here.peer.until(partial(_text, use), name)
        honest = await here.peer.uses_command(
            here.ada, here.channel, "check", text=WRONG, others=f"{RIGHT} --- {RIGHT} Indeed."
        )
        await here.peer.until(lambda: "1815" in honest.text, "the check of another")
        assert not all(one.text for one in attack)
        for one in attack:
            await here.peer.until(partial(_text, one), "the end of it", patience=120)
            assert "slow.pdf" in one.text
            assert "takes more than" in one.text

    run(tmp_path, work)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["deletes", "forgets", "leaves"])
def test_who_is_quoted_in_the_checks_of_others_can_have_it_deleted(
    tmp_path: Path, how: str
) -> None:
    """As question, sample, linked reference and context, with and without a model."""

    async def work() -> None:
        async with answering(tmp_path, Judge(answer=PRIVATE, samples=(PRIVATE,))) as (here, _):
            await here.watch(answers=True, method="consensus", samples=2)
            victim = here.peer.member(here.guild, "Vic")
            said = await here.peer.says(victim, here.channel, PRIVATE)
            link = f"https://discord.com/channels/{here.guild.id}/{here.channel.id}/{said.id}"
            # as the question, and as a sample, of what others wrote
            reply = await here.peer.says(here.other, here.channel, WRONG, reply_to=said)
            linked = await here.peer.says(here.other, here.channel, f"{WRONG} See {link}")
            thread = await here.peer.opens_thread(here.ada, here.channel, "vault")
            inside = await here.peer.says(victim, thread, PRIVATE)
            beside = await here.peer.says(here.ben, thread, WRONG)
            for message, menu in (
                (reply, "Check facts"),
                (linked, "Check facts"),
                (beside, "Check against these"),
            ):
                use = await here.peer.uses_menu(here.ben, message, menu)
                await here.peer.until(partial(_done, use), menu)
            # as the context of an answer
            asks = f"{here.peer.bot.mention} which code is it?"
            await here.peer.says(here.ada, here.channel, asks, reply_to=said)
            await here.quiet()
            shown = [one for one in here.peer.said(here.channel) if not one.deleted]
            assert shown
            use = await here.peer.uses_menu(here.ben, reply, "Wrong verdict")
            assert use.modal is not None
            done = await here.peer.fills(use, fact="0", note="no")
            await here.peer.until(lambda: "Noted" in done.text, "that it was noted")
            assert b"quokkawombat" in files(tmp_path)
            told = await here.peer.uses_command(victim, here.channel, "privacy")
            await here.peer.until(lambda: "Stored" in told.text, "what is kept")
            assert "were used in 5 checks" in told.text
            await _removed(here, how, (said, inside))
            await here.quiet()
            await here.peer.until(lambda: b"quokkawombat" not in files(tmp_path), "that it is gone")
            assert not [one for one in here.peer.said(here.channel) if not one.deleted]

    asyncio.run(work())


async def _removed(here: Scene, how: str, said: Iterable[Message]) -> None:
    victim = next(iter(said)).author
    if how == "deletes":
        for message in said:
            await here.peer.deletes(message)
        await here.peer.heard()
        return
    use = (
        await here.peer.uses_command(victim, here.channel, "forget-me")
        if how == "forgets"
        else await here.peer.uses_command(victim, here.channel, "privacy", leave_out=True)
    )
    await here.peer.until(lambda: "Forgotten" in use.text or "left out" in use.text, "the end")


def _text(use: Interaction) -> str:
    return use.text


def _done(use: Interaction) -> bool:
    return has_card(use) or "checked" in use.text or "Not" in use.text


def test_a_member_cannot_replace_what_a_server_published(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        await here.watch()
        asked = await here.peer.says(here.ben, here.channel, "Who was Ada Lovelace?")
        message = await here.peer.says(here.other, here.channel, WRONG, files=FILES, reply_to=asked)
        await here.quiet()
        (card,) = here.peer.said(here.channel)
        before = here.desk.memory.report(card.id)
        assert before is not None
        assert before.report.doubted()
        for at in range(4):  # answers of the attacker's own, that say what the wrong one says
            await here.peer.says(here.ben, here.channel, f"{WRONG} So {at}.", reply_to=asked)
        use = await here.peer.uses_menu(here.ben, message, "Check against these")
        await here.peer.until(lambda: "None of" in use.text, "the attacker's own card")
        assert use.response is not None
        await here.peer.clicks(here.ben, use.response, "All facts")
        assert here.desk.memory.report(card.id) == before
        seen = await here.peer.clicks(here.ada, card, "All facts")
        assert "1815" in seen.text
        fresh = await here.peer.uses_menu(here.ada, message, "Check facts")
        await here.peer.until(lambda: "1815" in fresh.text, "the published report")

    run(tmp_path, work)


def test_checks_that_wait_hold_nothing_of_a_quota(tmp_path: Path) -> None:
    """Somebody asks for much at once; others are told that it is busy, and soon can."""

    async def work() -> None:
        low = Quota(dollars=0.25)
        opened = answering(tmp_path, at_once=1, in_all=low, dollars_a_check=0.10)
        async with opened as (here, _):
            uses = [
                await here.peer.uses_command(
                    who, here.channel, "check", text=f"{WRONG} {at}", others=f"{RIGHT} --- {RIGHT}"
                )
                for at, who in enumerate((here.ben, here.ben, here.ben, here.ben, here.ada))
            ]
            for use in uses:
                await here.peer.until(partial(_done, use), "an answer")
                assert "used up" not in use.text
                assert "busy" not in use.text
            assert here.desk.quotas.use_of("all").dollars < 0.1

    asyncio.run(work())


def test_a_reply_for_which_the_quota_is_busy_is_annotated_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(annotation, "BUSY_TRIES", 1000)

    async def work(here: Scene) -> None:
        here.client.annotator.again = 0.01
        await here.watch(of_server=Quota(checks=1))
        limits = {f"server:{here.guild.id}": Quota(checks=1)}
        held = here.desk.quotas.reserve(limits, Amount())
        await here.peer.says(here.other, here.channel, WRONG, files=FILES)
        await here.peer.until(lambda: here.client.annotator.busy, "that it is in work")
        here.desk.quotas.settle(held, Amount(), counted=False)
        await here.quiet()
        assert len(here.peer.said(here.channel)) == 1

    run(tmp_path, work)
