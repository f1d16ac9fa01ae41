"""Processes that share a store, and processes that are killed while they write."""

import subprocess
import sys
from pathlib import Path

import pytest

from halubot_cache import Request, Store
from tests.kept import take

WRITER = """
import sys
from halubot_cache import Request, Store
folder, first, count, size = sys.argv[1], *map(int, sys.argv[2:])
request = Request.of(endpoint="", model="m", messages=[])
print("ready", flush=True)
sys.stdin.readline()
with Store.open(folder) as store:
    for index in range(first, first + count):
        assert store.put(request, index, {"text": f"{index} " * size}), store.problems
        assert store.get(request, index) == {"text": f"{index} " * size}
        print(index, flush=True)
    print([problem.why for problem in store.problems], flush=True)
"""
REQUEST = Request.of(endpoint="", model="m", messages=[])


def writer(folder: Path, first: int, count: int, size: int) -> subprocess.Popen[str]:
    """A process that is ready to write, and waits for a line to begin."""
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder), str(first), str(count), str(size)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def begin(*processes: subprocess.Popen[str]) -> None:
    """Let them all write at once."""
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()


@pytest.mark.slow
def test_eight_processes_at_once_lose_nothing(folder: Path) -> None:
    processes = [writer(folder, part * 25, 25, 300) for part in range(8)]
    begin(*processes)
    for process in processes:
        out, err = process.communicate()
        assert process.returncode == 0, err
        assert out.splitlines()[-1] == "[]"
    with Store.open(folder) as store:
        found = take(store, REQUEST)
        assert found == [{"text": f"{index} " * 300} for index in range(200)]
        assert store.stats().completions == 200


@pytest.mark.slow
def test_what_was_kept_survives_a_kill_in_mid_write(folder: Path) -> None:
    kept = 0
    for moment in (1, 7, 23):
        process = writer(folder, kept, 10_000, 20_000)
        begin(process)
        assert process.stdout is not None
        for _ in range(moment):
            process.stdout.readline()
        process.kill()
        # lines that came before the kill were promised too
        rest = process.stdout.read().splitlines(keepends=True)
        promised = kept + moment + sum(line.endswith("\n") for line in rest)
        process.communicate()
        with Store.open(folder) as store:
            kept = len(take(store, REQUEST))
            assert kept in (promised, promised + 1)
            assert take(store, REQUEST, kept) == [
                {"text": f"{index} " * 20_000} for index in range(kept)
            ]
            assert store.problems == ()
            assert store.stats().damaged == 0
