"""Channels of other kinds, and what servers refuse by AutoMod and slow mode."""

from __future__ import annotations

import asyncio

import discord
import pytest

from tests.discord_peer import Peer, kinds
from tests.discord_peer.bare import Bare, refused, run, scene


def test_channels_of_every_kind_are_told_as_what_they_are() -> None:
    async def go() -> None:
        async with Peer.open() as peer:
            guild = peer.guild("server")
            ada = peer.member(guild, "Ada")
            made = {
                peer.channel(guild, "news", kinds.ANNOUNCEMENT): discord.TextChannel,
                peer.channel(guild, "talk", kinds.VOICE): discord.VoiceChannel,
                peer.channel(guild, "forum", kinds.FORUM): discord.ForumChannel,
            }
            client = Bare(peer)
            async with peer.running(client):
                for channel, kind in made.items():
                    found = client.get_channel(channel.id)
                    assert isinstance(found, kind)
                    if kind is not discord.ForumChannel:
                        await client.place(channel).send("hello")
                        assert [one.text for one in peer.said(channel)] == ["hello"]
                forum = guild.channel("forum")
                with pytest.raises(discord.HTTPException, match="50008"):
                    await client.place(forum).send("hello")
                post = await peer.opens_thread(ada, forum, "a question")
                thread = await peer.opens_thread(ada, guild.channel("news"), "more")
                await peer.heard()
                assert post.kind == kinds.PUBLIC_THREAD
                assert thread.kind == kinds.ANNOUNCEMENT_THREAD
                for one in (post, thread):
                    assert isinstance(client.get_channel(one.id), discord.Thread)
                voice = client.get_channel(guild.channel("talk").id)
                assert isinstance(voice, discord.VoiceChannel)
                with pytest.raises(discord.HTTPException):
                    await client.http.start_thread_without_message(
                        voice.id, name="x", type=11, auto_archive_duration=60, reason=None
                    )

    run(go)


def test_a_private_thread_is_known_to_those_in_it() -> None:
    async def go() -> None:
        async with scene() as here:
            thread = await here.peer.opens_thread(here.ada, here.channel, "quiet", private=True)
            await here.peer.says(here.ada, thread, "a secret")
            await here.peer.heard()
            assert here.client.get_channel(thread.id) is None
            assert here.client.read == []
            with pytest.raises(discord.Forbidden):
                await here.client.fetch_channel(thread.id)
            await here.peer.lets_in(here.peer.bot, thread)
            await here.peer.says(here.ada, thread, "come in")
            await here.peer.until(lambda: here.client.read, "what is said in it")
            assert [one.content for one in here.client.read] == ["come in"]
            found = here.client.get_channel(thread.id)
            assert isinstance(found, discord.Thread)
            assert found.is_private()

    run(go)


def test_what_automod_blocks_is_refused_with_its_code() -> None:
    async def go() -> None:
        async with scene() as here:
            here.guild.blocked.add("darn")
            await refused(here, 200000, content="DARN it")
            sent = await here.place.send("fine")
            with pytest.raises(discord.HTTPException) as refusal:
                await sent.edit(content="darned")
            assert refusal.value.code == 200000

    run(go)


@pytest.mark.slow
def test_slow_mode_makes_the_client_wait_unless_it_may_bypass_it() -> None:
    async def go() -> None:
        async with Peer.open(running_clock=True) as peer:
            guild = peer.guild("server", channels=("slow",))
            channel = guild.channel("slow")
            channel.slow = 1
            client = Bare(peer)
            async with peer.running(client):
                place = client.place(channel)
                await place.send("one")
                await place.send("two")  # the library tries it again when Discord says
                assert [one.code for one in peer.refused] == [20016]
                await peer.allows(channel, "bypass_slowmode")
                await place.send("three")
                assert len(peer.refused) == 1
                assert len(peer.said(channel)) == 3

    run(go)


def test_a_limit_that_others_used_up_is_waited_for() -> None:
    async def go() -> None:
        async with scene() as here:
            here.peer.fault("/messages$", status=429, retry_after=0.001, shared=True)
            await here.place.send("x")
            assert [one.text for one in here.peer.said(here.channel)] == ["x"]

    run(go)


def test_who_begins_more_sessions_than_a_day_has_loses_the_token() -> None:
    async def go() -> None:
        async with Peer.open() as peer:
            peer.guild("server")
            peer.gateway.session_starts["remaining"] = 1
            async with peer.running(Bare(peer)):
                assert peer.gateway.session_starts["remaining"] == 0
            second = Bare(peer)
            with pytest.raises(discord.ConnectionClosed):
                await asyncio.wait_for(second.start(peer.token), 60)
            await second.close()
            assert peer.gateway.closed == [4004]

    run(go)
