"""What the methods that ask a model take: calls, tokens, round trips and time.

    python -m benchmarks.calls                   every method, merged and as published
    python -m benchmarks.calls --method cascade  one of them

A server on this machine answers every call after 200 ms. It runs in a process of its own, is
asked through litellm, and answers as `tests.judge` does. A message of 8 sentences and 26 facts
(`benchmarks.lives`) is checked with 20 samples, drawn in the same run, every time with an empty
store. Calls and tokens are those beside the sampling. Depth is the longest chain of calls of which
each began, by the server's clock, after the one before was answered; the critical path is as many
answers' time, and the wall time the best of several runs. Tokens are counted as GPT-4 counts them,
the schemas left out.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from importlib.util import find_spec
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import click
import tiktoken
from rich.console import Console
from rich.table import Table

from benchmarks.lives import F, Life, U, life
from halubot import check
from halubot.claims import extract
from halubot.dry_run import Plan, rehearse
from halubot.methods import registry
from halubot.methods.gca import gca
from halubot.methods.judges.judges import REPEATS
from halubot.methods.registry import Method
from halubot.text import read
from tests.judge import Judge, received
from tests.knowing import QUERIES
from tests.loopback import Body, Reply, loopback

N = 20
SECONDS = 0.2
MODEL = "openai/bench"
SAMPLING = "answer"

PUBLISHED: dict[str, tuple[str, int]] = {
    "bcv": ("k", REPEATS),
    "bcv-cot": ("k", REPEATS),
    "sca": ("k", REPEATS),
    "issc": ("U·N", U * N),
    "issc-cot": ("U·N", U * N),
    "selfcheck-prompt": ("U·N", U * N),
    "fsc-frequency": ("2 + U + N", 2 + U + N),
    "fsc-kg": ("2 + U + N + F·N", 2 + U + N + F * N),
    "fsc-text": ("2 + U + F·N", 2 + U + F * N),
    "gca": (
        "2 + 2N + F·(2 + N + 4k)",
        2 + 2 * gca.SAMPLES + F * (2 + gca.SAMPLES + 4 * gca.REPEATS),
    ),
    "knowhalu": ("1 + 2·(2n + 1) + 2", 1 + 2 * (2 * QUERIES + 1) + 2),
    "triplet-check": ("2 + W", 3),
}
"""The calls of the papers' steps; k judgements, W windows, n queries. Of gca N is 10 at most."""

AGREEMENTS = dict(enumerate((1.0, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.3, 0.1, 0.0), start=1))
"""How much of other messages, by their numbers, their samples bear out."""

AGAIN = """
import json, pathlib, sys, time
began = time.perf_counter()
from halubot import check
folder, *checks = sys.argv[1:]
for options in checks:
    report = check(**json.loads(options), store=pathlib.Path(folder))
    print(json.dumps([report.usage.calls, time.perf_counter() - began, "litellm" in sys.modules]))
    began = time.perf_counter()
"""
"""Checks that were made before, in a fresh process: the first loads what a check needs."""


@dataclass(frozen=True)
class Call:
    """One call as the server saw it: when it came and when the answer went, in seconds, what was
    read and what was written."""

    prompt: str
    began: float
    ended: float
    read: tuple[str, ...]
    written: tuple[str, ...]


class Answering(threading.Event):
    """Lets an answer go when its time has come, and writes the call down."""

    def __init__(self, call: Call, log: list[Call]) -> None:
        super().__init__()
        self._call = call
        self._log = log

    def wait(self, timeout: float | None = None) -> bool:
        """Returns at that time."""
        time.sleep(max(0.0, self._call.ended - time.monotonic()))
        self._log.append(replace(self._call, ended=time.monotonic()))
        return True


