"""What owners and members of a public server expect, of the bot as it is installed: a process of
its own, on a loopback Discord whose clock and 3 s run."""

from __future__ import annotations

import asyncio
import re
import threading
from functools import partial
from pathlib import Path

import pytest
from aiohttp import ClientSession

from tests.discord_peer import Guild, Interaction, NotShown, Peer, kinds
from tests.halubot_bots.discord.apart import Apart, apart, member, run_apart, set_watch, waited
from tests.halubot_bots.discord.scene import RIGHT, WRONG, has_card
from tests.halubot_bots.discord.test_public import LINK, PREVIEW
from tests.judge import Judge
from tests.loopback import Body, Reply, loopback

pytestmark = [pytest.mark.slow, pytest.mark.faults]

FIRST_SIGN = 3.0
"""Seconds that Discord waits for a first answer."""

MODEL = "openai/gpt-4o-mini"
FILES = {"ada.txt": RIGHT.encode()}
OTHERS = f"{RIGHT}\n---\n{RIGHT} Indeed."
REFUSED = 78
"""The exit status after which no service begins it again."""


def _says(use: Interaction, *words: str) -> bool:
    return all(one in use.text for one in words)


def test_previews_that_come_later_are_nobodys_words(tmp_path: Path) -> None:
    async def work(peer: Peer, guild: Guild, bot: Apart) -> None:
        place = guild.channel("answers")
        text = f"{WRONG} {LINK}"
        message = await peer.says(member(guild, "First"), place, text, files=FILES)
        await peer.unfurls(message, PREVIEW)
        await peer.until(lambda: peer.said(place), "the annotation")
        (card,) = peer.said(place)
        await peer.unfurls(message, PREVIEW)
        use = await peer.uses_menu(peer.member(guild, "Ben"), message, "Check facts")
        await peer.until(lambda: has_card(use), "the report")
        assert use.response is not None
        seen = await peer.clicks(use.user, use.response, "All facts")
        assert "1816" in seen.text
        assert "1700" not in seen.text + card.text
        assert len(card.versions) == 1

    run_apart(tmp_path, work, watched=True)


def test_privacy_names_who_receives_texts_in_this_channel(tmp_path: Path) -> None:
    async def work(peer: Peer, guild: Guild, bot: Apart) -> None:
        place, ada = guild.channel("general"), guild.owner
        use = await peer.uses_command(ada, place, "privacy")
        await peer.until(lambda: "go to" in use.text, "what it says")
        assert "mini, the model that draws other answers" in use.text
        assert "127.0.0.1:9" in use.text
        assert "qwen3" in use.text
        assert "wikipedia" not in use.text
        opened = await peer.uses_command(ada, place, "settings")
        panel = opened.response
        assert panel is not None
        await peer.clicks(ada, panel, "Checks")
        await peer.selects(ada, panel, "halubot-settings:scope:0", place)
        form = await peer.clicks(ada, panel, "Change…")
        await peer.fills(form, knowledge="0")
        here = await peer.uses_command(ada, place, "privacy")
        await peer.until(partial(_says, here, "wikipedia.org"), "the base of this channel")
        there = await peer.uses_command(ada, guild.channel("answers"), "privacy")
        await peer.until(partial(_says, there, "go to"), "what it says of the other channel")
        assert "wikipedia" not in there.text

    run_apart(
        tmp_path,
        work,
        models=[MODEL],
        judge_model="ollama_chat/qwen3",
        api_base="http://127.0.0.1:9",
        knowledge=["wikipedia"],
    )


@pytest.mark.parametrize("refused", ["intent", "token"])
def test_what_discord_refuses_ends_it_for_good(tmp_path: Path, refused: str) -> None:
    async def work() -> None:
        async with Peer.open(running_clock=True) as peer:
            if refused == "intent":
                peer.grants()
            bot = Apart(peer, tmp_path, {})
            await bot.start(ready=False)
            if refused == "token":
                peer.token = "one.that.its-owner-reset-meanwhile"  # noqa: S105
            assert await bot.ended() == REFUSED
            assert "Bot" in bot.log()
            assert peer.gateway.identified <= 1

    asyncio.run(work())


