"""Jobs on a thread of their own: told in order, stopped, failing, closed."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest

from halubot.errors import InputError
from halubot.events import AnswerToken, Emit, Event, Progress
from halubot.jobs import Jobs, News


class Ear:
    """Hears of jobs and waits for their end."""

    def __init__(self) -> None:
        self.heard: list[News] = []
        self._ended = threading.Condition()

    def hear(self, news: News) -> None:
        with self._ended:
            self.heard.append(news)
            self._ended.notify_all()

    def end_of(self, job: str) -> News:
        def last() -> News | None:
            return next((news for news in self.heard if news.job == job and news.ended), None)

        with self._ended:
            assert self._ended.wait_for(lambda: last() is not None, timeout=90)
        found = last()
        assert found is not None
        return found

    def events_of(self, job: str) -> list[Event]:
        return [event for news in self.heard if news.job == job for event in news.events]


@pytest.fixture
def ear() -> Ear:
    return Ear()


@pytest.fixture
def jobs(ear: Ear) -> Iterator[Jobs]:
    made = Jobs(ear.hear)
    yield made
    made.close()


def test_pieces_of_an_answer_are_joined_and_nothing_is_lost(jobs: Jobs, ear: Ear) -> None:
    async def work(emit: Emit) -> None:
        for letter in "some words":
            emit(AnswerToken(text=letter))
        emit(Progress(what="judging", done=1, of=2))
        emit(AnswerToken(text="!"))

    jobs.start("a", work)
    assert ear.end_of("a").failure is None
    assert ear.events_of("a") == [
        AnswerToken(text="some words"),
        Progress(what="judging", done=1, of=2),
        AnswerToken(text="!"),
    ]


def test_jobs_run_side_by_side_off_the_callers_thread(jobs: Jobs, ear: Ear) -> None:
    met = threading.Barrier(2, timeout=90)
    threads: set[str] = set()

    async def work(emit: Emit) -> None:
        threads.add(threading.current_thread().name)
        await asyncio.to_thread(met.wait)

    jobs.start("a", work)
    jobs.start("b", work)
    assert not ear.end_of("a").failure
    assert not ear.end_of("b").failure
    assert threads == {"halubot core"}


def test_a_cancelled_job_keeps_what_it_told_and_the_others_go_on(jobs: Jobs, ear: Ear) -> None:
    begun = threading.Event()
    done = threading.Event()

    async def endless(emit: Emit) -> None:
        emit(AnswerToken(text="half"))
        begun.set()
        await asyncio.Event().wait()

    async def other(emit: Emit) -> None:
        await asyncio.to_thread(done.wait, 90)

    jobs.start("a", endless)
    jobs.start("b", other)
    assert begun.wait(20)
    jobs.cancel("a")
    end = ear.end_of("a")
    assert end.cancelled
    assert end.failure is None
    assert ear.events_of("a") == [AnswerToken(text="half")]
    done.set()
    assert not ear.end_of("b").cancelled


def test_a_job_stopped_before_it_began_says_that_it_ended(jobs: Jobs, ear: Ear) -> None:
    began, go = threading.Event(), threading.Event()

    async def holds_the_thread(_: Emit) -> None:
        began.set()
        go.wait(20)

    async def work(_: Emit) -> None:
        await asyncio.Event().wait()

    jobs.start("first", holds_the_thread)
    began.wait(20)
    jobs.start("second", work)
    jobs.cancel("second")
    go.set()
    assert ear.end_of("second").cancelled


def test_a_failure_is_told_in_words(jobs: Jobs, ear: Ear) -> None:
    async def refused(emit: Emit) -> None:
        raise InputError("the text is empty")

    async def broken(emit: Emit) -> None:
        raise ZeroDivisionError("no")

    jobs.start("a", refused)
    jobs.start("b", broken)
    assert ear.end_of("a").failure == "the text is empty"
    assert ear.end_of("b").failure == "a fault of halubot's own: ZeroDivisionError: no"


def test_closing_stops_what_runs_and_later_starts_do_nothing(ear: Ear) -> None:
    jobs = Jobs(ear.hear)
    begun, stopped = threading.Event(), threading.Event()

    async def endless(emit: Emit) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    jobs.start("a", endless)
    assert begun.wait(20)
    jobs.close()
    assert stopped.is_set()
    jobs.start("b", endless)
    jobs.cancel("a")
    jobs.close()
    assert [news.job for news in ear.heard] == ["a"]
