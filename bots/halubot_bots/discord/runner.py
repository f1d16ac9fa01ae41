"""The bot at work: its check-up, its start with its owner's settings, reconnection, and its
stop."""

from __future__ import annotations

import asyncio
import logging
import signal
import time
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import discord

from halubot.errors import HalubotError
from halubot.interrupt import end_soon
from halubot.models import panel
from halubot_bots import process
from halubot_bots.checks import Checks
from halubot_bots.desk import Desk
from halubot_bots.discord.bot import HalubotClient
from halubot_bots.health import Pulse, healthy
from halubot_bots.process import Alone
from halubot_bots.store import Memory

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from pathlib import Path

    from halubot_bots.settings import OwnerLimits

LOG: Final = logging.getLogger("halubot.discord")

FIRST_SECONDS: Final = 1.0
"""The pause before the second try; each further one is twice as long."""

LONGEST_SECONDS: Final = 900.0
"""The longest pause between two tries."""

STEADY_SECONDS: Final = 300.0
"""After so long a connection counts as good: the next pause is short again."""

FEW: Final = 5
"""Sessions that are left to begin today below which the bot waits for the next day's: Discord
takes the token back from who begins more than it allows."""

REFUSED: Final = 78
"""The exit status (EX_CONFIG) after which a service must not be restarted: deploy/ has it."""


class TokenError(HalubotError):
    """Discord refuses the token."""

    exit_status = REFUSED

    def __init__(self) -> None:
        super().__init__(
            "Discord refuses the token: copy it again from the application's page, under Bot, and"
            " put it in the variable HALUBOT_DISCORD_TOKEN"
        )


class IntentError(HalubotError):
    """Discord refuses an intent."""

    exit_status = REFUSED

    def __init__(self) -> None:
        super().__init__(
            "Discord refuses the message content intent: switch on MESSAGE CONTENT INTENT on the"
            " application's page, under Bot, or set reads_content = false under [discord] in the"
            " settings file; menus and commands work without it"
        )


async def serve(
    make: Callable[[], HalubotClient], token: str, *, first: float = FIRST_SECONDS
) -> None:
    """Run the bot until it is cancelled. Raises TokenError and IntentError, which no second try
    mends."""
    pause = first
    while True:
        # A new client for each try: discord.py cannot use one again that was closed.
        client = make()
        begun = None
        try:
            async with client:
                await client.login(token)
                # After the login, which uses up no session, and before the connection, which uses
                # up one.
                await _sessions_left(client)
                begun = time.monotonic()
                await client.connect()
            return
        except discord.LoginFailure as error:
            raise TokenError from error
        except discord.PrivilegedIntentsRequired as error:
            raise IntentError from error
        except Exception as error:  # noqa: BLE001 - a broken frame of Discord's may raise anything
            LOG.warning("the connection broke (%s): again in %.0f s", type(error).__name__, pause)
        # Only after a steady connection: one that breaks at once, again and again, is tried less
        # often.
        if begun is not None and time.monotonic() - begun > STEADY_SECONDS:
            pause = first
        await asyncio.sleep(pause)
        pause = min(2 * pause, LONGEST_SECONDS)


async def _sessions_left(client: HalubotClient) -> None:
    """Wait until Discord lets the bot begin a session without coming near the limit of a day."""
    limits = await client.fetch_session_start_limits()
    if limits.remaining >= min(FEW, limits.total):
        return
    wait = limits.reset_after / 1000
    LOG.warning(
        "Discord allows %d more sessions of %d today: waiting %.0f s",
        limits.remaining,
        limits.total,
        wait,
    )
    await asyncio.sleep(wait)


async def run(
    token: str,
    owner: OwnerLimits,
    *,
    folder: Path | None = None,
    **options: Any,
) -> None:
    """Run the bot until it is told to stop (ctrl+C, SIGTERM). Further ``options`` are those of the
    client: its connector, in tests. Raises what `serve` and `Memory.open` raise, and StateError if
    another bot runs over the same folder."""
    with Alone(folder):
        memory = await asyncio.to_thread(Memory.open, folder)
        await _run(token, owner, memory, folder, options)


