"""How the Discord bot holds out: many checks at once, its first reaction, memory, plain checks.

    python benchmarks/discord_bot.py                  all of it, in a few minutes
    python benchmarks/discord_bot.py --only checks    checks, memory or plain

The real client of discord.py, on a Discord of this machine (tests/discord_peer), with a model of
this machine that takes 200 ms for an answer; nothing goes online. Both run in one process, so the
figures hold what the loopback Discord takes too.
"""

from __future__ import annotations

import asyncio
import gc
import os
import resource
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import click

sys.path.insert(0, str(Path(__file__).parent.parent))

from halubot_bots.checks import Checks
from halubot_bots.desk import Desk
from halubot_bots.discord.bot import HalubotClient
from halubot_bots.settings import OwnerLimits, Quota, ServerSettings
from halubot_bots.store import Memory
from tests.discord_peer import Channel, Guild, Interaction, Message, Peer
from tests.judge import Judge
from tests.loopback import Body, Reply, loopback

CHECKS, CHANNELS, WITHIN = 200, 20, 10.0
PEOPLE = 50
"""Who ask; one person may wait for four answers at a time."""
MESSAGES = 5_000
MODEL_SECONDS = 0.2
INTERVAL = 2.0
TEXT = "Ada Lovelace was born in {} in London. She wrote notes on the Analytical Engine."
RIGHT = TEXT.format(1815)
FILES = {"ada.txt": RIGHT.encode()}
"""What the watched messages are compared with."""

Row = tuple[str, str, str, bool]
"""What was measured, what came out, what it must reach, and whether it did."""


