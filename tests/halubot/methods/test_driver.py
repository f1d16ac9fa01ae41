"""What is done while a model is asked."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest

from halubot.concurrency import meanwhile


def test_pieces_are_done_while_the_work_waits() -> None:
    async def run() -> tuple[str, list[int]]:
        loop, enough, done = asyncio.get_running_loop(), asyncio.Event(), list[int]()

        def piece(number: int) -> None:
            done.append(number)
            if number == 2:
                loop.call_soon_threadsafe(enough.set)

        async def work() -> str:
            await enough.wait()
            return "answered"

        return await meanwhile(work(), (partial(piece, number) for number in range(1000))), done

    answer, done = asyncio.run(run())
    assert answer == "answered"
    assert done[:3] == [0, 1, 2]
    assert len(done) < 1000


def test_a_piece_that_fails_ends_the_work() -> None:
    ended: list[bool] = []

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    async def run() -> None:
        with pytest.raises(ZeroDivisionError):
            await meanwhile(work(), [lambda: 1 / 0])
        await asyncio.sleep(0)

    asyncio.run(run())
    assert ended == [True]
