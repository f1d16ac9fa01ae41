"""The bot at work: its start, its reconnection, and its stop."""

from __future__ import annotations

import asyncio
import signal
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import discord

from halubot.errors import HalubotError
from halubot.interrupt import end_soon
from halubot.models import panel
from halubot.workers import Workers
from halubot_bots import process
from halubot_bots.budgets import Budgets
from halubot_bots.check_queue import CheckQueue
from halubot_bots.discord.client import HalubotClient
from halubot_bots.discord.errors import LOG
from halubot_bots.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from halubot_bots.settings import OwnerLimits

FIRST_SECONDS: Final = 1.0
"""The pause before the second try; each further one is twice as long."""

LONGEST_SECONDS: Final = 900.0
"""The longest pause between two tries."""

STEADY_SECONDS: Final = 300.0
"""After so long a connection counts as good: the next pause is short again."""

FEW: Final = 5
"""Sessions left to begin today below which the bot waits for the next day's: Discord takes the
token back from who begins more than it allows."""

REFUSED: Final = 78
"""The exit status (EX_CONFIG) after which a service must not be restarted: deploy/ has it."""


class RefusedError(HalubotError):
    """Discord refuses the token or an intent, which no second try mends."""

    exit_status = REFUSED


REFUSALS: Final[dict[type[Exception], str]] = {
    discord.LoginFailure: "Discord refuses the token: copy it again from the application's page,"
    " under Bot, and put it in the variable HALUBOT_DISCORD_TOKEN",
    discord.PrivilegedIntentsRequired: "Discord refuses the message content intent: switch on"
    " MESSAGE CONTENT INTENT on the application's page, under Bot, or set reads_content = false"
    " under [discord] in the settings file; menus and commands work without it",
}


async def serve(
    make: Callable[[], HalubotClient], token: str, *, first: float = FIRST_SECONDS
) -> None:
    """Run the bot until it is cancelled. Raises RefusedError."""
    pause = first
    while True:
        # A new client for each try: discord.py cannot use one again that was closed.
        client = make()
        begun = None
        try:
            async with client:
                await client.login(token)
                # After the login, which uses up no session, and before the connection, which does.
                await _wait_for_sessions(client)
                begun = time.monotonic()
                await client.connect()
            return
        except tuple(REFUSALS) as error:
            raise RefusedError(REFUSALS[type(error)]) from error
        except Exception as error:  # noqa: BLE001 - a broken frame of Discord's may raise anything
            LOG.warning("the connection broke (%s): again in %.0f s", type(error).__name__, pause)
        # Only after a steady connection: one that breaks at once is tried less and less often.
        if begun is not None and time.monotonic() - begun > STEADY_SECONDS:
            pause = first
        await asyncio.sleep(pause)
        pause = min(2 * pause, LONGEST_SECONDS)


async def _wait_for_sessions(client: HalubotClient) -> None:
    """Wait until Discord lets the bot begin a session without coming near the limit of a day."""
    limits = await client.fetch_session_start_limits()
    if limits.remaining < min(FEW, limits.total):
        wait = limits.reset_after / 1000
        LOG.warning("Discord allows %d more sessions: waiting %.0f s", limits.remaining, wait)
        await asyncio.sleep(wait)


async def run(
    token: str, owner: OwnerLimits, *, folder: Path | None = None, **options: Any
) -> None:
    """Run the bot until it is told to stop (ctrl+C, SIGTERM). Further ``options`` are those of the
    client, of which each connection has a new one. Raises what `serve` and `Store.open` raise, and
    StateError if another bot runs over the same folder."""
    with process.alone(folder):
        store = await asyncio.to_thread(Store.open, folder)
        budgets = Budgets(store.base)
        await asyncio.to_thread(budgets.settle_all)
        answers = folder / "store" if folder else None
        workers = Workers()
        queue = CheckQueue(owner, budgets, workers.run, store=answers)
        panel.load_library({"model": next(iter(owner.models), ""), **owner.model_settings})
        # Before the connection: after a restart everybody asks again, and a process starts in 1 s.
        warming = asyncio.create_task(workers.warm_up())
        serving = asyncio.ensure_future(
            serve(lambda: HalubotClient(owner, store, budgets, queue, **options), token)
        )
        loop = asyncio.get_running_loop()

        def stop() -> None:
            serving.cancel()
            end_soon(0)  # what the bot keeps, it keeps as it would be killed

        for name in (signal.SIGTERM, signal.SIGINT):
            # Windows has no handlers on a loop, and no thread but the main one may set any.
            with suppress(NotImplementedError, RuntimeError, ValueError):
                loop.add_signal_handler(name, stop)
        try:
            await serving
        except asyncio.CancelledError:
            LOG.info("stopped")
        finally:
            process.notify(process.STOPPING)
            # Before the store is closed: stopped checks settle their budgets there.
            await queue.close()
            warming.cancel()
            await workers.close()
            await asyncio.to_thread(store.close)
