"""Fit what turns readings into stances and verdicts, in folds over messages.

Two regressions. The first says of one source whether it contradicts a fact, leaves it open, or
supports it. It learns from messages with planted errors beside their reference: words of an error
are contradicted, other facts supported, but for details that hardly any source has. The second says
from all sources of a kind whether the fact is wrong, by the first one's answers out of fold.

The thresholds are those of sentences, out of fold. Beside what the comparison of words marks, the
verifier marks `MORE_ALARMS` of the right sentences, and `ALARMS_ELSEWHERE` in other languages than
English, where words say little.

    python -m training.calibrate VERIFIER.onnx --messages FILE... --out FILE
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression

from halubot.claims import extract, read_message
from halubot.compare.matcher import Matcher
from halubot.compare.tokens import with_tokens
from halubot.methods.consensus.comparison import MOST_VERIFIED
from halubot.report import Fact, Span
from halubot.verifier import Verifier, open_verifier
from halubot.verifier.reading import MessageReader
from halubot.verifier.stances import FEATURES, SETTLES, Shares, read_fact, settling
from training.files import read_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

CONTRADICTS, OPEN, SUPPORTS = 0, 1, 2
FOLDS = 5
MORE_ALARMS = {"sample": 0.01, "reference": 0.005}
ALARMS_ELSEWHERE = 0.05
ENOUGH = {"sample": 2, "reference": 1}
"""Sources that must contradict by the comparison of words before it marks a fact."""
KINDS = ("sample", "reference")

Features = tuple[float, ...] | None


class Example(NamedTuple):
    """A fact beside one source, for the first regression."""

    group: str
    features: tuple[float, ...]
    label: int
    weight: float


class ReadFact(NamedTuple):
    """A fact of a message: its sentences, its label, and what each source gives it."""

    sentences: tuple[int, ...]
    label: int
    sources: dict[str, list[Features]]


class ReadMessage(NamedTuple):
    """A message with planted errors; ``wrong`` says of each sentence whether it has one."""

    group: str
    language: str
    wrong: list[bool]
    facts: list[ReadFact]


def read_facts(
    text: str, sources: Sequence[tuple[str, bool]], verifier: Verifier
) -> tuple[list[Span], Sequence[Fact], list[list[Features]]]:
    """Return the sentences and facts of a text, and for each source, which may be a sample, the
    features that it gives each fact."""
    message = read_message(text)
    facts = extract(message)
    reader, matcher = MessageReader(message, verifier), Matcher(message, facts, None)
    found = []
    for source, sample in sources:
        worded = with_tokens(read_message(source))
        compared = matcher.compare(worded, sample=sample)
        readings = reader.read(worded)
        read = [
            read_fact(message, fact, readings, rules)
            for fact, rules in zip(facts, compared.facts, strict=True)
        ]
        found.append([one and one.features for one in read])
    return list(message.sentences), facts, found


def of_messages(path: str, verifier: Verifier) -> Iterator[ReadMessage]:
    for row in read_rows(path):
        sources = [
            *((one, False) for one in row["references"]),
            *((one, True) for one in row["samples"][:MOST_VERIFIED]),
        ]  # fmt: skip
        sentences, facts, found = read_facts(row["text"], sources, verifier)
        errors = [(e["start"], e["end"]) for e in row["errors"]]
        count = len(row["references"])
        yield ReadMessage(
            row["group"],
            row.get("lang", "en"),
            [touches([span], errors) for span in sentences],
            [
                ReadFact(
                    fact.sentences,
                    CONTRADICTS
                    if touches(fact.spans, errors)
                    else OPEN
                    if touches(fact.spans, row["unsupported"])
                    else SUPPORTS,
                    {
                        "reference": [of_source[at] for of_source in found[:count]],
                        "sample": [of_source[at] for of_source in found[count:]],
                    },
                )
                for at, fact in enumerate(facts)
            ],
        )


def touches(spans: Sequence[Sequence[int]], others: Sequence[Sequence[int]]) -> bool:
    return any(a[0] < b[1] and b[0] < a[1] for a in spans for b in others)


def examples_of(messages: list[ReadMessage]) -> Iterator[Example]:
    """Yield the facts beside references, whose labels are known."""
    for message in messages:
        for fact in message.facts:
            for features in fact.sources["reference"]:
                if features is not None:
                    yield Example(message.group, features, fact.label, 1.0 / 3)


def fit_source(examples: list[Example]) -> LogisticRegression:
    return LogisticRegression(C=0.1, max_iter=3000).fit(
        np.array([e.features for e in examples]),
        np.array([e.label for e in examples]),
        np.array([e.weight for e in examples]),
    )


def folds(groups: Sequence[str]) -> Iterator[set[str]]:
    names = sorted(set(groups))
    for fold in range(FOLDS):
        yield set(names[fold::FOLDS])


class Settling(NamedTuple):
    """Facts beside all sources of a kind, for the second regression."""

    groups: NDArray[Any]
    x: NDArray[Any]
    wrong: NDArray[Any]
    by_words: NDArray[Any]
    """Whether the comparison of words contradicts."""
    sentences: list[tuple[int, int]]
    """The message and the sentence of each row; a fact of several sentences has several rows."""


def settlings(messages: list[ReadMessage], examples: list[Example], kind: str) -> Settling:
    """Return the rows of the second regression, the first one fitted without their fold."""
    groups, x, wrong, by_words, places = [], [], [], [], []
    at = FEATURES.index("the comparison of words contradicts")
    for held in folds([m.group for m in messages]):
        model = fit_source([e for e in examples if e.group not in held])
        for number, message in enumerate(messages):
            if message.group not in held:
                continue
            for fact in message.facts:
                given = [f for f in fact.sources[kind] if f is not None]
                if not given:
                    continue
                shares = [Shares(*map(float, row)) for row in model.predict_proba(np.array(given))]
                for sentence in fact.sentences:
                    groups.append(message.group)
                    x.append(settling(shares))
                    wrong.append(fact.label == CONTRADICTS)
                    by_words.append(sum(one[at] for one in given) >= ENOUGH[kind])
                    places.append((number, sentence))
    return Settling(np.array(groups), np.array(x), np.array(wrong), np.array(by_words), places)


def fit_kind(messages: list[ReadMessage], examples: list[Example], kind: str) -> dict[str, Any]:
    rows = settlings(messages, examples, kind)
    out = np.zeros(len(rows.wrong))
    for held in folds(list(rows.groups)):
        test = np.isin(rows.groups, list(held))
        model = LogisticRegression(C=1.0, max_iter=3000).fit(rows.x[~test], rows.wrong[~test])
        out[test] = model.predict_proba(rows.x[test])[:, 1]
    model = LogisticRegression(C=1.0, max_iter=3000).fit(rows.x, rows.wrong)
    worst: dict[tuple[int, int], float] = {}
    for place, one, words in zip(rows.sentences, out, rows.by_words, strict=True):
        # What words contradict is marked whatever the verifier says.
        worst[place] = max(worst.get(place, 0.0), 1.0 if words else float(one))
    print(kind)
    for name, weight in zip(SETTLES, model.coef_[0], strict=True):
        print(f"  {name:40} {weight:.2f}")
    kept = {"weights": model.coef_[0].round(4).tolist()}
    kept["intercept"] = round(float(model.intercept_[0]), 4)
    for name, english in (("wrong", True), ("wrong_elsewhere", False)):
        here = {
            place: one
            for place, one in worst.items()
            if (messages[place[0]].language == "en") == english
        }
        bad = np.array([one for (m, s), one in here.items() if messages[m].wrong[s]])
        good = np.array([one for (m, s), one in here.items() if not messages[m].wrong[s]])
        room = int(len(good) * (MORE_ALARMS[kind] if english else ALARMS_ELSEWHERE))
        marked = float(np.sort(good[good < 1])[-1 - room])
        kept[name] = round(marked, 4)
        print(
            f"  {name}: {len(good)} right sentences, {len(bad)} wrong; words alone found"
            f" {np.mean(bad == 1):.3f} at {np.mean(good == 1):.3f}, both"
            f" {np.mean(bad > marked):.3f} at {np.mean(good > marked):.3f}; ranked"
            f" {np.mean(bad[:, None] > good[None]):.3f}"
        )
    return kept


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("verifier")
    parser.add_argument("--messages", nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    opened = open_verifier(given.verifier)
    messages = [one for path in given.messages for one in of_messages(path, opened)]
    examples = list(examples_of(messages))
    source = fit_source(examples)
    for at, feature in enumerate(FEATURES):
        print(f"  {feature:50}", source.coef_[:, at].round(2).tolist())
    groups = len({example.group for example in examples})
    kept = {
        "source": {
            "weights": source.coef_.round(4).tolist(),
            "intercepts": source.intercept_.round(4).tolist(),
        },
        **{kind: fit_kind(messages, examples, kind) for kind in KINDS},
        "fitted_on": f"{len(examples)} facts of {groups} texts",
    }
    given.out.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