def serve(parent: Connection, lives: Sequence[Life]) -> None:
    """Serves until told to stop; tells its address first, and the calls since it was last asked."""
    log: list[Call] = []
    judges = {one.question: Judge(samples=one.samples) for one in lives}
    sys.setswitchinterval(0.0005)  # a request is noticed while another is being answered

    def answered(body: Body) -> Reply:
        began = server.received[-1].at
        asked = received(body)
        reply = judges.get(asked.words, judges[lives[0].question]).reply(body)
        read = tuple(message["content"] for message in body["messages"])
        call = Call(asked.prompt, began, began + SECONDS, read, reply.texts)
        return replace(reply, gate=Answering(call, log))

    with loopback() as server:
        server.answer(answered)
        parent.send(server.url)
        while parent.recv() == "a run":
            parent.send(log)
            log.clear()
            judges.update({one.question: Judge(samples=one.samples) for one in lives})


@cache
def tokens(text: str) -> int:
    """How many tokens a text is, by the encoding that litellm brings along."""
    package = find_spec("litellm")
    assert package is not None
    assert package.submodule_search_locations is not None
    folder = Path(package.submodule_search_locations[0], "litellm_core_utils", "tokenizers")
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)  # else it asks the network
    return len(tiktoken.get_encoding("cl100k_base").encode(text, disallowed_special=()))


@dataclass(frozen=True)
class Cost:
    """What one check took, the calls that drew samples apart; ``read_in_all`` is with them."""

    calls: int
    sampling: int
    read: int
    written: int
    depth: int
    wall: float
    read_in_all: int

    @property
    def path(self) -> float:
        """The critical path in seconds."""
        return self.depth * SECONDS


def cost(calls: Sequence[Call], wall: float) -> Cost:
    """The cost of a check that made these calls."""
    judged = [call for call in calls if call.prompt != SAMPLING]
    return Cost(
        calls=len(judged),
        sampling=len(calls) - len(judged),
        read=sum(tokens(text) for call in judged for text in call.read),
        written=sum(tokens(text) for call in judged for text in call.written),
        depth=longest_chain(calls),
        wall=wall,
        read_in_all=sum(tokens(text) for call in calls for text in call.read),
    )


def longest_chain(calls: Sequence[Call]) -> int:
    """How many calls followed one another, each begun after the one before had ended."""
    chain, free = 0, 0.0
    for call in sorted(calls, key=lambda call: call.ended):
        if call.began >= free:
            chain, free = chain + 1, call.ended
    return chain


class Bench:
    """The server, and checks that ask it."""

    def __init__(self, server: Connection) -> None:
        self._server = server
        self._url = server.recv()

    def check(self, method: Method, told: Life, *, as_published: bool = False) -> Cost:
        """What a check of a message takes, with an empty store."""
        with tempfile.TemporaryDirectory() as folder:
            self._calls()
            options = self._options(method, told)
            began = time.perf_counter()
            report = check(**options, as_published=as_published, store=Path(folder))
            wall = time.perf_counter() - began
        assert not report.problems, report.problems
        return cost(self._calls(), wall)

    def again(self, method: Method, lives: Sequence[Life]) -> list[tuple[int, float]]:
        """The calls and the seconds of checks that were made before, in a fresh process."""
        options = [self._options(method, told) for told in lives]
        with tempfile.TemporaryDirectory() as folder:
            for one in options:
                check(**one, store=Path(folder))
            command = [sys.executable, "-c", AGAIN, folder, *map(json.dumps, options)]
            done = subprocess.run(command, stdout=subprocess.PIPE, check=True)  # noqa: S603
        found = [json.loads(line) for line in done.stdout.splitlines()]
        assert not any(loaded for *_, loaded in found), "litellm was loaded and nothing asked"
        return [(calls, seconds) for calls, seconds, _ in found]

    def plan(self, method: Method, told: Life, *, as_published: bool = False) -> Plan:
        """What a dry run of a check tells."""
        options = self._options(method, told)
        text = options.pop("text")
        return rehearse(text, **options, as_published=as_published)

    def _options(self, method: Method, told: Life) -> dict[str, Any]:
        """The options of a check: what the method compares with is drawn, or else given."""
        options: dict[str, Any] = {"text": told.text, "question": told.question}
        if "samples" in method.needs:
            options["n_samples"] = N
        else:
            options["references"] = [told.samples[0]]
        return {**options, "method": method.name, "model": MODEL, "api_base": self._url}

    def _calls(self) -> list[Call]:
        """The calls since this was last asked."""
        self._server.send("a run")
        calls: list[Call] = self._server.recv()
        return calls


