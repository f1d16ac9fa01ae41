"""The health of a bot: its activity in numbers, for `/status`, and a page for supervisors."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, get_args

from aiohttp import web

from halubot.errors import HalubotError, SettingError, explain
from halubot.verdicts import Verdict

if TYPE_CHECKING:
    from halubot.report import Report
    from halubot_bots.policy import Ask

UNWELL_SECONDS: Final = 60.0
"""A heartbeat that is not answered for so long counts as no connection."""


@dataclass(frozen=True, slots=True)
class Pulse:
    """The present state of the bot. ``latency`` is that of its heartbeat in seconds, None if it is
    not connected; ``running`` and ``waiting`` count checks."""

    latency: float | None
    servers: int
    running: int
    waiting: int

    @property
    def well(self) -> bool:
        """True if it is connected and its heartbeats are answered."""
        return self.latency is not None and self.latency < UNWELL_SECONDS


def parse_address(text: str) -> tuple[str, int]:
    """Parse ``HOST:PORT``. Raises SettingError."""
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or int(port) >= 1 << 16:
        raise SettingError(
            f"discord.health in the settings file is {text!r:.60}, not HOST:PORT such as"
            " 127.0.0.1:9105"
        )
    return host.strip("[]"), int(port)


@asynccontextmanager
async def healthy(
    address: str, activity: Activity, pulse: Callable[[], Pulse]
) -> AsyncIterator[int]:
    """Serve the page at ``HOST:PORT`` and give its port; port 0 is any that is free. Raises
    SettingError for what is no address, HalubotError if it cannot listen there."""
    host, port = parse_address(address)

    async def health(_: web.Request) -> web.Response:
        now = pulse()
        told = {
            "status": "ok" if now.well else "not connected",
            "latency_seconds": now.latency,
            "servers": now.servers,
            "running": now.running,
            "waiting": now.waiting,
            "up_seconds": round(activity.up_seconds, 1),
        }
        # 503 for supervisors that look at the status alone.
        return web.json_response(told, status=200 if now.well else 503)

    async def metrics(_: web.Request) -> web.Response:
        return web.Response(text="".join(exposition(activity, pulse())), content_type="text/plain")

    app = web.Application()
    app.add_routes([web.get("/healthz", health), web.get("/metrics", metrics)])
    # Supervisors ask every few seconds: each would write a line.
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, port)
        try:
            await site.start()
        except OSError as error:
            raise HalubotError(
                f"cannot listen at {address} (discord.health in the settings file):"
                f" {explain(error)}"
            ) from error
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()


def exposition(activity: Activity, now: Pulse) -> Iterator[str]:
    """The lines that Prometheus reads (its text format, version 0.0.4)."""
    checks = {
        f'{{cause="{cause}",outcome="{outcome}"}}': count
        for (cause, outcome), count in sorted(activity.checks.items())
    }
    facts = {f'{{verdict="{name}"}}': count for name, count in sorted(activity.facts.items())}
    yield from _metric("checks_total", "counter", "Checks by cause and outcome.", checks)
    yield from _metric("facts_total", "counter", "Facts by verdict.", facts)
    for name, kind, about, value in (
        ("calls_total", "counter", "Calls to models.", activity.calls),
        ("cost_usd_total", "counter", "Dollars, as far as prices are known.", activity.dollars),
        ("check_seconds_total", "counter", "Seconds of all checks.", activity.seconds),
        ("up_seconds", "gauge", "Seconds since the start.", activity.up_seconds),
        ("connected", "gauge", "1 if connected.", int(now.well)),
        ("heartbeat_seconds", "gauge", "Latency of the heartbeat.", now.latency),
        ("servers", "gauge", "Servers that the bot is in.", now.servers),
        ("running", "gauge", "Checks under way.", now.running),
        ("waiting", "gauge", "Checks that wait for their turn.", now.waiting),
    ):
        # Left out rather than 0: without a heartbeat there is no latency.
        if value is not None:
            yield from _metric(name, kind, about, {"": value})


def _metric(name: str, kind: str, about: str, values: Mapping[str, float | int]) -> Iterator[str]:
    yield f"# HELP halubot_bot_{name} {about}\n# TYPE halubot_bot_{name} {kind}\n"
    yield from (f"halubot_bot_{name}{labels} {value:.10g}\n" for labels, value in values.items())


LOG: Final = logging.getLogger("halubot.checks")

Outcome = Literal["finished", "declined", "failed", "stopped"]


@dataclass(slots=True)
class Activity:
    """Counts since ``began`` (seconds of `time.monotonic`). ``checks`` are counted by what asked
    for them and how they ended, ``facts`` by verdict."""

    began: float = field(default_factory=time.monotonic)
    checks: Counter[tuple[str, Outcome]] = field(default_factory=Counter)
    facts: Counter[str] = field(default_factory=Counter)
    calls: int = 0
    dollars: float = 0.0
    seconds: float = 0.0

    @property
    def up_seconds(self) -> float:
        """The seconds since the start."""
        return time.monotonic() - self.began

    def note(self, ask: Ask, outcome: Outcome, seconds: float, report: Report | None) -> None:
        """Count a check that ended, and write a line of it to the log: ids and numbers, no words
        of anybody."""
        self.checks[ask.cause, outcome] += 1
        self.seconds += seconds
        told = {
            "cause": ask.cause,
            "outcome": outcome,
            "server": ask.server,
            "channel": ask.channel,
            "user": ask.user,
            "seconds": round(seconds, 3),
        }
        if report is not None:
            verdicts = Counter(fact.verdict for fact in report.facts)
            self.facts.update(verdicts)
            self.calls += report.usage.calls
            self.dollars += report.usage.cost_usd or 0.0
            told |= {name: verdicts[name] for name in get_args(Verdict)}
            told |= {"calls": report.usage.calls, "dollars": report.usage.cost_usd}
        words = " ".join(f"{name}={value}" for name, value in told.items() if value is not None)
        LOG.info("check %s", words, extra={"told": {"event": "check", **told}})
