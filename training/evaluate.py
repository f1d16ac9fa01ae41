"""Measure a verifier on messages with planted errors, and on single pairs.

A row of messages has "text", "references", "samples" and "errors" with "start" and "end"; a row of
pairs has "p", "h" and "y", as `training.train` reads them.

    python -m training.evaluate VERIFIER.onnx --messages FILE... --pairs FILE...
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from halubot.compare.tokens import with_tokens
from halubot.text import read as read_text
from halubot.verifier import Verifier, open_verifier
from halubot.verifier.encoder import CLASSES
from halubot.verifier.reading import MessageReader
from halubot.verifier.windows import SourceText
from training.files import read_rows


def auroc(wrong: list[float], right: list[float]) -> float:
    """Return the share of (wrong, right) couples in the right order, ties counted as half."""
    if not wrong or not right:
        return float("nan")
    ordered = np.sort(np.array(right))
    below = np.searchsorted(ordered, wrong, side="left")
    upto = np.searchsorted(ordered, wrong, side="right")
    return float((below + upto).mean() / 2 / len(ordered))


def sentence_scores(row: dict[str, Any], sources: list[str], verifier: Verifier) -> list[float]:
    """Return the doubt of each sentence: its most contradicted, least entailed clause; over
    several sources the mean."""
    message = read_text(row["text"])
    reader = MessageReader(message, verifier)
    total = np.zeros(len(message.sentences))
    for source in sources:
        readings = reader.read(SourceText(with_tokens(read_text(source))))
        total += [
            max(
                (unit.contradiction * (1 - unit.entailment) for unit in units),
                default=0.0,
            )
            for units in readings
        ]
    return [float(sum_of_sources) / max(1, len(sources)) for sum_of_sources in total]


def measure_messages(path: str, verifier: Verifier) -> dict[str, Any]:
    wrong: dict[str, list[float]] = defaultdict(list)
    right: dict[str, list[float]] = defaultdict(list)
    for row in read_rows(path):
        spans = read_text(row["text"]).sentences
        for kind in ("references", "samples"):
            scores = sentence_scores(row, row[kind], verifier)
            for (start, end), score in zip(spans, scores, strict=True):
                hit = any(e["start"] < end and start < e["end"] for e in row["errors"])
                (wrong if hit else right)[kind].append(score)
    found: dict[str, Any] = {"file": Path(path).name}
    for kind in ("references", "samples"):
        limit = float(np.quantile(right[kind], 0.95))
        found[kind] = {
            "auroc": round(auroc(wrong[kind], right[kind]), 3),
            "found_at_5_percent": round(float(np.mean(np.array(wrong[kind]) > limit)), 3),
            "wrong": len(wrong[kind]),
            "right": len(right[kind]),
        }
    return found


def measure_pairs(path: str, verifier: Verifier) -> dict[str, Any]:
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
    parser.add_argument("--messages", nargs="*", default=[])
    parser.add_argument("--pairs", nargs="*", default=[])
    given = parser.parse_args()
    opened = open_verifier("" if given.verifier == "shipped" else given.verifier)
    for name in given.pairs:
        print(json.dumps(measure_pairs(name, opened)), flush=True)
    for name in given.messages:
        print(json.dumps(measure_messages(name, opened)), flush=True)