def test_commands_are_sent_once_and_sessions_are_spared(tmp_path: Path) -> None:
    async def work() -> None:
        async with Peer.open(running_clock=True) as peer:
            peer.guild("server")
            async with apart(peer, tmp_path) as bot:
                for _ in range(2):
                    await bot.kill()
                    await bot.start()
            sent = [one for one in peer.requests if one.path.endswith("/commands")]
            assert [one.method for one in sent] == ["PUT"]
            peer.gateway.session_starts |= {"remaining": 2, "reset_after": 3_600_000}
            before = peer.gateway.identified
            late = Apart(peer, tmp_path, {})
            await late.start(ready=False)
            await peer.until(lambda: "more sessions" in late.log(), "that it waits")
            assert peer.gateway.identified == before
            await late.stop()

    asyncio.run(work())


def test_a_long_answer_is_shown_to_its_end(tmp_path: Path) -> None:
    code = "```python\n@cache\ndef f(a): return [a](1)  # <@7> discord.gg/x\n```"
    notes = "".join(f"Ada Lovelace was born in 1815: {n}. " for n in range(240))
    answer = f"{code}\n\n{notes}This is the END."
    judge = Judge(answer=answer, samples=(answer,))
    with loopback() as model:
        model.answer(judge.reply)

        async def work(peer: Peer, guild: Guild, bot: Apart) -> None:
            ben = peer.member(guild, "Ben")
            use = await peer.uses_command(ben, guild.channel("general"), "ask", question="Ada?")
            assert waited(use) < FIRST_SIGN
            await peer.until(partial(_says, use, "This is the END."), "the end of it")
            assert code in use.text

        run_apart(tmp_path, work, models=[MODEL], api_base=model.url)


def test_of_many_replies_at_once_none_is_lost(tmp_path: Path) -> None:
    async def work(peer: Peer, guild: Guild, bot: Apart) -> None:
        place, first = guild.channel("answers"), member(guild, "First")
        for at in range(12):
            await peer.says(first, place, f"{WRONG} {at}.", files=FILES)
        await peer.until(lambda: len(peer.said(place)) == 12, "all of them")

    run_apart(tmp_path, work, watched=True, per_minute=600)


def test_who_waits_sees_their_place_and_too_many_are_refused(tmp_path: Path) -> None:
    going_on = threading.Event()
    judge = Judge(answer=RIGHT, samples=(RIGHT,))

    def reply(body: Body) -> Reply:
        going_on.wait(60)
        return judge.reply(body)

    with loopback() as model:
        model.answer(reply)

        async def work(peer: Peer, guild: Guild, bot: Apart) -> None:
            place, ben = guild.channel("general"), peer.member(guild, "Ben")
            uses = [
                await peer.uses_command(
                    ben, place, "check", text=f"{WRONG} {at}", question="Who was Ada?"
                )
                for at in range(4)
            ]
            await peer.until(lambda: any("2 ahead of you" in one.text for one in uses), "a place")
            assert any(re.search(r"about \d+ s", one.text) for one in uses)
            fifth = await peer.uses_command(ben, place, "check", text=WRONG)
            await peer.until(lambda: "waiting for 4 answers" in fifth.text, "the refusal")
            status = await peer.uses_command(ben, place, "status")
            await peer.until(partial(_says, status, "3 waiting"), "how busy it is")
            going_on.set()
            for use in uses:
                await peer.until(partial(has_card, use), "its card")

        run_apart(tmp_path, work, models=[MODEL], api_base=model.url, at_once=1)


def test_of_many_who_ask_at_once_each_has_a_sign_in_time(tmp_path: Path) -> None:
    async def work(peer: Peer, guild: Guild, bot: Apart) -> None:
        place = guild.channel("general")
        people = [peer.member(guild, f"Ben {at}") for at in range(40)]
        uses = await asyncio.gather(
            *(
                peer.uses_command(one, place, "check", text=f"{WRONG} {at}", others=OTHERS)
                for at, one in enumerate(people)
            )
        )
        assert all(waited(one) < FIRST_SIGN for one in uses)
        for use in uses:
            await peer.until(partial(has_card, use), "its card")

    run_apart(tmp_path, work)


