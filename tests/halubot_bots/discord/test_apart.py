"""The bot in a process of its own, with Discord's clock and its 3 s running."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from halubot_bots.process import Alone
from halubot_bots.settings import ServerSettings
from halubot_bots.shards import Shards, SharedMemory
from tests.discord_peer import Guild, Peer, User
from tests.halubot_bots.discord.apart import Apart, member, run_apart, waited
from tests.halubot_bots.discord.scene import RIGHT, WRONG
from tests.halubot_bots.discord.test_attacks import slow_pdf

pytestmark = [pytest.mark.slow, pytest.mark.faults]

FIRST_SIGN = 3.0
"""Seconds that Discord waits for a first answer."""


def test_killed_in_the_middle_it_annotates_each_reply_once(tmp_path: Path) -> None:
    async def work(peer: Peer, guild: Guild, bot: Apart) -> None:
        place = guild.channel("answers")
        first, second = member(guild, "First"), member(guild, "Second")
        ben = peer.member(guild, "Ben")
        for at in range(4):
            asked = await peer.says(ben, place, f"Who was Ada Lovelace, {at}?")
            await peer.says(first, place, f"{WRONG} {at}.", reply_to=asked)
            await peer.says(second, place, f"{RIGHT} {at}.", reply_to=asked)
            if at == 1:
                await bot.kill()
        await bot.start()
        await peer.until(lambda: len(peer.said(place)) == 4, "all annotations")
        await bot.kill()
        await bot.start()
        late = await peer.says(first, place, f"{WRONG} At last.", reply_to=asked)
        await peer.until(lambda: peer.said(place)[-1].reply_to is late, "the last one")
        assert len(peer.said(place)) == 5

    run_apart(tmp_path, work, watched=True)


def test_who_waits_when_it_is_killed_is_told(tmp_path: Path) -> None:
    async def work(peer: Peer, guild: Guild, bot: Apart) -> None:
        place, ben = guild.channel("general"), peer.member(guild, "Ben")
        use = await peer.uses_command(
            ben, place, "check", text=WRONG, reference=("slow.pdf", slow_pdf())
        )
        assert waited(use) < FIRST_SIGN
        await bot.kill()
        await bot.start()
        await peer.until(lambda: "broken off" in use.text, "that they are told", 20)

    run_apart(tmp_path, work)


def test_a_second_process_is_refused(tmp_path: Path) -> None:
    async def work(peer: Peer, guild: Guild, bot: Apart) -> None:
        second = Apart(peer, tmp_path, {})
        await second.start(ready=False)
        assert await second.ended() != 0
        assert "another halubot bot runs with the folder" in second.log()
        use = await peer.uses_command(peer.member(guild, "Ben"), guild.channel("general"), "help")
        assert use.text

    run_apart(tmp_path, work)
    with Alone(tmp_path):
        """It is free again."""


async def ask(peer: Peer, guild: Guild, author: User) -> None:
    """A question, which the watched author answers wrongly and another one rightly."""
    place, ben = guild.channel("answers"), peer.member(guild, "Ben")
    asked = await peer.says(ben, place, "Who was Ada Lovelace?")
    other = peer.member(guild, peer.user("Other", bot=True))
    await peer.says(author, place, WRONG, reply_to=asked)
    await peer.says(other, place, RIGHT, reply_to=asked)


def in_work(memory: SharedMemory) -> int:
    with memory.base.read() as reading:
        count: int = reading.execute("SELECT count(*) FROM work").fetchone()[0]
    return count


def test_two_processes_run_the_shards_over_one_ledger(tmp_path: Path, ledger: str) -> None:
    """One is killed amid its work: the other goes on, and its successor finishes."""
    psycopg: Any = pytest.importorskip("psycopg")
    folders = [tmp_path / "low", tmp_path / "high"]
    for folder in folders:
        folder.mkdir()

    async def whole() -> None:
        async with Peer.open(running_clock=True) as peer:
            peer.gateway.shards = 2
            number = 0
            while {guild.id >> 22 & 1 for guild in peer.world.guilds.values()} != {0, 1}:
                peer.guild(f"server {number}", channels=("answers",))
                number += 1
            guilds = {guild.id >> 22 & 1: guild for guild in peer.world.guilds.values()}
            low, high = (
                Apart(peer, folder, {"ledger": ledger}, f"{shard}/2")
                for shard, folder in enumerate(folders)
            )
            memory = SharedMemory(ledger, Shards(0, 1, 2), tmp_path)
            authors = {}
            for shard, guild in guilds.items():
                place = guild.channel("answers")
                authors[shard] = peer.member(guild, peer.user(f"Bot {shard}", bot=True))
                settings = {"on": True, "channels": [place.id], "authors": [authors[shard].id]}
                memory.set_server(guild.id, ServerSettings.model_validate(settings))
                memory.watch_from(place.id, guild.id, 1)
            try:
                await low.start()
                await high.start()

                for shard, guild in guilds.items():
                    await ask(peer, guild, authors[shard])
                await peer.until(lambda: in_work(memory) == 2, "that both begin")
                await low.kill()
                with psycopg.connect(ledger) as connection:  # half a minute later
                    connection.execute(
                        "UPDATE halubot_bots.process SET beat = beat - interval '31 seconds'"
                        " WHERE first = 0"
                    )
                await peer.until(lambda: peer.said(guilds[1].channel("answers")), "the other's")
                assert not peer.said(guilds[0].channel("answers"))
                second = Apart(peer, tmp_path, {"ledger": ledger}, "1/2")
                await second.start(ready=False)
                assert await second.ended() != 0
                assert "another process runs the shards 1-1/2" in second.log()
                await low.start()
                await peer.until(lambda: peer.said(guilds[0].channel("answers")), "its own")
            finally:
                await low.stop()
                await high.stop()
                memory.close()
            for guild in guilds.values():
                assert len(peer.said(guild.channel("answers"))) == 1

    asyncio.run(whole())