async def _run(
    token: str, owner: OwnerLimits, memory: Memory, folder: Path | None, options: dict[str, Any]
) -> None:
    checks = Checks(owner.at_once, store=folder / "store" if folder else None, apart=True)
    desk = Desk.opened(owner, memory, checks)
    released = await asyncio.to_thread(desk.quotas.release)
    if released:
        LOG.warning("%d checks had been broken off: their reservations are released", released)
    panel.load_library(
        {"model": owner.model(""), "judge_model": owner.judge_model, "api_base": owner.api_base}
    )
    # Before the connection: after a restart everybody asks again, and a process starts in 1 s.
    checks.warm_up()
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
        # Windows has no handlers on a loop, and no thread but the main one may set any.
        with suppress(NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(name, stop)
    try:
        await serving
    except asyncio.CancelledError:
        LOG.info("stopped")
    finally:
        process.notify(process.STOPPING)
        # Before the memory is closed: stopped checks settle their quotas there.
        await asyncio.to_thread(checks.close)
        await asyncio.to_thread(memory.close)


PERMISSIONS: Final = discord.Permissions(
    view_channel=True,
    send_messages=True,
    send_messages_in_threads=True,
    create_public_threads=True,
    read_message_history=True,
    add_reactions=True,
    attach_files=True,
)
"""All permissions that the bot needs in a server."""


@dataclass(frozen=True, slots=True)
class Checkup:
    """The findings of a check-up: lines for people, the invite link, and whether all is well."""

    lines: tuple[str, ...]
    invite: str
    well: bool


async def check_up(token: str, *, reads_content: bool, **options: Any) -> Checkup:
    """Log in, look, and log out; nothing is registered or sent. Raises discord.LoginFailure for
    a wrong token, discord.HTTPException if Discord cannot be reached."""
    client = discord.Client(intents=discord.Intents(guilds=True), **options)
    try:
        await client.login(token)
        application = await client.application_info()
        lines = [f"token: it is that of {application.name} ({application.id})"]
        flags = application.flags
        has = flags.gateway_message_content or flags.gateway_message_content_limited
        if has:
            lines.append("message content intent: switched on")
        elif reads_content:
            lines.append(
                "message content intent: switched off; annotations and answers need it: switch it"
                " on at https://discord.com/developers/applications/"
                f"{application.id}/bot, or set reads_content = false"
            )
        else:
            lines.append("message content intent: switched off, and not needed as it is set")
        guilds = [guild async for guild in _guilds(client)]
        lacks = [line for guild in guilds for line in _lacking(guild)]
        lines.append(f"servers: {len(guilds)}" if guilds else "servers: none yet; open the link")
        lines += lacks
        link = discord.utils.oauth_url(
            application.id, permissions=PERMISSIONS, scopes=("bot", "applications.commands")
        )
        return Checkup(tuple(lines), link, (bool(has) or not reads_content) and not lacks)
    finally:
        await client.close()


async def _guilds(client: discord.Client) -> AsyncIterator[Any]:
    """The servers that the bot is in, as Discord tells them."""
    after: int | None = None
    while True:
        # Over REST, because a client learns its servers only from a connection, which would use up
        # a session.
        found: list[Any] = list(await client.http.get_guilds(200, after=after, with_counts=False))
        for guild in found:
            yield guild
        if len(found) < 200:
            return
        after = int(found[-1]["id"])


def _lacking(guild: Any) -> Iterator[str]:
    """A line if the bot's roles in a server lack a permission."""
    # Those of the role in the whole server; a channel may still take some away, which `permissions`
    # tells when it is met.
    allowed = discord.Permissions(int(guild.get("permissions") or 0))
    if allowed.administrator or guild.get("owner"):
        return
    names = [name for name, needed in PERMISSIONS if needed and not getattr(allowed, name)]
    if names:
        shown = ", ".join(name.replace("_", " ").title() for name in names)
        yield f"server {guild['id']}: the bot's role lacks {shown}: invite it again"
