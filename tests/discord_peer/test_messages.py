"""What a plain client writes and reads at the loopback Discord."""

from __future__ import annotations

import io

import discord
import pytest

from tests.discord_peer.bare import refused, run, scene
from tests.discord_peer.limits import FILE_SIZE


def test_what_people_say_is_read_and_answered() -> None:
    async def go() -> None:
        async with scene() as here:
            said = await here.peer.says(here.ada, here.channel, "good morning")
            await here.peer.until(lambda: here.client.read)
            read = here.client.read[0]
            assert (read.content, read.author.id, read.channel.id) == (
                "good morning",
                here.ada.id,
                here.channel.id,
            )
            assert isinstance(read.author, discord.Member)
            answer = await read.reply("and to you")
            await answer.edit(content="and to you, Ada")
            await read.add_reaction("👀")
            thread = await read.create_thread(name="more of it")
            await thread.send("here", file=discord.File(io.BytesIO(b"abc"), "a.txt"))
            (mine,) = here.peer.said(here.channel)
            assert mine.reply_to is said
            assert [one["content"] for one in mine.versions] == ["and to you", "and to you, Ada"]
            assert said.reactions == {"👀": [here.peer.bot]}
            (opened,) = here.channel.threads
            assert said.thread is opened
            (inside,) = here.peer.said(opened)
            assert here.peer.content(inside.attachments[0]) == b"abc"
            history = [one.content async for one in here.place.history()]
            assert history == ["and to you, Ada", "good morning"]
            await answer.delete()
            assert mine.deleted
            assert here.peer.said(here.channel) == []
            assert not here.peer.refused

    run(go)


def test_edits_and_deletions_of_others_are_told() -> None:
    async def go() -> None:
        async with scene() as here:
            said = await here.peer.says(here.ada, here.channel, "a")
            await here.peer.edits(said, "a b")
            await here.peer.reacts(here.ada, said, "👍")
            await here.peer.deletes(said)
            await here.peer.until(lambda: "message_delete" in here.client.heard)
            told = [one for one in here.client.heard if one.startswith("raw_")]
            assert told == ["raw_message_edit", "raw_reaction_add", "raw_message_delete"]
            read = here.client.read[0]
            assert (read.content, read.edited_at is not None) == ("a b", True)

    run(go)


def test_texts_of_bots_webhooks_embeds_components_and_files_are_read() -> None:
    async def go() -> None:
        async with scene() as here:
            bot = here.peer.member(here.guild, here.peer.user("other", bot=True))
            hook = here.peer.webhook("hook")
            await here.peer.says(bot, here.channel, embeds=[{"description": "in an embed"}])
            await here.peer.says(
                bot,
                here.channel,
                components=[{"type": 17, "components": [{"type": 10, "content": "nested"}]}],
            )
            await here.peer.says(hook, here.channel, "of a hook", files={"n.txt": b"note"})
            await here.peer.until(lambda: len(here.client.read) == 3)
            embed, parts, file = here.client.read
            assert embed.embeds[0].description == "in an embed"
            (container,) = parts.components
            assert isinstance(container, discord.Container)
            (text,) = container.children
            assert isinstance(text, discord.TextDisplay)
            assert text.content == "nested"
            assert file.webhook_id == hook.id
            assert await file.attachments[0].read() == b"note"

    run(go)


def test_forwarded_messages_are_read_and_many_are_deleted_at_once() -> None:
    async def go() -> None:
        async with scene() as here:
            said = await here.peer.says(here.ada, here.channel, "first")
            again = await here.peer.says(here.ada, here.channel, forwards=said)
            await here.peer.deletes(said, again)
            await here.peer.until(lambda: "bulk_message_delete" in here.client.heard)
            (copied,) = here.client.read[1].message_snapshots
            assert (here.client.read[1].content, copied.content) == ("", "first")
            assert here.peer.messages(here.channel) == []

    run(go)


def test_without_the_intent_only_what_speaks_to_the_bot_is_read() -> None:
    async def go() -> None:
        intents = discord.Intents.default()
        async with scene(intents=intents) as here:
            me = here.peer.bot
            await here.peer.says(here.ada, here.channel, "among us")
            await here.peer.says(here.ada, here.channel, f"{me.mention} listen")
            await here.peer.says(here.ada, here.peer.dm(here.ada), "to you alone")
            await here.peer.until(lambda: len(here.client.read) == 3)
            read = [one.content for one in here.client.read]
            assert read == ["", f"{me.mention} listen", "to you alone"]

    run(go)


