"""How the terminal app feels: its first frame, its keys while a long text is checked, its memory.

    python -m benchmarks.tui [first-frame|keys|memory]

Nothing goes online.
"""

from __future__ import annotations

import asyncio
import gc
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from textual import events

from halubot_tui.app import HalubotApp
from halubot_tui.text_check import Inputs

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.pilot import Pilot

SIZE = (160, 48)
LONG_TEXT = 199_000
SESSIONS, CHECKS = 20, 200

EMPTY = """
import os
from textual.app import App
from halubot_tui.theme import DARK
class Empty(App):
    def on_mount(self):
        self.register_theme(DARK)
        self.theme = DARK.name
    def on_ready(self):
        os._exit(0)
Empty().run(headless=True, size=(160, 48))
"""
OURS = """
import os, sys
from pathlib import Path
from halubot_tui.app import HalubotApp
class Opened(HalubotApp):
    def on_ready(self):
        os._exit("litellm" in sys.modules)
Opened(folder=Path(sys.argv[1]), apart=True).run(headless=True, size=(160, 48))
"""
FACTS = (
    "Ada Lovelace was born in {} in London.",
    "She met Charles Babbage in {}.",
    "Her notes on the Analytical Engine were printed in {}.",
    "The language Ada was named after her in {}.",
)


def text_of(number: int, sentences: int) -> str:
    """A text of some sentences in paragraphs, with other years for each number."""
    found = [FACTS[n % len(FACTS)].format(1800 + (number + n) % 200) for n in range(sentences)]
    return "\n\n".join(" ".join(found[n : n + 4]) for n in range(0, sentences, 4))


def first_frame(runs: int = 5) -> None:
    """The time, and the processor time, of processes that end with their first frame."""
    with tempfile.TemporaryDirectory() as folder:
        commands = {
            "empty Textual app": [sys.executable, "-c", EMPTY],
            "halubot": [sys.executable, "-c", OURS, folder],
        }
        # Bytecode is in place, as it is after an installation: the first start writes it.
        environ = {**os.environ, "PYTHONPYCACHEPREFIX": str(Path(folder, "bytecode"))}
        environ.pop("PYTHONDONTWRITEBYTECODE", None)
        taken: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
        for _ in range(runs + 1):
            for name, command in commands.items():
                start, used = time.perf_counter(), children_used()
                subprocess.run(command, check=True, capture_output=True, env=environ)  # noqa: S603
                taken[name].append((time.perf_counter() - start, children_used() - used))
    empty = [statistics.median(one) for one in zip(*taken["empty Textual app"][1:], strict=True)]
    for name, times in taken.items():
        clock, own = (statistics.median(one) for one in zip(*times[1:], strict=True))
        click.echo(
            f"{name}: {clock * 1000:.0f} ms ({clock / empty[0]:.2f} times empty),"
            f" processor {own * 1000:.0f} ms ({own / empty[1]:.2f})"
        )


def children_used() -> float:
    """The processor seconds of processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


async def keys(seconds: float = 60.0) -> None:
    """The processor time of the drawing thread from each key to its drawing while a long text is
    checked in the other process."""
    text = text_of(0, LONG_TEXT // 45)[:LONG_TEXT]
    sample = text_of(1, 400)
    own: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        app = HalubotApp(folder=Path(folder), apart=True)
        async with app.run_test(size=SIZE) as pilot:
            await app.opened.wait()
            check = await app.begin(Inputs(kind="check", text=text, samples=(sample, sample)))
            app.main.composer.prompt.focus()
            end = time.monotonic() + seconds
            number = 0
            while time.monotonic() < end and check.running:
                number += 1
                began = time.thread_time()
                drawn = app.main.composer.prompt.text
                app.post_message(events.Key("a" if number % 9 else "backspace", "a"))
                while app.main.composer.prompt.text == drawn:  # noqa: ASYNC110 - the loop is measured
                    await asyncio.sleep(0)
                own.append(time.thread_time() - began)
                await asyncio.sleep(0.15)
            judged, facts = len(check.progress.judged), check.progress.facts
            app.stop_work()
            await until(pilot, lambda: not check.running)
    ranked = sorted(own)
    click.echo(
        f"{len(own)} keys while {judged} of {facts} facts of {len(text):,} characters were judged:"
        f" median {statistics.median(own) * 1000:.1f} ms, 95 %"
        f" {ranked[int(len(own) * 0.95)] * 1000:.1f} ms, most {ranked[-1] * 1000:.1f} ms"
    )


async def memory() -> None:
    """The memory of the app over many checks in many sessions; the checks are made apart."""
    with tempfile.TemporaryDirectory() as folder:
        app = HalubotApp(folder=Path(folder), apart=True)
        async with app.run_test(size=SIZE) as pilot:
            await app.opened.wait()
            for number in range(CHECKS):
                if number % (CHECKS // SESSIONS) == 0:
                    await app.open_session(0)
                text, sample = text_of(number, 8), text_of(number + 1, 8)
                inputs = Inputs(kind="check", text=text, samples=(sample, sample))
                check = await app.begin(inputs, stay=True)
                await until(pilot, lambda one=check: not one.running)  # type: ignore[misc]
                app.main.action_next_fact()
                if number % 40 == 39 or number == 9:
                    gc.unfreeze()
                    gc.collect()
                    click.echo(f"after {number + 1} checks: {resident():.0f} MB")


async def until(pilot: Pilot[Any], condition: Callable[[], bool]) -> None:
    """Wait until a condition holds."""
    while not condition():
        await pilot.pause(0.02)


def resident() -> float:
    """The memory of this process in megabytes."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


@click.command()
@click.argument("what", type=click.Choice(["first-frame", "keys", "memory"]), required=False)
def main(what: str | None) -> None:
    """Measure the terminal app."""
    if what in (None, "first-frame"):
        first_frame()
    if what in (None, "keys"):
        asyncio.run(keys())
    if what in (None, "memory"):
        asyncio.run(memory())


if __name__ == "__main__":
    main()
