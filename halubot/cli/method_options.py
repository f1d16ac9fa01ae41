"""The settings that only some methods take: their options, and those that suit the method of a run.

Settings of other methods are refused if they were asked for on the command line, and put aside if
they hold for all runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from halubot.cli import option_types
from halubot.cli.option_types import Setting
from halubot.errors import SettingError
from halubot.method_settings import OF_METHODS, settings_of_method

if TYPE_CHECKING:
    from halubot.inputs import Options

DECLARED = (
    Setting(
        ["--match"],
        type=click.Choice(["verified", "fuzzy", "exact"]),
        help="How fsc-frequency finds a fact again: in other words too, or by equal letters."
        "  [default: verified; as published exact]",
    ),
    Setting(
        ["--aggregate"],
        type=click.Choice(["max", "mean"]),
        help="How fsc-frequency, fsc-kg and fsc-text make the score of a sentence of those of its"
        " facts.  [default: max]",
    ),
    Setting(
        ["--variant"],
        type=click.Choice(
            [
                *("baseline", "few-shot", "reasoning", "detailed", "detailed-reasoning"),
                *("detailed-few-shot", "all", "pairwise"),
            ]
        ),
        metavar="NAME",
        help="How triplet-check asks: baseline, few-shot, reasoning, detailed, detailed-reasoning,"
        " detailed-few-shot, all, or pairwise, one call a fact.  [default: detailed-reasoning]",
    ),
    Setting(
        ["--windows"],
        type=option_types.WholeOrAll(),
        metavar="N|all",
        help="How many windows of long references are read, the nearest to the message: of 6,000"
        " characters (triplet-check) or 24,000 (triplet-check pairwise, bcv, bcv-cot, sca)."
        "  [default: all]",
    ),
    Setting(
        ["--role"],
        metavar="TEXT",
        help='Whose part the judge takes, such as "medical expert" (bcv, bcv-cot, sca, issc,'
        " issc-cot).",
    ),
    Setting(
        ["--repeats"],
        type=option_types.Whole(min=1),
        metavar="K",
        help="How often the judge is asked (bcv, bcv-cot, sca for a verdict; gca for a part of a"
        " fact; knowhalu where no log-probabilities come).  [default: 5; gca: 3]",
    ),
    Setting(
        ["--task"],
        type=click.Choice(["answer", "summary"]),
        help="What knowhalu checks: an answer, or a summary of the references.  [default: a summary"
        " without a question and with one reference]",
    ),
    Setting(
        ["--base"],
        type=click.Choice(["text", "triplets"]),
        help="The form of knowledge that decides in knowhalu.  [default: as in the paper]",
    ),
    Setting(
        ["--d1"],
        type=option_types.Number(0, 1),
        metavar="0..1",
        help="The base is overridden only if it is less sure than this (knowhalu)."
        "  [default: as for --base]",
    ),
    Setting(
        ["--d2"],
        type=option_types.Number(0, 1),
        metavar="0..1",
        help="and only if the other form is surer than this (knowhalu).  [default: as for --base]",
    ),
    Setting(
        ["--weights"],
        type=option_types.Weights("wikibio", "phd"),
        metavar="NAME|W,W,W,W",
        help="What head, relation, tail and samples count in gca: wikibio, phd, or four numbers"
        " that sum to 1.  [default: wikibio]",
    ),
    Setting(
        ["--members"],
        metavar="NAMES",
        help="Methods that ensemble fuses, such as consensus,triplet-check,bcv.  [default: the"
        " comparison of consensus, and a model's verdicts]",
    ),
    Setting(
        ["--verifier"],
        metavar="FILE|FOLDER|none",
        help="The encoder with which consensus compares: a file in ONNX or a folder that holds one;"
        " none compares words, values and names alone.  [default: the one that ships]",
    ),
    Setting(
        ["--judge"],
        metavar="KIND:MODEL",
        help="A small model on this machine that judges, without a server: nli:MODEL or"
        " grounding:MODEL, where MODEL is a folder or a name of halubot models (cascade,"
        " ensemble).",
    ),
    Setting(
        ["--embeddings"],
        metavar="NAME",
        help="Who makes vectors: local:MODEL on this machine, or provider/model (gca; knowhalu, to"
        " find passages).  [default: for gca the model that judges, for knowhalu nobody]",
    ),
)
"""In the order of the help; `halubot.method_settings.OF_METHODS` says which methods take each."""


def spoken(option: str) -> bool:
    """Return True if an option was given on this command line, and not for all runs."""
    source = click.get_current_context().get_parameter_source(option)
    return source is ParameterSource.COMMANDLINE


def chosen_method(options: Options, own: dict[str, Any]) -> str:
    """The name of the method that will judge; ``own`` are the settings of single methods."""
    from halubot.inputs import default_method

    return options.get("method") or default_method({**options, "options": own})


def of_the_method(method: str, own: dict[str, Any]) -> dict[str, Any]:
    """The settings of single methods, without those that are None and those, given for all runs,
    that this method does not take. One from another package is given all.

    Raises SettingError for one of the command line that it does not take.
    """
    given = {name: value for name, value in own.items() if value is not None}
    kept = settings_of_method(method, given)
    # An option that was typed and does nothing is a mistake to tell; a setting for all runs is
    # meant for those that take it.
    for name in filter(spoken, given.keys() - kept.keys()):
        raise SettingError(
            f"--{name.replace('_', '-')} is taken by {', '.join(OF_METHODS[name])};"
            f" {method} knows no {name}"
        )
    return kept


def wants_published(method: str, options: Options) -> bool:
    """Return True if the published steps are to be made: not if that was asked for all runs, and
    this one calls no model.

    Raises SettingError if the command line asks for steps that the method has not.
    """
    if not options.get("as_published"):
        return False
    from halubot.inputs import names_models
    from halubot.methods import registry

    if method in registry.method_names() and "model" not in registry.get(method).needs:
        if spoken("as_published"):
            raise SettingError(
                f"--as-published makes a model's calls one by one, and {method} makes none"
            )
        return False
    # For all runs it means: where there is a model. Typed, it must not be passed over in silence.
    return names_models(options) or spoken("as_published")
