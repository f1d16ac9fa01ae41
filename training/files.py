"""Files of rows: JSON lines, plain or compressed."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any


def read_rows(path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in read_lines(path)]


def read_lines(path: str) -> list[str]:
    """Return the lines of a file; one that ends in ``.gz`` is decompressed."""
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as lines:
        return list(lines)


def pair_row(
    source: str, claim: str, label: int, name: str, marks: Sequence[Sequence[int]] = ()
) -> dict[str, Any]:
    """Return a pair of the data set ``name`` as `training.train` reads it; ``marks`` are the
    changed characters of the claim."""
    row: dict[str, Any] = {"p": source, "h": claim, "y": label, "s": name}
    return row | {"m": marks} if marks else row


def write_rows(path: Path, rows: Iterable[dict[str, Any]]) -> int:
    """Write rows as they come; return how many there were."""
    count = 0
    with path.open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
            count += 1
    return count
