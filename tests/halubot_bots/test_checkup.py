"""`halubot discord --check`, over the loopback Discord."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import discord
import pytest

from halubot_bots.discord.checkup import PERMISSIONS, Checkup, check_up
from halubot_bots.settings import OwnerLimits
from tests.discord_peer import Peer


def looked(
    *,
    granted: Sequence[str] = ("message_content",),
    lacks: int = 0,
    servers: int = 1,
    token: str = "",
    **owner: Any,
) -> Checkup:
    """What is found in servers whose everybody-role lacks some permissions."""

    async def work() -> Checkup:
        async with Peer.open() as peer:
            peer.grants(*granted)
            for at in range(servers):
                guild = peer.guild(f"server {at}")
                allowed = guild.everyone.permissions | PERMISSIONS.value
                guild.everyone.permissions = allowed & ~lacks
            limits = OwnerLimits.model_validate(owner)
            found = await check_up(token or peer.token, limits, connector=peer.connector())
            assert peer.commands == []
            return found

    return asyncio.run(work())


@pytest.mark.parametrize(
    ("given", "well", "line"),
    [
        ({}, True, "ok       server"),
        ({"granted": ()}, False, "missing  message content intent"),
        ({"granted": (), "reads_content": False}, True, "not needed"),
        ({"lacks": discord.Permissions(send_messages=True).value}, False, "Send Messages"),
        ({"servers": 0}, True, "to do    servers: none yet"),
        ({"models": ["m"]}, False, "your models pay"),
    ],
)
def test_what_is_found(given: dict[str, Any], well: bool, line: str) -> None:
    found = looked(**given)
    assert found.well is well
    assert any(line in one for one in found.lines)
    assert f"permissions={PERMISSIONS.value}" in found.invite


def test_a_wrong_token() -> None:
    with pytest.raises(discord.LoginFailure):
        looked(token="another.token.altogether")  # noqa: S106
