"""Fit what turns signals into stances and verdicts, in folds over messages.

Three regressions. The first says of one source whether it contradicts a clause, leaves it open, or
supports it. It learns from messages with planted errors beside their reference: a clause with an
error is contradicted, others are supported, but for details that hardly any source has. The second
says from all samples whether a clause is wrong, by the first one's answers out of fold; the third
says it from the samples and the reference.

The thresholds are found out of fold: of the right clauses at most `ALARMS` are marked, since
people read facts; of the sentences with an error at most `PASSED` are called supported in all
clauses. Each file of messages is also left out as a whole ("apart"): another writer's text is what
counts.

    python -m training.calibrate VERIFIER.onnx --messages FILE... \\
        --out halubot/verifier/data/calibration.json

``--cache FILE`` keeps the encoder's answers, so that fitting again takes seconds. ``--without
FAMILY`` leaves a family of signals out: what it earns.
"""

from __future__ import annotations

import argparse
import json
import pickle
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from halubot.claims import extract, read_message
from halubot.compare.tokens import with_tokens
from halubot.methods.consensus.comparison import LIKELY, MOST_VERIFIED
from halubot.report import Span
from halubot.verifier import Judgement, Verifier, open_verifier
from halubot.verifier.encoder import Pair
from halubot.verifier.reading import SourceText
from halubot.verifier.signals import FAMILIES, SIGNALS, Shares, settled, summary
from halubot.verifier.stances import Clause as Read
from halubot.verifier.stances import Comparer
from training.files import read_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

CONTRADICTED, OPEN, SUPPORTED = 0, 1, 2
FOLDS = 8
ALARMS = 0.015
"""Of right clauses, that are marked. With .02 .03 more of 500 errors were found, and marks hit .80
instead of .83 of the time."""
PASSED = 0.01
BORNE_OUT = 0.001
"""Share of the sentences with an error that samples may seem to bear out: agreement is no truth.
With .002 three of 55 facts that one sample supports were wrong, so none of 42."""
UNBACKED = -1.0
"""How far a source backs a clause without an exact quote: as if it contradicted all of it."""
LEANING = 0.04
"""Share of right clauses that a single sample may contradict: some have errors themselves."""
SAID = 0.04
"""Share of the sentences with an error of which a sample may seem to say each clause: all samples
together decide. Set to `PASSED` it would leave them nothing to decide."""
STRENGTH = 0.1
"""Of the regressions; weaker ones do not differ by more than the noise."""


Reading = tuple[tuple[float, ...], bool]
"""The signals of a clause beside one source, and whether the quote is exact."""


class Clause(NamedTuple):
    """A clause with an error (CONTRADICTED), a detail that sources lack (OPEN), or neither, and
    what the reference, if there is one, and each sample give."""

    label: int
    reference: list[Reading]
    samples: list[Reading]


class Sentence(NamedTuple):
    """A sentence of a message in the file ``origin``. ``wrong`` says that it has an error."""

    origin: str
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


def sentences_of(path: str, verifier: Verifier) -> Iterator[Sentence]:
    @cache  # the variants of a message share their sources
    def source_of(text: str) -> SourceText:
        return SourceText(with_tokens(read_message(text)))

    for row in read_rows(path):
        message = read_message(row["text"])
        comparer = Comparer(message, extract(message), verifier)
        errors = [(one["start"], one["end"]) for one in row["errors"]]
        reference, samples = (
            [[*comparer.clauses(source_of(text), briefly=briefly)] for text in texts]
            for texts, briefly in (
                (row["references"][:1], False),
                (row.get("samples", ())[:MOST_VERIFIED], True),
            )
        )
        for at, span in enumerate(message.sentences):
            spans = [
                one.read.unit.spans for found in [*reference, *samples][:1] for one in found[at]
            ]
            clauses = [
                Clause(label, *(_readings(held, at, number) for held in (reference, samples)))
                for number, label in enumerate(labels_of(spans, errors, row.get("unsupported", ())))
                if label is not None
            ]
            if clauses:
                yield Sentence(Path(path).stem, row["group"], touches([span], errors), clauses)


