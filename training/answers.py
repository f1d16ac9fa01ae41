"""Read whole answers with planted errors, as messages to measure on or as pairs to train on.

An item is a line of JSON (`training/data/answers.jsonl.gz`): a question, an answer in which each
error stands as
``[[wrong|right|kind]]`` and a right detail that the reference lacks as ``((detail))``, other
answers, and a reference. `training/data/brief-answers.md` is what its writers were told.

    python -m training.answers FILE --part dev --messages OUT.jsonl
    python -m training.answers FILE --part train --pairs OUT.jsonl --verifier VERIFIER.onnx
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from halubot.compare.tokens import with_tokens
from halubot.text import read as read_text
from halubot.verifier import Verifier, open_verifier
from halubot.verifier.claims import units_of, words_of
from halubot.verifier.windows import SourceText
from training.files import read_rows

_PIECE = re.compile(r"\[\[(.*?)\|(.*?)\|([^|\]]*)\]\]|\(\((.*?)\)\)", re.DOTALL)
VARIANTS = {"A": 0, "B": 1, "C": None}
"""Every second error, the others, none."""

DEV_EVERY = 4
"""Each item of so many is kept for development and never trained on."""

LEAST = 0.3
"""The least entailment by which the window is found that a right sentence rests on."""


def message_of(item: dict[str, Any], variant: str) -> dict[str, Any]:
    """Return the row of one variant of an item, in the form of the everyday set."""
    planted = VARIANTS[variant]
    text, corrected, at, number = "", "", 0, 0
    errors, unsupported = [], []
    for match in _PIECE.finditer(item["text"]):
        between = item["text"][at : match.start()]
        text, corrected, at = text + between, corrected + between, match.end()
        wrong, right, kind, detail = match.groups()
        if detail is not None:
            unsupported.append([len(text), len(text) + len(detail)])
            text, corrected = text + detail, corrected + detail
            continue
        corrected += right
        if planted is not None and number % 2 == planted:
            end = len(text) + len(wrong)
            errors.append(
                {"start": len(text), "end": end, "wrong": wrong, "right": right, "kind": kind}
            )
            text += wrong
        else:
            text += right
        number += 1
    rest = item["text"][at:]
    return {
        "id": item["id"] + variant,
        "group": item["id"],
        "style": item["style"],
        "lang": item.get("lang", "en"),
        "question": item["question"],
        "text": text + rest,
        "corrected": corrected + rest,
        "samples": item["samples"],
        "references": item["references"],
        "errors": errors,
        "unsupported": unsupported,
    }


def pairs_of(item: dict[str, Any], verifier: Verifier) -> Iterator[dict[str, Any]]:
    """Yield each sentence and clause, right and wrong, beside the window of the reference that
    says the right one. The verifier finds that window; where it finds none, nothing is yielded.
    """
    reference = SourceText(with_tokens(read_text(item["references"][0])))
    grounds: list[list[str]] = []
    source = f"answer-{item.get('lang', 'en')}"
    clean = message_of(item, "C")
    document = read_text(clean["text"])
    for span in document.sentences:
        unsaid = any(a < span[1] and span[0] < b for a, b in clean["unsupported"])
        units = units_of(document, span)
        windows = [w.text for unit in units for w in reference.windows(unit.text)]
        windows = list(dict.fromkeys(windows))
        answers = verifier.judge([(w, units[0].text) for w in windows]) if units else []
        ranked = sorted(zip(answers, windows, strict=True), key=lambda one: -one[0].entailment)
        kept = [w for answer, w in ranked[:2] if answer.entailment >= LEAST]
        grounds.append(kept)
        if units and unsaid and windows:
            yield {"p": windows[0], "h": units[0].text, "y": 1, "s": source}
        elif units:
            for window in kept:
                for unit in units:
                    yield {"p": window, "h": unit.text, "y": 2, "s": source}
    for variant in "AB":
        row = message_of(item, variant)
        document = read_text(row["text"])
        for number, span in enumerate(document.sentences):
            hit = [e for e in row["errors"] if e["start"] < span[1] and span[0] < e["end"]]
            if not hit or number >= len(grounds):
                continue
            # The sentences of all variants stand in the same order.
            for window in grounds[number]:
                for unit in units_of(document, span):
                    start, end = unit.span
                    marks = []
                    for error in hit:
                        words = words_of(error["wrong"])
                        place = unit.text.find(words)
                        if start < error["end"] and error["start"] < end and place >= 0 and words:
                            marks.append([place, place + len(words)])
                    if marks:
                        yield {
                            "p": window, "h": unit.text, "y": 0, "s": source, "m": marks,
                        }  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--messages", type=Path)
    parser.add_argument("--pairs", type=Path)
    parser.add_argument("--verifier", default="")
    parser.add_argument("--variants", default="ABC", help="of --messages; default: all")
    parser.add_argument("--part", choices=["train", "dev"], help="default: all items")
    given = parser.parse_args()
    items = [item for path in given.files for item in read_rows(str(path))]
    if given.part:
        items = [
            item
            for number, item in enumerate(items)
            if (number % DEV_EVERY == DEV_EVERY - 1) == (given.part == "dev")
        ]
    if given.messages:
        rows = [message_of(item, variant) for item in items for variant in given.variants]
        given.messages.write_text(
            "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8"
        )
        print(len(rows), "messages,", sum(len(row["errors"]) for row in rows), "errors")
    if given.pairs:
        opened = open_verifier(given.verifier)
        pairs = [pair for item in items for pair in pairs_of(item, opened)]
        given.pairs.write_text(
            "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in pairs), encoding="utf-8"
        )
        print(len(pairs), "pairs", [sum(p["y"] == y for p in pairs) for y in range(3)])
