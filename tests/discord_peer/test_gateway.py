"""How a plain client comes to the gateway, loses it, and comes back."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE

import discord
import pytest

from tests.discord_peer import Peer
from tests.discord_peer.bare import Bare, run, scene


def test_a_wrong_token_is_refused() -> None:
    async def go() -> None:
        async with Peer.open() as peer:
            client = Bare(peer)
            with pytest.raises(discord.LoginFailure):
                async with peer.running(client, "another"):
                    pass
            assert peer.requests[-1].status == 401

    run(go)


def test_a_token_withdrawn_ends_the_client() -> None:
    async def go() -> None:
        async with scene() as here:
            here.peer.token = "another"  # noqa: S105
            await here.peer.disconnects()
            with pytest.raises(discord.ConnectionClosed) as closed:
                await here.peer.until(lambda: False, "the end")
            assert closed.value.code == 4004
            assert here.peer.gateway.closed == [4004]

    run(go)


def test_an_intent_that_is_not_switched_on_ends_the_client() -> None:
    async def go() -> None:
        async with Peer.open() as peer:
            peer.grants("members", "presences")
            with pytest.raises(discord.PrivilegedIntentsRequired):
                async with peer.running(Bare(peer)):
                    pass
            assert peer.gateway.closed == [4014]
            client = Bare(peer, discord.Intents.default())
            async with peer.running(client):
                about = await client.application_info()
                assert about.flags.gateway_guild_members_limited
                assert not about.flags.gateway_message_content_limited

    run(go)


@pytest.mark.parametrize("way", [1006, 4000, 1000, "asked", "resumable"])
def test_a_session_is_resumed_and_nothing_is_missed_or_told_twice(way: object) -> None:
    async def go() -> None:
        async with scene() as here:
            peer, session = here.peer, here.peer.gateway.connected[0]
            await peer.says(here.ada, here.channel, "before")
            await peer.heard()
            if way == "asked":
                await peer.asks_to_reconnect()
            elif way == "resumable":
                await peer.invalidates(resumable=True)
            else:
                assert isinstance(way, int)
                await peer.disconnects(way)
            for text in ("while", "away"):
                await peer.says(here.ada, here.channel, text)
            await peer.until(lambda: session.resumed == 1 and session.socket, "RESUME")
            await peer.says(here.ada, here.channel, "after")
            await peer.heard()
            await peer.until(lambda: len(here.client.read) >= 4)
            read = [one.content for one in here.client.read]
            assert read == ["before", "while", "away", "after"]
            assert peer.gateway.identified == 1
            assert "resumed" in here.client.heard

    run(go)


@pytest.mark.parametrize("way", ["invalidated", "not resumed"])
def test_a_lost_session_is_followed_by_a_new_one(way: str) -> None:
    async def go() -> None:
        async with scene() as here:
            peer = here.peer
            (old,) = peer.gateway.connected
            if way == "invalidated":
                await peer.invalidates()
            else:
                peer.gateway.refuse_resume = True
                await peer.disconnects()
            await peer.until(lambda: peer.gateway.connected not in ([], [old]), "a new session")
            await peer.says(here.ada, here.channel, "after")
            await peer.until(lambda: [one.content for one in here.client.read] == ["after"])
            assert peer.gateway.identified == 2
            assert here.client.get_channel(here.channel.id) is not None

    run(go)


def test_a_broken_frame_ends_the_client() -> None:
    async def go() -> None:
        async with scene() as here:
            await here.peer.sends_raw('{"op": 0, "t": "MESSAGE_CREATE", "s": 99, "d": {}}')
            with pytest.raises(KeyError):
                await here.peer.until(lambda: False, "the end")

    run(go)


def test_heartbeats_come_and_a_deaf_gateway_is_left() -> None:
    async def go() -> None:
        async with Peer.open() as peer:
            peer.gateway.interval = 0.05
            client = Bare(peer, heartbeat_timeout=5.0)
            async with peer.running(client):
                (session,) = peer.gateway.connected
                await peer.until(lambda: len(session.beats) > 3)
                assert 0 <= session.lateness(0.05) < 5
                assert client.latency < 5
                peer.gateway.deaf = True
                assert client.ws._keep_alive is not None
                client.ws._max_heartbeat_timeout = client.ws._keep_alive.heartbeat_timeout = 0.2
                await peer.until(lambda: session.resumed, "the client to come again")
                peer.gateway.deaf = False

    run(go)


def test_lateness_is_that_of_the_longest_gap() -> None:
    async def go() -> None:
        async with scene() as here:
            (session,) = here.peer.gateway.connected
            session.beats = [0.0, 1.0, 2.5, 3.0]
            assert session.lateness(1.0) == 0.5
            assert session.lateness(2.0) == 0.0

    run(go)


def test_shards_hear_of_their_own_servers() -> None:
    class Sharded(discord.AutoShardedClient):
        async def before_identify_hook(
            self, shard_id: int | None, *, initial: bool = False
        ) -> None:
            """Waits for nothing."""

        async def on_message(self, message: discord.Message) -> None:
            assert message.guild is not None
            read.append((message.content, message.guild.shard_id))

    read: list[tuple[str, int]] = []

    async def go() -> None:
        async with Peer.open() as peer:
            peer.gateway.shards = 2
            guilds = [peer.guild(name) for name in ("one", "two")]
            client = Sharded(intents=discord.Intents.all(), connector=peer.connector())
            async with peer.running(client):
                assert len(peer.gateway.connected) == 2
                for guild in guilds:
                    await peer.says(guild.owner, guild.channel("general"), guild.name)
                await peer.until(lambda: len(read) == 2)
                shards = {(guild.id >> 22) % 2 for guild in guilds}
                assert shards == {0, 1}
                assert {shard for _, shard in read} == shards

    run(go)


def test_too_few_shards_are_refused() -> None:
    async def go() -> None:
        async with Peer.open() as peer:
            peer.gateway.shards, peer.gateway.shards_required = 2, True
            with pytest.raises(discord.ConnectionClosed) as closed:
                async with peer.running(Bare(peer)):
                    pass
            assert closed.value.code == 4011

    run(go)


@pytest.mark.slow
def test_a_client_of_another_process_comes_and_is_killed() -> None:
    program = """
