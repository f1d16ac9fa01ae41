"""The regression that turns signals into stances and verdicts, and its thresholds.

Weights and thresholds lie in `data/calibration.json` with the data that they were fitted on
(`training/calibrate.py` writes it). `stances.py` decides by them, and by what must hold besides: a
quote with all values and names.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from halubot.verifier.signals import FAMILIES, SIGNALS, odds

CALIBRATION: Final = Path(__file__).parent / "data" / "calibration.json"

SUMMARY: Final = (
    "the most contradicting source",
    "contradiction by the mean source",
    "the most supporting source",
    "support by the mean source",
)
"""What `Settling.wrong` reads of all samples, in this order; probabilities as log-odds."""

BESIDE: Final = (*SUMMARY, "the most contradicting reference", "the most supporting reference")
"""The same of samples and references together."""

DIFFERS: Final = SIGNALS.index("another value beside the same words")
_IN_PLACE: Final = tuple(SIGNALS.index(name) for name in FAMILIES["alignment"][:3])
SAME_WORDS: Final = 0.6
"""The share of a clause's other words, by weight, that stands beside another value, above which
nothing but the value differs. On everyday text 37 of 46 such sentences were wrong."""


class Shares(NamedTuple):
    """The probabilities that a source contradicts a claim, leaves it open, or supports it."""

    contradicts: float
    silent: float
    supports: float

    @property
    def backing(self) -> float:
        """How much likelier it is that the source supports a claim than that it contradicts it, in
        [-1, 1]. On 178 texts more right sentences were supported by it than by the support alone,
        .153 instead of .141, where .02 of the wrong ones were."""
        return self.supports - self.contradicts


class Settling(NamedTuple):
    """How the sources of a message together settle a claim: the weights of `SUMMARY`, or of
    `BESIDE`, and the probability of being wrong from which a claim is doubted, or up to which it is
    supported."""

    weights: tuple[float, ...]
    intercept: float
    doubted: float
    supported: float

    def wrong(self, samples: Sequence[Shares], references: Sequence[Shares] = ()) -> float:
        """Return the probability that a claim is wrong beside at least one sample; with `BESIDE`
        beside at least one reference, too."""
        summed = zip(self.weights, summary(samples, references), strict=True)
        return 1 / (1 + math.exp(-self.intercept - sum(weight * one for weight, one in summed)))


class Calibration(NamedTuple):
    """What turns the signals of one source into `Shares`, and these into stances.

    A reference contradicts from the probability ``contradicts`` on, and supports from the
    `Shares.backing` ``supports`` on; ``sample_contradicts`` and ``sample_supports`` are the same of
    a sample. ``samples`` settle a claim alone, ``both`` beside references that speak of it: of 970
    wrong clauses both find .33 at .022 false alarms, references .24 and samples .23 at .020.
    """

    weights: tuple[tuple[float, ...], ...]
    intercepts: tuple[float, ...]
    contradicts: float
    supports: float
    sample_contradicts: float
    sample_supports: float
    samples: Settling
    both: Settling

    def shares(self, signals: Sequence[float]) -> Shares:
        """Return the stances of a source with these signals, as probabilities."""
        certain = settled(signals)
        if certain is not None:
            return certain
        powers = [
            intercept + sum(w * f for w, f in zip(weights, signals, strict=True))
            for weights, intercept in zip(self.weights, self.intercepts, strict=True)
        ]
        powers = [math.exp(one - max(powers)) for one in powers]
        return Shares(*(one / sum(powers) for one in powers))


def settled(signals: Sequence[float]) -> Shares | None:
    """Return what no encoder decides; else None. Another value, name or opposite in the midst of
    the same words contradicts. That a sentence has all words of a clause is a signal among others:
    they may stand in two clauses there."""
    if signals[DIFFERS] >= SAME_WORDS or any(signals[at] >= 1 for at in _IN_PLACE):
        return Shares(1.0, 0.0, 0.0)
    return None


def summary(samples: Sequence[Shares], references: Sequence[Shares] = ()) -> tuple[float, ...]:
    """Return what `Settling` reads of the samples, as `SUMMARY` names it, and of the references, if
    there are any, as `BESIDE` does."""
    against = [odds(one.contradicts) for one in samples]
    backing = [odds(one.supports) for one in samples]
    count = len(samples)
    found = max(against), sum(against) / count, max(backing), sum(backing) / count
    if not references:
        return found
    return (
        *found,
        max(odds(one.contradicts) for one in references),
        max(odds(one.supports) for one in references),
    )


@cache
def load_calibration(*, verifier: bool) -> Calibration:
    """Return the calibration that ships, with an encoder or for words and values alone."""
    kept = json.loads(CALIBRATION.read_text(encoding="utf-8"))
    return from_json(kept["verifier" if verifier else "words"])


def from_json(kept: Mapping[str, Any]) -> Calibration:
    """Return a calibration from the form in which the file holds it."""
    return Calibration(
        tuple(map(tuple, kept["weights"])),
        tuple(kept["intercepts"]),
        kept["contradicts"],
        kept["supports"],
        kept["sample_contradicts"],
        kept["sample_supports"],
        *(
            Settling(**{name: _plain(value) for name, value in kept[kind].items()})
            for kind in ("samples", "both")
        ),
    )


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
