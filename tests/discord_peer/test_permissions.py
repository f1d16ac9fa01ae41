"""What the loopback Discord lets a plain client do, and what it knows no more."""

from __future__ import annotations

import io

import discord
import pytest

from tests.discord_peer import Peer
from tests.discord_peer.bare import Bare, refused, run, scene


def test_permissions_are_asked_for() -> None:
    async def go() -> None:
        async with scene() as here:
            peer, channel = here.peer, here.channel
            said = await peer.says(here.ada, channel, "x")
            reference = discord.MessageReference(message_id=said.id, channel_id=channel.id)
            partial = here.place.get_partial_message(said.id)
            await peer.forbids(channel, "send_messages")
            await refused(here, 50013, content="x")
            await peer.allows(channel, "send_messages")
            await peer.forbids(channel, "attach_files")
            await refused(here, 50013, file=discord.File(io.BytesIO(b"x"), "x.txt"))
            await peer.forbids(channel, "add_reactions")
            with pytest.raises(discord.Forbidden):
                await partial.add_reaction("👀")
            await peer.forbids(channel, "create_public_threads")
            with pytest.raises(discord.Forbidden):
                await partial.create_thread(name="x")
            await peer.forbids(channel, "embed_links")
            await refused(here, 50013, embed=discord.Embed(description="x"))
            await peer.forbids(channel, "read_message_history")
            await refused(here, 160002, content="x", reference=reference)
            assert [one async for one in here.place.history()] == []
            await peer.forbids(channel, "view_channel")
            await refused(here, 50001, content="x")
            await peer.says(here.ada, channel, "unseen")
            await peer.heard()
            assert [one.content for one in here.client.read] == ["x"]

    run(go)


def test_permissions_of_roles_and_of_others_are_known_to_the_client() -> None:
    async def go() -> None:
        async with Peer.open() as peer:
            guild = peer.guild("server", bot_permissions=("manage_messages",))
            channel, ada = guild.channel("general"), peer.member(guild, "Ada")
            client = Bare(peer)
            async with peer.running(client):
                known = client.get_guild(guild.id)
                assert known is not None
                assert known.me.guild_permissions.manage_messages
                assert not known.me.guild_permissions.manage_guild
                (listed,) = [one async for one in client.fetch_guilds()]
                assert listed.name == "server"
                place, member = known.get_channel(channel.id), known.get_member(ada.id)
                assert isinstance(place, discord.TextChannel)
                assert member is not None
                assert place.permissions_for(member).view_channel
                await peer.forbids(channel, "view_channel", user=ada)
                await peer.heard()
                assert not place.permissions_for(member).view_channel
                assert place.permissions_for(known.me).view_channel

    run(go)


def test_others_messages_cannot_be_changed() -> None:
    async def go() -> None:
        async with scene() as here:
            said = await here.peer.says(here.ada, here.channel, "mine")
            partial = here.place.get_partial_message(said.id)
            with pytest.raises(discord.Forbidden) as refusal:
                await partial.edit(content="yours")
            assert refusal.value.code == 50005
            with pytest.raises(discord.Forbidden):
                await partial.delete()
            await here.peer.allows(here.channel, "manage_messages")
            await partial.delete()
            assert said.deleted

    run(go)


def test_what_is_gone_is_unknown() -> None:
    async def go() -> None:
        async with scene() as here:
            sent = await here.place.send("x")
            said = await here.peer.says(here.ada, here.channel, "y")
            await here.peer.deletes(here.peer.said(here.channel)[0])
            await here.peer.deletes(said)
            with pytest.raises(discord.NotFound) as gone:
                await sent.edit(content="z")
            assert gone.value.code == 10008
            reference = discord.MessageReference(message_id=said.id, channel_id=here.channel.id)
            await refused(here, 50035, content="x", reference=reference)
            reference.fail_if_not_exists = False
            await here.place.send("x", reference=reference)
            await here.peer.deletes_channel(here.channel)
            await refused(here, 10003, content="x")

    run(go)


def test_one_thread_a_message_and_none_when_archived() -> None:
    async def go() -> None:
        async with scene() as here:
            said = await here.peer.says(here.ada, here.channel, "x")
            partial = here.place.get_partial_message(said.id)
            thread = await partial.create_thread(name="once")
            with pytest.raises(discord.HTTPException) as refusal:
                await partial.create_thread(name="twice")
            assert refusal.value.code == 160004
            with pytest.raises(discord.HTTPException):
                await here.place.get_partial_message(0).create_thread(name="x" * 101)
            await here.peer.archives(here.channel.threads[0], locked=True)
            with pytest.raises(discord.HTTPException) as archived:
                await thread.send("x")
            assert archived.value.code == 50083

    run(go)
