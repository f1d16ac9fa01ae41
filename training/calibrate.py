"""Fit the regression from readings to stances, and its thresholds, in folds over messages.

Claims of written documents that were kept from training are labelled with what each source does to
them. Messages with planted errors have labels for references: words of an error are
contradicted, sentences without one supported, but for details that hardly any source has.

    python -m training.calibrate VERIFIER.onnx --corpus FILE... --messages FILE... --out FILE
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression

from halubot.compare.matcher import Matcher
from halubot.compare.tokens import with_tokens
from halubot.extract import extract, read_message
from halubot.verifier import Verifier, open_verifier
from halubot.verifier.reading import MessageReader
from halubot.verifier.stances import FEATURES, read_fact
from training.corpus import DEV_EVERY, read_files
from training.files import read_rows

CONTRADICTS, OPEN, SUPPORTS = 0, 1, 2
FOLDS = 5


class Example(NamedTuple):
    group: str
    kind: str
    features: tuple[float, ...]
    label: int
    weight: float


def read_examples(
    text: str, source: str, *, sample: bool, verifier: Verifier
) -> Iterator[tuple[Any, tuple[float, ...]]]:
    """Yield the facts of a text with the features that one source gives them."""
    message = read_message(text)
    facts = extract(message)
    reader, matcher = MessageReader(message, verifier), Matcher(message, facts, None)
    worded = with_tokens(read_message(source))
    compared = matcher.compare(worded, sample=sample)
    readings = reader.read(worded)
    for fact, rules in zip(facts, compared.facts, strict=True):
        read = read_fact(message, fact, readings, rules)
        if read is not None:
            yield fact, read.features


def of_corpus(paths: list[Path], verifier: Verifier) -> Iterator[Example]:
    documents = read_files(paths)
    for number, document in enumerate(documents):
        if number % DEV_EVERY != DEV_EVERY - 1:
            continue
        gap = "" if document.language == "zh" else " "
        reference = gap.join(text for _, text in sorted(document.reference.items()))
        for claim in document.claims:
            sources = [("reference", reference, claim.sign != "?")]
            sources += [
                ("sample", answer, letter in claim.answers)
                for letter, answer in document.answers.items()
            ]
            for kind, source, settled in sources:
                label = claim.label if settled else OPEN
                found = list(
                    read_examples(claim.text, source, sample=kind == "sample", verifier=verifier)
                )
                for fact, features in found:
                    # Of a wrong claim only the facts with the changed words are wrong.
                    hit = not claim.marks or any(
                        a < end and start < b for a, b in claim.marks for start, end in fact.spans
                    )
                    if label == CONTRADICTS and not hit:
                        continue
                    yield Example(f"c{number}", kind, features, label, 1.0 / len(found))


def of_messages(path: str, verifier: Verifier) -> Iterator[Example]:
    for row in read_rows(path):
        for source in row["references"]:
            for fact, features in read_examples(
                row["text"], source, sample=False, verifier=verifier
            ):

                def touches(start: int, end: int, spans: Any = fact.spans) -> bool:
                    return any(start < b and a < end for a, b in spans)

                wrong = any(touches(e["start"], e["end"]) for e in row["errors"])
                unsaid = any(touches(*span) for span in row["unsupported"])
                label = CONTRADICTS if wrong else OPEN if unsaid else SUPPORTS
                yield Example(row["group"], "reference", features, label, 1.0 / 3)


def fit(examples: list[Example], name: str) -> dict[str, Any]:
    x = np.array([e.features for e in examples])
    y = np.array([e.label for e in examples])
    weight = np.array([e.weight for e in examples])
    groups = np.array([e.group for e in examples])
    names = np.unique(groups)
    held = np.zeros((len(y), 3))
    for fold in range(FOLDS):
        test = np.isin(groups, names[fold::FOLDS])
        if test.any():
            model = LogisticRegression(C=0.1, max_iter=3000)
            held[test] = model.fit(x[~test], y[~test], weight[~test]).predict_proba(x[test])
    model = LogisticRegression(C=0.1, max_iter=3000).fit(x, y, weight)
    right, wrong = y != CONTRADICTS, y == CONTRADICTS
    against, backing = held[:, 0], held[:, 2]
    thresholds = {
        # Of facts that are not wrong at most so many are marked.
        "contradicts": float(np.quantile(against[right], 0.97)),
        "hints": float(np.quantile(against[right], 0.93)),
        # Of facts that are wrong at most so many are called supported.
        "supports": float(np.quantile(backing[wrong], 0.975)),
    }
    print(
        name, len(y), "examples;", np.bincount(y).tolist(),
        {k: round(v, 3) for k, v in thresholds.items()},
        "found", round(float((against[wrong] >= thresholds["contradicts"]).mean()), 3),
        "supported", round(float((backing[y == SUPPORTS] >= thresholds["supports"]).mean()), 3),
    )  # fmt: skip
    for at, feature in enumerate(FEATURES):
        print(f"  {feature:50}", model.coef_[:, at].round(2).tolist())
    return {
        "weights": model.coef_.round(4).tolist(),
        "intercepts": model.intercept_.round(4).tolist(),
        **{k: round(v, 4) for k, v in thresholds.items()},
        "fitted_on": f"{len(y)} facts of {len(names)} texts",
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("verifier")
    parser.add_argument("--corpus", nargs="*", type=Path, default=[])
    parser.add_argument("--messages", nargs="*", default=[])
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    opened = open_verifier(given.verifier)
    examples = list(of_corpus(given.corpus, opened)) if given.corpus else []
    for path in given.messages:
        examples += of_messages(path, opened)
    kept = {
        kind: fit([e for e in examples if e.kind == kind], kind) for kind in ("reference", "sample")
    }
    given.out.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
