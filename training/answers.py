"""Read whole answers with planted errors, as messages to measure on or as pairs to train on.

An item is a line of JSON (`training/data/answers.jsonl.gz`): a question, an answer in which each
error stands as
``[[wrong|right|kind]]`` and a right detail that the reference lacks as ``((detail))``, other
answers, and a reference. `training/data/brief-answers.md` is what its writers were told.

    python -m training.answers FILE --part dev --messages OUT.jsonl
    python -m training.answers FILE --part train --pairs OUT.jsonl --taught OUT2.jsonl \
        --verifiers VERIFIER.onnx...
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from halubot.compare.tokens import with_tokens
from halubot.text import read as read_text
from halubot.verifier import open_verifier
from halubot.verifier.reading import SourceText, Unit, units_of, words_of
from training.files import pair_row, read_rows, write_rows
from training.teach import Judges, logits

_PIECE = re.compile(r"\[\[(.*?)\|(.*?)\|([^|\]]*)\]\]|\(\((.*?)\)\)", re.DOTALL)
VARIANTS = {"A": 0, "B": 1, "C": None}
"""Every second error, the others, none."""

DEV_EVERY = 4
"""Each item of so many is kept for development and never trained on."""

LEAST = 0.12
"""The least entailment by which a window of the reference is what a right sentence rests on."""
CLEAR = 0.5
"""The same of another answer, which may be silent."""
KEPT = 0.75
"""Share of the windows that are taught."""
UNLIKELY = 0.15
"""What the judges give to what the labels allow, at least."""


def message_of(item: dict[str, Any], variant: str) -> dict[str, Any]:
    """Return the row of one variant of an item, in the form of the everyday set."""
    planted = VARIANTS[variant]
    text, at, number = "", 0, 0
    errors, unsupported = [], []
    for match in _PIECE.finditer(item["text"]):
        text += item["text"][at : match.start()]
        at = match.end()
        wrong, right, kind, detail = match.groups()
        if detail is not None:
            unsupported.append([len(text), len(text) + len(detail)])
            text += detail
            continue
        is_planted = planted is not None and number % 2 == planted
        if is_planted:
            end = len(text) + len(wrong)
            errors.append(
                {"start": len(text), "end": end, "wrong": wrong, "right": right, "kind": kind}
            )
        text += wrong if is_planted else right
        number += 1
    return {
        "id": item["id"] + variant,
        "group": item["id"],
        "style": item["style"],
        "lang": item.get("lang", "en"),
        "question": item["question"],
        "text": text + item["text"][at:],
        "samples": item["samples"],
        "references": item["references"],
        "errors": errors,
        "unsupported": unsupported,
    }


def sources_of(item: dict[str, Any]) -> list[tuple[bool, SourceText]]:
    """Return the references and the other answers of an item, and whether each is a reference."""
    texts = [(True, one) for one in item["references"]] + [(False, s) for s in item["samples"]]
    return [(trusted, SourceText(with_tokens(read_text(text)))) for trusted, text in texts]


def wrong_in(unit: Unit, errors: list[dict[str, Any]]) -> list[list[int]]:
    """Return the places of the errors' words in a sentence or clause."""
    found = []
    for error in errors:
        words = words_of(error["wrong"])
        place = unit.text.find(words)
        inside = any(a < error["end"] and error["start"] < b for a, b in unit.spans)
        if inside and place >= 0 and words:
            found.append([place, place + len(words)])
    return found