def _readings(found: Sequence[Sequence[Sequence[Read]]], at: int, number: int) -> list[Reading]:
    """Return what each source gives for a clause of a sentence."""
    clauses = [held[at][number] for held in found if number < len(held[at])]
    return [(one.signals.values, one.exact) for one in clauses]


def labels_of(
    clauses: Sequence[Sequence[Span]],
    errors: Sequence[Span],
    unsupported: Sequence[Sequence[int]],
) -> list[int | None]:
    """Return the label of each clause of a sentence. Of those that share an error the one with most
    of it is wrong; the others are neither right nor wrong."""
    found: list[int | None] = [
        OPEN if touches(spans, unsupported) else SUPPORTED for spans in clauses
    ]
    wrong = set()
    for start, end in errors:
        held = [sum(max(0, min(end, b) - max(start, a)) for a, b in spans) for spans in clauses]
        if any(held):
            wrong.add(held.index(max(held)))
        for at, share in enumerate(held):
            if share:
                found[at] = None
    for at in wrong:
        found[at] = CONTRADICTED
    return found


def touches(spans: Sequence[Sequence[int]], others: Sequence[Sequence[int]]) -> bool:
    return any(a[0] < b[1] and b[0] < a[1] for a in spans for b in others)


class Fit:
    """A logistic regression in the units of its signals."""

    def __init__(self, x: NDArray[Any], y: NDArray[Any]) -> None:
        model = LogisticRegression(C=STRENGTH, max_iter=3000)
        self._fitted = make_pipeline(StandardScaler(), model).fit(x, y)
        scale = self._fitted[0]
        self.weights = model.coef_ / scale.scale_
        self.intercepts = model.intercept_ - (model.coef_ * scale.mean_ / scale.scale_).sum(1)

    def __call__(self, x: NDArray[Any]) -> NDArray[Any]:
        """Return the probabilities of the classes; of two classes that of the second."""
        found = self._fitted.predict_proba(x)
        return np.asarray(found[:, 1] if found.shape[1] == 2 else found)


def settle_exactly(shares: NDArray[Any], x: NDArray[Any], *, sample: bool = False) -> NDArray[Any]:
    """Return the shares of sources with these signals, with what no encoder decides."""
    certain = [settled(row.tolist(), sample=sample) for row in x]
    rows = zip(shares, certain, strict=True)
    return np.array([one if exact is None else exact for one, exact in rows])


class Rows(NamedTuple):
    """The clauses of all sentences that have a source of a kind, a row each: the number of the
    sentence, its file and group, the label, and the readings of these sources; ``beside`` are those
    of the reference. ``wrong`` is of the sentences."""

    place: NDArray[Any]
    origins: NDArray[Any]
    groups: NDArray[Any]
    labels: NDArray[Any]
    readings: list[list[Reading]]
    beside: list[list[Reading]]
    wrong: NDArray[Any]

    @classmethod
    def of(cls, sentences: Sequence[Sentence], *, samples: bool) -> Rows:
        rows = [
            (number, one, clause, held)
            for number, one in enumerate(sentences)
            for clause in one.clauses
            if (held := clause.samples if samples else clause.reference)
        ]
        return cls(
            np.array([row[0] for row in rows]),
            np.array([row[1].origin for row in rows]),
            np.array([row[1].group for row in rows]),
            np.array([row[2].label for row in rows]),
            [row[3] for row in rows],
            [row[2].reference for row in rows],
            np.array([one.wrong for one in sentences]),
        )

    def weakest(self, backing: NDArray[Any]) -> NDArray[Any]:
        """Return how far each sentence with an error is supported: as its weakest clause."""
        found = np.full(len(self.wrong), np.inf)
        np.minimum.at(found, self.place, backing)
        return np.asarray(found[self.wrong & np.isfinite(found)])


def inputs(readings: Sequence[Sequence[Reading]]) -> list[NDArray[Any]]:
    """Return the signals of the sources of each row."""
    return [np.array([values for values, _ in held]) for held in readings]


