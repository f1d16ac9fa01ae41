"""The app in a browser: who is answered, and the app that a page gets."""

from __future__ import annotations

import asyncio
import re
import shlex
import socket
import subprocess
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession, CookieJar, WSMsgType, WSServerHandshakeError, web

from halubot.cli import main
from halubot.errors import HalubotError
from halubot.listener import is_loopback, listen
from halubot.service.tui_server import Pages
from tests.halubot_tui.driving import PATIENCE, driven

EVERYWHERE = "0.0.0.0"  # noqa: S104 - said, not listened at


async def served(
    command: str,
    visit: Callable[[ClientSession, str, Pages], Coroutine[Any, Any, None]],
    host: str = "127.0.0.1",
) -> None:
    """Serves the app of a command for a visit."""
    at = listen("127.0.0.1", 0)
    port = at.getsockname()[1]
    pages = Pages(command, host, port)
    runner = web.AppRunner(await pages._make_app())
    await runner.setup()
    await web.SockSite(runner, at).start()
    try:
        # Without this, cookies for an IP address are not kept.
        async with ClientSession(cookie_jar=CookieJar(unsafe=True)) as client:
            await asyncio.wait_for(visit(client, f"http://127.0.0.1:{port}", pages), PATIENCE)
    finally:
        await runner.cleanup()


@driven
async def test_pages_of_other_sites_are_refused() -> None:
    async def visit(client: ClientSession, url: str, pages: Pages) -> None:
        async with client.get(pages.address) as answer:
            assert answer.status == 200
        for headers, status in (
            ({}, 200),
            ({"Origin": url}, 200),
            ({"Host": "evil.example"}, 403),
            ({"Origin": "http://evil.example"}, 403),
            ({"Origin": "null"}, 403),
        ):
            for path in ("/", "/static/js/textual.js"):
                async with client.get(url + path, headers=headers) as answer:
                    assert answer.status == status, (headers, path)
        async with client.get(url) as answer:
            assert "default-src 'self'" in answer.headers["Content-Security-Policy"]
            assert url.replace("http", "ws") in await answer.text()
        async with client.get(f"{url}/ws", headers={"Origin": "http://evil.example"}) as answer:
            assert answer.status == 403

    await served("exit 1", visit)


@driven
async def test_the_token_lets_one_browser_in_once() -> None:
    async def visit(client: ClientSession, url: str, pages: Pages) -> None:
        first = pages.address
        # Any user of this machine reaches the port, and gets nothing there.
        for path in ("/", "/ws", "/static/js/textual.js", "/?token=", "/?token=x", "/download/x"):
            async with client.get(url + path) as answer:
                assert answer.status == 403, path
                assert "token" not in await answer.text()
        with pytest.raises(WSServerHandshakeError):
            await client.ws_connect(f"{url}/ws")
        async with client.get(first, allow_redirects=False) as answer:
            assert (answer.status, answer.headers["Location"]) == (303, "/")
            cookie = answer.headers["Set-Cookie"]
            assert "HttpOnly" in cookie
            assert "SameSite=Strict" in cookie
        async with client.get(url) as answer:
            assert answer.status == 200
        async with ClientSession() as other:
            async with other.get(first) as answer:
                assert answer.status == 403
            async with other.get(url, headers={"Cookie": "halubot=x"}) as answer:
                assert answer.status == 403
        assert pages.address != first

    await served("exit 1", visit)


@driven
async def test_the_host_is_checked_on_every_address() -> None:
    async def visit(client: ClientSession, url: str, pages: Pages) -> None:
        port = url.rpartition(":")[2]
        async with client.get(f"{url}/?{pages.address.partition('?')[2]}") as answer:
            assert answer.status == 200
        for host, status in (
            (f"127.0.0.1:{port}", 200),
            (f"localhost:{port}", 200),
            (f"evil.example:{port}", 403),
            (f"10.9.8.7:{port}", 403),
        ):
            async with client.get(url, headers={"Host": host}) as answer:
                assert answer.status == status, host

    await served("exit 1", visit, host=EVERYWHERE)


@pytest.mark.slow
def test_a_page_gets_the_app(tmp_path: Path) -> None:
    async def visit(url: str) -> bytes:
        drawn = b""
        base = url.partition("/?")[0]
        async with ClientSession(cookie_jar=CookieJar(unsafe=True)) as client:
            async with client.get(url) as answer:
                assert answer.status == 200
            async with client.ws_connect(f"{base}/ws?width=100") as page:
                async for message in page:
                    if message.type is WSMsgType.BINARY:
                        drawn += message.data
                    if b"Paste a text" in drawn:
                        # ctrl+Q: the app ends, and the page
                        await page.send_json(["stdin", "\x11"])
        return drawn

    command = [
        sys.executable,
        "-m",
        "halubot",
        "tui",
        "--browser",
        "--port=0",
        f"--state={tmp_path}",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            told = re.search(r"http://127\.0\.0\.1:[1-9]\d*/\?token=\S+", server.stdout.readline())
            assert told is not None
            drawn = asyncio.run(asyncio.wait_for(visit(told[0]), PATIENCE))
            assert b"Paste a text" in drawn
        finally:
            server.terminate()
        assert server.wait(PATIENCE) == 0


def test_only_this_machine_is_loopback() -> None:
    assert all(map(is_loopback, ("127.0.0.1", "::1", "localhost", "127.1.2.3")))
    assert not any(map(is_loopback, (EVERYWHERE, "::", "192.168.0.2", "example.org", "")))


def test_a_port_that_is_taken_is_told() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(HalubotError, match=rf"port {port}: [^(]+; --host"):
            listen("127.0.0.1", port)


def test_without_the_extra_it_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("halubot.cli.tui.find_spec", lambda name: None)
    assert main(["tui", "--browser"]) == 2
    assert "pip install 'halubot[web]'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "warned"),
    [
        (
            [
                *("--model", "openai/x y", "--offline", "--reference", "a", "--reference=b"),
                *("--set", "role=a nurse", "--parameters", "top_k=40", "--no-motion"),
            ],
            False,
        ),
        (["--host", EVERYWHERE], True),
    ],
)
def test_the_options_reach_the_app(
    given: list[str],
    warned: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    calls: list[tuple[str, str, int]] = []
    monkeypatch.setenv("HALUBOT_METHOD", "consensus")  # the app reads it itself

    def serve(command: str, host: str, port: int) -> int:
        calls.append((command, host, port))
        return 0

    monkeypatch.setattr("halubot.service.tui_server.serve", serve)
    assert main(["tui", "--browser", "--port", "8123", *given]) == 0
    ((command, host, port),) = calls
    words = shlex.split(command)
    assert words[:4] == [sys.executable, "-m", "halubot", "tui"]
    assert port == 8123
    assert ("not encrypted" in capsys.readouterr().err) is warned
    assert host == (EVERYWHERE if warned else "127.0.0.1")
    assert words[4:] == ["--browser", "--port", "8123", *given]
