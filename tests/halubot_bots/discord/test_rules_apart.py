"""What owners and managers rule, and what Discord itself refuses, for the bot as it is installed: a
process of its own over several servers, with Discord's clock and its 3 s running."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.discord_peer import Channel, Guild, Interaction, Peer, User
from tests.halubot_bots.discord.apart import apart, set_server
from tests.halubot_bots.discord.scene import RIGHT, WRONG, has_card

pytestmark = pytest.mark.slow

FILES = {"ada.txt": RIGHT.encode()}
OTHERS = f"{RIGHT}\n---\n{RIGHT} Indeed."
BLOCKED, TOO_SOON = 200000, 20016
"""What Discord answers where AutoMod, and where slow mode keeps a message off."""


def _ended(use: Interaction) -> bool:
    return bool(use.text) and "Checking" not in use.text


async def said(
    peer: Peer, user: User, place: Channel, *words: str, name: str = "check", **options: Any
) -> Interaction:
    """A command, once its answer says one of these words."""
    options = options or {"text": WRONG, "others": OTHERS}
    use = await peer.uses_command(user, place, name, **options)
    await peer.until(lambda: _ended(use), f"the answer: {words}")
    assert any(one in use.text for one in words), use.text
    return use


def test_roles_pauses_and_the_owners_policy_hold(tmp_path: Path) -> None:
    """Who may ask, how often and where: in each server by its own settings."""

    async def work() -> None:
        async with Peer.open(running_clock=True) as peer:
            ruled, quick, other = (peer.guild(name) for name in ("ruled", "quick", "other"))
            ben = peer.member(ruled, "Ben")
            cara = peer.member(ruled, "Cara", "add_reactions")
            role = ruled.roles[-1]
            for guild in (quick, other):
                peer.member(guild, ben)
            dora = peer.user("Dora", installed=True)
            elsewhere = peer.guild("elsewhere", with_bot=False)
            peer.member(elsewhere, dora)
            set_server(tmp_path, ruled, checkers=[role.id], correctors=[role.id + 1])
            set_server(tmp_path, quick, cooldown=3600)
            served = [ruled.id, quick.id, elsewhere.id]
            owner: dict[str, Any] = {"servers": served, "direct": False, "installs": False}
            async with apart(peer, tmp_path, **owner):
                here = ruled.channel("general")
                await said(peer, ben, here, "Only some roles")
                message = await peer.says(ben, here, WRONG)
                use = await peer.uses_menu(ben, message, "Check facts")
                await peer.until(lambda: "Only some roles" in use.text, "the refusal by menu")
                await said(peer, cara, here, "contradicted")
                again = {"name": "correct", "text": WRONG, "others": OTHERS}
                await said(peer, cara, here, "Only some roles", **again)
                await said(peer, ruled.owner, here, "contradicted")  # who manages the server
                ruled.members[ben.id].roles.append(role)
                await said(peer, ben, here, "contradicted")
                ruled.members[ben.id].roles.remove(role)
                await said(peer, ben, here, "Only some roles")

                there = quick.channel("general")
                for _ in range(10):
                    await said(peer, ben, there, "contradicted")
                await said(peer, ben, there, "a little quick")
                await said(peer, quick.owner, there, "contradicted")

                await said(peer, ben, other.channel("general"), "this server")
                await peer.says(ben, peer.dm(ben), "hello")
                await said(peer, ben, peer.dm(ben), "checks in direct messages")
                place = elsewhere.channel("general")
                await said(peer, dora, place, "installed it only for themselves")
            assert not peer.refused, peer.refused

    asyncio.run(work())


def test_automod_and_slow_mode_are_met(tmp_path: Path) -> None:
    """What AutoMod blocks comes without quotes, or not at all; what cannot be sent is told to the
    owner of the server once."""

    async def work() -> None:
        async with Peer.open(running_clock=True) as peer:
            names = ("quotes", "words", "slow")
            quotes, words, slow = (peer.guild(name) for name in names)
            first = peer.user("First", bot=True)
            for guild in (quotes, words, slow):
                peer.member(guild, first)
                place = guild.channel("general")
                watched = {"channels": [place.id], "authors": [first.id], "settled": 1}
                set_server(tmp_path, guild, on=True, **watched)
            quotes.blocked.add("1816")
            words.blocked.add("consensus")  # a word of the small print
            slow.channel("general").slow = 3600
            async with apart(peer, tmp_path):
                for at in range(2):
                    for guild in (quotes, words, slow):
                        place = guild.channel("general")
                        await peer.says(first, place, f"{WRONG} {at}", files=FILES)
                await peer.until(partial(_said, peer, quotes, 2), "the cards without quotes")
                assert not any("1816" in one.text for one in peer.said(quotes.channel("general")))
                ben = peer.member(quotes, "Ben")
                card = peer.said(quotes.channel("general"))[0]
                seen = await peer.clicks(ben, card, "All facts")
                assert "1816" in seen.text  # AutoMod does not look at what one person sees
                await peer.until(lambda: peer.said(peer.dm(words.owner)), "the owner is told")
                await peer.until(lambda: peer.said(peer.dm(slow.owner)), "the owner is told")
            assert not peer.said(words.channel("general"))
            assert len(peer.said(slow.channel("general"))) == 1
            for guild, reason in ((words, "AutoMod"), (slow, "Slow mode")):
                (told,) = peer.said(peer.dm(guild.owner))
                assert reason in told.text
            assert not peer.said(peer.dm(quotes.owner))
            assert {one.code for one in peer.refused} <= {BLOCKED, TOO_SOON}

    asyncio.run(work())


def _said(peer: Peer, guild: Guild, count: int) -> bool:
    return len(peer.said(guild.channel("general"))) == count


@pytest.mark.faults
def test_two_shards_in_one_process(tmp_path: Path) -> None:
    """Discord has five seconds between the beginnings of two shards."""

    async def work() -> None:
        async with Peer.open(running_clock=True) as peer:
            peer.gateway.shards = 2
            ben, first = peer.user("Ben"), peer.user("First", bot=True)
            guilds: dict[int, Guild] = {}
            while len(guilds) < 2:
                guild = peer.guild(f"server {len(peer.world.guilds)}")
                guilds.setdefault(guild.id >> 22 & 1, guild)
            for guild in guilds.values():
                peer.member(guild, ben)
                peer.member(guild, first)
                place = guild.channel("general")
                watched = {"channels": [place.id], "authors": [first.id], "settled": 1}
                set_server(tmp_path, guild, on=True, **watched)
            async with apart(peer, tmp_path):
                await peer.until(lambda: len(peer.gateway.connected) == 2, "both shards")
                for guild in guilds.values():
                    place = guild.channel("general")
                    await peer.says(first, place, WRONG, files=FILES)
                    use = await said(peer, ben, place, "contradicted")
                    assert has_card(use)
                    await peer.until(partial(peer.said, place), "the annotation")
            assert not peer.refused, peer.refused

    asyncio.run(work())