def test_what_a_panel_sets_holds_after_a_restart_and_is_written_down(tmp_path: Path) -> None:
    async def work(peer: Peer, guild: Guild, bot: Apart) -> None:
        place, ada = guild.channel("general"), guild.owner
        opened = await peer.uses_command(ada, place, "settings")
        panel = opened.response
        assert panel is not None
        await peer.clicks(ada, panel, "Limits")
        form = await peer.clicks(ada, panel, "Quota: each user…")
        await peer.fills(form, quota_checks="1")
        await bot.kill()
        await bot.start()
        await peer.clicks(ada, panel, "Changes")  # the panel itself works on
        assert f"<@{ada.id}>" in panel.text
        assert "quota of each user" in panel.text
        ben = peer.member(guild, "Ben")
        for words in ("doubtful", "quota of 1 check a day is used up"):
            use = await peer.uses_command(ben, place, "check", text=WRONG, others=RIGHT)
            await peer.until(partial(_says, use, words), words)
        usage = await peer.uses_command(ben, place, "usage")
        await peer.until(partial(_says, usage, "left: 0 of 1 check"), "what is left")
        with pytest.raises(NotShown):
            await peer.uses_command(ben, place, "settings")

    run_apart(tmp_path, work)


def test_its_health_page_and_its_log_tell_how_it_is(tmp_path: Path) -> None:
    async def work(peer: Peer, guild: Guild, bot: Apart) -> None:
        found = re.search(r"its health is told at port (\d+)", bot.log())
        assert found is not None, bot.log()
        page = f"http://127.0.0.1:{found[1]}"
        ben = peer.member(guild, "Ben")
        use = await peer.uses_command(
            ben, guild.channel("general"), "check", text=WRONG, others=OTHERS
        )
        await peer.until(partial(has_card, use), "the card")
        async with ClientSession() as client:

            async def well() -> bool:
                """It is so when its first heartbeat was answered."""
                async with client.get(f"{page}/healthz") as answer:
                    told = await answer.json()
                    assert told["servers"] == 1
                    return answer.status == 200

            async with asyncio.timeout(60):
                while not await well():
                    await asyncio.wait([peer.service.next_change()], timeout=0.1)
            async with client.get(f"{page}/metrics") as answer:
                told = await answer.text()
        assert 'halubot_bot_checks_total{cause="command",outcome="finished"} 1' in told
        assert "Lovelace" not in told + bot.log()

    run_apart(tmp_path, work, health="127.0.0.1:0")


def test_it_speaks_the_language_of_who_asks(tmp_path: Path) -> None:
    async def work(peer: Peer, guild: Guild, bot: Apart) -> None:
        place, ben = guild.channel("general"), peer.member(guild, "Ben")
        for locale, words in (("de", "Widerspruch"), ("fr", "contradicted")):
            ben.locale = locale
            use = await peer.uses_command(ben, place, "check", text=WRONG, others=OTHERS)
            await peer.until(partial(_says, use, words), words)

    run_apart(tmp_path, work)


def test_channels_of_every_kind_are_annotated(tmp_path: Path) -> None:
    async def work() -> None:
        async with Peer.open(running_clock=True) as peer:
            guild = peer.guild("server", channels=("general",))
            first = peer.member(guild, peer.user("First", bot=True))
            news = peer.channel(guild, "news", kinds.ANNOUNCEMENT)
            voice = peer.channel(guild, "voice", kinds.VOICE)
            forum = peer.channel(guild, "forum", kinds.FORUM)
            quiet = guild.channel("general")
            places = [news, voice, forum, quiet]
            set_watch(tmp_path, guild, [one.id for one in places], [first.id])
            async with apart(peer, tmp_path):
                post = await peer.opens_thread(guild.owner, forum, "Who was Ada?")
                thread = await peer.opens_thread(guild.owner, quiet, "quiet", private=True)
                await peer.lets_in(peer.bot, thread)
                for place in (news, voice, post, thread):
                    await peer.says(first, place, WRONG, files=FILES)
                for place in (news, voice, post, thread):
                    await peer.until(partial(peer.said, place), f"that in {place.name}")
                    assert "1815" in peer.said(place)[0].text
                # What AutoMod blocks comes without a word of the message.
                guild.blocked.add("1816")
                await peer.says(first, quiet, WRONG, files=FILES)
                await peer.until(partial(peer.said, quiet), "the annotation without quotes")
                assert "1816" not in peer.said(quiet)[0].text
            # The post here has no first message of its own, which a real one has.
            assert {one.code for one in peer.refused} <= {200000, 10008}

    asyncio.run(work())
