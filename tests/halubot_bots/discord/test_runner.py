"""`halubot discord --check`, over the loopback Discord."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import discord
import pytest

from halubot_bots.discord.runner import PERMISSIONS, Checkup, check_up
from tests.discord_peer import Peer


def looked(
    *, granted: Sequence[str] = ("message_content",), lacks: int = 0, reads_content: bool = True
) -> Checkup:
    """What is found in a server whose everybody-role lacks some permissions."""

    async def work() -> Checkup:
        async with Peer.open() as peer:
            peer.grants(*granted)
            guild = peer.guild("server")
            guild.everyone.permissions = (guild.everyone.permissions | PERMISSIONS.value) & ~lacks
            found = await check_up(
                peer.token, reads_content=reads_content, connector=peer.connector()
            )
            assert peer.commands == []
            return found

    return asyncio.run(work())


def test_all_is_well() -> None:
    found = looked()
    assert found.well
    assert "token" in found.lines[0]
    assert found.lines[-1] == "servers: 1"
    assert f"permissions={PERMISSIONS.value}" in found.invite
    assert "applications.commands" in found.invite


def test_a_missing_intent_is_named_where_it_is_needed() -> None:
    assert not looked(granted=()).well
    assert "/bot" in looked(granted=()).lines[1]
    assert looked(granted=(), reads_content=False).well


def test_a_server_that_lacks_a_permission_is_named() -> None:
    found = looked(lacks=discord.Permissions(add_reactions=True).value)
    assert not found.well
    assert "lacks Add Reactions" in found.lines[-1]


def test_a_wrong_token() -> None:
    async def work() -> None:
        async with Peer.open() as peer:
            with pytest.raises(discord.LoginFailure):
                await check_up(
                    "another.token.altogether", reads_content=True, connector=peer.connector()
                )

    asyncio.run(work())


def test_who_is_in_no_server_yet_is_told_to_open_the_link() -> None:
    async def work() -> Checkup:
        async with Peer.open() as peer:
            return await check_up(peer.token, reads_content=True, connector=peer.connector())

    found = asyncio.run(work())
    assert found.well
    assert "open the link" in found.lines[-1]
