"""Fit what turns signals into stances and verdicts, in folds over messages.

Two regressions. The first says of one source whether it contradicts a clause, leaves it open, or
supports it. It learns from messages with planted errors beside their reference: a clause with an
error is contradicted, others are supported, but for details that hardly any source has. The second
says from all samples whether a clause is wrong, by the first one's answers out of fold.

The thresholds are those of whole sentences, out of fold: of the right sentences at most `ALARMS`
are marked, of the wrong ones at most `PASSED` are called supported.

    python -m training.calibrate VERIFIER.onnx --messages FILE... --out halubot/verifier/data/calibration.json

``--cache FILE`` keeps the encoder's answers, so that fitting again takes seconds. ``--without
FAMILY`` leaves a family of signals out and ``--table`` each in turn: what it earns.
"""

from __future__ import annotations

import argparse
import json
import pickle
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from halubot.claims import read_message
from halubot.compare.tokens import with_tokens
from halubot.methods.consensus.comparison import MOST_VERIFIED
from halubot.report import Span
from halubot.verifier import Judgement, Verifier, open_verifier
from halubot.verifier.calibration import SUMMARY, Shares, summary
from halubot.verifier.encoder import Pair
from halubot.verifier.signals import FAMILIES, SIGNALS
from halubot.verifier.stances import Comparer
from halubot.verifier.windows import SourceText
from training.files import read_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

CONTRADICTED, OPEN, SUPPORTED = 0, 1, 2
FOLDS = 8
ALARMS = {"reference": 0.03, "sample": 0.035}
PASSED = {"reference": 0.03, "sample": 0.02}
STRENGTH = 0.1
"""Of the regressions; weaker ones do not differ by more than the noise."""


class Clause(NamedTuple):
    """A clause with an error (CONTRADICTED), a detail that sources lack (OPEN), or neither, and
    what each reference and each sample gives: the signals, and whether the quote is exact."""

    label: int
    references: list[tuple[tuple[float, ...], bool]]
    samples: list[tuple[tuple[float, ...], bool]]


class Sentence(NamedTuple):
    """A sentence of a message. ``wrong`` says that it has an error."""

    file: str
    group: str
    wrong: bool
    clauses: list[Clause]


class KeptVerifier(Verifier):
    """A verifier whose answers are kept on disk."""

    def __init__(self, opened: Verifier, path: Path | None) -> None:
        self._opened = opened
        self._path = path
        self._kept: dict[Pair, Judgement] = {}
        if path is not None and path.exists():
            self._kept = pickle.loads(path.read_bytes())  # noqa: S301 - our own file

    def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        """Judge each pair, those that were not judged before by the encoder."""
        asked = [pair for pair in dict.fromkeys(pairs) if pair not in self._kept]
        self._kept.update(zip(asked, self._opened.judge(asked), strict=True))
        return [self._kept[pair] for pair in pairs]

    def save(self) -> None:
        """Write the answers."""
        if self._path is not None:
            self._path.write_bytes(pickle.dumps(self._kept))


def sentences_of(path: str, verifier: Verifier | None, *, samples: bool) -> Iterator[Sentence]:
    for row in read_rows(path):
        message = read_message(row["text"])
        comparer = Comparer(message, (), verifier)
        errors = [(one["start"], one["end"]) for one in row["errors"]]
        sources = [(one, False) for one in row["references"]]
        sources += [(one, True) for one in row["samples"][:MOST_VERIFIED] if samples]
        found = [
            (sample, comparer.clauses(SourceText(with_tokens(read_message(text))), briefly=sample))
            for text, sample in sources
        ]
        for at, span in enumerate(message.sentences):
            spans = [one.span for one in found[0][1][at]] if found else []
            clauses = [
                Clause(
                    label_of(place, errors, row["unsupported"]),
                    *(
                        [
                            (held[at][number].signals.values, held[at][number].exact)
                            for kind, held in found
                            if kind == sample and number < len(held[at])
                        ]
                        for sample in (False, True)
                    ),
                )
                for number, place in enumerate(spans)
            ]
            if clauses:
                yield Sentence(Path(path).name, row["group"], touches([span], errors), clauses)


def label_of(span: Span, errors: Sequence[Span], unsupported: Sequence[Sequence[int]]) -> int:
    if touches([span], errors):
        return CONTRADICTED
    return OPEN if touches([span], unsupported) else SUPPORTED


