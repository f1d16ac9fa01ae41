"""Commands end soon after their deadline and after ctrl+C, whatever their work does.

The work here is a regular expression that takes years on a thread: it lets no other thread run.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="it needs fork")

HANG = """
import re, signal, threading, time
from halubot import interrupt
interrupt.work_in_a_child()
# It hears of ctrl+C and goes on, should a thread run when it comes.
signal.signal(signal.SIGINT, lambda *_: None)
{before}
def hang():
    print("at work", flush=True)
    re.match("(a+)+b", "a" * 60)
threading.Thread(target=hang, daemon=True).start()
while True:
    time.sleep(600)
"""

MOST_SECONDS = 30.0
"""Far less than the work takes; an idle machine needs one second."""


def start(before: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", HANG.format(before=before)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_work_that_hangs_ends_soon_after_its_deadline() -> None:
    with start("interrupt.tell_deadline(time.monotonic() + 0.1)") as process:
        begun = time.monotonic()
        _, said = process.communicate(timeout=120)
    assert process.returncode == 3
    assert "the deadline passed" in said
    assert time.monotonic() - begun < MOST_SECONDS


@pytest.mark.parametrize("told", ["the process", "its group"])
def test_work_that_hangs_ends_soon_after_ctrl_c(told: str) -> None:
    with start("") as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        begun = time.monotonic()
        if told == "the process":
            process.send_signal(signal.SIGINT)
        else:
            child = Path(f"/proc/{process.pid}/task/{process.pid}/children")
            if not child.exists():
                pytest.skip("the child cannot be found here")
            for pid in (process.pid, int(child.read_text())):
                os.kill(pid, signal.SIGINT)
        _, said = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "interrupted" in said
    assert time.monotonic() - begun < MOST_SECONDS


def test_a_command_ends_as_its_work_did() -> None:
    code = "from halubot import interrupt; interrupt.work_in_a_child(); {}"
    for end, status in (
        ("raise SystemExit(7)", 7),
        ("pass", 0),
        ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM),
        # As the system does when memory runs out. 1 would say that something is doubted.
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", 70),
    ):
        done = subprocess.run([sys.executable, "-c", code.format(end)], check=False)
        assert done.returncode == status


def test_work_does_not_outlive_its_command() -> None:
    code = "import time; from halubot import interrupt; interrupt.work_in_a_child();"
    code += "print('at work', flush=True); time.sleep(600)"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        process.kill()
        # The pipe is open as long as one of the two processes is there.
        assert process.stdout.read() == ""
