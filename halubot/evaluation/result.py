"""The result of a benchmark: the figures of one method, as the contract has them."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

from halubot.evaluation.checked import Scored, units
from halubot.evaluation.statistics import REPLICATES, SEED, Metrics, counted_score
from halubot.report import Usage
from halubot.version import __version__


@dataclass(frozen=True, slots=True)
class Figures:
    """Metrics of a method or a baseline with their intervals."""

    figures: Metrics
    intervals: Mapping[str, tuple[float, float] | None]

    @property
    def metrics(self) -> dict[str, float | None]:
        """The value of each metric; None if it is not defined."""
        return {name: metric.value for name, metric in self.figures.items()}


@dataclass(frozen=True, slots=True)
class Result:
    """The figures of one method. ``figures`` are its metrics, which can be drawn again;
    ``seconds`` is the time the rows took, figures left out; ``notes`` say what the figures rest
    on besides; ``compared_with`` names samples, references, knowledge; ``baselines`` are figures of
    the same rows, by name; ``harm`` the shares of wrong and right units that a method with a judge
    doubts, and those without one, empty for other methods."""

    dataset: str
    method: str
    rows: int
    data_sha256: str
    engine: str
    figures: Metrics
    intervals: dict[str, tuple[float, float] | None]
    usage: Usage
    seconds: float
    notes: tuple[str, ...]
    scored: tuple[Scored, ...]
    compared_with: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    models: Mapping[str, str] = field(default_factory=dict)
    calibrated_on: str | None = None
    baselines: Mapping[str, Figures] = field(default_factory=dict)
    harm: Mapping[str, Any] = field(default_factory=dict)

    @property
    def metrics(self) -> dict[str, float | None]:
        """The value of each metric; None if it is not defined."""
        return {name: metric.value for name, metric in self.figures.items()}

    def to_dict(self) -> dict[str, Any]:
        """The JSON of the contract."""
        return {
            "dataset": self.dataset,
            "method": self.method,
            "rows": self.rows,
            "data_sha256": self.data_sha256,
            "engine": self.engine,
            "metrics": self.metrics,
            "intervals": self.intervals,
            "baselines": {
                name: {"metrics": one.metrics, "intervals": dict(one.intervals)}
                for name, one in self.baselines.items()
            },
            "harm": dict(self.harm),
            "usage": self.usage.model_dump(),
            "seconds": round(self.seconds, 3),
            "notes": list(self.notes),
            "compared_with": list(self.compared_with),
            "options": dict(self.options),
            "models": dict(self.models),
            "calibrated_on": self.calibrated_on,
            **provenance(),
        }


def provenance() -> dict[str, Any]:
    """By what intervals were drawn, and the versions of what figures rest on."""
    return {"seed": SEED, "resamplings": REPLICATES, "versions": versions()}


def versions() -> dict[str, str]:
    """The versions of halubot, Python and the libraries that figures rest on."""
    # These can change a figure: random numbers, metrics, and which triples pair.
    names = ("numpy", "scikit-learn", "rapidfuzz")
    found = {name: version(name) for name in names}
    return {"halubot": __version__, "python": platform.python_version(), **found}


def format_figure(value: float) -> str:
    """Return a figure with three decimal places, or a count, which is above 1, without any."""
    # Shares and differences lie in [-1, 1]; everything above 1 is a count.
    return f"{value:.3f}" if value <= 1 else f"{value:.0f}"


def score_line(scored: Scored) -> dict[str, Any]:
    """A row's scores as they were counted. Units are the facts or sentences that people labelled,
    else the message, with the sentences it was cut into and the spans of its marks; if
    extraction is measured, the triples found (1 pairs with a given one, 0 does not)."""
    row = scored.row
    if scored.triples is not None:
        pairs = [float(pair) for pair in scored.paired]
        return {"id": row.id, "scores": pairs, "ranks": pairs, "triplets": list(scored.triples)}
    if row.labelled or row.sentences is not None:
        found = units(scored)
        # As they were counted: whoever computes a figure from these lines must get the same one.
        scores = [counted_score(unit.score) for unit in found]
        return {
            "id": row.id,
            "scores": scores,
            "ranks": [counted_score(unit.rank) for unit in found],
        }
    score, rank = [counted_score(scored.score)], [counted_score(scored.rank)]
    sentences = [
        {"start": s.span[0], "end": s.span[1], "score": s.score, "rank": s.rank}
        for s in scored.sentences
    ]
    marks = [] if scored.judged is None else scored.judged.marks()
    return {"id": row.id, "scores": score, "ranks": rank, "sentences": sentences, "marks": marks}
