"""What a benchmark is asked to measure, and whether that means anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from halubot.bench.rows import Dataset, Material
from halubot.errors import SettingError
from halubot.methods import registry


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured, and how. ``threshold`` stands in for the one that would be found.

    ``verdicts`` is a file of recorded ones, of which those of ``verdict_model`` stand in for a
    model's answers; at most ``verdict_samples`` samples of each message are judged by them.
    ``options`` are the method's own settings.
    """

    dataset: str
    data: Path
    method: str
    with_reference: bool = False
    validation: Path | None = None
    n_samples: int | None = None
    limit: int | None = None
    threshold: float | None = None
    verdicts: Path | None = None
    verdict_model: str | None = None
    verdict_samples: int | None = None
    as_published: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)


def require_sense(plan: Plan, dataset: Dataset, given: Material | None, *, asking: bool) -> None:
    """Raises SettingError for a plan that means nothing here; ``asking`` tells that there is a
    model to ask, ``given`` what the rows are compared with."""
    name = dataset.name
    method = registry.get(plan.method)
    compared = [need for need in method.needs if need in ("samples", "references")]
    lacking = [need for need in compared if need != given]
    if given and lacking and (method.needs_all or lacking == compared):
        raise SettingError(
            f"{plan.method} needs {' and '.join(lacking)}, and {name} gives {given} here"
        )
    if plan.validation is not None and dataset.fitting != "validation":
        raise SettingError(f"{name} finds no threshold on other data: leave --validation out")
    if plan.threshold is not None and dataset.fitting == "none":
        raise SettingError(f"no figure of {name} has a threshold: leave --threshold out")
    if plan.threshold is not None and plan.validation is not None:
        raise SettingError("--validation finds the threshold that --threshold gives: name only one")
    asked = "model" in method.needs
    if not asking:
        _refuse_verdicts(plan, given, asked=asked)
    elif not asked or given is None:
        raise SettingError(f"{plan.method} asks no model here: leave --model out")
    elif plan.verdicts is not None:
        raise SettingError("--verdicts stand in for a model: give one of them")


def _refuse_verdicts(plan: Plan, given: Material | None, *, asked: bool) -> None:
    """Refuses recorded verdicts where no model is asked for such, and their lack where one is."""
    if plan.verdicts is None:
        if plan.verdict_model is not None or plan.verdict_samples is not None:
            raise SettingError("--verdict-model and --verdict-samples need a file: give --verdicts")
        if asked and given is not None:
            raise SettingError(f"{plan.method} asks a model: name a --model, or give --verdicts")
    elif plan.dataset != "wikibio" or given != "samples":
        raise SettingError("recorded verdicts are on the samples of wikibio: leave --verdicts out")
    elif not asked:
        raise SettingError(f"{plan.method} asks no model: leave --verdicts out")
    elif plan.verdict_model is None:
        raise SettingError("--verdicts may hold those of several models: name --verdict-model")
