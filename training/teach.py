"""Add the answers of teachers to pairs, as logits "t", which `training.train` learns from too.

With several teachers their probabilities are averaged. A teacher's licence binds what it taught:
weights that ship may only learn from teachers whose licence allows it.

    python -m training.teach PAIRS.jsonl OUT.jsonl --teachers VERIFIER.onnx...
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from halubot.verifier import Judgement, Verifier, open_verifier
from halubot.verifier.encoder import Pair
from training.files import read_rows, write_rows

PORTION = 2_000
LEAST = 1e-4  # a probability of 0 has no logarithm


class Judges:
    """Encoders that judge together: the mean of their probabilities."""

    def __init__(self, opened: Sequence[Verifier]) -> None:
        self._opened = opened

    def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        each = [one.judge(pairs) for one in self._opened]
        return [
            Judgement(*(sum(values) / len(each) for values in zip(*of_pair, strict=True)))
            for of_pair in zip(*each, strict=True)
        ]


def logits(shares: Sequence[float]) -> list[float]:
    """Return probabilities as training reads them."""
    return [round(math.log(max(one, LEAST)), 2) for one in shares]


def taught(rows: list[dict[str, Any]], teachers: Judges) -> Iterator[dict[str, Any]]:
    """Yield the rows with "t": the logarithms of the teachers' mean probabilities."""
    for at in range(0, len(rows), PORTION):
        portion = rows[at : at + PORTION]
        found = teachers.judge([(row["p"], row["h"]) for row in portion])
        for row, judged in zip(portion, found, strict=True):
            yield row | {"t": logits(judged)}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs")
    parser.add_argument("out", type=Path)
    parser.add_argument("--teachers", nargs="+", required=True)
    given = parser.parse_args()
    teachers = Judges([open_verifier(name) for name in given.teachers])
    write_rows(given.out, taught(read_rows(given.pairs), teachers))
