"""A calibration that was just fitted, for people and for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halubot.cli import output
from halubot.evaluation.fit.calibration_page import lead

if TYPE_CHECKING:
    from pathlib import Path

    from halubot.evaluation.fit.calibrator import Fitted


def as_dict(fitted: Fitted, file: Path | None) -> dict[str, Any]:
    """The JSON of the contract; ``file`` is where it was kept for later checks, None if it was
    not."""
    found, measured = fitted.calibrated, fitted.out_of_fold
    told = found.model_dump(mode="json", exclude={"figures"})
    return told | {
        "groups": fitted.groups,
        "folds": measured.folds,
        "metrics": measured.figures,
        "intervals": measured.intervals,
        "bins": [one._asdict() for one in measured.bins],
        "usage": fitted.usage.model_dump(),
        "seconds": round(fitted.seconds, 3),
        "notes": list(fitted.notes),
        "refused": fitted.refused,
        "used": file is not None,
        "file": None if file is None else str(file),
    }


def text(fitted: Fitted, file: Path | None) -> str:
    """The figures as a table for people, and what was fitted."""
    found, measured = fitted.calibrated, fitted.out_of_fold
    figures = [
        (
            name,
            "undefined" if value is None else f"{value:.3f}",
            "" if (ends := measured.intervals[name]) is None else f"{ends[0]:.3f} to {ends[1]:.3f}",
        )
        for name, value in measured.figures.items()
    ]
    bins = [(str(one.examples), f"{one.said:.2f}", f"{one.wrong:.2f}") for one in measured.bins]
    judge = f", judged by {found.model}" if found.model else ""
    return "\n".join(
        [
            f"{found.method} with {found.material}{judge}, on {found.fitted_on}",
            f"{found.units} labels, {found.wrong} of them wrong, in {fitted.groups} groups;"
            f" {measured.folds} folds",
            "",
            output.table(("left out", "value", "95 % interval"), figures),
            "",
            output.table(("labels", "said", "wrong"), bins),
            "",
            output.sentence(lead(fitted)),
            *(f"! {note}" for note in fitted.notes),
            *([] if fitted.refused else [_find_kept(file)]),
        ]
    )


def _find_kept(file: Path | None) -> str:
    if file is None:
        return "No later check uses this: add --use to have it kept and used."
    return f"Kept in {file}; your later checks use it."
