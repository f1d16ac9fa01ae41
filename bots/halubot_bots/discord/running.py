"""Starting the bot with its owner's settings, and stopping it cleanly."""

from __future__ import annotations

import asyncio
import logging
import signal
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from halubot_bots.checking import Checks
from halubot_bots.desk import Desk
from halubot_bots.discord.bot import HalubotClient
from halubot_bots.discord.supervising import serve
from halubot_bots.remembering import Memory

if TYPE_CHECKING:
    from pathlib import Path

    from halubot_bots.settings import OwnerLimits


async def run(
    token: str, owner: OwnerLimits, *, folder: Path | None = None, **options: Any
) -> None:
    """Runs the bot until it is told to stop (ctrl+C, SIGTERM). ``options`` are those of the client:
    its connector, in tests. Raises what `supervising.serve` and `Memory.open` raise."""
    memory = await asyncio.to_thread(Memory.open, folder)
    checks = Checks(owner.at_once, store=folder / "store" if folder else None)
    desk = Desk.opened(owner, memory, checks)
    serving = asyncio.ensure_future(
        serve(lambda: HalubotClient(desk, reads_content=owner.reads_content, **options), token)
    )
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        with suppress(NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(name, serving.cancel)
    try:
        await serving
    except asyncio.CancelledError:
        logging.getLogger("halubot.discord").info("stopped")
    finally:
        await asyncio.to_thread(checks.close)
        await asyncio.to_thread(memory.close)
