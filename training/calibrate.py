"""Fit what turns signals into stances and verdicts, in folds over messages.

Two regressions. The first says of one source whether it contradicts a clause, leaves it open, or
supports it. It learns from messages with planted errors beside their reference: a clause with an
error is contradicted, others are supported, but for details that hardly any source has. The second
says from all samples whether a clause is wrong, by the first one's answers out of fold.

The thresholds are those of whole sentences, out of fold: of the right sentences at most `ALARMS`
are marked, of the wrong ones at most `PASSED` are called supported.

    python -m training.calibrate VERIFIER.onnx --messages FILE... \\
        --out halubot/verifier/data/calibration.json

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

from halubot.claims import extract, read_message
from halubot.compare.tokens import with_tokens
from halubot.methods.consensus.comparison import MOST_VERIFIED
from halubot.methods.consensus.consensus import ENOUGH
from halubot.report import Span
from halubot.verifier import Judgement, Verifier, open_verifier
from halubot.verifier.calibration import DIFFERS, SAME_WORDS, Shares, summary
from halubot.verifier.encoder import Pair
from halubot.verifier.signals import FAMILIES, SIGNALS
from halubot.verifier.stances import Comparer
from halubot.verifier.windows import SourceText
from training.files import read_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

CONTRADICTED, OPEN, SUPPORTED = 0, 1, 2
FOLDS = 8
ALARMS = {"reference": 0.025, "sample": 0.03}
PASSED = {"reference": 0.02, "sample": 0.02}
STRENGTH = 0.1
"""Of the regressions; weaker ones do not differ by more than the noise."""


class Clause(NamedTuple):
    """A clause with an error (CONTRADICTED), a detail that sources lack (OPEN), or neither, and
    what each reference and each sample gives: the signals, and whether the quote is exact."""

    label: int
    references: list[tuple[tuple[float, ...], bool]]
    samples: list[tuple[tuple[float, ...], bool]]


class Sentence(NamedTuple):
    """A sentence of a message. ``wrong`` says that it has an error. One of a labelled pair
    (``paired``) is measured and not learned from: half of these are wrong, and alike in words."""

    paired: bool
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
        comparer = Comparer(message, extract(message), verifier)
        paired = "label" in row
        if paired:
            errors = [(0, len(row["text"]))] if row["label"] != "right" else []
        else:
            errors = [(one["start"], one["end"]) for one in row["errors"]]
        sources = [(one, False) for one in row["references"]]
        sources += [(one, True) for one in row.get("samples", ())[:MOST_VERIFIED] if samples]
        found = [
            (sample, comparer.clauses(SourceText(with_tokens(read_message(text))), briefly=sample))
            for text, sample in sources
        ]
        for at, span in enumerate(message.sentences):
            spans = [one.span for one in found[0][1][at]] if found else []
            clauses = [
                Clause(
                    label_of(place, errors, row.get("unsupported", ())),
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
                yield Sentence(paired, row["group"], touches([span], errors), clauses)


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
        found = powers / powers.sum(1, keepdims=True)
        # As `Calibration.shares` has it.
        found[x[:, DIFFERS] >= SAME_WORDS] = (1.0, 0.0, 0.0)
        return np.asarray(found)


def folds(groups: Sequence[str]) -> Iterator[set[str]]:
    names = sorted(set(groups))
    np.random.RandomState(0).shuffle(names)
    for fold in range(FOLDS):
        yield set(names[fold::FOLDS])


class Rows(NamedTuple):
    """The clauses of all sentences, a row each: the number of the sentence, the group, the label.
    ``wrong`` and ``paired`` are of the sentences."""

    clauses: list[Clause]
    place: NDArray[Any]
    groups: NDArray[Any]
    labels: NDArray[Any]
    wrong: NDArray[Any]
    paired: NDArray[Any]

    @classmethod
    def of(cls, sentences: list[Sentence]) -> Rows:
        rows = [(n, s.group, c) for n, s in enumerate(sentences) for c in s.clauses]
        return cls(
            [clause for _, _, clause in rows],
            np.array([n for n, _, _ in rows]),
            np.array([group for _, group, _ in rows]),
            np.array([clause.label for _, _, clause in rows]),
            np.array([one.wrong for one in sentences]),
            np.array([one.paired for one in sentences]),
        )

    def out_of_fold(
        self, x: NDArray[Any], y: NDArray[Any], to: Sequence[NDArray[Any]]
    ) -> list[Any]:
        """Return what models that were fitted without a row's group make of ``to`` of that row."""
        found: list[Any] = [None] * len(y)
        for held in folds(list(self.groups)):
            test = np.isin(self.groups, list(held))
            learned = ~test & ~self.paired[self.place]
            model = Fit(x[learned], y[learned])
            for at in np.flatnonzero(test).tolist():
                found[at] = model(to[at])
        return found

    def marking(self, scores: NDArray[Any], kind: str) -> tuple[float, dict[str, Any]]:
        """Return the threshold from which sentences are marked, and what it does."""
        of_sentences = worst(self.place, scores, len(self.wrong))
        right = of_sentences[~self.wrong & ~self.paired]
        limit = float(np.quantile(right, 1 - ALARMS[kind], method="higher"))
        limit = round(limit + 1e-4, 4)
        return limit, self._shares(of_sentences >= limit, "found", "false alarms") | {
            "auroc": auroc(of_sentences[~self.paired], self.wrong[~self.paired])
        }

    def supporting(self, scores: NDArray[Any], kind: str) -> tuple[float, dict[str, Any]]:
        """Return the threshold up to which sentences are supported, and what it does."""
        of_sentences = worst(self.place, scores, len(self.wrong))
        wrong = of_sentences[self.wrong & ~self.paired]
        limit = round(float(np.quantile(wrong, PASSED[kind], method="lower")) - 1e-4, 4)
        return limit, self._shares(of_sentences <= limit, "wrong supported", "right supported")

    def _shares(self, chosen: NDArray[Any], of_wrong: str, of_right: str) -> dict[str, Any]:
        found = {}
        for ending, among in (("", ~self.paired), (" (pairs)", self.paired)):
            for name, own in ((of_wrong, self.wrong), (of_right, ~self.wrong)):
                if (own & among).any():
                    found[name + ending] = round(float(chosen[own & among].mean()), 3)
        return found


