"""The tools for assistants, called by the client of the protocol's own SDK."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from halubot.inputs import Options
from halubot.render.captions import MEANINGS

WRONG = "Ada Lovelace was born in 1816."
RIGHT = "Ada Lovelace was born in 1815."


def called(options: Options, name: str, **arguments: Any) -> Any:
    """The result of one tool, asked in this process."""
    from mcp import Client  # the SDK takes a second to load

    from halubot.service.mcp_server import build_server

    async def whole() -> Any:
        async with Client(build_server(options)) as client:
            return await client.call_tool(name, arguments)

    return asyncio.run(whole())


def test_the_tools_say_what_they_do() -> None:
    from mcp import Client

    from halubot.service.mcp_server import build_server

    async def whole() -> Any:
        async with Client(build_server(Options())) as client:
            return (await client.list_tools()).tools

    tools = asyncio.run(whole())
    assert [tool.name for tool in tools] == ["check", "correct"]
    for tool in tools:
        assert tool.description
        assert tool.annotations.read_only_hint
        assert "text" in tool.input_schema["required"]


def test_a_check_names_what_is_in_doubt_and_quotes() -> None:
    found = called(Options(), "check", text=WRONG, references=[RIGHT])
    assert not found.is_error
    told = found.structured_content
    assert told["counts"] == {"supported": 0, "doubtful": 0, "contradicted": 1, "not_checked": 0}
    assert told["in_doubt"] == [
        {
            "words": "1816",
            "sentence": 1,
            "verdict": "contradicted",
            "reason": None,
            "quotes": [{"source": "reference 1", "says": RIGHT}],
        }
    ]


def test_a_file_that_an_assistant_names_is_never_read(tmp_path: Path) -> None:
    file = tmp_path / "life.txt"
    file.write_text(RIGHT)
    told = called(Options(), "check", text=WRONG, references=[str(file)]).structured_content
    assert told["counts"]["contradicted"] == 0


def test_a_correction_lists_its_edits() -> None:
    told = called(Options(references=[RIGHT]), "correct", text=WRONG).structured_content
    assert told["text"] == RIGHT
    assert told["edits"] == [{"before": "1816", "after": "1815"}]


def test_assistants_are_told_what_a_verdict_means_as_people_are() -> None:
    from halubot.service.mcp_server import INSTRUCTIONS

    assert all(meaning in INSTRUCTIONS for meaning in MEANINGS.values())


@pytest.mark.slow
def test_the_command_talks_over_standard_input_and_output(tmp_path: Path) -> None:
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    reference = tmp_path / "life.txt"
    reference.write_text(RIGHT)
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "halubot", "mcp", "--reference", str(reference)],
    )

    async def whole() -> Any:
        async with Client(stdio_client(server)) as client:
            return await client.call_tool("check", {"text": WRONG})

    ask: Callable[[], Coroutine[Any, Any, Any]] = whole
    assert asyncio.run(ask()).structured_content["counts"]["contradicted"] == 1


@pytest.mark.slow
def test_every_line_is_answered() -> None:
    text = "Ada \\ud800 \\ud83d\\ude00 was born in 1816."
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}}
    hello |= {"clientInfo": {"name": "test", "version": "1"}}
    call = {"name": "correct", "arguments": {"text": "TEXT"}}
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call},
    ]
    said = "".join(json.dumps(line).replace("TEXT", text) + "\n" for line in lines)
    with subprocess.Popen(
        [sys.executable, "-m", "halubot", "mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(said + "{broken\n" + "[" * 100_000 + "\n[]\n")
        server.stdin.flush()
        answers = [json.loads(server.stdout.readline()) for _ in range(5)]
        server.stdin.close()
    (found,) = [one["result"] for one in answers if one["id"] == 2]
    assert found["structuredContent"]["text"] == "Ada \ufffd \U0001f600 was born in 1816."
    assert [one["error"]["code"] for one in answers if one["id"] is None] == [-32700] * 3
    assert server.returncode == 0
