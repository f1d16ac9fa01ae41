"""Add the answers of teachers to pairs, as logits "t", which `training.train` learns from too.

With several teachers their probabilities are averaged. A teacher's licence binds what it taught:
weights that ship may only learn from teachers whose licence allows it.

    python -m training.teach PAIRS.jsonl OUT.jsonl --teachers VERIFIER.onnx...
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from halubot.verifier import Verifier, open_verifier
from training.files import read_rows, write_rows

PORTION = 2_000
LEAST = 1e-4  # a probability of 0 has no logarithm


def taught(rows: list[dict[str, Any]], teachers: list[Verifier]) -> Iterator[dict[str, Any]]:
    """Yield the rows with "t": the logarithms of the teachers' mean probabilities."""
    for at in range(0, len(rows), PORTION):
        portion = rows[at : at + PORTION]
        pairs = [(row["p"], row["h"]) for row in portion]
        for row, *judged in zip(portion, *(t.judge(pairs) for t in teachers), strict=True):
            means = (sum(values) / len(judged) for values in zip(*judged, strict=True))
            yield row | {"t": [round(math.log(max(mean, LEAST)), 2) for mean in means]}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs")
    parser.add_argument("out", type=Path)
    parser.add_argument("--teachers", nargs="+", required=True)
    given = parser.parse_args()
    opened = [open_verifier(name) for name in given.teachers]
    write_rows(given.out, taught(read_rows(given.pairs), opened))