@pytest.mark.parametrize("length", [1, 1999, 2000])
def test_a_text_that_fits_is_sent(length: int) -> None:
    async def go() -> None:
        async with scene() as here:
            sent = await here.place.send("x" * length)
            assert len(sent.content) == length

    run(go)


def test_what_is_too_much_isrefused() -> None:
    async def go() -> None:
        async with scene() as here:
            await refused(here, 50035, content="x" * 2001)
            await refused(here, 50035, content="😀" * 1001)  # two units each
            await refused(here, 50006, content=" \n ")
            long = [discord.Embed(description="x" * 3001) for _ in range(2)]
            await refused(here, 50035, embeds=long)
            await refused(here, 50035, embed=discord.Embed(description="x" * 4097))
            await refused(here, 50035, content="x", nonce="n" * 26)
            view = discord.ui.LayoutView()
            view.add_item(discord.ui.TextDisplay("x" * 2001))
            view.add_item(discord.ui.TextDisplay("x" * 2000))
            await refused(here, 50035, view=view)
            big = discord.File(io.BytesIO(b"x" * (FILE_SIZE + 1)), "big.bin")
            await refused(here, 40005, file=big)
            assert here.peer.said(here.channel) == []

    run(go)


def test_cards_stay_cards() -> None:
    async def go() -> None:
        async with scene() as here:
            view = discord.ui.LayoutView()
            view.add_item(discord.ui.TextDisplay("x" * 4000))
            sent = await here.place.send("text")
            with pytest.raises(discord.HTTPException):  # content has to be taken off
                await sent.edit(view=view)
            card = await sent.edit(content=None, view=view)
            assert here.peer.said(here.channel)[0].text == "x" * 4000
            with pytest.raises(discord.HTTPException):
                await card.edit(content="text again")
            with pytest.raises(discord.HTTPException):
                await here.client.http.request(
                    discord.http.Route(
                        "PATCH",
                        "/channels/{channel_id}/messages/{message_id}",
                        channel_id=here.channel.id,
                        message_id=card.id,
                    ),
                    json={"flags": 0},
                )
            codes = {one.message.split("'code': '")[1].split("'")[0] for one in here.peer.refused}
            assert codes == {
                "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2",
                "MESSAGE_CANNOT_REMOVE_COMPONENTS_V2_FLAG",
            }

    run(go)


def test_who_is_rung_is_told() -> None:
    async def go() -> None:
        async with scene() as here:
            text = f"@everyone {here.ada.mention}"
            await here.place.send(text)
            await here.place.send(text, allowed_mentions=discord.AllowedMentions.none())
            said = await here.peer.says(here.ada, here.channel, "x")
            reference = discord.MessageReference(message_id=said.id, channel_id=here.channel.id)
            await here.place.send("x", reference=reference)
            await here.place.send("x", reference=reference, mention_author=False)
            rung = [one.pinged for one in here.peer.said(here.channel)]
            assert rung == [{"everyone", here.ada.id}, set(), {here.ada.id}, set()]

    run(go)


def test_a_nonce_sends_once() -> None:
    async def go() -> None:
        async with scene() as here:
            here.peer.fault("/messages$", "POST", status=429, retry_after=0.0, done=True)
            sent = await here.place.send("once", nonce=7)
            assert [one.id for one in here.peer.said(here.channel)] == [sent.id]
            assert [one.status for one in here.peer.requests[-2:]] == [429, 200]

    run(go)


def test_a_direct_message_is_a_place_like_others() -> None:
    async def go() -> None:
        async with scene() as here:
            user = await here.client.fetch_user(here.ada.id)
            await user.send("for you")
            assert [one.text for one in here.peer.said(here.peer.dm(here.ada))] == ["for you"]
            here.ada.takes_dms = False
            with pytest.raises(discord.Forbidden) as refusal:
                await user.send("for you")
            assert refusal.value.code == 50007

    run(go)
