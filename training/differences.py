"""Fit what decides whether two answers of the Discord bot's day differ, in folds over questions.

A row of a file is "differ" or "agree", a question and its answers, with tabs between. Of the
answers that differ the first two do; of more answers that agree, each two are learned from.
The threshold is found out of fold: `ALARMS` of the questions with answers that agree get a card.

    python -m training.differences FILE.tsv... --out bots/halubot_bots/decision.json
"""

from __future__ import annotations

import argparse
import json
import math
import random
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from halubot_bots.answer_parts import AnswerParts, Question
from halubot_bots.differences import compare
from training.files import read_lines

ALARMS = 0.035
FOLDS = 8
ROUNDS = 4
"""Times that the folds are drawn; scores are their mean."""
STRENGTH = 0.3


class Asked(NamedTuple):
    """A question: the file it is from, whether its answers differ, and the signals of each two."""

    origin: str
    differs: bool
    pairs: list[dict[str, float]]


def read(path: Path) -> list[Asked]:
    """Return the questions of a file with the signals of their answers."""
    found = []
    for line in read_lines(str(path)):
        label, text, *answers = line.rstrip("\n").split("\t")
        question = Question(text)
        if question.asks_some and label == "agree":
            answers = []  # are not compared
        parts = [AnswerParts(answer, at, question) for at, answer in enumerate(answers)]
        pairs = [compare(one, two, question)[0] for one, two in combinations(parts, 2)]
        found.append(Asked(path.stem, label == "differ", pairs))
    return found


def fit(asked: Sequence[Asked]) -> tuple[list[float], float]:
    """Return the weights of the signals, and the bias. The pairs of a question share its weight."""
    rows: list[list[float]] = []
    labels: list[bool] = []
    shares: list[float] = []
    for one in asked:
        pairs = one.pairs[:1] if one.differs else one.pairs
        rows += [list(pair.values()) for pair in pairs]
        labels += [one.differs] * len(pairs)
        shares += [1 / len(pairs)] * len(pairs) if pairs else []
    scaler = StandardScaler().fit(rows)
    model = LogisticRegression(C=STRENGTH, max_iter=3000)
    model.fit(scaler.transform(rows), labels, sample_weight=shares)
    weights = model.coef_[0] / scaler.scale_
    return weights.tolist(), float(model.intercept_[0] - weights @ scaler.mean_)


def score(one: Asked, weights: Sequence[float], bias: float) -> float:
    """Return the highest score of each two answers; the lowest for none."""
    return max(
        (float(np.dot(weights, list(pair.values()))) + bias for pair in one.pairs),
        default=-math.inf,
    )


def out_of_fold(asked: Sequence[Asked]) -> list[float]:
    """Return the score of each question by those that did not learn from it."""
    scores = [0.0] * len(asked)
    for seed in range(ROUNDS):
        draw = random.Random(seed)
        folds = [draw.randrange(FOLDS) for _ in asked]
        for fold in range(FOLDS):
            fitted = fit([one for one, at in zip(asked, folds, strict=True) if at != fold])
            for at, one in enumerate(asked):
                if folds[at] == fold:
                    scores[at] += score(one, *fitted) / ROUNDS
    return scores


def figures(asked: Sequence[Asked], scores: Sequence[float], least: float) -> dict[str, str]:
    """Return by file how many questions are above a score, of those that differ and of others."""
    found = {}
    for origin in dict.fromkeys(one.origin for one in asked):
        above: dict[bool, list[bool]] = {True: [], False: []}
        for one, score in zip(asked, scores, strict=True):
            if one.origin == origin:
                above[one.differs].append(score > least)
        cells = [f"{sum(one)} of {len(one)}" for one in above.values()]
        found[origin] = f"differ: {cells[0]}; agree: {cells[1]}"
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    asked = [one for path in given.files for one in read(path)]
    scores = out_of_fold(asked)
    agreeing = sorted(s for one, s in zip(asked, scores, strict=True) if not one.differs)
    least = agreeing[-1 - int(ALARMS * len(agreeing))]
    apart: dict[str, str] = {}
    for origin in dict.fromkeys(one.origin for one in asked):
        fitted = fit([one for one in asked if one.origin != origin])
        own = [one for one in asked if one.origin == origin]
        apart |= figures(own, [score(one, *fitted) for one in own], least)
    weights, bias = fit(asked)
    names = next(one.pairs[0] for one in asked if one.pairs)
    made = {
        "weights": {name: round(w, 4) for name, w in zip(names, weights, strict=True)},
        "bias": round(bias - least, 4),
        "alarms": ALARMS,
        "out of fold": figures(asked, scores, least),
        "each file by the others": apart,
    }
    given.out.write_text(json.dumps(made, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(made, indent=2))


if __name__ == "__main__":
    main()
