"""Several pieces of work at once: the first failure is raised, and stops the others."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

T = TypeVar("T")
A = TypeVar("A")
B = TypeVar("B")


async def every(works: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """What all of them return, in their order."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()


async def both(a: Coroutine[Any, Any, A], b: Coroutine[Any, Any, B]) -> tuple[A, B]:
    """What the two return."""
    first, second = asyncio.ensure_future(a), asyncio.ensure_future(b)
    try:
        return await asyncio.gather(first, second)
    finally:
        first.cancel()
        second.cancel()
