"""Measure a verifier on single pairs: rows with "p", "h" and "y", as `training.train` reads them.

    python -m training.evaluate VERIFIER.onnx --pairs FILE...

Whole messages are measured by `python -m benchmarks everyday --set verifier=VERIFIER.onnx`.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from halubot.verifier import Verifier, open_verifier
from halubot.verifier.encoder import CLASSES
from training.files import read_rows


def measure_pairs(path: str, verifier: Verifier) -> dict[str, Any]:
    """Return the share of right answers, in all and by language or set, and how often each class
    (a list) is called which."""
    rows = read_rows(path)
    answers = verifier.judge([(row["p"], row["h"]) for row in rows])
    table = np.zeros((3, 3), dtype=int)
    by_language: dict[str, list[int]] = defaultdict(list)
    for row, answer in zip(rows, answers, strict=True):
        told = int(np.argmax(answer))
        table[row["y"], told] += 1
        by_language[row.get("lang") or row.get("s", "")].append(int(told == row["y"]))
    return {
        "file": Path(path).name,
        "right": round(float(np.trace(table)) / len(rows), 3),
        "rows": len(rows),
        **{name: table[at].tolist() for at, name in enumerate(CLASSES)},
        "by": {name: round(float(np.mean(v)), 3) for name, v in sorted(by_language.items())},
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("verifier", help="a file, or 'shipped'")
    parser.add_argument("--pairs", nargs="+", required=True)
    given = parser.parse_args()
    opened = open_verifier("" if given.verifier == "shipped" else given.verifier)
    for name in given.pairs:
        print(json.dumps(measure_pairs(name, opened)), flush=True)
