"""How long commands take to start, beside a click program that does nothing, and how many modules
of halubot one check loads.

    python -m benchmarks.startup

All run under this Python, in turns, so that a busy machine slows them alike.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

EMPTY = """
import click
@click.command()
def main():
    "Does nothing."
main(["--help"])
"""
HALUBOT = "import sys; from halubot.cli import main; raise SystemExit(main(sys.argv[1:]))"
MODULES = """
import sys
from halubot import check
check("Ada was born in 1816. She wrote.", samples=["Ada was born in 1815. She wrote."])
print(sum(name.partition(".")[0] == "halubot" for name in sys.modules))
"""


def seconds(command: list[str], status: int) -> float:
    """How long a command takes that ends with this status."""
    start = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)  # noqa: S603
    taken = time.perf_counter() - start
    if done.returncode != status:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}, not {status}")
    return taken


@click.command()
@click.option("--runs", default=20, show_default=True, help="How often each is started.")
def main(runs: int) -> None:
    """Measure how long halubot takes to start."""
    with tempfile.TemporaryDirectory() as folder:
        message, sample = Path(folder, "message.txt"), Path(folder, "sample.txt")
        message.write_text("Ada Lovelace was born in 1816 in London.\n", encoding="utf-8")
        sample.write_text("Ada Lovelace was born in 1815 in London.\n", encoding="utf-8")
        halubot = [sys.executable, "-c", HALUBOT]
        commands = {
            "python, nothing done": ([sys.executable, "-c", ""], 0),
            "empty click program --help": ([sys.executable, "-c", EMPTY], 0),
            "halubot --help": ([*halubot, "--help"], 0),
            "halubot check --offline": (
                [*halubot, "check", "--offline", str(message), "--sample", str(sample)],
                1,
            ),
        }
        taken: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(runs + 1):
            for name, (command, status) in commands.items():
                taken[name].append(seconds(command, status))
    table = Table("", "median ms", "best ms", "times empty click")
    empty = statistics.median(taken["empty click program --help"][1:])
    for name, times in taken.items():
        middle = statistics.median(times[1:])  # the first start fills the disk's cache
        best = min(times[1:])
        table.add_row(name, f"{middle * 1000:.0f}", f"{best * 1000:.0f}", f"{middle / empty:.1f}")
    Console().print(table)
    count = subprocess.check_output([sys.executable, "-c", MODULES], text=True)  # noqa: S603
    print(f"A check without a model loads {count.strip()} modules of halubot.")


if __name__ == "__main__":
    main()