def calibrate(sentences: list[Sentence], *, keep: Sequence[bool]) -> dict[str, Any]:
    """Return the calibration, with the figures out of fold under "measured". ``keep`` says which
    signals count."""
    mask = np.array(keep, float)
    rows = Rows.of(sentences)

    def signals(given: Sequence[tuple[tuple[float, ...], bool]]) -> NDArray[Any]:
        found = np.array([values for values, _ in given]).reshape(-1, len(SIGNALS))
        return np.asarray(found * mask)

    x = np.vstack([signals(clause.references[:1]) for clause in rows.clauses])
    exact = np.array([clause.references[0][1] for clause in rows.clauses])
    learned = ~rows.paired[rows.place]
    source = Fit(x[learned], rows.labels[learned])
    shares = np.vstack(rows.out_of_fold(x, rows.labels, [one[None] for one in x]))
    contradicts, measured = rows.marking(shares[:, 0], "reference")
    backing = np.where(exact, shares[:, 2], 0.0)
    doubt, more = rows.supporting(1 - backing, "reference")
    out: dict[str, Any] = {
        "weights": source.weights.round(4).tolist(),
        "intercepts": source.intercepts.round(4).tolist(),
        "contradicts": contradicts,
        "supports": round(1 - doubt, 4),
        "vote": 0.5,
        "samples": None,
        "measured": {"reference": measured | more},
        "importance": {
            name: source.importance[:, at].round(2).tolist() for at, name in enumerate(SIGNALS)
        },
    }
    if any(clause.samples for clause in rows.clauses):
        of_samples = rows.out_of_fold(
            x, rows.labels, [signals(clause.samples) for clause in rows.clauses]
        )
        out["samples"], out["vote"], out["measured"]["sample"] = settle(rows, of_samples)
    return out


def settle(rows: Rows, of_samples: list[Any]) -> tuple[dict[str, Any], float, dict[str, Any]]:
    """Return how the samples of a message settle a clause, the least probability at which a sample
    takes sides, and the figures."""
    kept = [at for at, one in enumerate(of_samples) if len(one)]
    own = rows._replace(
        clauses=[rows.clauses[at] for at in kept],
        place=rows.place[kept],
        groups=rows.groups[kept],
        labels=rows.labels[kept],
    )
    said = [of_samples[at] for at in kept]
    x = np.array([summary([Shares(*map(float, row)) for row in one]) for one in said])
    y = own.labels == CONTRADICTED
    wrong = np.array([float(one[0]) for one in own.out_of_fold(x, y, [one[None] for one in x])])
    fit = Fit(x, y)
    # A sample takes sides if it leans to one more than it does on most clauses that are right.
    against = np.concatenate([one[:, 0] for one, bad in zip(said, y, strict=True) if not bad])
    vote = round(float(np.quantile(against, VOTES)), 4)
    counted = np.array([(one[:, 0] >= vote).sum() >= ENOUGH for one in said])
    doubted, measured = own.marking(np.where(counted, wrong, 0.0), "sample")
    exact = np.array(
        [
            any(ok and share[2] >= vote for (_, ok), share in zip(c.samples, one, strict=True))
            for c, one in zip(own.clauses, said, strict=True)
        ]
    )
    supported, more = own.supporting(np.where(exact, wrong, 1.0), "sample")
    settled = {
        "weights": fit.weights[0].round(4).tolist(),
        "intercept": round(float(fit.intercepts[0]), 4),
        "doubted": doubted,
        "supported": supported,
    }
    return settled, vote, measured | more


VOTES = 0.9
"""The share of samples beside right clauses that do not count as contradicting them."""


def worst(place: NDArray[Any], scores: NDArray[Any], count: int) -> NDArray[Any]:
    """Return the highest score of the clauses of each sentence."""
    found = np.zeros(count)
    np.maximum.at(found, place, scores)
    return found


def auroc(scores: NDArray[Any], wrong: NDArray[Any]) -> float:
    above = scores[wrong][:, None] - scores[~wrong][None]
    return round(float((above > 0).mean() + (above == 0).mean() / 2), 3)


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
    if given.out:
        given.out.write_text(json.dumps(fitted, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
