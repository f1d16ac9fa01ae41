"""Several shards, as Discord recommends them: each server's events come through its own."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from halubot_bots.settings import ServerSettings
from tests.halubot_bots.discord.scene import RIGHT, WRONG, Scene, has_card, scene

if TYPE_CHECKING:
    import pytest

FILES = {"ada.txt": RIGHT.encode()}
SHARDS = 2


def test_servers_of_both_shards_have_commands_and_annotations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def at_once(self: object, shard: int | None, *, initial: bool) -> None:
        """Instead of five seconds between shards: the loopback takes them as they come."""

    monkeypatch.setattr("halubot_bots.discord.bot.HalubotClient.before_identify_hook", at_once)

    async def sharded(here: Scene) -> None:
        here.peer.gateway.shards = SHARDS
        number = 0
        while {guild.id >> 22 & 1 for guild in here.peer.world.guilds.values()} != {0, 1}:
            here.peer.member(here.peer.guild(f"server {number}"), here.ben)
            number += 1

    async def work() -> None:
        async with scene(tmp_path, before=sharded) as here:
            assert here.client.shard_count == SHARDS
            assert len(here.peer.gateway.connected) == SHARDS
            of_shard = {(one.id >> 22) % SHARDS: one for one in here.peer.world.guilds.values()}
            for shard, guild in of_shard.items():
                found = here.client.get_guild(guild.id)
                assert found is not None
                assert found.shard_id == shard
                channel = guild.channel("general")
                author = here.peer.member(guild, here.peer.user(f"bot {shard}", bot=True))
                watched = {"on": True, "channels": [channel.id], "authors": [author.id]}
                await here.desk.set(guild.id, ServerSettings.model_validate(watched))
                await here.peer.says(author, channel, WRONG, files=FILES)
                await here.peer.until(lambda: here.peer.said(channel), "the card")  # noqa: B023
                (card,) = here.peer.said(channel)
                assert "1815" in card.text
                use = await here.peer.uses_command(
                    here.ben, channel, "check", text=WRONG, others=RIGHT
                )
                await here.peer.until(lambda: has_card(use), "the report")  # noqa: B023

    asyncio.run(work())
