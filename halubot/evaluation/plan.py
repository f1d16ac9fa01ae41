"""The plan of a benchmark, checked for whether its figures will mean anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from halubot.errors import SettingError
from halubot.evaluation.rows import Dataset, Material
from halubot.methods import registry


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of a measurement. ``threshold`` stands in for the one that would be found.

    ``also`` is a file that holds what the rows are compared with. ``verdicts`` is a file of
    recorded ones, of which those of ``verdict_model`` stand in for a model's answers; at most
    ``verdict_samples`` samples of each message are judged by them, changed as ``judge_noise`` says
    (`halubot.evaluation.recorded_verdicts`). ``knowledge`` names bases in which messages are looked
    up, ``knowledge_folder`` where they lie. ``options`` are the method's own settings, ``resume``
    the file of rows that are done. ``with_correction`` corrects each message as well.
    """

    dataset: str
    data: Path
    method: str
    with_samples: bool = False
    with_reference: bool = False
    validation: Path | None = None
    also: Path | None = None
    knowledge: tuple[str, ...] = ()
    knowledge_folder: Path | None = None
    n_samples: int | None = None
    limit: int | None = None
    threshold: float | None = None
    verdicts: Path | None = None
    verdict_model: str | None = None
    verdict_samples: int | None = None
    judge_noise: str | None = None
    as_published: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    resume: Path | None = None
    with_correction: bool = False


def require_options(plan: Plan, dataset: Dataset) -> None:
    """Raises SettingError for options that mean nothing on this data set; before any file is
    read."""
    name = dataset.name
    for option, asked, kind in (
        ("--with-samples", plan.with_samples, "samples"),
        ("--with-reference", plan.with_reference, "references"),
    ):
        if asked and kind not in dataset.gives:
            raise SettingError(f"{name} has no {kind}: leave {option} out")
    if plan.with_correction and not dataset.correction:
        raise SettingError(f"{name} measures no corrections: leave --with-correction out")
    if plan.validation is not None and dataset.fitting in ("none", "verdicts", "passages"):
        raise SettingError(f"{name} finds no threshold on other data: leave --validation out")
    if plan.threshold is not None and dataset.fitting == "none":
        raise SettingError(f"no figure of {name} has a threshold: leave --threshold out")
    if plan.threshold is not None and plan.validation is not None:
        raise SettingError("--validation finds the threshold that --threshold gives: name only one")
    if plan.also is not None and dataset.also is None:
        raise SettingError(f"{name} takes nothing from another file: leave --also out")
    if plan.verdicts is not None and name != "wikibio":
        raise SettingError("recorded verdicts are on the samples of wikibio: leave --verdicts out")
    if plan.knowledge and dataset.extraction:
        raise SettingError(f"{name} measures extraction alone: leave --knowledge out")


def require_sense(
    plan: Plan, dataset: Dataset, given: tuple[Material, ...], *, asking: bool
) -> None:
    """Raises SettingError for a method that means nothing here; ``asking`` tells that there is a
    model to ask, ``given`` what the rows are compared with."""
    name = dataset.name
    method = registry.get(plan.method, plan.options)
    compared = [need for need in method.needs if need in ("samples", "references")]
    asked = registry.asks_model(method) and not dataset.extraction
    asked = asked or judges(plan, dataset)
    if judges(plan, dataset) and not asking:
        raise SettingError("a model corrects and judges: name a --model")
    drawn = asking and draws(plan, dataset, given)
    if not dataset.extraction:
        _require_material(plan, name, given, drawn=drawn, asking=asking and asked)
        there = [*given, *(["references"] if plan.knowledge else []), *(["samples"] * drawn)]
        # Of several needs one is enough, unless the method says that it needs all.
        lacking = [need for need in compared if need not in there]
        if lacking and (method.needs_all or lacking == compared):
            has = " and ".join(given) or "nothing to compare with"
            raise SettingError(
                f"{plan.method} needs {' and '.join(lacking)}, and {name} gives {has} here"
            )
    if plan.n_samples is not None and "samples" not in given and not drawn:
        raise SettingError(f"{name} uses no samples here: leave --n-samples out")
    if not asking:
        here = plan.options.get("judge") is not None
        needed = asked and "model" in method.needs and not here
        _refuse_verdicts(plan, given, asked=asked, needed=needed)
    elif not asked and not drawn:
        raise SettingError(f"{plan.method} asks no model here: leave --model out")
    elif plan.verdicts is not None:
        raise SettingError("--verdicts stand in for a model: give one of them")


def draws(plan: Plan, dataset: Dataset, given: tuple[Material, ...]) -> bool:
    """Return True if a model, if there is one, draws samples for this method: if the rows hold
    nothing to compare with, and beside knowledge only if a number of samples is named."""
    if dataset.extraction or given or "samples" not in _needs(plan):
        return False
    return not plan.knowledge or plan.n_samples is not None


def judges(plan: Plan, dataset: Dataset) -> bool:
    """Return True if a model corrects, and judges what came of it."""
    return plan.with_correction and dataset.correction == "judged"


def _needs(plan: Plan) -> tuple[str, ...]:
    return registry.get(plan.method, plan.options).needs


def _require_material(
    plan: Plan, name: str, given: tuple[Material, ...], *, drawn: bool, asking: bool
) -> None:
    if given or plan.knowledge or drawn or asking:
        return
    also = ", a file of truthfulqa with --also" if name == "truthfulqa_judged" else ""
    raise SettingError(
        f"{name} holds nothing to compare with here: name a --model that draws samples{also}, or a"
        " base with --knowledge"
    )


def _refuse_verdicts(plan: Plan, given: tuple[Material, ...], *, asked: bool, needed: bool) -> None:
    """Refuses recorded verdicts if no model is asked for such, and their lack if one is."""
    method = registry.get(plan.method, plan.options)
    takes = registry.takes_verdicts(method)
    if plan.verdicts is None:
        if plan.judge_noise is not None:
            raise SettingError("--judge-noise changes recorded verdicts: give --verdicts")
        if plan.verdict_model is not None or plan.verdict_samples is not None:
            raise SettingError("--verdict-model and --verdict-samples need a file: give --verdicts")
        if needed:
            other = ", or give --verdicts" if takes else ""
            raise SettingError(f"{plan.method} asks a model: name a --model{other}")
    elif "samples" not in given:
        raise SettingError("recorded verdicts are on the samples of wikibio: leave --verdicts out")
    elif not asked:
        raise SettingError(f"{plan.method} asks no model: leave --verdicts out")
    elif not takes:
        asks = "another question than the recorded verdicts answer"
        raise SettingError(f"{plan.method} asks {asks}: leave --verdicts out")
    # A method without `differs` has one way to read verdicts; the option would change nothing,
    # silently.
    elif plan.as_published and not hasattr(method, "differs"):
        why = "reads recorded verdicts in one way, for no paper has it"
        raise SettingError(f"{plan.method} {why}: leave --as-published out")
    elif plan.verdict_model is None:
        raise SettingError("--verdicts may hold those of several models: name --verdict-model")
