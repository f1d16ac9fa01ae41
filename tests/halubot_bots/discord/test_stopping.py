"""The bot, told to stop while something hangs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

HANGING = """
import asyncio, signal, sys, time
from pathlib import Path
from halubot_bots.discord import runner
from halubot_bots.settings import OwnerLimits

signal.signal(signal.SIGINT, signal.default_int_handler)

async def serve(client, token):
    print("on", flush=True)
    await asyncio.to_thread(time.sleep, 100_000)  # as the look-up of a name may

runner.serve = serve
asyncio.run(runner.run("token", OwnerLimits(), folder=Path(sys.argv[1])))
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_stops_although_a_thread_hangs(tmp_path: Path, number: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HANGING, str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"on\n"
        process.send_signal(number)
        _, said = process.communicate(timeout=600)  # by itself it would end in a day
    assert (process.returncode, b"Traceback" in said) == (0, False), said
