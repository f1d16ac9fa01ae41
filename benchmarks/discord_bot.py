"""How the Discord bot holds out: many checks at once, its first reaction, memory, plain checks.

    python -m benchmarks.discord_bot                  all of it, in a few minutes
    python -m benchmarks.discord_bot --only checks    burst, long, checks, memory or plain

The real client of discord.py, on a Discord of this machine (tests/discord_peer), with a model of
this machine that takes 200 ms for an answer; nothing goes online. In "burst" and "long" the bot is
a process of its own, Discord's clock runs and what comes later than 3 s is refused; no model takes
part. The other parts run in one process, so their figures hold what the loopback Discord takes too.
"""

from __future__ import annotations

import asyncio
import gc
import os
import random
import resource
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import click

from halubot_bots.checks import Checks
from halubot_bots.desk import Desk
from halubot_bots.discord.bot import HalubotClient
from halubot_bots.settings import OwnerLimits, Quota, ServerSettings
from halubot_bots.store import Memory
from tests.discord_peer import Channel, Guild, Interaction, Message, Peer, User
from tests.halubot_bots.discord.apart import Apart, apart
from tests.judge import Judge
from tests.loopback import Body, Reply, loopback

CHECKS, CHANNELS, WITHIN = 200, 20, 10.0
PEOPLE = 50
"""Who ask; one person may wait for four answers at a time."""
MESSAGES = 5_000
BURST, SERVERS, BURST_SECONDS = 500, 10, 20.0
FIRST_SIGN = 3.0
"""Seconds that Discord waits for a first answer."""
NOTICED = 5.0
"""Seconds within which people notice that the bot is there again."""
LONG, AT_A_TIME = 2_000, 20
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


@dataclass
class Burst:
    """What came of the wishes of people: ``signs`` are the seconds to the first sign of each use
    whose process was connected and not killed meanwhile, ``done`` counts those whose result was
    shown."""

    peer: Peer
    bot: Apart
    signs: list[float] = field(default_factory=list)
    unheard: int = 0
    broken: int = 0
    refused: int = 0
    done: int = 0
    doubled: int = 0

    async def wish(self, person: User, ask: Callable[[], Awaitable[Interaction]]) -> None:
        """Has a person ask until the result is there, as people do."""
        while True:
            told = list(self.peer.gateway.connected)
            use = await ask()
            if not await _until(partial(_answered, use), FIRST_SIGN, 0.05):
                if told and told == self.peer.gateway.connected:  # not killed before its answer
                    self.signs.append(time.monotonic() - use.asked_at)
                self.unheard += 1
                await _until(lambda: bool(self.peer.gateway.connected), 60, 0.25)
                await asyncio.sleep(random.uniform(0, NOTICED))  # noqa: S311
                continue
            self.signs.append(use.answered_at - use.asked_at)
            assert await _until(partial(_over, use), 600, 0.25), f"no result: {use.data}"
            if "broken off" in use.text:
                self.broken += 1
            elif "already waiting" in use.text or "a little quick" in use.text:
                self.refused += 1
                await asyncio.sleep(1)
            else:
                assert ended(use), use.text
                self.done += 1
                cards = sum(" facts " in one.text for one in (use.response, *use.followups) if one)
                self.doubled += cards > 1
                return


def _answered(use: Interaction) -> bool:
    return bool(use.answer)


def _over(use: Interaction) -> bool:
    return bool(use.text) and "Checking" not in use.text


async def _until(holds: Callable[[], bool], patience: float, pause: float) -> bool:
    """Looks again after each pause; False where it was in vain. (`Peer.until` looks again at each
    change, which is too often for hundreds who wait.)"""
    end = time.monotonic() + patience
    while not holds():
        if time.monotonic() > end:
            return False
        await asyncio.sleep(pause)
    return True


