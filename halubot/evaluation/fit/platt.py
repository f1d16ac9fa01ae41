"""Labelled examples from reports, and their scores as probabilities: Platt scaling on log-odds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression

from halubot.evaluation.checked import align_facts
from halubot.evaluation.rows import Row
from halubot.evaluation.weighted import Flags, Floats
from halubot.events import Event, SentenceJudged
from halubot.fold import log_odds
from halubot.report import Report


@dataclass(frozen=True, slots=True)
class Example:
    """A label with what the method says there; scores run from 0 to 1.

    ``parts`` are the scores that a probability comes from: one, or those of a message's sentences.
    ``decisive`` is the score that the verdict hangs on: doubted if it reaches the threshold.
    ``group`` is never parted into what is fitted on and what is measured on.
    """

    group: str
    wrong: bool
    parts: tuple[float, ...]
    decisive: float


@dataclass(frozen=True, slots=True)
class Found:
    """The examples of a row, and how many of its labels have none because nothing was scored
    there; ``unmatched`` of them are facts that the report does not have."""

    examples: tuple[Example, ...]
    unscored: int = 0
    unmatched: int = 0


def read(row: Row, report: Report, events: Iterable[Event], group: str) -> Found:
    """The examples of a checked row; ``events`` are those of its check."""
    own = {
        event.index: event.own
        for event in events
        if isinstance(event, SentenceJudged) and event.own is not None
    }
    if row.labelled:
        facts = align_facts(row.labelled, report.facts)
        pairs = [(label.wrong, fact.score) for label, fact in zip(row.labelled, facts, strict=True)]
        found = tuple(_one(group, wrong, score) for wrong, score in pairs if score is not None)
        lost = sum(not fact.found for fact in facts)
        return Found(found, unscored=len(pairs) - len(found), unmatched=lost)
    sentences = _sentences(report, own)
    if row.sentences is not None:
        judged = [
            Example(group, gold > 0, (said[0],), said[1])
            for gold, said in zip(row.gold, sentences, strict=True)
            if said is not None
        ]
        return Found(tuple(judged), unscored=len(row.gold) - len(judged))
    said_of = [said for said in sentences if said is not None]
    facts_of = [fact.score for fact in report.facts if fact.score is not None]
    if not said_of and report.score is not None:
        said_of = [(report.score, report.score)]
    whole = tuple(
        Example(
            group,
            gold > 0,
            tuple(by_itself for by_itself, _ in said_of),
            # A message is doubted if anything in it is, by a sentence or by one fact.
            max([decisive for _, decisive in said_of] + facts_of),
        )
        for gold in row.gold
        if said_of
    )
    return Found(whole, unscored=len(row.gold) - len(whole))


def _one(group: str, wrong: bool, score: float) -> Example:
    return Example(group, wrong, (score,), score)


def _sentences(report: Report, own: dict[int, float]) -> Sequence[tuple[float, float] | None]:
    """For each sentence the score of its own evidence, and the one that decides: if a fact can
    overrule it, that of its most doubtful fact. None if it has no score."""
    found: list[tuple[float, float] | None] = []
    for sentence in report.sentences:
        if sentence.score is None:
            found.append(None)
        elif sentence.index in own:
            by_itself = own[sentence.index]
            held = [report.facts[fact].score for fact in sentence.facts]
            found.append((by_itself, max([by_itself, *(s for s in held if s is not None)])))
        else:
            found.append((sentence.score, sentence.score))
    return found


_MOST_STEPS: Final = 500
_STILL: Final = 1e-6
# scikit-learn's C is the inverse of the penalty. Without any, a score that parts the classes
# perfectly has no finite slope.
_LOOSE: Final = 1e6
"""How little the slope is held back: just enough for scores that are nearly all the same."""


class Line(NamedTuple):
    """The line from the log-odds of a score to those of being wrong."""

    intercept: float
    slope: float


def fit(examples: Sequence[Example]) -> Line:
    """The line for these examples. Its slope is 0 if higher scores are not wrong more often.
    Raises ValueError if all are right or all are wrong."""
    wrong = np.array([example.wrong for example in examples], dtype=bool)
    if wrong.all() or not wrong.any():
        raise ValueError("a probability needs examples of both kinds")
    odds, of = _parts(examples)
    line = _likeliest(odds, of, wrong)
    # A falling line would call the most doubtful statements the safest ones: noise of few rows.
    return line if line.slope > 0 else _likeliest(np.zeros_like(odds), of, wrong)._replace(slope=0)


def probabilities(line: Line, examples: Sequence[Example]) -> Floats:
    """Return the probability that each example is wrong; of a message, that any sentence is."""
    odds, of = _parts(examples)
    return _any(_logistic(line.intercept + line.slope * odds), of, len(examples))


def _likeliest(odds: Floats, of: Floats, wrong: Flags) -> Line:
    bad, good = int(wrong.sum()), int((~wrong).sum())
    # Platt's targets ("Probabilistic outputs for support vector machines", 1999, section 2.2): not
    # 1 and 0, so that few examples do not make a probability certain.
    target = np.where(wrong, (bad + 1) / (bad + 2), 1 / (good + 2))[of.astype(int)]
    if len(odds) == len(wrong):
        return _regression(odds, target)  # whichever part is at fault, there is no other
    # Of a message with several sentences nobody knows which one is wrong: expectation and
    # maximisation in turn. Each round shares the blame by the line of the round before.
    line = Line(0.0, 1.0)
    for _ in range(_MOST_STEPS):
        at_fault = _logistic(line.intercept + line.slope * odds)
        share = target * at_fault / _any(at_fault, of, len(wrong))[of.astype(int)]
        better = _regression(odds, np.clip(share, 0.0, 1.0))
        if max(abs(a - b) for a, b in zip(line, better, strict=True)) < _STILL:
            return better
        line = better
    return line


def _regression(odds: Floats, share: Floats) -> Line:
    """Logistic regression on targets between 0 and 1: each statement counts as wrong by its share,
    and as right by the rest."""
    # All scores the same: any slope would fit.
    if np.ptp(odds) < _STILL:
        return Line(math.log(share.mean() / (1 - share.mean())), 0.0)
    # Centred, so that slope and intercept hardly depend on each other: Newton needs few steps then.
    middle = odds.mean()
    model = LogisticRegression(C=_LOOSE, solver="newton-cholesky", tol=_STILL)
    model.fit(
        np.concatenate([odds, odds])[:, None] - middle,
        np.repeat([1, 0], len(odds)),
        sample_weight=np.concatenate([share, 1 - share]),
    )
    slope = float(model.coef_[0, 0])
    return Line(float(model.intercept_[0] - slope * middle), slope)


def _parts(examples: Sequence[Example]) -> tuple[Floats, Floats]:
    """The log-odds of all parts, and which example each belongs to."""
    odds = [log_odds(score) for example in examples for score in example.parts]
    of = [index for index, example in enumerate(examples) for _ in example.parts]
    return np.array(odds, dtype=float), np.array(of, dtype=float)


def _any(probability: Floats, of: Floats, count: int) -> Floats:
    """The probability that any part of each example is wrong."""
    # In logarithms: the product of a hundred probabilities near 0 or 1 would be lost to rounding.
    none = np.bincount(of.astype(int), np.log1p(-np.minimum(probability, 1 - 1e-12)), count)
    return -np.expm1(none)


def _logistic(odds: Floats) -> Floats:
    # Beyond 50 the result does not change any more, and exp would overflow with a warning.
    return 1 / (1 + np.exp(-np.clip(odds, -50, 50)))