def folds(groups: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """Yield which rows are held out, message by message."""
    names = np.unique(groups)
    np.random.RandomState(0).shuffle(names)
    for fold in range(FOLDS):
        yield np.isin(groups, names[fold::FOLDS])


def out_of_fold(
    x: NDArray[Any],
    y: NDArray[Any],
    to: Iterable[tuple[NDArray[Any], NDArray[Any]]],
    judged: Sequence[NDArray[Any]],
) -> list[Any]:
    """Return what models make of each of the inputs ``judged``. ``to`` are the pairs of rows to fit
    without and inputs to judge."""
    found: list[Any] = [None] * len(judged)
    for held, chosen in to:
        model = Fit(x[~held], y[~held])
        for at in np.flatnonzero(chosen).tolist():
            found[at] = model(judged[at])
    return found


def highest(scores: NDArray[Any], share: float) -> float:
    """Return the limit that at most a share of scores reach."""
    return round(float(np.quantile(scores, 1 - share, method="higher")) + 1e-4, 4)


def calibrate(sentences: list[Sentence], *, keep: Sequence[bool]) -> dict[str, Any]:
    """Return the calibration, with the figures out of fold under "measured". ``keep`` says which
    signals count."""
    mask = np.array(keep, float)
    rows = Rows.of(sentences, samples=False)
    x = np.vstack(inputs(rows.readings)) * mask
    exact = np.array([held[0][1] for held in rows.readings])
    source = Fit(x, rows.labels)
    apart = [(rows.origins == one, rows.origins == one) for one in np.unique(rows.origins)]
    within = [(held, held) for held in folds(rows.groups)]
    shares, strange = (
        settle_exactly(np.vstack(out_of_fold(x, rows.labels, to, [one[None] for one in x])), x)
        for to in (within, apart)
    )
    wrong = rows.labels == CONTRADICTED
    backing = np.where(exact, shares[:, 2] - shares[:, 0], UNBACKED)
    contradicts = highest(shares[~wrong, 0], ALARMS)
    supports = highest(rows.weakest(backing), PASSED)
    out: dict[str, Any] = {
        "weights": source.weights.round(4).tolist(),
        "intercepts": source.intercepts.round(4).tolist(),
        "contradicts": contradicts,
        "supports": supports,
        "sample_contradicts": contradicts,
        "sample_supports": supports,
        "samples": None,
        "both": None,
        "measured": {
            "reference": figures(rows, shares[:, 0] >= contradicts, backing >= supports)
            | {"auroc": round(float(roc_auc_score(wrong, shares[:, 0])), 3)},
            "reference, apart": by_origin(
                rows,
                strange[:, 0] >= contradicts,
                exact & (strange[:, 2] - strange[:, 0] >= supports),
            ),
        },
    }
    heard = Rows.of(sentences, samples=True)
    if len(heard.labels):
        to = [
            (held, np.isin(heard.groups, np.unique(rows.groups[held])))
            for held in folds(rows.groups)
        ]
        of_samples, beside = (
            [held * mask for held in inputs(x)] for x in (heard.readings, heard.beside)
        )
        said, given = (out_of_fold(x, rows.labels, to, held) for held in (of_samples, beside))
        said = [
            settle_exactly(one, held, sample=True)
            for one, held in zip(said, of_samples, strict=True)
        ]
        given = [settle_exactly(one, held) for one, held in zip(given, beside, strict=True)]
        settle(out, heard, said, given)
    return out


def settle(out: dict[str, Any], rows: Rows, said: list[Any], given: list[Any]) -> None:
    """Add how a sample takes sides, and how all samples together settle a clause, alone and beside
    a reference. ``said`` and ``given`` are the shares of the samples and of the reference."""
    wrong = rows.labels == CONTRADICTED
    backing = [
        np.where([exact for _, exact in held], one[:, 2] - one[:, 0], UNBACKED)
        for held, one in zip(rows.readings, said, strict=True)
    ]
    against = np.concatenate([one[:, 0] for one, bad in zip(said, wrong, strict=True) if not bad])
    best = np.array([one.max() for one in backing])
    contradicts, supports = highest(against, LEANING), highest(rows.weakest(best), SAID)
    counted = np.array([bool((one[:, 0] >= contradicts).any()) for one in said])
    backed = best >= supports
    against_it = np.array([one[0, 0] for one in given])
    exact = np.array([held[0][1] for held in rows.beside])
    told = exact & (np.array([one[0, 2] - one[0, 0] for one in given]) >= out["supports"])
    out["sample_contradicts"], out["sample_supports"] = contradicts, supports
    for kind in ("samples", "both"):
        beside = given if kind == "both" else [()] * len(said)
        x = np.array(
            [
                summary([Shares(*row) for row in one.tolist()], [Shares(*row) for row in other])
                for one, other in zip(said, beside, strict=True)
            ]
        )
        within = [(held, held) for held in folds(rows.groups)]
        odds = out_of_fold(x, wrong, within, [one[None] for one in x])
        doubt = np.array([float(one[0]) for one in odds])
        fit = Fit(x, wrong)
        doubted = highest(np.where(counted, doubt, 0.0)[~wrong], ALARMS)
        supported = 1 - highest(rows.weakest(np.where(backed, 1 - doubt, 0.0)), BORNE_OUT)
        out[kind] = {
            "weights": fit.weights[0].round(4).tolist(),
            "intercept": round(float(fit.intercepts[0]), 4),
            "doubted": doubted,
            "supported": round(supported, 4),
        }
        marked, proved = counted & (doubt >= doubted), backed & (doubt <= supported)
        if kind == "both":
            # A reference decides, but for a contradiction that is hardly likely and that the
            # samples do not share.
            denied = (against_it >= LIKELY) | (
                (against_it >= out["contradicts"]) & (doubt >= doubted)
            )
            marked, proved = denied | (marked & ~told), told | (proved & ~denied)
        out["measured"][kind] = figures(rows, marked, proved) | {
            "auroc": round(float(roc_auc_score(wrong, doubt)), 3)
        }
        out["measured"][f"{kind}, by file"] = by_origin(rows, marked, proved)


def figures(rows: Rows, marked: NDArray[Any], backed: NDArray[Any]) -> dict[str, float]:
    """Return the shares of wrong and right clauses, and of sentences, that are marked, and of those
    that are supported."""
    wrong = rows.labels == CONTRADICTED
    found, there = (np.zeros(len(rows.wrong), bool) for _ in range(2))
    found[rows.place[marked]] = there[rows.place] = True
    whole = there.copy()
    whole[rows.place[~backed]] = False
    return {
        "found": share(marked, wrong),
        "alarms": share(marked, ~wrong),
        "wrong supported": share(backed, wrong),
        "right supported": share(backed, ~wrong),
        "sentences found": share(found, rows.wrong & there),
        "false alarms": share(found, ~rows.wrong & there),
        "wrong sentences supported": share(whole, rows.wrong & there),
        "right sentences supported": share(whole, ~rows.wrong & there),
    }


def by_origin(rows: Rows, marked: NDArray[Any], backed: NDArray[Any]) -> dict[str, Any]:
    found = {}
    for origin in np.unique(rows.origins).tolist():
        here = rows.origins == origin
        part = rows._replace(place=rows.place[here], labels=rows.labels[here])
        found[origin] = figures(part, marked[here], backed[here])
    return found


def share(chosen: NDArray[Any], among: NDArray[Any]) -> float:
    return round(float(chosen[among].mean()), 3) if among.any() else 0.0


def without(families: Sequence[str]) -> list[bool]:
    left_out = {name for family in families for name in FAMILIES[family]}
    if "encoder" in families:
        left_out.add("contradiction beside the same words")
    return [name not in left_out for name in SIGNALS]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("verifier")
    parser.add_argument("--messages", nargs="+", required=True)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--without", nargs="+", default=[], choices=list(FAMILIES))
    given = parser.parse_args()
    verifier = KeptVerifier(open_verifier(given.verifier), given.cache)
    fitted: dict[str, Any] = {}
    sentences: list[Sentence] = []
    for path in given.messages:
        sentences += sentences_of(path, verifier)
        verifier.save()
    for name, left_out in (("verifier", given.without), ("words", [*given.without, "encoder"])):
        fitted[name] = calibrate(sentences, keep=without(left_out))
        print(name, json.dumps(fitted[name].pop("measured")))
    count = sum(len(one.clauses) for one in sentences)
    groups = len({one.group for one in sentences})
    fitted["fitted_on"] = f"{count} clauses of {groups} texts"
    if given.out:
        given.out.write_text(json.dumps(fitted, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
