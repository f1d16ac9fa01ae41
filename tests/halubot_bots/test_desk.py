"""Wishes for checks: refused, paid for, made; quotas exact whatever fails."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from halubot import api
from halubot.errors import HalubotError, InputError
from halubot_bots.checks import Checks, StoppedError
from halubot_bots.desk import DeclinedError, Desk, Given
from halubot_bots.policy import Ask
from halubot_bots.quotas import Use
from halubot_bots.settings import OwnerLimits, Quota, ServerSettings
from halubot_bots.store import Memory

MENU = Ask("menu", user=1, channel=2, server=3)
GIVEN = Given(samples=("Ada was born in 1815.",) * 3)


@asynccontextmanager
async def desk(folder: Path, owner: OwnerLimits | None = None) -> AsyncIterator[Desk]:
    memory, checks = Memory.open(folder), Checks(4, store=folder / "store")
    try:
        yield Desk.opened(owner or OwnerLimits(), memory, checks)
    finally:
        await asyncio.to_thread(checks.close)
        memory.close()


def run(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(work())


def test_a_check_is_made_and_counted(tmp_path: Path) -> None:
    async def work() -> None:
        async with desk(tmp_path) as made:
            report = await made.check(MENU, "Ada was born in 1816.", GIVEN)
            assert report.facts[0].verdict == "contradicted"
            assert made.quotas.use_of("user:3:1") == made.quotas.use_of("all") == Use(1)

    run(work)


def test_a_quota_that_is_used_up_declines_before_anything_is_done(tmp_path: Path) -> None:
    async def work() -> None:
        async with desk(tmp_path) as made:
            await made.set(3, ServerSettings(of_user=Quota(checks=1)))
            await made.check(MENU, "Ada was born in 1816.", GIVEN)
            with pytest.raises(DeclinedError, match="your quota of 1 check a day") as caught:
                await made.check(MENU, "Ada was born in 1816.", GIVEN)
            assert caught.value.who == "manager"
            assert made.quotas.use_of("all") == Use(1)

    run(work)


def test_a_check_that_fails_counts_for_nothing(tmp_path: Path) -> None:
    async def work() -> None:
        async with desk(tmp_path) as made:
            with pytest.raises(InputError):
                await made.check(MENU, "   ", GIVEN)
            assert made.quotas.use_of("user:3:1") == Use()

    run(work)


def test_checks_side_by_side_use_a_quota_exactly(tmp_path: Path) -> None:
    async def work() -> None:
        async with desk(tmp_path) as made:
            await made.set(3, ServerSettings(of_user=Quota(checks=5)))
            wishes = [made.check(MENU, "Ada was born in 1816.", GIVEN) for _ in range(12)]
            found = await asyncio.gather(*wishes, return_exceptions=True)
            assert sum(isinstance(one, DeclinedError) for one in found) == 7
            assert made.quotas.use_of("user:3:1") == Use(5)

    run(work)


def test_who_opted_out_is_left_out(tmp_path: Path) -> None:
    async def work() -> None:
        async with desk(tmp_path) as made:
            made.memory.opt_out(1)
            with pytest.raises(DeclinedError, match="leave you out"):
                await made.check(MENU, "Ada was born in 1816.", GIVEN)

    run(work)


def test_a_server_that_is_not_served_is_declined(tmp_path: Path) -> None:
    async def work() -> None:
        async with desk(tmp_path, OwnerLimits(servers=frozenset({9}))) as made:
            with pytest.raises(DeclinedError) as caught:
                await made.check(MENU, "Ada was born in 1816.", GIVEN)
            assert caught.value.who == "owner"

    run(work)


def test_several_methods_stand_side_by_side(tmp_path: Path) -> None:
    async def work() -> None:
        async with desk(tmp_path) as made:
            found = await made.compare(
                MENU, "Ada was born in 1816.", GIVEN, ["consensus", "no-such", "selfcheck-ngram"]
            )
            assert [name for name, _ in found] == ["consensus", "no-such", "selfcheck-ngram"]
            assert isinstance(found[1][1], str)
            assert made.quotas.use_of("all") == Use(2)

    run(work)


@pytest.mark.parametrize("forgotten", ["server", "person"])
def test_of_several_methods_none_begins_after_a_stop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forgotten: str
) -> None:
    begun: list[str] = []
    began = threading.Event()

    async def check(_: str, **options: Any) -> None:
        begun.append(options["method"])
        began.set()
        await asyncio.sleep(60)

    monkeypatch.setattr(api, "acheck", check)

    async def work() -> None:
        async with desk(tmp_path) as made:
            methods = ["consensus", "selfcheck-ngram"]
            comparing = asyncio.create_task(made.compare(MENU, "Ada was born.", GIVEN, methods))
            assert await asyncio.to_thread(began.wait, 30)
            await (made.leave(3) if forgotten == "server" else made.forget(1))
            with pytest.raises(StoppedError):
                await asyncio.wait_for(comparing, 30)
            assert begun == ["consensus"]

    run(work)


def test_a_correction_is_paid_for_too(tmp_path: Path) -> None:
    async def work() -> None:
        async with desk(tmp_path) as made:
            report = await made.check(MENU, "Ada was born in 1816.", GIVEN)
            corrected = await made.correct(MENU, report)
            assert corrected.correction is not None
            assert corrected.correction.text == "Ada was born in 1815."
            assert made.quotas.use_of("all") == Use(2)

    run(work)


def test_answering_needs_a_model(tmp_path: Path) -> None:
    async def work() -> None:
        async with desk(tmp_path) as made:
            with pytest.raises(HalubotError, match="no model"):
                await made.answer(Ask("answer", 1, 2, 3), "Who was Ada?", "")

    run(work)
