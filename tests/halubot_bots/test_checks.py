"""Checks off the loop of a bot: side by side, bounded, stopped, failing."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from halubot import register
from halubot.errors import HalubotError, InputError
from halubot.events import Emit, Event, FactsExtracted, Progress, Ranked, SentenceJudged, Started
from halubot.methods.registry import Case, Size
from halubot.report import Report, Threshold
from halubot_bots.checks import Checks, Work

SAMPLES = {"samples": ["Ada was born in 1815."] * 2}


class Held:
    """A method that waits until it is let go."""

    name = "held"
    summary = "waits"
    needs: tuple[str, ...] = ("samples",)
    needs_all = False
    source = "a test"
    default_threshold = Threshold(value=0.5)

    def __init__(self) -> None:
        self.free = threading.Event()
        self.inside = threading.Semaphore(0)
        self.most = self.now = 0
        self._lock = threading.Lock()

    def calls(self, size: Size) -> int:
        return 0

    def judge(self, case: Case) -> Iterator[Event]:
        with self._lock:
            self.now += 1
            self.most = max(self.most, self.now)
        self.inside.release()
        assert self.free.wait(90)
        with self._lock:
            self.now -= 1
        yield FactsExtracted(facts=())
        yield SentenceJudged(index=0, score=0.1, verdict="supported")
        yield Ranked(score=0.1, facts=(), sentences=(0.1,))


@pytest.fixture
def held() -> Iterator[Held]:
    method = Held()
    register(method)
    yield method
    method.free.set()


@asynccontextmanager
async def checks(at_once: int = 4, store: Path | None = None) -> AsyncIterator[Checks]:
    made = Checks(at_once, store=store)
    try:
        yield made
    finally:
        await asyncio.to_thread(made.close)


def run(work: Callable[[], object]) -> None:
    asyncio.run(work())  # type: ignore[arg-type]


def test_a_check_brings_its_report_and_its_events_come_on_the_callers_loop() -> None:
    async def work() -> None:
        heard: list[Event] = []
        threads: set[int] = set()

        def progress(event: Event) -> None:
            heard.append(event)
            threads.add(threading.get_ident())

        async with checks() as made:
            report = await made.check("Ada was born in 1816.", SAMPLES, person=1, progress=progress)
        assert report.facts[0].verdict == "contradicted"
        assert isinstance(heard[0], Started)
        assert any(isinstance(event, Progress) for event in heard)
        assert threads == {threading.get_ident()}

    run(work)


def test_no_more_run_at_once_than_may_and_none_is_lost(held: Held) -> None:
    async def work() -> None:
        async with checks(at_once=2) as made:
            waiting = [
                asyncio.create_task(
                    made.check("Some words.", {**SAMPLES, "method": "held"}, person=n)
                )
                for n in range(7)
            ]
            for _ in range(2):
                assert await asyncio.to_thread(held.inside.acquire, timeout=90)
            held.free.set()
            reports = await asyncio.gather(*waiting)
        assert len(reports) == 7
        assert held.most == 2

    run(work)


def test_who_gives_up_stops_the_check(held: Held) -> None:
    async def work() -> None:
        async with checks(at_once=1) as made:
            first = asyncio.create_task(
                made.check("Some words.", {**SAMPLES, "method": "held"}, person=1)
            )
            assert await asyncio.to_thread(held.inside.acquire, timeout=90)
            first.cancel()
            with pytest.raises(asyncio.CancelledError):
                await first
            report = await made.check("Ada was born in 1815.", SAMPLES, person=1)
            assert report.facts[0].verdict == "supported"

    run(work)


def test_bad_input_is_told_as_the_core_tells_it() -> None:
    async def work() -> None:
        async with checks() as made:
            with pytest.raises(InputError, match="empty"):
                await made.check("  ", SAMPLES, person=1)
            with pytest.raises(HalubotError, match="method"):
                await made.check("Words.", {**SAMPLES, "method": "no such"}, person=1)

    run(work)


def test_a_correction_checks_again() -> None:
    async def work() -> None:
        many = {"samples": ["Ada was born in 1815."] * 3}
        async with checks() as made:
            report = await made.check("Ada was born in 1816.", many, person=1)
            corrected = await made.correct(report, {}, person=1)
        assert corrected.correction is not None
        assert corrected.correction.text == "Ada was born in 1815."

    run(work)


def test_closing_ends_what_waits(held: Held) -> None:
    async def work() -> None:
        made = Checks(1)
        waiting = asyncio.create_task(
            made.check("Some words.", {**SAMPLES, "method": "held"}, person=1)
        )
        assert await asyncio.to_thread(held.inside.acquire, timeout=90)
        await asyncio.to_thread(made.close)
        with pytest.raises(HalubotError, match="is stopping"):
            await waiting
        with pytest.raises(HalubotError, match="is stopping"):
            await made.check("Words.", SAMPLES, person=1)

    run(work)


def test_who_waits_hears_how_many_are_before_them(tmp_path: Path) -> None:
    async def work() -> None:
        checks = Checks(1, store=tmp_path / "store")
        gate, heard = asyncio.Event(), list[Event]()
        loop = asyncio.get_running_loop()

        async def held(work: Work, emit: Emit) -> Report:
            await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(gate.wait(), loop))
            return await work(emit)

        options = {"samples": ["Ada was born in 1815."] * 3}
        text = "Ada was born in 1816."
        first = [
            asyncio.ensure_future(checks.check(text, options, person=at, paying=held))
            for at in range(2)
        ]
        seen = asyncio.Event()

        def hear(event: Event) -> None:
            heard.append(event)
            seen.set()

        last = asyncio.ensure_future(checks.check(text, options, person=9, progress=hear))
        await asyncio.wait_for(seen.wait(), 60)
        assert isinstance(heard[0], Progress)
        assert heard[0].what.startswith("In the queue: 1 ahead of you, about ")
        gate.set()
        for report in await asyncio.gather(*first, last):
            assert report.facts
        await asyncio.to_thread(checks.close)

    asyncio.run(work())


@pytest.mark.slow
def test_of_many_who_wait_each_hears_their_place_once_when_they_come(tmp_path: Path) -> None:
    """Told at every arrival, hundreds who wait would be all that is worked for."""
    count = 30

    async def work() -> None:
        checks = Checks(1, store=tmp_path / "store")
        gate, all_heard, heard = asyncio.Event(), asyncio.Event(), list[Event]()
        loop = asyncio.get_running_loop()

        async def held(work: Work, emit: Emit) -> Report:
            await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(gate.wait(), loop))
            return await work(emit)

        def hear(event: Event) -> None:
            heard.append(event)
            if len(heard) == count - 1:
                all_heard.set()

        options = {"samples": ["Ada was born in 1815."] * 3}
        text = "Ada was born in 1816."
        asked = [
            asyncio.ensure_future(
                checks.check(text, options, person=at, paying=held, progress=hear)
            )
            for at in range(count)
        ]
        await asyncio.wait_for(all_heard.wait(), 60)
        places = [one.what for one in heard if isinstance(one, Progress)]
        assert len(places) == len(heard) == count - 1
        assert sum(place.startswith("In the queue: 7 ahead of you") for place in places) == 1
        gate.set()
        await asyncio.gather(*asked)
        await asyncio.to_thread(checks.close)

    asyncio.run(work())
