"""What a public server needs of the bot: nothing lost, nothing cut, nothing said that is not so."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from halubot.errors import StateError
from halubot_bots.cards import NO_BREAK
from halubot_bots.checks import Checks
from halubot_bots.desk import Desk
from halubot_bots.discord import actions, live_answer
from halubot_bots.discord.bot import HalubotClient
from halubot_bots.settings import OwnerLimits, ServerSettings
from halubot_bots.store import Memory
from tests.discord_peer import Message, Payload, Peer, User
from tests.halubot_bots.discord.scene import RIGHT, WRONG, Scene, has_card, run
from tests.halubot_bots.discord.test_answers import KEY, answering
from tests.judge import Judge

FILES = {"ada.txt": RIGHT.encode()}
ASIDE = "The weather in Madrid is warm and dry today."
LINK = "https://example.org/posts/7"
PREVIEW = {"type": "rich", "url": f"{LINK}/", "description": "Ada Lovelace was born in 1700."}


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("HALUBOT_STATE", str(tmp_path / "state"))


async def shown(here: Scene) -> list[Message]:
    await here.quiet()
    return [one for one in here.peer.said(here.channel) if not one.deleted]


def other_bot(here: Scene, name: str = "Second") -> User:
    return here.peer.member(here.guild, here.peer.user(name, bot=True))


# previews of links


@pytest.mark.parametrize(
    "preview",
    [
        PREVIEW,
        {**PREVIEW, "url": None, "provider": {"name": "Example"}},
        {**PREVIEW, "type": "article", "url": None},
        {**PREVIEW, "url": "https://elsewhere.example/redirected"},
    ],
)
def test_a_preview_that_comes_later_is_not_checked(tmp_path: Path, preview: Payload) -> None:
    async def work(here: Scene) -> None:
        here.client.annotator.settled = 0.2
        await here.watch()
        text = f"{WRONG} {LINK}"
        message = await here.peer.says(here.other, here.channel, text, files=FILES)
        await here.peer.heard()
        await here.peer.until(lambda: here.client.annotator.busy, "that it is heard")
        await here.peer.unfurls(message, preview)
        (card,) = await shown(here)
        await here.peer.unfurls(message, preview)
        assert await shown(here) == [card]
        assert len(card.versions) == 1
        kept = here.desk.memory.report(message.id)
        assert kept is not None
        assert kept.report.text == text
        assert here.desk.quotas.use_of("all").checks == 1

    run(tmp_path, work)


def test_the_previews_of_a_persons_links_are_not_their_words(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        message = await here.peer.says(here.ben, here.channel, f"{WRONG} {LINK}", files=FILES)
        await here.peer.unfurls(message, {**PREVIEW, "url": "https://elsewhere.example"})
        use = await here.peer.uses_menu(here.ada, message, "Check facts")
        await here.peer.until(lambda: has_card(use), "the card")
        kept = here.desk.memory.report(message.id, "facts")
        assert kept is not None
        assert "1700" not in kept.report.text

    run(tmp_path, work)


def test_an_own_embed_of_a_bot_is_its_words(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        await here.watch()
        embeds = [{"description": WRONG, "url": "https://a.example"}]
        await here.peer.says(here.other, here.channel, "Here:", embeds=embeds, files=FILES)
        (card,) = await shown(here)
        assert "1815" in card.text

    run(tmp_path, work)


# annotation by the answers of other bots


def test_two_bots_that_answer_the_same_are_compared_with_nothing_set_up(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        await here.watch()
        second, third = other_bot(here), other_bot(here, "Third")
        asked = await here.peer.says(here.ben, here.channel, "Who was Ada Lovelace?")
        wrong = await here.peer.says(here.other, here.channel, WRONG, reply_to=asked)
        assert await shown(here) == []  # there is nothing to compare it with yet
        await here.peer.says(second, here.channel, RIGHT, reply_to=asked)
        (card,) = await shown(here)
        assert card.reply_to is wrong
        assert "? 1 doubtful" in card.text.replace(
            NO_BREAK, " "
        )  # a single other answer proves nothing
        assert "**1816**" in card.text
        assert f"<@{second.id}>" in card.text
        assert "/privacy" in card.text
        assert "sample" not in card.text.partition("consensus")[0]
        await here.peer.says(third, here.channel, f"{RIGHT} Indeed.", reply_to=asked)
        again = await here.peer.says(here.other, here.channel, f"{WRONG} Yes.", reply_to=asked)
        cards = await shown(here)
        assert cards[-1].reply_to is again
        assert "✗ 1 contradicted" in cards[-1].text.replace(NO_BREAK, " ")

    run(tmp_path, work)


def test_chatter_of_bots_is_no_reason_to_check_old_answers_again(tmp_path: Path) -> None:
    """What was checked once is compared again with each new answer to its question, by words alone,
    and that counts as nothing."""

    async def work(here: Scene) -> None:
        await here.watch()
        second, third, chatty = (other_bot(here, name) for name in ("Second", "Third", "Chatty"))
        asked = await here.peer.says(here.ben, here.channel, "Who was Ada Lovelace?")
        old = [
            await here.peer.says(here.other, here.channel, f"{WRONG} {at}", reply_to=asked)
            for at in range(3)
        ]
        await here.peer.says(second, here.channel, ASIDE, reply_to=asked)
        assert await shown(here) == []  # an answer came, which says nothing of Ada
        assert here.desk.quotas.use_of("all").checks == len(old)
        for line in range(5):
            await here.peer.says(
                chatty, here.channel, f"Today's song is number {line} of the list."
            )
            await here.peer.says(second, here.channel, f"{ASIDE} {line}", reply_to=asked)
            await here.quiet()
        assert here.desk.activity.checks["watch", "finished"] == len(old)
        await here.peer.says(third, here.channel, RIGHT, reply_to=asked)
        cards = await shown(here)
        assert {card.reply_to.id for card in cards if card.reply_to} == {one.id for one in old}
        assert here.desk.quotas.use_of("all").checks == len(old)

    run(tmp_path, work)


def test_an_answer_is_compared_with_what_bots_say_beside_it_until_a_person_speaks(
    tmp_path: Path,
) -> None:
    async def work(here: Scene) -> None:
        await here.watch()
        second = other_bot(here)
        await here.peer.says(here.other, here.channel, WRONG)
        await here.quiet()
        await here.peer.says(here.ben, here.channel, "And who was Babbage?")
        await here.peer.says(second, here.channel, RIGHT)
        assert await shown(here) == []
        assert here.desk.quotas.use_of("all").checks == 0

    run(tmp_path, work)


def test_members_cannot_bring_in_answers_for_an_annotation(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        await here.watch()
        asked = await here.peer.says(here.ben, here.channel, "Who was Ada Lovelace?")
        for at in range(3):
            await here.peer.says(here.ben, here.channel, f"{WRONG} {at}", reply_to=asked)
        await here.peer.says(here.other, here.channel, RIGHT, reply_to=asked)
        assert await shown(here) == []

    run(tmp_path, work)


def test_nothing_to_compare_with_is_no_news_and_said_once_to_who_manages(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        await here.watch()
        for at in range(3):
            await here.peer.says(here.other, here.channel, f"{WRONG} {at}")
        assert await shown(here) == []
        (hint,) = here.peer.said(here.peer.dm(here.guild.owner))
        assert "nothing to compare a reply with" in hint.text
        assert "--" not in hint.text
        assert here.desk.quotas.use_of("all").checks == 0

    run(tmp_path, work)


def test_no_option_of_a_command_line_is_named(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        message = await here.peer.says(here.ben, here.channel, WRONG)
        use = await here.peer.uses_menu(here.ben, message, "Check facts")
        await here.peer.until(lambda: "checked" in use.text, "the card")
        assert "nothing to compare with" in use.text
        assert "other answers to the same question" in use.text
        assert "--" not in use.text

    run(tmp_path, work)


# answers


@pytest.mark.slow
def test_a_long_answer_is_shown_to_its_end_and_its_code_as_it_is(tmp_path: Path) -> None:
    code = "```python\n@cache\ndef f(a): return [a](1)  # <@7> discord.gg/x\n```"
    notes = "".join(f"Ada Lovelace was born in 1815: {n}. " for n in range(240))
    answer = f"{code}\n\n{notes}This is the END."

    async def work() -> None:
        async with answering(tmp_path, Judge(answer=answer, samples=(answer,))) as (here, _):
            use = await here.peer.uses_command(here.ben, here.channel, "ask", question="Ada?")
            await here.peer.until(lambda: "the END" in _all(use), "all")
            assert code in _all(use)
            assert "This is the END." in _all(use)
            assert _all(use).count("was born in 1815") >= 240

    asyncio.run(work())


def _all(use: object) -> str:
    texts = [getattr(use, "text", ""), *(one.text for one in getattr(use, "followups", []))]
    return "\n".join(texts)


def test_paths_of_the_host_are_shown_to_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work(here: Scene) -> None:
        place = "/srv/owner/hidden/bots.db"

        def broken(*_: object, **__: object) -> None:
            raise StateError(f"cannot use the file of bots {place}: the disk is full")

        monkeypatch.setattr(here.desk.memory, "quotings", broken)
        use = await here.peer.uses_command(here.ben, here.channel, "privacy")
        await here.peer.until(lambda: "did not work" in use.text, "the refusal")
        assert "/srv" not in use.text
        assert "its log" in use.text

        def faulty(*_: object, **__: object) -> None:
            raise RuntimeError(place)

        monkeypatch.setattr(here.desk.memory, "quotings", faulty)
        use = await here.peer.uses_command(here.ben, here.channel, "privacy")
        await here.peer.until(lambda: "did not work" in use.text, "the refusal")
        assert "/srv" not in use.text
        assert "fault of halubot's own" not in use.text

    run(tmp_path, work)


def test_what_takes_longer_than_discord_waits_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(actions, "LONGEST_SECONDS", 0.2)

    async def work(here: Scene) -> None:
        async def forever(*_: object, **__: object) -> None:
            await asyncio.Event().wait()

        monkeypatch.setattr(here.client.desk.checks, "check", forever)
        use = await here.peer.uses_command(here.ben, here.channel, "check", text=WRONG)
        await here.peer.until(lambda: "took too long" in use.text, "that it is given up")
        await here.peer.until(lambda: not here.client.asking, "that nobody waits")

    run(tmp_path, work)


# stops and starts


def _bot(peer: Peer, desk: Desk) -> HalubotClient:
    return HalubotClient(
        desk, settled=0.0, pace=0.01, connector=peer.connector(), guild_ready_timeout=0.05
    )


def test_who_waited_when_it_was_killed_is_told_and_commands_are_sent_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        memory, checks = Memory.open(tmp_path), Checks(1, store=tmp_path / "store")
        desk = Desk.opened(OwnerLimits(), memory, checks)
        async with Peer.open() as peer:
            guild = peer.guild("server", channels=("general",))
            ben = peer.member(guild, "Ben")
            first = _bot(peer, desk)
            async with peer.running(first):
                gate = asyncio.Event()

                async def killed(*_: object, **__: object) -> None:
                    await gate.wait()

                monkeypatch.setattr(checks, "check", killed)
                use = await peer.uses_command(ben, guild.channel("general"), "check", text=WRONG)
                await peer.until(lambda: _waiting(memory), "that it is noted")
            desk = Desk.opened(OwnerLimits(), memory, checks)
            async with peer.running(_bot(peer, desk)):
                await peer.until(lambda: "broken off" in use.text, "that they are told")
            await peer.until(lambda: not _waiting(memory), "that nobody waits any more")
            sent = [one for one in peer.requests if one.path.endswith("/commands")]
            assert [one.method for one in sent] == ["PUT"]
        await asyncio.to_thread(checks.close)
        memory.close()

    asyncio.run(work())


def _waiting(memory: Memory) -> bool:
    with memory.base.read() as reading:
        return bool(reading.execute("SELECT 1 FROM waiting").fetchone())


def test_what_was_written_while_it_was_down_is_annotated_once(tmp_path: Path) -> None:
    async def work() -> None:
        memory, checks = Memory.open(tmp_path), Checks(1, store=tmp_path / "store")
        async with Peer.open() as peer:
            guild = peer.guild("server", channels=("general",))
            channel, other = guild.channel("general"), peer.member(guild, peer.user("O", bot=True))
            watched = {"on": True, "channels": [channel.id], "authors": [other.id]}
            desk = Desk.opened(OwnerLimits(), memory, checks)
            await desk.set(guild.id, ServerSettings.model_validate(watched))
            async with peer.running(_bot(peer, desk)):
                await peer.says(other, channel, WRONG, files=FILES)
                await peer.until(lambda: memory.in_work() == () and peer.said(channel), "the first")
            for at in range(3):
                await peer.says(other, channel, f"{WRONG} {at}", files=FILES)
            again = _bot(peer, desk)
            async with peer.running(again):
                await peer.until(lambda: len(peer.said(channel)) == 4, "all of them")
                await peer.until(lambda: not again.annotator.busy, "the end of the work")
                assert len(peer.said(channel)) == 4
        await asyncio.to_thread(checks.close)
        memory.close()

    asyncio.run(work())


def test_work_begins_when_all_have_their_first_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        signs = live_answer.FirstSigns()
        await signs.given()  # nobody waits for one
        with signs.owe():
            with signs.owe():
                begun = asyncio.create_task(signs.given())
                await asyncio.sleep(0)
            await asyncio.sleep(0)
            assert not begun.done()
        await begun
        monkeypatch.setattr(live_answer, "PATIENCE_SECONDS", 0.01)
        with signs.owe():
            await signs.given()  # not for ever, though one is still owed

    asyncio.run(work())
