"""What one process does with a model server: slots filled, requests a second, the first request.

    python -m benchmarks.model_calls slots --latency 0.5 --concurrency 64 --processes 1
    python -m benchmarks.model_calls rate --rate 300/min
    python -m benchmarks.model_calls first --runs 3

The server runs in a process of its own, answers every call after the same time as `tests.judge`
does, and counts: the calls under way between 15 % and 85 % of the run, and the most calls that
began in one second and in one minute. `first` starts the app on a terminal and measures from the
question to the moment at which its server received the first request.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import signal
import sys
import tempfile
import time
from bisect import bisect_left
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import click
import psutil

from benchmarks.batch import write_messages
from halubot.batch import check_file
from halubot.inputs import Options
from halubot.rate import Rate, parse_rate
from tests.halubot_tui.on_terminal import started
from tests.judge import Judge
from tests.loopback import Reply, loopback


class Gauge:
    """Counts calls as a server sees them."""

    def __init__(self) -> None:
        self._spans: list[tuple[float, float, int]] = []
        self._arrivals: list[float] = []
        self._under_way = 0
        self._last = 0.0

    def change(self, by: int) -> None:
        """Count a call that begins (1) or ends (-1)."""
        now = time.monotonic()
        self._spans.append((self._last or now, now, self._under_way))
        self._last = now
        self._under_way += by
        if by > 0:
            self._arrivals.append(now)

    def most_in(self, seconds: float) -> int:
        """Return the most calls that began in any span of so many seconds."""
        times = self._arrivals
        return max(bisect_left(times, at + seconds) - n for n, at in enumerate(times))

    def summary(self) -> dict[str, float]:
        """Return the figures of the run."""
        first, last = self._arrivals[0], self._arrivals[-1]
        low, high = first + 0.15 * (last - first), first + 0.85 * (last - first)
        area = sum(
            n * (min(end, high) - max(begin, low))
            for begin, end, n in self._spans
            if end > low and begin < high
        )
        return {
            "calls": len(self._arrivals),
            "under way": round(area / (high - low), 1),
            "seconds": round(last - first, 1),
            "most in a second": self.most_in(1),
            "most in a minute": self.most_in(60),
        }


def serve(parent: Connection, latency: float) -> None:
    """Answer calls until told to stop, then send the figures."""
    judge, gauge = Judge(), Gauge()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = next(
                    int(line.split(b":")[1])
                    for line in head.lower().split(b"\r\n")
                    if line.startswith(b"content-length:")
                )
                body = json.loads(await reader.readexactly(length))
                gauge.change(1)
                until = time.monotonic() + latency
                sent = answer(judge, body)
                await asyncio.sleep(max(0, until - time.monotonic()))
                gauge.change(-1)
                writer.write(
                    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                    b"Content-Length: %d\r\n\r\n" % len(sent) + sent
                )
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            writer.close()

    async def run() -> None:
        server = await asyncio.start_server(handle, "127.0.0.1", 0)
        parent.send(server.sockets[0].getsockname()[1])
        stop = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
        await stop.wait()
        parent.send(gauge.summary())
        os._exit(0)  # open connections would hold the loop

    asyncio.run(run())


def answer(judge: Judge, body: dict[str, Any]) -> bytes:
    """Return an answer as an OpenAI-compatible server words it."""
    texts = list(judge.reply(body).texts)[: body.get("n") or 1]
    judge.asked.clear()
    if "response_format" not in body and "tools" not in body:
        # Else all answers were the same, and few of them would be judged.
        number = abs(hash(body["messages"][-1]["content"])) % 10**6
        texts = [f"{text} Note {number}." for text in texts]
    choices = [
        {"index": n, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
        for n, text in enumerate(texts)
    ]
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    said = {"id": "x", "object": "chat.completion", "created": 1, "model": "tiny"}
    return json.dumps(said | {"choices": choices, "usage": usage}).encode()


def run_batch(
    messages: int,
    latency: float,
    processes: int,
    *,
    concurrency: int | None = None,
    rate: Rate | None = None,
) -> dict[str, float]:
    """Run a batch with a model against the server; return the server's figures and the speed."""
    mine, theirs = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(theirs, latency))
    server.start()
    port = mine.recv()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_messages(folder / "in.jsonl", messages)
        options = Options(
            model="openai/tiny", api_base=f"http://127.0.0.1:{port}/v1", store=folder / "store",
            n_samples=5, concurrency=concurrency,
        )  # fmt: skip
        began, worked = time.perf_counter(), time.process_time()
        tally = check_file(
            folder / "in.jsonl", folder / "out.jsonl", options=options, processes=processes,
            rate=rate,
        )  # fmt: skip
        took, worked = time.perf_counter() - began, time.process_time() - worked
    server.terminate()
    found: dict[str, float] = mine.recv()
    server.join()
    assert tally.checked == messages
    found["messages/s"] = round(messages / took, 2)
    if processes == 1:
        found["ms of processor a call"] = round(1000 * worked / found["calls"], 1)
    return found


def work_of(process: psutil.Process) -> float:
    """Return the seconds of processor of a process and of those that it started."""
    all_of_them = [process, *process.children(recursive=True)]
    return float(sum(sum(one.cpu_times()[:2]) for one in all_of_them))


def wait_for_first() -> tuple[float, float]:
    """Start the app, ask; return the seconds, and those of processor, until the request came."""
    answered = Reply(texts=("Ada Lovelace was born in 1815.",))
    with tempfile.TemporaryDirectory() as folder, loopback(answered) as server:
        words = ("--model", "openai/test", "--api-base", server.url, "--store", f"{folder}/store")
        with started(Path(folder, "state"), "halubot", "tui", *words) as (process, terminal):
            terminal.see("Ask, or paste a text")
            app = psutil.Process(process.pid)
            asked, worked = time.monotonic(), work_of(app)
            terminal.type("Who was Ada Lovelace?\r")
            while not server.received:
                time.sleep(0.01)
            return server.received[0].at - asked, work_of(app) - worked


@click.group()
def main() -> None:
    """Measure."""
    os.environ.setdefault("OPENAI_API_KEY", "none")


@main.command()
@click.option("--messages", default=300, show_default=True)
@click.option("--latency", default=0.5, show_default=True, help="Seconds of an answer.")
@click.option("--concurrency", default=64, show_default=True)
@click.option("--processes", default=1, show_default=True)
def slots(messages: int, latency: float, concurrency: int, processes: int) -> None:
    """How many of the slots are full."""
    found = run_batch(messages, latency, processes, concurrency=concurrency)
    share = found["under way"] / concurrency
    click.echo(f"{found}; {share:.0%} of {concurrency} slots full (bar 85 %)")


@main.command()
@click.option("--messages", default=120, show_default=True)
@click.option("--rate", default="300/min", show_default=True)
def rate(messages: int, rate: str) -> None:
    """How evenly calls are spaced."""
    found = run_batch(messages, 0.05, 1, rate=parse_rate(rate))
    click.echo(f"{rate}: {found}")


@main.command()
@click.option("--runs", default=3, show_default=True)
def first(runs: int) -> None:
    """How long a question waits for its first request, from a cold start of the app."""
    for _ in range(runs):
        waited, worked = wait_for_first()
        click.echo(f"request after {waited:.2f} s, {worked:.2f} s of processor (bar 1.5 s)")


if __name__ == "__main__":
    sys.exit(main())
