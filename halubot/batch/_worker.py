"""A process that checks messages for the command that started it: pickled frames come in on
standard input and go out on what was standard output. It asks no model itself; its questions go out
too."""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any, BinaryIO

from halubot.batch.message import Detail, Message, check_message
from halubot.inputs import Options, open_bases

if TYPE_CHECKING:
    from halubot.models.asked_elsewhere import Question, Reply
    from halubot.models.model import Capabilities
    from halubot.models.panel import Panel

SIZE_BYTES = 8
"""The length of a frame comes before it, in so many bytes."""


@dataclass(frozen=True, slots=True)
class Named:
    """A model as a worker knows it."""

    name: str
    endpoint: str
    capabilities: Capabilities


@dataclass(frozen=True, slots=True)
class Setup:
    """The first frame to a worker: what all messages have in common. ``models`` are the one that
    answers and the one that judges, or None; ``at_once`` messages are under way."""

    options: Options
    detail: Detail
    at_once: int
    models: tuple[Named, Named | None] | None = None
    system: str = ""


def pack(value: Any) -> bytes:
    """Return a value as a frame."""
    data = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    return len(data).to_bytes(SIZE_BYTES, "big") + data


def main() -> None:
    """Check messages until standard input ends."""
    # Ctrl+C reaches every process of a terminal; the command ends its workers itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    coming, going = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # What a library prints must not end up among the frames.
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    setup = _read(coming)
    if setup is not None:
        asyncio.run(_Worker(setup, going).work(coming))
    # Threads of checks that nobody waits for must not hold the process up.
    sys.stderr.flush()
    os._exit(0)


def _read(coming: BinaryIO) -> Any:
    """The next value; None at the end."""
    size = coming.read(SIZE_BYTES)
    if len(size) < SIZE_BYTES:
        return None
    # From the command that started this process, over a pipe of its own.
    return pickle.loads(coming.read(int.from_bytes(size, "big")))  # noqa: S301


class _Worker:
    def __init__(self, setup: Setup, going: BinaryIO) -> None:
        self._setup = setup
        self._going = going
        self._numbers = count()
        self._replies: dict[int, asyncio.Future[Reply]] = {}
        self._turns = asyncio.Semaphore(setup.at_once)
        self._tasks: set[asyncio.Task[None]] = set()

    async def work(self, coming: BinaryIO) -> None:
        loop = asyncio.get_running_loop()
        ended = asyncio.Event()

        def listen(take: Callable[[Any], None]) -> None:
            while (frame := _read(coming)) is not None:
                loop.call_soon_threadsafe(take, frame)
            loop.call_soon_threadsafe(ended.set)

        with ExitStack() as stack:
            options = self._setup.options.copy()
            bases = open_bases(options)
            if bases is not None:
                stack.callback(bases.close)
                options["knowledge"] = bases.bases
            panel = self._panel()

            def take(frame: tuple[int, Any]) -> None:
                number, value = frame
                if isinstance(value, Message):
                    task = asyncio.create_task(self._check(number, value, options, panel))
                    self._tasks.add(task)
                    task.add_done_callback(self._tasks.discard)
                elif (future := self._replies.get(number)) is not None and not future.done():
                    future.set_result(value)

            threading.Thread(target=listen, args=(take,), daemon=True).start()
            await ended.wait()
            for task in self._tasks:
                task.cancel()

    async def _check(
        self, place: int, message: Message, options: Options, panel: Panel | None
    ) -> None:
        async with self._turns:
            budget = None
            if panel is not None:
                from halubot.models.asked_elsewhere import MESSAGE

                MESSAGE.set(place)
                budget = panel.budget.part()
            self._send(
                await check_message(
                    place, message, options, panel=panel, budget=budget, detail=self._setup.detail
                )
            )

    def _send(self, value: Any) -> None:
        try:
            self._going.write(pack(value))
            self._going.flush()
        except OSError:  # the command was killed, and nobody waits for this process any more
            os._exit(0)

    async def _ask(self, question: Question) -> Reply:
        number = next(self._numbers)
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._replies[number] = future
        try:
            self._send((number, question))
            return await future
        except asyncio.CancelledError:
            # A deadline: the call is of no more use.
            self._send((number, None))
            raise
        finally:
            del self._replies[number]

    def _panel(self) -> Panel | None:
        if self._setup.models is None:
            return None
        from halubot.models.asked_elsewhere import ModelElsewhere
        from halubot.models.panel import Panel, library

        answers, judges = self._setup.models

        def model(role: str, named: Named) -> ModelElsewhere:
            return ModelElsewhere(named.name, named.endpoint, role, self._ask, [named.capabilities])

        answer = model("answer", answers)
        return Panel(
            answer=answer,
            judge=answer if judges is None else model("judge", judges),
            prompts=library(),
            system=self._setup.system,
            open_door=lambda name: model(name, Named(name, "", answers.capabilities)),
            # What was learnt of the judge before differs from process to process, and the bytes
            # must not.
            earlier_canaries=None,
        )