import asyncio, sys, discord
from tests.discord_peer.connecting import connector

async def main():
    pem = sys.stdin.buffer.read()
    loopback = connector(int(sys.argv[1]), pem)
    client = discord.Client(intents=discord.Intents.all(), connector=loopback)

    @client.event
    async def on_message(message):
        if message.author != client.user:
            await message.channel.send("heard")

    await client.start(sys.argv[2])

asyncio.run(main())
"""

    async def go() -> None:
        async with Peer.open() as peer:
            channel = peer.guild("server").channel("general")
            other = await asyncio.create_subprocess_exec(
                sys.executable, "-c", program, str(peer.port), peer.token, stdin=PIPE
            )
            assert other.stdin is not None
            other.stdin.write(peer.certificate)
            other.stdin.close()
            await peer.until(lambda: peer.gateway.connected, "the other process")
            await peer.says(peer.user("Ada"), channel, "hello")
            await peer.until(lambda: peer.said(channel))
            other.kill()
            await other.wait()
            await peer.until(lambda: not peer.gateway.connected)
            assert peer.gateway.sessions  # a killed client did not end its session

    run(go)


def test_what_was_said_is_forgotten_when_asked() -> None:
    async def go() -> None:
        async with scene() as here:
            await here.place.send("x")
            here.peer.forgets()
            assert (here.peer.messages(here.channel), here.peer.requests) == ([], [])
            await here.place.send("y")
            assert [one.text for one in here.peer.said(here.channel)] == ["y"]

    run(go)


def test_servers_come_and_go() -> None:
    async def go() -> None:
        async with scene() as here:
            new = here.peer.guild("new", with_bot=False)
            await here.peer.invites(new)
            await here.peer.until(lambda: here.client.get_guild(new.id))
            await here.peer.kicks(new)
            await here.peer.until(lambda: not here.client.get_guild(new.id))
            found = here.client.get_guild(here.guild.id)
            assert found is not None
            await found.leave()
            assert here.peer.bot.id not in here.guild.members

    run(go)


def test_members_are_asked_for() -> None:
    async def go() -> None:
        async with scene(intents=discord.Intents.default()) as here:
            guild = here.client.get_guild(here.guild.id)
            assert guild is not None
            assert [one.name for one in guild.members] == ["halubot"]
            found = await guild.query_members("ad")
            assert [one.name for one in found] == ["Ada"]
            assert (await guild.fetch_member(here.ada.id)).name == "Ada"

    run(go)
