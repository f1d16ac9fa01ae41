"""The bot in a process of its own, with Discord's clock and its 3 s running."""

from __future__ import annotations

from pathlib import Path

import pytest

from halubot_bots.process import Alone
from tests.discord_peer import Guild, Peer
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
