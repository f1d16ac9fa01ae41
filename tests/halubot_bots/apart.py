"""halubot in a process of its own, as it is installed, on a loopback Discord whose clock runs.

Nothing is shared with it but its connection and its folder. The program reads a JSON object: port,
certificate, token, folder, owner, options of the client.
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
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.discord_peer import Peer
from tests.discord_peer.connecting import connector


class Apart:
    """A process that runs the bot. ``folder`` keeps what it knows from one start to the next."""

    def __init__(self, peer: Peer, folder: Path, owner: dict[str, Any]) -> None:
        self._peer = peer
        self._folder = folder
        self._owner = owner
        self._process: Process | None = None

    async def start(self) -> None:
        """Starts it, and waits until it is connected."""
        gateway, before = self._peer.gateway, self._peer.gateway.identified
        told = {
            "port": self._peer.port,
            "certificate": self._peer.certificate.decode(),
            "token": self._peer.token,
            "folder": str(self._folder),
            "owner": self._owner,
        }
        with (self._folder / "log").open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "tests.halubot_bots.apart"),
                stdin=PIPE,
                stdout=DEVNULL,
                stderr=log,
                cwd=Path(__file__).parents[2],
                env={**os.environ, "HALUBOT_STATE": str(self._folder), "OPENAI_API_KEY": "none"},
            )
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(told).encode())
        self._process.stdin.close()
        await self._peer.until(
            lambda: gateway.identified > before and gateway.connected and self._peer.commands,
            f"that the process connects: {self.log()[-2000:]}",
            90.0,
        )

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


def main() -> None:
    """Runs the bot as `halubot discord` does, on the loopback Discord."""
    from halubot.errors import HalubotError
    from halubot_bots.discord import runner
    from halubot_bots.settings import owner_limits

    told = json.load(sys.stdin)
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)

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