@contextmanager
def bench(lives: Sequence[Life]) -> Iterator[Bench]:
    """A server for these lives, in a process of its own."""
    context = get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=serve, args=(there, lives), daemon=True)
    process.start()
    try:
        yield Bench(here)
        here.send("stop")
        process.join()
    finally:
        process.kill()


def tables_of_methods(
    bench: Bench, methods: Sequence[Method], told: Life, runs: int
) -> tuple[Table, Table]:
    """Every method, merged and as published; and what dry runs tell of them."""
    table = Table("method", "", "calls", "published", "sampling", "prompt tokens", title="Methods")
    for heading in ("completion tokens", "depth", "critical path", "wall time", "ratio"):
        table.add_column(heading)
    dry = Table("method", "", "calls", "told", "at most", title="Dry runs, sampling included")
    for heading in ("prompt tokens", "told", "off by"):
        dry.add_column(heading)
    for method in methods:
        formula, count = PUBLISHED.get(method.name, ("", 0))
        for as_published, way in ((False, "merged"), (True, "as published")):
            times = min(runs, 2) if as_published else runs  # those are long, and vary less
            costs = [bench.check(method, told, as_published=as_published) for _ in range(times)]
            one = min(costs, key=lambda one: one.wall)
            table.add_row(
                *(method.name, way, str(one.calls)),
                *(f"{formula} = {count}" if formula else "", str(one.sampling)),
                *(f"{one.read:,}", f"{one.written:,}", str(one.depth)),
                *(f"{one.path:.1f} s", f"{one.wall:.2f} s", f"{one.wall / one.path:.2f}"),
            )
            plan = bench.plan(method, told, as_published=as_published)
            off = plan.prompt_tokens / one.read_in_all - 1
            dry.add_row(
                *(method.name, way, str(one.calls + one.sampling), str(plan.calls)),
                *(str(plan.most_calls), f"{one.read_in_all:,}", f"{plan.prompt_tokens:,}"),
                f"{off:+.0%}",
            )
    return table, dry


def table_of_messages(bench: Bench, lives: Mapping[float, Life]) -> Table:
    """`cascade` on messages that their samples bear out more or less."""
    table = Table("borne out", "calls", "sampling", "depth", title="cascade, message by message")
    costs = {share: bench.check(registry.get("cascade"), told) for share, told in lives.items()}
    for share, one in costs.items():
        table.add_row(f"{share:.0%}", str(one.calls), str(one.sampling), str(one.depth))
    median = statistics.median
    table.add_row(
        "median",
        f"{median(one.calls for one in costs.values()):g}",
        f"{median(one.sampling for one in costs.values()):g}",
        f"{median(one.depth for one in costs.values()):g}",
    )
    return table


@click.command()
@click.option("--method", "names", multiple=True, help="Measure this method alone; repeatable.")
@click.option("--runs", default=10, show_default=True, help="How often each is run, merged.")
def main(names: Sequence[str], runs: int) -> None:
    """Measure what checks with a model take."""
    os.environ["XDG_DATA_HOME"] = tempfile.mkdtemp()  # what is learnt of the server goes there
    known = [registry.get(name) for name in names or registry.method_names()]
    methods = [method for method in known if "model" in method.needs]
    told = life(0, samples=N, agreement=0.7)
    assert len(extract(read(told.text))) == F
    others = {share: life(seed, samples=N, agreement=share) for seed, share in AGREEMENTS.items()}
    console = Console(width=None if sys.stdout.isatty() else 160)
    with bench([told, *others.values()]) as measured:
        measured.check(registry.get("cascade"), told)  # loads litellm, and connects
        for table in tables_of_methods(measured, methods, told, runs):
            console.print(table)
        console.print(table_of_messages(measured, others))
        again = measured.again(registry.get("cascade"), [others[0.9], told])
        for what, (calls, seconds) in zip(("with its imports", "after them"), again, strict=True):
            console.print(f"Checked before, {what}: {calls} calls, {seconds * 1000:.0f} ms.")


if __name__ == "__main__":
    main()