async def burst() -> list[Row]:
    """500 checks in 20 s of 50 people in 10 servers; the bot is killed in the middle and started
    again. Every second one is a menu on a message, the others are commands."""
    with tempfile.TemporaryDirectory() as name:
        async with Peer.open(running_clock=True) as peer:
            names = [f"channel-{at}" for at in range(SERVERS // 2)]
            guilds = [peer.guild(f"server {at}", channels=names) for at in range(SERVERS)]
            people = [
                (peer.member(guilds[at % SERVERS], f"Ben {at}"), guilds[at % SERVERS])
                for at in range(PEOPLE)
            ]
            bots = [peer.user(f"bot {at}", bot=True) for at in range(3)]
            async with apart(peer, Path(name), at_once=4) as bot:
                found = Burst(peer, bot)
                wishes = [await _wish(peer, *people[at % PEOPLE], bots, at) for at in range(BURST)]

                async def later(at: int) -> None:
                    await asyncio.sleep(at * BURST_SECONDS / BURST)
                    await found.wish(people[at % PEOPLE][0], wishes[at])

                begin = time.monotonic()
                running = [asyncio.create_task(later(at)) for at in range(BURST)]
                await asyncio.sleep(BURST_SECONDS / 2)
                await bot.kill()
                died = time.monotonic()
                await bot.start()
                down = time.monotonic() - died
                await asyncio.gather(*running)
                took = time.monotonic() - begin
                size = bot.memory()
            late = sum(one > FIRST_SIGN for one in found.signs)
            refused = [one for one in peer.refused if one.code in {10062, 40060}]
        memory = Memory.open(Path(name))
        counted = Desk.opened(OwnerLimits(), memory, Checks(1)).quotas.use_of("all").checks
        memory.close()
    ranked = sorted(found.signs)
    return [
        (
            "checks that ended, of 500 asked in 20 s",
            f"{found.done} in {took:.0f} s",
            "500",
            found.done == BURST,
        ),
        ("results shown twice", str(found.doubled), "0", not found.doubled),
        (
            "first sign while connected: median, 99th percentile, slowest",
            ", ".join(_ms(ranked[int(len(ranked) * part)]) for part in (0.5, 0.99))
            + f", {_ms(ranked[-1])}",
            "3000 ms",
            not late and not refused,
        ),
        ("down after the kill", f"{down:.1f} s", "-", True),
        (
            "asked again: nobody was there, or was killed; broken off; too many at once",
            f"{found.unheard}; {found.broken}; {found.refused}",
            "-",
            True,
        ),
        (
            "counted by quotas",
            str(counted),
            "500 and what was broken off",
            BURST <= counted <= BURST + found.broken,
        ),
        ("memory", f"{size:.0f} MB", "-", True),
    ]


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms"


async def _wish(
    peer: Peer, person: User, guild: Guild, bots: list[User], at: int
) -> Callable[[], Awaitable[Interaction]]:
    """What a person asks for; ready to be asked."""
    places = list(guild.channels.values())
    place = places[at // SERVERS % len(places)]
    text = f"Message {at}. {TEXT.format(1600 + at)}"
    if at % 2:
        others = "\n---\n".join(f"{RIGHT} Indeed {number}." for number in range(3))
        return partial(
            peer.uses_command, person, place, "check", wait=False, text=text, others=others
        )
    asked = await peer.says(person, place, f"Who was Ada Lovelace, {at}?")
    for number, one in enumerate(bots):
        await peer.says(one, place, f"{RIGHT} Indeed {number}.", reply_to=asked)
    message = await peer.says(person, place, text, reply_to=asked)
    return partial(peer.uses_menu, person, message, "Check against these", wait=False)


async def long() -> list[Row]:
    """2,000 checks, 20 at a time; the memory of the bot's process after each 500."""
    sizes = []
    with tempfile.TemporaryDirectory() as name:
        async with Peer.open(running_clock=True) as peer:
            guild = peer.guild("server")
            memory = Memory.open(Path(name))
            free = ServerSettings(of_user=Quota(), of_channel=Quota(), of_server=Quota())
            memory.set_server(guild.id, free)
            memory.close()
            people = [peer.member(guild, f"Ben {at}") for at in range(PEOPLE)]
            bots = [peer.user(f"bot {at}", bot=True) for at in range(3)]
            async with apart(peer, Path(name)) as bot:
                found = Burst(peer, bot)
                for start in range(0, LONG, AT_A_TIME):
                    asks = range(start, start + AT_A_TIME)
                    wishes = [
                        (
                            people[at % PEOPLE],
                            await _wish(peer, people[at % PEOPLE], guild, bots, at),
                        )
                        for at in asks
                    ]
                    await asyncio.gather(*(found.wish(*one) for one in wishes))
                    peer.forgets()
                    if (start + AT_A_TIME) % 500 == 0:
                        sizes.append(bot.memory())
    shown = ", ".join(f"{size:.0f}" for size in sizes)
    return [
        (
            f"memory of the process after 500, 1,000, 1,500 and {LONG:,} checks",
            f"{shown} MB",
            "flat (+10 %)",
            sizes[-1] < sizes[0] * 1.1,
        ),
        ("of these ended", str(found.done), f"{LONG}", found.done == LONG),
    ]


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
            used = client.desk.quotas.use_of("all")
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
    "burst": burst,
    "long": long,
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
