"""What a batch has spent, kept beside its output: a budget holds over all runs that write to it."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from halubot.errors import InputError, explain

if TYPE_CHECKING:
    from halubot.models.panel import Panel

_WIDTH = 96
"""Bytes of the file, always the same: each writing replaces the whole."""


def spending_path(target: Path) -> Path:
    """Return where the spending of an output is kept: ``out.jsonl.spent.json`` for
    ``out.jsonl``. Links are followed: all names of an output have one budget."""
    target = target.resolve()
    return target.with_name(f"{target.name}.spent.json")


class Spending:
    """The calls and dollars of all runs that wrote to an output. Used with ``with``.

    They are written before a call begins, so that a command that is killed has spent no more than
    that. An output that is ``new`` begins anew. Raises InputError if the file cannot be used.
    """

    def __init__(self, target: Path, *, new: bool) -> None:
        self._path = spending_path(target)
        self._file = -1
        try:
            self.before = (0, 0.0) if new else _read(self._path)
            self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT, 0o666)
            self.note(*self.before)
        except OSError as error:
            self.close()
            raise InputError(f"cannot write {self._path}: {explain(error)}") from error

    def note(self, calls: int, cost: float) -> None:
        """Keep what is spent by now. Raises OSError."""
        text = json.dumps({"calls": calls, "cost_usd": round(cost, 9)})
        # One write in place: it is there for the next run if this one is killed, and it waits for
        # no disk.
        os.lseek(self._file, 0, os.SEEK_SET)
        os.write(self._file, f"{text:<{_WIDTH - 1}}\n".encode())

    def close(self) -> None:
        """Let go of the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> Spending:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _read(path: Path) -> tuple[int, float]:
    try:
        match json.loads(path.read_bytes()):
            # Less than nothing would be credit, and so would NaN, which no limit is less than.
            case {"calls": int(calls), "cost_usd": float() | int() as cost} if (
                calls >= 0 and cost >= 0
            ):
                return calls, float(cost)
    except FileNotFoundError:
        return 0, 0.0
    except ValueError:
        pass
    raise InputError(
        f"cannot read what was spent in {path}: it is damaged, or something else; to begin with a"
        " new budget, remove it"
    )


def with_budget(panel: Panel, spending: Spending | None) -> Panel:
    """Return the models with a budget from which earlier runs have spent, too."""
    if spending is None:
        return panel
    from halubot.models.budget import Budget

    limits = panel.budget
    budget = Budget(
        max_calls=limits.max_calls,
        max_cost=limits.max_cost,
        spent=spending.before,
        note=spending.note,
    )
    return replace(panel, budget=budget)
