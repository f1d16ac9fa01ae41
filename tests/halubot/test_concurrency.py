"""Work on threads: what is given up ends, and soon."""

from __future__ import annotations

import asyncio
import threading

import pytest

from halubot import check, start
from halubot.claims import extract, read_message
from halubot.concurrency import aside, go_on
from halubot.errors import InputError
from halubot.methods.consensus import comparison

PATIENCE = 60


def given_up(work_begins: threading.Event, ended: threading.Event) -> None:
    """Do work that would not end by itself, give it up, and wait for its end."""

    def work() -> None:
        work_begins.set()
        try:
            while True:
                go_on()
        finally:
            ended.set()

    async def whole() -> None:
        task = asyncio.create_task(aside(work))
        await asyncio.to_thread(work_begins.wait, PATIENCE)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(whole())


def test_work_that_nobody_waits_for_ends() -> None:
    begun, ended = threading.Event(), threading.Event()
    given_up(begun, ended)
    assert ended.wait(PATIENCE)


@pytest.mark.parametrize("step", ["extract", "compare"])
def test_a_check_that_was_stopped_takes_no_more_time(
    step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its thread ends at its next sentence, not with the text."""
    steps = 0
    begun = threading.Event()
    module = "halubot.claims.english" if step == "extract" else "halubot.verifier.stances"

    def counted() -> None:
        nonlocal steps
        steps += 1
        begun.set()
        if steps > 3:
            wait.wait(PATIENCE)
        go_on()

    wait = threading.Event()
    monkeypatch.setattr(f"{module}.go_on", counted)
    text = " ".join(f"Ada {number} was born in 1815." for number in range(1, 50))

    async def whole() -> None:
        run = start(text, references=[text])
        await asyncio.to_thread(begun.wait, PATIENCE)
        run.cancel()
        await run.wait()
        wait.set()

    asyncio.run(whole())
    for thread in threading.enumerate():
        if thread.name == "halubot judging":
            thread.join(PATIENCE)
            assert not thread.is_alive()
    assert steps <= 5


def test_too_much_is_refused_before_anything_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "Ada was born in 1815. She died in 1852."
    assert len(extract(read_message(text))) == 2
    monkeypatch.setattr(comparison, "MOST_FINDINGS", 6)
    begun: list[object] = []
    monkeypatch.setattr(comparison, "Comparer", lambda *given: begun.append(given))
    for kind in ("samples", "references"):
        sources = [f"Ada died in {year}." for year in (1850, 1851, 1852, 1853)]
        with pytest.raises(InputError, match="2 facts are too many"):
            check(text, **{kind: sources})  # type: ignore[arg-type]
    assert not begun
