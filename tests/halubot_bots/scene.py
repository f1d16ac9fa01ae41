"""A server of the loopback Discord with halubot in it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial, wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halubot import aask, acheck, acorrect
from halubot.events import Emit
from halubot.report import Report, Threshold
from halubot_bots.budgets import Budgets
from halubot_bots.check_queue import CheckQueue
from halubot_bots.discord.client import HalubotClient
from halubot_bots.discord.runner import serve
from halubot_bots.settings import OwnerLimits, ServerSettings
from halubot_bots.store import Store
from tests.discord_peer import Channel, Guild, Message, Peer, User
from tests.halubot_bots.apart import is_hearing, is_quiet

if TYPE_CHECKING:
    import pytest

QUESTION = "When was Ada Lovelace born?"
RIGHT = "Ada Lovelace was born in 1815 in London."
WRONG = "Ada Lovelace was born in 1816."
AGREES = "She was born in London in the year 1815."


@dataclass(slots=True)
class Scene:
    """``ada`` manages the server, ``ben`` is a member; ``bots`` are alpha, beta and gamma, which
    are watched in the channel."""

    peer: Peer
    client: HalubotClient
    store: Store
    guild: Guild
    channel: Channel
    ada: User
    ben: User
    bots: tuple[User, User, User]

    async def set(self, **changed: Any) -> None:
        """Sets the server otherwise than `scene` did."""
        before = self.store.settings(self.guild.id)
        self.store.set_settings(self.guild.id, before.model_copy(update=changed))

    async def quiet(self) -> None:
        """Returns once the client has done all that follows from what it was told. Answers have
        settled once all of them are noted."""
        await self.peer.heard()
        await self.peer.until(self._is_quiet, "the end of the work")

    def _is_quiet(self) -> bool:
        now = time.monotonic()
        for question in () if is_hearing() else self.client.watcher._questions.values():
            if question.due > now:
                question.due = now
                question.moved.set()
        return is_quiet(self.client)

    async def answers(self, *texts: str, asked: str = QUESTION, reply: bool = True) -> Message:
        """Ben asks, and the bots answer in order; returns once all is done. The question."""
        question = await self.peer.says(self.ben, self.channel, asked)
        for bot, text in zip(self.bots, texts, strict=False):
            await self.peer.says(bot, self.channel, text, reply_to=question if reply else None)
        await self.quiet()
        return question

    @property
    def cards(self) -> list[Message]:
        """The cards in the channel."""
        return self.peer.said(self.channel)


async def find_nothing(kind: str, subject: Any, *_: Any) -> Report:
    """A report without facts: for what does not depend on the check of a text."""
    text = subject if isinstance(subject, str) else subject.text
    return Report(text=text, method="none", engine="0", threshold=Threshold(value=0.5))


async def check_here(kind: str, subject: Any, options: dict[str, Any], hear: Emit) -> Report:
    """The report of a check, made in this process and not in one of its own."""
    make: Any = {"check": acheck, "ask": aask, "correct": acorrect}[kind]
    made: Report = await make(subject, **options, watch=hear)
    return made


def try_again_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """discord.py waits 1 s and more between its own tries."""
    real = asyncio.sleep
    monkeypatch.setattr("asyncio.sleep", lambda seconds: real(min(seconds, 0.02)))


class Served:
    """The bot as it is run, with a client for each connection; the last is that of the scene."""

    def __init__(self, here: Scene, make: Callable[[], HalubotClient]) -> None:
        self._here, self._make = here, make
        self._task: asyncio.Task[None] | None = None

    async def start(self, token: str) -> None:
        """Runs until it is closed."""

        def make() -> HalubotClient:
            self._here.client = self._make()
            return self._here.client

        self._task = asyncio.create_task(serve(make, token, first=0.0))
        with suppress(asyncio.CancelledError):
            await self._task

    async def close(self) -> None:
        """Ends."""
        assert self._task is not None
        self._task.cancel()
        await asyncio.wait([self._task])


@asynccontextmanager
async def scene(
    folder: Path,
    owner: OwnerLimits | None = None,
    *,
    checks: bool = False,
    served: bool = False,
    before: Callable[[Scene], Awaitable[None]] | None = None,
) -> AsyncIterator[Scene]:
    """halubot connected, in a server with one channel. ``before`` is done before it connects;
    without ``checks`` the check of a text finds nothing. ``served``: with a new client after each
    connection that breaks."""
    limits = owner or OwnerLimits()
    store = Store.open(folder)
    budgets = Budgets(store.base)
    carry_out = check_here if checks else find_nothing
    queue = CheckQueue(limits, budgets, carry_out, store=folder / "store")
    try:
        async with Peer.open() as peer:
            guild = peer.guild("server", channels=("general",))
            channel = guild.channel("general")
            ada, ben = peer.member(guild, "Ada", "manage_guild"), peer.member(guild, "Ben")
            bots = [
                peer.member(guild, peer.user(name, bot=True)) for name in ("alpha", "beta", "gamma")
            ]
            watched = {"on": True, "channels": [channel.id], "bots": [one.id for one in bots]}
            store.set_settings(guild.id, ServerSettings.model_validate(watched))

            def make() -> HalubotClient:
                return HalubotClient(
                    limits,
                    store,
                    budgets,
                    queue,
                    settled=0.05,
                    pause=0.0,
                    connector=peer.connector(),
                    guild_ready_timeout=0.02,
                )

            here = Scene(peer, make(), store, guild, channel, ada, ben, (*bots,))  # type: ignore[arg-type]
            if before is not None:
                await before(here)
            async with peer.running(Served(here, make) if served else here.client):
                yield here
            # What is gone is looked for, and not found.
            wrong = [one for one in peer.refused if one.status != 404 or one.method != "GET"]
            assert not wrong, wrong
    finally:
        await queue.close()
        store.close()


def run(
    folder: Path,
    work: Callable[[Scene], Awaitable[None]],
    *,
    checks: bool = False,
    **owner: Any,
) -> None:
    """Does some work in a scene of its own, with the limits that an owner sets."""

    async def whole() -> None:
        async with scene(folder, OwnerLimits.model_validate(owner), checks=checks) as here:
            await work(here)

    asyncio.run(whole())


def in_scene(*, checks: bool = False, **owner: Any) -> Callable[[Callable[..., Any]], Any]:
    """Makes a test of what is done with a scene, which is given as ``here``, and with the test's
    other parameters; ``owner`` are the limits that an owner sets."""

    def make(work: Callable[..., Awaitable[None]]) -> Callable[..., None]:
        own = signature(work)

        @wraps(work)
        def test(tmp_path: Path, **given: Any) -> None:
            run(tmp_path, partial(work, **given), checks=checks, **owner)

        kept = [one for one in own.parameters.values() if one.name != "here"]
        folder = Parameter("tmp_path", Parameter.POSITIONAL_OR_KEYWORD)
        test.__signature__ = own.replace(parameters=[folder, *kept])  # type: ignore[attr-defined]
        return test

    return make
