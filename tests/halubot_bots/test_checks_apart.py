"""Checks of the bot in processes of their own: one that hangs is killed at its deadline."""

from __future__ import annotations

import asyncio
import os
import signal
import sys

import pytest

from halubot_bots.checks import Checks

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it stops processes by signals")


def test_a_check_that_hangs_is_ended_and_the_next_is_made() -> None:
    options = {"samples": ["Ada was born in 1815."] * 2, "deadline": 0.5}

    async def work() -> None:
        checks = Checks(1, apart=True)
        try:
            await checks.check("Ada was born in 1816.", {**options, "deadline": 60}, person=1)
            assert checks._workers is not None
            for pid in checks._workers.pids:
                os.kill(pid, signal.SIGSTOP)
            report = await checks.check("Ada was born in 1816.", options, person=1)
            assert not report.facts
            assert "deadline of 0.5 s" in report.problems[0].why
            again = await checks.check(
                "Ada was born in 1816.", {**options, "deadline": 60}, person=1
            )
            assert again.facts[0].verdict == "contradicted"
        finally:
            await asyncio.to_thread(checks.close)

    asyncio.run(work())
