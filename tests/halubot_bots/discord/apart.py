"""halubot in a process of its own, as it is installed, on a loopback Discord whose clock runs.

Nothing is shared with it but its connection and its folder: what it answers too late is refused,
and it can be killed at any moment. The program reads a JSON object: port, certificate, token,
folder, owner.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import resource
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from halubot_bots.settings import ServerSettings
from halubot_bots.store import Memory
from tests.discord_peer import Guild, Interaction, Peer, User
from tests.discord_peer.connecting import connector


class Apart:
    """A process that runs the bot. ``folder`` keeps all that it knows from one start to the next,
    ``owner`` are its owner's limits."""

    def __init__(self, peer: Peer, folder: Path, owner: Mapping[str, Any]) -> None:
        self._peer = peer
        self._folder = folder
        self._owner = dict(owner)
        self._process: Process | None = None

    async def start(self, *, ready: bool = True) -> None:
        """Starts it, and waits until it is connected unless ``ready`` is off."""
        before = self._peer.gateway.identified
        told = {
            "port": self._peer.port,
            "certificate": self._peer.certificate.decode(),
            "token": self._peer.token,
            "folder": str(self._folder),
            "owner": self._owner,
        }
        log = (self._folder / "log").open("ab")
        with log:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "tests.halubot_bots.discord.apart"),
                stdin=PIPE,
                stdout=DEVNULL,
                stderr=log,
                cwd=Path(__file__).parents[3],
                env={**os.environ, "HALUBOT_STATE": str(self._folder), "OPENAI_API_KEY": "none"},
            )
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(told).encode())
        self._process.stdin.close()
        if ready:
            gateway = self._peer.gateway
            await self._peer.until(
                lambda: gateway.identified > before and gateway.connected and self._peer.commands,
                f"that the process connects: {self.log()[-2000:]}",
            )

    async def kill(self) -> None:
        """Kills it without a word of warning."""
        assert self._process is not None
        gateway = self._peer.gateway
        before = len(gateway.connected)
        self._process.kill()
        await self._process.wait()
        await self._peer.until(lambda: len(gateway.connected) < before, "the end of its session")

    async def stop(self) -> int:
        """Asks it to stop; its exit status."""
        assert self._process is not None
        if self._process.returncode is None:
            self._process.send_signal(signal.SIGTERM)
        return await self._process.wait()

    async def ended(self) -> int:
        """Waits until it ends by itself; its exit status."""
        assert self._process is not None
        return await self._process.wait()

    def log(self) -> str:
        """What it wrote to its log."""
        file = self._folder / "log"
        return file.read_text(encoding="utf-8") if file.exists() else ""

    def memory(self) -> float:
        """Megabytes that it holds now (Linux)."""
        assert self._process is not None
        pages = int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1])
        return pages * resource.getpagesize() / 1e6


@asynccontextmanager
async def apart(peer: Peer, folder: Path, **owner: Any) -> AsyncIterator[Apart]:
    """The bot in a process of its own until the end of the block."""
    made = Apart(peer, folder, owner)
    await made.start()
    try:
        yield made
    finally:
        await made.stop()


def run_apart(
    folder: Path,
    work: Callable[[Peer, Guild, Apart], Awaitable[None]],
    *,
    watched: bool = False,
    **owner: Any,
) -> None:
    """Does some work with a bot in a process of its own, in a server with the channels "answers"
    and "general" and the bots First and Second. ``watched``: what First writes in "answers" is
    annotated once it has stayed as it is for a second."""

    async def whole() -> None:
        async with Peer.open(running_clock=True) as peer:
            guild = peer.guild("server", channels=("answers", "general"))
            first = peer.member(guild, peer.user("First", bot=True))
            peer.member(guild, peer.user("Second", bot=True))
            if watched:
                set_watch(folder, guild, [guild.channel("answers").id], [first.id])
            async with apart(peer, folder, **owner) as bot:
                await work(peer, guild, bot)
            assert not peer.refused, peer.refused

    asyncio.run(whole())


def set_watch(folder: Path, guild: Guild, channels: list[int], authors: list[int]) -> None:
    """Sets what is watched in a server; while no process runs over the folder."""
    set_server(folder, guild, on=True, channels=channels, authors=authors, settled=1)


def set_server(folder: Path, guild: Guild, **settings: Any) -> None:
    """Sets a server; while no process runs over the folder."""
    made = ServerSettings.model_validate(settings)
    memory = Memory.open(folder)
    memory.set_server(guild.id, made)
    for channel in made.channels:
        memory.watch_from(channel, guild.id, 1)
    memory.close()


def member(guild: Guild, name: str) -> User:
    """The member of this name."""
    return next(one.user for one in guild.members.values() if one.user.name == name)


def waited(use: Interaction) -> float:
    """Seconds from the use to the first sign."""
    assert use.answered_at
    return use.answered_at - use.asked_at


def main() -> None:
    """Runs the bot as `halubot discord` does, on the loopback Discord."""
    from halubot.errors import HalubotError
    from halubot_bots.discord import runner
    from halubot_bots.settings import owner_limits

    told = json.load(sys.stdin)
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    logging.getLogger("halubot").setLevel(logging.INFO)

    async def run() -> None:
        await runner.run(
            told["token"],
            owner_limits(told["owner"]),
            folder=Path(told["folder"]),
            connector=connector(told["port"], told["certificate"].encode()),
            guild_ready_timeout=0.05,
        )

    try:
        asyncio.run(run())
    except HalubotError as error:
        print(error, file=sys.stderr)
        raise SystemExit(error.exit_status) from error


if __name__ == "__main__":
    main()