@asynccontextmanager
async def bot(
    limits: OwnerLimits, settings: dict[str, Any], channels: int = 1
) -> AsyncIterator[tuple[Peer, HalubotClient, Guild]]:
    """The bot in a server with so many channels."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        memory, checks = Memory.open(folder), Checks(limits.at_once, store=folder / "store")
        desk = Desk.opened(limits, memory, checks)
        try:
            async with Peer.open(running_clock=True) as peer:
                peer.gateway.interval = INTERVAL
                names = tuple(f"channel-{at}" for at in range(channels))
                guild = peer.guild("server", channels=names)
                server = ServerSettings(
                    of_user=Quota(), of_channel=Quota(), of_server=Quota(), **settings
                )
                await desk.set(guild.id, server)
                client = HalubotClient(
                    desk, settled=0.0, connector=peer.connector(), guild_ready_timeout=0.05
                )
                async with peer.running(client):
                    yield peer, client, guild
        finally:
            await asyncio.to_thread(checks.close)
            memory.close()


async def checks() -> list[Row]:
    """200 checks asked in 10 s over 20 channels, each of a message of its own, with a model."""
    judge = Judge(answer=RIGHT, samples=(RIGHT,))

    def reply(body: Body) -> Reply:
        time.sleep(MODEL_SECONDS)
        return judge.reply(body)

    with loopback() as model:
        model.answer(reply)
        limits = OwnerLimits(models=("openai/gpt-4o-mini",), api_base=model.url, at_once=16)
        async with bot(limits, {"method": "consensus", "samples": 2}, CHANNELS) as found:
            peer, client, guild = found
            people = [peer.member(guild, f"Ben {at}") for at in range(PEOPLE)]
            places = list(guild.channels.values())
            messages = [
                await peer.says(
                    people[at % PEOPLE],
                    places[at % CHANNELS],
                    f"Message {at}. {TEXT.format(1600 + at)}",
                )
                for at in range(CHECKS)
            ]
            await peer.heard()
            begin = time.monotonic()
            uses = await asyncio.gather(
                *(
                    asked(peer, people[at % PEOPLE], one, at * WITHIN / CHECKS)
                    for at, one in enumerate(messages)
                )
            )
            await peer.until(lambda: all(map(ended, uses)), "all checks", 300)
            took = time.monotonic() - begin
            used = client.desk.quotas.used("all")
            (session,) = peer.gateway.connected
            late = session.lateness(INTERVAL)
            slowest = max((use.answered_at or 0) - use.asked_at for use in uses)
            lost = sum(client.desk.memory.report(one.id, "facts") is None for one in messages)
            twice = sum(
                n > 1
                for n in Counter(
                    one.path for one in peer.requests if one.path.endswith("/callback")
                ).values()
            )
            calls = len(model.received)
    return [
        ("checks that ended", f"{sum(map(ended, uses))} of {CHECKS} in {took:.0f} s", "all", True),
        ("answered twice; lost", f"{twice}; {lost}", "none", not twice and not lost),
        (
            "counted: checks; calls",
            f"{used.checks}; {used.calls} of {calls} asked",
            "exact",
            used.checks == CHECKS and used.calls == calls,
        ),
        ("slowest first reaction", f"{slowest * 1000:.0f} ms", "1000 ms", slowest < 1),
        ("latest heartbeat", f"{late * 1000:.0f} ms", "1000 ms", late < 1),
    ]


async def asked(peer: Peer, user: Any, message: Message, after: float) -> Interaction:
    """One use of the menu, so many seconds later."""
    await asyncio.sleep(after)
    return await peer.uses_menu(user, message, "Check facts")


def ended(use: Interaction) -> bool:
    """Whether the result is shown."""
    return " facts " in use.text and "Checking" not in use.text


async def plain() -> list[Row]:
    """Checks against other answers, without a model, one after the other."""
    times: list[float] = []
    reactions: list[float] = []
    async with bot(OwnerLimits(), {}) as (peer, _, guild):
        ben, place = peer.member(guild, "Ben"), guild.channel("channel-0")
        for at in range(40):
            question = await peer.says(ben, place, "Who was Ada Lovelace?")
            for number in range(3):
                other = peer.member(guild, peer.user(f"bot {at} {number}", bot=True))
                await peer.says(other, place, f"{RIGHT} Indeed {number}.", reply_to=question)
            message = await peer.says(ben, place, TEXT.format(1600 + at), reply_to=question)
            await peer.heard()
            begin = time.monotonic()
            use = await peer.uses_menu(ben, message, "Check against these")
            reactions.append(time.monotonic() - begin)
            await peer.until(lambda use=use: "1815" in use.text, "the card")  # type: ignore[misc]
            times.append(time.monotonic() - begin)
            peer.forgets()
    worst = statistics.quantiles(times, n=20)[-1]
    return [
        (
            "first reaction, median",
            f"{statistics.median(reactions) * 1000:.0f} ms",
            "1000 ms",
            max(reactions) < 1,
        ),
        (
            "a consensus check without a model, 95th percentile",
            f"{worst * 1000:.0f} ms",
            "300 ms",
            worst < 0.3,
        ),
    ]


async def memory() -> list[Row]:
    """5,000 messages of a watched bot, annotated one after the other."""
    limits = OwnerLimits(per_minute=600)
    sizes: list[float] = []
    async with bot(limits, {}, CHANNELS) as (peer, client, guild):
        other = peer.member(guild, peer.user("Other", bot=True))
        ben = peer.member(guild, "Ben")
        places: list[Channel] = list(guild.channels.values())
        now = await client.desk.settings(guild.id)
        watched = {
            "on": True,
            "authors": frozenset({other.id}),
            "channels": frozenset(one.id for one in places),
        }
        await client.desk.set(guild.id, now.model_copy(update=watched))
        for start in range(0, MESSAGES, 100):
            for at in range(start, start + 100):
                author = other if at % 5 == 0 else ben
                text = f"{at}: {TEXT.format(1600)}"
                await peer.says(author, places[at % CHANNELS], text, files=FILES)
            await peer.heard()
            await peer.until(
                lambda: not client.annotator.busy and not client.desk.memory.in_work(), "quiet", 120
            )
            peer.forgets()
            gc.collect()
            sizes.append(resident())
    first, last = sizes[len(sizes) // 5], sizes[-1]
    return [
        (
            f"memory over {MESSAGES} messages",
            f"{first:.0f} MB after {MESSAGES // 5}, {last:.0f} MB at the end",
            "flat (+10 %)",
            last < first * 1.1,
        ),
    ]


def resident() -> float:
    """Megabytes this process holds now."""
    status = Path("/proc/self/statm")
    if status.exists():
        pages = int(status.read_text().split()[1])
        return pages * resource.getpagesize() / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


PARTS: dict[str, Callable[[], Coroutine[Any, Any, list[Row]]]] = {
    "checks": checks,
    "plain": plain,
    "memory": memory,
}


@click.command()
@click.option("--only", type=click.Choice(list(PARTS)))
def main(only: str | None) -> None:
    """Prints a table in Markdown; ends with 1 where something was not reached."""
    os.environ.setdefault("OPENAI_API_KEY", "no key")
    failed = False
    click.echo("| measure | found | must be | |\n| --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as state:
        os.environ["HALUBOT_STATE"] = state
        for name, part in PARTS.items():
            if only in (None, name):
                for what, found, goal, reached in asyncio.run(part()):
                    click.echo(f"| {what} | {found} | {goal} | {'yes' if reached else 'no'} |")
                    failed = failed or not reached
    raise SystemExit(int(failed))


if __name__ == "__main__":
    main()
