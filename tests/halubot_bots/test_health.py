"""What the bot tells of itself: its health page, its log, and its supervisor."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from aiohttp import ClientSession

from halubot import check
from halubot.errors import HalubotError, SettingError
from halubot_bots import process
from halubot_bots.health import Activity, Pulse, exposition, healthy, parse_address
from halubot_bots.policy import Ask
from halubot_bots.process import JsonLines, begin

ASK = Ask(cause="menu", user=5, channel=7, server=9)
WELL = Pulse(latency=0.05, servers=2, running=1, waiting=3)
GONE = Pulse(latency=None, servers=0, running=0, waiting=0)


def noted() -> Activity:
    """An activity with a finished and a declined check."""
    activity = Activity()
    report = check("Ada was born in 1816.", references=["Ada was born in 1815."])
    activity.note(ASK, "finished", 0.25, report)
    activity.note(ASK, "declined", 0.0, None)
    return activity


@pytest.mark.parametrize(
    ("pulse", "status", "said"), [(WELL, 200, "ok"), (GONE, 503, "not connected")]
)
def test_the_page_tells_if_it_is_connected(pulse: Pulse, status: int, said: str) -> None:
    async def whole() -> None:
        async with (
            healthy("127.0.0.1:0", noted(), lambda: pulse) as port,
            ClientSession() as client,
        ):
            async with client.get(f"http://127.0.0.1:{port}/healthz") as answer:
                assert answer.status == status
                assert (await answer.json())["status"] == said
            async with client.get(f"http://127.0.0.1:{port}/metrics") as answer:
                assert "halubot_bot_connected" in await answer.text()

    asyncio.run(whole())


def test_counts_are_as_prometheus_reads_them() -> None:
    lines = "".join(exposition(noted(), WELL)).splitlines()
    for line in lines:
        assert re.fullmatch(
            r"# (HELP|TYPE) halubot_bot_[a-z_]+ .+"
            r'|halubot_bot_[a-z_]+(\{[a-z]+="[a-z_]+"(,[a-z]+="[a-z_]+")*\})? [-0-9.e+]+',
            line,
        ), line
    assert 'halubot_bot_checks_total{cause="menu",outcome="finished"} 1' in lines
    assert 'halubot_bot_checks_total{cause="menu",outcome="declined"} 1' in lines
    assert 'halubot_bot_facts_total{verdict="contradicted"} 1' in lines
    assert "halubot_bot_waiting 3" in lines
    names = [line.split()[2] for line in lines if line.startswith("# TYPE")]
    assert len(names) == len(set(names))


def test_a_heartbeat_that_nobody_answers_is_no_connection() -> None:
    assert Pulse(latency=61.0, servers=1, running=0, waiting=0).well is False
    assert "halubot_bot_heartbeat_seconds" not in "".join(exposition(Activity(), GONE))


@pytest.mark.parametrize("text", ["9105", "127.0.0.1", "127.0.0.1:x", ":9105", "h:70000"])
def test_what_is_no_address_is_told(text: str) -> None:
    with pytest.raises(SettingError, match=r"HOST:PORT"):
        parse_address(text)


def test_an_address_that_is_taken_is_told() -> None:
    async def whole(address: str) -> None:
        async with healthy(address, Activity(), lambda: GONE):
            pass

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(HalubotError, match=r"discord\.health"):
            asyncio.run(whole(f"127.0.0.1:{taken.getsockname()[1]}"))


def test_a_check_is_logged_by_ids_and_numbers(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "halubot.checks"):
        noted()
    first, second = caplog.records
    assert "Ada" not in first.getMessage()
    line = json.loads(JsonLines().format(first))
    assert line["event"] == "check"
    assert (line["server"], line["channel"], line["user"]) == (9, 7, 5)
    assert (line["contradicted"], line["supported"], line["calls"]) == (1, 0, 0)
    assert line["time"].endswith("+00:00")
    assert "outcome=declined" in second.getMessage()


@contextmanager
def untouched_root() -> Iterator[None]:
    """The root logger without handlers, as a program begins; put back at the end."""
    root, own = logging.getLogger(), logging.getLogger("halubot")
    kept, level = root.handlers[:], own.level
    root.handlers[:] = []
    try:
        yield
    finally:
        root.handlers[:] = kept
        own.setLevel(level)


def test_json_is_one_object_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    with untouched_root():
        begin("json", verbose=True)
        logging.getLogger("halubot.discord").info("connected\nas %s", "é")
        logging.getLogger("discord").info("a library's own words")
    (line,) = capsys.readouterr().err.splitlines()
    assert json.loads(line)["message"] == "connected\nas é"


def test_without_more_words_its_start_and_warnings_are_written(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with untouched_root():
        begin("text", verbose=False)
        logging.getLogger("halubot.discord").info("connected")
        logging.getLogger("halubot.discord").warning("the connection broke")
        process.START.info("connected to Discord")
    line, start = capsys.readouterr().err.splitlines()
    assert start.endswith("INFO halubot.start: connected to Discord")
    assert line.endswith("WARNING halubot.discord: the connection broke")


def test_the_supervisor_hears(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as hears:
        hears.bind(str(tmp_path / "s"))
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "s"))
        assert process.notify(process.READY)
        assert hears.recv(100) == b"READY=1"
    assert not process.notify(process.ALIVE)  # nobody listens any more
    monkeypatch.delenv("NOTIFY_SOCKET")
    assert not process.notify(process.ALIVE)


@pytest.mark.parametrize(
    ("micro", "pid", "seconds"),
    [("120000000", "", 120.0), ("", "", None), ("x", "", None), ("0", "", None), ("5", "1", None)],
)
def test_the_watchdog_is_asked_for_by_the_supervisor(
    micro: str, pid: str, seconds: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", micro)
    monkeypatch.setenv("WATCHDOG_PID", pid)
    assert process.watchdog_seconds() == seconds
