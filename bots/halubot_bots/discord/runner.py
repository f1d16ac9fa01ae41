"""Starting the bot with its owner's settings, and stopping it cleanly."""

from __future__ import annotations

import asyncio
import logging
import signal
from contextlib import AsyncExitStack, suppress
from typing import TYPE_CHECKING, Any, Final

from halubot.interrupt import end_soon
from halubot_bots import supervisor
from halubot_bots.alone import Alone
from halubot_bots.checks import Checks
from halubot_bots.desk import Desk
from halubot_bots.discord.bot import HalubotClient
from halubot_bots.discord.supervisor import serve
from halubot_bots.health import Pulse, healthy
from halubot_bots.store import Memory

if TYPE_CHECKING:
    from pathlib import Path

    from halubot_bots.settings import OwnerLimits

LOG: Final = logging.getLogger("halubot.discord")


async def run(
    token: str, owner: OwnerLimits, *, folder: Path | None = None, **options: Any
) -> None:
    """Runs the bot until it is told to stop (ctrl+C, SIGTERM). ``options`` are those of the client:
    its connector, in tests. Raises what `supervising.serve` and `Memory.open` raise, and StateError
    where another bot runs over the same folder."""
    with Alone(folder):
        await _run(token, owner, folder, options)


async def _run(
    token: str, owner: OwnerLimits, folder: Path | None, options: dict[str, Any]
) -> None:
    memory = await asyncio.to_thread(Memory.open, folder)
    checks = Checks(owner.at_once, store=folder / "store" if folder else None)
    desk = Desk.opened(owner, memory, checks)
    released = await asyncio.to_thread(desk.quotas.release)
    if released:
        LOG.warning("%d checks had been broken off: their reservations are released", released)
    clients: list[HalubotClient] = []

    def make() -> HalubotClient:
        clients[:] = [HalubotClient(desk, reads_content=owner.reads_content, **options)]
        return clients[0]

    def pulse() -> Pulse:
        return clients[0].pulse if clients else Pulse(None, 0, 0, 0)

    async def whole() -> None:
        async with AsyncExitStack() as stack:
            if owner.health:
                port = await stack.enter_async_context(healthy(owner.health, desk.activity, pulse))
                LOG.info("its health is told at port %d", port)
            await serve(make, token)

    serving = asyncio.ensure_future(whole())
    loop = asyncio.get_running_loop()

    def stop() -> None:
        serving.cancel()
        end_soon(0)  # what the bot keeps, it keeps as it would be killed

    for name in (signal.SIGTERM, signal.SIGINT):
        with suppress(NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(name, stop)
    try:
        await serving
    except asyncio.CancelledError:
        LOG.info("stopped")
    finally:
        supervisor.notify(supervisor.STOPPING)
        await asyncio.to_thread(checks.close)
        await asyncio.to_thread(memory.close)