def touches(spans: Sequence[Sequence[int]], others: Sequence[Sequence[int]]) -> bool:
    return any(a[0] < b[1] and b[0] < a[1] for a in spans for b in others)


Model = Callable[["NDArray[Any]"], "NDArray[Any]"]


class Fit:
    """A logistic regression in the units of its signals."""

    def __init__(self, x: NDArray[Any], y: NDArray[Any], strength: float = STRENGTH) -> None:
        scale = StandardScaler().fit(x)
        model = LogisticRegression(C=strength, max_iter=3000).fit(scale.transform(x), y)
        self.weights = model.coef_ / scale.scale_
        self.intercepts = model.intercept_ - (model.coef_ * scale.mean_ / scale.scale_).sum(1)
        self.importance = model.coef_

    def __call__(self, x: NDArray[Any]) -> NDArray[Any]:
        """Return the probabilities of the classes; of two classes that of the second."""
        logits = x @ self.weights.T + self.intercepts
        if logits.shape[1] == 1:
            return np.asarray(1 / (1 + np.exp(-logits[:, 0])))
        powers = np.exp(logits - logits.max(1, keepdims=True))
        return np.asarray(powers / powers.sum(1, keepdims=True))


def folds(groups: Sequence[str]) -> Iterator[set[str]]:
    names = sorted(set(groups))
    np.random.RandomState(0).shuffle(names)
    for fold in range(FOLDS):
        yield set(names[fold::FOLDS])


class Measured(NamedTuple):
    """One row for each clause: its sentence, its group, its label."""

    sentence: NDArray[Any]
    groups: NDArray[Any]
    labels: NDArray[Any]


def calibrate(sentences: list[Sentence], *, keep: Sequence[bool]) -> dict[str, Any]:
    """Return the calibration, with the figures out of fold under "measured". ``keep`` says which
    signals count."""
    mask = np.array(keep, float)
    rows = [(n, s.group, c) for n, s in enumerate(sentences) for c in s.clauses]
    place = np.array([n for n, _, _ in rows])
    groups = np.array([group for _, group, _ in rows])
    labels = np.array([clause.label for _, _, clause in rows])
    wrong = np.array([one.wrong for one in sentences])

    def signals(kind: str, clause: Clause) -> NDArray[Any]:
        return np.array([values for values, _ in getattr(clause, kind)]).reshape(-1, len(SIGNALS)) * mask

    given = [signals("references", clause) for _, _, clause in rows]
    x = np.array([one[0] if len(one) else np.zeros(len(SIGNALS)) for one in given])
    exact = np.array([bool(c.references) and c.references[0][1] for _, _, c in rows])
    source = Fit(x, labels)
    shares, of_samples = np.zeros((len(rows), 3)), [np.zeros((0, 3))] * len(rows)
    for held in folds(list(groups)):
        test = np.isin(groups, list(held))
        model = Fit(x[~test], labels[~test])
        shares[test] = model(x[test])
        for at in np.flatnonzero(test):
            of_samples[at] = model(signals("samples", rows[at][2]))
    out: dict[str, Any] = {
        "weights": source.weights.round(4).tolist(),
        "intercepts": source.intercepts.round(4).tolist(),
    }
    measured: dict[str, Any] = {"auroc": auroc(worst(place, shares[:, 0], len(wrong)), wrong)}
    out["contradicts"], measured["reference"] = marking(place, shares[:, 0], wrong, "reference")
    backing = np.where(exact, shares[:, 2], 0.0)
    out["supports"], more = supporting(place, 1 - backing, wrong, "reference")
    measured["reference"] |= more
    out["supports"] = round(1 - out["supports"], 4)
    if all(len(one) for one in of_samples):
        settled = of_all_samples(rows, of_samples, groups, labels, place, wrong)
        out["samples"], measured["sample"], out["vote"] = settled
    else:
        out["samples"], out["vote"] = None, 0.5
    out["measured"] = measured
    out["importance"] = {
        name: source.importance[:, at].round(2).tolist() for at, name in enumerate(SIGNALS)
    }
    return out


