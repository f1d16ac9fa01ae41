"""The part of the time that a synchronous method takes, by a clock that is moved by hand."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest

from halubot.concurrency import SHARE
from halubot.events import Emit, Event, Progress
from halubot.jobs import Jobs
from halubot.methods import driver


class Clock:
    """Stands still but for work and rest, which it notes in their order."""

    def __init__(self) -> None:
        self.now = 100.0
        self.spent: list[tuple[str, float]] = []

    def perf_counter(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self._spend("rest", seconds)

    def work(self, seconds: float) -> None:
        self._spend("work", seconds)

    def _spend(self, what: str, seconds: float) -> None:
        self.now += seconds
        self.spent.append((what, seconds))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(driver, "time", clock)
    return clock


def judged(clock: Clock, pieces: list[float]) -> Iterator[Event]:
    """Events, each of which took its piece of time."""
    for number, seconds in enumerate(pieces):
        clock.work(seconds)
        yield Progress(what="judging", done=number, of=len(pieces))


def worked(clock: Clock, pieces: list[float], share: float | None) -> list[int]:
    """The events of such work that came, by their numbers."""
    heard: list[int] = []

    def emit(event: Event) -> None:
        assert isinstance(event, Progress)
        heard.append(event.done)

    async def whole() -> None:
        if share is not None:
            SHARE.set(share)
        await driver.work_off(judged(clock, pieces), emit)

    asyncio.run(whole())
    return heard


@pytest.mark.parametrize("share", [None, 1.0])
def test_alone_it_never_rests(clock: Clock, share: float | None) -> None:
    assert worked(clock, [0.004] * 50, share) == list(range(50))
    assert {kind for kind, _ in clock.spent} == {"work"}


@pytest.mark.parametrize("share", [0.25, 0.5, 0.8])
def test_beside_a_screen_it_rests_after_every_piece(clock: Clock, share: float) -> None:
    pieces = [0.001, 0.004, 0.002]
    assert worked(clock, pieces, share) == [0, 1, 2]
    assert [kind for kind, _ in clock.spent] == ["work", "rest"] * 3
    rests = [seconds for kind, seconds in clock.spent if kind == "rest"]
    assert rests == pytest.approx([seconds * (1 / share - 1) for seconds in pieces])


def test_a_piece_longer_than_a_slice_is_told_at_once(clock: Clock) -> None:
    assert worked(clock, [driver.SLICE_SECONDS, 0.001], 0.5) == [0, 1]
    assert clock.spent[0] == ("work", driver.SLICE_SECONDS)
    assert clock.spent[1][0] == "work"


def test_a_job_of_a_front_end_takes_a_part_and_leaves_others_all() -> None:
    shares: list[float] = []

    async def work(emit: Emit) -> None:
        shares.append(SHARE.get())
        shares.append(await asyncio.to_thread(SHARE.get))

    ended = threading.Semaphore(0)
    jobs = Jobs(lambda news: ended.release() if news.ended else None)
    for name in ("one", "two"):
        jobs.start(name, work)
    assert all(ended.acquire(timeout=90) for _ in range(2))
    jobs.close()
    assert len(shares) == 4
    assert len(set(shares)) == 1
    assert 0 < shares[0] < 1
    assert SHARE.get() == 1
