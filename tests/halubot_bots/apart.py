"""halubot in a process of its own, as it is installed, on a loopback Discord.

Nothing is shared with it but its connection, its folder and its pipes: it reads a JSON object
(port, certificate, token, folder, owner, options of the client), then answers each line when it has
nothing left to do.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.discord_peer import Peer
from tests.discord_peer.connecting import connector

if TYPE_CHECKING:
    from halubot_bots.discord.client import HalubotClient


class Apart:
    """A process that runs the bot. ``folder`` keeps what it knows from one start to the next."""

    def __init__(self, peer: Peer, folder: Path, owner: dict[str, Any], client: Any) -> None:
        self._peer = peer
        self._folder = folder
        self._told = {"owner": owner, "client": client}
        self._process: Process | None = None

    async def start(self) -> None:
        """Starts it, and waits until it is connected."""
        gateway, before = self._peer.gateway, self._peer.gateway.identified
        told = self._told | {
            "port": self._peer.port,
            "certificate": self._peer.certificate.decode(),
            "token": self._peer.token,
            "folder": str(self._folder),
        }
        environment = {**os.environ, "HALUBOT_STATE": str(self._folder), "OPENAI_API_KEY": "none"}
        del environment["HALUBOT_VERIFIER"]  # it has the one that it ships with
        with (self._folder / "log").open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "tests.halubot_bots.apart"),
                stdin=PIPE,
                stdout=PIPE,
                stderr=log,
                cwd=Path(__file__).parents[2],
                env=environment,
            )
        self._write(told)
        await self._peer.until(
            lambda: gateway.identified > before and gateway.connected and self._peer.commands,
            f"that the process connects: {self.log()[-2000:]}",
            240.0,
        )

    async def quiet(self) -> None:
        """Returns once it has done all that follows from what it was told."""
        await self._peer.heard()
        self._write(None)
        assert self._process is not None
        assert self._process.stdout is not None
        async with asyncio.timeout(300):
            assert await self._process.stdout.readline(), self.log()[-2000:]

    def _write(self, told: object) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(told).encode() + b"\n")

    async def kill(self) -> None:
        """Kills it without a word of warning."""
        assert self._process is not None
        gateway, before = self._peer.gateway, len(self._peer.gateway.connected)
        self._process.kill()
        await self._process.wait()
        await self._peer.until(lambda: len(gateway.connected) < before, "the end of its session")

    async def stop(self) -> int:
        """Asks it to stop; its exit status."""
        assert self._process is not None
        if self._process.returncode is None:
            self._process.send_signal(signal.SIGTERM)
        return await self._process.wait()

    def log(self) -> str:
        """What it wrote to its log."""
        file = self._folder / "log"
        return file.read_text(encoding="utf-8") if file.exists() else ""

    def work(self) -> float:
        """The seconds of a processor that it and the processes that check took so far (Linux)."""
        assert self._process is not None
        ticks = 0
        for pid in _with_children(self._process.pid):
            with suppress(OSError):  # it has ended meanwhile
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                ticks += sum(map(int, fields[11:15]))  # its own, and of children that ended
        return ticks / os.sysconf("SC_CLK_TCK")


def _with_children(pid: int) -> Iterator[int]:
    yield pid
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield from _with_children(int(child))


@asynccontextmanager
async def apart(
    peer: Peer, folder: Path, *, client: dict[str, Any] | None = None, **owner: Any
) -> AsyncIterator[Apart]:
    """The bot in a process of its own until the end of the block; ``client`` are options of its
    client."""
    made = Apart(peer, folder, owner, client or {})
    await made.start()
    try:
        yield made
    finally:
        await made.stop()


def is_hearing() -> bool:
    """Whether a handler of an event works in this process."""
    names = (one.get_name() for one in asyncio.all_tasks())
    return any(
        one.startswith("discord.py: ") and not one.startswith("discord.py: shard") for one in names
    )


def is_quiet(client: HalubotClient) -> bool:
    """Whether a client in this process is ready and does nothing, and no handler of an event
    works."""
    waiting = any(one.task is not None for one in client.watcher._questions.values())
    sends = client.cards.sending.busy or client.deletions.sweeping.busy
    return client.is_ready() and not (waiting or sends or is_hearing())


def main() -> None:
    """Runs the bot as `halubot discord` does, on the loopback Discord."""
    from halubot.errors import HalubotError
    from halubot_bots.discord import client, runner
    from halubot_bots.settings import owner_limits

    told = json.loads(sys.stdin.buffer.readline())
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    made: list[HalubotClient] = []

    class Kept(client.HalubotClient):
        def __init__(self, *args: Any, **options: Any) -> None:
            # Each client closes its own.
            own = connector(told["port"], told["certificate"].encode())
            super().__init__(*args, connector=own, **options)
            made.append(self)

    async def answer() -> None:
        reader = asyncio.StreamReader()
        loop = asyncio.get_running_loop()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        while await reader.readline():
            while not is_quiet(made[-1]):  # noqa: ASYNC110 - the client tells nobody of it
                await asyncio.sleep(0.002)
            print(flush=True)

    async def run() -> None:
        answering = asyncio.create_task(answer())
        runner.HalubotClient = Kept  # type: ignore[attr-defined]
        await runner.run(
            told["token"],
            owner_limits(told["owner"]),
            folder=Path(told["folder"]),
            guild_ready_timeout=0.05,
            **told["client"],
        )
        answering.cancel()

    try:
        asyncio.run(run())
    except HalubotError as error:
        print(error, file=sys.stderr)
        raise SystemExit(error.exit_status) from error


if __name__ == "__main__":
    main()
