"""What a plain client makes of requests that go wrong."""

from __future__ import annotations

import asyncio

import aiohttp
import discord
import pytest

from tests.discord_peer.bare import run, scene


def test_too_many_requests_are_tried_again() -> None:
    async def go() -> None:
        async with scene() as here:
            fault = here.peer.fault("/messages$", status=429, retry_after=0.001, times=3)
            await here.place.send("at last")
            assert fault.met == 3
            assert [one.text for one in here.peer.said(here.channel)] == ["at last"]
            assert not here.peer.refused

    run(go)


def test_a_limit_of_everything_holds_all_requests() -> None:
    async def go() -> None:
        async with scene() as here:
            here.peer.fault("/messages$", status=429, retry_after=0.001, everywhere=True)
            await asyncio.gather(here.place.send("x"), here.place.typing())
            assert [one.text for one in here.peer.said(here.channel)] == ["x"]
            assert here.channel.typing == 1

    run(go)


def test_without_via_the_client_gives_up() -> None:
    async def go() -> None:
        async with scene() as here:
            here.peer.fault("/messages$", status=429, via=False)
            with pytest.raises(discord.HTTPException) as banned:
                await here.place.send("x")
            assert banned.value.status == 429
            assert here.peer.said(here.channel) == []

    run(go)


@pytest.mark.parametrize("done", [False, True])
def test_a_connection_can_break_before_or_after_the_deed(done: bool) -> None:
    async def go() -> None:
        async with scene() as here:
            here.peer.fault("/messages$", drop=True, done=done)
            with pytest.raises(aiohttp.ClientError):
                await here.place.send("x")
            assert len(here.peer.said(here.channel)) == done

    run(go)


def test_a_fault_of_the_server_and_one_of_its_codes() -> None:
    async def go() -> None:
        async with scene() as here:
            here.peer.fault("/messages$", "POST", status=503)
            with pytest.raises(discord.DiscordServerError):  # 500, 502, 504, 524 are tried again
                await here.place.send("x")
            here.peer.fault("/messages$", "POST", status=403, code=50013)
            with pytest.raises(discord.Forbidden) as refusal:
                await here.place.send("x")
            assert refusal.value.code == 50013
            await here.place.send("x")

    run(go)


def test_an_answer_comes_late() -> None:
    async def go() -> None:
        async with scene() as here:
            gate = asyncio.Event()
            fault = here.peer.fault("/messages$", gate=gate)
            sending = asyncio.create_task(here.place.send("x"))
            await here.peer.until(lambda: fault.met)
            await here.peer.heard()
            assert here.peer.said(here.channel) == []
            gate.set()
            await sending
            assert len(here.peer.said(here.channel)) == 1

    run(go)


def test_a_client_that_asks_too_much_is_held_back() -> None:
    async def go() -> None:
        async with scene() as here:
            here.peer.rates.calls, here.peer.rates.seconds = 2, 0.05
            for at in range(5):
                await here.place.send(str(at))
            assert here.peer.rates.exceeded == 0  # the client reads the headers, and waits
            took = [one.at for one in here.peer.requests if one.method == "POST"]
            assert took[4] - took[0] >= 0.05
            other = here.peer.dm(here.ada)
            await asyncio.gather(*(here.client.place(other).send(str(at)) for at in range(3)))
            assert len(here.peer.said(other)) == 3

    run(go)


def test_a_fault_of_the_peer_itself_ends_the_test() -> None:
    async def go() -> None:
        async with scene() as here:
            with pytest.raises(discord.HTTPException):
                await here.client.http.request(
                    discord.http.Route("POST", "/channels/{channel_id}/messages", channel_id="x")
                )
            with pytest.raises(AssertionError, match="itself failed"):
                await here.peer.until(lambda: False)
            here.peer.service.broken.clear()

    run(go)


def test_what_nobody_answers_is_not_found() -> None:
    async def go() -> None:
        async with scene() as here:
            with pytest.raises(discord.NotFound):
                await here.client.http.request(discord.http.Route("GET", "/nothing"))

    run(go)
