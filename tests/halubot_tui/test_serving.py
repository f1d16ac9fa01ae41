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
from aiohttp import ClientSession, WSMsgType, web

from halubot.cli import main
from halubot.cli.serve import is_loopback
from halubot.errors import HalubotError
from halubot_tui.serving import Pages, listening
from tests.halubot_tui.driving import PATIENCE, driven

EVERYWHERE = "0.0.0.0"  # noqa: S104 - said, not listened at


async def served(
    command: str, visit: Callable[[ClientSession, str], Coroutine[Any, Any, None]]
) -> None:
    """Serves the app of a command for a visit."""
    at = listening("127.0.0.1", 0)
    port = at.getsockname()[1]
    runner = web.AppRunner(await Pages(command, "127.0.0.1", port)._make_app())
    await runner.setup()
    await web.SockSite(runner, at).start()
    try:
        async with ClientSession() as client:
            await asyncio.wait_for(visit(client, f"http://127.0.0.1:{port}"), PATIENCE)
    finally:
        await runner.cleanup()


@driven
async def test_pages_of_other_sites_are_refused() -> None:
    async def visit(client: ClientSession, url: str) -> None:
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


def test_a_page_gets_the_app(tmp_path: Path) -> None:
    async def visit(url: str) -> bytes:
        drawn = b""
        async with ClientSession() as client, client.ws_connect(f"{url}/ws?width=100") as page:
            async for message in page:
                if message.type is WSMsgType.BINARY:
                    drawn += message.data
                if b"Ask a question" in drawn:
                    await page.send_json(["stdin", "\x11"])  # ctrl+Q: the app ends, and the page
        return drawn

    command = [sys.executable, "-m", "halubot", "serve", "--port=0", f"--state={tmp_path}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            told = re.search(r"http://127\.0\.0\.1:[1-9]\d*", server.stdout.readline())
            assert told is not None
            drawn = asyncio.run(asyncio.wait_for(visit(told[0]), PATIENCE))
            assert b"Ask a question" in drawn
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
            listening("127.0.0.1", port)


def test_without_the_extra_it_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("halubot.cli.serve.find_spec", lambda name: None)
    assert main(["serve"]) == 2
    assert "pip install 'halubot[web]'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "warned"),
    [
        (["--model", "openai/x y", "--offline", "--reference", "a", "--reference=b"], False),
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

    monkeypatch.setattr("halubot_tui.serving.serve", serve)
    assert main(["serve", "--port", "8123", *given]) == 0
    ((command, host, port),) = calls
    words = shlex.split(command)
    assert words[:4] == [sys.executable, "-m", "halubot", "tui"]
    assert port == 8123
    assert ("no password" in capsys.readouterr().err) is warned
    assert host == (EVERYWHERE if warned else "127.0.0.1")
    if not warned:
        assert sorted(words[4:]) == [
            "--model=openai/x y",
            "--offline",
            "--reference=a",
            "--reference=b",
        ]
