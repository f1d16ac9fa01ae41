"""The queue of checks: fair turns, a place for free checks, budgets, an end for what is gone."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from halubot import Report, check
from halubot_bots.budgets import Budgets
from halubot_bots.check_queue import CheckQueue, Request, StoppedError
from halubot_bots.settings import OwnerLimits
from halubot_bots.store import Store

REPORT = check("Ada was born in 1815.", samples=["Ada was born in 1815."])


class Engine:
    """Checks that end when they are told to; ``begun`` are their texts in order."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.gates: dict[str, asyncio.Event] = {}

    async def run(self, kind: str, subject: Any, *_: Any) -> Report:
        self.begun.append(subject)
        await self.gates.setdefault(subject, asyncio.Event()).wait()
        return REPORT

    async def until_begun(self) -> None:
        async with asyncio.timeout(20):
            while not self.begun:  # noqa: ASYNC110 - the queue tells nobody of it
                await asyncio.sleep(0.01)

    async def end(self, text: str) -> None:
        self.gates.setdefault(text, asyncio.Event()).set()
        for _ in range(20):
            await asyncio.sleep(0)


def run(folder: Path, work: Callable[[CheckQueue, Engine], Awaitable[None]], **owner: Any) -> None:
    async def whole() -> None:
        store, engine = Store.open(folder), Engine()
        limits, budgets = OwnerLimits(**owner), Budgets(store.base)
        queue = CheckQueue(limits, budgets, engine.run, store=folder / "store")
        try:
            await work(queue, engine)
        finally:
            await queue.close()
            store.close()

    asyncio.run(whole())


def wanted(text: str, server: int = 1, person: int = 0, model: str = "", **more: Any) -> Request:
    return Request("check", text, {"model": model} if model else {}, server, person, **more)


def test_turns_go_round_between_servers_and_people(tmp_path: Path) -> None:
    async def work(queue: CheckQueue, engine: Engine) -> None:
        order = [("a1", 1, 1), ("a2", 1, 1), ("a3", 1, 1), ("b1", 1, 2), ("c1", 2, 3)]
        tasks = [asyncio.ensure_future(queue.run(wanted(*one))) for one in order]
        await asyncio.sleep(0.01)
        for _turn in order:
            await engine.end(engine.begun[-1])
        await asyncio.gather(*tasks)
        assert engine.begun == ["a1", "c1", "b1", "a2", "a3"]

    run(tmp_path, work, at_once=1)


def test_a_place_is_kept_for_checks_that_cost_nothing(tmp_path: Path) -> None:
    async def work(queue: CheckQueue, engine: Engine) -> None:
        slow = [
            asyncio.ensure_future(queue.run(wanted(f"m{at}", person=at, model="ollama_chat/m")))
            for at in range(3)
        ]
        await engine.until_begun()
        free = asyncio.ensure_future(queue.run(wanted("free", person=9)))
        await asyncio.sleep(0.05)
        assert sorted(engine.begun) == ["free", "m0"]
        for text in ("free", "m0", "m1", "m2"):
            await engine.end(text)
        await asyncio.gather(free, *slow)

    run(tmp_path, work, at_once=2)


def test_what_holds_deleted_words_is_stopped(tmp_path: Path) -> None:
    async def work(queue: CheckQueue, engine: Engine) -> None:
        stopped = asyncio.ensure_future(queue.run(wanted("a", ids=frozenset({5}))))
        waiting = asyncio.ensure_future(queue.run(wanted("b", person=7)))
        other = asyncio.ensure_future(queue.run(wanted("c")))
        await asyncio.sleep(0.01)
        await queue.stop([5, 7])
        for task in (stopped, waiting):
            with pytest.raises(StoppedError):
                await task
        await engine.end("c")
        await other
        assert engine.begun == ["a", "c"]
        assert (queue.running, queue.waiting) == (0, 0)

    run(tmp_path, work, at_once=1)


def test_who_gives_up_waiting_frees_the_place(tmp_path: Path) -> None:
    async def work(queue: CheckQueue, engine: Engine) -> None:
        tasks = [asyncio.ensure_future(queue.run(wanted(text))) for text in "ab"]
        await asyncio.sleep(0.01)
        tasks[0].cancel()
        await asyncio.sleep(0.01)
        await engine.end("b")
        await tasks[1]
        assert queue.running == 0

    run(tmp_path, work, at_once=1)
