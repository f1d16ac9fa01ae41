"""How many calls a batch keeps in flight, how fast it is, and whether its memory grows.

    python -m benchmarks.batch                     calls in flight and messages a second
    python -m benchmarks.batch --memory 2000       memory over so many messages

The model is a server of this machine that waits ``--latency`` seconds before each answer, asked
through litellm as any server is; its own process is not this one. With ``--memory`` it does not
wait, since only the growth is of interest.
"""

from __future__ import annotations

import gc
import json
import multiprocessing
import os
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import click

from halubot.batch import Line, check_file
from halubot.inputs import Options
from tests.judge import ANSWER, Judge
from tests.loopback import Reply, loopback


class Gauge:
    """The calls under way, summed up over time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._now = 0
        self._area = 0.0
        self._calls = 0
        self._first = self._last = 0.0

    def change(self, by: int) -> None:
        """A call begins (1) or ends (-1)."""
        with self._lock:
            now = time.monotonic()
            self._first = self._first or now
            self._area += self._now * (now - (self._last or now))
            self._last = now
            self._now += by
            self._calls += by > 0

    def read(self) -> tuple[int, float]:
        """The calls so far, and how many were in flight in the mean from the first to the last."""
        with self._lock:
            taken = self._last - self._first
            return self._calls, self._area / taken if taken else 0.0


def serve(latency: float, there: Connection) -> None:
    """Answers until it is told to end; sends its address first and its gauge last."""
    judge, gauge = Judge(), Gauge()

    def answer(body: dict[str, Any]) -> Reply:
        gauge.change(1)
        gate = threading.Event()
        reply = judge.reply(body)
        judge.asked.clear()
        server.received.clear()

        def open_gate() -> None:
            gauge.change(-1)
            gate.set()

        timer = threading.Timer(latency, open_gate)
        timer.daemon = True
        timer.start()
        return replace(reply, gate=gate)

    with loopback() as server:
        server.answer(answer)
        there.send(server.url)
        there.recv()
        there.send(gauge.read())


@contextmanager
def served(latency: float) -> Iterator[tuple[str, list[tuple[int, float]]]]:
    """A server in a process of its own: its address, and a list that gets its gauge at the end."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=serve, args=(latency, there))
    process.start()
    there.close()  # so that its end is noticed
    found: list[tuple[int, float]] = []
    try:
        yield here.recv(), found
        here.send(None)
        found.append(here.recv())
    finally:
        process.terminate()
        process.join()


def write_messages(path: Path, count: int) -> None:
    """Messages of two sentences, each with a question of its own."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            text = f"{ANSWER} She was number {number}."
            file.write(json.dumps({"text": text, "question": f"Who was {number}?"}) + "\n")


def run(folder: Path, url: str, messages: int, at_once: int, **more: Any) -> float:
    """Check so many messages; the seconds it took."""
    write_messages(folder / "in.jsonl", messages)
    options = Options(
        model="openai/tiny", api_base=url, store=folder / f"store{at_once}", n_samples=5
    )
    began = time.perf_counter()
    target = folder / f"out{at_once}.jsonl"
    tally = check_file(folder / "in.jsonl", target, options=options, at_once=at_once, **more)
    assert tally.checked == messages, tally
    return time.perf_counter() - began


def resident() -> float:
    """The memory of this process now, in kilobytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1024


def measure_memory(folder: Path, messages: int, at_once: int) -> None:
    """Print the memory at ten places of one batch, and the blocks that Python holds: they tell what
    is kept from what the allocator has not given back."""

    def watch(line: Line) -> None:
        if line.place % (messages // 10) == 0:
            gc.collect()
            click.echo(
                f"{line.place:6} messages  {resident() / 1024:7.1f} MB"
                f"  {sys.getallocatedblocks():10,} blocks"
            )

    with served(0.0) as (url, _):
        run(folder, url, messages, at_once, watch=watch)


def measure_flight(folder: Path, messages: int, latency: float) -> None:
    """Print the calls in flight one at a time and 16 at once."""
    rates = []
    outputs = set()
    with served(0.0) as (url, _):
        run(folder, url, 1, 2)  # loads litellm, which is not measured
    for at_once in (1, 16):
        with served(latency) as (url, found):
            seconds = run(folder, url, messages, at_once)
        calls, mean = found[0]
        rates.append(messages / seconds)
        outputs.add((folder / f"out{at_once}.jsonl").stat().st_size)
        click.echo(
            f"{at_once:2} under way: {messages} messages, {calls} calls in {seconds:.1f} s,"
            f" {rates[-1]:.2f} messages/s, {mean:.1f} calls in flight in the mean"
        )
    click.echo(
        f"{rates[1] / rates[0]:.1f} times as fast; the same size of output: {len(outputs) == 1}"
    )


@click.command()
@click.option("--messages", default=96, show_default=True)
@click.option("--latency", default=0.3, show_default=True, help="Seconds of each answer.")
@click.option("--memory", type=int, help="Measure the memory over so many messages.")
@click.option("--at-once", default=16, show_default=True, help="With --memory.")
def main(messages: int, latency: float, memory: int | None, at_once: int) -> None:
    """Measure a batch with a model."""
    os.environ.setdefault("OPENAI_API_KEY", "none")
    with tempfile.TemporaryDirectory() as folder:
        if memory:
            measure_memory(Path(folder), memory, at_once)
        else:
            measure_flight(Path(folder), messages, latency)


if __name__ == "__main__":
    main()