def pairs_of(item: dict[str, Any], judges: Judges) -> Iterator[dict[str, Any]]:
    """Yield each sentence and clause, right and wrong, beside the windows of the reference and of
    the other answers that say the right one, and some beside a sentence of another matter.

    The judges find the windows; where they find none, nothing is yielded. A reference says nearly
    all of its answer, another answer may not: the latter must be clearer.
    """
    sources = sources_of(item)
    grounds: list[list[str]] = []
    source = f"answer-{item.get('lang', 'en')}"
    clean = message_of(item, "C")
    document = read_text(clean["text"])
    for span, units in zip(document.sentences, units_of(document), strict=True):
        unsaid = any(a < span[1] and span[0] < b for a, b in clean["unsupported"])
        grounds.append([])
        for trusted, text in sources if units else []:
            windows = list({w.text: w for u in units for w in text.windows(u.text)}.values())
            if not windows or (unsaid and not trusted):
                continue
            if unsaid:
                yield pair_row(windows[0].text, units[0].text, 1, source)
                continue
            answers = judges.judge([(w.text, units[0].text) for w in windows])
            ranked = sorted(zip(answers, windows, strict=True), key=lambda one: -one[0].entailment)
            least = LEAST if trusted else CLEAR
            kept = [w for answer, w in ranked[: 2 if trusted else 1] if answer.entailment >= least]
            grounds[-1] += [window.text for window in kept]
            for window in kept:
                for unit in units:
                    yield pair_row(window.text, unit.text, 2, source)
            near = {place for window in kept for place in window.sentences}
            far = [n for n in range(len(text.sentences)) if all(abs(n - m) > 1 for m in near)]
            if trusted and far and ranked[0][0].entailment >= CLEAR:
                other = words_of(text.text[slice(*text.sentences[far[span[0] % len(far)]])])
                yield pair_row(other, units[0].text, 1, source)
    for variant in "AB":
        row = message_of(item, variant)
        document = read_text(row["text"])
        # The sentences of all variants stand in the same order.
        for units, windows_of in zip(units_of(document), grounds, strict=False):
            for unit in units:
                marks = wrong_in(unit, row["errors"])
                for ground in windows_of if marks else []:
                    yield pair_row(ground, unit.text, 0, source, marks)


def taught_pairs_of(
    item: dict[str, Any], judges: Judges, draws: random.Random
) -> Iterator[dict[str, Any]]:
    """Yield sentences and clauses beside windows as a check reads them, with the answers "t" of the
    judges, kept to what is known: what has an error is not entailed, nothing else is contradicted.
    """
    sources = sources_of(item)
    source = f"answer-{item.get('lang', 'en')}"
    asked: list[tuple[str, str]] = []
    marks: list[list[list[int]]] = []
    for variant in "AB":
        row = message_of(item, variant)
        document = read_text(row["text"])
        for units in units_of(document):
            for unit in units:
                wrong = wrong_in(unit, row["errors"])
                if variant == "B" and not wrong:
                    continue  # it stands in A too
                for trusted, text in sources:
                    if not trusted and draws.random() < (0.3 if wrong else 0.6):
                        continue
                    for window in text.windows(unit.text):
                        if draws.random() < KEPT:
                            asked.append((window.text, unit.text))
                            marks.append(wrong)
    for (window_text, claim), judged, wrong in zip(asked, judges.judge(asked), marks, strict=True):
        shares = list(judged)
        shares[2 if wrong else 0] = 0.0
        if sum(shares) < UNLIKELY:
            continue
        label = shares.index(max(shares))
        row = pair_row(window_text, claim, label, source, wrong if label == 0 else ())
        yield row | {"t": logits([one / sum(shares) for one in shares])}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--messages", type=Path)
    parser.add_argument("--pairs", type=Path)
    parser.add_argument("--taught", type=Path, help="pairs with the answers of the verifiers")
    parser.add_argument("--verifiers", nargs="*", default=[""], help="default: the one that ships")
    parser.add_argument("--part", choices=["train", "dev"], help="default: all items")
    given = parser.parse_args()
    items = [item for path in given.files for item in read_rows(str(path))]
    if given.part:
        dev = items[DEV_EVERY - 1 :: DEV_EVERY]
        items = dev if given.part == "dev" else [item for item in items if item not in dev]
    if given.messages:
        rows = [message_of(item, variant) for item in items for variant in VARIANTS]
        write_rows(given.messages, rows)
        print(len(rows), "messages,", sum(len(row["errors"]) for row in rows), "errors")
    judges, draws = Judges([open_verifier(name) for name in given.verifiers]), random.Random(5)
    if given.pairs:
        write_rows(given.pairs, (pair for item in items for pair in pairs_of(item, judges)))
    if given.taught:
        made = (pair for item in items for pair in taught_pairs_of(item, judges, draws))
        write_rows(given.taught, made)