def of_all_samples(
    rows: list[Any],
    of_samples: list[NDArray[Any]],
    groups: NDArray[Any],
    labels: NDArray[Any],
    place: NDArray[Any],
    wrong: NDArray[Any],
) -> tuple[dict[str, Any], dict[str, Any], float]:
    x = np.array([summary([Shares(*map(float, row)) for row in one]) for one in of_samples])
    y = labels == CONTRADICTED
    p = np.zeros(len(y))
    for held in folds(list(groups)):
        test = np.isin(groups, list(held))
        p[test] = Fit(x[~test], y[~test])(x[test])
    fit = Fit(x, y)
    # A sample takes sides where it leans to one more than the middle right clause does.
    against = np.concatenate([one[:, 0] for one, bad in zip(of_samples, y, strict=True) if not bad])
    vote = float(np.quantile(against, VOTES))
    counted = np.array([(one[:, 0] >= vote).sum() >= 2 for one in of_samples])  # noqa: PLR2004
    doubted, found = marking(place, np.where(counted, p, 0.0), wrong, "sample")
    exact = np.array(
        [
            any(
                ok and share[2] >= BACKING
                for (_, ok), share in zip(c.samples, one, strict=True)
            )
            for (_, _, c), one in zip(rows, of_samples, strict=True)
        ]
    )
    supported, more = supporting(place, np.where(exact, p, 1.0), wrong, "sample")
    found |= {"auroc": auroc(worst(place, p, len(wrong)), wrong)} | more
    kept = {
        "weights": fit.weights[0].round(4).tolist(),
        "intercept": round(float(fit.intercepts[0]), 4),
        "doubted": doubted,
        "supported": supported,
    }
    return kept, found, round(vote, 4)


VOTES = 0.9
BACKING = 0.5


def worst(place: NDArray[Any], scores: NDArray[Any], count: int) -> NDArray[Any]:
    """Return the highest score of the clauses of each sentence."""
    found = np.zeros(count)
    np.maximum.at(found, place, scores)
    return found


def marking(
    place: NDArray[Any], scores: NDArray[Any], wrong: NDArray[Any], kind: str
) -> tuple[float, dict[str, Any]]:
    of_sentences = worst(place, scores, len(wrong))
    limit = float(np.quantile(of_sentences[~wrong], 1 - ALARMS[kind], method="higher"))
    limit = round(limit + 1e-4, 4)
    marked = of_sentences >= limit
    return limit, {
        "found": round(float(marked[wrong].mean()), 3),
        "false alarms": round(float(marked[~wrong].mean()), 3),
    }


def supporting(
    place: NDArray[Any], scores: NDArray[Any], wrong: NDArray[Any], kind: str
) -> tuple[float, dict[str, Any]]:
    of_sentences = worst(place, scores, len(wrong))
    limit = round(float(np.quantile(of_sentences[wrong], PASSED[kind], method="lower")) - 1e-4, 4)
    held = of_sentences <= limit
    return limit, {
        "wrong supported": round(float(held[wrong].mean()), 3),
        "right supported": round(float(held[~wrong].mean()), 3),
    }


def auroc(scores: NDArray[Any], wrong: NDArray[Any]) -> float:
    return round(float((scores[wrong][:, None] > scores[~wrong][None]).mean()), 3)


def without(families: Sequence[str]) -> list[bool]:
    left_out = {name for family in families for name in FAMILIES[family]}
    return [name not in left_out for name in SIGNALS]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("verifier")
    parser.add_argument("--messages", nargs="+", required=True)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--without", nargs="+", default=[], choices=list(FAMILIES))
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--references-only", action="store_true")
    given = parser.parse_args()
    verifier = KeptVerifier(open_verifier(given.verifier), given.cache)
    fitted: dict[str, Any] = {}
    for name, encoder in (("verifier", verifier), ("words", None)):
        sentences = [
            one
            for path in given.messages
            for one in sentences_of(path, encoder, samples=not given.references_only)
        ]
        verifier.save()
        kept = without(given.without)
        if given.table and encoder:
            for family in FAMILIES:
                print(family, json.dumps(calibrate(sentences, keep=without([family]))["measured"]))
        fitted[name] = calibrate(sentences, keep=kept)
        print(name, json.dumps(fitted[name].pop("measured")))
        for signal, weights in fitted[name].pop("importance").items():
            print(f"  {signal:60} {weights}")
    count = sum(len(one.clauses) for one in sentences)
    groups = len({one.group for one in sentences})
    fitted["fitted_on"] = f"{count} clauses of {groups} texts"
    fitted["summary"] = list(SUMMARY)
    if given.out:
        given.out.write_text(json.dumps(fitted, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
