"""A page that says how the bot is, for supervisors and for Prometheus.

It holds numbers alone, nobody's words or ids. Without a bot that is connected ``/healthz`` answers
503, so that whoever watches it can start it anew.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from aiohttp import web

from halubot.errors import HalubotError, SettingError, explain

if TYPE_CHECKING:
    from halubot_bots.activity import Activity

UNWELL_SECONDS: Final = 60.0
"""A heartbeat that is not answered for so long counts as no connection."""


@dataclass(frozen=True, slots=True)
class Pulse:
    """How the bot is now. ``latency`` is that of its heartbeat in seconds, None if it is not
    connected; ``running`` and ``waiting`` count checks."""

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
        return web.json_response(told, status=200 if now.well else 503)

    async def metrics(_: web.Request) -> web.Response:
        return web.Response(text="".join(exposition(activity, pulse())), content_type="text/plain")

    app = web.Application()
    app.add_routes([web.get("/healthz", health), web.get("/metrics", metrics)])
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, port)
        try:
            await site.start()
        except (OSError, OverflowError) as error:
            raise HalubotError(
                f"cannot listen at {address} (discord.health in the settings file):"
                f" {explain(error) if isinstance(error, OSError) else error}"
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
        if value is not None:
            yield from _metric(name, kind, about, {"": value})


def _metric(name: str, kind: str, about: str, values: Mapping[str, float | int]) -> Iterator[str]:
    yield f"# HELP halubot_bot_{name} {about}\n# TYPE halubot_bot_{name} {kind}\n"
    yield from (f"halubot_bot_{name}{labels} {value:.10g}\n" for labels, value in values.items())
