"""What goes wrong around the bot: Discord, the network, permissions, deletions, restarts."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from halubot.errors import StateError
from halubot_bots.checks import Checks
from halubot_bots.desk import Desk
from halubot_bots.discord.bot import HalubotClient
from halubot_bots.discord.runner import IntentError, TokenError, serve
from halubot_bots.discord.runner import run as bot_run
from halubot_bots.process import Alone
from halubot_bots.settings import OwnerLimits
from halubot_bots.store import Memory
from tests.discord_peer import Interaction, Message, NotShown, Peer, Request
from tests.halubot_bots.discord.scene import RIGHT, WRONG, Scene, has_card, run, scene

FILES = {"ada.txt": RIGHT.encode()}


async def cards(here: Scene, count: int) -> list[Message]:
    """The annotations, once there are so many and nothing is in work any more."""

    def there() -> bool:
        return len(here.peer.said(here.channel)) >= count and not here.client.annotator.busy

    await here.peer.until(there, f"{count} annotations")
    return here.peer.said(here.channel)


@pytest.mark.slow
@pytest.mark.parametrize("status", [429, 500, 502])
def test_what_discord_refuses_for_a_while_is_tried_again(tmp_path: Path, status: int) -> None:
    async def work(here: Scene) -> None:
        await here.watch()
        here.peer.fault("/messages$", "POST", status=status)
        await here.peer.says(here.other, here.channel, WRONG, files=FILES)
        (card,) = await cards(here, 1)
        assert "1815" in card.text

    run(tmp_path, work)


@pytest.mark.slow
def test_an_answer_that_was_lost_on_the_way_is_not_sent_twice(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        await here.watch()
        here.peer.fault("/messages$", "POST", status=502, done=True)
        await here.peer.says(here.other, here.channel, WRONG, files=FILES)
        assert len(await cards(here, 1)) == 1

    run(tmp_path, work)


@pytest.mark.parametrize("code", [4000, 1006])
def test_after_a_lost_connection_it_resumes_and_misses_nothing(tmp_path: Path, code: int) -> None:
    async def work(here: Scene) -> None:
        await here.watch()
        await here.peer.disconnects(code)
        await here.peer.says(here.other, here.channel, WRONG, files=FILES)
        (card,) = await cards(here, 1)
        assert "1815" in card.text
        assert here.peer.gateway.identified == 1

    run(tmp_path, work)


def test_where_it_may_not_resume_it_begins_a_new_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def at_once(*_: object, **__: object) -> None:
        """The library waits 5 s before a new session."""

    monkeypatch.setattr(HalubotClient, "before_identify_hook", at_once)

    async def work(here: Scene) -> None:
        await here.watch()
        here.peer.gateway.refuse_resume = True
        await here.peer.disconnects()
        await here.peer.until(lambda: here.peer.gateway.identified == 2, "a new session")
        await here.peer.until(lambda: here.peer.gateway.connected, "the connection")
        await here.peer.says(here.other, here.channel, WRONG, files=FILES)
        assert len(await cards(here, 1)) == 1

    run(tmp_path, work)


def _says(use: Interaction, words: str) -> bool:
    return bool(use.text) and words in use.text


def make(peer: Peer, folder: Path) -> tuple[Callable[[], HalubotClient], Callable[[], None]]:
    """How `serve` makes its clients, and what ends all."""
    limits = OwnerLimits()
    memory, checks = Memory.open(folder), Checks(1, store=folder / "store")
    desk = Desk.opened(limits, memory, checks)

    def made() -> HalubotClient:
        return HalubotClient(desk, connector=peer.connector(), guild_ready_timeout=0.05)

    def end() -> None:
        checks.close()
        memory.close()

    return made, end


@pytest.mark.parametrize("broken", ["{not json", '{"op":0,"t":"MESSAGE_CREATE","s":3,"d":{}}'])
def test_a_malformed_frame_makes_it_connect_anew(
    tmp_path: Path, broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        async with Peer.open() as peer:
            peer.guild("server")
            client, end = make(peer, tmp_path)
            serving = asyncio.create_task(serve(client, peer.token, first=0.01))
            try:
                await peer.until(lambda: len(peer.gateway.connected) == 1, "the first")
                await peer.heard()
                await peer.sends_raw(broken)
                await peer.until(lambda: peer.gateway.identified == 2, "a new session")
                assert not serving.done()
            finally:
                serving.cancel()
                await asyncio.wait([serving])
                await asyncio.to_thread(end)

    asyncio.run(work())


def test_a_refused_token_is_said_and_not_tried_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def work() -> None:
        async with Peer.open() as peer:
            client, end = make(peer, tmp_path)
            secret = "a.wrong.token-of-somebody"  # noqa: S105
            with pytest.raises(TokenError, match="copy it again") as error:
                await serve(client, secret)
            assert secret not in str(error.value)
            assert secret not in caplog.text
            assert len(peer.requests) == 1
            await asyncio.to_thread(end)

    asyncio.run(work())


def test_a_refused_intent_is_said_and_not_tried_again(tmp_path: Path) -> None:
    async def work() -> None:
        async with Peer.open() as peer:
            peer.grants()
            client, end = make(peer, tmp_path)
            with pytest.raises(IntentError, match="reads_content = false"):
                await serve(client, peer.token)
            assert peer.gateway.closed == [4014]
            await asyncio.to_thread(end)

    asyncio.run(work())


@pytest.mark.parametrize(
    ("style", "missing", "named"),
    [
        ("reply", "send_messages", "Send Messages"),
        ("reaction", "add_reactions", "Add Reactions"),
        ("thread", "create_public_threads", "Create Public Threads"),
        ("thread", "send_messages_in_threads", "Send Messages In Threads"),
    ],
)
def test_a_missing_permission_is_told_to_the_owner_once(
    tmp_path: Path, style: str, missing: str, named: str
) -> None:
    async def work(here: Scene) -> None:
        await here.watch(style=style)
        await here.peer.forbids(here.channel, missing)
        told = here.peer.dm(here.guild.owner)
        for at in range(2):
            await here.peer.says(here.other, here.channel, f"{WRONG} {at}", files=FILES)
            await here.peer.until(lambda: bool(here.peer.said(told)), "that it is told")
            await here.peer.until(lambda: not here.client.annotator.busy, "the end")
        (message,) = here.peer.said(told)
        assert named in message.content
        assert here.peer.said(here.channel) == []
        here.peer.refused.clear()

    run(tmp_path, work)


def test_what_only_the_asker_sees_needs_no_permission(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        await here.peer.forbids(here.channel, "send_messages", "read_message_history")
        message = await here.peer.says(here.other, here.channel, WRONG, files=FILES)
        use = await here.peer.uses_menu(here.ben, message, "Check facts")
        await here.peer.until(lambda: "1815" in use.text, "the card")
        here.peer.refused.clear()

    run(tmp_path, work)


def _is_card(request: Request) -> bool:
    return request.method == "POST" and request.path.endswith("/messages")


@pytest.mark.parametrize("whole", ["message", "channel"])
def test_what_is_deleted_in_mid_check(tmp_path: Path, whole: str) -> None:
    async def work(here: Scene) -> None:
        gate = asyncio.Event()
        await here.watch()
        fault = here.peer.fault("/messages$", "POST", gate=gate)
        message = await here.peer.says(here.other, here.channel, WRONG, files=FILES)
        await here.peer.until(lambda: fault.met == 1, "that it is annotated")
        if whole == "message":
            await here.peer.deletes(message)
        else:
            await here.peer.deletes_channel(here.channel)
        gate.set()
        await here.peer.until(lambda: any(map(_is_card, here.peer.requests)), "its answer")
        await here.quiet()
        await here.peer.until(lambda: here.desk.memory.in_work() == (), "that it is forgotten")
        here.peer.refused.clear()

    run(tmp_path, work)


@pytest.mark.slow
@pytest.mark.parametrize("length", [1, 1999, 2000, 2001, 4000, 40_000])
def test_texts_of_any_length(tmp_path: Path, length: int) -> None:
    async def work(here: Scene) -> None:
        text = (f"{WRONG} " * 800)[: length - 1] + "."
        embeds = [{"description": text[start : start + 4_000]} for start in range(0, length, 4_000)]
        message = await here.peer.says(
            here.other, here.channel, "", embeds=embeds or (), files=FILES
        )
        use = await here.peer.uses_menu(here.ben, message, "Check facts")
        await here.peer.until(lambda: bool(use.text) and "Checking" not in use.text, "the card")
        assert use.response is not None
        if length > 10_000:
            await here.peer.until(lambda: bool(use.followups), "the report as a page of its own")
        for label in ("All facts", "Evidence"):
            if label in use.response.buttons:
                page = await here.peer.clicks(here.ben, use.response, label)
                await here.peer.until(partial(_says, page, ""), "a page")

    run(tmp_path, work)


def test_a_live_button_works_after_a_restart(tmp_path: Path) -> None:
    """It is pressed at a client that never saw the card."""

    async def work() -> None:
        async with scene(tmp_path) as here:
            await here.watch()
            await here.peer.says(here.other, here.channel, WRONG, files=FILES)
            (card,) = await cards(here, 1)
            again = HalubotClient(
                here.desk, connector=here.peer.connector(), guild_ready_timeout=0.05
            )
            async with here.peer.running(again):
                use = await here.peer.clicks(here.ben, card, "Evidence")
                await here.peer.until(lambda: "1815" in use.text, "the evidence")

    asyncio.run(work())


def test_installed_by_a_person_alone_it_works_by_their_own_quota(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        elsewhere = here.peer.guild("elsewhere", with_bot=False)
        cat = here.peer.member(elsewhere, here.peer.user("Cat", installed=True))
        dan = here.peer.member(elsewhere, "Dan")
        place = elsewhere.channel("general")
        message = await here.peer.says(dan, place, WRONG, files=FILES)
        with pytest.raises(NotShown):
            await here.peer.uses_menu(dan, message, "Check facts")
        use = await here.peer.uses_menu(cat, message, "Check facts")
        await here.peer.until(lambda: "1815" in use.text, "the card")
        assert here.desk.quotas.use_of(f"installed:{cat.id}").checks == 1
        other = await here.peer.says(dan, place, f"{WRONG} Indeed.", files=FILES)
        refused = await here.peer.uses_menu(cat, other, "Check facts")
        await here.peer.until(lambda: "quota" in refused.text, "that it is refused")
        here.peer.refused.clear()

    run(tmp_path, work, of_installed={"checks": 1})


async def linked(here: Scene) -> Message:
    """A message that links to one of a channel that Ada alone may read."""
    secret = here.peer.world.channel(here.guild, "secret")
    await here.peer.service.tell_channel("CREATE", secret)
    for user in (here.ben, here.other):
        await here.peer.forbids(secret, "view_channel", user=user)
    hidden = await here.peer.says(here.ada, secret, RIGHT)
    link = f"https://discord.com/channels/{here.guild.id}/{secret.id}/{hidden.id}"
    return await here.peer.says(here.other, here.channel, f"{WRONG} {link}")


def test_linked_messages_serve_only_who_may_read_them(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        message = await linked(here)
        for user, sees in ((here.ada, True), (here.ben, False)):
            use = await here.peer.uses_menu(user, message, "Check facts")
            await here.peer.until(
                partial(_says, use, "could be" if not sees else "1815"), "the card"
            )
            assert ("1815" in use.text) == sees

    run(tmp_path, work)


def test_annotations_never_show_what_some_readers_may_not_read(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        await here.watch()
        secret = here.peer.world.channel(here.guild, "secret")
        secret.overwrites[here.guild.id] = (0, 1 << 10)
        await here.peer.service.tell_channel("CREATE", secret)
        await here.peer.allows(secret, "view_channel", user=here.peer.bot)
        hidden = await here.peer.says(here.ada, secret, RIGHT)
        link = f"https://discord.com/channels/{here.guild.id}/{secret.id}/{hidden.id}"
        open_one = {"death.txt": b"Ada Lovelace died in London in 1852."}
        await here.peer.says(here.other, here.channel, f"{WRONG} {link}", files=open_one)
        (card,) = await cards(here, 1)
        assert "1815" not in card.text

    run(tmp_path, work)


def test_who_opted_out_cannot_be_checked_by_others(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        here.desk.memory.opt_out(here.other.id)
        message = await here.peer.says(here.other, here.channel, WRONG, files=FILES)
        use = await here.peer.uses_menu(here.ben, message, "Check facts")
        await here.peer.until(lambda: "leave them out" in use.text, "that it is refused")
        assert here.desk.memory.report(message.id) is None

    run(tmp_path, work)


def test_attachments_beyond_size_or_kind_are_left_out(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        files = {"ada.txt": RIGHT.encode() * 40, "../../run.exe": RIGHT.encode()}
        message = await here.peer.says(here.other, here.channel, WRONG, files=files)
        use = await here.peer.uses_menu(here.ben, message, "Check facts")
        await here.peer.until(lambda: "could be checked" in use.text or has_card(use), "the card")
        assert "1815" not in use.text

    run(tmp_path, work, attachment_bytes=1_000)


def test_an_edit_after_the_annotation_changes_it_and_sends_no_second(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        await here.watch()
        message = await here.peer.says(here.other, here.channel, WRONG, files=FILES)
        (card,) = await cards(here, 1)
        await here.peer.edits(message, RIGHT)
        await here.peer.until(lambda: "1815" not in card.text, "the new card")
        assert await cards(here, 1) == [card]

    run(tmp_path, work)


def test_the_log_holds_no_text_and_no_token(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    caplog.set_level(logging.INFO, "halubot")  # a command may have set it

    async def work(here: Scene) -> None:
        await here.watch()
        message = await here.peer.says(here.other, here.channel, WRONG, files=FILES)
        await cards(here, 1)
        use = await here.peer.uses_menu(here.ben, message, "Check facts")
        await here.peer.until(lambda: "1815" in use.text, "the card")
        assert "connected as" in caplog.text

    run(tmp_path, work)
    assert "Lovelace" not in caplog.text
    assert "loopback.token" not in caplog.text


def test_a_fault_of_our_own_is_logged_without_its_words(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.INFO)
    caplog.set_level(logging.INFO, "halubot")  # a command may have set it

    async def broken(*_: object, **__: object) -> None:
        raise ValueError(WRONG)

    monkeypatch.setattr(Desk, "check", broken)

    async def work(here: Scene) -> None:
        await here.watch()
        message = await here.peer.says(here.other, here.channel, WRONG, files=FILES)
        await here.peer.until(lambda: "not annotated" in caplog.text, "that it is logged")
        use = await here.peer.uses_menu(here.ben, message, "Check facts")
        await here.peer.until(lambda: "cannot do this now" in use.text, "that it is said")

    run(tmp_path, work)
    assert "ValueError at test_error_words.py" in caplog.text
    assert "Lovelace" not in caplog.text


def test_near_the_limit_of_sessions_it_waits_for_the_next_day(tmp_path: Path) -> None:
    async def work() -> None:
        async with Peer.open() as peer:
            peer.guild("server")
            client, end = make(peer, tmp_path)
            peer.gateway.session_starts |= {"remaining": 2, "reset_after": 3_600_000}
            serving = asyncio.create_task(serve(client, peer.token, first=0.01))
            try:
                await peer.until(
                    lambda: any(one.path.endswith("/gateway/bot") for one in peer.requests),
                    "that it looks",
                )
                await peer.heard()
                assert peer.gateway.identified == 0
                assert not serving.done()
            finally:
                serving.cancel()
                await asyncio.wait([serving])
                await asyncio.to_thread(end)

    asyncio.run(work())


def test_a_second_process_over_the_same_folder_is_refused(tmp_path: Path) -> None:
    with Alone(tmp_path), pytest.raises(StateError, match="another halubot bot runs"):
        asyncio.run(bot_run("token", OwnerLimits(), folder=tmp_path))
    with Alone(tmp_path):
        """It is free again."""
